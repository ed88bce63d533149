"""JSON with positions: `json` judges the text, a scan of the same text locates each value.

- Entries of objects and arrays have a place of their own.
- A key given twice keeps the last value and place; `duplicates` tells where.

>>> text = '{"a": [1, "é"], "a": {"b": true}}'
>>> d, twice = parse_json(text)
>>> text[slice(*d.span("a", "b"))], d.at("a"), twice
('"b": true', {'b': True}, (16,))
"""

from __future__ import annotations

import json
import re
from json import decoder
from typing import Any, cast

from muniment.learn.document import Document, Path, Place, refuse_depth
from muniment.learn.page import Unreadable

scanstring: Any = vars(decoder)["scanstring"]  # what `json` itself reads strings with
_BLANK = re.compile(r"[ \t\r\n]*")
_PLAIN = re.compile(r"[^\s,\]}]+")


def parse_json(text: str) -> tuple[Document, tuple[int, ...]]:
    """Parse and locate.

    Returns:
        The document, and the characters at which a key stands for the second time.

    Raises:
        Unreadable: `too_deep`, or `bad_json` with its position.
    """
    refuse_depth(text)
    try:
        value = json.loads(text)
    except RecursionError:
        raise Unreadable("too_deep", "values nest too deeply") from None
    except json.JSONDecodeError as error:
        raise Unreadable("bad_json", error.msg.lower(), min(error.pos, len(text) - 1)) from None
    except ValueError as error:  # a number with too many digits
        raise Unreadable("bad_json", str(error).partition(";")[0].lower(), 0) from None
    scan = _Scan(text)
    scan.value((), scan.skip())
    return Document(value, scan.places), tuple(scan.duplicates)


class _Scan:
    """Walks over accepted JSON and notes the place of each value."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.places: dict[Path, Place] = {}
        self.duplicates: list[int] = []

    def skip(self) -> int:
        self.at = cast("re.Match[str]", _BLANK.match(self.text, self.at)).end()
        return self.at

    def value(self, path: Path, key: int) -> None:
        start = self.skip()
        opening = self.text[start]
        if opening == "{":
            self._object(path)
        elif opening == "[":
            self._array(path)
        elif opening == '"':
            self.at = scanstring(self.text, start + 1, True)[1]
        else:
            self.at = cast("re.Match[str]", _PLAIN.match(self.text, start)).end()
        self.places[path] = Place(key, start, self.at)

    def _object(self, path: Path) -> None:
        self.at += 1
        while self.text[self.skip()] != "}":
            key = self.at
            name, self.at = scanstring(self.text, key + 1, True)
            if (*path, name) in self.places:
                self.duplicates.append(key)
            self.skip()
            self.at += 1  # the colon
            self.value((*path, name), key)
            self.skip()
            self.at += self.text[self.at] == ","
        self.at += 1

    def _array(self, path: Path) -> None:
        self.at += 1
        index = 0
        while self.text[self.skip()] != "]":
            self.value((*path, index), self.at)
            index += 1
            self.skip()
            self.at += self.text[self.at] == ","
        self.at += 1
