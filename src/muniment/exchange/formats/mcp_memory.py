r"""The reference memory server of the Model Context Protocol: entities with observations, and relations.

- Lines of JSON, an array of them, or the object that `read_graph` answers; with `type`, `_type` or neither.
- Dialects: `entityName`, `from_id`/`to_id`/`relation_type`, observations as one text, `createdAt`/`updatedAt`.
- One claim an observation (`name: observation`), one a relation with its fact; an entity is known by its name alone.
- An observation `key: value` is a fact too, so that two values of one key are seen to disagree.
- There are no dates, unless a dialect adds them; nothing is added here.

>>> _fact("billing", "Priority: high")
Fact(subject='billing', predicate='priority', object='high')
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from muniment.core.claim import Entity, Fact
from muniment.core.errors import Finding
from muniment.exchange.dates import all_stated, stated
from muniment.exchange.opened import OpenFile
from muniment.exchange.reading import Tools, objects, text_of, without, worded
from muniment.exchange.shape import Format, Shape, Weight
from muniment.exchange.spans import Malformed, Node, records_of
from muniment.ports.importing import Candidate, Place, Record, Skipped, Yielded

_ENDS = (
    ("from", "to", "relationType"),
    ("from_id", "to_id", "relation_type"),
    ("from", "to", "relation_type"),
)
_KEY_VALUE = re.compile(r"(?P<key>[A-Za-z][A-Za-z0-9 _-]{0,30}): (?P<value>\S.{0,200})")
_KNOWN = frozenset({"entity", "relation"})


def weigh(shape: Shape) -> Weight:
    """By `entities` and `relations`, or by the types of lines."""
    if shape.kind == "object" and shape.has("entities", "relations"):
        known = not shape.inside("entities") or shape.inside("entities") & {
            "observations",
            "entityType",
        }
        return (
            (90, "`entities` with observations, and `relations`")
            if known
            else (0, "its entities hold no observations")
        )
    if shape.kind == "object" and shape.has("type") and shape.types & _KNOWN:
        return 85, "one entity or relation"
    if shape.kind in ("lines", "array"):
        if shape.types & _KNOWN and shape.keys & {
            "observations",
            "entityType",
            "relationType",
            "relation_type",
        }:
            return 90, "entities and relations"
        if shape.has("name", "observations") or shape.has("entityName", "observations"):
            return 80, "names with observations"
        if any(shape.has(*ends) for ends in _ENDS):
            return 80, "relations"
    return 0, "no entities with observations"


def read(file: OpenFile, tools: Tools) -> Iterator[Yielded]:
    """One candidate an observation and relation."""
    for found in objects(_records(file)):
        if isinstance(found, Finding | Skipped):
            yield from (Record(), found) if isinstance(found, Skipped) else (found,)
            continue
        node, value = found
        yield Record()
        kind = text_of(value.get("type")) or text_of(value.get("_type"))
        ends = next((e for e in _ENDS if all(text_of(value.get(k)) for k in e)), None)
        if ends and kind in ("", "relation"):
            yield _relation(node, value, ends)
        elif kind in ("", "entity"):
            yield from _entity(node, value)
        else:
            yield Skipped(node.place, kind, "it is neither an entity nor a relation")


def _records(file: OpenFile) -> Iterator[Node]:
    for root in records_of(file):
        lists = [
            n for k, n in _members(root) if k in ("entities", "relations") and n.kind == "array"
        ]
        if lists:
            for one in lists:
                yield from one.items()
        else:
            yield root


def _members(root: Node) -> Iterator[tuple[str, Node]]:
    """The members as far as they are whole; what is broken is found when it is read."""
    try:
        yield from root.members()
    except Malformed:
        return


def _entity(node: Node, value: dict[str, Any]) -> Iterator[Yielded]:
    name = text_of(value.get("name")) or text_of(value.get("entityName"))
    if not name:
        yield Skipped(node.place, "entity", "it has no name")
        return
    said = value.get("observations")
    texts = list(said) if isinstance(said, list) else [said]
    places = _places(node, isinstance(said, list), len(texts))
    rest = without(value, "observations")
    empty = True
    for number, text in enumerate(texts):
        if not text_of(text):
            continue
        empty = False
        yield _observation(
            name, text_of(text), value, rest, places[number] if places else node.place
        )
    if empty:
        yield Skipped(node.place, name, "the entity has no observation")


def _observation(
    name: str, text: str, value: dict[str, Any], rest: dict[str, Any], place: Place
) -> Candidate:
    words = worded(f"{name}: {text}")
    fact = _fact(name, text)
    return Candidate(
        claim=words.claim,
        body=words.body,
        place=place,
        entities=(Entity(name, type=text_of(value.get("entityType"))),),
        facts=(fact,) if fact else (),
        dates=_dates(value),
        record=rest,
        doubts=words.doubts,
    )


def _places(node: Node, listed: bool, count: int) -> list[Place]:
    """The place of each observation."""
    inner = node.get("observations")
    if inner is None:
        return []
    found = [one.place for one in inner.items()] if listed else [inner.place]
    return found if len(found) == count else []


def _fact(name: str, text: str) -> Fact | None:
    found = _KEY_VALUE.fullmatch(text)
    if not found:
        return None
    key = re.sub(r"[ -]+", "_", found["key"].strip().lower())
    return Fact(name, key, found["value"].strip())


def _relation(node: Node, value: dict[str, Any], ends: tuple[str, str, str]) -> Candidate:
    one, other, kind = (text_of(value[key]) for key in ends)
    words = worded(f"{one} {kind.replace('_', ' ')} {other}")
    return Candidate(
        claim=words.claim,
        body=words.body,
        place=node.place,
        content_kind="relationship",
        entities=(Entity(one), Entity(other)),
        facts=(Fact(one, kind, other),),
        dates=_dates(value),
        doubts=words.doubts,
    )


def _dates(value: dict[str, Any]) -> tuple[Any, ...]:
    return all_stated(
        stated("created", value.get("createdAt", value.get("_created")), number=True),
        stated("updated", value.get("updatedAt"), number=True),
    )


FORMAT = Format("mcp-memory", "memory of the MCP reference server (JSONL)", weigh, read)
