"""Walking from claim to claim: the nearest distance, inside the bounds, the same whatever the order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.core.graph import Bounds, Vertex, traverse

IDS = [f"c{n}" for n in range(8)]
NAMES = ["pnpm", "node", "ci"]
GRAPHS = st.dictionaries(
    st.sampled_from(IDS),
    st.tuples(st.lists(st.sampled_from(NAMES), max_size=2), st.lists(st.sampled_from(IDS), max_size=2)),
)  # fmt: skip


def made(given):
    return {one: Vertex(one, tuple(names), tuple(links)) for one, (names, links) in given.items()}


def holding_in(vertices):
    return lambda name: [one for one in vertices if name in vertices[one].names]


def plain_distances(vertices, seeds, steps):
    """Breadth first, by the definition of a neighbour."""
    distance = {one: 0 for one in seeds if one in vertices}
    for step in range(1, steps + 1):
        for one in [one for one, far in distance.items() if far == step - 1]:
            for other, vertex in vertices.items():
                linked = other in vertices[one].links or set(vertex.names) & set(
                    vertices[one].names
                )
                if linked:
                    distance.setdefault(other, step)
    return distance


@pytest.mark.req("A-METHOD")
@given(given=GRAPHS, seeds=st.lists(st.sampled_from(IDS), max_size=3), steps=st.integers(0, 3))
def test_distances_are_those_of_a_plain_breadth_first_walk(given, seeds, steps):
    vertices = made(given)
    found = traverse(seeds, vertices.get, holding_in(vertices), Bounds(steps, 100, 100))
    assert dict(found.distance) == plain_distances(vertices, seeds, steps)
    assert found.met == ()


@pytest.mark.req("E-LIMITS", "E-DETERMINISM")
@given(
    given=GRAPHS,
    seeds=st.lists(st.sampled_from(IDS), max_size=3),
    examined=st.integers(0, 6),
    reached=st.integers(0, 6),
    random=st.randoms(),
)
def test_bounds_hold_are_told_and_the_order_of_claims_changes_nothing(
    given, seeds, examined, reached, random
):
    vertices, bounds = made(given), Bounds(2, examined, reached)
    found = traverse(seeds, vertices.get, holding_in(vertices), bounds)
    mixed = dict(random.sample(sorted(vertices.items()), len(vertices)))
    assert traverse(seeds, mixed.get, holding_in(mixed), bounds) == found
    assert found.examined <= examined
    assert len(found.distance) <= reached
    cut = dict(found.distance) != plain_distances(vertices, seeds, 2)
    assert not cut or found.met


def test_a_name_that_joins_too_many_is_not_followed_and_that_is_told():
    vertices = {one: Vertex(one, ("node",)) for one in IDS}
    found = traverse(["c0"], vertices.get, lambda name: None, Bounds())
    assert (dict(found.distance), found.met) == ({"c0": 0}, ("general_name",))
