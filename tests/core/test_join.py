"""Joins give every answer with every minimal proof, or the bound that was met, and never a part."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.core.join import MOST_EXAMINATIONS, MOST_STATES, Bounds, join
from muniment.core.patterns import Plain
from muniment.core.proofs import proofs_of
from muniment.core.query_text import parse_query
from tests.core.joins import FACTS, brute_force, queries


def asked(text):
    query, findings = parse_query(text)
    assert query is not None, findings
    return query


def answers(joined):
    return {a.values: {frozenset(p) for p in a.proofs} for a in joined.answers}


@pytest.mark.req("D-CONJ", "D-BOUNDS")
@settings(max_examples=400)
@given(query=queries(), facts=FACTS)
def test_every_answer_and_every_minimal_proof_is_the_brute_force_one(query, facts):
    joined = join(query, Plain(facts))
    assert joined.exceeded == ""
    assert answers(joined) == brute_force(query, facts)
    assert all(a.count == len(a.proofs) for a in joined.answers)


@given(query=queries(), facts=FACTS, order=st.randoms())
def test_the_order_of_the_facts_changes_nothing(query, facts, order):
    mixed = list(facts)
    order.shuffle(mixed)
    one, other = join(query, Plain(facts)), join(query, Plain(mixed))
    assert {a.values: a for a in one.answers} == {a.values: a for a in other.answers}
    assert (one.examinations, one.order) == (other.examinations, other.order)


@pytest.mark.req("D-BOUNDS")
@given(query=queries(), facts=FACTS, most=st.integers(0, 12))
def test_a_bound_gives_the_whole_or_nothing(query, facts, most):
    whole = join(query, Plain(facts))
    bounded = join(query, Plain(facts), Bounds(examinations=most))
    if whole.examinations <= most:
        assert bounded == whole
    else:
        assert (bounded.answers, bounded.exceeded, dict(bounded.touched)) == (
            (),
            "examinations",
            {},
        )


def many(count, claims=1):
    return [(f"s{n}", "uses", f"o{n}", f"m{n}/{c}") for n in range(count) for c in range(claims)]


@pytest.mark.req("D-BOUNDS")
def test_512_states_are_allowed_and_513_are_not():
    query = asked("?a uses ?b")
    assert len(join(query, Plain(many(MOST_STATES))).answers) == MOST_STATES
    over = join(query, Plain(many(MOST_STATES + 1)))
    assert (over.answers, over.exceeded) == ((), "states")


@pytest.mark.req("D-BOUNDS")
def test_50_000_examinations_are_allowed_and_one_more_is_not():
    query = asked("?a uses ?b")
    facts = [("s", "uses", "o", f"m{n:05}") for n in range(MOST_EXAMINATIONS + 1)]
    (answer,) = join(query, Plain(facts[:-1])).answers
    assert (answer.count, len(answer.proofs)) == (MOST_EXAMINATIONS, 128)
    assert join(query, Plain(facts)).exceeded == "examinations"


@pytest.mark.req("D-BOUNDS")
def test_the_limits_cannot_be_raised():
    query, beyond = asked("?a uses ?b"), Bounds(10**9, 10**9, 10**9)
    assert join(query, Plain(many(MOST_STATES + 1)), beyond).exceeded == "states"
    facts = [("s", "uses", "o", f"m{n}") for n in range(200)]
    assert len(join(query, Plain(facts), beyond).answers[0].proofs) == 128


@pytest.mark.req("D-BOUNDS")
def test_the_rarest_pattern_comes_first():
    facts = [*many(100), ("s7", "part_of", "acme", "m")]
    joined = join(asked("?a uses ?b, ?a part_of acme"), Plain(facts))
    assert (joined.order, joined.examinations) == ((1, 0), 2)


@pytest.mark.req("D-BOUNDS")
def test_proofs_beyond_128_are_counted():
    facts = [("s", p, "o", f"{p}{n}") for p in ("uses", "part_of", "needs") for n in range(10)]
    (answer,) = join(asked("?a uses ?b, ?a part_of ?c, ?a needs ?b"), Plain(facts)).answers
    assert (answer.count, len(answer.proofs)) == (1_000, 128)


@pytest.mark.req("D-CONJ")
def test_a_claim_that_carries_two_of_the_facts_is_a_proof_by_itself():
    facts = [("s", "uses", "o", "m1"), ("s", "needs", "o", "m1"), ("s", "needs", "o", "m2")]
    (answer,) = join(asked("?a uses ?b, ?a needs ?b"), Plain(facts)).answers
    assert answer.proofs == (("m1",),)


@pytest.mark.req("D-CONJ")
def test_nothing_is_transitive():
    facts = [("a", "part_of", "b", "m1"), ("b", "part_of", "c", "m2")]
    assert join(asked("a part_of c"), Plain(facts)).answers == ()


@pytest.mark.req("D-CONJ")
def test_case_tells_terms_apart_and_width_does_not():
    facts = [("shop", "uses", "pnpm", "m1")]
    assert join(asked("shop uses PNPM"), Plain(facts)).answers == ()
    assert len(join(asked("shop uses ｐｎｐｍ"), Plain(facts)).answers) == 1


def test_counting_proofs_that_share_claims_is_bounded():
    ways = [frozenset({("p", n, 0) for n in range(4)})]
    shared = {("p", n, 0): tuple(f"m{k}" for k in range(10)) for n in range(4)}
    assert proofs_of(ways, shared, 128, 9_999) is None
    assert proofs_of(ways, shared, 128, 10_000).count == 10


def web(size, reach):
    """Every node knows the next ones; the last arrow of a triangle is rare."""
    facts = [
        (f"n{a}", "uses", f"n{(a + d) % size}", f"m{a}/{d}")
        for a in range(size)
        for d in range(1, reach)
    ]
    return [*facts, ("n5", "uses", "n0", "close")]


@pytest.mark.req("D-BOUNDS")
def test_what_a_later_pattern_refuses_is_no_state():
    facts = web(600, 31)
    joined = join(asked("n0 uses ?b, ?b uses ?c, ?c uses n0"), Plain(facts))
    assert joined.exceeded == ""
    assert joined.states <= 30
    assert {a.values for a in joined.answers} == {(f"n{b}", "n5") for b in range(1, 5)}


@pytest.mark.req("D-BOUNDS")
def test_a_pattern_that_meets_every_state_comes_after_one_that_is_connected():
    facts = [*many(300), *((f"s{n}", "needs", f"t{n}", f"x{n}") for n in range(300))]
    facts += [(f"c{n}", "part_of", "acme", f"p{n}") for n in range(5)]
    facts += [("t7", "related_to", "c1", "r")]
    joined = join(asked("?a uses ?b, ?a needs ?t, ?c part_of acme, ?t related_to ?c"), Plain(facts))
    assert [a.values for a in joined.answers] == [("s7", "o7", "t7", "c1")]
