"""Read a bundle: a folder, a zip archive, a container, or a single file, into concepts and what belongs to them.

- Nothing is written anywhere, and nothing outside what was named is read: symbolic links are not followed; an archive
  with a name that climbs, is absolute, encrypted or a link, or that unpacks to too much, is refused whole.
- Every problem is an issue with its file. One bad concept never stops the others.
- `index.md` and `log.md` are reserved at every level. Files under `.mif/` are configuration. A `README.md` without
  frontmatter is documentation. Everything else that ends in `.md` or `.jsonld` is a concept.

>>> bundle = of_files({"semantic/a.md": b"---\\ntype: semantic\\n---\\nA", "index.md": b"# A", "b.md": b"no"})
>>> [concept.file for concept in bundle.concepts], [issue.place for issue in bundle.issues], sorted(bundle.reserved)
(['semantic/a.md'], ['b.md:1:1'], ['index.md'])
"""

from __future__ import annotations

import os
import stat
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from muniment.core.errors import quoted
from muniment.exchange.archive import BROKEN
from muniment.exchange.loaded import LIMIT_BYTES
from muniment.exchange.mif.concept import Concept, read_jsonld, read_markdown
from muniment.exchange.mif.container import is_container, read_container
from muniment.exchange.mif.issue import Issue

RESERVED = ("index.md", "log.md")
MOST_FILES = 200_000
MOST_BYTES = 1_000_000_000
"""Bytes of a whole bundle, unpacked."""
MOST_RATIO = 200
"""How many times larger an archive's member may unpack, beyond its first megabyte."""
CONTAINER_BYTES = 200_000_000
DEEPEST_FOLDER = 32
_SKIPPED = frozenset({".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv"})

Form = Literal["folder", "zip", "container", "file"]


@dataclass(frozen=True)
class Bundle:
    """What was read.

    Attributes:
        concepts: In the order of their paths.
        issues: What could not be read, and why.
        reserved: `index.md` and `log.md` files by path.
        settings: Files under `.mif/` by their path below it.
        form: What was read.
        documents: References of a container's `document` records.
        envelope: A container's own fields, without its records.
        others: Further files, not read (their paths).
    """

    concepts: tuple[Concept, ...]
    issues: tuple[Issue, ...] = ()
    reserved: Mapping[str, bytes] = field(default_factory=dict)
    settings: Mapping[str, bytes] = field(default_factory=dict)
    form: Form = "folder"
    documents: tuple[Mapping[str, Any], ...] = ()
    envelope: Mapping[str, Any] = field(default_factory=dict)
    others: tuple[str, ...] = ()


def read_path(path: Path, limit_bytes: int = LIMIT_BYTES) -> Bundle:
    """Read what stands at a path.

    Args:
        path: A folder, `.zip`, `.json` (container or JSON-LD), `.jsonld` or `.md` file.
        limit_bytes: Most bytes of one concept's file.

    Returns:
        The bundle; a path that cannot be read gives one with an issue. Never raises for what stands there.
    """
    try:
        if path.is_dir():
            return _folder(path, limit_bytes)
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):
            return _refused("not_a_file", f"{quoted(path)} is no file or folder", path.name)
        if path.suffix.lower() == ".zip":
            return _archive(path, limit_bytes)
        single = path.suffix.lower() == ".md"
        data = _limited(path, limit_bytes if single else CONTAINER_BYTES)
        return of_files({path.name: data}, limit_bytes, "file")
    except FileNotFoundError:
        return _refused("no_file", f"nothing stands at {quoted(path)}", path.name)
    except OSError as error:
        return _refused("unreadable", f"{quoted(path)} cannot be read: {error.strerror}", path.name)


def _refused(code: str, message: str, file: str, fix: str = "check the path") -> Bundle:
    return Bundle((), (Issue("file", code, message, fix, file=file),))


def of_files(
    files: Mapping[str, bytes], limit_bytes: int = LIMIT_BYTES, form: Form = "folder"
) -> Bundle:
    """A bundle of files that were read: bundle-relative path to bytes."""
    opened = ((name, partial(bytes, data)) for name, data in sorted(files.items()))
    return _sorted_out(opened, limit_bytes, form)


Opened = Callable[[], bytes]


