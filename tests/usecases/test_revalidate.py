"""A certificate is asked again, never believed: what changed is named; forged, foreign and stale are told apart."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.core.certificate import KEYS, sealed
from muniment.core.claim import Fact, Review, Validity
from muniment.core.errors import InvalidInput, NotPermitted
from muniment.core.event import Event
from muniment.core.request import Request
from muniment.store.memory import MemoryStore
from muniment.store.sqlite import SqliteStore
from muniment.usecases.embedding import embed_pending
from muniment.usecases.query import Question
from muniment.usecases.recall import recall
from muniment.usecases.revalidate import certify, revalidate
from tests.usecases.remembered import NOON, OTHER, SHOP, Entropy, World, a_claim, a_world, private
from tests.usecases.test_embedding import ByTopic

PNPM = Question("select ?who where ?who maintains ?repo, ?repo uses pnpm", "answer_questions")
RECALL = Request("who maintains the shop?", "answer_questions", budget=100_000)
DAY = timedelta(days=1)


def says(name, subject, predicate, value, **more):
    fact = (Fact(subject, predicate, value),)
    return a_claim(name, f"{subject} {predicate} {value} ({name}).", facts=fact, **more)


TEAM = (
    says("m", "ana", "maintains", "shop"),
    says("u1", "shop", "uses", "pnpm"),
    says("u2", "shop", "uses", "pnpm"),
)


def certified(world, asked, **who):
    certificate = certify(world.session(**who), asked).certificate
    return json.loads(json.dumps(certificate))


def again(world, certificate, **who):
    return revalidate(world.session(**who), certificate)


@pytest.fixture(params=[PNPM, RECALL], ids=["query", "recall"])
def asked(request):
    return request.param


@pytest.mark.req("D-CERT")
def test_nothing_written_and_the_same_answer_is_valid(asked):
    world = a_world(*TEAM)
    verdict = again(world, certified(world, asked))
    assert (verdict.verdict, verdict.reasons, verdict.evidence_equal) == ("valid", (), True)


@pytest.mark.req("D-CERT")
def test_another_process_with_the_same_store_revalidates(asked, tmp_path):
    path = tmp_path / "m.db"
    world = World(SqliteStore.open(path, entropy=Entropy(), create=True))
    world.add(*TEAM)
    certificate = certified(world, asked)
    world.store.close()
    world = World(SqliteStore.open(path, entropy=Entropy(9), create=False))
    assert again(world, certificate).verdict == "valid"
    world.store.close()


@pytest.mark.req("D-DIGEST", "D-CERT")
def test_a_new_answer_is_noticed_though_the_old_ones_support_stands():
    world = a_world(*TEAM)
    certificate = certified(world, PNPM)
    world.add(says("m2", "bob", "maintains", "shop"))
    verdict = again(world, certificate)
    assert (verdict.verdict, verdict.evidence_equal) == ("changed", False)
    assert verdict.records == (("mem_m2", "added"),)


@pytest.mark.req("D-DIGEST", "D-CERT")
def test_an_unrelated_write_is_said_to_be_one(asked):
    world = a_world(*TEAM)
    certificate = certified(world, asked)
    world.add(a_claim("x", "Lunch is at noon."))
    verdict = again(world, certificate)
    assert (verdict.verdict, verdict.evidence_equal) == ("changed", True)
    assert "unrelated_write" in verdict.reasons
    assert verdict.records == ()


@pytest.mark.req("D-TOPK", "D-CERT")
def test_the_best_of_a_recall_are_found_and_scored_again_in_the_store():
    world = a_world(*TEAM)
    certificate = certified(world, RECALL)
    top = certificate["answer"]["top"]
    assert [name for name, _ in top] == certificate["answer"]["selected"]
    world.add(a_claim("x", "Who maintains the shop? Nobody maintains what nobody uses."))
    verdict = again(world, certificate)
    assert verdict.verdict == "changed"
    assert {"answer", "relevance"} & set(verdict.reasons)
    edited = {**certificate["answer"], "top": [[name, 1.0] for name, _ in top]}
    content = {k: v for k, v in certificate.items() if k != "digest"}
    assert again(world, sealed({**content, "answer": edited})).verdict == "unknown"


@pytest.mark.req("D-DIGEST")
def test_no_matches_is_certified_too_and_ends_with_the_first_answer():
    world = a_world(says("u", "shop", "uses", "pnpm"))
    certificate = certified(world, PNPM)
    assert again(world, certificate).verdict == "valid"
    world.add(says("m", "ana", "maintains", "shop"))
    assert "outcome" in again(world, certificate).reasons


@pytest.mark.req("D-CORRECT", "D-CERT")
@pytest.mark.parametrize(
    ("change", "how"),
    [
        (says("m", "ana", "maintains", "shop", review=Review("deprecated"), version=2), "deprecated"),
        (says("n", "bob", "maintains", "shop", supersedes=("mem_m",)), "superseded by mem_n"),
        (says("m", "ana", "maintains", "shop", prohibited_uses=("answer_questions",), version=2), "prohibited_use"),
        (says("m", "ana", "maintains", "shop", version=2), "another_version"),
    ],
)  # fmt: skip
def test_what_changed_is_named_with_the_record_and_the_rule(change, how):
    world = a_world(*TEAM)
    certificate = certified(world, PNPM)
    world.add(change)
    verdict = again(world, certificate)
    assert verdict.verdict == "changed"
    assert dict(verdict.records)["mem_m"] == how


@pytest.mark.req("D-CORRECT", "D-CERT")
def test_time_alone_changes_an_answer_at_its_exact_boundary():
    world = a_world(
        *TEAM[1:], says("m", "ana", "maintains", "shop", validity=Validity(None, NOON + DAY))
    )
    certificate = certified(world, PNPM)
    for late, verdict in ((timedelta(microseconds=-1), "valid"), (timedelta(0), "changed")):
        found = again(world, certificate, clock=lambda late=late: NOON + DAY + late)
        assert found.verdict == verdict
    assert dict(found.records)["mem_m"] == "expired"


def test_a_question_about_an_instant_is_asked_about_that_instant_again():
    world = a_world(
        *TEAM[1:], says("m", "ana", "maintains", "shop", validity=Validity(None, NOON + DAY))
    )
    certificate = certified(world, Question(PNPM.query, PNPM.use, at=NOON))
    assert again(world, certificate, clock=lambda: NOON + 9 * DAY).verdict == "valid"


@pytest.mark.req("D-CORRECT")
def test_an_erased_record_and_a_recorded_contradiction_are_noticed():
    world = a_world(*TEAM)
    certificate = certified(world, PNPM)
    world.dispute("mem_m", "mem_u1", note="they disagree")
    verdict = again(world, certificate)
    assert verdict.verdict == "changed"
    assert "outcome" in verdict.reasons
    with world.store.transaction("acme") as transaction:
        cls = transaction.row("mem_m").cls
        transaction.append([Event("erased", "mem_m", {"supersedes": []}, cls=cls)], NOON)
        transaction.erase("mem_m")
    assert dict(again(world, certificate).records)["mem_m"] == "erased"


@pytest.mark.req("D-CERT")
def test_a_certificate_is_its_principals_alone_and_within_its_scopes():
    world = a_world(*TEAM)
    certificate = certified(world, PNPM)
    assert again(world, certificate, principal="user:eve").verdict == "not_permitted"
    assert again(world, certificate, scopes=(OTHER,)).reasons == ("scope_not_in_force",)
    with pytest.raises(NotPermitted):
        certify(world.session(scopes=()), PNPM)


@pytest.mark.req("D-CERT")
def test_another_stores_certificate_is_unknown():
    world, twin = a_world(*TEAM), World(MemoryStore(Entropy(77)))
    twin.add(*TEAM)
    verdict = again(twin, certified(world, PNPM))
    assert (verdict.verdict, verdict.reasons) == ("unknown", ("another_store",))


@pytest.mark.req("D-CERT")
@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_one_changed_byte_is_found(data):
    world = a_world(*TEAM)
    text = json.dumps(certified(world, PNPM))
    at = data.draw(st.integers(0, len(text) - 1))
    other = data.draw(
        st.characters(min_codepoint=32, max_codepoint=126).filter(lambda c: c != text[at])
    )
    try:
        changed = json.loads(text[:at] + other + text[at + 1 :])
    except ValueError:
        return
    if changed == json.loads(text):
        return
    with pytest.raises(InvalidInput):
        again(world, changed)


@pytest.mark.req("D-CERT")
@pytest.mark.parametrize("field", sorted({*KEYS} - {"format", "store", "principal", "seal"}))
def test_a_forged_field_with_a_fresh_digest_was_never_issued(field):
    world = a_world(*TEAM)
    certificate = certified(world, PNPM)
    content = {key: value for key, value in certificate.items() if key != "digest"}
    value = content[field]
    forged = {**content, field: value[:-1] if isinstance(value, str | list) else "x"}
    verdict = again(world, sealed(forged))
    assert (verdict.verdict, verdict.reasons) == ("unknown", ("not_issued_here",))


@pytest.mark.req("D-CERT", "B-FILTERFIRST")
def test_what_is_hidden_changes_neither_certificate_nor_verdict(asked):
    world, twin = a_world(*TEAM), a_world(*TEAM)
    twin.add(says("h", "eve", "maintains", "shop", visibility=private("user:eve")))
    one, other = certified(world, asked), certified(twin, asked)
    assert one == other
    twin.add(
        says("h2", "shop", "uses", "npm", visibility=private("user:eve"), supersedes=("mem_u1",))
    )
    assert again(twin, other).verdict == "valid"


@pytest.mark.req("D-CERT")
@pytest.mark.parametrize(
    "given", [None, [], {}, {"format": "muniment-certificate/1"}, {"digest": "x"}]
)
def test_what_is_no_certificate_is_refused(given):
    with pytest.raises(InvalidInput, match="not_a_certificate"):
        again(a_world(), given)


def test_an_answer_that_rests_on_more_than_claims_is_not_certified():
    with pytest.raises(InvalidInput, match="not_certifiable"):
        certify(a_world(*TEAM).session(), Request("who?", reread=True))


def test_scopes_are_those_of_the_question():
    certificate = certified(a_world(*TEAM), PNPM)
    assert certificate["scopes"] == [str(SHOP)]


MONEY = a_claim("money", "Amounts are kept as integers in cents.")
MEANT = Request("how do we handle money", "answer_questions", budget=100_000)


@pytest.mark.req("D-CERT", "D-TOPK")
def test_a_recall_by_meaning_is_asked_again_by_the_certified_vector_where_nothing_embeds():
    world, embedder = a_world(MONEY), ByTopic()
    embed_pending(world.session(embedder=lambda: embedder))
    certificate = certified(world, MEANT, embedder=lambda: embedder)
    assert certificate["answer"]["selected"] == [MONEY.id]
    verdict = again(world, certificate)
    assert (verdict.verdict, verdict.evidence_equal) == ("valid", True)
    assert certified(world, MEANT)["answer"]["selected"] == []


@pytest.mark.req("D-CERT")
def test_a_certified_recall_finds_what_a_plain_one_does():
    world, embedder = a_world(MONEY, *TEAM), ByTopic()
    session = world.session(embedder=lambda: embedder)
    embed_pending(session)
    for request in (MEANT, RECALL, replace(MEANT, method="embedding_similarity")):
        plain = recall(session, request).packet
        found = certify(session, request)
        assert found.answered.text == plain.text
        assert found.certificate["rules"]["ranking"] == dict(plain.policy)["digest"]


@pytest.mark.req("D-CERT", "A-EMBVERSION")
def test_vectors_that_were_added_since_are_named_though_nothing_was_written():
    world, embedder = a_world(MONEY, *TEAM), ByTopic()
    session = world.session(embedder=lambda: embedder)
    certificate = certified(world, RECALL, embedder=lambda: embedder)
    embed_pending(session)
    verdict = again(world, certificate)
    assert verdict.verdict == "changed"
    assert "embeddings" in verdict.reasons
    assert "unrelated_write" not in verdict.reasons


@pytest.mark.req("D-CERT")
def test_a_certificate_with_another_vector_was_not_issued_here():
    world, embedder = a_world(MONEY), ByTopic()
    embed_pending(world.session(embedder=lambda: embedder))
    certificate = certified(world, MEANT, embedder=lambda: embedder)
    content = {k: v for k, v in certificate.items() if k != "digest"}
    given = certificate["request"]
    other = {**given["embedded"], "vector": given["embedded"]["vector"][::-1]}
    forged = sealed({**content, "request": {**given, "embedded": other}})
    assert again(world, forged).verdict == "unknown"
