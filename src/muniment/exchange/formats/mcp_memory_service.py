"""Exports of mcp-memory-service: memories with a content hash and two clocks.

- The number in `created_at` is the date; where an ISO text beside it disagrees by over a day, a reviewer looks.
- The content hash only proposes a duplicate: two memories with one hash are two candidates.
- The tag `untagged` and the source type `user` are filled in by the exporter when nothing is known; the first is
  dropped, the second is kept as foreign and raises nothing.
- Paths of the exporting machine are left out.

>>> weigh(Shape("e.json", "object", frozenset({"export_metadata", "memories"})))[0]
90
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from muniment.core.errors import Finding
from muniment.exchange.dates import all_stated, instant, stated
from muniment.exchange.opened import OpenFile
from muniment.exchange.reading import Tools, given, mapping_of, objects, text_of, texts_of, worded
from muniment.exchange.shape import Format, Shape, Weight
from muniment.exchange.spans import Node, records_of
from muniment.ports.importing import Candidate, Record, Skipped, Yielded

_TYPES = {
    "decision": "decision",
    "preference": "user_preference",
    "learning": "incident_lesson",
    "error": "known_failure_mode",
}


def weigh(shape: Shape) -> Weight:
    """By `export_metadata` and memories with a `content_hash`."""
    if shape.kind == "object" and shape.has("export_metadata", "memories"):
        return 90, "`export_metadata` and `memories`"
    if {"content", "content_hash"} <= shape.inside("memories") or shape.has(
        "content", "content_hash"
    ):
        return 75, "`content` and `content_hash`"
    return 0, "no memories with `content_hash`"


def read(file: OpenFile, tools: Tools) -> Iterator[Yielded]:
    """One candidate a memory."""
    for root in records_of(file):
        lists = [n for k, n in root.members() if k == "memories" and n.kind == "array"]
        nodes = (item for one in lists for item in one.items()) if lists else iter((root,))
        for found in objects(nodes):
            if isinstance(found, Finding):
                yield found
                continue
            yield Record()
            yield found if isinstance(found, Skipped) else _memory(*found)


def _memory(node: Node, value: dict[str, Any]) -> Yielded:
    text = text_of(value.get("content"))
    if not text:
        return Skipped(node.place, "memory", "its text is empty")
    words = worded(text)
    kind = text_of(value.get("memory_type"))
    metadata = mapping_of(value.get("metadata"))
    return Candidate(
        claim=words.claim,
        body=words.body,
        place=node.place,
        foreign_id=text_of(value.get("content_hash")),
        account=text_of(value.get("export_source")),
        type=_TYPES.get(kind.lower(), "project_fact"),
        tags=tuple(tag for tag in texts_of(value.get("tags")) if tag != "untagged"),
        dates=all_stated(
            stated("created", value.get("created_at", value.get("created_at_iso")), number=True),
            stated("updated", value.get("updated_at"), number=True),
        ),
        foreign=given(value, "memory_type", "export_source")
        | given(metadata, "source_type", "quality_score", "confidence"),
        doubts=words.doubts + _clocks(value),
    )


def _clocks(value: dict[str, Any]) -> tuple[Finding, ...]:
    number = stated("created", value.get("created_at"), number=True)
    written = instant(text_of(value.get("created_at_iso")))
    if number and number.instant and written and abs(number.instant - written) > timedelta(days=1):
        message = "its two dates of creation disagree by more than a day"
        return (
            Finding(
                "dates_disagree",
                message,
                "/source/observed_at",
                "find out which holds",
                "warning",
                "E-MISSING",
            ),
        )
    return ()


FORMAT = Format("mcp-memory-service", "mcp-memory-service export", weigh, read)