def _sorted_out(
    files: Iterator[tuple[str, Opened]], limit_bytes: int, form: Form, before: tuple[Issue, ...] = ()
) -> Bundle:  # fmt: skip
    concepts: list[Concept] = []
    issues: list[Issue] = list(before)
    reserved: dict[str, bytes] = {}
    settings: dict[str, bytes] = {}
    documents: list[Mapping[str, Any]] = []
    envelope: dict[str, Any] = {}
    others: list[str] = []
    for name, opened in files:
        place = PurePosixPath(name)
        suffix = place.suffix.lower()
        try:
            if ".mif" in place.parts[:-1]:
                settings["/".join(place.parts[place.parts.index(".mif") + 1 :])] = opened()
            elif place.name in RESERVED:
                reserved[name] = opened()
            elif suffix == ".md":
                _markdown(name, opened(), limit_bytes, concepts, issues)
            elif (
                suffix == ".jsonld"
                or name.endswith(".corpus.json")
                or (suffix == ".json" and form == "file")
            ):
                _json(name, opened(), limit_bytes, concepts, issues, documents, envelope)
            else:
                others.append(name)
        except BROKEN as error:
            message = f"the file cannot be read: {getattr(error, 'strerror', None) or error}"
            issues.append(Issue("file", "unreadable", message, "check the file", file=name))
    found: Form = "container" if envelope and form == "file" else form
    return Bundle(
        tuple(concepts), tuple(issues), reserved, settings, found, tuple(documents), envelope, tuple(others)
    )  # fmt: skip


def _markdown(
    name: str, data: bytes, limit_bytes: int, concepts: list[Concept], issues: list[Issue]
) -> None:
    concept, found = read_markdown(data, name, limit_bytes)
    is_readme = PurePosixPath(name).stem.lower() == "readme"
    if concept is not None and is_readme and "type" not in concept.meta:
        return
    if concept is None and is_readme and any(i.code == "no_frontmatter" for i in found):
        return
    issues.extend(found)
    if concept is not None:
        concepts.append(concept)


def _json(
    name: str,
    data: bytes,
    limit_bytes: int,
    concepts: list[Concept],
    issues: list[Issue],
    documents: list[Mapping[str, Any]],
    envelope: dict[str, Any],
) -> None:
    if is_container(name, data):
        read = read_container(data, name, CONTAINER_BYTES)
        concepts.extend(read.concepts)
        issues.extend(read.issues)
        documents.extend(read.documents)
        envelope.update(read.envelope)
        return
    concept, found = read_jsonld(data, name, limit_bytes)
    if concept is not None and set(concept.document or ()) == {"@context"}:
        return  # a context, not a concept
    issues.extend(found)
    if concept is not None:
        concepts.append(concept)


def folder_files(root: Path) -> tuple[dict[str, bytes], tuple[Issue, ...]]:
    """Every file of a folder, by its path in it, and what is not read."""
    issues: list[Issue] = []
    if not root.is_dir():
        return {}, _refused("no_folder", f"{quoted(root)} is no folder", root.name).issues
    return {name: opened() for name, opened in _walk(root, issues)}, tuple(issues)


# --- folders -------------------------------------------------------------------------------------


def _folder(root: Path, limit_bytes: int) -> Bundle:
    issues: list[Issue] = []
    files = list(_walk(root, issues))
    return _sorted_out(iter(files), limit_bytes, "folder", tuple(issues))


def _walk(root: Path, issues: list[Issue]) -> Iterator[tuple[str, Opened]]:
    found: list[tuple[str, Path]] = []
    for folder, names, files in os.walk(
        root, onerror=lambda e: issues.append(_unreadable(root, e))
    ):
        here = Path(folder)
        depth = len(here.relative_to(root).parts)
        names[:] = sorted(n for n in names if n not in _SKIPPED and not (here / n).is_symlink())
        if depth >= DEEPEST_FOLDER:
            names.clear()
        for name in files:
            path = here / name
            relative = path.relative_to(root).as_posix()
            if path.is_symlink():
                message = "a symbolic link is not followed"
                issues.append(
                    Issue(
                        "bundle",
                        "symbolic_link",
                        message,
                        "put the file itself there",
                        "warning",
                        relative,
                    )
                )
            elif path.is_file():
                found.append((relative, path))
        if len(found) > MOST_FILES:
            message = f"the bundle has over {MOST_FILES:,} files; the rest is not read"
            issues.append(Issue("bundle", "too_many_files", message, "split it"))
            break
    for relative, path in sorted(found)[:MOST_FILES]:
        yield relative, partial(_limited, path, CONTAINER_BYTES)


