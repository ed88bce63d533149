"""Conversations: kept word for word, seen by the same rules, handed over as unreviewed, erased without a trace."""

from __future__ import annotations

import json
import os
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.core.access import Visibility
from muniment.core.canonical import digest_bytes
from muniment.core.errors import InvalidInput, NotFound, NotPermitted
from muniment.core.passage import said_from
from muniment.store.sqlite import SqliteStore
from muniment.usecases.erase import lift
from muniment.usecases.erase_source import erase_source, to_erase_source
from muniment.usecases.keep_conversation import keep_conversation
from muniment.usecases.recall import Request, recall
from muniment.wiring import read_conversation
from tests.usecases.world import HERE, NOON, SHOP, THERE, WEB, World, fact, signer_of

TEAM = Visibility("team-private", ("group:shop",))
BOARD = Visibility("security-sensitive", ("group:board",))
TALK = (
    ("Ada", "Where did you get that yellow lamp?"),
    ("Bob", "My aunt brought it from Leeds."),
    ("Ada", "Lovely. I sold my boat last week."),
    ("Bob", "To whom?"),
    ("Ada", "To a man from Oslo, for two pianos."),
)


def lines(talk=TALK, session="s1", first=0):
    """A file of messages, a minute apart."""
    return "\n".join(
        json.dumps({"id": f"{session}-{n}", "session": session, "speaker": who, "text": text,
                    "at": f"2026-07-08T10:{n:02d}:00Z"})
        for n, (who, text) in enumerate(talk, first)
    ).encode()  # fmt: skip


@pytest.fixture(params=["memory", "sqlite"])
def world(request, tmp_path):
    if request.param == "memory":
        yield World()
        return
    store = SqliteStore.open(tmp_path / "store.db", entropy=os.urandom, create=True)
    yield World(store)
    store.close()


def keep(
    world, who="user:dan", data=None, visibility=TEAM, scope=SHOP, tenant=HERE, name="chat.jsonl"
):
    session = world.session(who, tenant, (scope,), visibility=visibility)
    return keep_conversation(session, name, lines() if data is None else data, read_conversation)


def ask(world, query="Who gave Bob the lamp?", who="user:dan", tenant=HERE, scope=SHOP, **more):
    request = Request(query, more.pop("use", "answer_questions"), include_passages=True, **more)
    return recall(asker(world, who, tenant, scope), request)


class Characters:
    """Counts characters, so that budgets are plain."""

    name = "characters"

    def __call__(self, text):
        return len(text)


def asker(world, who="user:dan", tenant=HERE, scope=SHOP):
    return replace(world.session(who, tenant, (scope,)), counter=lambda name: Characters())


def texts(packet):
    return [quote.said.text for quote in packet.quotes]


# --- handing over ---------------------------------------------------------------------------------


def test_a_passage_is_quoted_cited_and_labelled(world):
    kept = keep(world)
    packet = ask(world, "Where did the aunt get the lamp?").packet
    told = packet.as_json()
    first = told["passages"][0]
    assert (packet.outcome, told["evidence"], first["standing"]) == ("unreviewed", [], "unreviewed")
    assert (first["text"], first["speaker"], first["message"]) == (TALK[1][1], "Bob", "s1-1")
    assert (first["at"], first["source"]["id"], first["source"]["name"]) == (
        "2026-07-08T10:01:00Z",
        kept.source_id,
        "chat.jsonl",
    )
    assert first["digest"] == digest_bytes(lines()[first["start"] : first["end"]])
    assert "--- unreviewed passages of chat.jsonl [" in packet.text
    assert "2026-07-08:\n" in packet.text
    assert "| s1-1 Bob: My aunt brought it from Leeds.\n" in packet.text
    assert packet.advice.startswith("no reviewed claim supports an answer")
    assert packet.budget.used == len(packet.text)


def test_nothing_is_handed_over_that_was_not_asked_for(world):
    keep(world)
    packet = recall(asker(world), Request("Who gave Bob the lamp?", "answer_questions")).packet
    assert (packet.outcome, packet.quotes, "lamp" in packet.text) == ("no_support", (), False)


