"""A look over memory counts what the asker sees, as `show` says of each claim, and nothing else."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings

from muniment import wire
from muniment.core.claim import Freshness, Review, Validity
from muniment.core.encode import encode
from muniment.core.source import Reading, Source
from muniment.usecases.show import show
from muniment.usecases.survey import MOST_LISTED, survey
from tests.usecases import world as worlds
from tests.usecases.remembered import NOON, OTHER, SHOP, a_claim, a_world, private
from tests.usecases.test_recall_noninterference import MIXED, PAIRS, UNSEEN, VISIBLE, known, twin


def told(world, who="user:ada", **values):
    return json.dumps(wire.survey(survey(world.session(who), **values)))


@pytest.mark.req("B-FILTERFIRST", "A-STATUS")
@settings(max_examples=150)
@given(visible=VISIBLE, unseen=UNSEEN, pairs=PAIRS, mixed=MIXED)
def test_what_is_hidden_changes_nothing_in_it(visible, unseen, pairs, mixed):
    assert told(twin(visible, pairs, unseen, mixed)) == told(twin(visible, pairs))


@pytest.mark.req("A-STATUS", "B-FRESHNESS")
@settings(max_examples=150)
@given(visible=VISIBLE, pairs=PAIRS)
def test_it_counts_what_show_says_of_each_claim(visible, pairs):
    world = twin(visible, pairs)
    looked = survey(world.session())
    shown = [show(world.session(), claim.id) for claim in visible]
    assert looked.claims == len(visible)
    assert looked.counts["status"] == dict(Counter(one.status for one in shown))
    holding = [
        one
        for one in shown
        if one.status not in ("invalid", "archived", "superseded")
        and one.claim.review.status in ("accepted", "needs_review")
    ]
    assert looked.holding == len(holding)
    assert looked.counts["freshness"] == dict(Counter(one.freshness for one in holding))
    assert looked.counts["review"] == dict(Counter(one.claim.review.status for one in shown))


def test_a_claim_that_moved_out_of_sight_is_as_if_it_had_never_been_there():
    world = a_world(a_claim("kept", "Tests need Docker."))
    alone = told(world)
    moved = a_claim("moved", "Deploys run tests first.")
    world.add(moved)
    world.add(replace(moved, version=2, visibility=private("user:bob")))
    assert told(world) == alone
    assert survey(world.session("user:bob")).claims == 2


def test_other_scopes_are_not_counted():
    world = a_world(a_claim("here", "Tests need Docker."), a_claim("there", "Lunch.", scope=OTHER))
    assert survey(world.session()).counts["scope"] == {str(SHOP): 1}
    assert survey(world.session(scopes=())).claims == 0
    both = survey(world.session(scopes=(SHOP, OTHER)))
    assert both.counts["scope"] == {str(OTHER): 1, str(SHOP): 1}


def test_what_ends_within_thirty_days_is_listed_soonest_first():
    ends = {"now": 0, "last": 30, "later": 31, "first": 1}
    world = a_world(
        *(
            a_claim(name, f"It is {name}.", validity=Validity(None, NOON + timedelta(days=days)))
            for name, days in ends.items()
        )
    )
    looked = survey(world.session())
    assert [one.id for one in looked.expiring] == ["mem_first", "mem_last"]
    assert looked.expiring_count == 2
    assert looked.expiring[0].at == NOON + timedelta(days=1)


def test_each_doubtful_claim_has_its_gravest_cause():
    long_ago = Freshness("current", NOON - timedelta(days=91), None, "reread")
    kept = a_claim("old", "It is old.", type="project_fact", freshness=long_ago)
    made_from = Source("memory", "inference", "", NOON, (), "inferred", ("mem_gone",))
    world = a_world(
        kept,
        a_claim("fresh", "It is fresh."),
        a_claim("changed", "It changed.", freshness=long_ago, reading=Reading("changed", NOON)),
        a_claim("missing", "It is missing.", reading=Reading("missing", NOON)),
        a_claim("unchecked", "Nobody looked.", freshness=Freshness()),
        a_claim("gone", "It was wrong.", review=Review("deprecated", "user:rita", NOON)),
        a_claim("derived", "So it follows.", source=made_from),
    )
    looked = survey(world.session())
    assert [(one.id, one.why) for one in looked.doubtful] == [
        ("mem_changed", "source_changed"),
        ("mem_missing", "source_missing"),
        ("mem_derived", "basis_retracted"),
        ("mem_old", "verified_long_ago"),
        ("mem_unchecked", "never_verified"),
    ]
    assert sum(looked.counts["cause"].values()) == looked.doubtful_count == 5


def test_lists_end_and_counts_do_not():
    many = [
        a_claim(f"{n:03}", f"Number {n}.", freshness=Freshness()) for n in range(MOST_LISTED + 7)
    ]
    looked = survey(a_world(*many).session())
    assert len(looked.doubtful) == MOST_LISTED
    assert looked.doubtful_count == MOST_LISTED + 7
    assert [one.id for one in looked.doubtful] == sorted(c.id for c in many)[:MOST_LISTED]


def test_growth_counts_claims_by_when_they_were_first_recorded():
    days = [0, 0, 1, 4]
    world = a_world()
    for n, day in enumerate(days):
        world.add(a_claim(f"v{n}", f"Number {n}."), at=NOON + timedelta(days=day))
    world.add(a_claim("v0", "Number 0 again.", version=2), at=NOON + timedelta(days=4))
    looked = survey(world.session(clock=lambda: NOON + timedelta(days=5)))
    assert looked.period == "day"
    assert [(one.recorded, one.total) for one in looked.growth] == [
        (0, 0), (2, 2), (1, 3), (0, 3), (0, 3), (1, 4), (0, 4),
    ]  # fmt: skip
    assert looked.growth[0].begins == datetime(2026, 7, 7, tzinfo=UTC)


def test_growth_over_years_is_told_by_the_week_and_keeps_what_was_before():
    world = a_world()
    for n in range(5):
        world.add(a_claim(f"v{n}", f"Number {n}."), at=NOON + timedelta(days=200 * n))
    looked = survey(world.session(clock=lambda: NOON + timedelta(days=1000)))
    assert looked.period == "week"
    assert all(one.begins.weekday() == 0 for one in looked.growth)
    assert looked.growth[-1].total == 5
    # The first told week lies after the first two claims.
    assert looked.growth[0].total == 2
    assert sum(one.recorded for one in looked.growth) == 3


def test_sources_are_grouped_by_address_and_the_worrying_come_first():
    at = {"uri_a": "file:///a", "uri_b": "file:///b", "uri_c": "file:///c"}
    world = a_world(
        a_claim("one", "One.", source=Source("file", "observation", at["uri_a"], NOON)),
        a_claim("two", "Two.", source=Source("file", "observation", at["uri_a"], NOON)),
        a_claim(
            "three",
            "Three.",
            source=Source("file", "observation", at["uri_b"], NOON),
            reading=Reading("changed", NOON),
        ),
        a_claim(
            "four",
            "Four.",
            source=Source("file", "observation", at["uri_c"], NOON),
            reading=None,
            freshness=Freshness(),
        ),
    )
    looked = survey(world.session())
    assert [(one.uri, one.claims, one.state) for one in looked.places] == [
        ("file:///b", 1, "changed"),
        ("file:///c", 1, ""),
        ("file:///a", 2, "match"),
    ]
    assert [one.oldest for one in looked.places] == [NOON, None, NOON]
    assert looked.places_of == 4
    some = survey(world.session(), sources=1)
    assert [one.uri for one in some.places] == ["file:///b"]
    assert some.places_of == 1
    assert survey(world.session(), sources=0).places == ()


@pytest.mark.req("B-DIFFREVIEW")
def test_the_backlog_counts_by_age_and_risk():
    made = worlds.World()

    def risky(text):
        now = {"status": "current", "last_verified_at": encode(made.clock.now)}
        return worlds.fact(text, allowed_uses=["deploy"], freshness=now)

    made.propose("agent:codex", worlds.add(worlds.fact("The shop opens at nine.")))
    made.clock.ahead(days=3)
    made.propose("agent:codex", worlds.add(risky("Deploys go out on Fridays.")))
    looked = survey(made.session("user:bob"))
    assert looked.waiting_count == 2
    assert looked.backlog["a week"] == {"low": 1, "medium": 0, "high": 0}
    assert looked.backlog["a day"] == {"low": 0, "medium": 0, "high": 1}
    assert [one.said for one in looked.waiting] == [
        "The shop opens at nine.",
        "Deploys go out on Fridays.",
    ]
    target = made.accept(risky("The shop closes at five."))
    made.propose("agent:codex", worlds.deprecate(target))
    looked = survey(made.session("user:bob"))
    assert looked.backlog["a day"]["high"] == 2
    assert looked.waiting[-1].said == "The shop closes at five."


@pytest.mark.req("B-FILTERFIRST")
def test_hidden_proposals_and_claims_change_nothing_in_what_waits():
    def settled(hidden):
        made = worlds.World()
        if hidden:
            made.accept_hidden(worlds.fact("The shop is for sale."))
            board = {**worlds.fact("Nobody is told."), "visibility": worlds.BOARD}
            made.propose("process:board", worlds.add(board))
        made.clock.now, made.draw = worlds.NOON + timedelta(days=1), worlds._drawn("after")
        made.propose("agent:codex", worlds.add(worlds.fact()))
        return made

    looks = [survey(settled(hidden).session("user:bob")) for hidden in (False, True)]
    one, other = (replace(look, at=NOON, waiting=()) for look in looks)
    assert one == other
    assert [w.said for w in looks[0].waiting] == [w.said for w in looks[1].waiting]
    assert survey(settled(True).session("user:ana")).waiting_count == 2


def test_known_pairs_are_disputed():
    visible = [a_claim("v0", "It is npm."), a_claim("v1", "It is pnpm.")]
    assert known(visible, [("v0", "v1")])
    looked = survey(twin(visible, [("v0", "v1")]).session())
    assert looked.counts["status"] == {"disputed": 2}
