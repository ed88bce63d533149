"""Put the pieces together: the only place that names concrete adapters.

- Adapters are imported where they are made, so that importing the package costs little.
- Clock and entropy of the outside world come in here.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from muniment.core.access import Scope, Visibility
from muniment.core.codec import read
from muniment.core.conversation import Conversation
from muniment.core.errors import Finding, InvalidInput, quoted
from muniment.core.extract import ReadResult
from muniment.ports.credential import Signer
from muniment.ports.embedding import Embedder
from muniment.ports.exporting import ExportFormat, Files, Place
from muniment.ports.importing import Batch, MessageKeeper
from muniment.ports.interchange import Coming, Export, Wrote
from muniment.ports.source import Repository, SourceReader, file_uri, repo_uri
from muniment.ports.store import Store, is_address
from muniment.ports.syncing import SharedFolder
from muniment.ports.tokens import TokenCounter
from muniment.usecases.session import Session, checked_role

Clock = Callable[[], datetime]
Entropy = Callable[[int], bytes]


def system_clock() -> datetime:
    """The present."""
    return datetime.now(UTC)


def open_store(
    path: str | Path | None,
    entropy: Entropy = os.urandom,
    create: bool = True,
    vfs: str | None = None,
) -> Store:
    """A store in a file, in the database at `postgresql://…`, or in memory where `path` is None.

    Raises:
        StoreError: The file or database cannot be opened, is newer, or is no store.
    """
    if path is None:
        from muniment.store.memory import MemoryStore

        return MemoryStore(entropy)
    if isinstance(path, str) and is_address(path):
        from muniment.store.postgres import open_postgres

        return open_postgres(path, entropy=entropy, create=create)
    from muniment.store.sqlite import SqliteStore

    return SqliteStore.open(path, entropy=entropy, create=create, vfs=vfs)


def store_exists(place: str | Path) -> bool:
    """Whether there is something at a store's place already.

    Raises:
        StoreError: A database cannot be looked at.
    """
    if isinstance(place, str) and is_address(place):
        from muniment.store.postgres import postgres_exists

        return postgres_exists(place)
    return Path(place).exists()


def count_tokens(name: str) -> TokenCounter:
    """A token counter by name; the empty name is the default.

    Raises:
        InvalidInput: No such counter; the known ones are listed.
    """
    from muniment.tokens import counter

    return counter(name) if name else counter()


def make_session(
    store: Store,
    *,
    tenant: str,
    principal: str,
    scopes: tuple[Scope, ...] = (),
    roots: Mapping[str, Path] | None = None,
    visibility: Visibility | None = None,
    uses: tuple[str, ...] = (),
    clock: Clock = system_clock,
    entropy: Entropy = os.urandom,
    declared: str = "",
    embedder: str | Callable[[], Embedder | None] = "none",
    role: str = "",
) -> Session:
    """A session with the usual adapters.

    Raises:
        InvalidInput: A role that is none.
    """
    from muniment.sources.router import Router

    known = dict(roots or {})
    sources = Router(known, tuple(known.values()))
    return Session(
        store,
        tenant,
        principal,
        scopes,
        clock,
        entropy,
        sources,
        count_tokens,
        verify_signature,
        visibility,
        uses,
        declared,
        embedder if callable(embedder) else lambda: open_embedder(embedder),
        checked_role(role),
    )


def sources_in(roots: Mapping[str, Path], scopes: Sequence[Scope]) -> SourceReader:
    """Reads the sources of the repositories that some scopes name, and of no other."""
    from muniment.sources.router import Router

    known = {name: root for name, root in roots.items() if Scope("repository", name) in scopes}
    return Router(known, tuple(known.values()))


def default_embedder() -> str:
    """The embedder of a new profile: the offline default where its package is installed, else `none`."""
    from importlib.util import find_spec

    from muniment.embed.opening import DEFAULT

    return DEFAULT if find_spec("wordllama") is not None else "none"


@lru_cache(maxsize=8)
def open_embedder(spec: str) -> Embedder | None:
    """What embeds texts, opened once for a process; None for `none`.

    Raises:
        InvalidInput: No such embedder, or its package or files are missing or not the pinned ones.
    """
    if spec in ("", "none"):
        return None
    from muniment.embed.opening import open_embedder as opened

    return opened(spec)


def visibility_from(given: Mapping[str, Any] | Visibility | None) -> Visibility | None:
    """A visibility from its wire form.

    Raises:
        InvalidInput: It is none.
    """
    if given is None or isinstance(given, Visibility):
        return given
    findings: list[Finding] = []
    value = read(Visibility, given, "/visibility", findings)
    if value is None:
        raise InvalidInput.of(tuple(findings))
    return value


def open_repository(folder: Path) -> Repository:
    """The repository around a folder, or the folder itself.

    Raises:
        InvalidInput: It is no folder, or cannot be looked at.
    """
    from muniment.sources.repository import open_repository as opened

    try:
        return opened(folder)
    except (OSError, ValueError) as error:  # a path with NUL is a ValueError
        message, fix = f"{quoted(folder)} is no folder", "name a folder that is there"
        raise InvalidInput.of((Finding("no_folder", message, "", fix),)) from error


def read_file(path: str, data: bytes) -> ReadResult:
    """Read one file of a repository into statements."""
    from muniment.learn.extract import read_file as read

    return read(path, data)


def open_import(
    paths: Sequence[Path], format_name: str = "", roots: Mapping[str, Path] | None = None
) -> Batch:
    """The files of an import, told apart and opened one after another.

    Args:
        paths: Files, folders and archives.
        format_name: The one format that all are read as; empty to tell each by itself.
        roots: Repository id to its local folder; a file in one is addressed in it.
    """
    from muniment.exchange.ahead import ahead
    from muniment.exchange.gather import Gathered
    from muniment.exchange.reading import Tools
    from muniment.learn.extract import read_file
    from muniment.learn.passages import passages

    address = partial(_address, roots=dict(roots or {}))
    return ahead(Gathered(tuple(paths), Tools(read_file, passages), address, format_name))


def open_messages(target: Path) -> MessageKeeper:
    """A file for messages of conversations, one a line, as `read_conversation` reads them.

    Raises:
        InvalidInput: Nothing can be written there.
    """
    from muniment.exchange.message_lines import MessageLines

    return MessageLines(target)


def open_export(format_name: str, out: Path | None) -> tuple[ExportFormat, Place | None]:
    """A format to export to, and the place of a file or folder.

    Raises:
        InvalidInput: No such format; the known ones are listed.
    """
    from muniment.exchange.outward import export_named

    return export_named(format_name), None if out is None else _FilePlace(out)


class _FilePlace:
    """A file or folder that an export goes to."""

    def __init__(self, target: Path) -> None:
        self.target = target

    def read(self) -> bytes | None:
        from muniment.exchange.placed import bytes_at

        return bytes_at(self.target)

    def write(self, files: Files) -> tuple[str, ...]:
        from muniment.exchange.placed import place_files

        return place_files(self.target, files)


def _address(path: Path, roots: Mapping[str, Path]) -> str:
    """A path's address: in the innermost known repository, else as a file."""
    here = os.path.abspath(path)  # noqa: PTH100 - takes `..` out, and follows no link
    inside = [
        (len(root.parts), name, here[len(start) :].replace(os.sep, "/"))
        for name, root in roots.items()
        if here.startswith(start := os.path.join(root, ""))  # noqa: PTH118 - ends in a separator
    ]
    if inside:
        _, name, within = max(inside)
        return repo_uri(name, within)
    return file_uri(here.replace(os.sep, "/"))


