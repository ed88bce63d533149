"""What happens to the machine becomes a named error, or nothing; never a traceback, never a lost write."""

from __future__ import annotations

import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import apsw
import pytest

from muniment.core.errors import StoreBusy, StoreDamaged, StoreError, StoreFull
from muniment.core.event import Event
from muniment.ports.store import Access
from muniment.store.sqlite import SqliteStore
from muniment.store.sqlite.surroundings import holders
from tests.store.harm import Damage
from tests.store.world import AT, TENANT, World, claim, claim_event, everything, fact, mem, numbers


@pytest.fixture
def path(tmp_path):
    return tmp_path / "store" / "memory.db"


def open_store(path, **options):
    return SqliteStore.open(path, entropy=numbers(), **{"create": True, **options})


ROOT = Path(__file__).resolve().parents[2]  # where a child finds `tests`


def run(code, *arguments, **options):
    head = "import os, sys, time\nfrom muniment.store.sqlite import SqliteStore\nfrom tests.store.world import *\n"
    command = [sys.executable, "-c", head + code, *map(str, arguments)]
    piped = {"text": True, "stdout": subprocess.PIPE, "stdin": subprocess.PIPE}
    options = {**piped, "cwd": ROOT, **options}
    return subprocess.Popen(command, **options)


def status(process):
    with process:
        process.communicate()
    return process.returncode


# --- locked ---------------------------------------------------------------------------------------


def test_a_store_that_another_process_holds_is_refused_within_the_timeout(path):
    world = World(open_store(path, busy_timeout_ms=100))
    other = apsw.Connection(str(path))
    other.execute("BEGIN IMMEDIATE")
    began = time.monotonic()
    with pytest.raises(StoreBusy) as refused, world.transaction():
        pass
    assert time.monotonic() - began < 60
    assert str(path) in refused.value.message
    assert world.picture()["revision"] == 0
    other.execute("ROLLBACK")
    other.close()
    world.put(claim("a"))
    world.store.close()


def test_a_checkpoint_that_another_writer_holds_up_is_pending(path):
    world = World(open_store(path, busy_timeout_ms=100))
    world.put(claim("a"))
    world.commit(lambda t: t.erase(mem("a")))
    other = apsw.Connection(str(path))
    other.execute("BEGIN IMMEDIATE")
    assert world.store.checkpoint().startswith("pending: ")
    other.execute("ROLLBACK")
    other.close()
    assert world.store.checkpoint() == "complete"
    world.store.close()


def test_a_long_snapshot_holds_up_no_writer_and_a_long_transaction_no_reader(path):
    world = World(open_store(path, busy_timeout_ms=100))
    world.put(claim("a"))
    with world.snapshot() as snapshot:
        world.put(claim("b"))
        assert snapshot.row(mem("b")) is None
    with world.transaction() as transaction:
        transaction.append([Event("group", "g")], AT)
        assert world.picture()["revision"] == 2
    world.store.close()


# --- full -----------------------------------------------------------------------------------------


def fill(world, acknowledged):
    for number in range(len(acknowledged), 10_000):
        with world.transaction() as transaction:
            transaction.append([Event("group", f"g{number}", {"text": "x" * 20_000})], AT)
        acknowledged.append(number)


@pytest.mark.req("D-STORE")
def test_a_full_disk_is_named_and_nothing_acknowledged_is_lost(path):
    world = World(open_store(path))
    world.put(claim("a"))
    acknowledged = []
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, old[1]))
    try:
        with pytest.raises(StoreFull) as refused:
            fill(world, acknowledged)
        assert world.picture()["revision"] == 1 + len(acknowledged)
        with pytest.raises(StoreError):
            fill(world, acknowledged)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
        signal.signal(signal.SIGXFSZ, ignored)
    assert "space" in refused.value.message
    assert len(acknowledged) > 10
    assert len(world.picture()["docs"]["group"]) == len(acknowledged)
    assert world.verify().ok
    world.put(claim("b"))
    world.store.close()


def test_a_quota_of_the_database_is_a_full_store(path, monkeypatch):
    monkeypatch.setattr(
        apsw, "connection_hooks", [lambda c: c.execute("PRAGMA max_page_count = 100")]
    )
    world = World(open_store(path))
    acknowledged = []
    with pytest.raises(StoreFull):
        fill(world, acknowledged)
    assert world.picture()["revision"] == len(acknowledged) > 5
    world.store.close()


