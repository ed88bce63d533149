"""The files of one import: paths, folders and archives, opened one after another.

- A folder is walked in the order of names; links are not followed, and what tools keep for themselves is passed over.
- An archive's members are files like others. One file is open at a time.
- Reading never raises for what a file holds: what breaks it is a finding after everything that is whole.
- A file that gives no record at all, and is not empty, is an error (`E-MISSING`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from muniment.core.errors import Finding, InvalidInput, quoted
from muniment.exchange import archive
from muniment.exchange.detect import FORMATS, Detected, detected, named
from muniment.exchange.loaded import LIMIT_BYTES
from muniment.exchange.mif.spaces import InBundle, in_archive, in_bundle, is_told
from muniment.exchange.opened import OpenFile, Unopened, opened_path
from muniment.exchange.reading import Tools
from muniment.exchange.shape import Format
from muniment.exchange.spans import Malformed
from muniment.ports.importing import ForeignFile, Record, Yielded

MOST_FILES = 100_000
_PASSED_OVER = frozenset(
    {
        ".git",
        ".hg",
        ".svn",
        ".venv",
        "venv",
        "node_modules",
        "__pycache__",
        ".obsidian",
        ".trash",
        ".DS_Store",
    }
)
_SECOND_COPY = "memories.jsonl"
Address = Callable[[Path], str]


@dataclass(frozen=True, slots=True)
class Gathered:
    """One import's files; see `ports.importing.Batch`.

    Attributes:
        paths: Files, folders and archives.
        tools: Readers that live elsewhere.
        address: Gives a path's address.
        format: The one format that all files are read as; empty to tell each by itself.
    """

    paths: tuple[Path, ...]
    tools: Tools
    address: Address
    format: str = ""

    def files(self) -> Iterator[tuple[ForeignFile, Iterator[Yielded]]]:
        """Each file with what it holds.

        Raises:
            InvalidInput: The format is not known, or a path is not there.
        """
        wanted = named(self.format) if self.format else None
        for path in self.paths:
            if not path.exists():
                finding = Finding(
                    "no_file", f"nothing stands at {quoted(path)}", "PATH", "check the name"
                )
                raise InvalidInput.of((finding,))
        for path in self.paths:
            among = path.is_dir() or archive.is_archive(path)
            for opened in self._opened(path):
                yield from self._told(opened, wanted, among)

    def _opened(self, path: Path) -> Iterator[OpenFile | Finding]:
        if path.is_dir():
            bundle = in_bundle(path)
            for inner, name in walked(path):
                for one in self._one(inner, name):
                    if isinstance(one, OpenFile) and one.bundle is None:
                        one.bundle = bundle
                    yield one
        else:
            yield from self._one(path, path.as_posix())

    def _one(self, path: Path, name: str) -> Iterator[OpenFile | Finding]:
        uri = self.address(path)
        try:
            file = opened_path(name, uri, path, archive.BEGINNINGS)
            if file is None:
                bundle = _in_archive(name, uri, path)
                for one in _without_copies(archive.members(name, uri, path)):
                    if isinstance(one, OpenFile):
                        one.bundle = bundle
                    yield one
            else:
                file.path = _absolute(path)
                yield file
        except Unopened as refused:
            yield refused.finding

    def _told(
        self, opened: OpenFile | Finding, wanted: Format | None, among_others: bool
    ) -> Iterator[tuple[ForeignFile, Iterator[Yielded]]]:
        if isinstance(opened, Finding):
            yield (
                ForeignFile(opened.path, "", "", 0, why=opened.message, findings=(opened,)),
                iter(()),
            )
            return
        try:
            found = (
                Detected(wanted, "it was named")
                if wanted
                else detected(opened, among_others=among_others)
            )
            known = found.format
            told = ForeignFile(
                opened.name, opened.uri, opened.digest, opened.size, known.name if known else "", found.why,
                known.shared if known else False, found.findings, () if known else found.considered,
            )  # fmt: skip
            yield told, contents(opened, known, self.tools) if known else iter(())
        finally:
            opened.close()


def contents(file: OpenFile, known: Format, tools: Tools) -> Iterator[Yielded]:
    """What a file holds, and at the end what broke it, or that it was cut at its origin or holds nothing."""
    records = 0
    whole = True
    try:
        for one in known.read(file, tools):
            records += isinstance(one, Record)
            yield one
    except Malformed as broken:
        whole = False
        yield broken.finding
    if not records and whole:
        message = f"{quoted(file.name)} holds no record that can be read as {known.name}"
        fix = "check what it is, and name its format with `--format`"
        yield Finding("nothing_read", message, file.name, fix, req="E-MISSING")
    if records in known.pages:
        message = f"{quoted(file.name)} has exactly {records} records, where {known.name} cuts what it gives"
        yield Finding(
            "cut_at_origin",
            message,
            file.name,
            "export again with a higher limit",
            "warning",
            "E-MISSING",
        )


def _absolute(path: Path) -> str:
    whole = os.path.abspath(path)  # noqa: PTH100 - follows no link
    return whole if os.sep == "/" else Path(whole).as_posix()


def walked(folder: Path) -> Iterator[tuple[Path, str]]:
    """The regular files below a folder in the order of names, each with its path from where the folder stands.

    Links are not followed.

    Raises:
        InvalidInput: There are too many.
    """
    for count, found in enumerate(_below(folder, folder.name), 1):
        if count > MOST_FILES:
            message = f"{quoted(folder)} holds more than {MOST_FILES:,} files"
            raise InvalidInput.of(
                (Finding("too_many_files", message, "PATH", "name its folders one by one"),)
            )
        yield found


def _below(folder: Path, name: str) -> Iterator[tuple[Path, str]]:
    """Files of a folder, and then of those in it; a folder that cannot be read has none."""
    waiting = [(folder, f"{name}/" if name else "")]
    while waiting:
        base, before = waiting.pop()
        known = [one for one in _entries(base) if one.name not in _PASSED_OVER]
        for one in known:
            if one.is_file(follow_symlinks=False):
                yield base / one.name, before + one.name
        inner = [one for one in known if one.is_dir(follow_symlinks=False)]
        waiting += [(base / one.name, f"{before}{one.name}/") for one in reversed(inner)]


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as opened:
            return sorted(opened, key=lambda one: one.name)
    except OSError:
        return []


def _in_archive(name: str, uri: str, path: Path) -> InBundle:
    """What an archive says of the concepts in it: its settings, and which of them another one supersedes."""
    names = archive.names(path)
    if not any(map(is_told, names)):
        return in_archive(names, ())

    def held() -> Iterator[tuple[str, bytes]]:
        for one in archive.members(name, uri, path, is_told):
            if isinstance(one, OpenFile):
                yield one.name.rpartition("!/")[2], one.part(0, LIMIT_BYTES + 1)
                one.close()

    return in_archive(names, held())


def _without_copies(members: Iterator[OpenFile | Finding]) -> Iterator[OpenFile | Finding]:
    """Members without the second copy that an OpenMemory archive holds of each memory."""
    seen = False
    for one in members:
        name = one.path.rpartition("/")[2] if isinstance(one, OpenFile) else ""
        if name == _SECOND_COPY and seen and isinstance(one, OpenFile):
            one.close()
            message = f"{quoted(one.name)} repeats memories.json and is left out"
            yield Finding("second_copy", message, one.name, severity="notice")
            continue
        seen = seen or name == "memories.json"
        yield one


__all__ = ["FORMATS", "Gathered", "contents", "walked"]
