"""The eleven distinctions, each in what the core really does."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from muniment.core.check import Known, check_claim
from muniment.core.claim import Claim, EmbeddingReference, Importance
from muniment.core.confidence import grade_of, settled
from muniment.core.decide import Ask, decide, labels_of
from muniment.core.draft import draft_digest, read_claim
from muniment.core.encode import encode
from muniment.core.fold import indexed_text
from muniment.core.row import Row
from muniment.core.status import DAY, status_at
from muniment.core.vocabulary import DISTINCTIONS
from tests.core.conformance import NOW, patched, templates, when

pytestmark = pytest.mark.req("A-DISTINCT")
ROW = Row(
    1,
    1,
    "mem_x",
    1,
    "c",
    "accepted",
    type="project_fact",
    memory_type="semantic",
    allowed=("answer_questions",),
)


def claim_of(**but) -> Claim:
    claim, _ = read_claim(patched(templates()["fact"], but), "mem_x")
    assert claim is not None
    return claim


def codes(claim: Claim) -> list[str]:
    return [finding.code for finding in check_claim(claim, Known(when(NOW)))]


def labels(row: Row, at: int) -> tuple[str, ...]:
    return labels_of(row, Ask("answer_questions", at), lambda claim_id: True)


@pytest.mark.req("A-NOTMODEL")
def test_memory_is_not_model_parameters():
    assert codes(claim_of(tags=["model_parameters"])) == ["not_memory"]
    assert codes(claim_of(claim="The model_parameters live in S3.")) == []


@pytest.mark.req("A-NOTMODEL")
def test_memory_is_not_training_data():
    assert codes(claim_of(source={"kind": "training_data"})) == ["not_memory"]
    assert codes(claim_of(relationships=[{"type": "part-of", "target": "training_data"}])) == [
        "not_memory"
    ]


@pytest.mark.req("A-WORKING")
def test_working_memory_is_not_long_term_memory():
    assert codes(claim_of(memory_type="working")) == ["working_is_not_durable"]
    assert codes(claim_of(memory_type="long_term")) == []


@pytest.mark.req("A-NOTFACT")
def test_semantic_memory_is_not_a_verified_fact():
    recent = replace(ROW, verified_at=0)
    assert "verified" not in labels(recent, DAY)
    assert "verified" in labels(replace(recent, reading="match"), DAY)
    assert "verified" not in labels(replace(recent, reading="match"), 91 * DAY)
    assert "verified" not in labels(replace(recent, reading="could_not_observe"), DAY)


@pytest.mark.req("A-CONVERSATION", "A-SUMMARY")
def test_a_conversation_summary_is_not_its_messages():
    talk = {"kind": "conversation", "origin": "conversation", "uri": "https://chat.example.org/1"}
    message = claim_of(source=talk)
    passed_off = claim_of(source=talk, content_kind="summary")
    summary = claim_of(source={**talk, "derivation": "summarised"}, content_kind="summary")
    assert [claim.is_transformed for claim in (message, summary)] == [False, True]
    assert codes(passed_off) == ["transformed_as_verbatim"]
    assert (codes(message), codes(summary)) == ([], [])
    assert "summary" in labels(replace(ROW, derivation="summarised"), 0)
    assert "summary" not in labels(replace(ROW, origin="conversation"), 0)


@pytest.mark.req("A-RELTRUTH")
def test_relevance_is_not_truth():
    assert "relevance" not in {field.name for field in (*fields(Claim), *fields(Row))}
    plain, relevant = claim_of(), claim_of(relevance=1)
    assert draft_digest(plain) == draft_digest(relevant)
    assert settled(plain) == settled(relevant)


@pytest.mark.req("A-RELTRUTH", "A-IMPORTANCE")
def test_importance_is_not_confidence():
    doubtful = claim_of(confidence={"score": 0.2, "reason": "heard once"})
    vital = replace(doubtful, importance=Importance(1.0, "it breaks the build", "user:ana"))
    assert settled(vital) == settled(doubtful)
    assert settled(vital).score == 0.2
    assert decide(replace(ROW, importance=10_000), Ask("deploy", 0)) == decide(
        ROW, Ask("deploy", 0)
    )


@pytest.mark.req("A-STALE")
def test_stale_is_not_false():
    old = replace(ROW, verified_at=0)
    at = 91 * DAY
    assert status_at(old, at, lambda claim_id: True) == "stale"
    assert decide(old, Ask("answer_questions", at)).permitted
    assert "stale" in labels(old, at)
    wrong = replace(old, retired="invalid")
    assert status_at(wrong, at, lambda claim_id: True) == "invalid"
    assert not decide(wrong, Ask("answer_questions", at)).permitted


def test_retrieved_memory_is_not_external_retrieval_context():
    own = claim_of()
    context = claim_of(source={"origin": "retrieval"}, memory_type="external")
    assert (grade_of(own.source).name, grade_of(context.source).name) == (
        "direct_source_memory", "contextually_retrieved_memory",
    )  # fmt: skip
    assert settled(replace(context, confidence=replace(context.confidence, score=1.0))).score == 0.9
    assert (context.memory_type, context.source.origin) == ("external", "retrieval")
    assert encode(context)["source"]["origin"] == "retrieval"


@pytest.mark.req("A-EMBEDDING")
def test_an_embedding_is_not_the_memorys_content():
    given = {"model": "mini", "version": "2", "dimension": 3, "vector": [0.1, 0.2, 0.3]}
    claim, findings = read_claim(patched(templates()["fact"], {"embedding": given}), "mem_x")
    assert claim.embedding == EmbeddingReference("mini", "2", 3)
    assert [(f.code, f.path) for f in findings] == [("unknown_key", "/embedding/vector")]
    assert "0.1" not in str(encode(claim))
    assert indexed_text(claim) == indexed_text(replace(claim, embedding=None))


@pytest.mark.req("A-CONSOLIDATE")
def test_a_consolidated_memory_is_not_its_sources():
    source = {
        "kind": "memory",
        "origin": "system_process",
        "derivation": "consolidated",
        "derived_from": ["mem_a"],
    }
    made = claim_of(source={**source, "uri": None, "evidence": None})
    assert made.is_transformed
    assert (made.id, made.source.derived_from) == ("mem_x", ("mem_a",))
    assert "consolidated" in labels(replace(ROW, derivation="consolidated"), 0)
    loose = claim_of(source={**source, "uri": None, "evidence": None, "derived_from": None})
    assert "no_source_links" in codes(loose)


def test_each_distinction_has_its_test():
    tests = [
        name
        for name in globals()
        if name.startswith("test_") and name != "test_each_distinction_has_its_test"
    ]
    assert len(tests) == len(DISTINCTIONS)