def test_after_a_failed_write_a_transaction_can_not_be_committed(path, monkeypatch):
    monkeypatch.setattr(
        apsw, "connection_hooks", [lambda c: c.execute("PRAGMA max_page_count = 100")]
    )
    world = World(open_store(path))
    world.put(claim("a"))

    def swallow():
        with world.transaction() as transaction:
            transaction.append([Event("group", "before")], AT)
            with pytest.raises(StoreFull):
                transaction.append([Event("group", "large", {"text": "x" * 2_000_000})], AT)
            with pytest.raises(StoreError, match="earlier write"):
                transaction.append([Event("group", "after")], AT)

    with pytest.raises(StoreError, match="earlier write"):
        swallow()
    assert world.picture()["revision"] == 1
    assert world.verify().ok
    world.put(claim("b"))
    world.store.close()


# --- damaged --------------------------------------------------------------------------------------


def use_all(path):
    """Do everything once; what a store error stops is left out."""
    world = SqliteStore.open(path, entropy=numbers(), create=False)
    try:
        found = everything(world, TENANT), world.verify(TENANT)
        world.rebuild(TENANT)
        with world.transaction(TENANT) as transaction:
            transaction.append([claim_event(transaction, claim("new"))], AT)
            transaction.erase(mem("c1"))
        world.checkpoint()
        world.tenants()
        return found
    finally:
        world.close()


@pytest.fixture(scope="module")
def healthy(tmp_path_factory):
    path = tmp_path_factory.mktemp("healthy") / "memory.db"
    store = open_store(path)
    with store.transaction(TENANT) as transaction:
        made = [
            claim(f"c{n}", f"Statement {n} of the shop.", facts=fact("shop", "uses", f"tool {n}"))
            for n in range(40)
        ]
        transaction.append([claim_event(transaction, one) for one in made], AT)
    store.close()
    return path


@pytest.mark.parametrize("seed", range(40))
def test_a_flipped_bit_is_harmless_or_found_and_never_a_traceback(healthy, tmp_path, seed):
    path = tmp_path / "memory.db"
    shutil.copy(healthy, path)
    raw = bytearray(path.read_bytes())
    chosen = random.Random(seed)
    for _ in range(1 + seed % 3):
        raw[chosen.randrange(len(raw))] ^= 1 << chosen.randrange(8)
    path.write_bytes(raw)
    clean = SqliteStore.open(healthy, entropy=numbers(), create=False)
    wanted = everything(clean, TENANT)
    clean.close()
    try:
        told, verified = use_all(path)
    except StoreError:
        return
    if verified.ok:
        told["key"] = wanted["key"] = None
        assert told == wanted


@pytest.mark.parametrize("size", [1, 99, 100, 4096, 5000, 40960])
def test_a_cut_file_is_damaged_or_harmless_and_never_a_traceback(healthy, tmp_path, size):
    path = tmp_path / "memory.db"
    path.write_bytes(healthy.read_bytes()[:size])
    with pytest.raises(StoreDamaged):
        use_all(path)


def test_a_damaged_log_is_said_and_leaves_the_ledger_usable(path):
    world = World(open_store(path))
    world.put(claim("a"))
    path.with_name("memory.db.log").write_bytes(b"nonsense" * 100)
    with pytest.raises(StoreDamaged, match="log"):
        world.store.log(TENANT, Access("ret_1", "user:a", AT, {}))
    world.put(claim("b"))
    world.store.close()


# --- left without closing -------------------------------------------------------------------------

LEAVE = """
store = SqliteStore.open(sys.argv[1], entropy=os.urandom, create=True)
with store.transaction("acme") as transaction:
    transaction.append([claim_event(transaction, claim("a"))], AT)
os._exit(0)
"""


def leave(path):
    assert status(run(LEAVE, path)) == 0


def test_a_store_left_without_closing_is_checked_once(path):
    leave(path)
    first = open_store(path)
    assert [n for n in first.notices if "checked and nothing is wrong" in n]
    with first.transaction(TENANT):
        pass
    first.close()
    second = open_store(path)
    assert second.notices == ()
    second.close()


def test_a_store_that_another_process_writes_to_is_not_taken_for_left(path):
    first = open_store(path)
    World(first).put(claim("a"))
    second = open_store(path)
    assert second.notices == ()
    second.close()
    first.close()


