"""Dumps of Graphiti and Zep: edges with their facts, the episodes behind them, and entities.

- One claim an edge: `fact` is the sentence, source node, `name` and target node are its joinable form.
- Two clocks: `valid_at` and `invalid_at` are the world's, `created_at` and `expired_at` the store's. An edge that
  was expired was replaced there, and does not come alive.
- Episodes are the evidence that an edge names; as conversations they are sources, never claims by themselves.
- A node that an edge names and the dump does not hold is kept by its identifier. Embeddings are left out.

>>> weigh(Shape("d.json", "object", frozenset({"edges"}), {"edges": frozenset({"fact", "uuid"})}))[0]
90
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from muniment.core.claim import Entity, Fact
from muniment.core.errors import Finding
from muniment.exchange.dates import all_stated, stated
from muniment.exchange.opened import OpenFile
from muniment.exchange.reading import Tools, given, objects, text_of, texts_of, worded
from muniment.exchange.shape import Format, Shape, Weight
from muniment.exchange.spans import Node, records_of
from muniment.ports.importing import Candidate, Message, Record, Skipped, Yielded

_EDGES = ("edges", "facts", "entity_edges", "relevant_facts")
_NODES = ("entities", "nodes", "entity_nodes")
_EPISODES = ("episodes", "episodic_nodes")
_ENDS = ("source_node_uuid", "target_node_uuid")


def weigh(shape: Shape) -> Weight:
    """By edges with facts, or episodes with their source."""
    if shape.kind == "object":
        for key in _EDGES:
            if {"fact", "uuid"} <= shape.inside(key):
                return 90, f"`{key}` with `uuid` and `fact`"
        for key in _EPISODES:
            if {"uuid", "content", "source_description"} <= shape.inside(key):
                return 85, f"`{key}` with `content` and `source_description`"
    if shape.kind in ("array", "lines"):
        if shape.has("fact", "uuid"):
            return 85, "`uuid` and `fact`"
        if shape.has("uuid", "content", "source_description"):
            return 80, "`content` and `source_description`"
    return 0, "no edges with `fact`"


def read(file: OpenFile, tools: Tools) -> Iterator[Yielded]:
    """One candidate an edge, one message an episode."""
    names: dict[str, Entity] = {}
    for root in records_of(file):
        members = dict(root.members())
        lists = [
            k for k in (*_NODES, *_EDGES, *_EPISODES) if k in members and members[k].kind == "array"
        ]
        if not lists:
            yield from _each((root,), names)
        for key in lists:
            yield from _each(members[key].items(), names, key)


def _each(nodes: Any, names: dict[str, Entity], key: str = "") -> Iterator[Yielded]:
    for found in objects(iter(nodes)):
        if isinstance(found, Finding):
            yield found
            continue
        yield Record()
        if isinstance(found, Skipped):
            yield found
        elif key in _NODES or ("fact" not in found[1] and "content" not in found[1]):
            yield _node(*found, names)
        elif "fact" in found[1]:
            yield _edge(*found, names)
        else:
            yield _episode(*found)


def _node(node: Node, value: dict[str, Any], names: dict[str, Entity]) -> Yielded:
    own, name = text_of(value.get("uuid")), text_of(value.get("name"))
    labels = [label for label in texts_of(value.get("labels")) if label != "Entity"]
    if own and name:
        names[own] = Entity(name, own, labels[0] if labels else "")
    summary = text_of(value.get("summary"))
    if not (name and summary):
        return Skipped(
            node.place, name or "node", "an entity without a summary states nothing by itself"
        )
    words = worded(f"{name}: {summary}")
    return Candidate(
        claim=words.claim,
        body=words.body,
        place=node.place,
        foreign_id=own,
        is_record=True,
        account=text_of(value.get("group_id")),
        content_kind="summary",
        entities=(names.get(own, Entity(name)),),
        dates=all_stated(stated("created", value.get("created_at"))),
        derivation="summarised",
        origin="summarisation",
        doubts=words.doubts,
    )


def _edge(node: Node, value: dict[str, Any], names: dict[str, Entity]) -> Yielded:
    text = text_of(value.get("fact"))
    own = text_of(value.get("uuid"))
    if not text:
        return Skipped(node.place, own or "edge", "it states no fact")
    words = worded(text)
    ends = [names.get(text_of(value.get(key)), Entity(text_of(value.get(key)))) for key in _ENDS]
    named = text_of(value.get("name"))
    whole = all(end.name for end in ends) and named
    return Candidate(
        claim=words.claim,
        body=words.body,
        place=node.place,
        foreign_id=own,
        is_record=True,
        account=text_of(value.get("group_id")),
        content_kind="relationship",
        entities=tuple(end for end in ends if end.name),
        facts=(Fact(ends[0].name, named.lower(), ends[1].name),) if whole else (),
        dates=all_stated(
            stated("created", value.get("created_at")),
            stated("valid_from", value.get("valid_at")),
            stated("valid_until", value.get("invalid_at"), ends=True),
            stated("expired_at", value.get("expired_at")),
            stated("reference_time", value.get("reference_time")),
        ),
        state="superseded" if text_of(value.get("expired_at")) else "",
        foreign=given(value, "group_id", "attributes"),
        cites=texts_of(value.get("episodes")),
        doubts=words.doubts,
    )


def _episode(node: Node, value: dict[str, Any]) -> Yielded:
    text = text_of(value.get("content"))
    if not text:
        return Skipped(node.place, text_of(value.get("uuid")) or "episode", "it says nothing")
    return Message(
        text_of(value.get("group_id")), text_of(value.get("uuid")), text_of(value.get("source")), text, node.place,
        stated("observed", value.get("valid_at") or value.get("created_at")), text_of(value.get("name")),
    )  # fmt: skip


FORMAT = Format("graphiti", "Graphiti or Zep episodes and edges", weigh, read)
