r"""Markdown notes with front matter, as people and tools really write them.

- A byte order mark, CRLF, blanks after `---`, an end in `...` and NUL padding at the end are all seen in the wild.
- A second block right after the first belongs to the front matter too; the first word on a key stands.
- Front matter that is no YAML (`title: a: b`, `globs: *.ts`) is read line by line, and said so.
- Bytes are the file's own: a place in the body is a place in the file.

>>> from muniment.exchange.opened import opened_bytes
>>> note = note_of(opened_bytes("a.md", "", b"---\ntitle: Rules: mine\n---\n\nBody.\n"))
>>> note.front, note.body, [f.code for f in note.findings]
({'title': 'Rules: mine'}, b'\nBody.\n', ['front_matter_repaired'])
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from muniment.core.errors import Finding
from muniment.exchange.opened import OpenFile
from muniment.exchange.plain_yaml import plain_yaml
from muniment.exchange.reading import Tools
from muniment.exchange.strict_yaml import load_yaml
from muniment.ports.importing import Passage, Place

LARGEST_NOTE = 2_000_000
LARGEST_FRONT = 100_000
_BOM = b"\xef\xbb\xbf"
_BLOCK = re.compile(rb"(?:[ \t]*\r?\n)*+---[ \t]*\r?\n((?:(?!---|\.\.\.)[^\n]*\n|---[^ \t\r\n][^\n]*\n)*+)"
                    rb"(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)")  # fmt: skip
_KEY = re.compile(r"(?P<key>[\w@$.-]{1,200})[ \t]*:(?:[ \t]+(?P<rest>.*))?$")
_ITEM = re.compile(r"[ \t]*-[ \t]+(?P<item>\S.*)$")


@dataclass(frozen=True, slots=True)
class Note:
    """A note in parts.

    Attributes:
        file: Its file.
        front: Its front matter; empty where there is none.
        body: The bytes after it.
        body_start: Where they begin in the file.
        findings: What had to be repaired, or what keeps it from being read.
        readable: Whether it can be read at all.
    """

    file: OpenFile
    front: dict[str, Any] = field(default_factory=dict)
    body: bytes = b""
    body_start: int = 0
    findings: tuple[Finding, ...] = ()
    readable: bool = True

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode("utf-8", "replace")

    def place(self, start: int, end: int, pointer: str = "") -> Place:
        """A place for bytes of the body."""
        return self.file.place(self.body_start + start, self.body_start + end, pointer)

    def whole(self) -> Place:
        """The place of the body, without the white space around it."""
        lead = len(self.body) - len(self.body.lstrip())
        return self.place(lead, max(lead, len(self.body.rstrip())))

    def lines(self) -> Iterator[tuple[int, int, str]]:
        """Start, end and text of each line of the body that is not blank."""
        at = 0
        for raw in self.body.splitlines(keepends=True):
            line = raw.rstrip(b"\r\n")
            if line.strip():
                yield at, at + len(line), line.decode("utf-8", "replace")
            at += len(raw)

    def passages(self, tools: Tools) -> tuple[tuple[Passage, ...], tuple[Finding, ...]]:
        """The statements of the body, at their places in the file."""
        found, findings = tools.prose(self.file.name, self.body)
        before = self.file.line(self.body_start) - 1
        moved = (
            replace(
                one,
                start=one.start + self.body_start,
                end=one.end + self.body_start,
                line=one.line + before,
            )
            for one in found
        )
        return tuple(moved), findings


def note_of(file: OpenFile) -> Note:
    """A file as a note."""
    name = file.name
    if file.size > LARGEST_NOTE:
        message = f"{file.size:,} bytes are more than the {LARGEST_NOTE:,} of a note that are read"
        return Note(
            file, findings=(Finding("too_large", message, name, "split it"),), readable=False
        )
    data = file.part(0, file.size).rstrip(b"\x00")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        where = f"{name}:{file.line(error.start)}"
        bad = Finding("not_utf8", f"byte {error.start} is not UTF-8", where, "save it as UTF-8")
        return Note(file, findings=(bad,), readable=False)
    start = len(_BOM) if data.startswith(_BOM) else 0
    front: dict[str, Any] = {}
    findings: list[Finding] = []
    for number in range(2):
        block = _BLOCK.match(data, start)
        if block is None or (number and not _looks_like_front(block.group(1))):
            break
        value, found = _front(block.group(1), file)
        front = {**value, **front}
        findings.extend(found)
        start = block.end()
        if number:
            message = "the note has two blocks of front matter; both are read"
            findings.append(Finding("double_front_matter", message, name, "keep one", "notice"))
    return Note(file, front, data[start:], start, tuple(findings))


def _looks_like_front(block: bytes) -> bool:
    first = next((line for line in block.splitlines() if line.strip()), b"")
    return bool(_KEY.match(first.decode("utf-8", "replace").rstrip()))


def _front(block: bytes, file: OpenFile) -> tuple[dict[str, Any], tuple[Finding, ...]]:
    if not block.strip():
        return {}, ()
    text = block.decode("utf-8")
    quick = plain_yaml(text) if len(block) <= LARGEST_FRONT else None
    if quick is not None:
        file.front = file.front or (text, quick)
        return quick, ()
    loaded = load_yaml(block, name=file.name, limit_bytes=LARGEST_FRONT)
    if loaded.ok and isinstance(loaded.value, dict):
        return loaded.value, ()
    why = loaded.findings[0].message if loaded.findings else "it is no mapping"
    message = f"the front matter is read line by line: {why}"
    found = Finding("front_matter_repaired", message, file.name, "quote its values", "notice")
    return dict(_by_line(block.decode("utf-8", "replace"))), (found,)


def _by_line(block: str) -> Iterator[tuple[str, Any]]:
    """Top-level keys with what stands on their line, or the list or keys below it."""
    key = ""
    items: list[str] = []
    inner: dict[str, Any] = {}
    for line in map(str.rstrip, block.splitlines()):
        item, found = _ITEM.match(line), _KEY.match(line)
        below = _KEY.match(line.strip()) if line[:1] in (" ", "\t") else None
        if found:
            if key and (items or inner):
                yield key, items or inner
            key, items, inner = found["key"], [], {}
            rest = _written(found["rest"])
            if rest:
                yield key, rest
                key = ""
        elif item and key:
            items.append(item["item"].strip("\"'"))
        elif below and key and _written(below["rest"]):
            inner[below["key"]] = _written(below["rest"])
    if key and (items or inner):
        yield key, items or inner


def _written(rest: str | None) -> str:
    """What stands behind a key; empty for what only opens something."""
    text = (rest or "").strip()
    return "" if text in ("|", "|-", ">", ">-", "{}", "[]") else text.strip("\"'")
