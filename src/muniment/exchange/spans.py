r"""Walk JSON without loading it: each member of an object and item of an array, with its bytes.

- Only what is asked for is parsed, by the strict loader; so a large file costs its largest record, not itself.
- Every node knows its place: byte span, line and JSON pointer.
- What stops in the middle gives everything that is whole before it, and then `Malformed`.
- Nesting of more than 64 levels is refused before anything recurses.

>>> from muniment.exchange.opened import opened_bytes
>>> root = root_of(opened_bytes("a.json", "", b'{"a": [1, {"b": "]"}]}'))
>>> [(n.pointer, n.load().value) for key, a in root.members() for n in a.items()]
[('/a/0', 1), ('/a/1', {'b': ']'})]
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from muniment.core.errors import Finding
from muniment.exchange.loaded import DEEPEST, Loaded
from muniment.exchange.opened import OpenFile
from muniment.exchange.strict_json import load_json
from muniment.ports.importing import Place

LARGEST_RECORD = 64_000_000
_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_MARKS = re.compile(_STRING + rb'|[\[\]{},:"]', re.DOTALL)
_BRACKETS = re.compile(_STRING + rb'|[\[\]{}"]', re.DOTALL)
_SPACE = re.compile(rb"[ \t\r\n]*+")
_TAIL = 65_536
_KINDS = {b"{": "object", b"[": "array", b'"': "string"}
_LONGEST_KEY = 1_000


class Malformed(Exception):
    """The JSON stops or breaks; carries the finding."""

    def __init__(self, code: str, message: str, file: OpenFile, position: int) -> None:
        super().__init__(message)
        where = f"{file.name}:{file.line(position)}" if file.whole else file.name
        self.finding = Finding(code, message, where, "export it again, or correct the syntax")


@dataclass(frozen=True, slots=True)
class Node:
    """One JSON value in a file, not parsed yet.

    Attributes:
        file: The file.
        start: First byte of the value.
        end: Byte after it.
        pointer: Its JSON pointer.
    """

    file: OpenFile
    start: int
    end: int
    pointer: str = ""

    @property
    def kind(self) -> str:
        """`object`, `array`, `string` or `other`."""
        return _KINDS.get(self.file.part(self.start, self.start + 1), "other")

    @property
    def place(self) -> Place:
        """Where it stands."""
        return self.file.place(self.start, self.end, self.pointer)

    def members(self) -> Iterator[tuple[str, Node]]:
        """The members of an object, in order; nothing of anything else.

        Raises:
            Malformed: After the members that are whole.
        """
        if self.kind == "object":
            for key, start, end in _children(self.file, self.start, self.end, True):
                step = key.replace("~", "~0").replace("/", "~1")
                yield key, Node(self.file, start, end, f"{self.pointer}/{step}")

    def items(self) -> Iterator[Node]:
        """The items of an array, in order; nothing of anything else.

        Raises:
            Malformed: After the items that are whole.
        """
        if self.kind == "array":
            spans = _children(self.file, self.start, self.end, False)
            for number, (_, start, end) in enumerate(spans):
                yield Node(self.file, start, end, f"{self.pointer}/{number}")

    def get(self, *keys: str) -> Node | None:
        """The first member on a path of keys."""
        here: Node | None = self
        for key in keys:
            here = (
                next((node for name, node in here.members() if name == key), None) if here else None
            )
        return here

    def load(self) -> Loaded:
        """The value, read strictly; findings name the file and the line in it."""
        where = f"{self.file.name}{self.pointer}" if self.pointer else self.file.name
        if self.end - self.start > LARGEST_RECORD:
            message = f"the record has more than {LARGEST_RECORD:,} bytes"
            return Loaded(None, (Finding("too_large", message, where, "split it"),))
        data = self.file.part(self.start, self.end)
        return load_json(data, limit_bytes=LARGEST_RECORD, name=where)

    def value(self) -> Any:
        """The value where it is good, else None."""
        loaded = self.load()
        return loaded.value if loaded.ok else None


def root_of(file: OpenFile) -> Node:
    """The file's one value, from its first to its last character that is no white space."""
    start = 3 if file.part(0, 3) == b"\xef\xbb\xbf" else 0
    start = _past_space(file.data, start, file.size)
    end = file.size
    while end > start:
        block = file.part(max(start, end - _TAIL), end)
        kept = len(block.rstrip(b" \t\r\n\x00"))
        end -= len(block) - kept
        if kept:
            break
    return Node(file, start, end)


