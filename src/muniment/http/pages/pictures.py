"""Plots as SVG: how many of each kind, and how much there is over time.

- Every bar has its words and its number beside it: nothing is told by colour or length alone.
- Text is escaped and its invisible characters are spelled out, as in `drawing`.
- The same numbers stand in a table beneath, with links to where one acts on them; a plot leads nowhere itself.

>>> bars("Freshness", [Bar("current", 3), Bar("stale", 1)]).count("<rect")
2
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from markupsafe import Markup

from muniment.http.pages import drawing
from muniment.http.pages.drawing import box, cut, line, picture, text_at

WIDTH = 460.0
LABELS = 150.0
NUMBERS = 110.0
ROW = 26.0
TICKS = 4
MOST_THICK = 40.0
LONGEST_DATE = 72.0


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar.

    Attributes:
        label: What is counted.
        count: How many.
        kind: Class of its colour: `fill` for plain, `fill2` unsure, `fill3` bad, `fill4` good.
        note: What stands after the number.
    """

    label: str
    count: int
    kind: str = "fill"
    note: str = ""


def bars(title: str, rows: Sequence[Bar]) -> Markup:
    """Bars beneath each other, to one scale."""
    most = max((row.count for row in rows), default=0) or 1
    wide = WIDTH - LABELS - NUMBERS
    parts = []
    for n, row in enumerate(rows):
        y = n * ROW
        length = wide * row.count / most
        words = text_at(LABELS - 8, y + 17, cut(row.label, 22), "", "end")
        parts += [
            words,
            box(LABELS, y + 4, length, ROW - 8, row.kind if row.count else "box"),
            text_at(
                LABELS + length + 6, y + 17, f"{row.count:,}{' ' + row.note if row.note else ''}"
            ),
        ]
    told = ", ".join(f"{row.label} {row.count}" for row in rows) or "nothing"
    return picture(f"{title}: {told}", max(ROW, ROW * len(rows)), parts, WIDTH)


@dataclass(frozen=True, slots=True)
class Point:
    """One step of something that grows.

    Attributes:
        begins: When the step begins.
        added: What came in it.
        total: How much there was at its end.
    """

    begins: datetime
    added: int
    total: int


def growth(title: str, points: Sequence[Point], unit: str) -> Markup:
    """A line of totals over bars of what was added, to one scale from zero.

    Args:
        title: What grows.
        points: In order.
        unit: What a step is called, such as `day`.
    """
    left, top, wide, high = 56.0, 14.0, 690.0, 190.0
    most = nice(max((point.total for point in points), default=0))
    step = wide / max(1, len(points))
    parts = []
    for n in range(TICKS + 1):
        y = top + high * (1 - n / TICKS)
        parts += [
            line(left, y, left + wide, y, "axis" if n == 0 else "grid"),
            text_at(left - 6, y + 4, f"{most * n // TICKS:,}", "", "end"),
        ]
    places = []
    for n, point in enumerate(points):
        tall = high * point.added / most
        if point.added:
            thick = min(max(1.0, step - 2), MOST_THICK)
            parts.append(
                box(left + (n + 0.5) * step - thick / 2, top + high - tall, thick, tall, "box")
            )
        places.append((left + (n + 0.5) * step, top + high * (1 - point.total / most)))
    parts.append(path(places))
    parts += _days(points, left, top + high + 16, step)
    end = points[-1].total if points else 0
    told = f"{title}: {end} at the end, by the {unit}"
    return picture(told, top + high + 26, parts)


def _days(points: Sequence[Point], left: float, y: float, step: float) -> list[Markup]:
    """A few dates beneath, the first and the last among them."""
    last = len(points) - 1
    found = []
    for n in sorted({round(last * n / 3) for n in range(4)}):
        at = left + (n + 0.5) * step
        anchor = "end" if at + LONGEST_DATE / 2 > drawing.WIDTH else "middle"
        found.append(text_at(at, y, f"{points[n].begins:%Y-%m-%d}", "", anchor))
    return found


def nice(most: int) -> int:
    """The end of an axis: at least `most`, and a number that divides well.

    >>> [nice(n) for n in (0, 3, 41, 100, 18_230)]
    [4, 4, 60, 100, 20000]
    """
    size = 1
    while True:
        for factor in (4, 6, 8, 10, 20):
            if factor * size >= most:
                return factor * size
        size *= 10


def path(places: Sequence[tuple[float, float]]) -> Markup:
    """A line through some places, with a dot at its end."""
    if not places:
        return Markup("")
    through = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    x, y = places[-1]
    return Markup('<polyline points="{}" class="stroke"/>').format(through) + Markup(
        '<circle cx="{:.1f}" cy="{:.1f}" r="3.5" class="fill"/>'
    ).format(x, y)
