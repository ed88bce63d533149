"""Servers, databases and connections that are not as they should be, and what PostgreSQL has of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from muniment.core.access import PUBLIC, Scope
from muniment.core.errors import StoreBusy, StoreDamaged, StoreError, StoreNewer, StoreUnavailable
from muniment.core.event import Event
from muniment.ports.store import Access
from muniment.store import indexing
from muniment.store.postgres import open_postgres
from muniment.store.postgres.schema import migrations
from tests.store.world import AT, NEIGHBOUR, TENANT, claim, claim_event, everything, mem, numbers

ROOT = Path(__file__).parents[2]


def opened(address, **options):
    return open_postgres(address, **{"entropy": numbers(), "create": True, **options})


@pytest.fixture
def store(postgres):
    made = postgres.open(entropy=numbers(), busy_timeout_ms=300)
    yield made
    made.close()


def put(store, *claims, tenant=TENANT):
    with store.transaction(tenant) as transaction:
        transaction.append([claim_event(transaction, one) for one in claims], AT)


# --- opening --------------------------------------------------------------------------------------


def test_without_the_driver_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    for name in [name for name in sys.modules if name.startswith("muniment.store.postgres.")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(StoreUnavailable) as refused:
        opened("postgresql://nowhere/x")
    assert "pip install 'muniment[postgres]'" in refused.value.findings[0].fix


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("postgresql://ada:secret@127.0.0.1:1/x", "cannot be reached"),
        ("postgresql://ada:secret@127.0.0.1:not-a-port/x", "cannot be reached"),
        ("postgresql://ada:secret@%zz/x", "no address"),
        ("postgresql://ada:secret@h/x?nonsense=1", "no address"),
        ("postgresql:///x?host=/nowhere&password=secret", "cannot be reached"),
    ],
)
def test_what_cannot_be_reached_is_refused_without_its_password(postgres, address, said):
    with pytest.raises(StoreUnavailable, match=said) as refused:
        opened(address)
    finding = refused.value.findings[0]
    assert finding.fix
    assert "secret" not in str(finding) + str(refused.value)


def test_a_database_that_is_not_there_is_refused(postgres):
    with pytest.raises(StoreUnavailable, match="does not exist"):
        opened(postgres.server.address("nothing"))


def test_tables_are_made_only_where_they_are_wanted(postgres):
    address = postgres.server.database()
    with pytest.raises(StoreUnavailable, match="there is no store"):
        opened(address, create=False)
    assert (
        postgres.server.run(address, "SELECT 1 FROM pg_namespace WHERE nspname = 'muniment'") == []
    )
    opened(address).close()
    opened(address, create=False).close()


def test_a_schema_of_somebody_elses_is_left_as_it_is(postgres):
    address = postgres.server.database()
    postgres.server.run(
        address, "CREATE SCHEMA muniment; CREATE TABLE muniment.migration (number int)"
    )
    with pytest.raises(StoreDamaged, match="not a store") as refused:
        opened(address)
    assert refused.value.findings[0].code == "not_a_store"
    tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'muniment'"
    assert postgres.server.run(address, tables) == [("migration",)]


def test_a_newer_and_an_altered_schema_are_refused(postgres):
    address = postgres.server.database()
    opened(address).close()
    postgres.server.run(address, "INSERT INTO migration VALUES (99, 'later', 'x')")
    with pytest.raises(StoreNewer, match="newer version"):
        opened(address)
    postgres.server.run(address, "DELETE FROM migration WHERE number = 99")
    postgres.server.run(address, "UPDATE migration SET digest = 'x' WHERE number = 2")
    with pytest.raises(StoreDamaged, match="migrations"):
        opened(address)


def test_a_store_that_was_half_migrated_goes_on(postgres, monkeypatch):
    from muniment.store.postgres import schema

    address, steps = postgres.server.database(), schema.migrations()
    broken = replace(steps[1], text=steps[1].text + "; SELECT nonsense")
    monkeypatch.setattr(schema, "migrations", lambda: (steps[0], broken, *steps[2:]))
    with pytest.raises(StoreError):
        opened(address)
    assert postgres.server.run(address, "SELECT number FROM migration") == [(1,)]
    monkeypatch.setattr(schema, "migrations", lambda: steps)
    store = opened(address)
    put(store, claim("a"))
    assert store.verify(TENANT).ok
    store.close()


def test_many_that_open_a_new_database_at_once_do_each_step_once(postgres):
    address, made = postgres.server.database(), []
    threads = [threading.Thread(target=lambda: made.append(opened(address))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 6
    numbers_of = postgres.server.run(address, "SELECT number FROM migration ORDER BY number")
    assert numbers_of == [(step.number,) for step in migrations()]
    for store in made:
        store.close()


def test_a_database_that_does_not_keep_utf8_is_refused(postgres):
    address = postgres.server.database("ENCODING 'LATIN1' TEMPLATE template0")
    with pytest.raises(StoreUnavailable, match="UTF-8"):
        opened(address)


def test_a_write_waits_for_the_disk_whatever_the_server_says(postgres):
    address = postgres.server.database()
    name = address.rpartition("/")[2].partition("?")[0]
    postgres.server.run(address, f"ALTER DATABASE {name} SET synchronous_commit = off")
    store = opened(address)
    with store._connection() as connection:
        assert connection.setting("synchronous_commit") == "on"
    store.close()


# --- the schema -----------------------------------------------------------------------------------


@pytest.mark.req("E-DISTRIBUTE")
def test_the_tenant_comes_first_in_every_key(postgres, store):
    keys = postgres.server.run(
        store._address,
        """
        SELECT c.relname, i.relname, a.attname
        FROM pg_index x JOIN pg_class c ON c.oid = x.indrelid JOIN pg_class i ON i.oid = x.indexrelid
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = x.indkey[0]
        WHERE c.relnamespace = 'muniment'::regnamespace AND c.relname <> 'migration'
        """,
    )
    assert len(keys) > 18
    assert {first for table, _, first in keys if table != "tenant"} == {"tenant"}
    assert [first for table, _, first in keys if table == "tenant"] == ["id"]
    foreign = postgres.server.run(
        store._address,
        """
        SELECT a.attname, b.attname FROM pg_constraint f
        JOIN pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = f.conkey[1]
        JOIN pg_attribute b ON b.attrelid = f.confrelid AND b.attnum = f.confkey[1]
        WHERE f.contype = 'f' AND f.connamespace = 'muniment'::regnamespace
        """,
    )
    assert set(foreign) == {("tenant", "id"), ("tenant", "tenant")}


@pytest.mark.req("E-DISTRIBUTE")
def test_nothing_is_numbered_or_triggered_across_tenants(postgres, store):
    kinds = "SELECT count(*) FROM pg_class WHERE relnamespace = 'muniment'::regnamespace AND relkind = 'S'"
    assert postgres.server.run(store._address, kinds) == [(0,)]
    triggers = "SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal"
    assert postgres.server.run(store._address, triggers) == [(0,)]


def test_every_table_has_a_primary_key(postgres, store):
    bare = postgres.server.run(
        store._address,
        """
        SELECT c.relname FROM pg_class c
        WHERE c.relnamespace = 'muniment'::regnamespace AND c.relkind = 'r'
            AND NOT EXISTS (SELECT 1 FROM pg_index x WHERE x.indrelid = c.oid AND x.indisprimary)
        """,
    )
    assert bare == []


@pytest.mark.req("E-DISTRIBUTE")
def test_the_tables_have_the_columns_that_they_have_in_a_file(postgres, store, tmp_path):
    import apsw

    from muniment.store.sqlite import SqliteStore

    SqliteStore.open(tmp_path / "m.db", entropy=numbers(), create=True).close()
    file = apsw.Connection(str(tmp_path / "m.db"))
    found = file.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
    tables = [name for (name,) in found if not name.startswith("sqlite_")]
    in_file = {
        name: [row[1] for row in file.execute(f"PRAGMA table_info({name})")] for name in tables
    }
    file.close()
    columns = postgres.server.run(
        store._address,
        """
        SELECT table_name, column_name FROM information_schema.columns
        WHERE table_schema = 'muniment' ORDER BY table_name, ordinal_position
        """,
    )
    here = {name: [column for table, column in columns if table == name] for name in tables}
    assert here == in_file


# --- writers --------------------------------------------------------------------------------------


def test_writers_of_different_tenants_do_not_wait_for_each_other(store):
    with store.transaction(TENANT) as mine:
        with store.transaction(NEIGHBOUR) as other:
            other.append([Event("group", "g", {})], AT)
        mine.append([Event("group", "g", {})], AT)
    assert store.tenants() == (TENANT, NEIGHBOUR)


def test_another_process_s_writer_is_waited_for_and_then_refused(postgres, store):
    other = opened(store._address)
    with (
        other.transaction(TENANT),
        pytest.raises(StoreBusy, match=r"0\.3 s"),
        store.transaction(TENANT),
    ):
        pass
    put(store, claim("a"))
    other.close()


def test_stores_on_one_database_see_each_others_writes_at_once(postgres, store, monkeypatch):
    monkeypatch.setattr(indexing, "TAIL_ROWS", 3)
    other = opened(store._address)
    for number in range(5):
        put((store, other)[number % 2], claim(f"c{number}"))
        assert everything(store, TENANT) == everything(other, TENANT)
    with other.transaction(TENANT) as transaction:
        transaction.erase(mem("c1"))
    assert everything(store, TENANT) == everything(other, TENANT)
    other.close()


PROGRAM = """
import sys
sys.path[:0] = ["src", "."]
from muniment.core.event import Event
from muniment.store.postgres import open_postgres
from tests.store.world import AT, TENANT
import os
store = open_postgres(sys.argv[1], entropy=os.urandom, create=True)
for number in range(15):
    with store.transaction(TENANT) as transaction:
        transaction.append([Event("group", f"{sys.argv[2]}{number}", {})], AT)
