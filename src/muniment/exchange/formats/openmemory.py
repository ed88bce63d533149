"""Exports of OpenMemory: memories with their states, apps, categories and access rules.

- One claim a memory; the archive holds each memory twice, and the copy in lines adds nothing.
- Only `active` holds: paused, archived and deleted memories stay so, and a deletion date deletes.
- An access rule that denies is kept with the memory, and makes it wait for a closer look.

>>> _state({"state": "paused"}), _state({"state": "active", "deleted_at": 1767225600})
('paused', 'deleted')
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from muniment.core.errors import Finding
from muniment.exchange.dates import all_stated, stated
from muniment.exchange.opened import OpenFile
from muniment.exchange.reading import Tools, given, mapping_of, objects, text_of, texts_of, worded
from muniment.exchange.shape import Format, Shape, Weight
from muniment.exchange.spans import Node, records_of
from muniment.ports.importing import DEAD_STATES, Candidate, Record, Skipped, Yielded


def weigh(shape: Shape) -> Weight:
    """By memories with a `state`, beside apps or access rules."""
    if (
        shape.kind == "object"
        and shape.has("memories")
        and shape.keys & {"apps", "access_controls", "status_history"}
    ):
        return 95, "`memories` beside `apps`, `status_history` or `access_controls`"
    if shape.kind in ("lines", "array") and shape.has("id", "content", "state"):
        return 85, "`id`, `content` and `state`"
    return 0, "no memories with apps and states"


@dataclass(slots=True)
class _Side:
    """What stands beside the memories, by memory: access rules and names of categories."""

    rules: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    named: dict[str, str] = field(default_factory=dict)
    filed: dict[str, list[str]] = field(default_factory=dict)


def read(file: OpenFile, tools: Tools) -> Iterator[Yielded]:
    """One candidate a memory."""
    for root in records_of(file):
        members = dict(root.members())
        if "memories" in members:
            yield from _read(members["memories"].items(), _beside(members))
        else:
            yield from _read(iter((root,)), _Side())


def _beside(members: dict[str, Node]) -> _Side:
    side = _Side()
    for rule in _objects(members, "access_controls"):
        side.rules.setdefault(text_of(rule.get("object_id")), []).append(rule)
    for one in _objects(members, "categories"):
        side.named[text_of(one.get("id"))] = text_of(one.get("name"))
    for link in _objects(members, "memory_categories"):
        category = text_of(link.get("category_id"))
        side.filed.setdefault(text_of(link.get("memory_id")), []).append(category)
    return side


def _objects(members: dict[str, Node], key: str) -> Iterator[dict[str, Any]]:
    for found in objects(members[key].items()) if key in members else ():
        if isinstance(found, tuple):
            yield found[1]


def _read(nodes: Iterator[Node], side: _Side) -> Iterator[Yielded]:
    for found in objects(nodes):
        if isinstance(found, Finding):
            yield found
            continue
        yield Record()
        yield found if isinstance(found, Skipped) else _memory(*found, side)


def _memory(node: Node, value: dict[str, Any], side: _Side) -> Yielded:
    own = text_of(value.get("id"))
    text = text_of(value.get("content"))
    if not text:
        return Skipped(node.place, own or "memory", "its text is empty")
    words = worded(text)
    rules = side.rules.get(own, []) if own else []
    denied = any(rule.get("effect") == "deny" for rule in rules)
    doubt = Finding("access_denied_at_source", "its source denies it to somebody", "/visibility",
                    "choose its visibility with that in mind", "warning", "B-TRAVEL")  # fmt: skip
    dates = ("created", "updated", "archived", "deleted")
    return Candidate(
        claim=words.claim,
        body=words.body,
        place=node.place,
        foreign_id=own,
        is_record=True,
        account=text_of(value.get("user_id")),
        tags=_categories(own, value, side),
        dates=all_stated(*(stated(name, value.get(f"{name}_at"), number=True) for name in dates)),
        state=_state(value),
        foreign=given(value, "user_id", "app_id", "app", "state")
        | ({"access_controls": rules} if rules else {}),
        doubts=words.doubts + ((doubt,) if denied else ()),
    )


def _categories(own: str, value: dict[str, Any], side: _Side) -> tuple[str, ...]:
    ids = (*texts_of(value.get("category_ids")), *side.filed.get(own, ()))
    tags = texts_of(mapping_of(value.get("metadata")).get("tags"))
    named = (side.named.get(one, "") for one in ids)
    return tuple(dict.fromkeys(t for t in (*named, *texts_of(value.get("categories")), *tags) if t))


def _state(value: dict[str, Any]) -> str:
    if value.get("deleted_at") not in (None, ""):
        return "deleted"
    state = text_of(value.get("state")).lower()
    return state if state in DEAD_STATES else ""


FORMAT = Format("openmemory", "OpenMemory export (JSON, or its archive)", weigh, read)
