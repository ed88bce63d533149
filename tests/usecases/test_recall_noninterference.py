"""What a principal may not see changes nothing in what it is handed: twin stores, equal bytes (`B-FILTERFIRST`)."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.core.claim import Entity, Fact, Relationship, Review, Validity
from muniment.core.ranking import RANKING_POLICY
from muniment.core.source import Source
from tests.usecases.remembered import NOON, OTHER, SHOP, a_claim, a_world, private

TEXTS = (
    "`make test` runs `pytest -q`.",
    "Run the tests with `tox`.",
    "Tests need Docker.",
    "The package manager is pnpm.",
    "The package manager is npm.",
    "Deploys run tests first.",
)
QUERIES = (
    "how do I run the tests?",
    "which package manager?",
    "docker tests",
    "mem_v0",
    "what is lunch?",
)
METHODS = [name for name, _ in RANKING_POLICY.methods]
THINGS = ("docker", "package manager", "tests", "tox")
NAMES = [f"v{n}" for n in range(5)]
HIDDEN = [f"h{n}" for n in range(5)]


def claims(names, visibilities, others):
    """Claims under some names; relations go to any of `others`."""
    maybe = st.lists(st.sampled_from([f"mem_{n}" for n in others]), max_size=2, unique=True)
    one = st.builds(
        lambda text, who, review, until, olds, sources, alias, ends, targets: {
            "text": text, "visibility": who, "review": Review(review), "validity": Validity(None, until),
            "supersedes": tuple(olds), "aliases": tuple(alias),
            "facts": tuple(Fact(one, "uses", other) for one, other in ends),
            "entities": tuple(Entity(one) for one, _ in ends[:1]),
            "relationships": tuple(Relationship("relates_to", one) for one in targets),
            "source": Source("file", "observation", "file:///x", NOON, (), "direct", tuple(sources)),
        },
        st.sampled_from(TEXTS),
        visibilities,
        st.sampled_from(["accepted", "accepted", "needs_review", "deprecated"]),
        st.sampled_from([None, None, NOON, NOON + timedelta(days=1)]),
        maybe,
        maybe,
        st.lists(st.sampled_from(["tests", "docker"]), max_size=1),
        st.lists(st.tuples(st.sampled_from(THINGS), st.sampled_from(THINGS)), max_size=2),
        maybe,
    )  # fmt: skip
    return st.lists(one, max_size=len(names)).map(
        lambda given: [
            replace(
                a_claim(name, values["text"]), **{k: v for k, v in values.items() if k != "text"}
            )
            for name, values in zip(names, given, strict=False)
        ]
    )


VISIBLE = claims(
    NAMES, st.sampled_from([private("user:ada"), private("group:devs")]), NAMES + HIDDEN
)
UNSEEN = claims(
    HIDDEN, st.sampled_from([private("user:bob"), private("group:ops")]), NAMES + HIDDEN
)
PAIRS = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)), max_size=2)
MIXED = st.lists(st.tuples(st.sampled_from(NAMES + HIDDEN), st.sampled_from(HIDDEN)), max_size=3)


def known(claims, pairs):
    names = {claim.id for claim in claims}
    sides = [{f"mem_{one}", f"mem_{other}"} for one, other in pairs]
    return [pair for pair in sides if len(pair) == 2 and pair <= names]


def twin(visible, pairs, unseen=(), mixed=()):
    """A store; hidden claims have commits of their own, before, between and after the visible ones."""
    world = a_world()
    world.group("group:devs", "user:ada")
    for index, claim in enumerate(visible):
        if index < len(unseen):
            world.add(unseen[index])
        world.add(claim)
    for claim in unseen[len(visible) :]:
        world.add(claim)
    for pair in known(visible, pairs):
        world.dispute(*pair)
    if unseen:
        world.add(*(replace(claim, version=2) for claim in unseen[:2]))
        world.add(a_claim("rival", TEXTS[0]), tenant="rival")
        world.add(
            replace(a_claim("elsewhere", TEXTS[0]), scope=OTHER, visibility=private("user:bob"))
        )
    for pair in known([*visible, *unseen], mixed):
        world.dispute(*pair)
    return world


@pytest.mark.req("B-FILTERFIRST", "E-BLINDWRITE")
@settings(max_examples=250)
@given(
    visible=VISIBLE,
    unseen=UNSEEN,
    pairs=PAIRS,
    mixed=MIXED,
    query=st.sampled_from(QUERIES),
    values=st.fixed_dictionaries(
        {},
        optional={
            "history": st.just(True),
            "k": st.integers(1, 4),
            "budget": st.sampled_from([200, 900, 2_000]),
            "use": st.sampled_from(["", "deploy"]),
            "as_of": st.sampled_from([1, 2, NOON]),
            "method": st.sampled_from(METHODS),
            "own_proposals": st.just(True),
        },
    ),
)
def test_packets_are_equal_byte_for_byte_whatever_is_hidden(
    visible, unseen, pairs, mixed, query, values
):
    alone = twin(visible, pairs).recall(query, **values)
    among = twin(visible, pairs, unseen, mixed).recall(query, **values)
    assert json.dumps(among.packet.as_json()) == json.dumps(alone.packet.as_json())


@pytest.mark.req("B-FILTERFIRST")
def test_the_twins_do_differ_for_who_may_see_what_is_hidden():
    hidden = [replace(a_claim("h0", TEXTS[0]), visibility=private("user:bob"))]
    visible = [replace(a_claim("v0", TEXTS[1]), visibility=private("user:ada"))]
    world = twin(visible, (), hidden)
    seen = world.recall(QUERIES[0], session=world.session("user:bob", (SHOP,)))
    assert [item.claim.id for item in seen.packet.items] == ["mem_h0"]
