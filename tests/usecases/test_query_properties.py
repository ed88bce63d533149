"""Queries against an oracle that decides every claim and tries every fact; and against a twin with hidden claims."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muniment.core.claim import Fact, Freshness, Review, Validity
from muniment.core.codec import micros
from muniment.core.decide import Ask, decide, superseded_for
from muniment.core.source import Source
from muniment.store.memory import MemoryStore
from muniment.store.sqlite import SqliteStore
from muniment.usecases.query import Question, query
from muniment.usecases.viewing import Viewing
from tests.core.joins import NAMES, brute_force, queries
from tests.usecases.remembered import NOON, OTHER, SHOP, Entropy, World, a_claim, private

HOUR = timedelta(hours=1)
MOMENTS = st.sampled_from([None, NOON - HOUR, NOON, NOON + HOUR])
PREDICATES = st.sampled_from(["uses", "part_of", "has_part", "related_to"])
FACTS = st.lists(
    st.builds(Fact, st.sampled_from(NAMES), PREDICATES, st.sampled_from(NAMES)), min_size=1, max_size=2
)  # fmt: skip
IDS = [f"v{n}" for n in range(6)]


def claims(names, visibilities):
    """Claims under some names that differ in all that decides whether they may serve."""

    def made(
        name, facts, who, review, retired, times, verified, allowed, prohibited, olds, sources
    ):
        return a_claim(
            name,
            f"{name} says {facts}.",
            facts=tuple(facts),
            visibility=who,
            review=Review(review),
            retired=retired,
            validity=Validity(times[0], times[1]),
            freshness=Freshness("current", verified, times[2]),
            allowed_uses=allowed,
            prohibited_uses=prohibited,
            supersedes=tuple(olds),
            scope=SHOP if len(olds) < 2 else OTHER,
            source=Source("file", "observation", "file:///x", NOON, (), "direct", tuple(sources)),
        )

    others = st.lists(st.sampled_from([f"mem_{n}" for n in IDS]), max_size=2, unique=True)
    uses = st.sampled_from([("answer_questions",), ("answer_questions", "deploy"), ("deploy",)])
    return st.builds(
        made,
        st.sampled_from(names),
        FACTS,
        visibilities,
        st.sampled_from(["accepted"] * 6 + ["needs_review", "deprecated", "proposed", "rejected"]),
        st.sampled_from([""] * 4 + ["archived"]),
        st.tuples(MOMENTS, MOMENTS, MOMENTS),
        MOMENTS,
        uses,
        st.sampled_from([(), (), (), ("deploy",)]),
        others,
        others,
    )


SEEN = st.lists(claims(IDS, st.just(private("user:ada"))), max_size=7)
HIDDEN = st.lists(claims([f"h{n}" for n in range(4)], st.just(private("user:eve"))), max_size=4)
ASKED = st.fixed_dictionaries(
    {
        "use": st.sampled_from(["", "answer_questions", "deploy"]),
        "history": st.booleans(),
        "at": st.sampled_from([None, NOON - HOUR, NOON + HOUR]),
        "as_of": st.none() | st.integers(0, 7),
    }
)
STORES = st.sampled_from(["memory", "sqlite"])


def oracle(world, asked, question):
    """Every claim decided by itself, every fact tried for every pattern."""
    with world.store.snapshot("acme") as snapshot:
        viewing = Viewing(snapshot, "user:ada")
        seqs = sorted(e.seq for e in snapshot.envelopes() if e.kind == "claim")
        if question["as_of"] is not None:
            upto = seqs[question["as_of"] - 1] if 0 < question["as_of"] <= len(seqs) else 10**9
            viewing.upto = upto if question["as_of"] else 0
        upto = None if question["as_of"] is None else viewing.upto
        rows = viewing.seen(snapshot.rows(tuple(viewing.classes), upto))
        ask = Ask(question["use"], micros(question["at"] or NOON), question["history"])
        in_scope = viewing.classes_of((SHOP,))
        serving = [
            row
            for row in rows
            if row.cls in in_scope
            and decide(row, ask).permitted
            and (ask.history or not superseded_for(row, viewing.sees))
        ]
        contents = snapshot.contents([row.seq for row in serving])
        facts = [
            (fact["subject"], fact["predicate"], fact["object"], row.claim_id)
            for row in serving
            for fact in contents[row.seq]["facts"]
        ]
    return brute_force(asked, facts)


def a_store(kind, tmp_path):
    if kind == "memory":
        return MemoryStore(Entropy())
    path = tmp_path / f"{sum(1 for _ in tmp_path.iterdir())}" / "m.db"
    return SqliteStore.open(path, entropy=Entropy(), create=True)


def filled(kind, tmp_path, *groups):
    world = World(a_store(kind, tmp_path))
    for group in groups:
        for number, claim in enumerate(group, start=1):
            world.add(replace(claim, version=number))
    return world


many = settings(
    max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)


@pytest.mark.req("D-CONJ", "D-SNAPSHOT", "B-FILTERFIRST")
@many
@given(kind=STORES, seen=SEEN, asked=queries(), question=ASKED)
def test_a_query_is_what_deciding_and_trying_everything_gives(
    tmp_path, kind, seen, asked, question
):
    world = filled(kind, tmp_path, seen)
    answered = query(world.session(), Question(asked, **question))
    found = {row.values: {frozenset(p) for p in row.proofs} for row in answered.rows}
    assert found == oracle(world, asked, question)
    world.store.close()


@pytest.mark.req("D-CONJ", "D-BOUNDS", "B-FILTERFIRST")
@many
@given(kind=STORES, seen=SEEN, hidden=HIDDEN, asked=queries(), question=ASKED)
def test_what_is_hidden_changes_nothing_in_an_answer(tmp_path, kind, seen, hidden, asked, question):
    texts = []
    for first in ((), hidden):
        world = filled(kind, tmp_path, first, seen)
        answered = query(world.session(), Question(asked, explain=True, **question))
        texts.append(answered.as_json())
        world.store.close()
    assert texts[0] == texts[1]
