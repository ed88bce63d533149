"""Claims to concepts: a bundle that MIF and OKF tools read, and that comes back to us with every boundary.

- What MIF has a field for stands in it; what it has none for (scope, visibility, uses, review, freshness, and the rest)
  travels under `extensions.muniment`, with the digest of the whole claim.
- A claim that came from another bundle goes out with its frontmatter as it came, where the claim still says the same,
  except that its source type is `external_import` and its confidence at most that type's.
- Edges are mirrored in the body; an edge leads to a path where its target is in the bundle, else to a `urn:mif:`.

Which claims leave, and the files of a bundle, are `export_files`'.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from muniment.core.canonical import digest, digest_bytes
from muniment.core.claim import Claim
from muniment.core.codec import read
from muniment.core.encode import encode, time_text
from muniment.exchange.mif.concept import Concept, schema_issues
from muniment.exchange.mif.entities import CORE_ENTITY_TYPES, entity_urn, slug
from muniment.exchange.mif.formats import is_uri
from muniment.exchange.mif.mirror import mirrored, relations, uuid_of
from muniment.exchange.mif.project import FOREIGN, same_value
from muniment.exchange.mif.repair import repaired
from muniment.exchange.mif.tables import (
    HIGHEST_IMPORTED,
    concept_type_of,
    confidence_for,
    source_type_of,
    trust_of,
)
from muniment.exchange.mif.to_claims import FORMAT, OWN, item_of
from muniment.exchange.strict_json import load_json
from muniment.ports.interchange import Outgoing

_NAMESPACE = re.compile(r"[a-zA-Z0-9_-]+(/[a-zA-Z0-9_-]+)*")
_DECAY = ("model", "halfLife", "currentStrength", "strength", "lastReinforced")
_JSONLD_NAMES = ("@id", "@type", "@context", "conceptType")
_CAME_WITH = (
    "title", "summary", "tags", "aliases", "entities", "properties", "ontology", "namespace", "created_at", "validity",
)  # fmt: skip
_STATUS = {"accepted": "stable", "deprecated": "deprecated"}


_OWN_IDS: Mapping[str, str] = MappingProxyType({})


def label(claim: Claim) -> str:
    """What a claim is called where it is linked."""
    text = " ".join((claim.title or claim.claim).split())
    return text if len(text) <= 80 else text[:79] + "…"


def concept_of(
    one: Outgoing,
    names: Mapping[str, str],
    titles: Mapping[str, str],
    ids: Mapping[str, str] = _OWN_IDS,
) -> tuple[dict[str, Any], str]:
    """Frontmatter and body of a claim.

    Args:
        one: The claim.
        names: Claim to its path in the bundle.
        titles: Claim to what it is called.
        ids: Claim to its concept's id, where that is not its own UUID.
    """
    claim = one.claim
    foreign = foreign_of(claim)
    text = claim.body or claim.claim
    verbatim = foreign is not None and bool(claim.body)
    body = text if verbatim else f"\n{text}\n"
    meta = _plain(claim)
    related = relations(one, names)
    meta["id"] = ids.get(claim.id, meta["id"])
    if foreign is not None:
        meta = _as_it_came(meta, claim, foreign)
        related = [edge for edge in related if edge["type"] != "cites"]  # they are its citations
    declared, mirror = mirrored(meta.get("relationships"), related, body, titles, names)
    if declared:
        meta["relationships"] = declared
    part: dict[str, Any] = {"format": FORMAT, "digest": digest(encode(claim))}
    if mirror:
        part["mirror"] = len(mirror)
    if verbatim:
        part["verbatim"] = True
    part["claim"] = _rest(claim, meta)
    extensions = dict(meta.get("extensions", {}))
    extensions.setdefault("hash", digest_bytes((body + mirror).encode("utf-8")))
    meta["extensions"] = {**extensions, OWN: part}
    return meta, body + mirror


def _rest(claim: Claim, meta: Mapping[str, Any]) -> dict[str, Any]:
    """The claim without its text, which is the body, and without title and summary that stand in their fields."""
    record = dict(encode(claim))
    record.pop("body" if claim.body else "claim")
    for key in ("title", "summary"):
        if record.get(key) and meta.get(key) == record[key]:
            del record[key]
    return record


# --- fields --------------------------------------------------------------------------------------


def _plain(claim: Claim) -> dict[str, Any]:
    """The frontmatter of a claim by its own fields; edges and our own part come later."""
    kind = concept_type_of(claim.concept_type, claim.memory_type)
    meta: dict[str, Any] = {"id": uuid_of(claim.id), "type": kind}
    if claim.created_at:
        meta["created"] = time_text(claim.created_at)
    if claim.review.reviewed_at and claim.review.reviewed_at != claim.created_at:
        meta["modified"] = time_text(claim.review.reviewed_at)
    own = claim.namespace if _NAMESPACE.fullmatch(claim.namespace) else ""
    meta["namespace"] = own or f"_{kind}/{slug(claim.type)}"
    meta |= {
        key: value for key, value in (("title", claim.title), ("summary", claim.summary)) if value
    }
    if len(claim.summary) > 500:
        del meta["summary"]
    meta["properties"] = {
        k: v for k, v in claim.properties.items() if not isinstance(v, Mapping | list)
    }
    meta["tags"] = list(claim.tags)
    meta["aliases"] = [one for one in claim.aliases if one != claim.provenance.foreign_id]
    meta["temporal"] = _temporal(claim)
    meta["provenance"] = _provenance(claim)
    meta["embedding"] = _embedding(claim)
    meta["citations"] = _citations(claim)
    meta["entities"] = [_entity(one) for one in claim.entities]
    if re.fullmatch("[a-z][a-z0-9-]*", claim.ontology):
        meta["ontology"] = {"@type": "OntologyReference", "id": claim.ontology}
    meta |= _okf(claim)
    return {key: value for key, value in meta.items() if value not in ([], {}, None)}


def _temporal(claim: Claim) -> dict[str, Any]:
    validity = claim.validity
    found: dict[str, Any] = {"@type": "TemporalMetadata"}
    start = validity.valid_from or claim.created_at
    if start:
        found["validFrom"] = time_text(start)
    found["validUntil"] = time_text(validity.valid_until) if validity.valid_until else None
    if claim.created_at:
        found["recordedAt"] = time_text(claim.created_at)
    if validity.ttl_seconds:
        found["ttl"] = f"PT{validity.ttl_seconds}S"
    decay = {key: value for key, value in validity.decay.items() if key in _DECAY}
    if decay.get("model") in ("none", "linear", "exponential", "step"):
        found["decay"] = decay
    return found


def _provenance(claim: Claim) -> dict[str, Any]:
    source_type = source_type_of(claim.source.origin, claim.source.derivation)
    found: dict[str, Any] = {"@type": "prov:Entity", "sourceType": source_type}
    if claim.source.uri:
        found["sourceRef"] = claim.source.uri
    if claim.provenance.agent:
        found["agent"] = claim.provenance.agent
    confidence = confidence_for(claim.confidence.score, source_type)
    if confidence is not None:
        found["confidence"] = confidence
    found["trustLevel"] = trust_of(claim.confidence.level, source_type)
    derived = [{"@id": f"urn:mif:{uuid_of(one)}"} for one in claim.source.derived_from]
    if derived:
        found["wasDerivedFrom"] = derived
    return found


def _embedding(claim: Claim) -> dict[str, Any]:
    one = claim.embedding
    if one is None:
        return {}
    found = {"@type": "EmbeddingReference", "model": one.model, "modelVersion": one.version}
    return {**found, "dimensions": one.dimension, "sourceText": claim.claim}


def _citations(claim: Claim) -> list[dict[str, Any]]:
    """The source, where it has an address that can be cited."""
    uri = claim.source.uri
    if not is_uri(uri) or uri.startswith(("urn:mif:", "principal:", "import:")):
        return []
    kind = (
        "website"
        if uri.startswith(("http:", "https:"))
        else "repository"
        if uri.startswith("repo:")
        else "other"
    )
    title = uri.rpartition("!/")[2] or uri
    return [
        {
            "@type": "Citation",
            "citationType": kind,
            "citationRole": "source",
            "title": title,
            "url": uri,
        }
    ]


def _entity(one: Any) -> dict[str, Any]:
    kind = (
        one.type
        if one.type in CORE_ENTITY_TYPES or re.fullmatch("[a-z][a-z0-9-]*", one.type)
        else ""
    )
    urn = (
        one.id
        if one.id.startswith("urn:mif:entity:")
        else entity_urn(one.type or "concept", one.name)
    )
    found: dict[str, Any] = {"@type": "EntityReference", "entity": {"@id": urn}}
    return found | ({"entityType": kind} if kind else {}) | {"name": one.name}


def _okf(claim: Claim) -> dict[str, Any]:
    """The families of OKF 0.2: who made it, who verified it, how it stands, when it goes stale."""
    review = claim.review
    found: dict[str, Any] = {}
    if claim.provenance.agent:
        made = claim.provenance.created_at or claim.created_at
        found["generated"] = {"by": claim.provenance.agent} | (
            {"at": time_text(made)} if made else {}
        )
    if review.status == "accepted" and review.reviewed_by:
        by = review.reviewed_by
        who = f"human:{by.removeprefix('user:')}" if by.startswith("user:") else by
        when = {"at": time_text(review.reviewed_at)} if review.reviewed_at else {}
        found["verified"] = [{"by": who, **when}]
    found["status"] = _STATUS.get(review.status, "draft")
    if claim.freshness.expires_at:
        found["stale_after"] = time_text(claim.freshness.expires_at)
    return found


# --- what came from outside ----------------------------------------------------------------------


def foreign_of(claim: Claim) -> Concept | None:
    """The concept that a claim came from, as it was, or mended where the schema refuses it."""
    held = claim.extensions.get("mif")
    if not isinstance(held, Mapping) or not isinstance(held.get("frontmatter"), str):
        return None
    meta = load_json(held["frontmatter"], leniency=FOREIGN).value
    if not isinstance(meta, dict):
        return None
    concept = Concept(meta, claim.body or f"\n{claim.claim}\n", str(held.get("path", "")))
    return concept if not schema_issues(concept) else replace(concept, meta=repaired(meta)[0])


def _as_it_came(meta: dict[str, Any], claim: Claim, foreign: Concept) -> dict[str, Any]:
    """The frontmatter as it came, with what the claim says otherwise now."""
    before = _plain(_as_imported(claim, foreign))
    kept = {key: value for key, value in foreign.meta.items() if key not in _JSONLD_NAMES}
    for key, value in meta.items():
        came_so = key in kept and same_value(before.get(key), value)
        if not came_so or key in ("id", "type"):
            kept[key] = value
    if claim.review.status == "deprecated":
        kept["status"] = "deprecated"
    provenance = foreign.meta.get("provenance")
    stated = dict(provenance) if isinstance(provenance, Mapping) else {}
    stated["sourceType"] = meta["provenance"]["sourceType"]
    confidence = stated.get("confidence")
    if isinstance(confidence, int | float) and not isinstance(confidence, bool):
        stated["confidence"] = min(confidence, HIGHEST_IMPORTED)
    kept["provenance"] = stated
    return kept


def _as_imported(claim: Claim, foreign: Concept) -> Claim:
    """The claim as it was when it had just come in, as far as its concept decided it."""
    item = item_of(foreign)
    record = dict(encode(claim))
    for key in _CAME_WITH:
        record.pop(key, None)
        if key in item:
            record[key] = item[key]
    return read(Claim, record, "", []) or claim