def test_a_left_store_whose_ledger_is_broken_can_be_read_and_not_written(path):
    leave(path)
    raw = apsw.Connection(str(path))
    raw.execute("UPDATE event SET id = 'other'")
    raw.close()
    path.with_name("memory.db.open").touch()
    store = open_store(path)
    assert "can only be read" in store.notices[0]
    assert everything(store, TENANT)["revision"] == 1
    with pytest.raises(StoreDamaged), store.transaction(TENANT):
        pass
    store.close()


def test_a_left_store_whose_pages_are_broken_can_not_be_written(healthy, tmp_path):
    path = tmp_path / "memory.db"
    raw = bytearray(healthy.read_bytes())
    for page in range(2, len(raw) // 4096):
        raw[page * 4096 : page * 4096 + 8] = b"\xff" * 8
    path.write_bytes(raw)
    path.with_name("memory.db.open").touch()
    try:
        store = open_store(path)
    except StoreDamaged:
        return
    assert "damaged" in store.notices[0]
    with pytest.raises(StoreDamaged), store.transaction(TENANT):
        pass
    store.close()


# --- processes and threads ------------------------------------------------------------------------

SEE = """
store = SqliteStore.open(sys.argv[1], entropy=os.urandom, create=False)
for line in sys.stdin:
    with store.snapshot("acme") as snapshot:
        print(snapshot.revision, flush=True)
    with store.transaction("acme") as transaction:
        transaction.append([claim_event(transaction, claim("b" + line.strip()))], AT)
    print("written", flush=True)
store.close()
"""


@pytest.mark.req("D-STORE")
def test_two_processes_see_each_others_writes_at_once(path):
    world = World(open_store(path))
    with run(SEE, path) as other:
        for number in range(5):
            world.put(claim(f"a{number}"))
            other.stdin.write(f"{number}\n")
            other.stdin.flush()
            assert other.stdout.readline() == f"{2 * number + 1}\n"
            assert other.stdout.readline() == "written\n"
            with world.snapshot() as snapshot:
                assert snapshot.row(mem(f"b{number}")) is not None
        other.stdin.close()
    assert world.verify().ok
    world.store.close()


WRITE = """
store = SqliteStore.open(sys.argv[1], entropy=os.urandom, create=True)
for number in range(25):
    with store.transaction("acme") as transaction:
        transaction.append([claim_event(transaction, claim(f"p{sys.argv[2]}n{number}"))], AT)
store.close()
"""


@pytest.mark.req("D-STORE")
def test_processes_that_make_and_fill_one_store_at_once_lose_nothing(path):
    writers = [run(WRITE, path, number) for number in range(4)]
    assert [status(writer) for writer in writers] == [0] * 4
    world = World(open_store(path, create=False))
    picture = world.picture()
    assert len(picture["rows"]) == 100
    assert picture["revision"] == 100
    assert world.verify().ok
    world.store.close()


def test_threads_read_and_write_at_once(path):
    world = World(open_store(path))
    world.put(*(claim(f"c{n}") for n in range(20)))
    done, wrong = threading.Event(), []

    def read():
        while not done.is_set():
            picture = world.picture()
            if len(picture["rows"]) != 20 or len(picture["envelopes"]) != 20 * picture["revision"]:
                wrong.append(picture["revision"])

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for version in range(2, 8):
        world.put(*(claim(f"c{n}", version=version) for n in range(20)))
    done.set()
    for reader in readers:
        reader.join()
    assert wrong == []
    world.store.close()


FORK = """
store = SqliteStore.open(sys.argv[1], entropy=os.urandom, create=True)
World(store).put(claim("a"))
child = os.fork()
if not child:
    with store.transaction("acme") as transaction:
        transaction.append([claim_event(transaction, claim("b"))], AT)
    store.close()
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
World(store).put(claim("c"))
assert len(everything(store, "acme")["rows"]) == 3
assert store.verify("acme").ok
store.close()
"""


def test_a_forked_child_may_use_the_store(path):
    assert status(run(FORK, path)) == 0


HOLD = """
file = open(sys.argv[1])
print("held", flush=True)
sys.stdin.readline()
"""


def test_who_holds_a_file_open_is_told_without_oneself(path):
    path.parent.mkdir()
    path.touch()
    with path.open(), run(HOLD, path) as other:
        other.stdout.readline()
        assert holders(path) == (other.pid,)
        other.communicate("\n")
    assert holders(path) == ()
    assert os.getpid() not in holders(path)


def test_harm_is_done_to_the_file_that_is_tested(path):
    world = World(open_store(path))
    world.put(claim("a"))
    Damage(world.store, TENANT).alter_envelope(1)
    assert not world.verify().ok
    world.store.close()
