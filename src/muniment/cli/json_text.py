r"""Change one thing in a JSON file that somebody else keeps: every other byte stays, comments and commas too.

- Hosts write their settings as JSON with comments and trailing commas; both are read here, and neither is touched.
- What comes out is read again and compared with what was meant; where they differ nothing is handed over.
- Putting something in and taking it out again gives the bytes that were there, but for containers that were empty.

>>> text = '{\n  // mine\n  "a": 1\n}\n'
>>> print(put(text, ("servers", "muniment"), {"command": "muniment"}), end="")
{
  // mine
  "a": 1,
  "servers": {
    "muniment": {
      "command": "muniment"
    }
  }
}
>>> drop(put(text, ("servers", "muniment"), {}), ("servers", "muniment")) == text
True
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

_BLANK = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_ATOM = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"|-?[0-9][-+.0-9eE]*|true|false|null')
_DEEPEST = 100


class NotEditable(Exception):
    """The text is no JSON of the form that is expected, or cannot be changed without touching something else."""


@dataclass(slots=True)
class _Node:
    """A value and where it stands.

    Attributes:
        start: Where it begins.
        end: Where it ends.
        value: The value.
        kind: The opening character of a container; empty otherwise.
        items: A container's parts: key (None in a list), where the part begins, its value, and the place of the comma
            behind it (None without one).
    """

    start: int
    end: int
    value: Any
    kind: str = ""
    items: list[tuple[str | None, int, _Node, int | None]] = field(default_factory=list)


class _Reader:
    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0

    def whole(self) -> _Node:
        self._blank()
        node = self._value(0)
        self._blank()
        if self.at != len(self.text):
            raise NotEditable(f"something stands behind its end, at character {self.at}")
        return node

    def _blank(self) -> None:
        found = _BLANK.match(self.text, self.at)
        self.at = found.end() if found else self.at

    def _value(self, depth: int) -> _Node:
        if depth > _DEEPEST:
            raise NotEditable("it is nested too deep")
        if self.text[self.at : self.at + 1] in ("{", "["):
            return self._container(depth)
        return self._atom()

    def _atom(self) -> _Node:
        found = _ATOM.match(self.text, self.at)
        if not found:
            raise NotEditable(f"character {self.at} is not expected")
        start, self.at = self.at, found.end()
        try:
            return _Node(start, self.at, json.loads(found[0]))
        except ValueError as error:
            raise NotEditable(f"character {start} is not expected") from error

    def _container(self, depth: int) -> _Node:
        node = _Node(self.at, self.at, None, self.text[self.at])
        closing = "}" if node.kind == "{" else "]"
        self.at += 1
        comma: int | None = 0
        while True:
            self._blank()
            if self.text[self.at : self.at + 1] == closing:
                break
            if comma is None:
                raise NotEditable(f"a comma is missing at character {self.at}")
            start, key = self.at, self._key() if node.kind == "{" else None
            value = self._value(depth + 1)
            self._blank()
            comma = self.at if self.text[self.at : self.at + 1] == "," else None
            self.at += comma is not None
            node.items.append((key, start, value, comma))
        self.at += 1
        node.end = self.at
        values = [(key, one.value) for key, _, one, _ in node.items]
        node.value = dict(values) if node.kind == "{" else [value for _, value in values]
        if node.kind == "{" and len(node.value) < len(values):
            raise NotEditable("a key stands there twice")
        return node

    def _key(self) -> str:
        found = self._atom()
        if not isinstance(found.value, str):
            raise NotEditable(f"a key is expected at character {found.start}")
        self._blank()
        if self.text[self.at : self.at + 1] != ":":
            raise NotEditable(f"a colon is expected at character {self.at}")
        self.at += 1
        self._blank()
        return found.value


def parsed(text: str) -> Any:
    """The value of a text; an empty text is an empty object.

    Raises:
        NotEditable: It is no JSON with comments.
    """
    return _read(text).value


def _read(text: str) -> _Node:
    return _Reader(text).whole() if text.strip() else _Node(0, 0, {}, "{")


# --- putting something in -------------------------------------------------------------------------


def put(text: str, path: Sequence[str], value: Any) -> str:
    """The text with a member set; objects on the way are made.

    Raises:
        NotEditable: It cannot be done without touching something else.
    """
    return _changed(text, path, value, lambda here, key: here.__setitem__(key, value))


def add(text: str, path: Sequence[str], value: Any) -> str:
    """The text with an item at the end of a list; the list and objects on the way are made.

    Raises:
        NotEditable: It cannot be done without touching something else.
    """

    def meant(here: Any, key: str) -> None:
        here[key] = [*here.get(key, []), value]

    return _changed(text, path, [value], meant, in_list=value)


def _changed(
    text: str,
    path: Sequence[str],
    value: Any,
    mean: Callable[[Any, str], None],
    in_list: Any = None,
) -> str:
    node = _read(text)
    wanted = copy.deepcopy(node.value)
    here = wanted
    for key in path[:-1]:
        here = _object(here).setdefault(key, {})
    mean(_object(here), path[-1])
    if not text.strip():
        made: Any = {}
        inner = made
        for key in path[:-1]:
            inner = inner.setdefault(key, {})
        inner[path[-1]] = value
        return _checked(json.dumps(made, indent=2, ensure_ascii=False) + "\n", wanted)
    for depth, key in enumerate(path):
        found = next((one for name, _, one, _ in node.items if name == key), None)
        if found is None:
            rest: Any = value
            for outer in reversed(path[depth + 1 :]):
                rest = {outer: rest}
            return _checked(_inserted(text, node, key, rest), wanted)
        node = found
    if in_list is not None:
        if node.kind != "[":
            raise NotEditable(f"`{path[-1]}` is no list")
        return _checked(_inserted(text, node, None, in_list), wanted)
    if node.value == value:
        return text
    said = _said(value, _indent_at(text, node.start), _unit(text), _newline(text))
    return _checked(text[: node.start] + said + text[node.end :], wanted)


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise NotEditable("an object is expected where it goes")
    return value


def _checked(text: str, wanted: Any) -> str:
    # INVARIANT: nothing but what was meant is another value.
    if parsed(text) != wanted:
        raise NotEditable("it cannot be changed without touching something else")
    return text


def _inserted(text: str, node: _Node, key: str | None, value: Any) -> str:
    newline, unit = _newline(text), _unit(text)
    closing = node.end - 1
    line = text.rfind("\n", node.start, closing) + 1
    own_line = bool(line) and not text[line:closing].strip(" \t")
    outer = text[line:closing] if own_line else _indent_at(text, node.start)
    inner = _indent_at(text, node.items[0][1]) if node.items and own_line else outer + unit
    name = "" if key is None else json.dumps(key, ensure_ascii=False) + ": "
    said = name + _said(value, inner, unit, newline)
    if not node.items:
        if text[node.start + 1 : closing].strip():
            if not own_line:
                raise NotEditable("a comment stands where it goes")
            return text[:line] + inner + said + newline + text[line:]
        return text[: node.start + 1] + newline + inner + said + newline + outer + text[closing:]
    _, _, last, comma = node.items[-1]
    if not own_line:
        one_line = name + json.dumps(value, ensure_ascii=False)
        if comma is None:
            return text[: last.end] + ", " + one_line + text[last.end :]
        return text[: comma + 1] + " " + one_line + "," + text[comma + 1 :]
    if comma is None:
        return text[: last.end] + "," + text[last.end : line] + inner + said + newline + text[line:]
    return text[:line] + inner + said + "," + newline + text[line:]


def _said(value: Any, indent: str, unit: str, newline: str) -> str:
    lines = json.dumps(value, indent=unit, ensure_ascii=False).split("\n")
    return (newline + indent).join(lines)


def _indent_at(text: str, place: int) -> str:
    line = text[text.rfind("\n", 0, place) + 1 : place]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    found = re.search(r"^([ \t]+)\S", text, re.MULTILINE)
    return (
        "\t"
        if found and found[1].startswith("\t")
        else found[1]
        if found and len(found[1]) < 9
        else "  "
    )


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


# --- taking something out -------------------------------------------------------------------------


def drop(text: str, path: Sequence[str]) -> str:
    """The text without a member, and without objects that are empty then; empty where nothing is left.

    Raises:
        NotEditable: It cannot be done without touching something else.
    """
    return _without(text, path, None)


def drop_items(text: str, path: Sequence[str], ours: Callable[[Any], bool]) -> str:
    """The text without some items of a list, and without containers that are empty then.

    Raises:
        NotEditable: It cannot be done without touching something else.
    """
    return _without(text, path, ours)


def _without(text: str, path: Sequence[str], ours: Callable[[Any], bool] | None) -> str:
    while text.strip():
        chain = [_read(text)]
        for key in path:
            found = next((one for name, _, one, _ in chain[-1].items if name == key), None)
            if found is None:
                return text
            chain.append(found)
        wanted = copy.deepcopy(chain[0].value)
        if ours is not None:
            number = next(
                (i for i, item in enumerate(chain[-1].items) if ours(item[2].value)), None
            )
            if number is None:
                return text
            container, steps = chain[-1], len(path)
        else:
            container, steps = chain[-2], len(path) - 1
            number = next(i for i, item in enumerate(container.items) if item[0] == path[-1])
        while len(container.items) == 1 and steps:
            steps -= 1
            container = chain[steps]
            number = next(i for i, item in enumerate(container.items) if item[0] == path[steps])
        if len(container.items) == 1:
            return ""
        here = wanted
        for key in path[:steps]:
            here = here[key]
        del here[number if container.kind == "[" else container.items[number][0]]
        text = _checked(_cut(text, container, number), wanted)
        if ours is None:
            return text
    return text


def _cut(text: str, node: _Node, number: int) -> str:
    _, start, value, comma = node.items[number]
    end = value.end if comma is None else comma + 1
    line = text.rfind("\n", 0, start) + 1
    behind = text.find("\n", end)
    own = not text[line:start].strip(" \t") and behind >= 0 and not text[end:behind].strip(" \t\r")
    before = node.items[number - 1][3] if number else None
    if comma is None and before is not None:  # the last one: the comma before it goes too
        first = line if own else before + 1
        return text[:before] + text[before + 1 : first] + text[behind + 1 if own else end :]
    if own:
        return text[:line] + text[behind + 1 :]
    rest = text[end:]
    return text[:start] + rest.lstrip(" \t") if not number else text[:start].rstrip(" \t") + rest
