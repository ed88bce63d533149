r"""Read a conversation, one JSON message a line, word for word.

- A message says its text as `text` or `content`: a text, or a list of parts with `type` and `text`, as chat
  interfaces write them. Parts that are no text are named and left out.
- It may say who spoke (`speaker`, `name` or `role`, the first that is there), when (`at`, `timestamp` or
  `created_at`: ISO 8601 with an offset, or seconds since 1970), its own identifier (`id` or `message_id`) and its
  session (`session`, `session_id` or `conversation_id`).
- What a line does not say stays unknown. A time without an offset is no time, and said so.
- A bad line is reported with its line and keeps no other line out; nothing is repaired.
- A message of more than `LONGEST_PART` words is kept in parts, each with its bytes in the file.

>>> from muniment.learn.json_text import parse_json
>>> load = lambda data, name: (parse_json(data.decode())[0].value, ())
>>> found = read_conversation(b'{"speaker": "Ada", "text": "Hi\\u0021"}\n{"id": 1}', "chat.jsonl", load)
>>> piece = found.messages[0].pieces[0]
>>> piece.text, (piece.start, piece.end), [(one.path, one.code) for one in found.findings]
('Hi!', (28, 36), [('chat.jsonl:2', 'no_text')])
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from muniment.core.canonical import digest_bytes
from muniment.core.conversation import Conversation, Message, Piece
from muniment.core.errors import Finding, errors_in, quoted
from muniment.core.passage import parts_of
from muniment.learn.document import Document, Path
from muniment.learn.json_text import parse_json
from muniment.learn.page import Unreadable

Loader = Callable[[bytes, str], tuple[Any, tuple[Finding, ...]]]
"""Reads one JSON document strictly: its value, and what is wrong with it."""

LARGEST_FILE = 64_000_000
"""Bytes of a file."""
LONGEST_NAME = 200
"""Characters of an identifier, a session or a speaker."""

TEXT = ("text", "content")
SPEAKER = ("speaker", "name", "role")
TIME = ("at", "timestamp", "created_at")
NAME = ("id", "message_id")
SESSION = ("session", "session_id", "conversation_id")
KNOWN = frozenset((*TEXT, *SPEAKER, *TIME, *NAME, *SESSION))
TEXT_PARTS = ("text", "input_text", "output_text")

_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u.{4}|.)|[^\\]", re.DOTALL
)
_LATEST = 253_402_300_799  # the last second of the year 9999


def read_conversation(data: bytes, name: str, load: Loader) -> Conversation:
    """Every message of a file.

    Args:
        data: The file's bytes.
        name: Its name, for places.
        load: Reads a line strictly.
    """
    if len(data) > LARGEST_FILE:
        message = f"the file has more than {LARGEST_FILE:,} bytes"
        return Conversation((), (Finding("too_large", message, name, "split it"),), 0)
    findings: list[Finding] = []
    messages: list[Message] = []
    seen: dict[tuple[str, str], int] = {}
    start, lines = 3 if data.startswith(b"\xef\xbb\xbf") else 0, 0
    for number, line in enumerate(data[start:].split(b"\n"), 1):
        raw = line.removesuffix(b"\r")
        if raw.strip():
            lines += 1
            place = f"{name}:{number}"
            found = _Line(raw, start, number, place, load).message(findings)
            if found is not None and not _is_repeated(found, seen, place, findings):
                messages.append(found)
        start += len(line) + 1
    if not lines:
        findings.append(
            Finding("empty_document", "the file has no message", name, "give one a line")
        )
    return Conversation(tuple(messages), tuple(findings), lines)


def _is_repeated(
    found: Message, seen: dict[tuple[str, str], int], place: str, findings: list[Finding]
) -> bool:
    key = (found.session, found.id)
    if not found.id or seen.setdefault(key, found.line) == found.line:
        return False
    message = f"the identifier {quoted(found.id)} stands on line {seen[key]} already"
    findings.append(Finding("duplicate_id", message, place, "give every message its own"))
    return True


@dataclass(frozen=True, slots=True)
class _Line:
    """One line of the file, which begins at a byte of it."""

    raw: bytes
    start: int
    number: int
    place: str
    load: Loader

    def message(self, findings: list[Finding]) -> Message | None:
        """What the line says; None where it is no message."""
        value, wrong = self.load(self.raw, self.place)
        if errors_in(wrong):
            findings += [_on_line(one, self.place) for one in wrong]
            return None
        if not isinstance(value, dict):
            message = "the line is no JSON object"
            findings.append(Finding("wrong_type", message, self.place, "write one object a line"))
            return None
        text = self.raw.decode("utf-8")
        try:
            document = parse_json(text)[0]
        except (
            Unreadable
        ) as problem:  # brackets in a text count for it, and not for the strict loader
            fix = "write fewer brackets, or leave the line out"
            findings.append(Finding("too_deep", str(problem), self.place, fix))
            return None
        found = _Fields(value, self.place, findings)
        pieces = tuple(self._pieces(text, document, found))
        if not pieces:
            return None
        speaker, session, name = found.name(SPEAKER), found.name(SESSION), found.name(NAME)
        if speaker is None or session is None or name is None:
            return None
        return Message(self.number, self.start, text, pieces, name, session, speaker, found.time())

    def _pieces(self, text: str, document: Document, found: _Fields) -> Iterator[Piece]:
        for path in found.texts():
            said, place = document.at(*path), document.places[path]
            literal = text[place.start + 1 : place.end - 1]
            offsets = _offsets(literal, len(text[: place.start + 1].encode("utf-8")) + self.start)
            data = text.encode("utf-8")
            for first, last in parts_of(str(said)):
                start, end = offsets(first), offsets(last)
                digest = digest_bytes(data[start - self.start : end - self.start])
                yield Piece(str(said)[first:last], start, end, digest)


def _on_line(finding: Finding, place: str) -> Finding:
    """A finding of one line's document, placed in the file: the column is kept."""
    column = finding.path.rpartition(":")[2] if ":" in finding.path else ""
    where = f"{place}:{column}" if column.isdigit() and finding.path != place else place
    return Finding(finding.code, finding.message, where, finding.fix, finding.severity)


