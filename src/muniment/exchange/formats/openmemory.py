"""Exports of OpenMemory: memories with their states, apps, categories and access rules.

- One claim a memory; the archive holds each memory twice, and the copy in lines adds nothing.
- Only `active` holds: paused, archived and deleted memories stay so, and a deletion date deletes.
- An access rule that denies is kept with the memory, and makes it wait for a closer look.

>>> _state({"state": "paused"}), _state({"state": "active", "deleted_at": 1767225600})
('paused', 'deleted')
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from muniment.core.errors import Finding
from muniment.exchange.dates import all_stated, stated
from muniment.exchange.opened import OpenFile
from muniment.exchange.reading import Tools, given, mapping_of, objects, text_of, texts_of, worded
from muniment.exchange.shape import Format, Shape, Weight
from muniment.exchange.spans import Node, records_of
from muniment.ports.importing import DEAD_STATES, Candidate, Record, Skipped, Yielded

_SIDE = ("apps", "categories", "memory_categories", "access_controls")


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


def read(file: OpenFile, tools: Tools) -> Iterator[Yielded]:
    """One candidate a memory."""
    side: dict[str, list[dict[str, Any]]] = {}
    for root in records_of(file):
        members = dict(root.members())
        if "memories" not in members:
            yield from _read((root,), side)
            continue
        for key in _SIDE:
            value = members[key].value() if key in members else None
            side[key] = [v for v in value if isinstance(v, dict)] if isinstance(value, list) else []
        yield from _read(members["memories"].items(), side)


def _read(nodes: Any, side: dict[str, list[dict[str, Any]]]) -> Iterator[Yielded]:
    for found in objects(iter(nodes)):
        if isinstance(found, Finding):
            yield found
            continue
        yield Record()
        yield found if isinstance(found, Skipped) else _memory(*found, side)


def _memory(node: Node, value: dict[str, Any], side: dict[str, list[dict[str, Any]]]) -> Yielded:
    own = text_of(value.get("id"))
    text = text_of(value.get("content"))
    if not text:
        return Skipped(node.place, own or "memory", "its text is empty")
    words = worded(text)
    rules = [
        rule for rule in side.get("access_controls", ()) if rule.get("object_id") == own and own
    ]
    denied = [rule for rule in rules if rule.get("effect") == "deny"]
    doubt = Finding("access_denied_at_source", "its source denies it to somebody", "/visibility",
                    "choose its visibility with that in mind", "warning", "B-TRAVEL")  # fmt: skip
    return Candidate(
        claim=words.claim,
        body=words.body,
        place=node.place,
        foreign_id=own,
        is_record=True,
        account=text_of(value.get("user_id")),
        tags=_categories(own, value, side),
        dates=all_stated(
            *(
                stated(name, value.get(f"{name}_at"), number=True)
                for name in ("created", "updated", "archived", "deleted")
            )
        ),
        state=_state(value),
        foreign=given(value, "user_id", "app_id", "app", "state")
        | ({"access_controls": rules} if rules else {}),
        doubts=words.doubts + ((doubt,) if denied else ()),
    )


def _categories(
    own: str, value: dict[str, Any], side: dict[str, list[dict[str, Any]]]
) -> tuple[str, ...]:
    names = {
        c.get("id"): text_of(c.get("name"))
        for c in side.get("categories", ())
        if isinstance(c.get("id"), str)
    }
    ids = list(texts_of(value.get("category_ids")))
    ids += [
        text_of(m.get("category_id"))
        for m in side.get("memory_categories", ())
        if m.get("memory_id") == own
    ]
    named = [names[one] for one in ids if names.get(one)]
    return tuple(
        dict.fromkeys(
            [
                *named,
                *texts_of(value.get("categories")),
                *texts_of(mapping_of(value.get("metadata")).get("tags")),
            ]
        )
    )


def _state(value: dict[str, Any]) -> str:
    if value.get("deleted_at") not in (None, ""):
        return "deleted"
    state = text_of(value.get("state")).lower()
    return state if state in DEAD_STATES else ""


FORMAT = Format("openmemory", "OpenMemory export (JSON, or its archive)", weigh, read)
