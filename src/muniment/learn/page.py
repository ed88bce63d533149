"""One file while it is being read: its text, and the way back from characters to bytes.

- Readers work on characters of the text without its byte order mark; evidence is in bytes of the
  original file, so a mark, CRLF, tabs and non-ASCII text before a span are all accounted for.
- A statement whose value or span is empty, or that cannot be encoded, is not kept.
- A statement with invisible or control characters is never structured: a person has to look at it.
- Slots are unique within a page; a second statement at the same key gets `~2`.

What a file's format means is left to the readers.

>>> page = Page("a.txt", "\ufeffé = 1\\r\\nb = 2".encode())
>>> page.data[slice(*page.bytes_of(page.line_at(7)))], page.line_number(7)
(b'b = 2', 2)
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TypedDict, Unpack

from muniment.core.errors import Finding, quoted
from muniment.core.extract import Extract, ReadResult
from muniment.learn.uses import FACT_USES

Span = tuple[int, int]

MAX_EXTRACTS = 5_000
_STRIDE = 1024
_BOM = b"\xef\xbb\xbf"
_SPACE = re.compile(r"\s+")


class Aspects(TypedDict, total=False):
    """The fields of an `Extract` that have a usual value.

    Attributes:
        subject: Usually the file's folder.
        pointer: Usually the key.
        claim_type: Usually `project_fact`.
        structured: Usually True.
        uses: Usually `FACT_USES`.
        topics: Usually none; empty ones and repetitions are dropped.
        steps: Usually none; more than one make the statement procedural.
    """

    subject: str
    pointer: str
    claim_type: str
    structured: bool
    uses: tuple[str, ...]
    topics: tuple[str, ...]
    steps: tuple[str, ...]


class Unreadable(Exception):
    """The file cannot be read as its format; becomes a finding in `extract.read_file`.

    Attributes:
        code: Code of the finding.
        position: Character in the page's text, or -1 for the whole file.
    """

    def __init__(self, code: str, message: str, position: int = -1) -> None:
        super().__init__(message)
        self.code = code
        self.position = position


def collapse(text: str) -> str:
    """White space runs become one space.

    >>> collapse(" a\\r\\n\\tb ")
    'a b'
    """
    return _SPACE.sub(" ", text).strip()


def sentence(text: str) -> str:
    """Collapsed, with a capital at its start unless it starts with a path.

    >>> sentence("in web,  `x`"), sentence("web/a.md says")
    ('In web, `x`', 'web/a.md says')
    """
    text = collapse(text)
    first = text.partition(" ")[0].rstrip(",.:;")
    return text if "/" in first or "." in first else text[:1].upper() + text[1:]


class Page:
    """A decoded file and what has been found in it so far.

    Attributes:
        path: POSIX path inside the repository.
        folder: The path's folder, `""` at the root.
        data: The original bytes.
        text: The decoded text without byte order mark.
    """

    def __init__(self, path: str, data: bytes) -> None:
        """Decode a file.

        Raises:
            Unreadable: `not_utf8` or `not_text`.
        """
        self.path = path
        self.folder = path.rpartition("/")[0]
        self.data = data
        self._base = len(_BOM) if data.startswith(_BOM) else 0
        try:
            self.text = data[self._base :].decode("utf-8")
        except UnicodeDecodeError as error:
            raise Unreadable("not_utf8", f"byte {error.start + self._base} is not UTF-8") from None
        if "\0" in self.text:
            raise Unreadable("not_text", "the file contains NUL", self.text.index("\0"))
        self._ascii = self.text.isascii()
        self._marks: list[int] = []
        self._starts: list[int] = []
        self._extracts: list[Extract] = []
        self._findings: list[Finding] = []
        self._slots: dict[str, int] = {}

    @property
    def starts(self) -> list[int]:
        """Character position of each line's first character."""
        if not self._starts:
            self._starts = [0, *(m.end() for m in re.finditer("\n", self.text))]
        return self._starts

    def byte(self, position: int) -> int:
        """Byte offset in the original file of a character of the text."""
        if self._ascii:
            return self._base + position
        if not self._marks:
            self._marks = [0]
            for at in range(0, len(self.text), _STRIDE):
                self._marks.append(self._marks[-1] + len(self.text[at : at + _STRIDE].encode()))
        block = position // _STRIDE
        rest = self.text[block * _STRIDE : position]
        return self._base + self._marks[block] + len(rest.encode())

    def bytes_of(self, span: Span) -> Span:
        """A span of characters as a span of bytes."""
        return self.byte(span[0]), self.byte(span[1])

    def line_number(self, position: int) -> int:
        """1-based line of a character."""
        return bisect_right(self.starts, position)

    def line_at(self, position: int) -> Span:
        """The line around a character, without its line end and surrounding blanks."""
        return self.lines_of((position, position))

    def lines_of(self, span: Span) -> Span:
        """A span widened to whole lines, without surrounding white space."""
        start = self.text.rfind("\n", 0, span[0]) + 1
        end = self.text.find("\n", max(span[1], start))
        return self.trimmed((start, len(self.text) if end < 0 else end))

    def trimmed(self, span: Span) -> Span:
        """A span without the white space at its ends."""
        piece = self.text[span[0] : span[1]]
        start = span[0] + len(piece) - len(piece.lstrip())
        return start, max(start, span[0] + len(piece.rstrip()))

    def thing(self, name: str) -> str:
        """The subject for something that lives in this file's folder."""
        return f"{self.folder}: {name}" if self.folder else name

    @property
    def within(self) -> str:
        """Words that place a sentence in this file's folder; empty at the root."""
        return f"In {self.folder}, " if self.folder else ""

    def owner(self, name: str = "") -> str:
        """How a claim names what this file belongs to."""
        if not self.folder:
            return "This repository"
        return f"The package `{name}` ({self.folder})" if name else f"The folder {self.folder}"

    @property
    def full(self) -> bool:
        """Whether no further statement is kept; readers of many small parts may stop."""
        return any(f.code == "too_many_statements" for f in self._findings)

    def warn(self, code: str, message: str, position: int = -1, fix: str = "") -> None:
        """Note a finding at a character (or, with -1, for the whole file)."""
        place = self.path if position < 0 else f"{self.path}:{self.line_number(position)}"
        self._findings.append(Finding(code, message, place, fix, "warning"))

    def add(
        self,
        key: str,
        claim: str,
        *,
        predicate: str,
        value: str,
        span: Span,
        **aspects: Unpack[Aspects],
    ) -> None:
        """Keep one statement; see `Extract` for the fields.

        Args:
            key: Address inside the file; the slot is `path#key`.
            claim: The sentence; collapsed, and begun with a capital.
            predicate: A name from the relation map.
            value: The object of the fact, as the evidence spells it.
            span: Characters of the evidence; trimmed before it is kept.
            **aspects: What differs from the usual; see `Aspects`.
        """
        claim, steps = sentence(claim), aspects.get("steps", ())
        span = self.trimmed(span)
        value = collapse(value)
        if span[0] >= span[1] or not value or len(self._extracts) >= MAX_EXTRACTS:
            self._note_skipped(span, value)
            return
        if not encodable(claim, value, *steps):
            self.warn("lone_surrogate", f"the value at {quoted(key)} is no valid text", span[0])
            return
        start, end = self.bytes_of(span)
        self._extracts.append(
            Extract(
                slot=self._slot(key),
                claim=claim,
                claim_type=aspects.get("claim_type", "project_fact"),
                predicate=predicate,
                value=value,
                subject=aspects.get("subject", self.folder),
                start=start,
                end=end,
                line=self.line_number(span[0]),
                pointer=aspects.get("pointer", key),
                structured=aspects.get("structured", True) and claim.isprintable(),
                uses=aspects.get("uses", FACT_USES),
                topics=tuple(dict.fromkeys(topic for topic in aspects.get("topics", ()) if topic)),
                steps=steps,
                memory_type="procedural" if len(steps) > 1 else "semantic",
            )
        )

    def result(self) -> ReadResult:
        """Everything found, in the order of the file."""
        ordered = sorted(self._extracts, key=lambda e: (e.start, e.end, e.slot))
        return ReadResult(tuple(ordered), tuple(self._findings))

    def _note_skipped(self, span: Span, value: str) -> None:
        if len(self._extracts) >= MAX_EXTRACTS and not self.full:
            self.warn(
                "too_many_statements",
                f"more than {MAX_EXTRACTS} statements; the rest is left out",
                span[0] if value else -1,
                "split the file",
            )

    def _slot(self, key: str) -> str:
        slot = f"{self.path.replace('#', '%23')}#{key}".encode("utf-8", "replace").decode()
        count = self._slots[slot] = self._slots.get(slot, 0) + 1
        if count == 1:
            return slot
        numbered = f"{slot}~{count}"
        return self._slot(f"{key}~{count}") if numbered in self._slots else self._claimed(numbered)

    def _claimed(self, slot: str) -> str:
        self._slots[slot] = 1
        return slot


def encodable(*texts: str) -> bool:
    """Whether every text can be written as UTF-8 (no lone surrogate).

    >>> encodable("é"), encodable("\\ud800")
    (True, False)
    """
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:
        return False
    return True
