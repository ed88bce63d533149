"""Concepts to claims: what others wrote becomes a proposal that invents nothing; what we wrote comes back exactly.

- A foreign concept's statement is its summary, its body where that is one short paragraph, its title, or the first
  paragraph, in the author's words. The whole body, and the frontmatter as JSON text, are kept: nothing is lost.
- An episode's time is where its validity begins, if it says so (S4.4). Freshness is unknown; no date, source or
  confidence is made up. A foreign confidence, trust level or verification is evidence in words. What is over,
  deprecated or superseded at its source says so in its `state`.
- A concept of our own holds its claim under `extensions.muniment`; put together, its digest must be the one that it
  left with. Only then is it exactly what went out.

>>> from muniment.exchange.mif.concept import Concept
>>> meta = {"id": "x", "type": "semantic", "created": "2026-01-15T10:30:00Z"}
>>> item = item_of(Concept(meta, "\\nUse pnpm.\\n", "a.md"))
>>> item["claim"], item["freshness"], item["created_at"]
('Use pnpm.', {'status': 'unknown'}, '2026-01-15T10:30:00Z')
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from muniment.core.canonical import digest
from muniment.core.claim import Claim
from muniment.core.codec import read, read_time
from muniment.core.encode import encode, time_text
from muniment.core.errors import Finding
from muniment.exchange.mif import okf
from muniment.exchange.mif.concept import Concept
from muniment.exchange.mif.decay import seconds
from muniment.exchange.mif.formats import is_date_time, is_uri
from muniment.exchange.mif.repair import repaired
from muniment.exchange.mif.rules import base_type, mappings, text_of
from muniment.exchange.mif.tables import claim_type_of, coming_source

OWN = "muniment"
FORMAT = "claim/1"
LONGEST_STATEMENT = 600
_SECTION = re.compile(
    r"\n?(?:(?:`{3,}|~{3,}|-->)\n)?\n## Relationships[ \t]*+\n(?:[ \t]*+\n)*+"
    r"(?:[-*+][ \t][^\n]*+(?:\n|\Z))*+[ \t\n]*+\Z"
)
"""A section of edges at the end of a body."""
_HEADING = re.compile(r"#{1,6}[ \t]+\S.*")


def own_part(concept: Concept) -> Mapping[str, Any] | None:
    """What one of our exports keeps under `extensions.muniment`; None for a foreign concept."""
    extensions = concept.meta.get("extensions")
    part = extensions.get(OWN) if isinstance(extensions, Mapping) else None
    return part if isinstance(part, Mapping) and part.get("format") == FORMAT else None


def own_claim(concept: Concept) -> tuple[Claim | None, bool, tuple[Finding, ...]]:
    """The claim of a concept that we exported.

    Returns:
        The claim (None where it cannot be put together), whether it is exactly what went out, and what is wrong.
    """
    part = own_part(concept)
    if part is None:
        return (
            None,
            False,
            (Finding("not_ours", "the concept is not of our own export", concept.file),),
        )
    return _own(concept, part)[0]


def _own(
    concept: Concept, part: Mapping[str, Any]
) -> tuple[tuple[Claim | None, bool, tuple[Finding, ...]], str]:
    """The claim, and its text: as it went out, or without a section of edges that somebody edited below it."""
    length = part.get("mirror", 0)
    length = length if isinstance(length, int) and 0 <= length <= len(concept.body) else 0
    text = _text_of(concept.body, length, part)
    found = _with_text(concept, part, text)
    section = _SECTION.search(concept.body)
    if found[1] or section is None:
        return found, text
    shorter = _text_of(concept.body, len(concept.body) - section.start(), part)
    other = _with_text(concept, part, shorter)
    is_moved = length > 0 and not _SECTION.fullmatch(concept.body[-length:])
    return (other, shorter) if other[1] or is_moved else (found, text)


def _with_text(
    concept: Concept, part: Mapping[str, Any], text: str
) -> tuple[Claim | None, bool, tuple[Finding, ...]]:
    held = part.get("claim")
    record = dict(held) if isinstance(held, Mapping) else {}
    record["body" if "claim" in record else "claim"] = text
    for key in ("title", "summary"):
        if key not in record and text_of(concept.meta.get(key)):
            record[key] = concept.meta[key]
    findings: list[Finding] = []
    claim = read(Claim, record, "", findings)
    if claim is None:
        return None, False, tuple(f.under(f"{concept.file} ") for f in findings)
    return claim, digest(encode(claim)) == part.get("digest"), tuple(findings)


def own_text(concept: Concept) -> str:
    """The text of a concept of our own, without the edges that are shown below it; of a foreign one, its body."""
    part = own_part(concept)
    return concept.body if part is None else _own(concept, part)[1]


def _text_of(body: str, length: int, part: Mapping[str, Any]) -> str:
    """The statement's text in a body: without the edges that were shown below it, so many characters of them."""
    text = body[: len(body) - length]
    if part.get("verbatim"):
        return text
    return text.removeprefix("\n").removesuffix("\n")


