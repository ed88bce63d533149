"""A claim's graph states the twelve relationships where they hold, and both forms say the same."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.core.claim import EmbeddingReference, Fact, Provenance
from muniment.core.rdf import MUN, PROV, Known, Text, Triple, json_ld, n_triples, triples
from muniment.core.vocabulary import RELATIONSHIPS
from tests.usecases.remembered import NOON, a_claim

WHOLE = replace(
    a_claim("a", "The shop uses pnpm."),
    embedding=EmbeddingReference("m", "1", 8),
    provenance=Provenance("remember", "agent:codex"),
    facts=(Fact("shop", "uses", "pnpm"),),
)
KNOWN = Known(3, NOON, ("mem_child",), ("mem_parent",))


def relationships(stated):
    names = {t.predicate.removeprefix(MUN) for t in stated if t.predicate.startswith(MUN)}
    return names - {"text", "count", "name"}


@pytest.mark.req("A-RELATIONS")
def test_all_twelve_relationships_are_stated_where_they_hold():
    assert relationships(triples(WHOLE, KNOWN)) == {term.name for term in RELATIONSHIPS}


@pytest.mark.req("A-RELATIONS")
def test_what_does_not_hold_is_not_stated():
    bare = replace(WHOLE, embedding=None, provenance=Provenance())
    missing = {term.name for term in RELATIONSHIPS} - relationships(triples(bare))
    assert missing == {
        "MAY_HAVE_EMBEDDING",
        "MAY_BE_RETRIEVED_BY",
        "MAY_BE_USED_BY",
        "MAY_BE_DERIVED_FROM",
        "MAY_REFERENCE",
    }


def test_prov_says_the_same_in_its_own_words():
    stated = triples(WHOLE, KNOWN)
    said = {
        (t.predicate.removeprefix(PROV), t.object) for t in stated if t.predicate.startswith(PROV)
    }
    assert ("wasDerivedFrom", "urn:muniment:claim:mem_parent") in said
    assert ("wasAttributedTo", "urn:muniment:agent:agent%3Acodex") in said


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
NAMES = st.sampled_from(["urn:a", "urn:b", "urn:c"])
TRIPLES = st.lists(
    st.builds(
        Triple, NAMES, NAMES, NAMES | st.builds(Text, TEXTS, st.sampled_from(["", "urn:int"]))
    ),
    max_size=6,
    unique=True,
)


@given(stated=TRIPLES)
def test_json_ld_holds_every_triple(stated):
    found = set()
    for node in json_ld(stated):
        for predicate, values in node.items():
            if predicate.startswith("@"):
                continue
            for one in values:
                value = one["@id"] if "@id" in one else Text(one["@value"], one.get("@type", ""))
                found.add(Triple(node["@id"], predicate, value))
    assert found == set(stated)


@given(stated=TRIPLES)
def test_an_rdf_library_reads_the_lines_as_the_same_triples(stated):
    rdf = pytest.importorskip("pyoxigraph")
    read = set()
    for quad in rdf.parse(n_triples(stated), format=rdf.RdfFormat.N_TRIPLES):
        value = quad.object
        if isinstance(value, rdf.Literal):
            plain = value.datatype.value == "http://www.w3.org/2001/XMLSchema#string"
            end = Text(value.value, "" if plain else value.datatype.value)
        else:
            end = value.value
        read.add(Triple(quad.subject.value, quad.predicate.value, end))
    assert read == set(stated)
