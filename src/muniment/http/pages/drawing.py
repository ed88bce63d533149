"""Pictures as SVG: two time axes, where a claim comes from and leads to, the ten steps of a recall.

- Everything in them is escaped, and spelled out where a screen would hide it; nothing is drawn by colour alone.
- Sizes and colours come from attributes and classes, for the page allows no inline style.
- Each has a title that says in words what it shows.

>>> "<b>" in str(text_at(1, 2, "<b>"))
False
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from markupsafe import Markup, escape

from muniment.core.text import visible

WIDTH = 760
_LATEST = datetime(9999, 12, 31, tzinfo=UTC)


def text_at(x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> Markup:
    """A line of text."""
    shown = escape(visible(words).replace("\n", " "))
    return Markup('<text x="{:.1f}" y="{:.1f}" class="{}" text-anchor="{}">{}</text>').format(
        x, y, kind, anchor, shown
    )


def line(x1: float, y1: float, x2: float, y2: float, kind: str = "axis") -> Markup:
    """A straight line."""
    return Markup('<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" class="{}"/>').format(
        x1, y1, x2, y2, kind
    )


def box(x: float, y: float, width: float, height: float, kind: str = "box") -> Markup:
    """A rectangle."""
    return Markup(
        '<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" rx="3" class="{}"/>'
    ).format(x, y, max(0.5, width), height, kind)


def picture(title: str, height: float, parts: Iterable[Markup], width: float = WIDTH) -> Markup:
    """A whole picture."""
    head = Markup(
        '<svg class="picture" role="img" viewBox="0 0 {:.0f} {:.0f}" width="{:.0f}" height="{:.0f}" '
        'xmlns="http://www.w3.org/2000/svg"><title>{}</title>'
    ).format(width, height, width, height, visible(title))
    return head + Markup("").join(parts) + Markup("</svg>")


def cut(words: str, length: int) -> str:
    """Words cut to a length.

    >>> cut("abcdef", 4)
    'abc…'
    """
    plain = " ".join(visible(words).split())
    return plain if len(plain) <= length else plain[: length - 1] + "…"


# --- two time axes --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Span:
    """A version on two axes; half-open, None for without end.

    Attributes:
        label: What it is called.
        valid_from: From when on it is true.
        valid_until: Until when.
        known_from: When it was recorded.
        known_until: When something else was recorded instead.
    """

    label: str
    valid_from: datetime | None
    valid_until: datetime | None
    known_from: datetime
    known_until: datetime | None


def two_axes(spans: Sequence[Span], now: datetime) -> Markup:
    """When versions were true (across, to scale) and when they were recorded (down, one row a record)."""
    across = _scale([t for s in spans for t in (s.valid_from, s.valid_until) if t], now)
    records = sorted({span.known_from for span in spans})
    left, top, wide, row = 120.0, 30.0, WIDTH - 140.0, 40.0
    high = row * len(records)
    parts = [
        text_at(left, 14, "true in the world →"),
        text_at(4, top - 4, "recorded ↓"),
        line(left, top, left + wide, top),
        line(left, top, left, top + high),
    ]
    for n, span in enumerate(spans):
        x1 = left + wide * (across(span.valid_from) if span.valid_from else 0.0)
        x2 = left + wide * (across(span.valid_until) if span.valid_until else 1.0)
        first = records.index(span.known_from)
        last = records.index(span.known_until) if span.known_until in records else len(records)
        y1, y2 = top + row * first + 3, top + row * last - 3
        is_latest = n == len(spans) - 1
        parts += [
            box(x1, y1, x2 - x1, y2 - y1, "here" if is_latest else "box"),
            text_at(x1 + 6, y1 + 20, cut(span.label, 76), "onhere" if is_latest else "onbox"),
            text_at(left - 6, y1 + 20, f"{span.known_from:%Y-%m-%d %H:%M}", "", "end"),
        ]
    marks = sorted({t for s in spans for t in (s.valid_from, s.valid_until) if t})[:6]
    parts += [
        text_at(left + wide * across(t), top + high + 16, f"{t:%Y-%m-%d}", "", "middle")
        for t in marks
    ]
    at = left + wide * across(now)
    parts += [line(at, top, at, top + high, "now"), text_at(at, top - 4, "now", "", "middle")]
    title = f"{len(spans)} versions by when they are true and when they were recorded"
    return picture(title, top + high + 24, parts)


class _scale:  # noqa: N801 - used as a function
    """An instant's place between the first and the last, with room around them."""

    def __init__(self, times: Sequence[datetime], now: datetime) -> None:
        known = [min(t, _LATEST) for t in (*times, now)]
        first, last = min(known), max(known)
        room = max((last - first) * 0.08, timedelta(hours=1))
        self._first = first - min(room, first - datetime(1, 1, 2, tzinfo=UTC))
        self._length = (last - self._first).total_seconds() + room.total_seconds()

    def __call__(self, at: datetime) -> float:
        return min(1.0, max(0.0, (at - self._first).total_seconds() / self._length))


# --- provenance -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Node:
    """Something that a claim comes from or leads to.

    Attributes:
        words: What it says.
        how: How it stands to the claim.
        to: Where it is shown; empty for nowhere.
    """

    words: str
    how: str
    to: str = ""


def provenance(claim: str, before: Sequence[Node], after: Sequence[Node]) -> Markup:
    """What a claim comes from on the left, what came of it on the right."""
    rows = max(len(before), len(after), 1)
    high, wide = 46.0, 215.0
    height = rows * high + 20
    middle = height / 2
    centre = (WIDTH - wide) / 2
    parts: list[Markup] = []
    for nodes, x, is_left in ((before, 4.0, True), (after, WIDTH - wide - 4, False)):
        offset = (height - len(nodes) * high) / 2
        for n, node in enumerate(nodes):
            y = offset + n * high
            ends = (
                ((x + wide, y + 19), (centre, middle))
                if is_left
                else ((centre + wide, middle), (x, y + 19))
            )
            parts.append(line(*ends[0], *ends[1], "grid"))
            drawn = (
                box(x, y, wide, 38)
                + text_at(x + 8, y + 15, node.how, "onbox")
                + text_at(x + 8, y + 31, cut(node.words, 32), "onbox")
            )
            parts.append(Markup('<a href="{}">{}</a>').format(node.to, drawn) if node.to else drawn)
    parts += [
        box(centre, middle - 19, wide, 38, "here"),
        text_at(centre + 8, middle + 5, cut(claim, 32), "onhere"),
    ]
    title = f"Comes from {len(before)}, leads to {len(after)}"
    return picture(title, height, parts)


# --- the ten steps --------------------------------------------------------------------------------


def ten_steps(steps: Sequence[tuple[int, str, Sequence[tuple[str, int]]]]) -> Markup:
    """The steps of a recall with their counts, as bars on one scale of roots."""
    most = max((count for _, _, counts in steps for _, count in counts), default=0) or 1
    parts: list[Markup] = []
    y = 6.0
    for number, name, counts in steps:
        parts.append(text_at(4, y + 13, f"{number}. {name.replace('_', ' ')}"))
        for n, (what, count) in enumerate(counts):
            at = 190 + n * 190
            parts.append(box(at, y + 17, 170 * (count / most) ** 0.5, 4, "fill"))
            parts.append(text_at(at, y + 13, f"{what.replace('_', ' ')} {count:,}"))
        y += 27
    return picture("The ten steps of this recall, each with its counts", y + 4, parts)
