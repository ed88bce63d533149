"""The part of the store port's definition that is about notes (working and short-term memory).

Every test has a neighbour tenant and other principals, who keep the same and are neither touched nor seen.
"""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muniment.core.access import Scope
from muniment.core.errors import StoreBusy, StoreUnavailable
from muniment.core.note import Note

NOON = datetime(2026, 7, 8, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
TASK, TURN = Scope("task", "release"), Scope("current_turn", "t1")
ME, OTHER = "agent:codex", "user:ops"
HERE, THERE = "acme", "globex"
OTHERS = ((HERE, OTHER), (THERE, ME), (HERE, ME + "\0"), (THERE, OTHER))


def note(key="plan", text="Tag the release.", scope=TASK, ends=HOUR, at=NOON, id="wrk_1"):
    return Note(id, scope, key, text, at, at, at + ends)


def put(store, *notes, who=(HERE, ME), at=NOON):
    with store.notes.book(*who, at) as book:
        for one in notes:
            book.put(one)


def kept(store, at=NOON, who=(HERE, ME)):
    with store.notes.view(*who, at) as view:
        return view.all()


@pytest.fixture
def notes(make_store):
    """A store in which everybody else keeps the same notes for a day."""
    store = make_store()
    theirs = (note(text="theirs", ends=24 * HOUR), note("b", "theirs", TURN, 24 * HOUR))
    for who in OTHERS:
        put(store, *theirs, who=who)
    yield store
    for who in OTHERS:
        assert kept(store, who=who) == tuple(sorted(theirs, key=lambda one: (one.scope, one.key)))
    store.close()


def test_where_nothing_was_written_there_is_nothing(make_store):
    store = make_store()
    with store.notes.view(HERE, ME, NOON) as view:
        assert (view.all(), view.find(TASK, "plan"), view.usage()) == ((), None, (0, 0))
    store.notes.sweep(HERE, NOON)
    assert store.notes.settle() == "complete"


def test_a_note_comes_back_as_it_was_written(notes):
    written = note(text="Über 7\n\tand 東京 🎈", at=NOON + timedelta(microseconds=1))
    put(notes, written)
    assert kept(notes) == (written,)
    with notes.notes.view(HERE, ME, NOON) as view:
        assert view.find(TASK, "plan") == written
        assert view.find(TURN, "plan") is None
        assert view.find(TASK, "PLAN") is None
        assert view.usage() == (1, len(written.text))


def test_notes_come_sorted_by_scope_and_key(notes):
    put(notes, *(note(key, scope=scope) for key in "bac" for scope in (TASK, TURN)))
    assert [(one.scope.kind, one.key) for one in kept(notes)] == [
        (kind, key) for kind in ("current_turn", "task") for key in "abc"
    ]


def test_a_note_with_the_same_scope_and_key_is_replaced(notes):
    put(notes, note(text="first"))
    put(notes, note(text="second", ends=2 * HOUR))
    put(notes, note(scope=TURN))
    assert [(one.scope, one.text) for one in kept(notes)] == [
        (TURN, "Tag the release."),
        (TASK, "second"),
    ]


def test_scopes_and_keys_that_run_together_are_told_apart(notes):
    pairs = [("a", "b:c"), ("a:b", "c"), ("a", "b/c"), ("a/b", "c"), ("ab", "c"), ("a", "bc")]
    put(notes, *(note(key, f"{id} {key}", Scope("task", id)) for id, key in pairs))
    assert {one.text for one in kept(notes)} == {f"{id} {key}" for id, key in pairs}


@pytest.mark.req("A-SHORT", "A-WORKING")
def test_a_note_is_there_until_its_end_and_not_at_it(notes):
    put(notes, note("a"), note("b", ends=2 * HOUR))
    before, end = NOON + HOUR - timedelta(microseconds=1), NOON + HOUR
    assert [one.key for one in kept(notes, before)] == ["a", "b"]
    assert [one.key for one in kept(notes, end)] == ["b"]
    assert [one.key for one in kept(notes, before)] == ["b"]  # it was removed, not hidden
    with notes.notes.view(HERE, ME, end) as view:
        assert view.usage() == (1, len("Tag the release."))
        assert view.find(TASK, "a") is None


def test_what_ended_is_not_there_for_who_writes_either(notes):
    put(notes, note("a"))
    with notes.notes.book(HERE, ME, NOON + HOUR) as book:
        assert (book.all(), book.find(TASK, "a"), book.usage()) == ((), None, (0, 0))
        assert book.remove([note("a")]) == 0
        book.put(note("a", "anew", at=NOON + HOUR))
    assert [one.text for one in kept(notes, NOON + HOUR)] == ["anew"]


@pytest.mark.req("A-WORKING")
def test_what_ended_is_removed_whoever_of_the_tenant_looks(notes):
    put(notes, note("a"))
    assert len(kept(notes, NOON + HOUR, (THERE, OTHER))) == 2
    assert len(kept(notes, NOON)) == 1  # a tenant is a wall
    assert len(kept(notes, NOON + HOUR, (HERE, OTHER))) == 2
    assert kept(notes, NOON) == ()
    put(notes, note("a"))
    notes.notes.sweep(HERE, NOON + HOUR)
    assert kept(notes, NOON) == ()


@pytest.mark.req("A-WORKING")
def test_removed_notes_are_gone_and_the_others_stay(notes):
    put(notes, note("a"), note("b"), note("a", scope=TURN))
    with notes.notes.book(HERE, ME, NOON) as book:
        assert book.remove([note("a"), note("a"), note("missing")]) == 1
        assert [one.key for one in book.all()] == ["a", "b"]
    assert [(one.scope, one.key) for one in kept(notes)] == [(TURN, "a"), (TASK, "b")]


@pytest.mark.req("A-DELETE")
def test_a_note_is_forgotten_by_its_identifier_if_it_still_says_so(notes):
    put(notes, note("a", "It says so.", id="wrk_a"), note("b", "It says so.", id="wrk_b"))
    notes.notes.forget(HERE, "wrk_a", "something else")
    notes.notes.forget(THERE, "wrk_a", "says so")
    notes.notes.forget(HERE, "wrk_c", "says so")
    assert [one.key for one in kept(notes)] == ["a", "b"]
    notes.notes.forget(HERE, "wrk_a", "says so")
    assert [one.key for one in kept(notes)] == ["b"]


def test_who_writes_sees_its_own_writes_before_they_are_committed(notes):
    with notes.notes.book(HERE, ME, NOON) as book:
        book.put(note("a"))
        assert (book.find(TASK, "a"), book.usage()) == (note("a"), (1, 16))


def test_a_write_that_fails_leaves_nothing(notes):
    put(notes, note("a", "before"))

    def fail():
        with notes.notes.book(HERE, ME, NOON) as book:
            book.put(note("a", "after"))
            book.put(note("b"))
            book.remove([note("a")])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert [one.text for one in kept(notes)] == ["before"]


@pytest.mark.req("A-WORKING")
def test_notes_are_no_part_of_the_ledger(notes):
    put(notes, note())
    assert notes.tenants() == ()
    with notes.snapshot(HERE) as snapshot:
        assert (snapshot.revision, list(snapshot.envelopes()), snapshot.classes()) == (0, [], ())
    assert notes.verify(HERE).ok


def test_a_closed_store_keeps_no_notes(make_store):
    store = make_store()
    put(store, note())
    store.close()
    store.close()
    with pytest.raises(StoreUnavailable), store.notes.view(HERE, ME, NOON):
        pass
    with pytest.raises(StoreUnavailable), store.notes.book(HERE, ME, NOON):
        pass


def test_a_second_writer_is_refused_after_the_timeout(make_store):
    store = make_store(busy_timeout_ms=50)
    refused = []

    def write():
        try:
            put(store, note("b"))
        except StoreBusy as error:
            refused.append(error.message)

    with store.notes.book(HERE, ME, NOON) as book:
        book.put(note("a"))
        thread = threading.Thread(target=write)
        thread.start()
        thread.join()
    assert len(refused) == 1
    assert [one.key for one in kept(store)] == ["a"]
    store.close()


def test_writers_at_once_lose_nothing(make_store):
    store = make_store()
    errors = []

    def write(name):
        try:
            for number in range(10):
                put(store, note(f"{name}{number}"))
        except Exception as error:  # noqa: BLE001 - whatever it is, the test shows it
            errors.append(error)

    threads = [threading.Thread(target=write, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(kept(store)) == 40
    store.close()


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["put", "remove", "wait"]),
        st.sampled_from("abc"),
        st.integers(1, 4),
        st.sampled_from([(HERE, ME), (HERE, OTHER), (THERE, ME)]),
    ),
    max_size=12,
)


@settings(
    max_examples=25,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=STEPS)
def test_everybody_sees_what_a_dictionary_says(make_store, steps):
    store, now, model = make_store(), NOON, {}
    for act, key, hours, who in steps:
        if act == "wait":
            now += hours * HOUR / 2
        elif act == "put":
            model[*who, key] = note(key, f"{who}", ends=hours * HOUR, at=now)
            put(store, model[*who, key], who=who, at=now)
        else:
            with store.notes.book(*who, now) as book:
                book.remove([note(key)])
            model.pop((*who, key), None)
        model = {place: one for place, one in model.items() if now < one.expires_at}
        for each in ((HERE, ME), (HERE, OTHER), (THERE, ME)):
            expected = [one for (*whose, _), one in sorted(model.items()) if tuple(whose) == each]
            assert list(kept(store, now, each)) == expected
    store.close()
