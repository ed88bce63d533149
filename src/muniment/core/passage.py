r"""Passages: pieces of what was said, kept word for word, unreviewed (DESIGN section 3, `A-CONVERSATION`).

- A passage is a message or a part of a long one, with its message, speaker, time and place in the source.
- What the source does not say is not made up: no speaker, no time, no session.
- A part ends at a paragraph, else at a sentence, else at a word; it has at most `LONGEST_PART` words.
- In a packet's text passages stand by session in the order in which they were said, quoted, under one marker.

Which passages answer a question is `dialogue_rank`'s matter; their fencing is `render`'s.

>>> [text[slice(*span)] for text in ("One two. Three four.",) for span in parts_of(text, 3)]
['One two.', 'Three four.']
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from muniment.core.codec import trusted

T = TypeVar("T")

LONGEST_PART = 80
"""Words (runs without white space) of a part at most: three to five sentences, so that a small budget holds several."""
LONGEST_RUN = 800
"""Characters of a part at most, where a text has no white space to count by."""

_PARAGRAPH = re.compile(r"\n[ \t\r]*\n\s*")
_SENTENCE = re.compile(r"(?<=[.!?…。！？])[\"'”’)\]]*\s+|\n\s*|(?<=[。！？])")
_WORD = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Kept:
    """A source that was kept.

    Attributes:
        id: `src_…`.
        kind: What it is; `conversation`.
        name: How it was called: a file's name.
        digest: `sha256:…` of its bytes.
        size: Its bytes.
        messages: How many messages it holds.
        passages: How many passages they make.
        kept_by: The principal that kept it.
        kept_at: When.
    """

    id: str
    kind: str
    name: str
    digest: str
    size: int
    messages: int
    passages: int
    kept_by: str
    kept_at: datetime


@dataclass(frozen=True, slots=True)
class Said:
    """A passage: one message, or one part of it.

    Attributes:
        source: `src_…` of the source that holds it.
        message: The message's own identifier; empty where it has none.
        place: Number of the message in its session, from 0.
        text: What was said, word for word.
        line: Line of the message in the source, from 1.
        start: First byte of the text in the source; with `end`, half-open.
        end: Byte after it.
        digest: `sha256:…` of those bytes.
        session: Which conversation or session of it; empty where the source does not say.
        speaker: Who said it; empty where the source does not say.
        at: When it was said; None where the source does not say.
        part: Number of the part, from 0.
        parts: How many parts the message has.
        thread: The source whose messages these continue, where a file grew; empty for its own.
    """

    source: str
    message: str
    place: int
    text: str
    line: int
    start: int
    end: int
    digest: str
    session: str = ""
    speaker: str = ""
    at: datetime | None = None
    part: int = 0
    parts: int = 1
    thread: str = ""

    @property
    def name(self) -> str:
        """How the message is cited: its identifier or its line, and the part where there are several.

        >>> Said("src_x", "m7", 0, "Hi.", 3, 0, 3, "", part=1, parts=2).name
        'm7/2'
        >>> Said("src_x", "", 0, "Hi.", 3, 0, 3, "").name
        'line 3'
        """
        message = self.message or f"line {self.line}"
        return f"{message}/{self.part + 1}" if self.parts > 1 else message


def _from(kind: type[T], content: Mapping[str, Any]) -> T:
    body = {name: value for name, value in content.items() if name not in ("scope", "visibility")}
    return trusted(kind, body)


def said_from(content: Mapping[str, Any]) -> Said:
    """A passage from its event's content.

    Raises:
        ValueError: It is not what this program writes.
    """
    return _from(Said, content)


def kept_from(content: Mapping[str, Any]) -> Kept:
    """A source from its event's content.

    Raises:
        ValueError: It is not what this program writes.
    """
    return _from(Kept, content)


# --- parts ----------------------------------------------------------------------------------------


def parts_of(text: str, most: int = LONGEST_PART) -> tuple[tuple[int, int], ...]:
    r"""Where the parts of a text begin and end, in characters; white space between them is in none.

    >>> parts_of("  Hello there.  "), parts_of(" \n")
    (((2, 14),), ())
    >>> [len("a b c d e"[i:j]) for i, j in parts_of("a b c d e", 2)]
    [3, 3, 1]
    """
    return tuple(_parts(text, 0, len(text), most, (_PARAGRAPH, _SENTENCE, _WORD)))


def _parts(
    text: str, start: int, end: int, most: int, seams: Sequence[re.Pattern[str]]
) -> Iterator[tuple[int, int]]:
    """Parts that are short enough: as many pieces between seams as fit; a longer piece is cut at finer seams."""
    start, end = _trimmed(text, start, end)
    if start >= end or _fits(text, start, end, most):
        yield from ((start, end),) if start < end else ()
        return
    if not seams:
        for at in range(start, end, LONGEST_RUN):
            yield at, min(at + LONGEST_RUN, end)
        return
    ends = [seam.span() for seam in seams[0].finditer(text, start, end)]
    first = at = start
    for stop, after in (*ends, (end, end)):
        if not _fits(text, first, stop, most):
            if first < at:
                yield _trimmed(text, first, at)
            first = at
            if not _fits(text, first, stop, most):
                yield from _parts(text, first, stop, most, seams[1:])
                first = after
        at = after
    if first < end:
        yield _trimmed(text, first, end)


def _fits(text: str, start: int, end: int, most: int) -> bool:
    return end - start <= LONGEST_RUN and len(text[start:end].split(None, most)) <= most


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    return (start + left, start + left + len(piece.strip())) if piece.strip() else (end, end)
