"""The fourteen promises of the output contract (seed A) hold for every packet, whatever is asked."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.core.encode import encode
from muniment.core.ids import is_id
from muniment.core.ontology import flow_hash
from muniment.core.request import Request
from muniment.core.vocabulary import names
from muniment.usecases.propose import propose
from muniment.usecases.recall import recall
from muniment.usecases.show import history, show, why
from muniment.usecases.traces import retrieval
from tests.usecases.remembered import Bytes
from tests.usecases.world import (
    NOON,
    SHOP,
    World,
    derived,
    diff_of,
    fact,
    flag,
    supersede,
    uses_tool,
)

ASKED = (
    "what does the shop build with?",
    "package manager",
    "npm",
    "when are releases cut?",
    "gradle maven",
    "",
)
METHODS = (
    "hybrid_retrieval",
    "keyword",
    "semantic_similarity",
    "temporal_retrieval",
    "graph_traversal",
)


def looking(world, name):
    return replace(world.session(name), counter=lambda name: Bytes())


@pytest.fixture(scope="module")
def world():
    """Something of everything that can be remembered."""
    made = World()
    first = made.accept(fact("The shop builds with Gradle 7.", aliases=["the build tool"]))
    newer = propose(
        made.session("agent:codex"),
        diff_of(supersede(first, fact("The shop builds with Gradle 8."))),
    )
    made.review("user:ana", newer, change_01="accepted")
    npm, pnpm = made.accept(uses_tool("npm")), made.accept(uses_tool("pnpm"))
    made.review("user:ana", made.propose("user:dan", flag(npm, pnpm)), change_01="accepted")
    one = made.accept(
        fact(
            "Releases are cut on Tuesdays.",
            importance={"score": 0.8, "reason": "asked often", "source": "user:ana"},
        )
    )
    made.accept(derived("The shop is released weekly, on Tuesdays.", one))
    ends = encode(NOON + timedelta(days=2))
    made.accept(fact("The summer sale builds traffic.", validity={"valid_until": ends}))
    made.accept_hidden(fact("The board builds castles with Maven."))
    return made


@st.composite
def requests(draw):
    method = draw(st.sampled_from(METHODS))
    query = draw(st.sampled_from(ASKED if method == "temporal_retrieval" else ASKED[:-1]))
    return Request(
        query,
        draw(st.sampled_from(("", "answer_questions", "deploy"))),
        budget=draw(st.sampled_from((40, 900, 4_000, 100_000))),
        k=draw(st.integers(1, 12)),
        at=draw(st.none() | st.just(NOON + timedelta(days=30))),
        history=draw(st.booleans()),
        method=method,
    )


@pytest.mark.req("A-OUTPUT")
@settings(deadline=None, max_examples=150)
@given(requests(), st.sampled_from(("user:ana", "user:bob", "agent:codex", "user:eve")))
def test_the_fourteen_promises_hold(world, request_, who):
    session = looking(world, who)
    answer = recall(session, request_, ontology=flow_hash())
    body = answer.as_json()
    assert json.loads(json.dumps(body, allow_nan=False)) == body, "machine interpretable"
    assert body["ontology_entity"] == "AIMemoryMetadata"
    assert body["ontology"] == flow_hash()
    assert [step["step"] for step in body["trace"]] == list(range(1, 11)), "retrieval traceable"
    record = retrieval(session, answer.retrieval_id)
    assert record["outcome"] == body["outcome"]
    assert body["outcome"] in {
        "complete",
        "partial",
        "conflict",
        "no_support",
        "budget_exceeded",
    }, "uncertainty explicit"
    assert (
        body["omissions"]["total"] == sum(body["omissions"]["by_reason"].values())
        or body["omissions"]["total"] >= 0
    )
    shapes = {tuple(item) for item in body["evidence"]}
    assert len(shapes) <= 1, "every item has the same keys"
    for item in body["evidence"]:
        _holds(session, item, request_)


def _holds(session, item, request_):
    shown = show(session, item["id"])
    claim = shown.claim
    assert is_id(item["id"], "mem"), "identity explicit"
    assert item["id"] != item["claim"]
    assert item["memory_type"] in names("memory_type"), "types classified"
    assert item["content_kind"] in names("content_kind")
    assert item["type"]
    assert item["scope"] == encode(SHOP) == encode(claim.scope), "scope preserved"
    source = item["source"]
    assert source["kind"] == claim.source.kind, "source traceable"
    assert (
        source["origin"]
        or source["candidate_origins"]
        or "origin_uncertain" in item["labels"]
        or not claim.source.origin
    )
    assert item["citations"] or source["derived_from"]
    relevance = item["relevance"]
    assert 0 <= relevance["value"] <= 1, "relevance explicit"
    assert relevance["meaning"]
    assert "importance" in item
    assert (item["importance"] or {}).get("score") == (
        claim.importance.score if claim.importance else None
    )
    for place in ("valid_from", "valid_until"):
        assert item["validity"][place] is None or datetime.fromisoformat(item["validity"][place])
    at = request_.at or NOON
    if claim.validity.valid_until and claim.validity.valid_until <= at:
        assert item["status"] == "expired", "validity resolvable"
    if claim.source.derivation != "direct":
        seen = [
            one
            for one in claim.source.derived_from
            if one in _visible(session, claim.source.derived_from)
        ]
        assert source["derived_from"] == seen, "consolidation history preserved"
        assert source["derivation"] == claim.source.derivation
    versions = history(session, item["id"])
    assert item["version"] in {
        one.claim.version for one in versions if one.claim.id == item["id"]
    }, "versions traversable"
    for old in item["supersedes"]:
        assert old in {one.claim.id for one in versions}
    assert item["provenance"] == encode(claim.provenance), "provenance preserved"
    assert why(session, item["id"])["decisions"]
    assert set(item["confidence"]) == {"score", "level", "reason", "grade"}, "uncertainty explicit"
    if item["conflicts"]:
        assert item["status"] == "disputed"


def _visible(session, ids):
    from muniment.core.errors import NotFound

    found = set()
    for one in ids:
        try:
            found.add(show(session, one).claim.id)
        except NotFound:
            continue
    return found


@pytest.mark.req("A-OUTPUT")
def test_semantic_retrieval_is_enabled(world):
    asked = Request(
        "the build tool",
        "answer_questions",
        method="semantic_similarity",
        history=True,
        budget=10_000,
    )
    found = recall(looking(world, "agent:codex"), asked).packet
    assert "The shop builds with Gradle 7." in [item.claim.claim for item in found.items]