@pytest.mark.req("B-USES")
@pytest.mark.parametrize("use", ["deploy", "plan_changes", "launch_rocket"])
def test_passages_serve_no_action(world, use):
    keep(world)
    with pytest.raises(InvalidInput, match="passages_serve_no_action"):
        ask(world, use=use)


def test_claims_come_first_and_passages_get_what_is_left(world):
    keep(world)
    world.accept(fact("The yellow lamp came from Leeds with the aunt of Bob."))
    packet = ask(world, "Where did the yellow lamp come from?").packet
    assert (packet.outcome, len(packet.items), bool(packet.quotes)) == ("complete", 1, True)
    assert packet.text.index("--- claim 1") < packet.text.index("--- unreviewed passages")
    tight = ask(world, "Where did the yellow lamp come from?", budget=len(packet.text) - 1).packet
    assert (len(tight.items), len(tight.quotes)) == (1, len(packet.quotes) - 1)


@pytest.mark.req("E-LIMITS")
@settings(max_examples=25)
@given(st.integers(1, 2_000), st.integers(1, 6))
def test_the_limits_hold_and_no_passage_is_cut(budget, k):
    world = World()
    keep(world)
    packet = ask(world, "Where did the lamp and the boat go?", budget=budget, k=k).packet
    assert len(packet.text) <= budget
    assert packet.budget.used == len(packet.text)
    assert len(packet.quotes) <= k
    assert all(f": {text}\n" in packet.text for text in texts(packet))


def test_importing_a_conversation_moves_no_claims_relevance(world):
    world.accept(fact("The yellow lamp came from Leeds with the aunt of Bob."))
    request = Request(
        "Where did the yellow lamp come from?", "answer_questions", log="off", at=NOON
    )
    before = recall(asker(world), request).packet
    keep(world)
    assert recall(asker(world), request).packet.as_json() == before.as_json()


def test_a_question_of_which_nothing_was_said_finds_nothing(world):
    keep(world)
    packet = ask(world, "zebra crossing").packet
    assert (packet.outcome, packet.quotes) == ("no_support", ())


def test_a_filter_that_no_passage_can_pass_leaves_passages_out(world):
    keep(world)
    assert not ask(world, memory_types=("semantic",)).packet.quotes
    assert ask(world, origins=("conversation",)).packet.quotes
    assert not ask(world, origins=("user_input",)).packet.quotes


def test_a_state_of_the_past_has_what_was_kept_then(world):
    before = world.clock()
    world.clock.ahead(hours=1)
    keep(world)
    assert not ask(world, as_of=before).packet.quotes
    assert ask(world).packet.quotes


# --- who sees what --------------------------------------------------------------------------------


@pytest.mark.req("B-FILTERFIRST")
def test_what_may_not_be_seen_changes_nothing(world):
    for tenant in (HERE, THERE):
        keep(world, tenant=tenant)
    hidden = [("Ada", "The lamp, the aunt, Leeds and the boat: lamp lamp lamp."), *TALK] * 3
    keep(world, "user:ana", lines(hidden, "s9"), BOARD)
    keep(world, "user:ana", lines(hidden, "s1"), BOARD, name="other.jsonl")
    keep(world, "user:ana", lines(hidden, "s2"), BOARD, scope=WEB)
    for query in (
        "Where is the lamp from?",
        "Who bought the boat of Ada?",
        "piano",
        "What did Bob say of the aunt?",
    ):
        here, there = (
            ask(world, query, tenant=t, log="off", at=NOON).packet.as_json() for t in (HERE, THERE)
        )
        for told in (here, there):
            for passage in told["passages"]:
                passage["id"] = passage["source"]["id"] = ""  # drawn, and keyed by tenant
        assert here == there
        assert here["passages"]


def test_who_may_not_see_a_passage_is_handed_none_of_it(world):
    keep(world)
    packet = ask(world, who="user:eve").packet
    assert (packet.outcome, packet.quotes, "lamp" in json.dumps(packet.as_json()["trace"])) == (
        "no_support",
        (),
        False,
    )


def test_nobody_keeps_what_it_could_not_see(world):
    with pytest.raises(NotPermitted, match="must be able to see it"):
        keep(world, "user:dan", visibility=BOARD)


# --- keeping --------------------------------------------------------------------------------------


