r"""A claim as an RDF graph: the twelve relationships of the ontology, and PROV beside them (`A-RELATIONS`).

- The ten of a memory hang on the claim, `DESCRIBES` and `MAY_REFERENCE` on its metadata, as the ontology has it.
- A relationship that may hold is stated only where it does; nothing is made up to fill a place.
- PROV-O says the same in its own words: derivation, generation, attribution, primary source.
- One list of triples gives N-Triples and JSON-LD (expanded), so both say the same.

>>> print(n_triples([Triple("urn:a", MUN + "IDENTIFIED_BY", Text('say "a"'))]))
<urn:a> <https://muniment.dev/ns#IDENTIFIED_BY> "say \"a\"" .
>>> json_ld([Triple("urn:a", PROV + "wasDerivedFrom", "urn:b")])
[{'@id': 'urn:a', 'http://www.w3.org/ns/prov#wasDerivedFrom': [{'@id': 'urn:b'}]}]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from muniment.core.canonical import digest
from muniment.core.claim import Claim
from muniment.core.encode import time_text

MUN = "https://muniment.dev/ns#"
PROV = "http://www.w3.org/ns/prov#"
RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
XSD = "http://www.w3.org/2001/XMLSchema#"
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_ESCAPES = (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t"))


@dataclass(frozen=True, slots=True)
class Text:
    """A literal: its text, and the IRI of its datatype (empty for a plain string)."""

    value: str
    datatype: str = ""


@dataclass(frozen=True, slots=True)
class Triple:
    """One statement: an IRI, an IRI, and an IRI or a literal."""

    subject: str
    predicate: str
    object: str | Text


@dataclass(frozen=True, slots=True)
class Known:
    """What the asker knows of a claim besides the claim itself.

    Attributes:
        retrievals: How often it was handed to the asker.
        last: When last.
        derived: Claims that were made from it and that the asker sees.
        sources: Claims that it was made from and that the asker sees.
    """

    retrievals: int = 0
    last: datetime | None = None
    derived: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()


def iri(kind: str, *parts: str) -> str:
    """The name of a thing.

    >>> iri("scope", "repository", "github:acme/shop")
    'urn:muniment:scope:repository:github%3Aacme%2Fshop'
    """
    return ":".join(("urn:muniment", kind, *map(_encoded, parts)))


def _encoded(text: str) -> str:
    """Text as a part of an IRI: everything but unreserved ASCII in percent-encoding (RFC 3986)."""
    raw = text.encode("utf-8", "surrogatepass")
    return "".join(chr(byte) if byte in _UNRESERVED else f"%{byte:02X}" for byte in raw)


def triples(claim: Claim, known: Known | None = None) -> tuple[Triple, ...]:
    """Everything that is stated of a claim."""
    seen = known or Known()
    made = (*_related(claim, seen), *_provenance(claim, seen))
    return tuple(dict.fromkeys(made))


def _related(claim: Claim, known: Known) -> Iterator[Triple]:
    """The twelve relationships, in their declared order, as far as they hold."""
    me, about = iri("claim", claim.id), iri("metadata", claim.id, str(claim.version))
    content, origin = iri("content", digest(claim.claim)), _source_iri(claim)
    yield Triple(me, RDF_TYPE, MUN + "Memory")
    yield Triple(about, MUN + "DESCRIBES", me)
    yield Triple(me, MUN + "IDENTIFIED_BY", Text(claim.id))
    yield Triple(me, MUN + "HAS_TYPE", iri("memory-type", claim.memory_type))
    yield Triple(me, MUN + "HAS_SCOPE", iri("scope", claim.scope.kind, claim.scope.id))
    yield Triple(me, MUN + "HAS_SOURCE", origin)
    yield Triple(me, MUN + "MAY_REFERENCE_CONTENT", content)
    yield Triple(content, MUN + "text", Text(claim.claim))
    if claim.embedding is not None:
        space = (claim.embedding.model, claim.embedding.version)
        yield Triple(me, MUN + "MAY_HAVE_EMBEDDING", iri("embedding", claim.id, *space))
    if known.retrievals:
        retrieval = iri("retrievals", claim.id)
        yield Triple(me, MUN + "MAY_BE_RETRIEVED_BY", retrieval)
        yield Triple(retrieval, MUN + "count", Text(str(known.retrievals), XSD + "integer"))
        if known.last is not None:
            yield Triple(retrieval, PROV + "endedAtTime", _time(known.last))
    for other in known.derived:
        yield Triple(me, MUN + "MAY_BE_USED_BY", iri("claim", other))
    for other in known.sources:
        yield Triple(me, MUN + "MAY_BE_DERIVED_FROM", iri("claim", other))
    if claim.version:
        yield Triple(me, MUN + "MAY_HAVE_VERSION", Text(str(claim.version), XSD + "integer"))
    if claim.provenance.activity or claim.provenance.agent:
        yield Triple(about, MUN + "MAY_REFERENCE", iri("activity", claim.id))


def _provenance(claim: Claim, known: Known) -> Iterator[Triple]:
    """The same in PROV-O, with the source's address and the claim's facts."""
    me, origin, made = iri("claim", claim.id), _source_iri(claim), claim.provenance
    yield Triple(me, RDF_TYPE, PROV + "Entity")
    yield Triple(origin, RDF_TYPE, PROV + "Entity")
    yield Triple(me, PROV + "hadPrimarySource", origin)
    if claim.source.uri:
        yield Triple(origin, PROV + "atLocation", Text(claim.source.uri))
    for other in known.sources:
        yield Triple(me, PROV + "wasDerivedFrom", iri("claim", other))
    if made.activity or made.agent:
        activity = iri("activity", claim.id)
        yield Triple(activity, RDF_TYPE, PROV + "Activity")
        yield Triple(me, PROV + "wasGeneratedBy", activity)
        if made.activity:
            yield Triple(activity, MUN + "name", Text(made.activity))
        if made.agent:
            agent = iri("agent", made.agent)
            yield Triple(agent, RDF_TYPE, PROV + "Agent")
            yield Triple(activity, PROV + "wasAssociatedWith", agent)
            yield Triple(me, PROV + "wasAttributedTo", agent)
    if claim.created_at is not None:
        yield Triple(me, PROV + "generatedAtTime", _time(claim.created_at))
    for fact in claim.facts:
        subject, predicate = iri("term", fact.subject), iri("predicate", fact.predicate)
        yield Triple(subject, predicate, iri("term", fact.object))


def _source_iri(claim: Claim) -> str:
    return iri("source", claim.source.kind, digest([claim.source.kind, claim.source.uri]))


def _time(instant: datetime) -> Text:
    return Text(time_text(instant), XSD + "dateTime")


# --- as text --------------------------------------------------------------------------------------


def n_triples(stated: Iterable[Triple]) -> str:
    """Triples in the W3C's line format."""
    return "\n".join(f"<{t.subject}> <{t.predicate}> {_term(t.object)} ." for t in stated)


def _term(value: str | Text) -> str:
    if isinstance(value, str):
        return f"<{value}>"
    text = value.value
    for plain, escaped in _ESCAPES:
        text = text.replace(plain, escaped)
    return f'"{text}"^^<{value.datatype}>' if value.datatype else f'"{text}"'


def json_ld(stated: Sequence[Triple]) -> list[dict[str, Any]]:
    """Triples as expanded JSON-LD: one object a subject, in the order in which they first stand."""
    nodes: dict[str, dict[str, Any]] = {}
    for t in stated:
        node = nodes.setdefault(t.subject, {"@id": t.subject})
        if t.predicate == RDF_TYPE:
            node.setdefault("@type", []).append(t.object)
        else:
            node.setdefault(t.predicate, []).append(_value(t.object))
    return list(nodes.values())


def _value(given: str | Text) -> dict[str, str]:
    if isinstance(given, str):
        return {"@id": given}
    typed = {"@type": given.datatype} if given.datatype else {}
    return {"@value": given.value, **typed}
