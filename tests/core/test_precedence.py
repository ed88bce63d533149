"""Which of some contradicting claims may win, by a declared precedence."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.core.access import Scope, Visibility
from muniment.core.claim import Claim, Confidence, Freshness, Review, Validity
from muniment.core.precedence import PRECEDENCE, deciding_rule, judge, strength_of
from muniment.core.source import Evidence, Reading, Source

NOON = datetime(2026, 7, 8, 12, tzinfo=UTC)
DAY = timedelta(days=1)
PLAIN = Claim(
    "mem_a",
    "It uses pnpm.",
    Scope("repository", "x"),
    Source("file", "observation", "file:///x/package.json"),
    Visibility("public"),
    review=Review("accepted", "user:rita", NOON),
    reading=Reading("match", NOON),
    freshness=Freshness("current", NOON),
    validity=Validity(valid_from=NOON - DAY),
    confidence=Confidence(0.9, "high"),
)

# rule, what makes the other side lose
LOSING = (
    ("review", {"review": Review("needs_review")}),
    ("reading", {"reading": Reading("changed", NOON)}),
    ("source_strength", {"source": Source("user_statement", "user_input")}),
    ("holds_now", {"validity": Validity(NOON - DAY, NOON)}),
    ("verified_later", {"freshness": Freshness("current", NOON - DAY)}),
    ("began_closer", {"validity": Validity(NOON - 2 * DAY)}),
    ("confidence", {"confidence": Confidence(0.8, "medium")}),
)


def test_there_is_a_case_for_every_rule():
    assert [rule for rule, _ in LOSING] == [name for name, _, _ in PRECEDENCE]


@pytest.mark.req("B-PRECEDENCE", "A-INF-CONFLICT")
@pytest.mark.parametrize(("rule", "values"), LOSING, ids=[rule for rule, _ in LOSING])
def test_each_rule_decides_names_the_winner_and_shows_the_loser(rule, values):
    ruling = judge((replace(PLAIN, id="mem_b", **values), PLAIN), NOON)
    assert (ruling.winner, ruling.decided_by, ruling.losers) == ("mem_a", rule, (("mem_b", rule),))


@pytest.mark.req("B-PRECEDENCE")
@pytest.mark.parametrize(("rule", "values"), LOSING, ids=[rule for rule, _ in LOSING])
def test_without_its_rule_such_a_conflict_is_undecided(rule, values):
    rules = tuple(row for row in PRECEDENCE if row[0] != rule)
    ruling = judge((replace(PLAIN, id="mem_b", **values), PLAIN), NOON, rules)
    assert (ruling.winner, ruling.may_win) == ("", ("mem_a", "mem_b"))


@pytest.mark.req("B-PRECEDENCE")
def test_an_earlier_rule_outweighs_all_later_ones():
    strong = replace(PLAIN, id="mem_b", confidence=Confidence(0.1), freshness=Freshness())
    weak = replace(PLAIN, source=Source("conversation", "conversation", "https://chat/1"))
    assert judge((weak, strong), NOON).winner == "mem_b"


@pytest.mark.req("B-PRECEDENCE", "A-INF-CONFLICT")
def test_equal_claims_have_no_winner():
    ruling = judge((PLAIN, replace(PLAIN, id="mem_b")), NOON)
    assert (ruling.decided, ruling.decided_by, ruling.losers) == (False, "", ())


def test_what_is_not_known_neither_wins_nor_loses():
    unknown = replace(PLAIN, id="mem_b", confidence=Confidence(), freshness=Freshness())
    assert deciding_rule(PLAIN, unknown, NOON) == ("", 0)


def test_two_winners_over_a_third_are_both_named():
    third = replace(PLAIN, id="mem_c", confidence=Confidence(0.2))
    ruling = judge((PLAIN, replace(PLAIN, id="mem_b"), third), NOON)
    assert (ruling.winner, ruling.may_win) == ("", ("mem_a", "mem_b"))
    assert ruling.losers == (("mem_c", "confidence"),)


@pytest.mark.parametrize(
    ("source", "strength"),
    [
        (
            Source("file", "observation", "repo:x@main!/package.json",
                   evidence=(Evidence(pointer="/packageManager"),)),
            "structured_file_on_protected_ref",
        ),
        (
            Source("file", "observation", "repo:x@feature!/package.json",
                   evidence=(Evidence(pointer="/packageManager"),)),
            "file",
        ),
        (Source("file", "observation", "repo:x@main!/AGENTS.md", evidence=(Evidence(pointer="Setup"),)), "file"),
        (Source("user_correction", "user_input"), "human_statement"),
        (Source("permalink", "conversation"), "conversation"),
        (Source("file", "observation", "file:///x", derivation="imported"), "import"),
        (Source("model_summary", "summarisation"), "model"),
        (Source("file", "observation", "file:///x", derivation="inferred"), "model"),
        (Source("unknown"), ""),
    ],
)  # fmt: skip
def test_a_source_has_its_declared_strength(source, strength):
    assert strength_of(source) == strength


CLAIMS = st.builds(
    lambda review, state, kind, score, days: replace(
        PLAIN,
        review=Review(review),
        reading=Reading(state) if state else None,
        source=Source(kind, uri="https://x"),
        confidence=Confidence(score),
        freshness=Freshness(last_verified_at=None if days is None else NOON - days * DAY),
    ),
    st.sampled_from(["accepted", "needs_review"]),
    st.sampled_from(["", "match", "changed"]),
    st.sampled_from(["file", "conversation", "unknown"]),
    st.sampled_from([None, 0.2, 0.9]),
    st.sampled_from([None, 0, 3]),
)


@pytest.mark.req("B-PRECEDENCE", "E-DETERMINISM")
@given(st.lists(CLAIMS, min_size=2, max_size=5), st.randoms())
def test_a_ruling_does_not_depend_on_the_order_and_a_winner_beats_every_other(claims, random):
    sides = [replace(claim, id=f"mem_{i}") for i, claim in enumerate(claims)]
    ruling = judge(sides, NOON)
    assert judge(random.sample(sides, len(sides)), NOON) == ruling
    if ruling.winner:
        winner = next(side for side in sides if side.id == ruling.winner)
        others = [side for side in sides if side.id != ruling.winner]
        assert all(deciding_rule(winner, other, NOON)[1] == 1 for other in others)
        assert {name for name, _ in ruling.losers} == {other.id for other in others}
