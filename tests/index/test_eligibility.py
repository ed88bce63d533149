"""Deciding by groups is deciding row by row, at every instant, for every use, in every state of the store."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from muniment.core.claim import Freshness, Review, Validity
from muniment.core.codec import micros
from muniment.core.decide import Ask, decide, superseded_for
from muniment.core.request import Request
from muniment.core.source import Reading, Source
from muniment.core.status import DAY, status_at
from muniment.usecases.eligible import gather
from muniment.usecases.filtering import Filter
from muniment.usecases.judging import events_of
from muniment.usecases.viewing import Viewing
from tests.index.layouts import layout
from tests.usecases.remembered import EVERYBODY, NOON, SHOP, a_claim, a_world, private

NAMES = "abcdef"
STATUSES = ("active", "stale", "expired", "superseded", "disputed", "invalid", "archived")
TICK = timedelta(microseconds=1)
ENDS = [NOON + timedelta(days=n) for n in (-1, 0, 1, 30)]
VERIFIED = [NOON - timedelta(days=n) for n in (0, 1, 30, 90, 180, 365)]
WINDOWS = [one + timedelta(days=n) for one in VERIFIED for n in (1, 30, 90, 180, 365, 730)]
INSTANTS = sorted({one + shift for one in (*ENDS, *WINDOWS) for shift in (-TICK, 0 * TICK, TICK)})
PEOPLE = (EVERYBODY, EVERYBODY, private("user:ada"), private("user:bob"))
some = st.lists(st.sampled_from([f"mem_{n}" for n in NAMES]), max_size=1).map(tuple)


def or_none(values):
    return st.none() | st.sampled_from(values)


claims = st.builds(
    lambda name, text, who, review, begin, end, expires, verified, read, kind, use, no, olds, sources, gone: replace(
        a_claim(name, text),
        visibility=who,
        review=Review(review),
        validity=Validity(begin, end),
        freshness=Freshness("unknown", verified, expires, "read"),
        reading=Reading(read, NOON) if read else None,
        type=kind,
        allowed_uses=use,
        prohibited_uses=no,
        supersedes=tuple(one for one in olds if one != f"mem_{name}"),
        source=Source("file", "observation", "file:///x", NOON, (), "direct", sources),
        retired=gone,
    ),
    st.sampled_from(NAMES),
    st.sampled_from(("Tests run.", "Docs build with sphinx, slowly.")),
    st.sampled_from(PEOPLE),
    st.sampled_from(("accepted",) * 4 + ("needs_review", "deprecated", "rejected", "proposed")),
    or_none(ENDS),
    or_none(ENDS),
    or_none(ENDS),
    or_none(VERIFIED),
    st.sampled_from(("match", "match", "moved", "changed", "")),
    st.sampled_from(("project_fact", "decision", "known_failure_mode")),
    st.sampled_from((("answer_questions",), ("answer_questions", "deploy"), ())),
    st.sampled_from(((), (), ("deploy",))),
    some,
    some,
    st.sampled_from(("",) * 6 + ("invalid", "archived")),
)  # fmt: skip
writes = st.lists(
    st.lists(claims, min_size=1, max_size=3, unique_by=lambda one: one.id)
    | st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)).filter(lambda pair: pair[0] != pair[1]),
    min_size=1,
    max_size=4,
)  # fmt: skip
questions = st.lists(
    st.tuples(
        st.sampled_from(("user:ada", "user:eve")),
        st.sampled_from(INSTANTS),
        st.builds(
            Request,
            st.just("tests"),
            st.sampled_from(("answer_questions", "deploy", "")),
            history=st.booleans(),
            reread=st.booleans(),
            as_of=st.none() | st.integers(0, 8) | st.integers(-1, 8).map(lambda h: NOON + timedelta(hours=h)),
            statuses=st.lists(st.sampled_from(STATUSES), max_size=2).map(tuple),
        ),
    ),
    max_size=6,
)  # fmt: skip


def put(world, write, hour):
    at = NOON + timedelta(hours=hour)
    if isinstance(write, tuple):
        known = [f"mem_{name}" for name in write]
        with world.store.snapshot("acme") as snapshot:
            if all(snapshot.row(one) for one in known):
                return world.dispute(*known, at=at)
        return None
    with world.store.snapshot("acme") as snapshot:
        versions = [replace(one, version=len(snapshot.history(one.id)) + 1) for one in write]
    return world.add(*versions, at=at)


def by_rows(viewing, request, at, upto):
    """The oracle: every visible row with its relations, decided by itself."""
    ask = Ask(request.use, micros(at), request.history)
    again = replace(ask, reread_matched=True)
    past = request.as_of is not None
    viewing.upto = upto if past else viewing.upto
    rows = viewing.snapshot.rows(viewing.classes_of((SHOP,)), upto if past else None)
    rows = viewing.seen(row for row in rows if not past or viewing.sees(row.claim_id))
    found = {}
    for row in rows:
        late = ("superseded",) if not request.history and superseded_for(row, viewing.sees) else ()
        reasons = decide(row, ask).reasons + late
        lifts = request.reread and bool(reasons) and not decide(row, again).reasons + late
        found[row.seq] = (
            not reasons or lifts,
            lifts,
            reasons,
            status_at(row, ask.at, viewing.sees),
        )
    return found, {row.seq: row.length for row in rows}


def passing(gathered, request):
    """What a filter by status lets through."""
    filtering = Filter(gathered, request)
    return [filtering.mask(n) for n in range(len(gathered.judged))] if filtering.narrows else None


@pytest.mark.req("B-FILTERFIRST", "E-DETERMINISM")
@pytest.mark.parametrize("rows", [1, 3, 1_000])
@settings(max_examples=60, phases=(Phase.explicit, Phase.reuse, Phase.generate))
@given(steps=st.lists(st.tuples(writes, questions), min_size=1, max_size=3))
def test_groups_decide_as_rows_do(rows, steps):
    world, hour = a_world(), 0
    with layout(rows, 2, 2):
        for wrote, asked in steps:
            for write in wrote:
                put(world, write, hour)
                hour += 1
            for who, at, request in asked:
                with world.store.snapshot("acme") as snapshot:
                    compare(snapshot, who, at, request)


def compare(snapshot, who, at, request):
    viewing = Viewing(snapshot, who)
    gathered = gather(viewing, request, (SHOP,), at)
    expected, lengths = by_rows(Viewing(snapshot, who), request, at, viewing.upto)
    through, found = passing(gathered, request), {}
    for n, one in enumerate(gathered.judged):
        for position in np.flatnonzero(one.run.live).tolist():
            [seq] = events_of(gathered.judged, [(n, position)])
            told = bool(one.eligible[position]), seq in one.lifted, one.reasons_of(position)
            found[seq] = told
            if through is not None:
                assert bool(through[n][position]) == (expected[seq][3] in request.statuses)
    assert found == {seq: one[:3] for seq, one in expected.items()}
    served = [seq for seq, one in expected.items() if one[0]]
    assert (gathered.eligible, gathered.words) == (len(served), sum(lengths[s] for s in served))
    assert gathered.rows == len(expected)


def test_the_instants_lie_at_boundaries():
    assert NOON in INSTANTS and NOON + TICK in INSTANTS
    assert any(micros(one) - micros(VERIFIED[1]) == 90 * DAY for one in INSTANTS)


def test_no_rereading_brings_back_what_was_superseded():
    world = a_world()
    old = replace(a_claim("a", "Tests run."), allowed_uses=("deploy",), prohibited_uses=("deploy",))
    world.add(old, at=NOON)
    asked = Request("tests", "deploy", reread=True)
    with world.store.snapshot("acme") as snapshot:
        compare(snapshot, "user:ada", NOON, asked)
        (judged,) = gather(Viewing(snapshot, "user:ada"), asked, (SHOP,), NOON).judged
        assert (judged.count, len(judged.lifted)) == (1, 1)
    world.add(replace(a_claim("b", "Docs build."), supersedes=("mem_a",)), at=NOON)
    with world.store.snapshot("acme") as snapshot:
        compare(snapshot, "user:ada", NOON, asked)
