"""What a reader of conversations hands over: messages with the exact bytes of each part of their text.

- A piece's bytes are the text as the file writes it, escapes included; its digest is theirs (`E-RECEIPT`).
- A line is kept as it is, so that every piece can be checked against it (`holds`).
- What a line does not say is empty, never made up.

>>> line = '{"text": "Hi \\\\u00e9!"}'
>>> holds(line, 100, Piece("Hi é!", 110, 120, digest_bytes(line.encode()[10:20])))
True
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime

from muniment.core.canonical import digest_bytes
from muniment.core.errors import Finding


@dataclass(frozen=True, slots=True)
class Piece:
    """A message, or a part of a long one.

    Attributes:
        text: What was said.
        start: First byte of it in the file; with `end`, half-open.
        end: Byte after it.
        digest: `sha256:…` of those bytes.
    """

    text: str
    start: int
    end: int
    digest: str


@dataclass(frozen=True, slots=True)
class Message:
    """One message.

    Attributes:
        line: Its line in the file, from 1.
        start: First byte of that line.
        raw: The line without its end.
        pieces: Its text, in parts.
        id: Its own identifier.
        session: The session or conversation that it belongs to.
        speaker: Who said it.
        at: When.
    """

    line: int
    start: int
    raw: str
    pieces: tuple[Piece, ...]
    id: str = ""
    session: str = ""
    speaker: str = ""
    at: datetime | None = None

    @property
    def text(self) -> str:
        """All of its text."""
        return "\n".join(piece.text for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class Conversation:
    """A file of messages.

    Attributes:
        messages: In the order of the file.
        findings: What could not be read, by line, and what was left out of what could.
        lines: How many lines are not blank.
    """

    messages: tuple[Message, ...]
    findings: tuple[Finding, ...]
    lines: int


def holds(raw: str, start: int, piece: Piece) -> bool:
    """Whether a line, which begins at a byte of the file, says what a piece says, byte for byte."""
    data = raw.encode("utf-8")[piece.start - start : piece.end - start]
    if digest_bytes(data) != piece.digest:
        return False
    try:
        return bool(json.loads(b'"' + data + b'"', strict=False) == piece.text)
    except ValueError:
        return False
