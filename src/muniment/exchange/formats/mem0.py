"""Exports of mem0: what `get_all` answers (results, pages, or a bare list), and its history of changes.

- One claim a memory; `user_id`, `agent_id`, `app_id` and `run_id` say whose it was there, and are kept.
- `expiration_date` ends a memory at the first instant of that day in UTC; `replaced_by` says that it is superseded.
- `structured_attributes` is clock noise of the store, and a score belongs to a query: neither is part of a claim.
- `get_all` answers 20 rows and the platform 100 unless told otherwise, so exactly as many are warned of.

>>> weigh(Shape("a.json", "array", frozenset({"id", "memory"})))[0]
80
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from muniment.core.errors import Finding
from muniment.exchange.dates import all_stated, instant, stated
from muniment.exchange.opened import OpenFile
from muniment.exchange.reading import Tools, given, mapping_of, objects, text_of, texts_of, worded
from muniment.exchange.shape import Format, Shape, Weight
from muniment.exchange.spans import Node, records_of
from muniment.ports.importing import Candidate, Record, Skipped, Yielded

_HISTORY = ("memory_id", "old_memory", "new_memory", "event")
_OWNERS = ("user_id", "agent_id", "app_id", "run_id", "session_id", "actor_id")
_DEAD = {
    "deleted": "deleted",
    "archived": "archived",
    "expired": "expired",
    "superseded": "superseded",
}


def weigh(shape: Shape) -> Weight:
    """By memories with an identifier and a `memory`."""
    if shape.kind == "object":
        for key in ("results", "memories"):
            if {"id", "memory"} <= shape.inside(key):
                return 90, f"`{key}` with `id` and `memory`"
        if shape.has("id", "memory"):
            return 70, "`id` and `memory`"
        if (
            shape.has("results")
            and not shape.inside("results")
            and shape.keys <= {"results", "relations", "count", "next", "previous"}
        ):
            return 65, "`results`, and nothing in them"
    if shape.kind in ("array", "lines"):
        if shape.has(*_HISTORY):
            return 85, "a history with `old_memory` and `new_memory`"
        if shape.has("id", "memory"):
            return 80, "`id` and `memory`"
    return 0, "no records with `id` and `memory`"


def read(file: OpenFile, tools: Tools) -> Iterator[Yielded]:
    """One candidate a memory."""
    last: dict[str, int] = {}
    for found in objects(_records(file)):
        if isinstance(found, Finding):
            yield found
            continue
        yield Record()
        if isinstance(found, Skipped):
            yield found
        elif _is_change(found[1]):
            last = last or _last_changes(file)
            yield _change(*found, last)
        else:
            yield _memory(*found)


def _records(file: OpenFile) -> Iterator[Node]:
    for root in records_of(file):
        lists = [n for k, n in root.members() if k in ("results", "memories") and n.kind == "array"]
        if lists:
            for one in lists:
                yield from one.items()
        else:
            yield root


def _memory(node: Node, value: dict[str, Any]) -> Yielded:
    text = text_of(value.get("memory"))
    if not text:
        return Skipped(node.place, text_of(value.get("id")) or "memory", "its text is empty")
    words = worded(text)
    metadata = mapping_of(value.get("metadata"))
    categories = (*texts_of(value.get("categories")), *texts_of(metadata.get("category")))
    return Candidate(
        claim=words.claim,
        body=words.body,
        place=node.place,
        foreign_id=text_of(value.get("id")),
        is_record=True,
        account=_owner(value),
        type="user_preference"
        if {"preference", "preferences"} & set(categories)
        else "project_fact",
        content_kind="preference" if {"preference", "preferences"} & set(categories) else "text",
        tags=tuple(dict.fromkeys((*categories, *texts_of(metadata.get("tags"))))),
        dates=all_stated(
            stated("created", value.get("created_at")),
            stated("updated", value.get("updated_at")),
            stated("expires", value.get("expiration_date"), ends=True),
        ),
        state=_state(value),
        foreign=given(
            value,
            *_OWNERS,
            "role",
            "attributed_to",
            "replaced_by",
            "synthesized",
            "lifecycle_state",
        ),
        doubts=words.doubts,
    )


def _is_change(value: dict[str, Any]) -> bool:
    return "old_memory" in value or "new_memory" in value


def _last_changes(file: OpenFile) -> dict[str, int]:
    """Memory to the place of its last change, by date where each of its changes has one, else by order."""
    last: dict[str, tuple[datetime | None, int]] = {}
    for found in objects(_records(file)):
        if not isinstance(found, tuple) or not _is_change(found[1]):
            continue
        node, value = found
        written = instant(text_of(value.get("updated_at")) or text_of(value.get("created_at")))
        earlier, _ = last.get(_memory_id(value), (None, -1))
        if written is None or earlier is None or written >= earlier:
            last[_memory_id(value)] = (written, node.start)
    return {own: start for own, (_, start) in last.items()}


def _memory_id(value: dict[str, Any]) -> str:
    return text_of(value.get("memory_id")) or text_of(value.get("id"))


def _change(node: Node, value: dict[str, Any], last: dict[str, int]) -> Yielded:
    """A row of the history: a memory as its last change left it; what was deleted stays deleted."""
    text, own = text_of(value.get("new_memory")), _memory_id(value)
    if last.get(own) != node.start:
        return Skipped(node.place, own or "memory", "a later change of it replaced this one")
    deleted = (
        value.get("is_deleted") in (1, True) or text_of(value.get("event")).upper() == "DELETE"
    )
    if deleted or not text:
        return Skipped(node.place, own or "memory", "deleted at its source")
    words = worded(text)
    return Candidate(
        claim=words.claim,
        body=words.body,
        place=node.place,
        foreign_id=own,
        is_record=True,
        account=_owner(value),
        dates=all_stated(
            stated("created", value.get("created_at")), stated("updated", value.get("updated_at"))
        ),
        foreign=given(value, "event", "actor_id", "role"),
        doubts=words.doubts,
    )


def _owner(value: dict[str, Any]) -> str:
    return "/".join(f"{key}={value[key]}" for key in _OWNERS[:4] if text_of(value.get(key)))


def _state(value: dict[str, Any]) -> str:
    if value.get("is_deleted") in (1, True):
        return "deleted"
    if text_of(value.get("replaced_by")):
        return "superseded"
    return _DEAD.get(text_of(value.get("lifecycle_state")).lower(), "")


FORMAT = Format("mem0", "mem0 memories (`get_all`, export, history)", weigh, read, pages=(20, 100))
