"""The packet and its evidence as JSON: every key there, nothing invented, nothing mixed."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from muniment.core.access import Scope, Visibility
from muniment.core.claim import Claim, Confidence, Importance
from muniment.core.evidence import Seen, citations_of, item_of, json_of_item
from muniment.core.packet import (
    LISTED,
    OUTCOMES,
    Budget,
    Disagreement,
    Omission,
    Packet,
    Step,
    json_of_conflict,
    json_of_omissions,
)
from muniment.core.precedence import Ruling
from muniment.core.rank import Relevance
from muniment.core.ranking import ONE
from muniment.core.source import Evidence, Reading, Source

NOON = datetime(2026, 7, 8, 12, tzinfo=UTC)
FIRST = Evidence("sha256:00", 10, 20, "pytest -q", "/scripts/test", 3, "", "abc")
SECOND = Evidence("sha256:11", 0, 4, "test", "", 1, "https://other")
PLAIN = Claim(
    "mem_a",
    "`make test` runs `pytest -q`.",
    Scope("repository", "x"),
    Source("file", "observation", "repo:x!/Makefile", NOON, (FIRST, SECOND)),
    Visibility("team-private", ("group:devs",)),
    reading=Reading("match", NOON),
)
BARE = Claim("mem_b", "x", Scope("task", "1"), Source("unknown"), Visibility("public"))


def an_item(claim=PLAIN, **seen):
    given = Seen(**{"sees": lambda name: True, "freshness": "current", **seen})
    return item_of(
        claim, "active", (), Relevance(ONE // 2, "keyword", (("coverage", ONE // 2),)), given
    )


def a_packet(**values):
    given = {
        "outcome": "complete",
        "items": (an_item(),),
        "conflicts": (),
        "omissions": (),
        "revision": 3,
        "budget": Budget(400, 120, "o200k_base", 12),
        "request": {},
        "trace": (Step(1, "identify", (("visible_classes", 2),)),),
        "policy": (("policy", "lexical/1"),),
    }
    return Packet(**{**given, **values})


@pytest.mark.req("A-OUTPUT")
def test_a_packet_has_every_key_whether_there_is_something_to_say_or_not():
    full, empty = a_packet().as_json(), a_packet(items=(), outcome="no_support").as_json()
    assert full.keys() == empty.keys()
    assert json.loads(json.dumps(full)) == full


@pytest.mark.req("A-OUTPUT")
def test_evidence_has_every_key_whether_it_is_known_or_not():
    known, unknown = json_of_item(an_item()), json_of_item(an_item(BARE))
    assert known.keys() == unknown.keys()
    assert unknown["confidence"] == {"score": None, "level": None, "reason": None, "grade": None}
    assert (unknown["importance"], unknown["source"]["uri"], unknown["citations"]) == (
        None,
        None,
        [],
    )


@pytest.mark.req("A-RELTRUTH")
def test_relevance_importance_and_confidence_stand_apart():
    claim = replace(PLAIN, confidence=Confidence(0.9), importance=Importance(0.2, "rarely asked"))
    shown = json_of_item(an_item(claim))
    assert shown["relevance"]["value"] == 0.5
    assert shown["importance"] == {"score": 0.2, "reason": "rarely asked"}
    assert shown["confidence"]["score"] == 0.9


@pytest.mark.req("E-RECEIPT")
def test_each_piece_of_evidence_is_a_citation_with_its_own_address():
    cited = json_of_item(an_item())["citations"]
    assert [c["uri"] for c in cited] == ["repo:x!/Makefile", "https://other"]
    assert (cited[0]["span"], cited[0]["line"], cited[0]["commit"]) == ([10, 20], 3, "abc")


def test_a_source_without_evidence_is_cited_by_its_address():
    claim = replace(PLAIN, source=Source("document", "external_data", "https://x"))
    assert [(c.uri, c.start, c.end) for c in citations_of(claim)] == [("https://x", 0, 0)]


def test_a_reading_made_now_stands_in_place_of_the_last_one():
    now = (Reading("changed", NOON), Reading("match", NOON, line=9))
    cited = citations_of(PLAIN, now)
    assert [(c.reading, c.read_now, c.line) for c in cited] == [
        ("changed", True, 3),
        ("match", True, 9),
    ]
    assert [c.reading for c in citations_of(PLAIN)] == ["match", "match"]


@pytest.mark.req("B-FILTERFIRST")
def test_only_what_the_asker_may_see_is_named():
    source = replace(PLAIN.source, derived_from=("mem_seen", "mem_hidden"))
    claim = replace(PLAIN, source=source, supersedes=("mem_hidden", "mem_seen"))
    shown = json_of_item(an_item(claim, sees=lambda name: name == "mem_seen"))
    assert (shown["source"]["derived_from"], shown["supersedes"]) == (["mem_seen"], ["mem_seen"])
    assert "mem_hidden" not in json.dumps(shown)


def test_the_other_principals_of_an_audience_are_not_told():
    assert "group:devs" not in json.dumps(json_of_item(an_item()))


@pytest.mark.req("B-PRECEDENCE", "B-CONFLICTS")
def test_a_conflict_shows_winner_losers_and_what_is_not_served():
    ruling = Ruling("mem_a", "reading", ("mem_a",), (("mem_b", "reading"),))
    said = json_of_conflict(
        Disagreement(("mem_a", "mem_b"), ("n",), ruling, (("mem_c", ("expired",)),))
    )
    assert said == {
        "ids": ["mem_a", "mem_b"],
        "notes": ["n"],
        "decided": True,
        "winner": "mem_a",
        "decided_by": "reading",
        "may_win": ["mem_a"],
        "losers": [{"id": "mem_b", "rule": "reading"}],
        "not_served": [{"id": "mem_c", "reasons": ["expired"]}],
    }


def test_the_list_of_omissions_is_bounded_and_the_count_is_not():
    many = tuple(Omission(f"mem_{n}", ("over_k",)) for n in range(LISTED + 1))
    said = json_of_omissions(many, (("below_support", 500),))
    assert (said["total"], len(said["items"])) == (LISTED + 501, LISTED)


def test_a_claim_with_two_reasons_is_counted_under_both_and_once_in_total():
    said = json_of_omissions((Omission("mem_a", ("expired", "use_not_allowed")),))
    assert (said["total"], said["by_reason"]) == (1, {"expired": 1, "use_not_allowed": 1})


def test_every_outcome_says_what_it_means():
    assert len({name for name, meaning in OUTCOMES if meaning}) == 7