def read_bytes(path: Path) -> bytes:
    """A file's bytes.

    Raises:
        InvalidInput: It cannot be read.
    """
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:  # a path with NUL is a ValueError
        message, fix = f"{quoted(path)} cannot be read", "name a file that is there and may be read"
        raise InvalidInput.of((Finding("no_file", message, "", fix),)) from error


def read_conversation(data: bytes, name: str) -> Conversation:
    """The messages of a file, each line read strictly."""
    from muniment.exchange.strict_json import load_json
    from muniment.learn.conversation import read_conversation as read

    def load(line: bytes, place: str) -> tuple[Any, tuple[Finding, ...]]:
        loaded = load_json(line, name=place)
        return loaded.value, loaded.findings

    return read(data, name, load)


def read_document(data: bytes, name: str) -> tuple[Any, tuple[Finding, ...]]:
    """A JSON or YAML document's value, read strictly, and what is wrong with it."""
    from muniment.exchange.strict import load_document

    loaded = load_document(data, name)
    return loaded.value, loaded.findings


def query_from(given: str | Mapping[str, Any]) -> str | Mapping[str, Any]:
    """A query as it was given; JSON text, which begins with a brace, as its value.

    Raises:
        InvalidInput: It begins like JSON and is none.
    """
    if not isinstance(given, str) or not given.lstrip().startswith("{"):
        return given
    value, findings = read_document(given.encode("utf-8", "surrogatepass"), "query.json")
    if not isinstance(value, Mapping):
        raise InvalidInput.of(findings)
    return value


