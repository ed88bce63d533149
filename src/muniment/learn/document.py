"""A parsed TOML or JSON file together with the place of each value.

- A path is a tuple of keys and indexes; a place knows where the key and the value stand.
- Looking up what is absent, or of another type, gives None or an empty value, never an error.
- A key that is given twice keeps its last value, as every parser of these formats does.

>>> d = Document({"a": {"b": "x"}}, {("a", "b"): Place(7, 11, 14)})
>>> d.text("a", "b"), d.text("a", "c"), d.span("a", "b")
('x', None, (7, 14))
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from muniment.learn.page import Span, Unreadable

Path = tuple[str | int, ...]

MAX_DEPTH = 64
_OPEN_CLOSE = re.compile(r"[\[{\]}]")


@dataclass(frozen=True, slots=True)
class Place:
    """Characters of one value: where its key begins, where the value begins and ends."""

    key: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed value and the places of everything in it."""

    value: object
    places: dict[Path, Place]

    def at(self, *path: str | int) -> object:
        """The value at a path, or None."""
        here: object = self.value
        for step in path:
            if isinstance(here, dict):
                here = here.get(step)
            elif isinstance(here, list) and isinstance(step, int) and step < len(here):
                here = here[step]
            else:
                return None
        return here

    def text(self, *path: str | int) -> str | None:
        """The value as written by a person: text, number or truth value; None for anything else."""
        value = self.at(*path)
        if isinstance(value, bool):
            return "true" if value else "false"
        return str(value) if isinstance(value, str | int | float) else None

    def keys(self, *path: str | int) -> tuple[str, ...]:
        """The keys of the table at a path."""
        value = self.at(*path)
        return tuple(value) if isinstance(value, dict) else ()

    def items(self, *path: str | int) -> Iterator[tuple[int, str]]:
        """Index and text of each plain entry of the list at a path."""
        value = self.at(*path)
        for index in range(len(value) if isinstance(value, list) else 0):
            entry = self.text(*path, index)
            if entry is not None:
                yield index, entry

    def span(self, *path: str | int) -> Span:
        """From the key to the end of the value; empty where the path has no place of its own."""
        place = self.places.get(path)
        return (place.key, place.end) if place else (0, 0)

    def span_with(self, path: Path, inner: str) -> Span:
        """The span at a path, up to the end of the entry `inner` where that is a table's own line.

        >>> places = {("d",): Place(0, 0, 3), ("d", "version"): Place(4, 14, 17)}
        >>> Document({}, places).span_with(("d",), "version")
        (0, 17)
        """
        start, end = self.span(*path)
        return start, max(end, self.span(*path, inner)[1])


def pointer(*path: str | int) -> str:
    """A path as a JSON pointer (RFC 6901).

    >>> pointer("scripts", "a/b", 0)
    '/scripts/a~1b/0'
    """
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def refuse_depth(text: str, limit: int = MAX_DEPTH) -> None:
    """Refuse brackets that nest too deeply, wherever they stand.

    Brackets in text values count too: a file that far from ordinary is left to a person.

    Raises:
        Unreadable: `too_deep`.

    >>> refuse_depth("[" * 64)
    >>> refuse_depth("[" * 65)
    Traceback (most recent call last):
    muniment.learn.page.Unreadable: brackets nest deeper than 64
    """
    depth = 0
    for match in _OPEN_CLOSE.finditer(text):
        if match.group() in "[{":
            depth += 1
            if depth > limit:
                raise Unreadable("too_deep", f"brackets nest deeper than {limit}", match.start())
        elif depth:
            depth -= 1