@pytest.mark.req("E-IDEMPOTENT")
def test_the_same_file_again_changes_nothing_and_says_so(world):
    first = keep(world)
    with world.store.snapshot(HERE) as snapshot:
        before = snapshot.revision
    again = keep(world, name="renamed.jsonl")
    with world.store.snapshot(HERE) as snapshot:
        assert snapshot.revision == before
    assert (again.kept, again.known, again.source_id, again.token) == (0, 5, first.source_id, "")


def test_a_file_that_grew_adds_what_is_new_to_the_same_conversation(world):
    keep(world, data=lines(TALK[:2]))
    grown = keep(world)
    assert (grown.kept, grown.known) == (3, 2)
    whole = World()
    keep(whole)
    query = "Where did Bob get the lamp?"
    assert texts(ask(world, query).packet) == texts(ask(whole, query).packet)


def test_two_messages_alike_without_identifiers_are_two(world):
    data = b'{"speaker": "Ada", "text": "ok lamp"}\n{"speaker": "Ada", "text": "ok lamp"}'
    assert keep(world, data=data).kept == 2
    assert keep(world, data=data).known == 2


@pytest.mark.req("E-SECRET")
def test_a_secret_is_left_out_with_its_line_and_named_without_its_words(world):
    secret = "AKIA" + "QWERTYUIOPASDFGH"
    kept = keep(world, data=lines([*TALK, ("Bob", f"The key is {secret}")]))
    (finding,) = kept.findings
    assert (kept.kept, finding.code, finding.path, secret in str(finding)) == (
        5,
        "secret",
        "chat.jsonl:6",
        False,
    )
    with world.store.snapshot(HERE) as snapshot:
        seqs = [
            doc.seq for kind in ("source", "passage", "original") for doc in snapshot.docs(kind)
        ]
        assert secret not in json.dumps(list(snapshot.contents(seqs).values()))


def test_every_line_is_kept_as_it_stood(world):
    keep(world)
    with world.store.snapshot(HERE) as snapshot:
        contents = snapshot.contents([doc.seq for doc in snapshot.docs("original")])
    assert [one["bytes"].encode() for one in contents.values()] == lines().split(b"\n")


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"scopes": ()}, "which_scope"),
        ({"scopes": (SHOP, WEB)}, "which_scope"),
        ({"visibility": None}, "no_visibility"),
    ],
)
def test_it_is_not_guessed_where_a_conversation_belongs(world, more, code):
    given = {"scopes": (SHOP,), "visibility": TEAM, **more}
    session = world.session("user:dan", HERE, given.pop("scopes"), **given)
    with pytest.raises(InvalidInput, match=code):
        keep_conversation(session, "chat.jsonl", lines(), read_conversation)


def test_a_file_without_any_message_is_refused_whole(world):
    with pytest.raises(InvalidInput, match=r"chat.jsonl:1"):
        keep(world, data=b"no json\n[1]")


# --- erasing --------------------------------------------------------------------------------------


def passage_id(world, text):
    with world.store.snapshot(HERE) as snapshot:
        docs = snapshot.docs("passage")
        contents = snapshot.contents([doc.seq for doc in docs])
        return next(doc.id for doc in docs if said_from(contents[doc.seq]).text == text)


@pytest.mark.req("A-DELETE")
def test_an_erased_passage_is_gone_everywhere_and_stays_so(world, tmp_path):
    keep(world)
    name = passage_id(world, TALK[1][1])
    asked = ask(world)
    assert (
        to_erase_source(world.session("user:ana"), name).summary
        == "Bob: My aunt brought it from Leeds."
    )
    erased = erase_source(world.session("user:ana"), name, signer_of("user:ana"))
    assert erased.contents == 2  # the passage and its line
    assert TALK[1][1] not in texts(ask(world).packet)
    assert world.store.logged(HERE, asked.retrieval_id) is None
    assert keep(world).erased == 1
    assert TALK[1][1] not in texts(ask(world, "aunt Leeds", log="off").packet)
    assert world.store.verify(HERE).ok
    assert erased.disk == "complete"
    assert not [file for file in tmp_path.iterdir() if b"aunt" in file.read_bytes()]


