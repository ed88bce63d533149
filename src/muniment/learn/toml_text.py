"""TOML with positions: `tomllib` gives the values, a scan of the same text gives their places.

- The scan runs only over text that `tomllib` has accepted, so it does not judge, it only locates.
- Each array entry and each entry of an inline table has a place of its own.

>>> text = 'a = 1  # one\\n[t]\\nb.c = ["x", "y"]'
>>> d = parse_toml(text)
>>> [text[slice(*d.span(*path))] for path in (("a",), ("t", "b", "c"), ("t", "b", "c", 1))]
['a = 1', 'b.c = ["x", "y"]', '"y"']
"""

from __future__ import annotations

import re
import tomllib

from muniment.learn.document import Document, Path, Place, refuse_depth
from muniment.learn.page import Unreadable

_MAX_KEY_PARTS = 64
_BLANK = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_INLINE_BLANK = re.compile(r"[ \t]*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_QUOTED = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'')
_LONG_BASIC = re.compile(r'"""(?:[^"\\]|\\.|"(?!""))*"""(?:"{1,2}(?!"))?', re.DOTALL)
_LONG_LITERAL = re.compile(r"'''(?:[^']|'(?!''))*'''(?:'{1,2}(?!'))?", re.DOTALL)
_PLAIN = re.compile(r"[^,\]}#\r\n]+")
_LONG_KEY = re.compile(r"^[\s\[]*[\w\-.\"' \t]*", re.MULTILINE)
_LINE_IN_MESSAGE = re.compile(r"\(at line (\d+)")


def parse_toml(text: str) -> Document:
    """Parse and locate.

    Raises:
        Unreadable: `too_deep`, or `bad_toml` with its position.
    """
    refuse_depth(text)
    for line in _LONG_KEY.finditer(text):
        if line.group().count(".") > _MAX_KEY_PARTS:
            message = f"a key has more than {_MAX_KEY_PARTS} parts"
            raise Unreadable("too_deep", message, line.start())
    try:
        value = tomllib.loads(text)
    except RecursionError:
        raise Unreadable("too_deep", "tables nest too deeply") from None
    except ValueError as error:
        raise Unreadable("bad_toml", str(error).lower(), _position(text, str(error))) from None
    return Document(value, _Scan(text).run())


def _position(text: str, message: str) -> int:
    found = _LINE_IN_MESSAGE.search(message)
    if not found:
        return max(0, len(text) - 1)
    lines = text.split("\n")[: int(found.group(1)) - 1]
    return min(sum(len(line) + 1 for line in lines), max(0, len(text) - 1))


class _Scan:
    """Walks over accepted TOML and notes the place of each value."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.places: dict[Path, Place] = {}
        self.counts: dict[Path, int] = {}

    def run(self) -> dict[Path, Place]:
        table: Path = ()
        while self._skip(_BLANK) < len(self.text):
            if self.text[self.at] == "[":
                table = self._header()
            else:
                self._pair(table)
        return self.places

    def _skip(self, pattern: re.Pattern[str]) -> int:
        match = pattern.match(self.text, self.at)
        if match is None or (match.end() == self.at and pattern not in (_BLANK, _INLINE_BLANK)):
            raise Unreadable("bad_toml", "a value could not be located", self.at)
        self.at = match.end()
        return self.at

    def _header(self) -> Path:
        start = self.at
        many = self.text.startswith("[[", start)
        self.at += 2 if many else 1
        parts = self._key()
        self.at += 2 if many else 1
        path = self._resolved(parts[:-1]) + parts[-1:]
        if many:
            self.counts[path] = self.counts.get(path, -1) + 1
        path = self._resolved(parts)
        self.places[path] = Place(start, start, self.at)
        return path

    def _resolved(self, parts: Path) -> Path:
        """The path with the current index after each name that is an array of tables."""
        path: Path = ()
        for part in parts:
            path += (part,)
            if path in self.counts:
                path += (self.counts[path],)
        return path

    def _key(self) -> Path:
        parts: list[str] = []
        while True:
            self._skip(_INLINE_BLANK)
            start = self.at
            if self.text[start] in "\"'":
                self._skip(_QUOTED)
                parts.append(_unquoted(self.text[start : self.at]))
            else:
                self._skip(_BARE_KEY)
                parts.append(self.text[start : self.at])
            self._skip(_INLINE_BLANK)
            if self.text[self.at] != ".":
                return tuple(parts)
            self.at += 1

    def _pair(self, table: Path) -> None:
        start = self.at
        path = table + self._key()
        self.at += 1
        self._skip(_INLINE_BLANK)
        self._value(path, start)

    def _value(self, path: Path, key: int) -> None:
        start = self.at
        opening = self.text[start]
        if opening == "[":
            self._entries(path)
        elif opening == "{":
            self._inline_table(path)
        elif self.text.startswith(('"""', "'''"), start):
            self._skip(_LONG_BASIC if opening == '"' else _LONG_LITERAL)
        elif opening in "\"'":
            self._skip(_QUOTED)
        else:
            self._skip(_PLAIN)
        end = start + len(self.text[start : self.at].rstrip())
        self.places[path] = Place(key, start, end)

    def _entries(self, path: Path) -> None:
        self.at += 1
        index = 0
        while self._skip(_BLANK) < len(self.text) and self.text[self.at] != "]":
            self._value((*path, index), self.at)
            index += 1
            self._skip(_BLANK)
            self.at += self.text[self.at] == ","
        self.at += 1

    def _inline_table(self, path: Path) -> None:
        self.at += 1
        while self._skip(_BLANK) < len(self.text) and self.text[self.at] != "}":
            self._pair(path)
            self._skip(_BLANK)
            self.at += self.text[self.at] == ","
        self.at += 1


def _unquoted(literal: str) -> str:
    if literal[0] == "'" or "\\" not in literal:
        return literal[1:-1]
    return str(tomllib.loads(f"k = {literal}")["k"])
