r"""Before and after, and the place in the source: as pieces that a terminal or a page can draw.

- Old and new text are compared word by word.
- The place in the source comes with its lines around it, as the source is now.

>>> word_pieces("use npm", "use pnpm")
([('same', 'use '), ('gone', 'npm')], [('same', 'use '), ('new', 'pnpm')])
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from muniment.core.claim import Claim
from muniment.core.encode import encode
from muniment.ports.source import ParsedUri, parse_uri

Kind = Literal["same", "gone", "new"]
WordPiece = tuple[Kind, str]

_WORDS = re.compile(r"\s+|\w+|[^\w\s]")
_SHOWN = (
    "claim", "title", "summary", "body", "type", "memory_type", "facts", "steps", "tags", "aliases",
    "allowed_uses", "prohibited_uses", "validity", "visibility", "scope", "confidence",
)  # fmt: skip
AROUND = 2
MOST_LINES = 12
READINGS = (
    ("match", "good", "the source says so now"),
    ("moved", "good", "the source says so now, at another place"),
    ("changed", "bad", "the source does not say so any more"),
    ("missing", "bad", "the source is gone"),
    ("could_not_observe", "unsure", "the source could not be read now"),
)


def reading_said(state: str) -> tuple[str, str]:
    """How good a reading is, and what it says in words.

    >>> reading_said("moved")[0]
    'good'
    """
    return next((how, said) for name, how, said in READINGS if name == state)


def word_pieces(old: str, new: str) -> tuple[list[WordPiece], list[WordPiece]]:
    """Old and new text in pieces, each with whether it is the same, gone or new."""
    left, right = _WORDS.findall(old), _WORDS.findall(new)
    before: list[WordPiece] = []
    after: list[WordPiece] = []
    for tag, a, b, c, d in difflib.SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        gone, come = "".join(left[a:b]), "".join(right[c:d])
        if gone:
            before.append(("same" if tag == "equal" else "gone", gone))
        if come:
            after.append(("same" if tag == "equal" else "new", come))
    return before, after


def differing(old: Claim, new: Claim) -> Iterator[tuple[str, str, str]]:
    """The parts in which two claims differ, as text."""
    left, right = _as_proposed(old), _as_proposed(new)
    for name in _SHOWN:
        if left.get(name) != right.get(name):
            yield name, plain_text(left.get(name)), plain_text(right.get(name))


def _as_proposed(claim: Claim) -> dict[str, Any]:
    """A claim's parts without what is computed when it is accepted."""
    parts = dict(encode(claim))
    parts["confidence"] = {k: v for k, v in parts.get("confidence", {}).items() if k != "grade"}
    return parts


def plain_text(value: Any) -> str:
    """A JSON value in words.

    >>> plain_text({"level": "public", "names": ["a", "b"]}), plain_text(None)
    ('level public, names a, b', 'none')
    """
    if value is None:
        return "none"
    if isinstance(value, dict):
        return ", ".join(f"{key} {plain_text(item)}" for key, item in value.items())
    if isinstance(value, list):
        return ", ".join(plain_text(item) for item in value)
    return str(value)


def audience_text(claim: Claim) -> str:
    """Who sees a claim, in words."""
    audience = claim.visibility.audience
    who = " and ".join(" or ".join(one) for one in audience) or "everybody of the tenant"
    return f"{who} ({claim.visibility.level})"


def elapsed(then: datetime, now: datetime) -> str:
    """How long it was between two instants, in one unit; nothing for less than a minute.

    >>> from datetime import UTC
    >>> elapsed(datetime(2026, 7, 8, 9, tzinfo=UTC), datetime(2026, 7, 8, 12, tzinfo=UTC))
    '3 hours'
    """
    seconds = max(0, int((now - then).total_seconds()))
    for unit, size in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= size:
            count = seconds // size
            return f"{count} {unit}{'s' if count > 1 else ''}"
    return ""


# --- evidence -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a source.

    Attributes:
        number: From 1.
        inside: Whether the marked span touches it.
        before: Text before the span.
        marked: Text of the span.
        after: Text after it.
    """

    number: int
    inside: bool
    before: str
    marked: str
    after: str


def place(uri: str, line: int) -> str:
    """An address as a person reads it, with the line.

    >>> place("repo:local:shop!/Makefile", 3), place("repo:local:shop@main!/a", 0)
    ('Makefile:3', 'a at main')
    """
    parsed = parse_uri(uri)
    if not isinstance(parsed, ParsedUri):
        return uri
    where = f"{parsed.path}:{line}" if line else parsed.path
    return f"{where} at {parsed.ref}" if parsed.ref else where


def excerpt(data: bytes, start: int, end: int) -> tuple[tuple[Line, ...], int]:
    r"""The lines around a span of bytes, with the span marked; and how many more the span has.

    >>> lines, more = excerpt(b"a\nbcd\ne\n", 3, 4)
    >>> [(one.number, one.inside, one.before, one.marked, one.after) for one in lines], more
    ([(1, False, 'a', '', ''), (2, True, 'b', 'c', 'd'), (3, False, 'e', '', '')], 0)
    """
    lines = data.split(b"\n")
    if lines and not lines[-1]:
        lines.pop()
    starts = [0]
    for one in lines:
        starts.append(starts[-1] + len(one) + 1)
    first = data.count(b"\n", 0, start)
    last = data.count(b"\n", 0, max(start, end - 1))
    shown = range(max(0, first - AROUND), min(len(lines), last + AROUND + 1))
    found = []
    for number in shown[:MOST_LINES]:
        inside = first <= number <= last
        left = max(0, start - starts[number]) if inside else 0
        right = max(0, end - starts[number]) if inside else 0
        raw = lines[number].removesuffix(b"\r")
        parts = (raw[:left], raw[left:right], raw[right:]) if inside else (raw, b"", b"")
        texts = [part.decode("utf-8", "replace") for part in parts]
        found.append(Line(number + 1, inside, *texts))
    return tuple(found), max(0, len(shown) - MOST_LINES)
