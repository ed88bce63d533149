r"""Read JSON as the standard writes it, or say why not.

- No `NaN` or `Infinity`, no number that overflows, no integer beyond 64 bits.
- No duplicate keys; no NUL or lone surrogate, spelled out or escaped; nesting of at most 64 levels.
- The standard decoder does the work. Only when something is wrong is the text read again, to say where.

>>> load_json('{"a": 1, "a": NaN}').findings[0].code, load_json("[1, 2]").value
('duplicate_key', [1, 2])
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from muniment.core.errors import Finding, quoted
from muniment.exchange.loaded import (
    DEEPEST,
    LIMIT_BYTES,
    MOST_FINDINGS,
    STRICT,
    Leniency,
    Loaded,
    decoded,
    number_finding,
    place,
    place_at,
    real_number,
    refused,
    text_fault,
    whole_number,
)

_STRING = r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)'
_BRACKET = re.compile(rf"{_STRING}|[\[\]{{}}]", re.DOTALL)
_TOKEN = re.compile(
    rf"(?P<string>{_STRING})|(?P<mark>[\[\]{{}}:,])"
    r"|(?P<number>-?(?:NaN|Infinity|\d[\d.eE+-]*))",
    re.DOTALL,
)
_SUSPICIOUS = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")


def load_json(
    data: bytes | str,
    *,
    limit_bytes: int = LIMIT_BYTES,
    name: str = "",
    leniency: Leniency = STRICT,
) -> Loaded:
    """Read one JSON document.

    Args:
        data: The document.
        limit_bytes: Most bytes accepted.
        name: The file's name, for places.
        leniency: What is allowed beyond the strict rules.

    Returns:
        The value, or findings: those of `decoded`, `too_deep`, `json_syntax`, `duplicate_key`,
        `not_finite`, `integer_too_large`. Never raises for any input.
    """
    text, found = decoded(data, name, limit_bytes)
    if found:
        return refused(*found)
    deep = _first_too_deep(text)
    if deep is not None:
        message = f"nested more than {DEEPEST} levels deep"
        return refused(Finding("too_deep", message, place_at(name, text, deep), "flatten it"))
    watch = _Watch(leniency.wide_integers)
    try:
        value = json.loads(
            text,
            object_pairs_hook=watch.pairs,
            parse_constant=watch.constant,
            parse_int=watch.integer,
            parse_float=watch.real,
        )
    except json.JSONDecodeError as error:
        message = f"not JSON: {error.msg[0].lower()}{error.msg[1:]}"
        where = place(name, error.lineno, error.colno)
        return refused(Finding("json_syntax", message, where, "correct the syntax"))
    if watch.seen or _SUSPICIOUS.search(text):
        located = tuple(islice(_located(text, name, watch.wide), MOST_FINDINGS))
        if located:
            return refused(*located)
    return Loaded(value)


def _first_too_deep(text: str) -> int | None:
    """Where nesting first exceeds the limit, strings left out."""
    depth = 0
    for found in _BRACKET.finditer(text):
        mark = text[found.start()]
        if mark in "[{":
            depth += 1
            if depth > DEEPEST:
                return found.start()
        elif mark in "]}":
            depth -= 1
    return None


@dataclass(slots=True)
class _Watch:
    """Hooks of the decoder that note whether anything needs a closer look."""

    wide: bool = False
    seen: bool = False

    def pairs(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        self.seen = self.seen or len(value) != len(pairs)
        return value

    def constant(self, _: str) -> None:
        self.seen = True

    def integer(self, written: str) -> int | None:
        value = whole_number(written, self.wide)
        self.seen = self.seen or value is None
        return value

    def real(self, written: str) -> float | None:
        value = real_number(written)
        self.seen = self.seen or value is None
        return value


# --- a second reading, to say where -------------------------------------------------------------


@dataclass(slots=True)
class _Level:
    """One open object or array."""

    is_object: bool
    keys: set[str] = field(default_factory=set)
    step: str | int = 0

    def pointer(self) -> str:
        return "/" + str(self.step).replace("~", "~0").replace("/", "~1")


def _located(text: str, name: str, wide: bool = False) -> Iterator[Finding]:
    """What is wrong in a document of correct syntax, with places."""
    levels: list[_Level] = []
    expects_key = False
    for token in _TOKEN.finditer(text):
        written, offset = token.group(), token.start()
        if token.lastgroup == "number":
            yield from _number_faults(written, name, text, offset, wide)
        elif token.lastgroup == "string":
            plain = json.loads(written)
            if fault := text_fault(plain):
                yield Finding(*fault, place_at(name, text, offset), "remove it")
            if expects_key:
                if plain in levels[-1].keys:
                    pointer = "".join(level.pointer() for level in levels[:-1])
                    yield _duplicate(plain, pointer, place_at(name, text, offset))
                levels[-1].keys.add(plain)
                levels[-1].step = plain
                expects_key = False
        elif written in "[{":
            levels.append(_Level(written == "{"))
            expects_key = written == "{"
        elif written in "]}":
            levels.pop()
            expects_key = False
        elif written == ",":
            expects_key = levels[-1].is_object
            if isinstance(levels[-1].step, int):
                levels[-1].step += 1


def _number_faults(
    written: str, name: str, text: str, offset: int, wide: bool
) -> Iterator[Finding]:
    whole = re.fullmatch(r"-?\d+", written)
    if whole and whole_number(written, wide) is None:
        yield number_finding("integer_too_large", written, place_at(name, text, offset))
    elif not whole and real_number(written) is None:
        yield number_finding("not_finite", written, place_at(name, text, offset))


def _duplicate(key: str, pointer: str, where: str) -> Finding:
    inside = f"the object at {quoted(pointer)}" if pointer else "the object"
    message = f"the key {quoted(key)} stands more than once in {inside}"
    return Finding("duplicate_key", message, where, "keep one of them")
