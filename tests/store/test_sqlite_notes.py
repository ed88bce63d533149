"""Notes in their file beside the ledger's: what ended is in no byte of it, and nothing of it touches the ledger."""

from __future__ import annotations

import os
import random
import stat
import subprocess
import sys

import apsw
import pytest

from muniment.core.errors import StoreDamaged
from muniment.store.sqlite import SqliteStore
from muniment.store.sqlite import notes as module
from muniment.store.tables.notes import _ALL, _ENDED, _FIND, _SWEEP, _USAGE
from tests.store.acceptance_notes import HERE, HOUR, ME, NOON, kept, note, put
from tests.store.world import numbers

CANARY = "zyzzogeton"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "store" / "memory.db"


@pytest.fixture
def store(path):
    store = SqliteStore.open(path, entropy=numbers(), create=True, busy_timeout_ms=200)
    yield store
    store.close()


def hits(path, word=CANARY):
    """In how many places the word stands, over all files."""
    files = [file.read_bytes().lower() for file in path.parent.iterdir()]
    return sum(raw.count(word.encode()) for raw in files)


def others(count, seed=1):
    chosen = random.Random(seed)
    return [
        note(f"o{seed}x{n}", f"{chosen.getrandbits(64):x} " * chosen.randrange(1, 300), ends=9 * HOUR)
        for n in range(count)
    ]  # fmt: skip


def told(key, ends=HOUR, size=40):
    return note(f"{CANARY}-{key}", f"{CANARY} " * size, ends=ends)


@pytest.mark.req("A-WORKING", "A-SHORT")
def test_what_ended_is_in_no_byte_once_anybody_looks(store, path):
    put(store, *others(40), told("a"), *others(40, seed=2))
    put(store, told("b"), *others(20, seed=3))
    assert hits(path) > 40
    assert len(kept(store, NOON + HOUR)) == 100
    assert hits(path) == 0
    store.close()
    assert hits(path) == 0


@pytest.mark.req("A-WORKING")
def test_copies_that_moved_between_pages_are_gone_too(store, path):
    for batch in range(30):
        chosen = others(10, seed=batch)
        put(store, *chosen[:5], told(batch, size=1 + batch), *chosen[5:])
        put(store, told(batch, size=30 - batch))
    assert hits(path) > 100
    kept(store, NOON + HOUR)
    assert hits(path) == 0


@pytest.mark.req("A-WORKING")
def test_what_was_removed_before_its_end_is_in_no_byte(store, path):
    put(store, *others(20), told("a"))
    with store.notes.book(HERE, ME, NOON) as book:
        book.remove([told("a")])
    assert store.notes.settle() == "complete"
    assert hits(path) == 0


def test_what_was_written_over_goes_with_the_next_that_ends(store, path):
    put(store, told("a"), *others(5))
    put(store, note(f"{CANARY}-a", "something else", ends=2 * HOUR), note("b"))
    kept(store, NOON + HOUR)
    key_alone = hits(path)
    kept(store, NOON + 2 * HOUR)
    assert (key_alone, hits(path)) == (1, 0)


READER = """
import sys
import apsw
connection = apsw.Connection(sys.argv[1])
connection.execute("BEGIN")
connection.execute("SELECT count(*) FROM note").fetchall()
print("reads", flush=True)
sys.stdin.readline()
connection.close()
"""


def test_a_removal_is_pending_while_somebody_holds_an_earlier_state(store, path):
    put(store, told("a"), *others(5))
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    command = [sys.executable, "-c", READER, f"{path}.notes"]
    with subprocess.Popen(command, **pipes) as reader:
        reader.stdout.readline()
        assert len(kept(store, NOON + HOUR)) == 5  # whoever looks is not kept waiting for the disk
        answer = store.notes.settle()
        assert answer.startswith("pending: ")
        assert hits(path) > 0
        reader.communicate("\n")
    assert store.notes.settle() == "complete"
    assert hits(path) == 0


def test_a_process_killed_before_the_file_was_written_anew_leaves_that_known(
    store, path, monkeypatch
):
    put(store, told("a"), *others(5))

    def killed(connection):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(module, "_settle", killed)
        with pytest.raises(KeyboardInterrupt):
            kept(store, NOON + HOUR)
    assert hits(path) > 0
    store.close()
    again = SqliteStore.open(path, entropy=numbers(), create=False)
    assert len(kept(again, NOON + HOUR)) == 5
    assert hits(path) == 0
    again.close()


def test_a_large_file_is_written_anew_when_it_is_asked_for(store, path, monkeypatch):
    monkeypatch.setattr(module, "INLINE", 0)
    put(store, told("a"), *others(5))
    assert len(kept(store, NOON + HOUR)) == 5
    assert hits(path) > 0
    assert store.notes.settle() == "complete"
    assert hits(path) == 0


def test_reading_makes_no_file_and_the_first_note_makes_one_for_its_owner_alone(store, path):
    kept(store)
    store.notes.sweep(HERE, NOON)
    assert not path.with_name("memory.db.notes").exists()
    put(store, note())
    assert stat.S_IMODE(path.with_name("memory.db.notes").stat().st_mode) == 0o600


def test_notes_outlive_the_process_and_are_shared_with_others(store, path):
    put(store, note())
    other = SqliteStore.open(path, entropy=numbers(), create=False)
    assert kept(other) == (note(),)
    put(other, note("b"))
    assert len(kept(store)) == 2
    other.close()
    store.close()
    again = SqliteStore.open(path, entropy=numbers(), create=False)
    assert len(kept(again)) == 2
    again.close()


@pytest.mark.req("A-WORKING")
def test_a_broken_notes_file_stops_notes_alone(store, path):
    path.with_name("memory.db.notes").write_bytes(b"no database at all" * 100)
    with pytest.raises(StoreDamaged, match="is not a store of this program"):
        put(store, note())
    with pytest.raises(StoreDamaged), store.notes.view(HERE, ME, NOON):
        pass
    with store.snapshot(HERE) as snapshot:
        assert snapshot.revision == 0


def test_the_ledgers_file_never_holds_a_note(store, path):
    put(store, told("a"))
    for name in ("memory.db", "memory.db-wal"):
        file = path.with_name(name)
        assert not file.exists() or CANARY.encode() not in file.read_bytes()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_keeps_notes_with_a_connection_of_its_own(store, path):
    put(store, note("a"))
    child = os.fork()
    if child == 0:
        code = 1
        try:
            put(store, note("b"))
            code = 0 if len(kept(store)) == 2 else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert len(kept(store)) == 2


@pytest.mark.parametrize(
    ("statement", "values"),
    [
        (_ALL, (1, b"w", 0)),
        (_FIND, (1, b"w", 0, b"p")),
        (_USAGE, (1, b"w", 0)),
        (_ENDED, (1, 0)),
        (_SWEEP, (1, 0)),
    ],
)
def test_an_index_serves_every_look_for_notes(store, path, statement, values):
    put(store, note())
    raw = apsw.Connection(f"{path}.notes")
    plan = raw.execute(f"EXPLAIN QUERY PLAN {statement}", values).fetchall()
    raw.close()
    assert all("SEARCH note USING" in step[3] for step in plan)
