"""LangChain: the retriever and the byte store, and the contract tests that LangChain publishes for both."""

from __future__ import annotations

from typing import ClassVar

import pytest

pytest.importorskip("langchain_core", reason="langchain-core is not installed")

from langchain_core.documents import Document

from muniment.adapters.langchain import MunimentByteStore, MunimentRetriever
from muniment.core.errors import InvalidInput
from tests.adapters.world import SECRET, World

ASKED = "Who prefers which mode?"


def filled():
    world = World()
    for who, mode in (("Ada", "dark"), ("Bob", "light"), ("Eve", "dark"), ("Dan", "plain")):
        world.accepted(f"{who} prefers {mode} mode.")
    return world


@pytest.fixture
def world():
    world = filled()
    yield world
    world.opened.close()


# --- the retriever --------------------------------------------------------------------------------


def test_documents_are_whole_claims_with_citations_and_what_the_packet_warns_of(world):
    found = MunimentRetriever(memory=world.agent, use="answer_questions").invoke(ASKED)
    assert len(found) == 4
    for one in found:
        assert isinstance(one, Document)
        assert one.page_content.endswith("mode.")
        assert one.id.startswith("mem_")
        told = one.metadata
        assert (told["label"], told["source"], told["status"]) == (
            "reviewed",
            "https://example.org/handbook",
            "active",
        )
        assert (told["scope"], told["outcome"]) == (
            {"kind": "repository", "id": "shop"},
            "complete",
        )
        assert {
            "citations",
            "confidence",
            "relevance",
            "labels",
            "contradictions",
            "omissions",
            "advice",
        } <= set(told)


def test_nothing_that_supports_an_answer_is_nothing(world):
    assert (
        MunimentRetriever(memory=world.agent, use="answer_questions").invoke(
            "What about the weather?"
        )
        == []
    )


def test_a_use_that_is_not_allowed_gets_nothing(world):
    assert MunimentRetriever(memory=world.agent, use="deploy").invoke(ASKED) == []


@pytest.mark.req("A-WORKING")
def test_own_notes_follow_where_they_are_wanted_and_say_so(world):
    world.agent.note("modes", "Fay prefers mono mode.", lasts="1h")
    plain = MunimentRetriever(memory=world.agent, use="answer_questions")
    assert {one.metadata["label"] for one in plain.invoke(ASKED)} == {"reviewed"}
    both = MunimentRetriever(memory=world.agent, use="answer_questions", include_notes=True)
    found = both.invoke(ASKED)
    assert [one.metadata["label"] for one in found] == ["reviewed"] * 4 + ["own note"]
    assert (found[-1].page_content, found[-1].metadata["key"]) == (
        "Fay prefers mono mode.",
        "modes",
    )
    assert len(both.invoke(ASKED, k=4)) == 4
    other = MunimentRetriever(
        memory=world.acting("agent:other"), use="answer_questions", include_notes=True
    )
    assert {one.metadata["label"] for one in other.invoke(ASKED)} == {"reviewed"}


def test_options_of_a_recall_are_passed_on(world):
    options = {"relevance_threshold": 1.0}
    retriever = MunimentRetriever(memory=world.agent, use="answer_questions", options=options)
    assert len(retriever.invoke(ASKED)) < 4
    with pytest.raises(TypeError):
        MunimentRetriever(
            memory=world.agent, use="answer_questions", options={"nonsense": 1}
        ).invoke(ASKED)


# --- bytes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value", [b"", b"plain", "ü 東京".encode(), bytes(range(256)), b"a\0b", b"\xff" * 1000]
)
def test_bytes_come_back_as_they_were(world, value):
    store = MunimentByteStore(world.agent)
    store.mset([("k", value)])
    assert store.mget(["k", "other"]) == [value, None]


@pytest.mark.req("A-SHORT", "A-WORKING")
def test_bytes_end_and_are_their_writer_s_and_are_not_proposed(world):
    store = MunimentByteStore(world.agent, lasts="1h")
    store.mset([("k", b"Ada prefers dark mode.")])
    assert MunimentByteStore(world.acting("agent:other")).mget(["k"]) == [None]
    assert MunimentByteStore(world.agent, name="other").mget(["k"]) == [None]
    assert world.open_claims() == []
    world.clock.ahead(hours=1)
    assert (store.mget(["k"]), list(store.yield_keys())) == ([None], [])


@pytest.mark.req("E-SECRET")
def test_a_secret_in_bytes_that_are_a_text_is_refused(world):
    with pytest.raises(InvalidInput):
        MunimentByteStore(world.agent).mset([("k", f"key {SECRET}".encode())])


def test_keys_may_hold_anything(world):
    store = MunimentByteStore(world.agent)
    names = ["a/b", "a", "%", "a b", "ü", "a\nb"]
    store.mset([(name, name.encode()) for name in names])
    assert sorted(store.yield_keys()) == sorted(names)
    assert sorted(store.yield_keys(prefix="a")) == ["a", "a\nb", "a b", "a/b"]
    store.mdelete(["a", "missing"])
    assert store.mget(["a", "a/b"]) == [None, b"a/b"]


# --- the published contract tests -----------------------------------------------------------------

try:
    from langchain_tests.integration_tests import (
        BaseStoreAsyncTests,
        BaseStoreSyncTests,
        RetrieversIntegrationTests,
    )
except ImportError:

    @pytest.mark.skip(reason="langchain-tests is not installed")
    def test_the_contract_tests_that_langchain_publishes():
        """Named here, so that it is seen to be left out."""

else:

    class TestRetrieverContract(RetrieversIntegrationTests):
        made: ClassVar[list] = []

        @pytest.fixture(autouse=True)
        def close(self):
            yield
            for world in self.made:
                world.opened.close()
            self.made.clear()

        @property
        def retriever_constructor(self):
            return MunimentRetriever

        @property
        def retriever_constructor_params(self):
            self.made.append(filled())
            return {"memory": self.made[-1].agent, "use": "answer_questions", "budget": 4_000}

        @property
        def retriever_query_example(self):
            return ASKED

    class Bytes:
        @pytest.fixture
        def three_values(self):
            return b"foo", b"bar", b"\xffbuzz"

    class TestByteStoreContract(Bytes, BaseStoreSyncTests):
        @pytest.fixture
        def kv_store(self, world):
            return MunimentByteStore(world.agent)

    class TestAsyncByteStoreContract(Bytes, BaseStoreAsyncTests):
        @pytest.fixture
        async def kv_store(self, world):
            return MunimentByteStore(world.agent)