store.close()
"""


def test_processes_that_write_at_once_lose_nothing(postgres, store):
    running = [
        subprocess.Popen([sys.executable, "-c", PROGRAM, store._address, name], cwd=ROOT)
        for name in "abc"
    ]
    assert [process.wait(60) for process in running] == [0, 0, 0]
    picture = everything(store, TENANT)
    assert [(e.seq, e.revision) for e in picture["envelopes"]] == [(n, n) for n in range(1, 46)]
    assert store.verify(TENANT).ok


def test_a_connection_that_is_lost_leaves_nothing_of_its_transaction(postgres, store):
    put(store, claim("a"))
    before = everything(store, TENANT)

    def lose():
        with store.transaction(TENANT) as transaction:
            transaction.append([claim_event(transaction, claim("b"))], AT)
            own = transaction._connection.value("SELECT pg_backend_pid()")
            postgres.server.run(store._address, "SELECT pg_terminate_backend(%s)", (own,))

    with pytest.raises(StoreError):
        lose()
    assert everything(store, TENANT) == before
    put(store, claim("b"))
    assert store.verify(TENANT).ok


def test_connections_that_were_lost_while_they_waited_are_not_missed(postgres, store):
    put(store, claim("a"))
    with store.snapshot(TENANT), store.snapshot(TENANT), store.snapshot(NEIGHBOUR):
        pass
    for act in (lambda: put(store, claim("b")), store.tenants, lambda: store.verify(TENANT)):
        postgres.server.run(
            store._address,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()",
        )
        act()
    assert len(everything(store, TENANT)["envelopes"]) == 2


def test_a_connection_that_is_lost_while_committing_may_have_kept_the_write(postgres, store):
    put(store, claim("a"))
    server, ended = postgres.server, threading.Event()

    def end_the_one_that_waits():
        waiting = (
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
        )
        while not ended.wait(0.02):
            server.run(store._address, waiting)

    def put_until_it_fails():  # when the setting has reached this session
        while True:
            put(store, claim("b"))

    names = "ALTER SYSTEM SET synchronous_standby_names = '{}'"  # a commit then waits for what is not there
    server.run(store._address, names.format("nobody"))
    server.run(store._address, "SELECT pg_reload_conf()")
    ending = threading.Thread(target=end_the_one_that_waits)
    ending.start()
    try:
        with pytest.raises(StoreUnavailable, match="may have been kept"):
            put_until_it_fails()
    finally:
        ended.set()
        ending.join()
        server.run(store._address, names.format(""))
        server.run(store._address, "SELECT pg_reload_conf()")
    with store.snapshot(TENANT) as snapshot:
        assert snapshot.row(mem("b")) is not None


def test_a_failed_statement_ends_the_transaction_even_where_its_error_is_swallowed(store):
    def swallow():
        with store.transaction(TENANT) as transaction:
            transaction.append([claim_event(transaction, claim("a"))], AT)
            with pytest.raises(StoreError, match="nonsense"):
                transaction._connection.all("SELECT nonsense")
            with pytest.raises(StoreError, match="earlier write"):
                transaction.row(mem("a"))

    with pytest.raises(StoreError, match="ended early"):
        swallow()
    assert store.tenants() == ()


def test_an_error_of_what_was_only_sent_surfaces_in_the_commit(store):
    def overlook():
        with store.transaction(TENANT) as transaction:
            transaction.append([claim_event(transaction, claim("a"))], AT)
            transaction._connection.run("INSERT INTO event SELECT * FROM event")

    with pytest.raises(StoreDamaged, match="duplicate key"):
        overlook()
    assert store.tenants() == ()
    put(store, claim("a"))
    assert store.verify(TENANT).ok


def test_a_snapshot_cannot_write(store):
    with store.snapshot(TENANT) as snapshot, pytest.raises(StoreError, match="read-only"):
        snapshot._connection.run("INSERT INTO tenant VALUES (1, 'x', '')")


def test_a_forked_child_has_connections_of_its_own(store):
    put(store, claim("a"))
    child = os.fork()
    if not child:
        try:
            put(store, claim("b"))
            os._exit(0 if store.verify(TENANT).ok else 1)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    put(store, claim("c"))
    assert len(everything(store, TENANT)["envelopes"]) == 3


# --- what PostgreSQL cannot hold ------------------------------------------------------------------


@pytest.mark.parametrize("odd", ["a\0b", "a\ud800b"], ids=["nul", "surrogate"])
def test_text_that_cannot_be_held_is_not_found_and_not_written(store, odd):
    put(store, claim("a"))
    before = everything(store, TENANT)
    with store.snapshot(TENANT) as snapshot:
        assert (snapshot.row(odd), snapshot.lookup(odd), snapshot.doc("group", odd)) == (
            None,
            (),
            None,
        )
        assert snapshot.rows([odd]) == ()
    with store.snapshot(odd) as nobody:
        assert nobody.revision == 0
    with store.transaction(TENANT) as transaction:
        for bad in (
            Event("group", odd, {}),
            Event("group", "g", {}, odd),
            Event("group", "g", {}, "", (odd,)),
        ):
            with pytest.raises(ValueError):
                transaction.append([Event("group", "good", {}), bad], AT)
        with pytest.raises(ValueError):
            transaction.declare_class(Scope("user", odd), PUBLIC)
        with pytest.raises(ValueError):
            transaction.append([claim_event(transaction, claim("b", allowed_uses=(odd,)))], AT)
    assert everything(store, TENANT) == before
    with pytest.raises(ValueError):
        store.log(TENANT, Access("ret_1", odd, AT, {}))
    assert store.verify(TENANT).ok


def test_content_may_hold_nul(store):
    with store.transaction(TENANT) as transaction:
        transaction.append([Event("group", "g", {"text": "a\0b"})], AT)
    assert everything(store, TENANT)["contents"][1] == {"text": "a\0b"}


# --- the index ------------------------------------------------------------------------------------


@pytest.mark.req("E-REBUILD")
def test_merged_erased_and_rebuilt_the_index_answers_as_in_memory(postgres, monkeypatch):
    from muniment.store.memory import MemoryStore
    from muniment.store.tables.blocks import TableBlocks

    monkeypatch.setattr(indexing, "TAIL_ROWS", 4)
    monkeypatch.setattr(indexing, "ALIKE", 2)
    plain, durable = MemoryStore(numbers()), postgres.open(entropy=numbers())
    for store in (plain, durable):
        for number in range(11):
            with store.transaction(TENANT) as transaction:
                event = claim_event(
                    transaction, claim(f"c{number}", f"The shop uses tool {number}.")
                )
                transaction.append([event], AT, {"space": {0: bytes([number] * 8)}})
        with store.transaction(TENANT) as transaction:
            transaction.embed("other", {2: b"12345678", 11: b"87654321"})
            transaction.erase(mem("c5"))

    def held(blocks):
        return (
            [indexing._vectors_of(blocks, family) for family in indexing.FAMILIES],
            list(indexing.every_entry(blocks)),
            [blocks.index_segments(family) for family in indexing.FAMILIES],
        )

    def differ():
        mine = held(plain._tenants[TENANT].blocks)
        assert mine[2][0]
        with durable.snapshot(TENANT) as snapshot:
            return held(TableBlocks(snapshot._connection, snapshot.number)) != mine

    assert not differ()
    for store in (plain, durable):
        store.reindex(TENANT)
    assert not differ()
    assert durable.verify(TENANT).ok
    durable.close()