def _offsets(literal: str, start: int) -> Callable[[int], int]:
    """From a character of what a JSON text means to its byte in the file."""
    if "\\" not in literal and literal.isascii():
        return lambda at: start + at
    places = [start]
    for found in _ESCAPE.finditer(literal):
        places.append(places[-1] + len(found.group().encode("utf-8")))
    return places.__getitem__


@dataclass(frozen=True, slots=True)
class _Fields:
    """What a message's object holds, under its known spellings."""

    value: Mapping[str, Any]
    place: str
    findings: list[Finding]

    def _add(self, code: str, message: str, fix: str, severity: Any = "error") -> None:
        self.findings.append(Finding(code, message, self.place, fix, severity))

    def _given(self, spellings: tuple[str, ...]) -> tuple[str, Any]:
        """The first spelling that is there, with its value."""
        return next(
            ((key, self.value[key]) for key in spellings if self.value.get(key) is not None), ("", None)
        )  # fmt: skip

    def texts(self) -> list[Path]:
        """Where its texts stand; none where it says nothing."""
        key, given = self._given(TEXT)
        if not key:
            message = "the message says nothing: it has neither `text` nor `content`"
            self._add("no_text", message, "give one of them")
            return []
        if isinstance(given, str):
            found: list[Path] = [(key,)] if given.strip() else []
        elif isinstance(given, list):
            found = [(key, n, *where) for n, one in enumerate(given) for where in self._part(one)]
        else:
            self._add("wrong_type", f"`{key}` is neither a text nor a list of parts", "give a text")
            return []
        if not found:
            self._add(
                "no_text", f"the message says nothing: `{key}` has no text", "leave the line out"
            )
        return found

    def _part(self, part: Any) -> Iterator[Path]:
        """Where the text of one part stands."""
        if isinstance(part, str) and part.strip():
            yield ()
        elif (
            isinstance(part, dict)
            and part.get("type", "text") in TEXT_PARTS
            and isinstance(part.get("text"), str)
        ):
            if part["text"].strip():
                yield ("text",)
        else:
            kind = part.get("type", "object") if isinstance(part, dict) else type(part).__name__
            message = f"a part of the message is no text ({quoted(kind)}) and is left out"
            self._add("not_text", message, "describe it in words where it matters", "notice")

    def name(self, spellings: tuple[str, ...]) -> str | None:
        """A text or whole number that names something; empty where none is given, None where it is wrong."""
        key, given = self._given(spellings)
        if not key:
            return ""
        if isinstance(given, bool) or not isinstance(given, str | int):
            self._add("wrong_type", f"`{key}` is no text", "give a text, or leave it out")
            return None
        found = " ".join(str(given).split())
        if len(found) > LONGEST_NAME:
            message = f"`{key}` has {len(found)} characters; at most {LONGEST_NAME} are allowed"
            self._add("too_long", message, "shorten it")
            return None
        return found

    def time(self) -> datetime | None:
        """When it was said, where the line says so whole."""
        key, given = self._given(TIME)
        if not key:
            return None
        if isinstance(given, int | float) and not isinstance(given, bool):
            if 0 <= given <= _LATEST:
                return datetime.fromtimestamp(given, UTC)
            self._no_time(f"{quoted(given)} is no time in seconds since 1970")
            return None
        try:
            found = datetime.fromisoformat(str(given).strip())
        except ValueError:
            self._no_time(f"{quoted(given)} is no ISO 8601 time")
            return None
        if found.tzinfo is None:
            self._no_time(f"{quoted(given)} has no offset from UTC")
            return None
        try:
            return found.astimezone(UTC)
        except OverflowError:
            self._no_time(f"{quoted(given)} is out of range")
            return None

    def _no_time(self, problem: str) -> None:
        message = f"{problem}, so the message is kept without a time"
        self._add("no_time", message, "write it as `2026-07-08T12:00:00Z`", "warning")