# --- concepts of others --------------------------------------------------------------------------


def statement_of(meta: Mapping[str, Any], body: str) -> str:
    """What a concept states, in its author's words; empty where it states nothing.

    >>> body = "# Head\\n\\nFirst.\\n\\nMore."
    >>> statement_of({"title": "T"}, body), statement_of({}, body)
    ('T', 'First.')
    """
    summary = text_of(meta.get("summary")) or text_of(meta.get("description"))
    if summary.strip():
        return summary.strip()
    plain = [p.strip() for p in re.split(r"\n[ \t]*\n", body.replace("\r\n", "\n")) if p.strip()]
    text = [" ".join(p.split()) for p in plain if not _HEADING.fullmatch(p)]
    if len(plain) == 1 and text and len(text[0]) <= LONGEST_STATEMENT:
        return text[0]
    title = text_of(meta.get("title")).strip()
    return title or (text[0][:LONGEST_STATEMENT] if text else "")


def item_of(concept: Concept, mended: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A foreign concept as a claim in wire form, to be proposed; scope and visibility are the importer's to add.

    Args:
        concept: As it was read.
        mended: Its frontmatter in the schema's dialect, where that is at hand.
    """
    meta = repaired(concept.meta)[0] if mended is None else mended
    body = concept.body
    statement = statement_of(meta, body)
    kind = base_type(concept)
    item: dict[str, Any] = {
        "claim": statement,
        "type": claim_type_of(text_of(meta.get("namespace"))),
        "memory_type": kind if kind in ("semantic", "episodic", "procedural") else "semantic",
        "concept_type": kind if kind in ("semantic", "episodic", "procedural") else "",
        "source": _source(meta),
        "freshness": _freshness(meta),
        "review": {"status": "proposed"},
        "validity": _validity(meta),
        "provenance": _provenance(meta),
        "extensions": {
            "mif": {
                "frontmatter": json.dumps(concept.meta, ensure_ascii=False),
                "path": concept.file,
            }
        },
    }
    began = item["validity"].get("valid_from")
    if kind == "episodic" and began and statement:
        item["event"] = {"what": statement, "time": began}
    if body != f"\n{statement}\n":
        item["body"] = body
    if _is_instant(meta.get("created")):
        item["created_at"] = meta["created"]
    for key in ("title", "summary", "namespace"):
        if text_of(meta.get(key)):
            item[key] = meta[key]
    item["tags"] = _texts(meta.get("tags"))
    item["aliases"] = list(dict.fromkeys([*_texts(meta.get("aliases")), text_of(meta.get("id"))]))
    item["entities"] = _entities(meta)
    item["relationships"] = _relationships(meta)
    item["properties"] = _properties(meta)
    if isinstance(meta.get("ontology"), Mapping):
        item["ontology"] = text_of(meta["ontology"].get("id"))
    return {key: value for key, value in item.items() if value not in ("", [], {}, [""])}


def _texts(given: Any) -> list[str]:
    return [one for one in given if isinstance(one, str) and one] if isinstance(given, list) else []


def _part(meta: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    given = meta.get(name)
    return given if isinstance(given, Mapping) else {}


def _source(meta: Mapping[str, Any]) -> dict[str, Any]:
    """Where it comes from: what the concept names, else the concept itself."""
    provenance = _part(meta, "provenance")
    origin, derivation = coming_source(text_of(provenance.get("sourceType")))
    cited = [text_of(one.get("url")) for _, one in mappings(meta.get("citations"))]
    documents = [text_of(one.get("url")) for _, one in mappings(meta.get("documents"))]
    named = [text_of(provenance.get("sourceRef")), *cited, *documents]
    uris = [uri for uri in named if is_uri(uri)]
    own = f"urn:mif:{text_of(meta.get('id'))}"
    evidence = [{"pointer": uri} for uri in dict.fromkeys(uris[1:])]
    source = {
        "kind": "import",
        "origin": origin,
        "derivation": derivation,
        "uri": (uris or [own])[0],
    }
    return source | ({"evidence": evidence} if evidence else {})


def _freshness(meta: Mapping[str, Any]) -> dict[str, Any]:
    """Never more than unknown; an end that the source states still ends it."""
    after = text_of(meta.get("stale_after"))
    return {"status": "unknown"} | ({"expires_at": after} if _is_instant(after) else {})


def _validity(meta: Mapping[str, Any]) -> dict[str, Any]:
    temporal = _part(meta, "temporal")
    found: dict[str, Any] = {}
    for key, name in (("validFrom", "valid_from"), ("validUntil", "valid_until")):
        if _is_instant(temporal.get(key)):
            found[name] = temporal[key]
    length = seconds(temporal.get("ttl"))
    if length:
        found["ttl_seconds"] = int(length)
    if isinstance(temporal.get("decay"), Mapping):
        found["decay"] = {
            k: v for k, v in temporal["decay"].items() if isinstance(v, str | int | float)
        }
    return found


def _provenance(meta: Mapping[str, Any]) -> dict[str, Any]:
    given = _part(meta, "provenance")
    said = [f"{key} {given[key]}" for key in ("trustLevel", "confidence") if key in given]
    said += [
        f"verified by {one.get('by')} {one.get('at', '')}".strip() for one in okf.verified(meta)
    ]
    said += [f"status {meta['status']}"] if text_of(meta.get("status")) else []
    found = {
        "activity": "import",
        "agent": text_of(given.get("agent")),
        "foreign_id": text_of(meta.get("id")),
        "foreign_review": "; ".join(said),
    }
    return {key: value for key, value in found.items() if value}


def _entities(meta: Mapping[str, Any]) -> list[dict[str, str]]:
    found = []
    for _, one in mappings(meta.get("entities")):
        held = one.get("entity")
        urn = text_of(held.get("@id")) if isinstance(held, Mapping) else ""
        name = text_of(one.get("name")) or urn.rpartition(":")[2]
        entity = {"name": name, "id": urn, "type": text_of(one.get("entityType"))}
        if name:
            found.append({key: value for key, value in entity.items() if value})
    return found


def _relationships(meta: Mapping[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for _, one in mappings(meta.get("relationships")):
        kind, target, strength = (
            text_of(one.get("type")),
            text_of(one.get("target")),
            one.get("strength"),
        )
        if kind and target:
            is_number = isinstance(strength, int | float) and not isinstance(strength, bool)
            found.append(
                {"type": kind, "target": target} | ({"strength": strength} if is_number else {})
            )
    return found


def _properties(meta: Mapping[str, Any]) -> dict[str, Any]:
    """Scalars that a claim can hold; others stay in the frontmatter that is kept."""
    return {
        key: value
        for key, value in _part(meta, "properties").items()
        if value is None
        or isinstance(value, str | bool)
        or (isinstance(value, int | float) and abs(value) < 2**53)
    }


def dead_state(
    concept: Concept,
    now_text: str,
    replaced: frozenset[str],
    mended: Mapping[str, Any] | None = None,
) -> str:
    """Why a foreign concept no longer holds at its source; empty where it does.

    Args:
        concept: The concept.
        now_text: The present as UTC text.
        replaced: Ids and bundle paths that another concept of the bundle supersedes.
        mended: Its frontmatter in the schema's dialect, where that is at hand.
    """
    meta = repaired(concept.meta)[0] if mended is None else mended
    if okf.okf_status(meta) == "deprecated":
        return "deprecated"
    if text_of(meta.get("id")) in replaced or f"/{concept.file}" in replaced:
        return "superseded"
    until = text_of(_part(meta, "temporal").get("validUntil"))
    return "expired" if is_date_time(until) and _utc(until) <= now_text else ""


def _is_instant(given: Any) -> bool:
    """Whether this is a time that a claim can hold; a leap second is one that it cannot, and stays in the original."""
    return is_date_time(text_of(given)) and read_time(given, "", []) is not None


def _utc(text: str) -> str:
    moment = read_time(text, "", [])
    return time_text(moment) if moment else ""
