"""Concepts of the Modeled Information Format: markdown, JSON-LD, containers; one candidate a concept.

- What others wrote is a proposal with unknown freshness; its frontmatter is kept as JSON text, its body whole, so that
  an export gives it back (`C-MAP`).
- A foreign confidence, trust level or verification is evidence in words (`C-TRUST`). `_local` concepts are left out.
- What we exported ourselves comes in with its limits (validity, prohibited uses), never with its acceptance: that is
  `muniment restore`.
- A concept that the schema refuses is repaired where that invents nothing, and needs a closer look.

>>> weigh(Shape("a.md", "note", front={"id": "x", "type": "semantic", "created": "2026-01-15T10:30:00Z"}))[0]
90
>>> weigh(Shape("e.json", "object", frozenset({"mif_version", "memories"})))[0]
0
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from muniment.core.claim import Entity, Relationship
from muniment.core.encode import encode
from muniment.core.errors import Finding
from muniment.exchange.dates import all_stated, stated
from muniment.exchange.formats.vault import is_mif
from muniment.exchange.mif import namespaces, okf, spaces
from muniment.exchange.mif.bundle import CONTAINER_BYTES, RESERVED
from muniment.exchange.mif.concept import Concept, read_jsonld, read_markdown, schema_issues
from muniment.exchange.mif.container import is_container, read_container
from muniment.exchange.mif.edited import with_edits
from muniment.exchange.mif.issue import Issue
from muniment.exchange.mif.repair import Note, repaired
from muniment.exchange.mif.rules import Around, text_of
from muniment.exchange.mif.rules_full import content_hash_agrees
from muniment.exchange.mif.to_claims import dead_state, item_of, own_claim, own_part
from muniment.exchange.opened import OpenFile
from muniment.exchange.reading import Tools, given, mapping_of, worded
from muniment.exchange.shape import Format, Shape, Weight
from muniment.ports.importing import Candidate, Place, Record, Skipped, Stated, Yielded

_DETAILS = ("prohibited_uses", "facts", "event", "importance", "conflict_notes", "concept_type")
_PARTS = ("summary", "namespace", "ontology", "properties", "aliases", "created_at")


def weigh(shape: Shape) -> Weight:
    """By what only a concept has: its frontmatter, its JSON-LD keys, or a container's envelope."""
    if shape.kind == "note":
        found = is_mif(shape.front) and shape.name not in RESERVED
        return (90, "a concept's frontmatter") if found else (0, "no concept of MIF")
    if shape.kind != "object":
        return 0, "no JSON object"
    if shape.has("conceptType", "content") or (shape.has("@context", "memoryType", "content")):
        return 90, "`conceptType` and `content`"
    if shape.has("containerProfileVersion", "records"):
        return 90, "`containerProfileVersion` and `records`"
    return 0, "no `conceptType`"


def read(file: OpenFile, tools: Tools) -> Iterator[Yielded]:
    """One candidate a concept."""
    data = file.part(0, min(file.size, CONTAINER_BYTES + 1))
    head = data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if head != b"{":
        concept, issues = read_markdown(data, file.name, front=file.front)
        yield from _read(file, (concept,) if concept else (), issues)
    elif is_container(file.name, data):
        held = read_container(data, file.name, CONTAINER_BYTES)
        yield from _read(file, held.concepts, held.issues)
        for document in held.documents:
            yield Record()
            what = text_of(document.get("title")) or text_of(document.get("url"))
            yield Skipped(
                Place(), what or "document", "a document is a reference, and states nothing"
            )
    else:
        concept, issues = read_jsonld(data, file.name)
        yield from _read(file, (concept,) if concept else (), issues)


def _read(
    file: OpenFile, concepts: tuple[Concept, ...], issues: tuple[Issue, ...]
) -> Iterator[Yielded]:
    yield from (issue.finding() for issue in issues)
    bundle = _with_own(file.bundle, concepts)
    for concept in concepts:
        yield Record()
        placed = replace(concept, file=_path_of(file, concept))
        yield candidate_of(placed, _place(file, concept), bundle)


def _with_own(
    bundle: spaces.InBundle | None, concepts: tuple[Concept, ...]
) -> spaces.InBundle | None:
    """What a bundle says, and of a container's concepts which another one of them supersedes."""
    own = {name for one in concepts if one.base for name in spaces.superseded_by(one)}
    if not own:
        return bundle
    known = bundle or spaces.InBundle()
    return replace(known, replaced=known.replaced | own)


def _path_of(file: OpenFile, concept: Concept) -> str:
    """The concept's path in its bundle, as far as the file tells; never a place on somebody's machine."""
    if concept.base:
        return ""
    root = file.bundle.root if file.bundle is not None else None
    if root is not None and "!/" in file.name:
        return file.name.rpartition("!/")[2].removeprefix(root)
    steps = file.name.rpartition("!")[2].lstrip("/").split("/")
    return steps[-1] if file.name.startswith("/") or len(steps) == 1 else "/".join(steps[1:])


def _place(file: OpenFile, concept: Concept) -> Place:
    if concept.base:
        line, _ = concept.place("")
        return Place(line=line, pointer=concept.base)
    return file.place(0, file.size)


