"""Retrievals are kept as long as declared, with no more of their questions than declared."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.core.errors import InvalidInput, NotFound, NotPermitted
from muniment.core.retention import QUERIES, Retention, stricter
from muniment.usecases.declare import Declaration, check, credential, declare, retention, roles
from muniment.usecases.retain import retain
from muniment.usecases.traces import retrieval
from tests.usecases.remembered import NOON, a_claim, a_world

ASK = "how do I run the tests?"
TESTS = a_claim("tests", "Run the tests with `make test`.")


def under(world, *rule):
    declare(world.session(), (retention(*rule),))
    return world


def at(session, days):
    return replace(session, clock=lambda: NOON + timedelta(days=days))


def told(session, id):
    with pytest.raises(NotFound) as refused:
        retrieval(session, id)
    return str(refused.value).replace(id, "ID")


@pytest.mark.req("A-RETENTION", "A-RETRIEVAL")
def test_a_retrieval_is_told_until_its_days_are_over_and_then_as_one_that_never_was():
    world = under(a_world(TESTS), 30)
    made, session = world.recall(ASK).retrieval_id, world.session()
    last = at(session, 30 - 1 / 86_400)
    assert retrieval(last, made)["query"]["text"] == ASK
    never = told(session, "ret_01kx0sjsg0e008000000000000")
    assert told(at(session, 30), made) == never
    assert retain(at(session, 30), apply=True).found.retrievals == 1
    assert told(at(session, 30), made) == told(session, made) == never


@pytest.mark.req("A-RETENTION")
def test_what_is_over_is_only_counted_until_it_is_to_be_removed():
    world = under(a_world(TESTS), 30)
    world.recall(ASK)
    late = at(world.session(), 31)
    tried, again = retain(late), retain(late)
    assert (tried.found, tried.removed, tried.before) == (
        again.found, False, NOON + timedelta(days=1),
    )  # fmt: skip
    done = retain(late, apply=True)
    assert (done.found.retrievals, done.found.counts, done.removed) == (1, 1, True)
    assert retain(late).found.retrievals == 0
    assert world.store.accesses("acme", "mem_tests", "user:ada") == (0, None)


@pytest.mark.req("A-RETENTION")
def test_where_nothing_is_declared_nothing_is_ever_over():
    world = a_world(TESTS)
    made = world.recall(ASK).retrieval_id
    late = at(world.session(), 36_500)
    found = retain(late, apply=True)
    assert (found.rule, found.before, found.removed) == (Retention(), None, False)
    assert retrieval(late, made)["query"]["text"] == ASK


@pytest.mark.req("A-RETENTION")
@pytest.mark.parametrize("allowed", QUERIES)
@pytest.mark.parametrize("asked", QUERIES)
def test_of_a_question_no_more_is_kept_than_is_declared_and_asked_for(asked, allowed):
    world = under(a_world(TESTS), 0, allowed)
    plain = world.recall(ASK, log="off")
    recalled = world.recall(ASK, log=asked)
    assert recalled.packet == plain.packet
    kept = stricter(asked, allowed)
    if kept == "off":
        assert recalled.retrieval_id == ""
        assert world.store.accesses("acme", "mem_tests", "user:ada") == (0, None)
        return
    record = json.dumps(dict(retrieval(world.session(), recalled.retrieval_id)))
    assert (ASK in record) == (kept == "text")
    assert "sha256:" in record


@given(asked=st.sampled_from(QUERIES), allowed=st.sampled_from(QUERIES))
def test_the_stricter_is_the_same_whoever_says_it(asked, allowed):
    found = stricter(asked, allowed)
    assert found == stricter(allowed, asked) == QUERIES[min(map(QUERIES.index, (asked, allowed)))]


@pytest.mark.req("A-RETENTION")
def test_once_somebody_governs_only_an_operator_looks_over_everybody_s_retrievals():
    world = a_world(TESTS)
    declare(world.session(), (roles("user:ada", ("operator",)), credential("user:ada", ("key",))))
    assert retain(world.session()).found.retrievals == 0
    with pytest.raises(NotPermitted):
        retain(world.session("user:bob"), apply=True)


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("retrievals", {"name": "retrievals", "days": -1, "queries": "text"}, "bad_days"),
        ("retrievals", {"name": "retrievals", "days": 10**6, "queries": "text"}, "bad_days"),
        ("retrievals", {"name": "retrievals", "days": "ten"}, "wrong_type"),
        ("retrievals", {"name": "retrievals", "queries": "all"}, "unknown_queries"),
        ("claims", {"name": "claims", "days": 1}, "bad_name"),
        ("retrievals", {"name": "other", "days": 1}, "bad_name"),
    ],
)
def test_a_rule_that_means_nothing_is_refused(name, content, code):
    wrong = Declaration("retention", name, content)
    assert code in {finding.code for finding in check(wrong)}
    with pytest.raises(InvalidInput):
        declare(a_world(TESTS).session(), (wrong,))


def test_the_latest_rule_holds():
    world = under(under(a_world(TESTS), 1), 60, "digest")
    assert retain(world.session()).rule == Retention("retrievals", 60, "digest")
