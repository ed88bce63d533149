"""A migration killed at any statement is done or not begun, and the next opening goes on."""

from __future__ import annotations

import subprocess
import sys

import apsw
import pytest

from muniment.core.errors import StoreDamaged
from muniment.store.sqlite import SqliteStore, schema
from tests.store.world import World, claim, numbers


class Killed(Exception):
    pass


def open_store(path):
    return SqliteStore.open(path, entropy=numbers(), create=True)


def tables(path):
    raw = apsw.Connection(str(path))
    found = raw.execute("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name").fetchall()
    version = raw.pragma("user_version"), raw.pragma("application_id")
    applied = raw.execute("SELECT * FROM migration").fetchall()
    raw.close()
    return found, version, applied


def raise_at(number, monkeypatch):
    count = [0]

    def watch(connection):
        def trace(cursor, text, bindings):
            count[0] += 1
            if count[0] == number:
                raise Killed
            return True

        connection.exec_trace = trace

    monkeypatch.setattr(apsw, "connection_hooks", [watch])
    return count


def statements_of_opening(path, monkeypatch):
    with monkeypatch.context() as patch:
        count = raise_at(0, patch)
        open_store(path).close()
        return count[0]


def test_opening_resumes_after_a_failure_at_each_statement(tmp_path, monkeypatch):
    total = statements_of_opening(tmp_path / "clean.db", monkeypatch)
    clean = tables(tmp_path / "clean.db")
    assert total > 40
    for number in range(1, total + 1):
        path = tmp_path / f"m{number}.db"
        with monkeypatch.context() as patch:
            raise_at(number, patch)
            with pytest.raises(Killed):
                open_store(path).close()
        world = World(open_store(path))
        world.put(claim("a"))
        assert world.verify().ok
        world.store.close()
        assert tables(path) == clean


KILL = """
import os, signal, sys, apsw
from muniment.store.sqlite import SqliteStore
count = 0
def watch(connection):
    def trace(cursor, text, bindings):
        global count
        count += 1
        if count == int(sys.argv[2]):
            os.kill(os.getpid(), signal.SIGKILL)
        return True
    connection.exec_trace = trace
apsw.connection_hooks.append(watch)
SqliteStore.open(sys.argv[1], entropy=os.urandom, create=True)
"""


def test_opening_resumes_after_a_kill(tmp_path, monkeypatch):
    total = statements_of_opening(tmp_path / "clean.db", monkeypatch)
    clean = tables(tmp_path / "clean.db")
    for number in (1, 20, total // 2, total - 1, total):
        path = tmp_path / f"m{number}.db"
        ended = subprocess.run([sys.executable, "-c", KILL, str(path), str(number)], check=False)
        assert ended.returncode == -9
        open_store(path).close()
        assert tables(path) == clean


def test_a_further_step_is_applied_to_an_older_store_and_rolled_back_when_it_fails(
    tmp_path, monkeypatch
):
    path = tmp_path / "memory.db"
    world = World(open_store(path))
    world.put(claim("a"))
    before = world.picture()
    world.store.close()
    known = schema.migrations(schema.LEDGER)
    good = schema.Migration(
        len(known) + 1, "more", "CREATE TABLE more (x) STRICT;".replace("(x)", "(x TEXT)")
    )
    bad = schema.Migration(len(known) + 1, "more", good.text + "CREATE TABLE more (x TEXT) STRICT;")

    def knowing(step):
        return lambda kind: (*known, step) if kind is schema.LEDGER else known[:1]

    monkeypatch.setattr(schema, "migrations", knowing(bad))
    was = tables(path)
    with pytest.raises(StoreDamaged):
        open_store(path)
    assert tables(path) == was
    monkeypatch.setattr(schema, "migrations", knowing(good))
    world = World(open_store(path))
    assert world.picture() == before
    world.store.close()
    assert tables(path)[1][0] == good.number


def test_a_store_whose_migrations_are_not_the_known_ones_is_refused(tmp_path):
    path = tmp_path / "memory.db"
    open_store(path).close()
    raw = apsw.Connection(str(path))
    raw.execute("UPDATE migration SET digest = 'other'")
    raw.close()
    before = path.read_bytes()
    with pytest.raises(StoreDamaged, match="migrations"):
        open_store(path)
    assert path.read_bytes() == before


def test_the_applied_migrations_are_noted_with_their_digests(tmp_path):
    path = tmp_path / "memory.db"
    open_store(path).close()
    steps = schema.migrations(schema.LEDGER)
    assert tables(path)[2] == [(s.number, s.name, s.digest) for s in steps]
    assert [s.number for s in steps] == list(range(1, len(steps) + 1))
