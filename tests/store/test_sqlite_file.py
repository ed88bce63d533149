"""What a store's file is, how it is opened, and what is refused and left alone."""

from __future__ import annotations

import sqlite3
import stat
from dataclasses import fields

import apsw
import pytest

from bench.vfs import SyncCounter
from muniment.core.errors import StoreDamaged, StoreError, StoreNewer, StoreUnavailable
from muniment.core.event import Event
from muniment.core.row import FOREVER, Row
from muniment.ports.store import Access
from muniment.store.sqlite import SqliteStore
from muniment.store.tables.encoding import COLUMNS
from tests.store.world import AT, World, claim, numbers


def open_store(path, **options):
    return SqliteStore.open(path, entropy=numbers(), **{"create": True, **options})


def files_in(folder):
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "store" / "memory.db"


SETTINGS = {
    "journal_mode": "wal",
    "foreign_keys": 1,
    "busy_timeout": 5000,
    "trusted_schema": 0,
    "cell_size_check": 1,
    "secure_delete": 1,
    "mmap_size": 0,
    "journal_size_limit": 64 * 1024 * 1024,
}


def settings_of(connection):
    return {name: connection.value(f"PRAGMA {name}") for name in SETTINGS}


@pytest.mark.req("D-STORE")
def test_every_connection_has_the_settings(path):
    store = open_store(path)
    with store._connection() as first, store._connection() as second:
        for connection in (first, second):
            assert settings_of(connection) == SETTINGS
            assert connection.value("PRAGMA synchronous") == 2
            database = connection._database
            assert database.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, -1) == 1
            assert database.config(apsw.SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, -1) == 0
            assert database.limit(apsw.SQLITE_LIMIT_ATTACHED) == 0
    store.log("acme", Access("ret_1", "user:a", AT, {}))
    log = store._log._connection
    assert (settings_of(log), log.value("PRAGMA synchronous")) == (SETTINGS, 1)
    store.close()


def test_the_busy_timeout_is_the_one_asked_for(path):
    store = open_store(path, busy_timeout_ms=1234)
    with store._connection() as connection:
        assert connection.value("PRAGMA busy_timeout") == 1234
    store.close()


def test_file_and_folder_are_their_owners_alone(path):
    store = open_store(path)
    World(store).put(claim("a"))
    store.log("acme", Access("ret_1", "user:a", AT, {}))
    modes = {f.name: stat.S_IMODE(f.stat().st_mode) for f in path.parent.iterdir()}
    assert set(modes.values()) == {0o600}
    assert {"memory.db", "memory.db-wal", "memory.db.log", "memory.db.open"} <= set(modes)
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    store.close()


def test_a_closed_store_is_its_file_and_its_log(path):
    store = open_store(path)
    World(store).put(claim("a"))
    store.log("acme", Access("ret_1", "user:a", AT, {}))
    store.close()
    assert sorted(files_in(path.parent)) == ["memory.db", "memory.db.log"]


def test_a_store_is_the_same_after_it_was_opened_again(path):
    world = World(open_store(path))
    world.put(claim("a"))
    before = world.picture()
    world.store.close()
    again = World(open_store(path, create=False))
    assert again.picture() == before
    assert again.store.notices == ()
    again.put(claim("b"))
    assert again.verify().ok
    again.store.close()


@pytest.mark.req("D-STORE")
def test_one_commit_is_one_sync(path):
    with SyncCounter() as layer:
        world = World(open_store(path, vfs=layer.vfs_name))
        world.put(claim("a"))
        for number in range(5):
            before = layer.total
            with world.transaction() as transaction:
                transaction.append([Event("group", f"g{number}", {"n": number})], AT)
            assert layer.total - before == 1
        world.store.close()


def test_reading_syncs_nothing_and_logging_a_retrieval_does_not_wait_for_the_disk(path):
    with SyncCounter() as layer:
        world = World(open_store(path, vfs=layer.vfs_name))
        world.put(claim("a"))
        world.store.log("acme", Access("ret_0", "user:a", AT, {}))
        before = layer.total
        world.picture()
        world.verify()
        world.store.log("acme", Access("ret_1", "user:a", AT, {"q": 1}, ("mem_a",), ("mem_a",)))
        assert layer.total == before
        world.store.close()