def lines_of(file: OpenFile) -> Iterator[Node]:
    """Each line that is not blank, as a node, without the white space around it."""
    at = 3 if file.part(0, 3) == b"\xef\xbb\xbf" else 0
    while (at := _past_space(file.data, at, file.size)) < file.size:
        end = file.data.find(b"\n", at)
        end = file.size if end < 0 else end
        stop = end
        while stop > at and file.part(stop - 1, stop) in (b"\r", b" ", b"\t"):
            stop -= 1
        yield Node(file, at, stop)
        at = end


def is_lines(root: Node) -> bool:
    """Whether further objects follow the first one, as in lines of JSON.

    >>> from muniment.exchange.opened import opened_bytes
    >>> [is_lines(root_of(opened_bytes("a", "", data))) for data in (b'{"a": 1}', b'{} {}')]
    [False, True]
    """
    try:
        return root.kind == "object" and _bracket_end(root.file, root.start, root.end) < root.end
    except Malformed:
        return False


def records_of(file: OpenFile) -> Iterator[Node]:
    """The items of an array, the lines of a file of lines, or the one value."""
    root = unwrapped(root_of(file))
    if root.kind == "array":
        yield from root.items()
    elif is_lines(root):
        yield from lines_of(root.file)
    else:
        yield root


def unwrapped(node: Node) -> Node:
    """The value inside a text that is itself JSON (double encoding), at most twice; else the node."""
    for _ in range(2):
        if node.kind != "string":
            break
        text = node.value()
        if not isinstance(text, str) or not text.lstrip().startswith(("{", "[", '"')):
            break
        node = root_of(node.file.inside(text))
    return node


def _past_space(data: Any, at: int, end: int) -> int:
    found = _SPACE.match(data, at, end)
    return found.end() if found else at


def _children(file: OpenFile, start: int, end: int, keyed: bool) -> Iterator[tuple[str, int, int]]:
    """Key, start and end of each child of the value that opens at `start`."""
    data = file.data
    at = _past_space(data, start + 1, end)
    close = b"}" if keyed else b"]"
    if file.part(at, at + 1) == close:
        return
    while True:
        key = ""
        if keyed:
            key, at = _key(file, at, end)
        stop = _value_end(file, at, end)
        yield key, at, stop
        at = _past_space(data, stop, end)
        mark = file.part(at, at + 1) if at < end else b""
        if mark == close:
            return
        if mark != b",":
            what = "the file stops in the middle" if at >= end else "a comma or an end is missing"
            raise Malformed("json_syntax", f"not JSON: {what}", file, min(at, max(end - 1, 0)))
        at = _past_space(data, at + 1, end)


def _key(file: OpenFile, at: int, end: int) -> tuple[str, int]:
    found = _MARKS.match(file.data, at, end)
    if not found or found.end() - at < 2 or found.end() - at > _LONGEST_KEY:
        raise Malformed("json_syntax", "not JSON: a key is missing", file, min(at, max(end - 1, 0)))
    try:
        key = json.loads(found.group())
    except ValueError:
        raise Malformed("json_syntax", "not JSON: a key cannot be read", file, at) from None
    colon = _past_space(file.data, found.end(), end)
    if file.part(colon, colon + 1) != b":":
        raise Malformed("json_syntax", "not JSON: a colon is missing", file, min(colon, end - 1))
    key = key.encode("utf-8", "replace").decode()  # half a surrogate pair cannot be kept
    return key, _past_space(file.data, colon + 1, end)


def _value_end(file: OpenFile, at: int, end: int) -> int:
    first = file.part(at, at + 1) if at < end else b""
    if first in (b"{", b"["):
        return _bracket_end(file, at, end)
    found = _MARKS.search(file.data, at, end)
    if first == b'"':
        if found and found.start() == at and found.end() - at >= 2:
            return found.end()
        raise Malformed("json_syntax", "not JSON: a text does not end", file, at)
    stop = found.start() if found else end
    while stop > at and file.part(stop - 1, stop).isspace():
        stop -= 1
    if stop == at:
        raise Malformed(
            "json_syntax", "not JSON: a value is missing", file, min(at, max(end - 1, 0))
        )
    return stop


def _bracket_end(file: OpenFile, at: int, end: int) -> int:
    depth = 0
    for found in _BRACKETS.finditer(file.data, at, end):
        mark = found.group()
        if mark in (b"{", b"["):
            depth += 1
            if depth > DEEPEST:
                message = f"nested more than {DEEPEST} levels deep"
                raise Malformed("too_deep", message, file, found.start())
        elif mark in (b"}", b"]"):
            depth -= 1
            if not depth:
                return found.end()
        elif mark == b'"':
            raise Malformed("json_syntax", "not JSON: a text does not end", file, found.start())
    raise Malformed("json_syntax", "not JSON: the file stops in the middle", file, at)
