r"""Read the plain part of YAML that frontmatter is mostly written in, several times as fast as a whole parser.

- Block mappings and lists, one scalar a line, quoted without escapes or plain, and lists of words in brackets.
- It never decides what is wrong: anything else, and anything odd, is left to `strict_yaml` by answering None.
- What it does answer is what `strict_yaml` answers, strictly or with MIF's leniency; the tests compare the two.

>>> plain_yaml("id: x\ntags:\n  - a\n  - 1\nof: {a: b}\n") is None
True
>>> plain_yaml("id: x\ncreated: 2026-01-15T10:30:00Z\ntags:\n- a\n- 1.5\nnot: no\nnone:\n")
{'id': 'x', 'created': '2026-01-15T10:30:00Z', 'tags': ['a', 1.5], 'not': 'no', 'none': None}
"""

from __future__ import annotations

import re
from typing import Any

from muniment.exchange.strict_yaml import resolved

_ODD = re.compile(
    "[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010fffd]"
)
_ENTRY = re.compile(
    r"""( *)(- )?(?:([A-Za-z_][\w-]{0,99}|'@?\w{1,99}'|"@?\w{1,99}"):(?: +(.*))?|(.*))""", re.ASCII
)
_PLAIN = re.compile(r"[\w/(.](?:[^:#]|:(?=[^ ])|(?<=[^ ])#)*")
_WORDS = re.compile(r"\[[A-Za-z][\w/.-]*(?:, *[A-Za-z][\w/.-]*)*\]", re.ASCII)
_DEEPEST = 16


class _Other(Exception):
    """The text is not plain."""


def plain_yaml(text: str, wide: bool = False) -> dict[str, Any] | None:
    """The mapping that a text holds; None where a whole parser has to look.

    Args:
        text: YAML.
        wide: Whether plain keys that are no text are kept as they are written, and integers beyond 64 bits too.
    """
    if _ODD.search(text):
        return None
    lines = [line.rstrip(" ") for line in text.split("\n")]
    reader = _Reader([line for line in lines if line], wide)
    try:
        value = reader.mapping(0, 0)
    except _Other:
        return None
    return value if reader.place == len(reader.lines) else None


class _Reader:
    def __init__(self, lines: list[str], wide: bool) -> None:
        self.lines = lines
        self.wide = wide
        self.place = 0
        self.found = [_ENTRY.fullmatch(line) for line in lines]

    def _indent(self) -> int:
        """The indent of the line to come; -1 at the end."""
        if self.place >= len(self.lines):
            return -1
        found = self.found[self.place]
        return len(found[1]) if found else -1

    def mapping(self, indent: int, depth: int) -> dict[str, Any]:
        """Entries at one indent; the first may stand behind a dash, and was looked at already."""
        if depth > _DEEPEST:
            raise _Other
        value: dict[str, Any] = {}
        while self._indent() == indent:
            found = self.found[self.place]
            if found is None or found[2] or not found[3]:
                break
            self._entry(found[3], found[4], indent, depth, value)
        if not value or self._indent() > indent:
            raise _Other
        return value

    def _entry(
        self, key: str, rest: str | None, indent: int, depth: int, value: dict[str, Any]
    ) -> None:
        name = key[1:-1] if key[0] in "'\"" else key
        if name in value or not (self.wide or name is not key or is_text(key)):
            raise _Other
        self.place += 1
        value[name] = self._value(indent, depth) if not rest else _scalar(rest, self.wide)
        if rest and self._indent() > indent:
            raise _Other  # a scalar that goes on in the next line

    def _value(self, indent: int, depth: int) -> Any:
        """What stands below a key: a list at the same indent or deeper, a mapping deeper, or nothing."""
        inner = self._indent()
        found = self.found[self.place] if self.place < len(self.lines) else None
        if found is not None and found[2] and inner >= indent:
            return self._sequence(inner, depth + 1)
        return self.mapping(inner, depth + 1) if inner > indent else None

    def _sequence(self, indent: int, depth: int) -> list[Any]:
        if depth > _DEEPEST:
            raise _Other
        items: list[Any] = []
        while self._indent() == indent:
            found = self.found[self.place]
            if found is None or not found[2]:
                break
            items.append(self._item(found, indent, depth))
        if self._indent() > indent:
            raise _Other
        return items

    def _item(self, found: re.Match[str], indent: int, depth: int) -> Any:
        if not found[3]:
            self.place += 1
            if self._indent() > indent:
                raise _Other
            return _scalar(found[5] or "", self.wide)
        value: dict[str, Any] = {}
        inner = indent + 2
        self._entry(found[3], found[4], inner, depth + 1, value)
        if self._indent() == inner:
            more = self.mapping(inner, depth + 1)
            if value.keys() & more.keys():
                raise _Other
            value |= more
        return value


def is_text(key: str) -> bool:
    """Whether a plain key is text, and no null or truth value."""
    return isinstance(resolved(key)[0], str)


def _scalar(written: str, wide: bool) -> Any:
    first = written[:1]
    if first in ("'", '"'):
        inner = written[1:-1]
        if len(written) < 2 or written[-1] != first or first in inner or "\\" in inner:
            raise _Other
        return inner
    if first == "[" and _WORDS.fullmatch(written):
        words = [word.strip() for word in written[1:-1].split(",")]
        return [resolved(word, wide)[0] for word in words]
    if written in ("[]", "{}"):
        return [] if first == "[" else {}
    if not _PLAIN.fullmatch(written) or written[-1] == ":":
        raise _Other
    value, fault = resolved(written, wide)
    if fault:
        raise _Other
    return value