def _unreadable(root: Path, error: OSError) -> Issue:
    name = Path(error.filename or root)
    place = name.relative_to(root).as_posix() if name.is_relative_to(root) else name.name
    message = f"the folder cannot be read: {error.strerror}"
    return Issue("file", "unreadable", message, "check its rights", file=place)


def _limited(path: Path, limit: int) -> bytes:
    """A file's bytes, one more than the limit at most: the reader refuses what is over it."""
    with path.open("rb") as opened:
        return opened.read(limit + 1)


# --- archives ------------------------------------------------------------------------------------


def _archive(path: Path, limit_bytes: int) -> Bundle:
    try:
        with zipfile.ZipFile(path) as archive:
            members = [info for info in archive.infolist() if not info.is_dir()]
            faults = tuple(_archive_faults(members, path.name))
            if faults:
                return Bundle((), faults, form="zip")
            prefix = common_folder([info.filename for info in members])
            files = (
                (info.filename.removeprefix(prefix), partial(_member, archive, info))
                for info in sorted(members, key=lambda one: one.filename)
            )
            return _sorted_out(files, limit_bytes, "zip")
    except BROKEN as error:
        return _refused(
            "bad_archive", f"the archive cannot be read: {error}", path.name, "make it again"
        )


def _archive_faults(members: list[zipfile.ZipInfo], file: str) -> Iterator[Issue]:
    """Why an archive is not read at all."""

    def fault(code: str, message: str) -> Issue:
        return Issue("file", code, message, "make the archive again, of plain files", file=file)

    if len(members) > MOST_FILES:
        yield fault("too_many_files", f"the archive has over {MOST_FILES:,} files")
    if sum(info.file_size for info in members) > MOST_BYTES:
        yield fault("archive_too_large", f"the archive unpacks to over {MOST_BYTES:,} bytes")
    seen: set[str] = set()
    for info in members:
        name = info.filename
        if _climbs(name):
            yield fault("zip_slip", f"the name {quoted(name)} leads out of the archive")
        elif stat.S_ISLNK(info.external_attr >> 16):
            yield fault("symbolic_link", f"{quoted(name)} is a symbolic link")
        elif info.flag_bits & 1:
            yield fault("encrypted", f"{quoted(name)} is encrypted")
        elif info.file_size > 1_000_000 + MOST_RATIO * max(info.compress_size, 1):
            yield fault("zip_bomb", f"{quoted(name)} unpacks to over {MOST_RATIO} times its size")
        elif name in seen:
            yield fault("duplicate_name", f"{quoted(name)} stands twice in the archive")
        seen.add(name)


def _climbs(name: str) -> bool:
    r"""Whether a member's name could stand outside the folder it is meant for.

    >>> [_climbs(n) for n in ("a/b.md", "../x", "/x", "a/../../x", "C:\\x", "a\\..\\x", "a\x00.md", "a//b", "./a")]
    [False, True, True, True, True, True, True, True, True]
    """
    parts = name.split("/")
    odd = "\\" in name or "\x00" in name or (len(name) > 1 and name[1] == ":")
    return odd or any(part in ("", ".", "..") for part in parts) or len(parts) > DEEPEST_FOLDER


def common_folder(names: list[str]) -> str:
    """The one folder that an archive wraps everything in, with its slash; empty where there is none.

    >>> common_folder(["x/a.md", "x/.mif/config.yaml"]), common_folder(["semantic/a.md", "semantic/b.md"])
    ('x/', '')
    """
    heads = {name.partition("/")[0] for name in names if "/" in name}
    if len(heads) != 1 or any("/" not in name for name in names):
        return ""
    head = heads.pop()
    return "" if head in ("semantic", "episodic", "procedural", ".mif") else head + "/"


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """A member's bytes; what unpacks to more than it says is refused."""
    try:
        with archive.open(info) as opened:
            data = opened.read(info.file_size + 1)
    except BROKEN as error:
        raise ValueError(f"it cannot be unpacked: {error}") from error
    if len(data) > info.file_size:
        raise ValueError("it unpacks to more than the archive says")
    return data
