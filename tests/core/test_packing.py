"""Packing takes one complete proof an answer, finds the smallest whole packet, and says whether it is."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.core.packing import (
    COMBINATIONS,
    MOST_COMBINATIONS,
    greedy,
    independent,
    pack_proofs,
    plan_answers,
)

CLAIMS = "abcdef"
PROOFS = st.lists(st.sampled_from(CLAIMS), min_size=1, max_size=3, unique=True).map(
    lambda p: tuple(sorted(p))
)
ANSWERS = st.lists(st.lists(PROOFS, min_size=1, max_size=4, unique=True), min_size=1, max_size=5)
SIZES = st.fixed_dictionaries({one: st.integers(1, 9) for one in CLAIMS})


def packet(sizes):
    """A whole packet: what is shared stands once, and neighbours run together."""
    return lambda choice: "|".join(
        c * sizes[c] for c in sorted({c for proof in choice for c in proof})
    )


def merging(text):
    """Tokens that merge across boundaries: a run of one or two characters is one."""
    return len(text) - text.count("a|b") - text.count("b|c") + text.count("|f")


@pytest.mark.req("D-PACK")
@settings(max_examples=300)
@given(answers=ANSWERS, sizes=SIZES, budget=st.integers(0, 40))
def test_the_packet_is_the_smallest_of_all_that_trying_every_combination_gives(
    answers, sizes, budget
):
    text_of = packet(sizes)
    fitting = [c for c in (merging(text_of(choice)) for choice in product(*answers)) if c <= budget]
    packed = pack_proofs(answers, text_of, merging, budget)
    assert packed.examined == packed.combinations <= COMBINATIONS
    if fitting:
        assert (packed.outcome, packed.used, packed.optimal) == ("packed", min(fitting), True)
        assert all(proof in proofs for proof, proofs in zip(packed.choice, answers, strict=True))
        assert merging(text_of(packed.choice)) == packed.used
    else:
        assert (packed.outcome, packed.choice, packed.text) == ("budget_exceeded", (), "")


@pytest.mark.req("D-PACK")
@given(answers=ANSWERS, sizes=SIZES, budget=st.integers(0, 40), most=st.integers(1, 30))
def test_a_bounded_search_keeps_the_best_so_far_and_claims_no_more(answers, sizes, budget, most):
    text_of = packet(sizes)
    packed = pack_proofs(answers, text_of, merging, budget, most)
    assert packed.examined == min(most, packed.combinations)
    assert packed.optimal == (packed.outcome == "packed" and packed.examined == packed.combinations)
    if packed.outcome == "packed":
        assert packed.used <= budget
    if packed.outcome == "search_exhausted":
        assert packed.examined < packed.combinations
    if packed.outcome == "budget_exceeded":
        assert packed.examined == packed.combinations


@pytest.mark.req("D-PACK")
@given(answers=ANSWERS, sizes=SIZES)
def test_what_is_found_is_never_worse_than_the_greedy_choice(answers, sizes):
    text_of = packet(sizes)
    packed = pack_proofs(answers, text_of, merging, 10**6, most=2)
    assert packed.used <= min(merging(text_of(greedy(answers))), 10**6) or packed.examined < 2


@pytest.mark.req("D-PACK")
def test_the_number_of_combinations_has_a_hard_limit():
    answers = [[("a",), ("b",)]] * 17
    packed = pack_proofs(answers, lambda choice: "x", len, 9, most=10**9)
    assert (packed.examined, packed.combinations, packed.optimal) == (
        MOST_COMBINATIONS,
        2**17,
        False,
    )


@pytest.mark.req("D-PACK")
def test_sharing_beats_the_smallest_proof_of_each():
    answers = [[("a",), ("c", "d")], [("b",), ("c", "d")], [("e",), ("c", "d")]]
    sizes = {**dict.fromkeys("abe", 9), "c": 2, "d": 2}
    text_of = packet(sizes)
    packed = pack_proofs(answers, text_of, len, 99)
    assert packed.choice == (("c", "d"),) * 3
    assert packed.used < len(text_of(independent(answers)))


@pytest.mark.req("D-PACK")
@given(
    answers=st.lists(st.tuples(st.integers(1, 9), PROOFS), max_size=8),
    sizes=SIZES,
    budget=st.integers(0, 40),
)
def test_a_plan_fits_and_leaves_nothing_untold(answers, sizes, budget):
    whole = packet(sizes)
    planned = plan_answers(answers, lambda taken: whole([p for _, p in taken]), merging, budget)
    assert planned.used <= budget
    assert sorted((*planned.chosen, *planned.left)) == list(range(len(answers)))
    assert [answers[place][1] for place in planned.chosen] == list(planned.choice)
