"""YAML with positions, built from the parser's events.

- Every scalar stays the text that was written: `no`, `3.10` and `on` are not turned into anything.
- Tags are ignored and nothing is constructed; an alias stands for its anchor's own node.
- Depth and the number of aliases are bounded, so a small file cannot ask for unbounded work.
- A merge key (`<<`) gives a mapping the entries that it does not have itself.

>>> text = "on: push\\njobs: {a: {env: &e [1], x: *e}}"
>>> root = parse_yaml(text)
>>> root.get("on").text, [n.text for n in root.get("jobs").get("a").get("x").nodes]
('push', ['1'])
>>> text[slice(*root.get("jobs").get("a").get("env").span)]
'env: &e [1]'
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from muniment.learn.document import refuse_depth
from muniment.learn.page import Span, Unreadable

MAX_DEPTH = 64
MAX_ALIASES = 200
_MAX_BRACKETS = 400


@dataclass(slots=True)
class Node:
    """One value. `key` is where its key begins (or the value itself, for a list entry)."""

    kind: Literal["scalar", "list", "map", "none"]
    key: int
    start: int
    end: int
    text: str = ""
    entries: dict[str, Node] = field(default_factory=dict)
    nodes: list[Node] = field(default_factory=list)

    @property
    def span(self) -> Span:
        """From the key to the end of the value."""
        return self.key, self.end

    def get(self, name: str) -> Node:
        """The entry of a mapping, or an empty node."""
        return self.entries.get(name, NOTHING)

    def scalars(self) -> Iterator[Node]:
        """The scalar itself, or the scalars of a list (lists in it included)."""
        if self.kind == "scalar":
            yield self
        for node in self.nodes:
            if node.kind == "scalar":
                yield node
            elif node.kind == "list":
                yield from (inner for inner in node.nodes if inner.kind == "scalar")


NOTHING = Node("none", 0, 0, 0)


def parse_yaml(text: str) -> Node:
    """The root node of the first document; an empty node for an empty file.

    Raises:
        Unreadable: `bad_yaml` with its position, `too_deep`, or `too_many_aliases`.
    """
    import yaml  # late: most commands read no YAML

    refuse_depth(text, _MAX_BRACKETS)  # before the parser looks ahead over them
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return _Builder().run(yaml.parse(text, Loader=loader))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        position = mark.index if mark else getattr(error, "position", 0)
        problem = str(getattr(error, "problem", None) or "a character is not allowed")
        raise Unreadable("bad_yaml", problem, min(position, max(0, len(text) - 1))) from None


class _Builder:
    """Folds events into nodes without recursion."""

    def __init__(self) -> None:
        self.root = NOTHING
        self.anchors: dict[str, Node] = {}
        self.stack: list[Node] = []
        self.keys: list[tuple[str, int] | None] = []
        self.aliases = 0

    def run(self, events: Iterator[Any]) -> Node:
        for event in events:
            kind = type(event).__name__
            if kind == "ScalarEvent":
                self._take(event, Node("scalar", *_marks(event), text=event.value))
            elif kind == "AliasEvent":
                self._alias(event)
            elif kind in ("MappingStartEvent", "SequenceStartEvent"):
                shape: Literal["map", "list"] = "map" if kind.startswith("Mapping") else "list"
                self._open(event, Node(shape, *_marks(event)))
            elif kind in ("MappingEndEvent", "SequenceEndEvent"):
                self._close(event)
            elif kind == "DocumentEndEvent":
                break
        return self.root

    def _alias(self, event: Any) -> None:
        self.aliases += 1
        target = self.anchors.get(event.anchor, NOTHING)
        if self.aliases > MAX_ALIASES:
            raise Unreadable(
                "too_many_aliases", f"more than {MAX_ALIASES} aliases", event.start_mark.index
            )
        if target is NOTHING or target in self.stack:
            raise Unreadable("bad_yaml", "an alias has no anchor before it", event.start_mark.index)
        self._place(event.start_mark.index, target, alias=True)

    def _take(self, event: Any, node: Node) -> None:
        if event.anchor:
            self.anchors[event.anchor] = node
        self._place(event.start_mark.index, node)

    def _open(self, event: Any, node: Node) -> None:
        self._take(event, node)
        self.stack.append(node)
        self.keys.append(None)
        if len(self.stack) > MAX_DEPTH:
            raise Unreadable("too_deep", f"values nest deeper than {MAX_DEPTH}", node.start)

    def _close(self, event: Any) -> None:
        node = self.stack.pop()
        self.keys.pop()
        last = max((n.end for n in (*node.nodes, *node.entries.values())), default=node.end)
        flow = event.end_mark.index > event.start_mark.index  # a bracket was read
        node.end = event.end_mark.index if flow else last
        if node.kind == "map" and "<<" in node.entries:
            _merge(node)

    def _place(self, at: int, node: Node, alias: bool = False) -> None:
        if not self.stack:
            self.root = node
            return
        parent = self.stack[-1]
        if parent.kind == "list":
            parent.nodes.append(node)
            return
        key = self.keys[-1]
        if key is None:
            self.keys[-1] = (node.text if node.kind == "scalar" else "", at)
            return
        self.keys[-1] = None
        if not alias:
            node.key = key[1]
        if node.kind in ("map", "list") or key[0]:
            parent.entries[key[0]] = node


def _merge(node: Node) -> None:
    source = node.entries.pop("<<")
    for origin in (source, *source.nodes):
        for name, value in origin.entries.items():
            node.entries.setdefault(name, value)


def _marks(event: Any) -> tuple[int, int, int]:
    start, end = event.start_mark.index, event.end_mark.index
    return start, start, end
