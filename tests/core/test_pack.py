"""Packing: whole units within hard limits that are counted on the text itself."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.core.pack import MISSES, Limits, Unit, pack, shortest_that_fits

SIZES = st.lists(
    st.tuples(st.integers(1, 3), st.integers(0, 40), st.integers(0, 5)), min_size=0, max_size=12
)


def units_of(sizes):
    names = iter(f"mem_{n:03d}" for n in range(1_000))
    made, width = [], {}
    for claims, long, relevance in sizes:
        unit = Unit(tuple(next(names) for _ in range(claims)), relevance)
        width[unit.ids] = long
        made.append(unit)
    return made, width


def text_in(width):
    def text_of(chosen):
        return f"[{len(chosen)}]" + "".join("x" * width[unit.ids] for unit in chosen)

    return text_of


@pytest.mark.req("E-LIMITS")
@given(sizes=SIZES, k=st.integers(1, 12), budget=st.integers(0, 200))
def test_neither_limit_is_ever_exceeded_and_every_unit_is_whole_or_left_out(sizes, k, budget):
    units, width = units_of(sizes)
    packed = pack(units, Limits(k, budget), len, text_in(width))
    kept = [name for unit in packed.chosen for name in unit.ids]
    left = [name for ids, _ in packed.left for name in ids]
    assert len(kept) <= k
    assert packed.used == len(packed.text) <= budget
    assert sorted(kept + left) == sorted(name for unit in units for name in unit.ids)


@pytest.mark.req("E-LIMITS")
@given(sizes=SIZES, k=st.integers(1, 12), budget=st.integers(0, 200), random=st.randoms())
def test_the_choice_does_not_depend_on_the_order(sizes, k, budget, random):
    units, width = units_of(sizes)
    mixed = random.sample(units, len(units))
    assert pack(mixed, Limits(k, budget), len, text_in(width)) == pack(
        units, Limits(k, budget), len, text_in(width)
    )


@pytest.mark.req("D-PACK")
@given(sizes=SIZES.filter(lambda s: len(s) <= 9), k=st.integers(1, 12), budget=st.integers(0, 120))
def test_no_choice_that_fits_has_better_evidence_from_the_best_on(sizes, k, budget):
    units, width = units_of(sizes)
    order = sorted(units, key=lambda unit: (-unit.relevance, unit.ids))
    text_of = text_in(width)

    def fits(some):
        return sum(len(unit.ids) for unit in some) <= k and len(text_of(some)) <= budget

    choices = (
        tuple(unit for unit, taken in zip(order, takes, strict=True) if taken)
        for takes in product((True, False), repeat=len(order))
    )
    first = next((some for some in choices if some and fits(some)), ())
    packed = pack(units, Limits(k, budget), len, text_of)
    assert (packed.chosen, packed.untried) == (first, 0)


@given(sizes=SIZES)
def test_everything_is_kept_where_there_is_room(sizes):
    units, width = units_of(sizes)
    packed = pack(units, Limits(100, 10_000), len, text_in(width))
    assert (len(packed.chosen), packed.left) == (len(units), ())


def test_a_smaller_unit_is_tried_after_one_that_does_not_fit():
    units = (Unit(("mem_big",), 9), Unit(("mem_small",), 1))
    text = text_in({("mem_big",): 500, ("mem_small",): 5})
    packed = pack(units, Limits(5, 50), len, text)
    assert [unit.ids for unit in packed.chosen] == [("mem_small",)]


def test_packing_stops_looking_after_a_declared_number_of_misses():
    big = tuple(Unit((f"mem_big_{n:02d}",), 9) for n in range(MISSES))
    small = Unit(("mem_small",), 1)
    text = text_in({unit.ids: 500 for unit in big} | {small.ids: 5})
    packed = pack((*big, small), Limits(50, 50), len, text)
    assert packed.left[-1] == (("mem_small",), "over_budget")


def test_a_counter_that_does_not_add_up_is_obeyed():
    """Two texts of seven tokens may be twelve together, or twenty."""
    units = (Unit(("mem_a",), 2), Unit(("mem_b",), 1))
    text = text_in({("mem_a",): 1, ("mem_b",): 1})
    packed = pack(units, Limits(5, 10), lambda t: {"[1]x": 7, "[2]xx": 20}[t], text)
    assert (packed.used, len(packed.chosen)) == (7, 1)


@given(st.lists(st.text(max_size=20), max_size=4), st.integers(0, 30))
def test_the_shortest_text_that_fits_fits(texts, budget):
    text, used = shortest_that_fits(texts, budget, len)
    assert used == len(text) <= budget
