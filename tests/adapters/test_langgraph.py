"""LangGraph's store: what its interface promises, on notes that end, with reviewed memory beside them."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

pytest.importorskip("langgraph.store.base", reason="langgraph-checkpoint is not installed")

from langgraph.store.base import (
    GetOp,
    InvalidNamespaceError,
    Item,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchItem,
    SearchOp,
)

from muniment import Memory
from muniment.adapters.langgraph import MunimentStore
from muniment.core.errors import InvalidInput
from tests.adapters.world import SCOPES, SECRET, World

USER = ("users", "ada")


@pytest.fixture
def store(world):
    return MunimentStore(world.agent)


def keys(found):
    return [item.key for item in found]


# --- items ----------------------------------------------------------------------------------------


@pytest.mark.req("A-WORKING")
def test_an_item_that_was_put_is_read_at_once(world, store):
    value = {
        "text": "Ada prefers dark mode.",
        "n": [1, 2.5, None, True, {"ü": "東京 🎈"}],
        "lines": "a\nb\x01",
    }
    store.put(USER, "theme", value)
    item = store.get(USER, "theme")
    assert isinstance(item, Item)
    assert (item.namespace, item.key, item.value, item.label) == (USER, "theme", value, "own note")
    assert item.created_at == item.updated_at
    assert item.created_at.tzinfo is not None
    assert store.get(USER, "other") is None
    assert store.get(("users",), "theme") is None


def test_putting_again_replaces_the_value_and_keeps_when_it_was_made(world, store):
    store.put(USER, "theme", {"a": 1})
    made = store.get(USER, "theme").created_at
    world.clock.ahead(hours=1)
    store.put(USER, "theme", {"b": 2})
    item = store.get(USER, "theme")
    assert (item.value, item.created_at) == ({"b": 2}, made)
    assert item.updated_at >= made + timedelta(hours=1)


def test_an_item_is_deleted_and_deleting_what_is_not_there_does_no_harm(store):
    store.put(USER, "theme", {"a": 1})
    store.delete(USER, "theme")
    store.delete(USER, "theme")
    assert store.get(USER, "theme") is None


def test_names_that_run_together_are_told_apart(store):
    places = [
        (("a", "b"), "c"),
        (("a",), "b/c"),
        (("a/b",), "c"),
        (("a", "b", "c"), "%"),
        (("a%2Fb",), "c"),
    ]
    for number, (namespace, key) in enumerate(places):
        store.put(namespace, key, {"n": number})
    assert [store.get(*place).value["n"] for place in places] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("namespace", [(), ("a.b",), ("",), ("langgraph", "a")])
def test_a_namespace_that_is_none_is_refused(store, namespace):
    with pytest.raises(InvalidNamespaceError):
        store.put(namespace, "k", {"a": 1})


def test_what_was_reviewed_is_not_written_by_a_put(store):
    with pytest.raises(InvalidNamespaceError, match="what was reviewed"):
        store.put(("users", "reviewed"), "k", {"a": 1})
    with pytest.raises(InvalidNamespaceError):
        store.batch([PutOp(("a.b",), "k", {"a": 1})])


@pytest.mark.parametrize("value", [{"a": object()}, {"a": float("nan")}, {"a": {1, 2}}])
def test_a_value_that_is_no_json_is_refused(store, value):
    with pytest.raises(InvalidInput) as error:
        store.put(USER, "k", value)
    assert [found.code for found in error.value.findings] == ["not_json"]
    assert store.get(USER, "k") is None


@pytest.mark.req("E-SECRET")
def test_a_secret_in_a_value_is_refused(store):
    with pytest.raises(InvalidInput) as error:
        store.put(USER, "k", {"deep": [{"er": f"key {SECRET}"}]})
    assert SECRET not in str(error.value)
    assert store.get(USER, "k") is None


# --- time to live ---------------------------------------------------------------------------------


@pytest.mark.req("A-SHORT")
def test_every_item_ends_after_its_time_to_live_or_the_store_s(world, store):
    store.put(USER, "short", {"a": 1}, ttl=10)
    store.put(USER, "long", {"a": 1}, ttl=None)
    world.clock.ahead(minutes=11)
    assert store.get(USER, "short") is None
    assert store.get(USER, "long") is not None
    world.clock.ahead(days=7)
    assert store.get(USER, "long") is None
    assert store.list_namespaces() == []


@pytest.mark.req("A-SHORT")
def test_a_time_to_live_that_is_too_long_is_refused(store):
    with pytest.raises(InvalidInput) as error:
        store.put(USER, "k", {"a": 1}, ttl=60 * 24 * 91)
    assert [found.code for found in error.value.findings] == ["note_lasts_too_long"]


@pytest.mark.parametrize(("refresh", "there"), [(True, True), (None, True), (False, False)])
@pytest.mark.parametrize("look", ["get", "search"])
def test_reading_renews_an_item_with_a_time_to_live_unless_told_not_to(
    world, store, refresh, there, look
):
    store.put(USER, "k", {"text": "Ada prefers dark mode."}, ttl=10)
    before = store.get(USER, "k", refresh_ttl=False).updated_at
    world.clock.ahead(minutes=6)
    if look == "get":
        store.get(USER, "k", refresh_ttl=refresh)
    else:
        store.search(USER, query="dark mode", refresh_ttl=refresh)
    world.clock.ahead(minutes=6)
    item = store.get(USER, "k", refresh_ttl=False)
    assert (item is not None) == there
    assert item is None or item.updated_at == before


def test_the_configuration_gives_the_default_time_to_live_and_whether_reading_renews(world):
    store = MunimentStore(world.agent, ttl={"default_ttl": 10, "refresh_on_read": False})
    store.put(USER, "k", {"a": 1})
    world.clock.ahead(minutes=6)
    assert store.get(USER, "k") is not None
    world.clock.ahead(minutes=6)
    assert store.get(USER, "k") is None


# --- searching ------------------------------------------------------------------------------------


@pytest.fixture
def filled(world, store):
    for namespace, key, value in (
        (USER, "a", {"text": "Ada prefers dark mode.", "score": 1, "kind": "theme"}),
        (USER, "b", {"text": "Ada prefers tea to coffee.", "score": 5, "kind": "food"}),
        ((*USER, "deep"), "c", {"text": "Dark coffee for Ada", "score": 3, "kind": "food"}),
        (("users", "adamo"), "d", {"text": "Adamo prefers coffee.", "score": 4, "kind": "food"}),
    ):
        store.put(namespace, key, value)
    return store


def test_a_search_without_a_query_lists_what_is_under_a_prefix_last_written_first(filled):
    assert keys(filled.search(USER)) == ["c", "b", "a"]
    assert keys(filled.search(())) == ["d", "c", "b", "a"]
    assert keys(filled.search(("users", "ad"))) == []
    assert all(isinstance(item, SearchItem) and item.score is None for item in filled.search(USER))
    assert keys(filled.search((), limit=2, offset=1)) == ["c", "b"]
    assert keys(filled.search((), limit=10, offset=9)) == []


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"kind": "food"}, "dcb"),
        ({"kind": "food", "score": {"$gte": 4}}, "db"),
        ({"score": {"$gt": 1, "$lt": 5}}, "dc"),
        ({"score": {"$ne": 5}}, "dca"),
        ({"score": {"$lte": 3}}, "ca"),
        ({"kind": {"$eq": "theme"}}, "a"),
        ({"missing": 1}, ""),
        ({"kind": {"$gt": 3}}, ""),
    ],
)
def test_a_filter_leaves_in_what_it_says(filled, wanted, found):
    assert "".join(keys(filled.search((), filter=wanted))) == found


def test_an_operator_that_there_is_not_is_refused(filled):
    with pytest.raises(ValueError, match=r"use \$eq"):
        filled.search((), filter={"score": {"$in": [1]}})


def test_a_query_finds_by_words_those_with_most_first_and_nothing_else(filled):
    found = filled.search((), query="does Ada drink dark coffee?")
    assert keys(found) == ["c", "b", "a", "d"]
    assert [item.score for item in found] == sorted((item.score for item in found), reverse=True)
    assert 0 < found[-1].score < found[0].score <= 1
    assert filled.search((), query="weather") == []
    assert keys(filled.search(USER, query="coffee", filter={"score": 5})) == ["b"]


def test_the_index_says_which_fields_are_searched(world):
    store = MunimentStore(world.agent, index={"fields": ["text", "tags[*]"]})
    value = {"text": "Ada prefers tea.", "hidden": "Ada prefers dark mode.", "tags": ["beverage"]}
    store.put(USER, "a", value)
    store.put(USER, "b", value, index=["hidden"])
    store.put(USER, "c", value, index=False)
    assert keys(store.search((), query="dark")) == ["b"]
    assert keys(store.search((), query="beverage")) == ["a"]
    assert len(store.search(())) == 3
    assert world.open_claims() == ["Ada prefers tea.", "Ada prefers dark mode."]


def test_an_index_that_would_embed_is_refused(world):
    with pytest.raises(ValueError, match="not dims, embed"):
        MunimentStore(world.agent, index={"dims": 3, "embed": len})


# --- namespaces -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({}, ["a b c", "a b d", "a x c", "b"]),
        ({"prefix": ("a", "b")}, ["a b c", "a b d"]),
        ({"suffix": ("c",)}, ["a b c", "a x c"]),
        ({"prefix": ("a", "*", "c")}, ["a b c", "a x c"]),
        ({"prefix": ("a",), "suffix": ("d",)}, ["a b d"]),
        ({"max_depth": 2}, ["a b", "a x", "b"]),
        ({"limit": 2, "offset": 1}, ["a b d", "a x c"]),
        ({"prefix": ("z",)}, []),
    ],
)
def test_namespaces_are_listed_once_each_in_order(store, wanted, found):
    for namespace in (("b",), ("a", "x", "c"), ("a", "b", "d"), ("a", "b", "c")):
        store.put(namespace, "1", {"a": 1})
        store.put(namespace, "2", {"a": 1})
    assert [" ".join(namespace) for namespace in store.list_namespaces(**wanted)] == found


# --- several at once ------------------------------------------------------------------------------


def test_in_a_batch_what_reads_sees_the_state_before_and_results_come_in_order(store):
    store.put(USER, "a", {"n": 1})
    results = store.batch(
        [
            PutOp(USER, "a", {"n": 2}),
            GetOp(USER, "a"),
            PutOp(USER, "b", {"n": 3}),
            SearchOp(USER),
            ListNamespacesOp((MatchCondition("prefix", ("users",)),)),
            PutOp(USER, "a", {"n": 4}),
        ]
    )
    assert [results[0], results[2], results[5]] == [None, None, None]
    assert (results[1].value, keys(results[3]), results[4]) == ({"n": 1}, ["a"], [USER])
    assert store.get(USER, "a").value == {"n": 4}


def test_the_asynchronous_interface_does_the_same(store):
    async def act():
        await store.aput(USER, "a", {"text": "Ada prefers dark mode."})
        await asyncio.gather(*(store.aput(USER, f"k{n}", {"n": n}) for n in range(8)))
        assert (await store.aget(USER, "a")).value["text"].startswith("Ada")
        assert keys(await store.asearch(USER, query="dark")) == ["a"]
        assert await store.alist_namespaces() == [USER]
        await store.adelete(USER, "a")
        return await store.abatch([GetOp(USER, "a"), SearchOp(USER, limit=20)])

    gone, rest = asyncio.run(act())
    assert (gone, len(rest)) == (None, 8)


def test_items_outlive_the_process_in_a_file(tmp_path):
    world = World(tmp_path / "memory.db")
    MunimentStore(world.agent).put(USER, "a", {"text": "Ada prefers dark mode."})
    world.opened.close()
    again = Memory.open(tmp_path / "memory.db", clock=world.clock).acting_as(
        "agent:codex", scopes=SCOPES
    )
    store = MunimentStore(again, propose=False)

    async def act():
        await asyncio.gather(*(store.aput(USER, f"k{n}", {"n": n}) for n in range(20)))
        return await store.asearch((), limit=50)

    assert sorted(keys(asyncio.run(act()))) == sorted(["a", *(f"k{n}" for n in range(20))])
    again.close()


# --- whose ----------------------------------------------------------------------------------------


@pytest.mark.req("A-WORKING")
def test_another_agent_and_the_operator_see_nothing_of_it(world, store):
    store.put(USER, "theme", {"text": "Ada prefers dark mode."})
    for name in ("agent:other", "user:ada"):
        other = MunimentStore(world.acting(name))
        assert (other.get(USER, "theme"), other.search(()), other.list_namespaces()) == (
            None,
            [],
            [],
        )
        assert other.search((), query="dark mode") == []


# --- proposing ------------------------------------------------------------------------------------


@pytest.mark.req("A-WORKING")
def test_what_a_value_says_is_proposed_and_found_by_everybody_once_accepted(world, store):
    store.put(
        USER,
        "theme",
        {"kind": "preference", "content": {"text": "Ada prefers dark mode.", "id": "x1"}},
    )
    assert world.open_claims() == ["Ada prefers dark mode."]
    (claim,) = world.accept_all()
    world.clock.ahead(days=8)
    assert store.get(USER, "theme") is None
    for asker in (store, MunimentStore(world.acting("agent:other"))):
        (item,) = asker.search(USER, query="Which mode does Ada prefer?")
        assert (item.namespace, item.key, item.label) == ((*USER, "reviewed"), claim, "reviewed")
        assert item.value["text"] == "Ada prefers dark mode."
        assert item.value["reviewed"]["review"]["status"] == "accepted"
        assert item.value["reviewed"]["citations"][0]["uri"].startswith("note:wrk_")
        assert item.value["outcome"] == "complete"
        again = asker.get(item.namespace, item.key)
        assert (again.value["text"], again.label) == ("Ada prefers dark mode.", "reviewed")
    assert store.get((*USER, "reviewed"), "mem_01kx0sjsg0e008000000000000") is None


@pytest.mark.req("E-IDEMPOTENT")
def test_putting_the_same_again_and_again_does_not_fill_the_inbox(world, store):
    for number in range(5):
        store.put(USER, "theme", {"text": "Ada prefers dark mode."})
        store.put(("other",), f"{number}", {"text": "ada prefers  dark mode."})
    assert world.open_claims() == ["Ada prefers dark mode."]
    store.put(USER, "theme", {"text": "Ada prefers light mode."})
    assert world.open_claims() == ["Ada prefers light mode."]
    store.delete(USER, "theme")
    assert world.open_claims() == []


def test_what_is_proposed_can_be_chosen_and_left_out(world):
    def chosen(namespace, key, value):
        return [f"The {key} of {namespace[-1]} is {value['is']}."]

    MunimentStore(world.agent, statements=chosen).put(USER, "theme", {"is": "dark"})
    assert world.open_claims() == ["The theme of ada is dark."]
    MunimentStore(world.agent, propose=False).put(
        USER, "food", {"text": "Ada prefers tea to coffee."}
    )
    assert len(world.open_claims()) == 1


def test_own_notes_and_reviewed_memory_take_turns_on_a_page(world, store):
    world.accepted("Ada prefers dark mode.")
    world.accepted("Bob prefers light mode.")
    for number in range(3):
        store.put(USER, f"{number}", {"text": f"Eve prefers mode {number}."})
    page = store.search(USER, query="Who prefers which mode?", limit=4)
    assert [item.label for item in page] == ["own note", "reviewed", "own note", "reviewed"]
    rest = store.search(USER, query="Who prefers which mode?", limit=4, offset=4)
    assert [item.label for item in rest] == ["own note"]
    assert [item.label for item in store.search(USER, limit=9)] == ["own note"] * 3
    only = store.search(USER, query="Who prefers which mode?", filter={"outcome": "complete"})
    assert [item.label for item in only] == ["reviewed"] * 2


@pytest.mark.req("A-CONTRADICTION")
def test_a_contradiction_goes_with_every_reviewed_item(world, store):
    for tool in ("npm", "pnpm"):
        fact = {"subject": "shop", "predicate": "uses_package_manager", "object": tool}
        world.acting("agent:other", ("repository:shop",)).remember(
            f"The shop installs its packages with {tool}.",
            facts=[fact],
            source={
                "kind": "document",
                "uri": "https://example.org/handbook",
                "origin": "external_data",
            },
        )
        world.accept_all()
    found = store.search(USER, query="What does the shop install its packages with?")
    assert {item.value["reviewed"]["status"] for item in found} == {"disputed"}
    assert all(item.value["contradictions"] for item in found)


def test_a_graph_runs_with_the_store(world, store):
    graphs = pytest.importorskip("langgraph.graph", reason="langgraph is not installed")

    def remember(state, *, store):
        store.put(USER, "theme", {"text": "Ada prefers dark mode."})
        return {"found": [item.value["text"] for item in store.search(USER, query="dark")]}

    builder = graphs.StateGraph(dict)
    builder.add_node("remember", remember)
    builder.add_edge(graphs.START, "remember")
    graph = builder.compile(store=store)
    assert graph.invoke({})["found"] == ["Ada prefers dark mode."]