def test_statements_do_not_depend_on_what_is_stored_or_asked(path, monkeypatch):
    seen = set()

    def watch(connection):
        connection.exec_trace = lambda cursor, text, bindings: seen.add(text) or True

    monkeypatch.setattr(apsw, "connection_hooks", [watch])

    def all_verbs(name, word):
        seen.clear()
        world = World(open_store(path.with_name(name)))
        world.put(claim(word, word, tags=(word,), scope=claim("a").scope))
        world.store.log("acme", Access(word, word, AT, {word: word}, (word,), (word,)))
        with world.snapshot() as snapshot:
            snapshot.rows([word])
            snapshot.docs(word, word)
            snapshot.lookup(word)
            snapshot.pointing_at(word)
            snapshot.index("claim")
        world.store.logged("acme", word)
        world.store.accesses("acme", word, word)
        world.commit(lambda t: t.erase(f"mem_{word}"))
        world.store.checkpoint()
        world.store.close()
        return frozenset(seen)

    plain = all_verbs("a.db", "word")
    assert all_verbs("b.db", "'; DROP TABLE event; --\"[]%_?1") == plain
    assert len(plain) > 50


def test_what_cannot_be_stored_is_not_found(path):
    store = open_store(path)
    with store.snapshot("acme") as snapshot:
        assert snapshot.row("mem_\udcff") is None
        assert snapshot.history("mem_\udcff") == snapshot.lookup("\udcff") == ()
    assert store.logged("acme", "\udcff") is None
    store.close()


def test_columns_follow_the_fields_of_a_row():
    assert [field.name for field in fields(Row)] == COLUMNS
    assert FOREVER == 4611686018427387904


@pytest.mark.parametrize("size", [0, 1, 5000, 5_000_000])
def test_a_claim_of_any_size_is_kept_whole(path, size):
    world = World(open_store(path))
    body = "0123456789" * (size // 10)
    world.put(claim("a", body=body))
    assert world.picture()["contents"][1].get("body", "") == body
    world.store.close()


# --- refused --------------------------------------------------------------------------------------


def refusal(path, **options):
    with pytest.raises(StoreError) as refused:
        open_store(path, **options)
    error = refused.value
    assert error.findings[0].fix
    assert str(path) in error.message or "folder" in error.message
    return error


def test_a_missing_store_is_not_made_unasked(path):
    assert isinstance(refusal(path, create=False), StoreUnavailable)
    assert not path.parent.exists()


@pytest.mark.parametrize("create", [True, False])
def test_a_path_through_a_file_is_refused(tmp_path, create):
    (tmp_path / "file").write_text("text")
    assert isinstance(refusal(tmp_path / "file" / "memory.db", create=create), StoreUnavailable)
    assert isinstance(refusal(tmp_path / "file" / "x" / "m.db", create=create), StoreUnavailable)


def test_a_folder_is_not_a_store(tmp_path):
    assert isinstance(refusal(tmp_path), StoreUnavailable)


@pytest.mark.parametrize("create", [True, False])
@pytest.mark.parametrize(
    "content", [b"hello", b"x" * 5000, b"SQLite format 3\0", b"SQLite format 3\0" + b"\xff" * 4080]
)
def test_a_file_that_is_no_store_is_left_as_it_is(tmp_path, content, create):
    path = tmp_path / "memory.db"
    path.write_bytes(content)
    error = refusal(path, create=create)
    assert isinstance(error, StoreDamaged)
    assert error.findings[0].code == "not_a_store"
    assert files_in(tmp_path) == {"memory.db": content}


@pytest.mark.parametrize("journal", ["delete", "wal"])
@pytest.mark.parametrize("mark", [0, 4711])
def test_another_applications_database_is_left_as_it_is(tmp_path, journal, mark):
    path = tmp_path / "memory.db"
    other = sqlite3.connect(path)
    other.execute(f"PRAGMA journal_mode = {journal}")
    other.execute(f"PRAGMA application_id = {mark}")
    other.execute("CREATE TABLE t (x)")
    other.commit()
    other.close()
    before = path.read_bytes()
    assert refusal(path).findings[0].code == "not_a_store"
    assert path.read_bytes() == before


def test_a_newer_store_is_left_as_it_is(path):
    World(open_store(path)).store.close()
    raw = apsw.Connection(str(path))
    raw.pragma("user_version", 99)
    raw.close()
    before = files_in(path.parent)
    assert isinstance(refusal(path), StoreNewer)
    assert files_in(path.parent) == before


def test_a_newer_store_whose_number_is_still_in_the_log_is_left_as_it_is(path, tmp_path):
    store = open_store(path)
    World(store).put(claim("a"))
    raw = apsw.Connection(str(path))
    raw.pragma("user_version", 99)
    copy = tmp_path / "copy"
    copy.mkdir()
    for name in ("memory.db", "memory.db-wal"):
        (copy / name).write_bytes((path.parent / name).read_bytes())
    raw.close()
    store.close()
    before = files_in(copy)
    assert isinstance(refusal(copy / "memory.db"), StoreNewer)
    after = files_in(copy)
    assert {name: after[name] for name in before} == before


def test_an_empty_file_becomes_a_store(path):
    path.parent.mkdir()
    path.touch()
    world = World(open_store(path, create=False))
    world.put(claim("a"))
    assert world.store.tenants()
    world.store.close()