def candidate_of(
    concept: Concept, place: Place, bundle: spaces.InBundle | None = None
) -> Candidate | Skipped:
    """A concept as a candidate.

    Args:
        concept: As it was read.
        place: Where it stands.
        bundle: What the folder says that it stands in; None where it stands alone.
    """
    bundle = bundle or spaces.InBundle()
    space = text_of(concept.meta.get("namespace"))
    if not namespaces.may_leave(space):
        return Skipped(
            place, concept.id, "its namespace does not leave the place where it was written"
        )
    mended, notes = repaired(concept.meta)
    item = _own_item(concept) if own_part(concept) else item_of(concept, mended)
    statement = text_of(item.get("claim"))
    if not statement:
        return Skipped(place, concept.id, "it states nothing")
    words = worded(statement)
    source = mapping_of(item.get("source"))
    made = Candidate(
        claim=words.claim,
        body=text_of(item.get("body")) or words.body,
        place=place,
        foreign_id=concept.id,
        is_record=bool(concept.id),
        type=item["type"],
        memory_type=item["memory_type"],
        title=text_of(item.get("title")),
        tags=tuple(item.get("tags", ())),
        entities=tuple(Entity(**one) for one in item.get("entities", ())),
        relationships=tuple(Relationship(**one) for one in item.get("relationships", ())),
        steps=tuple(item.get("steps", ())),
        dates=_dates(concept.meta, item),
        state=dead_state(concept, "", bundle.replaced, mended),
        foreign=_foreign(concept.meta),
        record={"source": source},
        origin=text_of(source.get("origin")),
        derivation=source.get("derivation", "imported"),
        cites=_cites(source),
        doubts=(
            *words.doubts,
            *_doubts(concept, item, notes),
            *spaces.doubts(concept, bundle.settings),
        ),
        parts=_parts(item),
    )
    return spaces.with_taken_over(made, concept, bundle.settings)


def _own_item(concept: Concept) -> dict[str, Any]:
    """What we exported ourselves, as an item: its limits come back, its acceptance, trust and checks do not."""
    claim, _, _ = own_claim(concept)
    if claim is None:
        return item_of(concept)
    item = with_edits(concept, dict(encode(claim)))
    item["source"] = {**item["source"], "derivation": claim.source.derivation or "imported"}
    item["freshness"] = given(item.get("freshness", {}), "expires_at")
    return item


def _parts(item: Mapping[str, Any]) -> dict[str, Any]:
    """What only this format states of a claim."""
    found = {key: item[key] for key in _PARTS if key in item}
    validity = mapping_of(item.get("validity"))
    limits = {
        key: validity[key] for key in ("ttl_seconds", "decay", "conditions") if key in validity
    }
    extensions = {k: v for k, v in mapping_of(item.get("extensions")).items() if k != "import"}
    found |= {"validity": limits} if limits else {}
    found |= {"extensions": extensions} if extensions else {}
    return found | given(item, *_DETAILS)


def _dates(meta: Mapping[str, Any], item: Mapping[str, Any]) -> tuple[Stated, ...]:
    validity = mapping_of(item.get("validity"))
    return all_stated(
        stated("created", meta.get("created")),
        stated("updated", meta.get("modified")),
        stated("valid_from", validity.get("valid_from")),
        stated("valid_until", validity.get("valid_until"), ends=True),
        stated("expires", mapping_of(item.get("freshness")).get("expires_at"), ends=True),
    )


def _foreign(meta: Mapping[str, Any]) -> dict[str, Any]:
    """What somebody else believes or reviewed, in words."""
    provenance = mapping_of(meta.get("provenance"))
    found = given(provenance, "confidence", "trustLevel", "sourceType", "agent")
    verified = [f"{one.get('by')} {one.get('at', '')}".strip() for one in okf.verified(meta)]
    return found | given(meta, "status") | ({"verified": ", ".join(verified)} if verified else {})


def _cites(source: Mapping[str, Any]) -> tuple[str, ...]:
    places = [text_of(source.get("uri"))]
    evidence = source.get("evidence")
    places += (
        [text_of(mapping_of(e).get("pointer")) for e in evidence]
        if isinstance(evidence, list)
        else []
    )
    return tuple(one for one in dict.fromkeys(places) if one and not one.startswith("urn:mif:"))


def _doubts(
    concept: Concept, item: Mapping[str, Any], notes: tuple[Note, ...]
) -> Iterator[Finding]:
    """What the schema refuses, and what a repair changed beyond its spelling."""
    if item.get("memory_type") == "episodic" and not mapping_of(item.get("event")).get("time"):
        message = "the concept does not say when it happened"
        fix = "find out when"
        yield Finding("episode_without_time", message, "/event/time", fix, "warning", "A-EPISODIC")
    for issue in content_hash_agrees(concept, Around()):
        yield issue.finding()
    for issue in schema_issues(concept)[:10]:
        yield replace(issue.finding(), severity="warning")
    yield from (_doubt(note) for note in notes if note.severity != "notice")


def _doubt(note: Note) -> Finding:
    return Finding(note.code, note.message, note.pointer, "look at the original", "warning")


FORMAT = Format("mif", "concepts of the Modeled Information Format", weigh, read)
