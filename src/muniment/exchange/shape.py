"""What a file looks like from outside: enough to tell formats apart, without reading all of it.

- JSON is told by its keys, lines of JSON by the keys of the first ones, notes by their front matter and first lines.
- A format weighs a shape: 90 for what no other format has, 60 to 80 for what is typical, less for what is merely
  possible (never chosen by itself), 0 with the reason why not.

Choosing is left to `detect`.

>>> from muniment.exchange.opened import opened_bytes
>>> shape = shape_of(opened_bytes("a.json", "", b'{"entities": [{"name": "a"}]}'))
>>> shape.kind, sorted(shape.keys), sorted(shape.inside("entities"))
('object', ['entities'], ['name'])
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from muniment.exchange.notes import note_of
from muniment.exchange.opened import OpenFile
from muniment.exchange.reading import Tools
from muniment.exchange.spans import Malformed, Node, is_lines, lines_of, root_of, unwrapped
from muniment.ports.importing import Yielded

_HEAD = 65_536
_FIRST = 20
_MOST_KEYS = 100
_SMALL = 262_144


@dataclass(frozen=True, slots=True)
class Shape:
    """A file from outside.

    Attributes:
        path: POSIX path, for formats that are told by their names.
        kind: `object`, `array`, `lines` (of JSON objects), `note` (text) or `empty`.
        keys: Keys of the object, or of the first items or lines.
        members: For an object: keys of the first objects in each member.
        types: Values of `type` (or `_type`) among the first items or lines.
        front: Front matter of a note.
        head: The first 64 KB of text; of a note, of its body.
        encoded: Whether the JSON stood in a JSON text.
    """

    path: str
    kind: str
    keys: frozenset[str] = frozenset()
    members: Mapping[str, frozenset[str]] = field(default_factory=dict)
    types: frozenset[str] = frozenset()
    front: Mapping[str, Any] = field(default_factory=dict)
    head: str = ""
    encoded: bool = False

    @property
    def name(self) -> str:
        """The file's own name."""
        return self.path.rpartition("/")[2]

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders above it."""
        return tuple(step for step in self.path.split("/")[:-1] if step)

    def inside(self, key: str) -> frozenset[str]:
        """Keys of the first objects in a member."""
        return self.members.get(key, frozenset())

    def has(self, *keys: str) -> bool:
        """Whether all of these keys are there."""
        return self.keys.issuperset(keys)


Weight = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Format:
    """One foreign format.

    Attributes:
        name: As `--format` takes it.
        title: What it is, in a few words.
        weigh: How much a file looks like it, and why or why not.
        read: What a file of it holds; may raise `Malformed` after what is whole.
        shared: Whether its files are a team's, not somebody's own memory.
        pages: Row counts at which an export of it is cut silently.
    """

    name: str
    title: str
    weigh: Callable[[Shape], Weight]
    read: Callable[[OpenFile, Tools], Iterator[Yielded]]
    shared: bool = False
    pages: tuple[int, ...] = ()


def shape_of(file: OpenFile) -> Shape:
    """Look at a file from outside."""
    head = file.part(0, _HEAD).decode("utf-8", "replace").removeprefix("\ufeff")
    start = head.lstrip()[:1]
    if not head.strip("\x00 \t\r\n"):
        return Shape(file.path, "empty")
    if start in ("{", "[", '"'):
        found = _json(file, head)
        if found is not None:
            return found
    note = note_of(file)
    return Shape(
        file.path, "note", frozenset(note.front), front=note.front, head=_head_of(note.body)
    )


def _head_of(body: bytes) -> str:
    return body[:_HEAD].decode("utf-8", "replace")


def _json(file: OpenFile, head: str) -> Shape | None:
    root = root_of(file)
    encoded = root.kind == "string"
    root = unwrapped(root)
    if root.kind == "object" and not encoded:
        alone = not file.path.endswith((".jsonl", ".ndjson"))
        if is_lines(root) or not alone:
            lines = list(islice(_objects(lines_of(file)), _FIRST))
            if lines:
                return _listed(file, "lines", lines, head, False)
    if root.kind == "object":
        return _object(file, root, head, encoded)
    if root.kind == "array":
        nodes = list(islice(_objects(_whole(root)), _FIRST))
        if nodes or encoded or root.load().ok:
            return _listed(file, "array", nodes, head, encoded)
    return None


def _whole(root: Node) -> Iterator[Node]:
    try:
        yield from root.items()
    except Malformed:
        return


def _objects(nodes: Iterator[Node]) -> Iterator[Node]:
    """Objects that end where their node ends."""
    for node in nodes:
        if node.kind == "object" and node.file.part(node.end - 1, node.end) == b"}":
            yield node


def _keys(node: Node) -> tuple[str, ...]:
    try:
        return tuple(key for key, _ in islice(node.members(), _MOST_KEYS))
    except Malformed:
        return ()


def _object(file: OpenFile, root: Node, head: str, encoded: bool) -> Shape:
    keys: list[str] = []
    members: dict[str, frozenset[str]] = {}
    types: set[str] = set()
    try:
        for key, node in islice(root.members(), _MOST_KEYS):
            keys.append(key)
            first = [node] if node.kind == "object" else list(islice(_objects(_whole(node)), 3))
            members[key] = frozenset(name for one in first for name in _keys(one))
            if key in ("type", "_type", "@type", "schema") and node.kind == "string":
                types.add(str(node.value()))
    except Malformed:
        pass
    return Shape(
        file.path, "object", frozenset(keys), members, frozenset(types), head=head, encoded=encoded
    )


def _listed(file: OpenFile, kind: str, nodes: list[Node], head: str, encoded: bool) -> Shape:
    keys: set[str] = set()
    types: set[str] = set()
    members: dict[str, frozenset[str]] = {}
    for node in nodes:
        value = node.value() if node.end - node.start <= _SMALL else None
        keys.update(value if isinstance(value, dict) else _keys(node))
        if isinstance(value, dict):
            types.update(str(value[k]) for k in ("type", "_type") if isinstance(value.get(k), str))
            members.update(
                {k: frozenset(map(str, v)) for k, v in value.items() if isinstance(v, dict)}
            )
    return Shape(
        file.path, kind, frozenset(keys), members, frozenset(types), head=head, encoded=encoded
    )
