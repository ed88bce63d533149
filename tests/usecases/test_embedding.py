"""Recall by embedding: one declared space, exact over what may serve, and said where something is missing."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace

import pytest

from muniment.core.embedding import Space
from muniment.core.errors import EmbedderUnavailable, InvalidInput
from muniment.core.ranking import FUSED, LEXICAL
from muniment.store import indexing
from muniment.store.memory import MemoryStore
from muniment.store.sqlite import SqliteStore
from muniment.usecases.embedding import embed_pending
from tests.usecases.remembered import Entropy, World, a_claim, ids, private

TOPICS = ("money", "tests", "deploy", "mail")


@dataclass
class ByTopic:
    """Embeds a text by which topics it speaks of, each a direction of its own; any other text has its own."""

    model: str = "topics"
    asked: list[str] = field(default_factory=list)
    fails: bool = False
    words: tuple[tuple[str, ...], ...] = (
        ("money", "cents", "amounts"), ("tests", "pytest", "checks"), ("deploy", "ship"), ("mail", "post"),
    )  # fmt: skip

    @property
    def space(self) -> Space:
        return Space(self.model, "1", len(TOPICS) + 256)

    def embed(self, texts):
        if self.fails:
            raise EmbedderUnavailable("the model does not answer")
        self.asked += texts
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> bytes:
        hits = [any(word in text.lower() for word in some) for some in self.words]
        if not text.split():
            return b""
        if not any(hits):
            bits = "".join(f"{byte:08b}" for byte in hashlib.sha256(text.encode()).digest())
            return bytes(len(TOPICS)) + bytes(8 if bit == "1" else 248 for bit in bits)
        size = round(127 / sum(hits) ** 0.5)
        return bytes([size * hit for hit in hits]) + bytes(256)


@pytest.fixture(params=["memory", "sqlite"])
def world(request, tmp_path):
    store = (
        MemoryStore(Entropy())
        if request.param == "memory"
        else SqliteStore.open(tmp_path / "m.db", entropy=Entropy(), create=True)
    )
    yield World(store)
    store.close()


def session_of(world, embedder, **values):
    return world.session(embedder=lambda: embedder, **values)


MONEY = a_claim("money", "Amounts are kept as integers in cents.")
TESTS = a_claim("tests", "Run pytest before each commit.")
HIDDEN = a_claim("hidden", "All money is kept in a drawer.", visibility=private("user:bob"))


@pytest.mark.req("A-METHOD", "A-EMBEDDING")
def test_a_claim_is_found_by_its_meaning_alone(world):
    world.add(MONEY, TESTS)
    embedder = ByTopic()
    embed_pending(session_of(world, embedder))
    found = world.recall(
        "how do we handle money", session=session_of(world, embedder), method="embedding_similarity"
    )
    assert ids(found) == [MONEY.id]
    (item,) = found.packet.items
    assert item.relevance.components == (("closeness", 1 << 20),)
    assert dict(found.packet.policy)["policy"] == f"{FUSED.name}/{FUSED.version}"


def test_hybrid_finds_by_meaning_what_shares_no_word(world):
    world.add(MONEY, TESTS)
    embedder = ByTopic()
    question = "how do we handle money"
    assert ids(world.recall(question)) == []
    embed_pending(session_of(world, embedder))
    found = world.recall(question, session=session_of(world, embedder))
    assert ids(found) == [MONEY.id]
    assert dict(found.packet.items[0].relevance.components)["meaning"] == 1 << 20


@pytest.mark.req("A-EMBVERSION")
def test_vectors_of_another_space_are_never_compared_and_the_packet_says_so(world):
    world.add(MONEY, TESTS)
    old, new = ByTopic("old"), ByTopic("new")
    embed_pending(session_of(world, old))
    found = world.recall(
        "how do we handle money", session=session_of(world, new), method="embedding_similarity"
    )
    assert ids(found) == []
    said = dict(found.packet.policy)["embedding"]
    assert "0 of 2" in said and "2 wait" in said
    assert embed_pending(session_of(world, new)).embedded == 2
    again = world.recall(
        "how do we handle money", session=session_of(world, new), method="embedding_similarity"
    )
    assert ids(again) == [MONEY.id]
    both = world.recall(
        "how do we handle money", session=session_of(world, old), method="embedding_similarity"
    )
    assert ids(both) == [MONEY.id]


def test_what_has_no_vector_yet_is_found_by_its_words_and_counted(world):
    world.add(MONEY)
    embedder = ByTopic()
    embed_pending(session_of(world, embedder))
    world.add(TESTS)
    found = world.recall("pytest before commit", session=session_of(world, embedder))
    assert ids(found) == [TESTS.id]
    assert "1 of 2; 1 waits" in dict(found.packet.policy)["embedding"]


@pytest.mark.req("B-FILTERFIRST")
def test_hidden_claims_change_neither_what_is_near_nor_what_is_counted(world):
    world.add(MONEY, TESTS)
    embedder = ByTopic()
    embed_pending(session_of(world, embedder))
    plain = world.recall("money", session=session_of(world, embedder), log="off").packet.as_json()
    world.add(HIDDEN)
    embed_pending(session_of(world, embedder, principal="user:bob"))
    after = world.recall("money", session=session_of(world, embedder), log="off").packet.as_json()
    assert after == plain


def test_only_what_the_asker_may_see_is_handed_to_an_embedder(world):
    world.add(MONEY, HIDDEN)
    embedder = ByTopic()
    embed_pending(session_of(world, embedder))
    assert not any("drawer" in text for text in embedder.asked)


def test_an_embedder_that_does_not_answer_leaves_hybrid_to_the_words(world):
    world.add(MONEY)
    embedder = ByTopic(fails=True)
    found = world.recall("amounts in cents", session=session_of(world, embedder))
    assert ids(found) == [MONEY.id]
    assert dict(found.packet.policy)["policy"] == f"{LEXICAL.name}/{LEXICAL.version}"
    assert "does not answer" in dict(found.packet.policy)["embedding"]
    with pytest.raises(EmbedderUnavailable):
        world.recall("cents", session=session_of(world, embedder), method="embedding_similarity")


def test_without_an_embedder_the_method_is_refused_with_what_to_do(world):
    with pytest.raises(InvalidInput) as refused:
        world.recall("cents", method="embedding_similarity")
    assert refused.value.findings[0].code == "method_not_available"
    assert "muniment init" in refused.value.findings[0].fix


@pytest.mark.req("E-REBUILD")
def test_vectors_join_segments_survive_merging_and_rebuilding_and_are_erased(world, monkeypatch):
    monkeypatch.setattr(indexing, "TAIL_ROWS", 4)
    embedder = ByTopic()
    session = session_of(world, embedder)
    for n in range(10):
        world.add(a_claim(f"n{n}", f"Remark number {n} on mail."))
        embed_pending(session)
    world.add(MONEY)
    embed_pending(session)
    asked = {"session": session, "method": "embedding_similarity", "k": 20, "log": "off"}
    before = world.recall("post", **asked).packet.as_json()
    assert len(before["evidence"]) == 10
    world.store.reindex(world.tenant)
    assert world.recall("post", **asked).packet.as_json() == before
    with world.store.transaction(world.tenant) as transaction:
        transaction.erase("mem_n3")
    left = [one["id"] for one in world.recall("post", **asked).packet.as_json()["evidence"]]
    assert left == [one["id"] for one in before["evidence"] if one["id"] != "mem_n3"]


def test_a_new_version_waits_for_its_own_vector(world):
    world.add(MONEY)
    embedder = ByTopic()
    session = session_of(world, embedder)
    embed_pending(session)
    world.add(replace(MONEY, version=2, claim="Letters go out by post."))
    assert ids(world.recall("money", session=session, method="embedding_similarity")) == []
    assert embed_pending(session).embedded == 1
    assert ids(world.recall("post", session=session, method="embedding_similarity")) == [MONEY.id]