def write_bundle(folder: Path, export: Export) -> Wrote:
    """Write an export as a bundle of the Modeled Information Format.

    Raises:
        InvalidInput: A file there is not of an earlier export, or was changed since; nothing was written.
    """
    from muniment.exchange.mif.exporting import write_bundle as write

    return write(folder, export)


def validate_bundle(path: Path, strict_temporal: bool = False) -> dict[str, Any]:
    """The report of validating a MIF or OKF bundle, as JSON."""
    from muniment.exchange.mif.report import validated

    return validated(path, strict_temporal)


def migrate_bundle(path: Path, to: Path) -> dict[str, Any]:
    """Write a bundle of MIF 0.1 as 1.0 to another folder; what was done, as JSON."""
    from muniment.exchange.mif.report import migrated

    return migrated(path, to)


def project_bundle(path: Path, to: Path) -> dict[str, Any]:
    """Write the JSON-LD of a bundle's concepts to another folder; what was done, as JSON."""
    from muniment.exchange.mif.report import projected

    return projected(path, to)


def read_export(path: Path) -> Coming:
    """What can be restored from an export of our own."""
    from muniment.exchange.mif.bundle import read_path
    from muniment.exchange.mif.coming import coming_from

    return coming_from(read_path(path), path.name)


def open_shared(folder: Path) -> SharedFolder:
    """A folder of concepts that stores share."""
    from muniment.exchange.shared import open_folder

    return open_folder(folder)


def verify_signature(public_key: str, message: bytes, signature: str) -> bool:
    """Whether a reviewer's credential made a signature."""
    from muniment.credential import verify

    return verify(public_key, message, signature)


def open_credential(path: Path, passphrase: str) -> Signer:
    """Open a reviewer's credential.

    Raises:
        NotPermitted: Wrong passphrase.
        InvalidInput: No credential file, or a damaged one.
    """
    from muniment.credential import open_credential as opened
    from muniment.credential import read_credential

    return opened(read_credential(path), passphrase)


def create_credential(
    path: Path, principal: str, passphrase: str, entropy: Entropy = os.urandom
) -> Signer:
    """Make a reviewer's credential and write it; an existing file is never overwritten.

    Raises:
        InvalidInput: The passphrase is too short, or the file is there already.
    """
    from muniment.credential import create, write_credential
    from muniment.credential import open_credential as opened

    data = create(principal, passphrase, entropy=entropy)
    write_credential(path, data)
    return opened(data, passphrase)
