"""Envelopes of MPF: records of several kinds, triples, and a log of deletions.

- A record of kind memory or fact is a candidate, a triple a relation with its fact; an unknown kind is passed over.
- A triple about a record is that record's fact.
- What the log of deletions names stays deleted, and what another record supersedes is superseded.
- Valid time and transaction time are kept apart; `permission_mode` and owner are kept as foreign.

>>> weigh(Shape("e.json", "object", frozenset({"mpf_version", "records"})))[0]
95
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from muniment.core.claim import Entity, Fact
from muniment.core.errors import Finding
from muniment.exchange.dates import all_stated, stated
from muniment.exchange.opened import OpenFile
from muniment.exchange.reading import Tools, given, mapping_of, objects, text_of, texts_of, worded
from muniment.exchange.shape import Format, Shape, Weight
from muniment.exchange.spans import Node, records_of
from muniment.ports.importing import Candidate, Record, Skipped, Yielded

_KINDS = ("memory", "fact", "event", "custom")
_WORDS = ("content", "statement", "text", "fact")


def weigh(shape: Shape) -> Weight:
    """By `mpf_version`."""
    if shape.kind == "object" and shape.has("mpf_version"):
        return 95, "`mpf_version`"
    return 0, "no `mpf_version`"


def read(file: OpenFile, tools: Tools) -> Iterator[Yielded]:
    """One candidate a record and triple."""
    for root in records_of(file):
        members = dict(root.members())
        dead = _dead(members)
        facts = _facts(members)
        for key in ("records", "kg_triples"):
            for found in objects(members[key].items()) if key in members else ():
                if isinstance(found, Finding):
                    yield found
                    continue
                yield Record()
                if isinstance(found, Skipped):
                    yield found
                elif key == "records":
                    yield _record(*found, dead, facts)
                else:
                    yield _triple(*found, facts)
        for node, value in _pairs(members.get("deletion_log")):
            yield Record()
            yield Skipped(
                node.place, text_of(value.get("record_id")) or "record", "deleted at its source"
            )


def _pairs(node: Node | None) -> Iterator[tuple[Node, dict[str, Any]]]:
    for found in objects(node.items()) if node else ():
        if isinstance(found, tuple):
            yield found


def _dead(members: dict[str, Node]) -> dict[str, str]:
    """Identifiers that do not hold any more, and why."""
    found = {text_of(v.get("record_id")): "deleted" for _, v in _pairs(members.get("deletion_log"))}
    for _, value in _pairs(members.get("relations")):
        kind = text_of(value.get("type")) or text_of(value.get("relation"))
        target = text_of(value.get("target_id")) or text_of(value.get("to"))
        if kind.lower() == "supersedes" and target:
            found.setdefault(target, "superseded")
    found.pop("", None)
    return found


def _facts(members: dict[str, Node]) -> dict[str, tuple[Fact, ...]]:
    """The triples about records, by record."""
    known = {text_of(value.get("id")) for _, value in _pairs(members.get("records"))} - {""}
    found: dict[str, tuple[Fact, ...]] = {}
    for _, value in _pairs(members.get("kg_triples")):
        fact = _fact(value)
        if fact and fact.subject in known:
            found[fact.subject] = (*found.get(fact.subject, ()), fact)
    return found


def _fact(value: dict[str, Any]) -> Fact | None:
    one = text_of(value.get("subject_id")) or text_of(value.get("subject"))
    kind = text_of(value.get("predicate"))
    others = (text_of(value.get(key)) for key in ("object_literal", "object_id", "object"))
    other = next((text for text in others if text), "")
    return Fact(one, kind, other) if one and kind and other else None


def _record(
    node: Node, value: dict[str, Any], dead: dict[str, str], facts: dict[str, tuple[Fact, ...]]
) -> Yielded:
    own, kind = text_of(value.get("id")), text_of(value.get("kind"))
    payload = mapping_of(value.get("payload"))
    text = next((said for key in _WORDS if (said := text_of(payload.get(key)))), "")
    if kind not in _KINDS or not text:
        passed_over = kind not in _KINDS
        reason = "records of its kind are passed over" if passed_over else "its text is empty"
        return Skipped(node.place, own or "record", reason)
    words = worded(text)
    category = text_of(payload.get("category"))
    return Candidate(
        claim=words.claim,
        body=words.body,
        place=node.place,
        foreign_id=own,
        is_record=True,
        account=text_of(payload.get("namespace")) or text_of(payload.get("owner_id")),
        type="user_preference" if "preference" in category.lower() else "project_fact",
        tags=(*((category,) if category else ()), *texts_of(payload.get("tags"))),
        facts=facts.get(own, ()),
        dates=all_stated(
            stated("created", payload.get("created") or value.get("transaction_time")),
            stated("updated", payload.get("updated")),
            stated("valid_from", value.get("valid_time_start")),
            stated("valid_until", value.get("valid_time_end"), ends=True),
        ),
        state=dead.get(own, "") or ("deleted" if payload.get("deleted_at") else ""),
        foreign=given(
            payload,
            "owner_id",
            "namespace",
            "permission_mode",
            "quality_score",
            "confidence",
            "memory_type",
        )
        | given(value, "provenance", "kind"),
        cites=texts_of(mapping_of(value.get("provenance")).get("wasInfluencedBy")),
        doubts=words.doubts,
    )


def _triple(node: Node, value: dict[str, Any], facts: dict[str, tuple[Fact, ...]]) -> Yielded:
    fact, own = _fact(value), text_of(value.get("id")) or "triple"
    if fact is None:
        return Skipped(node.place, own, "it is no whole triple")
    if fact.subject in facts:
        return Skipped(node.place, own, "it is a fact of the record that it names")
    words = worded(f"{fact.subject} {fact.predicate.replace('_', ' ')} {fact.object}")
    return Candidate(
        claim=words.claim,
        body=words.body,
        place=node.place,
        foreign_id=text_of(value.get("id")),
        is_record=True,
        content_kind="relationship",
        entities=(Entity(fact.subject), Entity(fact.object)),
        facts=(fact,),
        dates=all_stated(
            stated("created", value.get("created")),
            stated("valid_from", value.get("valid_from")),
            stated("valid_until", value.get("valid_until"), ends=True),
        ),
        doubts=words.doubts,
    )


FORMAT = Format("mpf", "MPF envelope", weigh, read)
