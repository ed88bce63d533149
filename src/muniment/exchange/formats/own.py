"""Our own export of one claim a line: an import like any other, whoever wrote it.

- Review, scope, visibility, allowed uses and confidence of the file are what its writer says: kept as foreign.
- What limits a claim travels: validity, expiry, prohibited uses. What the file calls over does not come alive.
- What needed review or was disputed there waits for a closer look here.

Bringing review states back is a restore, of a bundle whose digests agree, under a reviewer's signature.

>>> weigh(Shape("a.jsonl", "lines", frozenset({"claim", "status", "labels"})))[0]
90
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from muniment.core.claim import Entity, Fact, Relationship
from muniment.core.errors import Finding
from muniment.core.vocabulary import names
from muniment.exchange.dates import all_stated, stated
from muniment.exchange.opened import OpenFile
from muniment.exchange.reading import (
    Tools,
    given,
    mapping_of,
    objects,
    text_of,
    texts_of,
    without,
    worded,
)
from muniment.exchange.shape import Format, Shape, Weight
from muniment.exchange.spans import Node, records_of
from muniment.ports.importing import Candidate, Record, Skipped, Yielded

_PARTS = (
    "summary", "namespace", "ontology", "properties", "concept_type", "event", "importance", "conflict_notes",
    "prohibited_uses", "created_at", "validity",
)  # fmt: skip
_OPEN_NAME = re.compile(r"[a-z][a-z0-9_]*([:/-][a-z0-9_]+)*")
_OVER = ("superseded", "expired", "invalid", "archived")
_FOREIGN = ("review", "confidence", "scope", "visibility", "allowed_uses", "derivation")


def weigh(shape: Shape) -> Weight:
    """By lines with a claim, its status and labels."""
    if shape.kind == "lines" and shape.has("claim", "status", "labels"):
        return 90, "lines with `claim`, `status` and `labels`"
    return 0, "no lines with `claim`, `status` and `labels`"


def read(file: OpenFile, tools: Tools) -> Iterator[Yielded]:
    """One candidate a line."""
    for found in objects(records_of(file)):
        if isinstance(found, Finding):
            yield found
            continue
        if isinstance(found, tuple) and "muniment" in found[1] and "claim" not in found[1]:
            continue  # the first line, which says what the file is
        yield Record()
        yield found if isinstance(found, Skipped) else _claim(*found)


def _claim(node: Node, line: dict[str, Any]) -> Yielded:
    value = mapping_of(line.get("claim"))
    own, text = text_of(value.get("id")), text_of(value.get("claim"))
    if not text:
        return Skipped(node.place, own or "claim", "it states nothing")
    words = worded(text)
    source, freshness = mapping_of(value.get("source")), mapping_of(value.get("freshness"))
    validity = mapping_of(value.get("validity"))
    extensions = without(mapping_of(value.get("extensions")), "import")
    parts = given(value, *_PARTS) | ({"extensions": extensions} if extensions else {})
    return Candidate(
        claim=words.claim,
        body=words.body or text_of(value.get("body")),
        place=node.place,
        foreign_id=own,
        is_record=True,
        type=kind if _OPEN_NAME.fullmatch(kind := text_of(value.get("type"))) else "project_fact",
        memory_type=_known("memory_type", value.get("memory_type"), "semantic"),
        content_kind=_known("content_kind", value.get("content_kind"), "text"),
        title=text_of(value.get("title")),
        tags=texts_of(value.get("tags")),
        entities=tuple(Entity(**one) for one in _texts(value, "entities", "name", "id", "type")),
        facts=tuple(
            Fact(**one) for one in _texts(value, "facts", "subject", "predicate", "object")
        ),
        steps=texts_of(value.get("steps")) if isinstance(value.get("steps"), list) else (),
        relationships=tuple(
            Relationship(one["type"], one["target"])
            for one in _texts(value, "relationships", "type", "target")
        ),
        dates=all_stated(
            stated("observed", source.get("observed_at")),
            stated("created", value.get("created_at")),
            stated("valid_from", validity.get("valid_from")),
            stated("valid_until", validity.get("valid_until"), ends=True),
            stated("expires", freshness.get("expires_at"), ends=True),
        ),
        state=_state(line, value),
        foreign=given(value, *_FOREIGN) | given(line, "status", "labels"),
        origin=_known("origin", source.get("origin"), "external_data"),
        cites=tuple(one for one in (text_of(source.get("uri")),) if one),
        doubts=words.doubts + tuple(_doubts(line, value)),
        parts=parts,
    )


def _known(vocabulary: str, given_name: Any, usual: str) -> str:
    """A name that the vocabulary has, else the usual one."""
    return text_of(given_name) if text_of(given_name) in names(vocabulary) else usual


def _texts(value: dict[str, Any], key: str, *wanted: str) -> list[dict[str, str]]:
    """The objects of a list, each with the texts of these names; one without its first text is left out."""
    given_rows = value.get(key)
    rows = (
        [row for row in given_rows if isinstance(row, dict)] if isinstance(given_rows, list) else []
    )
    made = [{name: text_of(row.get(name)) for name in wanted} for row in rows]
    return [one for one in made if one[wanted[0]]]


def _state(line: dict[str, Any], value: dict[str, Any]) -> str:
    review = text_of(mapping_of(value.get("review")).get("status"))
    if review in ("deprecated", "rejected"):
        return review
    status = text_of(line.get("status"))
    return status if status in _OVER else ""


def _doubts(line: dict[str, Any], value: dict[str, Any]) -> Iterator[Finding]:
    fix = "review with care"
    if text_of(mapping_of(value.get("review")).get("status")) == "needs_review":
        message = "it needed review at its source"
        yield Finding("needs_review_at_source", message, "/review", fix, "warning", "B-REVIEW")
    if text_of(line.get("status")) == "disputed":
        message = "it was disputed at its source"
        yield Finding("disputed_at_source", message, "/conflicts", fix, "warning", "B-CONFLICTS")


FORMAT = Format("jsonl", "our own export, one claim a line", weigh, read)