@pytest.mark.req("A-DELETE")
def test_an_erased_source_takes_all_of_its_passages_along(world):
    kept = keep(world)
    assert to_erase_source(world.session("user:ana"), kept.source_id).passages == 5
    erase_source(world.session("user:ana"), kept.source_id, signer_of("user:ana"))
    assert not ask(world).packet.quotes
    again = keep(world, data=lines([*TALK, ("Bob", "Fine, the lamp stays.")]))
    assert (again.erased, again.kept) == (5, 1)
    assert texts(ask(world).packet) == ["Fine, the lamp stays."]
    assert world.store.verify(HERE).ok


def test_an_erased_passage_is_kept_again_once_its_tombstone_is_lifted(world):
    keep(world)
    name = passage_id(world, TALK[1][1])
    erase_source(world.session("user:ana"), name, signer_of("user:ana"))
    assert (
        lift(world.session("user:bob"), name, "Bob agreed in writing", signer_of("user:bob")) == 1
    )
    assert keep(world).kept == 1


@pytest.mark.parametrize("who", ["user:bob", "user:dan"])
def test_only_an_operator_erases(world, who):
    kept = keep(world)
    with pytest.raises(NotPermitted):
        erase_source(world.session(who), kept.source_id, signer_of(who))


def test_absent_and_hidden_have_one_answer(world):
    kept = keep(world, "user:ana", visibility=BOARD)
    found = []
    for name in (kept.source_id, "src_0000000000000000000000001a"):
        with pytest.raises(NotFound) as refusal:
            to_erase_source(world.session("user:bob"), name)
        found.append(str(refusal.value).replace(name, "…"))
    assert found[0] == found[1]


# --- the index ------------------------------------------------------------------------------------


@pytest.mark.req("E-REBUILD")
def test_an_index_written_anew_gives_the_same_answers(world):
    keep(world)
    keep(world, data=lines(TALK * 2, "s2"), name="more.jsonl")
    erase_source(world.session("user:ana"), passage_id(world, TALK[3][1]), signer_of("user:ana"))
    queries = ("Where is the lamp from?", "Who bought the boat?", "What did Bob say in July?")
    before = [ask(world, q, at=NOON, log="off").packet.as_json() for q in queries]
    world.store.reindex(HERE)
    assert [ask(world, q, at=NOON, log="off").packet.as_json() for q in queries] == before
    world.store.rebuild(HERE)
    assert [ask(world, q, at=NOON, log="off").packet.as_json() for q in queries] == before


def test_of_many_passages_the_best_and_their_neighbours_are_read(world):
    from muniment.core.dialogue import DIALOGUE_POLICY
    from muniment.usecases.find_passages import find_passages

    filler = [("Ada", f"word{n} nothing") for n in range(60)]
    keep(world, data=lines([*filler[:30], *TALK, *filler[30:59]]))
    few = replace(DIALOGUE_POLICY, whole=10, pool=3)
    with world.store.snapshot(HERE) as snapshot:
        viewing = world.viewing("user:dan")
        viewing.snapshot = snapshot
        found = find_passages(
            viewing,
            viewing.classes_of((SHOP,)),
            "Where did Bob get the yellow lamp?",
            NOON,
            None,
            few,
        )
    assert (found.looked_at, found.read < 40) == (64, True)
    assert TALK[1][1] in [quote.said.text for quote in found.found[:2]]


# --- meaning --------------------------------------------------------------------------------------

PETS = (
    ("Ada", "The kitten sleeps on the sofa."),
    ("Bob", "Our invoices are late again."),
    ("Ada", "Rain all day."),
)


def meant(world, query, who="user:dan"):
    """Recall by somebody with the offline embedder."""
    from muniment.embed.static import open_wordllama

    session = replace(asker(world, who), embedder=open_wordllama)
    request = Request(query, "answer_questions", include_passages=True, log="off", at=NOON)
    return recall(session, request).packet


def kept_with_meaning(world, who="user:dan", visibility=TEAM, data=None):
    from muniment.embed.static import open_wordllama

    session = world.session(who, HERE, (SHOP,), visibility=visibility, embedder=open_wordllama)
    return keep_conversation(session, "pets.jsonl", data or lines(PETS), read_conversation)


