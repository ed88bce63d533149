"""The graph of claims holds what the asker sees, and says nothing of the rest."""

from __future__ import annotations

import pytest

from muniment.core.claim import Review
from muniment.core.errors import NotFound
from muniment.core.rdf import MUN, PROV, Text, n_triples
from muniment.core.source import Source
from muniment.usecases.graph_export import graph
from tests.usecases.remembered import NOON, a_claim, a_world, private


def derived(name, *sources, **more):
    source = Source("memory", "inference", "", NOON, (), "inferred", sources)
    return a_claim(name, "It follows.", source=source, **more)


@pytest.mark.req("A-RELATIONS")
def test_a_claim_is_exported_with_what_was_made_from_it_and_how_often_it_was_handed_over():
    world = a_world(a_claim("a", "The shop uses pnpm."), derived("b", "mem_a"))
    world.recall("which tool does the shop use? pnpm")
    stated = graph(world.session(), ("mem_a",))
    said = {(t.predicate, t.object) for t in stated if t.subject == "urn:muniment:claim:mem_a"}
    assert (MUN + "MAY_BE_USED_BY", "urn:muniment:claim:mem_b") in said
    assert (MUN + "IDENTIFIED_BY", Text("mem_a")) in said
    assert any(predicate == MUN + "MAY_BE_RETRIEVED_BY" for predicate, _ in said)


@pytest.mark.req("A-RELATIONS", "B-FILTERFIRST")
def test_what_is_hidden_changes_nothing_in_the_graph():
    world = a_world(a_claim("a", "The shop uses pnpm."), derived("b", "mem_a", "mem_h"))
    before = n_triples(graph(world.session(), ()))
    world.add(a_claim("h", "A secret.", visibility=private("user:eve")))
    world.add(derived("c", "mem_a", visibility=private("user:eve")))
    assert n_triples(graph(world.session(), ())) == before
    with pytest.raises(NotFound):
        graph(world.session(), ("mem_h",))


def test_all_that_is_accepted_in_scope_is_exported_and_derivation_in_prov():
    world = a_world(
        a_claim("a", "One."),
        derived("b", "mem_a"),
        a_claim("p", "Two.", review=Review("proposed")),
    )
    text = n_triples(graph(world.session(), ()))
    assert "urn:muniment:claim:mem_p" not in text
    line = f"<urn:muniment:claim:mem_b> <{PROV}wasDerivedFrom> <urn:muniment:claim:mem_a> ."
    assert line in text.splitlines()
