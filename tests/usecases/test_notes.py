"""Notes: working and short-term memory, its writer's alone, which ends and lasts only where it is proposed."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.core.access import Scope
from muniment.core.errors import InvalidInput, NotFound, errors_in
from muniment.core.note import LONGEST_KEY, LONGEST_NOTE, MOST_CHARACTERS, MOST_NOTES
from muniment.store.sqlite import SqliteStore
from muniment.usecases.doctor import diagnose
from muniment.usecases.end_notes import end_notes
from muniment.usecases.erase import erase
from muniment.usecases.find_notes import find_notes, read_note
from muniment.usecases.keep_notes import rename_notes, renew_notes
from muniment.usecases.propose_note import propose_note
from muniment.usecases.recall import Request, recall
from muniment.usecases.take_note import take_note
from muniment.wiring import count_tokens
from tests.usecases.world import (
    HERE,
    NOON,
    SHOP,
    TEAM,
    THERE,
    WEB,
    World,
    _drawn,
    fact,
    signer_of,
)

TASK, TURN, TALK = (
    Scope("task", "release"),
    Scope("current_turn", "t1"),
    Scope("conversation", "c1"),
)
ALL = (TASK, TURN, TALK, SHOP)
SECRET = "AKIA" + "QWERTYUIOPASDFGH"
PARTS = {"visibility": TEAM, "allowed_uses": ["answer_questions"]}


def agent(world, name="agent:codex", tenant=HERE, scopes=(TASK, SHOP)):
    return replace(world.session(name, tenant, scopes), counter=count_tokens)


def refused(act, *arguments, **more):
    with pytest.raises(InvalidInput) as error:
        act(*arguments, **more)
    return [found.code for found in errors_in(error.value.findings)]


def keys(session, *arguments, **more):
    return [note.key for note in find_notes(session, *arguments, **more)]


# --- writing --------------------------------------------------------------------------------------


@pytest.mark.req("A-WORKING", "A-SHORT")
@pytest.mark.parametrize(
    ("scope", "memory_type"), [(TASK, "working"), (TURN, "working"), (TALK, "short_term")]
)
def test_a_note_is_kept_for_its_turn_task_or_conversation(world, scope, memory_type):
    session = agent(world, scopes=ALL)
    noted = take_note(session, "plan", "Tag it.", lasts="2h", scope=scope)
    assert (noted.note.memory_type, noted.replaced) == (memory_type, False)
    assert read_note(session, "plan", scope=str(scope)) == noted.note
    assert noted.note.id.startswith("wrk_")


@pytest.mark.req("A-SHORT")
@pytest.mark.parametrize("lasts", [None, float("inf"), float("nan")])
def test_a_note_without_a_finite_end_is_refused(world, lasts):
    session = agent(world)
    assert refused(take_note, session, "plan", "Tag it.", lasts=lasts) == ["note_without_end"]
    assert keys(session) == []


@pytest.mark.req("A-SHORT")
@pytest.mark.parametrize(
    ("end", "code"),
    [
        ({"lasts": 0}, "note_over"),
        ({"lasts": -5}, "note_over"),
        ({"until": NOON}, "note_over"),
        ({"lasts": "91d"}, "note_lasts_too_long"),
        ({"lasts": 1e300}, "note_lasts_too_long"),
        ({"lasts": timedelta.max}, "note_lasts_too_long"),
        ({"until": "9999-12-31T00:00:00Z"}, "note_lasts_too_long"),
        ({"lasts": "for ever"}, "bad_duration"),
        ({"until": "tomorrow"}, "bad_time"),
        ({"until": "2026-07-09T12:00:00"}, "naive_time"),
        ({"until": "2026-07-09T12:00:00Z", "lasts": "2h"}, "two_ends"),
    ],
)
def test_an_end_that_is_none_is_refused_by_name(world, end, code):
    assert refused(take_note, agent(world), "plan", "Tag it.", **end) == [code]


@pytest.mark.req("A-SHORT")
def test_each_kind_of_scope_has_its_longest_life(world):
    session = agent(world, scopes=ALL)
    take_note(session, "a", "x", lasts="24h", scope=TURN)
    assert refused(take_note, session, "a", "x", lasts="25h", scope=TURN) == ["note_lasts_too_long"]
    take_note(session, "a", "x", lasts="90d", scope=TALK)


def test_everything_wrong_with_a_note_is_said_at_once(world):
    codes = refused(take_note, agent(world), " ", f"key {SECRET}\0", scope=SHOP)
    assert codes == [
        "no_passing_scope",
        "no_note_key",
        "nul_character",
        "secret",
        "note_without_end",
    ]


@pytest.mark.req("E-SECRET")
def test_a_secret_is_refused_and_not_repeated(world):
    session = agent(world)
    with pytest.raises(InvalidInput) as error:
        take_note(session, "login", f"the key is {SECRET}", lasts="1h")
    assert [found.code for found in error.value.findings] == ["secret"]
    assert SECRET not in str(error.value)
    assert refused(take_note, session, f"key {SECRET}", "x", lasts="1h") == ["secret"]
    assert keys(session) == []


def test_bounds_are_where_they_are_said_to_be(world):
    session = agent(world)
    take_note(session, "k" * LONGEST_KEY, "x" * LONGEST_NOTE, lasts="1h")
    assert refused(take_note, session, "k" * (LONGEST_KEY + 1), "x", lasts="1h") == ["too_long"]
    assert refused(take_note, session, "k", "x" * (LONGEST_NOTE + 1), lasts="1h") == ["too_long"]
    assert refused(take_note, session, "a\nb", "x", lasts="1h") == ["bad_note_key"]


def test_nobody_keeps_more_notes_than_the_bound(world, monkeypatch):
    monkeypatch.setattr("muniment.core.note.MOST_NOTES", 3)
    session = agent(world)
    for key in "abc":
        take_note(session, key, "x", lasts="1h")
    assert refused(take_note, session, "d", "x", lasts="1h") == ["too_many_notes"]
    assert take_note(session, "a", "y", lasts="1h").replaced
    take_note(agent(world, "user:dan"), "d", "x", lasts="1h")
    assert MOST_NOTES == 2_000


def test_nobody_keeps_more_characters_than_the_bound(world):
    session = agent(world)
    for number in range(MOST_CHARACTERS // LONGEST_NOTE):
        take_note(session, f"{number}", "x" * LONGEST_NOTE, lasts="1h")
    assert refused(take_note, session, "more", "x", lasts="1h") == ["notes_too_large"]
    take_note(session, "0", "x" * (LONGEST_NOTE - 1), lasts="1h")
    take_note(session, "more", "x", lasts="1h")
    world.clock.ahead(hours=2)
    take_note(session, "more", "x" * LONGEST_NOTE, lasts="1h")


def test_writing_again_replaces_text_and_end_and_keeps_the_identity(world):
    session = agent(world)
    first = take_note(session, "plan", "Tag it.", lasts="1h").note
    second = take_note(session, "plan", "Tag it twice.", lasts="3h")
    assert (second.replaced, second.note.id, second.note.created_at) == (
        True,
        first.id,
        first.created_at,
    )
    world.clock.ahead(hours=2)
    assert read_note(session, "plan").text == "Tag it twice."


@pytest.mark.req("E-NOSCOPE")
def test_where_a_note_goes_is_never_guessed(world):
    write = {"lasts": "1h"}
    assert refused(take_note, agent(world, scopes=(SHOP,)), "a", "x", **write) == ["no_scope"]
    assert refused(take_note, agent(world, scopes=()), "a", "x", **write) == ["no_scope"]
    assert refused(take_note, agent(world, scopes=ALL), "a", "x", **write) == ["which_scope"]
    assert refused(take_note, agent(world, ""), "a", "x", **write) == ["no_principal"]
    assert refused(take_note, agent(world), "a", "x", scope="task:other", **write) == [
        "scope_not_in_force"
    ]
    assert refused(find_notes, agent(world, scopes=(SHOP,))) == ["no_scope"]
    assert refused(find_notes, agent(world, "")) == ["no_principal"]


# --- ending ---------------------------------------------------------------------------------------


@pytest.mark.req("A-SHORT", "A-WORKING")
def test_a_note_is_not_served_from_its_end_on(world):
    session = agent(world)
    take_note(session, "plan", "Tag it.", until=NOON + timedelta(hours=1))
    at = iter(
        [
            NOON + timedelta(minutes=59, seconds=59),
            NOON + timedelta(hours=1),
            NOON + timedelta(hours=1),
        ]
    )
    then = replace(session, clock=lambda: next(at))
    assert read_note(then, "plan").text == "Tag it."
    with pytest.raises(NotFound):
        read_note(then, "plan")
    assert keys(then) == []


@pytest.mark.req("A-WORKING")
def test_ending_a_task_ends_its_notes_and_no_others(world):
    session = agent(world, scopes=ALL)
    for scope in (TASK, TURN, TALK):
        for key in "ab":
            take_note(session, key, "x", lasts="1h", scope=scope)
    take_note(agent(world, "user:dan"), "a", "x", lasts="1h")
    ended = end_notes(session, scope=TASK)
    assert (ended.scope, ended.notes, ended.disk) == (TASK, 2, "complete")
    assert [(note.scope, note.key) for note in find_notes(session)] == [
        (TALK, "a"), (TALK, "b"), (TURN, "a"), (TURN, "b"),
    ]  # fmt: skip
    assert keys(agent(world, "user:dan")) == ["a"]
    assert end_notes(session, scope=TASK).notes == 0


def test_one_note_is_ended_by_its_key_and_a_missing_one_ends_nothing(world):
    session = agent(world)
    for key in "abc":
        take_note(session, key, "x", lasts="1h")
    with pytest.raises(NotFound):
        end_notes(session, "a", "missing")
    assert end_notes(session, "a", "a").notes == 1
    assert keys(session) == ["b", "c"]


def test_notes_are_renamed_all_or_none_and_stay_the_same_notes(world):
    session = agent(world)
    first, second = (take_note(session, key, key, lasts="1h").note for key in "ab")
    assert [note.id for note in rename_notes(session, {"a": "b", "b": "a"})] == [
        first.id,
        second.id,
    ]
    assert (read_note(session, "b").id, read_note(session, "b").text) == (first.id, "a")
    take_note(session, "c", "c", lasts="1h")
    for names, codes in (
        ({"a": "x", "b": "c"}, ["note_key_taken"]),
        ({"a": "x", "b": "x"}, ["note_key_taken"]),
        ({"a": "x", "b": " "}, ["no_note_key"]),
        ({"a": f"x {SECRET}"}, ["secret"]),
    ):
        assert refused(rename_notes, session, names) == codes
    with pytest.raises(NotFound):
        rename_notes(session, {"a": "x", "missing": "y"})
    assert keys(session) == ["a", "b", "c"]


@pytest.mark.req("A-SHORT")
def test_an_end_is_moved_within_the_bounds_and_changes_nothing_else(world):
    session = agent(world)
    note = take_note(session, "a", "x", lasts="1h").note
    world.clock.ahead(minutes=50)
    (renewed,) = renew_notes(session, {"a": "1h", "missing": "1h"})
    assert replace(renewed, expires_at=note.expires_at) == note
    world.clock.ahead(minutes=50)
    assert read_note(session, "a") == renewed
    for lasts, code in (
        ("91d", "note_lasts_too_long"),
        (0, "note_over"),
        (float("inf"), "note_without_end"),
    ):
        assert refused(renew_notes, session, {"a": lasts}) == [code]
    world.clock.ahead(hours=1)
    assert renew_notes(session, {"a": "1h"}) == ()


def test_ending_a_note_can_take_back_what_nobody_decided(world):
    session = agent(world)
    for key in "ab":
        take_note(session, key, f"The shop is number {key}.", lasts="1h")
        propose_note(session, key, parts=PARTS)
    end_notes(session, "a", withdraw=True)
    end_notes(session, "b")
    assert [pending.diff.changes[0].item.claim for pending in world.inbox()] == [
        "The shop is number b."
    ]


# --- whose ----------------------------------------------------------------------------------------


@pytest.mark.req("A-WORKING")
@pytest.mark.parametrize(
    ("name", "tenant"),
    [("user:ana", HERE), ("user:bob", HERE), ("user:eve", HERE), ("agent:codex", THERE)],
)
def test_nobody_else_sees_a_note_operators_included(world, name, tenant):
    take_note(agent(world), "plan", "Tag it with zyzzogeton.", lasts="1h")
    other = agent(world, name, tenant, scopes=ALL)
    assert find_notes(other) == find_notes(other, "zyzzogeton") == ()
    with pytest.raises(NotFound):
        read_note(other, "plan", scope=TASK)
    assert end_notes(other, scope=TASK).notes == 0
    answer = recall(replace(other, scopes=ALL), Request("zyzzogeton", "answer_questions"))
    assert "Tag it" not in str(answer.as_json())


def told_to_others(notes):
    """Everything that others are told, in a world where an agent keeps these notes."""
    world = World()
    world.accept(fact("The shop is tagged before a release."))
    for key, text in notes:
        take_note(agent(world), key, text, lasts="1h")
    world.clock.now = NOON + timedelta(minutes=10)
    told = []
    for name, tenant in (("user:ana", HERE), ("user:eve", HERE), ("agent:codex", THERE)):
        session = agent(world, name, tenant, scopes=(TASK, SHOP))
        packet = recall(session, Request("tag release", "answer_questions")).packet
        told += [packet.text, packet.outcome, find_notes(session), end_notes(session)]
        told.append(take_note(session, "plan", "mine", lasts="1h").replaced)
    told.append(diagnose(world.session("user:ana"), lambda *_: None).verification.head)
    told.append((world.inbox(), world.revision(), world.revision(THERE)))
    return told


@pytest.mark.req("A-WORKING")
@settings(max_examples=15, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(["plan", "a"]), st.sampled_from(["tag", "release", ""])),
        max_size=4,
    )
)
def test_notes_change_nothing_for_anybody_else(notes):
    assert told_to_others(notes) == told_to_others([])


# --- what they are not ----------------------------------------------------------------------------


@pytest.mark.req("A-WORKING")
def test_a_note_is_never_recalled_and_never_in_the_ledger(world):
    session = agent(world)
    before = world.revision()
    take_note(session, "plan", "The shop is tagged with zyzzogeton.", lasts="1h")
    packet = recall(
        session,
        Request("What is the shop tagged with?", "answer_questions", own_proposals=True),
    ).packet
    assert "zyzzogeton" not in str(packet.as_json())
    assert (world.revision(), "zyzzogeton" in world.texts()) == (before, False)
    assert world.inbox() == ()


@pytest.mark.req("A-WORKING")
def test_a_note_that_ends_was_never_anything_more(world):
    session = agent(world)
    take_note(session, "plan", "The shop is tagged.", lasts="1h")
    world.clock.ahead(hours=2)
    with pytest.raises(NotFound):
        propose_note(session, "plan", parts=PARTS)
    assert world.inbox() == ()


# --- looking --------------------------------------------------------------------------------------


def test_notes_are_found_by_words_and_by_what_their_keys_begin_with(world):
    session = agent(world, scopes=ALL)
    for key, text in (
        ("files/a", "Run the tests."),
        ("files/b", "Testing a release."),
        ("plan", "Ask Bob about tests"),
    ):
        take_note(session, key, text, lasts="1h", scope=TASK)
    take_note(session, "files/a", "Nothing.", lasts="1h", scope=TURN)
    assert keys(session, "which test is for the release?") == ["files/b", "plan", "files/a"]
    assert keys(session, "tests", prefix="files/") == ["files/b", "files/a"]
    assert keys(session, "bob") == ["plan"]
    assert keys(session, "zyzzogeton") == []
    assert keys(session, prefix="files/", scope=TASK) == ["files/a", "files/b"]
    assert keys(session, prefix="FILES") == []


# --- proposing ------------------------------------------------------------------------------------


@pytest.mark.req("A-WORKING")
def test_what_a_note_says_lasts_only_after_a_review(world):
    session = agent(world)
    note = take_note(session, "plan", "The shop is tagged before a release.", lasts="1h").note
    proposed = propose_note(session, "plan", parts=PARTS).proposed
    asked = Request("Is the shop tagged before a release?", "answer_questions")
    assert recall(session, asked).packet.outcome == "no_support"
    item = proposed.diff.changes[0].item
    assert (item.claim, item.scope, item.source.kind, item.source.uri) == (
        note.text,
        SHOP,
        "note",
        note.uri,
    )
    assert (item.source.origin, item.source.candidate_origins) == (
        "",
        ("conversation", "inference", "tool_result"),
    )
    assert [one.quote for one in item.source.evidence] == [note.text]
    assert {"weak_source", "ambiguous_origin"} <= {found.code for found in proposed.findings}
    claim = world.review("user:bob", proposed, change_01="accepted").resulting["change_01"]
    world.clock.ahead(hours=2)
    served = recall(session, asked).packet
    assert [one.claim.id for one in served.items] == [claim]
    assert served.items[0].claim.memory_type != "working"
    assert keys(session) == []


def test_a_person_s_note_is_its_own_word(world):
    session = agent(world, "user:dan")
    take_note(session, "plan", "The shop is tagged before a release.", lasts="1h")
    item = propose_note(session, "plan", parts=PARTS).proposed.diff.changes[0].item
    assert item.source.origin == "user_input"


def test_an_origin_that_is_stated_is_kept(world):
    session = agent(world)
    take_note(session, "plan", "The shop is tagged before a release.", lasts="1h")
    proposed = propose_note(session, "plan", parts={**PARTS, "origin": "tool_result"}).proposed
    assert proposed.diff.changes[0].item.source.origin == "tool_result"
    assert "ambiguous_origin" not in {found.code for found in proposed.findings}


def test_statements_that_do_not_stand_in_the_note_are_marked_as_inferred(world):
    session = agent(world)
    take_note(session, "plan", "first\nThe shop ships on Fridays.\n", lasts="1h")
    said = ["The shop ships on Fridays.", "The shop ships once a week."]
    one, other = (
        change.item.source
        for change in propose_note(session, "plan", said, parts=PARTS).proposed.diff.changes
    )
    assert (one.derivation, one.evidence[0].line, one.evidence[0].digest) == ("direct", 2, "")
    assert (other.derivation, other.evidence) == ("inferred", ())


@pytest.mark.req("E-IDEMPOTENT")
def test_proposing_the_same_again_does_not_fill_the_inbox(world):
    session = agent(world)
    take_note(session, "plan", "The shop ships on Fridays.", lasts="1h")
    propose_note(session, "plan", parts=PARTS)
    take_note(session, "plan", "The shop ships on Fridays.", lasts="2h")
    take_note(session, "other", "the shop ships on  fridays.", lasts="2h")
    for key in ("plan", "other"):
        again = propose_note(session, key, parts=PARTS)
        assert (again.proposed, len(again.waiting), again.withdrawn) == (None, 1, 0)
    assert len(world.inbox()) == 1


@pytest.mark.req("E-IDEMPOTENT")
def test_what_is_accepted_is_not_proposed_again_and_what_is_hidden_changes_nothing(world):
    session = agent(world)
    hidden = world.accept_hidden(fact("The shop ships on Mondays."))
    known = world.accept(fact("The shop ships on Fridays."))
    take_note(session, "plan", "x", lasts="1h")
    came = propose_note(
        session, "plan", ["The shop ships on Fridays.", "The shop ships on Mondays."], parts=PARTS
    )
    assert came.known == {"The shop ships on Fridays.": known}
    assert [change.item.claim for change in came.proposed.diff.changes] == [
        "The shop ships on Mondays."
    ]
    assert hidden not in str(came)


def test_another_scope_is_another_claim(world):
    session = agent(world, scopes=(TASK, SHOP, WEB))
    take_note(session, "plan", "It ships on Fridays.", lasts="1h")
    assert refused(propose_note, session, "plan", parts=PARTS)[0] == "no_scope"
    for scope in (SHOP, WEB):
        assert propose_note(session, "plan", parts={**PARTS, "scope": str(scope)}).proposed


def test_what_a_rewritten_note_no_longer_says_is_withdrawn(world):
    session = agent(world)
    take_note(session, "plan", "x", lasts="1h")
    propose_note(session, "plan", ["It ships on Fridays.", "It is tagged."], parts=PARTS)
    take_note(session, "other", "x", lasts="1h")
    propose_note(session, "other", ["It is signed."], parts=PARTS)
    came = propose_note(session, "plan", ["It ships on Mondays.", "It is tagged."], parts=PARTS)
    assert (came.withdrawn, came.waiting) == (1, ("It is tagged.",))
    open_ = {
        change.item.claim
        for pending in world.inbox()
        for change in pending.diff.changes
        if pending.state_of(change.id) == "pending"
    }
    assert open_ == {"It ships on Mondays.", "It is tagged.", "It is signed."}
    again = propose_note(session, "plan", ["It ships on Fridays.", "It is tagged."], parts=PARTS)
    assert again.proposed is not None  # withdrawing leaves no tombstone
    assert (again.withdrawn, again.refused) == (1, ())


def test_proposing_nothing_withdraws_what_waits(world):
    session = agent(world)
    take_note(session, "plan", "It ships on Fridays.", lasts="1h")
    propose_note(session, "plan", parts=PARTS)
    came = propose_note(session, "plan", (), parts=PARTS)
    assert (came.proposed, came.withdrawn, world.inbox()) == (None, 1, ())


def test_what_was_decided_is_not_withdrawn(world):
    session = agent(world)
    take_note(session, "plan", "It ships on Fridays.", lasts="1h")
    first = propose_note(session, "plan", parts=PARTS).proposed
    claim = world.review("user:bob", first, change_01="accepted").resulting["change_01"]
    take_note(session, "plan", "It ships on Mondays.", lasts="1h")
    assert propose_note(session, "plan", parts=PARTS).withdrawn == 0
    assert world.show(claim).status == "active"


@pytest.mark.req("E-TOMBSTONE")
def test_statements_that_a_rule_refuses_are_left_out_by_name_or_refuse_all(world):
    session = agent(world)
    world.reject(fact("The shop ships on Mondays."))
    take_note(session, "plan", "x", lasts="1h")
    said = ["The shop ships on Mondays.", "The shop is tagged.", "y" * 5_000]
    assert refused(propose_note, session, "plan", said, parts=PARTS) == ["tombstoned", "too_long"]
    assert world.inbox() == ()
    came = propose_note(session, "plan", said, parts=PARTS, leave_out=True)
    assert [found.code for found in came.refused] == ["tombstoned", "too_long"]
    assert [change.item.claim for change in came.proposed.diff.changes] == ["The shop is tagged."]
    assert propose_note(session, "plan", said[:1], parts=PARTS, leave_out=True).proposed is None


def test_far_too_many_statements_are_refused(world):
    session = agent(world)
    take_note(session, "plan", "x", lasts="1h")
    assert refused(
        propose_note, session, "plan", [f"Number {n}." for n in range(201)], parts=PARTS
    ) == ["too_many_statements"]


def test_what_all_statements_lack_is_refused_even_where_some_may_be_left_out(world):
    session = agent(world)
    take_note(session, "plan", "It is tagged.", lasts="1h")
    came = propose_note(session, "plan", leave_out=True)
    assert (came.proposed, [found.code for found in came.refused]) == (None, ["no_visibility"])


@pytest.mark.req("A-DELETE")
@pytest.mark.parametrize(
    ("text", "stays"), [("The shop ships on Fridays.", False), ("It ships.", True)]
)
def test_the_note_that_an_erased_claim_came_from_goes_if_it_still_says_so(world, text, stays):
    session = agent(world)
    take_note(session, "plan", "The shop ships on Fridays.", lasts="1h")
    take_note(session, "other", "The shop ships on Fridays.", lasts="1h")
    proposed = propose_note(session, "plan", parts=PARTS).proposed
    claim = world.review("user:bob", proposed, change_01="accepted").resulting["change_01"]
    take_note(session, "plan", text, lasts="1h")
    assert erase(world.session("user:ana"), claim, signer_of("user:ana")).disk == "complete"
    assert keys(session) == (["other", "plan"] if stays else ["other"])
    came = propose_note(session, "other", parts=PARTS, leave_out=True)
    assert [found.code for found in came.refused] == ["tombstoned"]


@pytest.mark.req("A-DELETE", "A-WORKING")
def test_notes_that_cannot_be_looked_at_stop_neither_an_erasure_nor_a_diagnosis(tmp_path):
    world = World(SqliteStore.open(tmp_path / "memory.db", entropy=_drawn("file"), create=True))
    session = agent(world)
    take_note(session, "plan", "The shop ships on Fridays.", lasts="1h")
    proposed = propose_note(session, "plan", parts=PARTS).proposed
    claim = world.review("user:bob", proposed, change_01="accepted").resulting["change_01"]
    world.store.close()
    (tmp_path / "memory.db.notes").write_bytes(b"no database at all" * 100)
    world.store = SqliteStore.open(tmp_path / "memory.db", entropy=_drawn("again"), create=False)
    found = diagnose(world.session("user:ana"), lambda *_: None)
    assert found.ok
    assert ["notes cannot be kept" in notice for notice in found.notices] == [True]
    erased = erase(world.session("user:ana"), claim, signer_of("user:ana"))
    assert erased.disk.startswith("pending: the note that it came from: ")
    with pytest.raises(NotFound):
        world.show(claim)
    world.store.close()