def test_a_passage_is_found_by_its_meaning_where_no_word_is_shared(world):
    pytest.importorskip("wordllama")
    kept_with_meaning(world)
    assert texts(meant(world, "cat couch"))[0] == PETS[0][1]
    assert not texts(ask(world, "cat couch").packet)


def test_an_index_written_anew_keeps_meanings_and_what_is_hidden_moves_none(world):
    pytest.importorskip("wordllama")
    kept_with_meaning(world)
    before = meant(world, "cat couch").as_json()
    kept_with_meaning(
        world, "user:ana", BOARD, lines([("Ada", "A cat on a couch, a cat, a couch.")] * 3, "s7")
    )
    assert meant(world, "cat couch").as_json() == before
    world.store.reindex(HERE)
    assert meant(world, "cat couch").as_json() == before


def test_passages_that_wait_for_a_vector_catch_up(world):
    pytest.importorskip("wordllama")
    from muniment.embed.static import open_wordllama
    from muniment.usecases.embedding import embed_pending

    keep(world, data=lines(PETS))
    assert not texts(meant(world, "cat couch"))
    session = replace(world.session("user:dan"), embedder=open_wordllama)
    assert (embed_pending(session).embedded, embed_pending(session).already) == (3, 3)
    assert texts(meant(world, "cat couch"))[0] == PETS[0][1]


def test_an_identifier_of_several_sessions_is_cited_with_its_session(world):
    said = [{"id": 1, "session": s, "text": f"the lamp of {s}"} for s in ("mon", "tue")]
    keep(world, data="\n".join(map(json.dumps, said)).encode())
    assert {quote.said.name for quote in ask(world, "lamp").packet.quotes} == {"mon/1", "tue/1"}


@pytest.mark.req("A-CONVERSATION")
def test_a_summary_of_a_conversation_stands_apart_from_its_messages(world):
    keep(world)
    source = {"kind": "conversation", "origin": "conversation", "derivation": "summarised",
              "uri": "https://chat.example.org/1", "observed_at": "2026-07-08T11:00:00Z"}  # fmt: skip
    summary = "Bob's yellow lamp came from Leeds with his aunt."
    world.accept(fact(summary, source=source, content_kind="summary"))
    told = ask(world, "Where did the yellow lamp come from?").packet.as_json()
    (claim,) = told["evidence"]
    assert (claim["claim"], "summary" in claim["labels"]) == (summary, True)
    assert {passage["standing"] for passage in told["passages"]} == {"unreviewed"}
    assert summary not in [passage["text"] for passage in told["passages"]]


def test_of_a_file_that_is_no_conversation_the_first_lines_are_named(world):
    with pytest.raises(InvalidInput) as refusal:
        keep(world, data=b"just\nprose\n" * 500)
    assert [one.code for one in refusal.value.findings][-2:] == ["json_syntax", "no_conversation"]
    assert len(refusal.value.findings) == 11


words_said = st.lists(
    st.sampled_from("lamp aunt leeds boat oslo piano yellow where last".split()),
    min_size=1,
    max_size=6,
)
talks = st.lists(
    st.tuples(st.sampled_from(("Ada", "Bob", "Cy")), words_said.map(" ".join)),
    min_size=1,
    max_size=8,
)


@pytest.mark.req("B-FILTERFIRST")
@settings(max_examples=20)
@given(talks, st.lists(talks, max_size=3), st.booleans(), words_said.map(" ".join))
def test_twins_that_differ_in_what_is_hidden_answer_alike(seen, hidden, before, query):
    told = []
    for turn in (0, 1):
        world = World()
        others = (
            [(lines(talk, f"h{n}"), f"h{n}.jsonl") for n, talk in enumerate(hidden)] if turn else []
        )
        for data, name in others if before else ():
            keep(world, "user:ana", data, BOARD, name=name)
        keep(world, data=lines(seen))
        for data, name in () if before else others:
            keep(world, "user:ana", data, BOARD, name=name)
        packet = ask(world, f"What of {query}, Ada?", log="off", at=NOON, k=9).packet.as_json()
        for passage in packet["passages"]:
            passage["id"] = passage["source"]["id"] = ""
        told.append(packet)
    assert told[0] == told[1]
