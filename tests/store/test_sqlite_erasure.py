"""Erased words are in no byte of the store's files once a checkpoint says that it is complete."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from muniment.core.event import Event
from muniment.ports.store import Access
from muniment.store.sqlite import SqliteStore
from tests.store.world import AT, TENANT, World, claim, claim_event, fact, mem, numbers

CANARY = "zyzzogeton"


@pytest.fixture
def world(tmp_path):
    path = tmp_path / "store" / "memory.db"
    world = World(SqliteStore.open(path, entropy=numbers(), create=True, busy_timeout_ms=200))
    yield world
    world.store.close()


def hits(world, word=CANARY):
    """In how many places the word stands, over all files, in three encodings."""
    folder = Path(world.store._file.path).parent
    found = 0
    for file in folder.iterdir():
        raw = file.read_bytes().lower()
        found += sum(raw.count(word.encode(e)) for e in ("utf-8", "utf-16-le", "utf-16-be"))
    return found


def told(name, extra=""):
    """A claim that holds the canary in many fields."""
    word = f"{CANARY}{extra}"
    return claim(
        name,
        f"The {word} deploys.",
        body=f"{word} " * 40,
        title=word,
        tags=(word,),
        aliases=(word,),
        steps=(word,),
        facts=fact(word, "uses", word),
        properties={word: word},
    )


def others(count, seed=1):
    chosen = random.Random(seed)
    words = [f"w{chosen.getrandbits(28):x}" for _ in range(400)]
    return [
        claim(
            f"o{seed}x{n}", " ".join(chosen.choices(words, k=12)), body="b" * chosen.randrange(3000)
        )
        for n in range(count)
    ]


def put(world, *claims):
    """To the tenant alone."""
    with world.transaction() as transaction:
        transaction.append([claim_event(transaction, one) for one in claims], AT)


def erase(world, *names):
    with world.transaction() as transaction:
        for name in names:
            transaction.erase(mem(name))
        transaction.append([Event("erased", mem(name), {"by": "user:a"}) for name in names], AT)


@pytest.mark.req("A-DELETE")
def test_an_erased_word_is_in_no_file_after_a_checkpoint(world):
    put(world, *others(50), told("a"), *others(50, seed=2))
    put(world, told("a", "again"))
    record = {"query": f"what of the {CANARY}?"}
    world.store.log(TENANT, Access("ret_1", "user:a", AT, record, (mem("a"),), ()))
    assert hits(world) > 10
    erase(world, "a")
    assert world.store.checkpoint() == "complete"
    assert hits(world) == 0
    assert world.verify().ok
    world.store.close()
    assert hits(world) == 0


@pytest.mark.req("A-RETENTION")
def test_a_retrieval_that_is_kept_no_longer_is_in_no_file(world):
    record = {"query": f"what of the {CANARY}?"}
    for n in range(40):
        world.store.log(TENANT, Access(f"ret_{n}", "user:a", AT, record, (mem("a"),), ()))
    assert hits(world) > 10
    assert world.store.trim(TENANT, AT, dry=True).retrievals == 40
    assert hits(world) > 10
    assert world.store.trim(TENANT, AT, dry=False).disk == "complete"
    assert hits(world) == 0


@pytest.mark.req("A-DELETE")
def test_copies_that_moved_between_pages_are_gone_too(world):
    for batch in range(30):
        chosen = others(20, seed=batch)
        put(world, *chosen[:10], told(f"c{batch}", f"{batch:x}"), *chosen[10:])
    erase(world, *(f"c{batch}" for batch in range(30)))
    assert world.store.checkpoint() == "complete"
    assert hits(world) == 0
    assert world.verify().ok


def test_an_erasure_is_pending_while_somebody_holds_an_earlier_state(world):
    put(world, told("a"))
    with world.snapshot() as snapshot:
        erase(world, "a")
        answer = world.store.checkpoint()
        assert answer.startswith("pending: this process (1 open readers)")
        assert hits(world) > 0
        assert snapshot.row(mem("a")) is not None
    assert world.store.checkpoint() == "complete"
    assert hits(world) == 0


READER = """
import os, sys
from muniment.store.sqlite import SqliteStore
store = SqliteStore.open(sys.argv[1], entropy=os.urandom, create=False)
with store.snapshot("acme") as snapshot:
    print(snapshot.revision, flush=True)
    sys.stdin.readline()
store.close()
"""


def test_a_pending_erasure_names_the_process_that_holds_it_up(world):
    put(world, told("a"))
    command = [sys.executable, "-c", READER, world.store._file.path]
    with subprocess.Popen(command, stdin=-1, stdout=-1, text=True) as reader:
        assert reader.stdout.readline() == "1\n"
        erase(world, "a")
        assert f"process {reader.pid}" in world.store.checkpoint()
        reader.communicate("\n")
    assert world.store.checkpoint() == "complete"
    assert hits(world) == 0


def test_an_erasure_that_was_left_pending_is_completed_by_the_next_checkpoint(world):
    put(world, told("a"))
    erase(world, "a")
    world.store.close()
    again = World(SqliteStore.open(world.store._file.path, entropy=numbers(), create=False))
    assert again.store.checkpoint() == "complete"
    assert hits(again) == 0
    again.store.close()


def test_a_retrieval_whose_removal_was_cut_off_is_not_told_and_removed_later(world, monkeypatch):
    put(world, told("a"))
    record = {"query": CANARY}
    world.store.log(TENANT, Access("ret_1", "user:a", AT, record, (mem("a"),), (mem("a"),)))
    with monkeypatch.context() as patch:
        patch.setattr(type(world.store._log), "forget", lambda *given: None)
        erase(world, "a")
    assert world.store._log.logged(TENANT, "ret_1") is not None
    assert world.store.logged(TENANT, "ret_1") is None
    assert world.store.accesses(TENANT, mem("a"), "user:a") == (0, None)
    assert world.store.checkpoint() == "complete"
    assert world.store._log.logged(TENANT, "ret_1") is None
    assert hits(world) == 0


def test_a_retrieval_cannot_slip_in_while_its_claim_is_erased(world):
    put(world, *(told(f"a{n}") for n in range(20)))
    done = threading.Event()

    def log():
        number = 0
        while not done.is_set():
            found = tuple(mem(f"a{n}") for n in range(20))
            world.store.log(TENANT, Access(f"ret_{number}", "user:a", AT, {"q": CANARY}, found))
            number += 1

    thread = threading.Thread(target=log)
    thread.start()
    for number in range(20):
        erase(world, f"a{number}")
    done.set()
    thread.join()
    assert world.store.checkpoint() == "complete"
    assert hits(world) == 0
