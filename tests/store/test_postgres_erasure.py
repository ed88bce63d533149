"""Erased words are in no byte of the server's files once a checkpoint says that it is complete; else it is said why."""

from __future__ import annotations

import psycopg
import pytest

from muniment.core.event import Event
from muniment.ports.store import Access
from muniment.store.postgres.settling import segment_of
from tests.store.world import AT, TENANT, World, claim, mem, numbers

CANARY = "zanzibar quokka"


@pytest.fixture
def world(postgres):
    world = World(postgres.open(entropy=numbers()))
    yield world
    world.store.close()


@pytest.fixture
def server(postgres):
    return postgres.server


def told(world):
    """A claim and a logged question with the words in them, among others."""
    world.put(*(claim(f"o{n}", f"Number {n} is plain.") for n in range(30)))
    world.put(claim("a", f"The {CANARY} ships on Fridays."))
    record = {"query": f"what of the {CANARY}?"}
    world.store.log(TENANT, Access("ret_1", "user:a", AT, record, (mem("a"),), ()))


def erase(world):
    def work(transaction):
        transaction.erase(mem("a"))
        transaction.append([Event("erased", mem("a"), {"by": "user:a"})], AT)

    world.commit(work)


def hits(server):
    """How often the words stand in the server's files; what it has in memory is written out first."""
    server.run(server.address("postgres"), "CHECKPOINT")
    found, words = 0, CANARY.encode()
    for path in (server.folder / "data").rglob("*"):
        if path.is_file():
            found += path.read_bytes().count(words)
    return found


@pytest.mark.req("A-DELETE")
def test_an_erased_word_is_in_no_file_of_the_server_after_a_checkpoint(world, server):
    told(world)
    assert hits(server) > 1
    erase(world)
    before = world.picture()
    assert hits(server) > 1
    assert world.store.checkpoint() == "complete"
    assert hits(server) == 0
    assert world.picture() == before
    assert world.verify().ok
    assert world.store.checkpoint() == "complete"


@pytest.mark.req("A-RETENTION")
def test_a_question_that_is_kept_no_longer_is_in_no_file_of_the_server(world, server):
    world.put(claim("a"))
    record = {"query": f"what of the {CANARY}?"}
    world.store.log(TENANT, Access("ret_1", "user:a", AT, record, (mem("a"),), ()))
    assert hits(server) > 0
    assert world.store.trim(TENANT, AT, dry=False).disk == "complete"
    assert hits(server) == 0


def test_an_erasure_is_pending_while_a_session_holds_an_earlier_state(world, server):
    told(world)
    with world.snapshot() as snapshot:
        assert snapshot.row(mem("a"))
        erase(world)
        assert "an earlier state is held open by server process" in world.store.checkpoint()
        assert snapshot.row(mem("a"))
    assert world.store.checkpoint() == "complete"
    assert hits(server) == 0


def test_an_erasure_is_pending_until_the_log_has_gone_past_what_it_will_write_over(world, server):
    place = server.address("postgres")
    told(world)
    server.run(place, "ALTER SYSTEM SET wal_recycle = on")
    server.run(place, "SELECT pg_reload_conf()")
    try:
        erase(world)
        answers = [world.store.checkpoint()]
        while answers[-1] != "complete" and len(answers) < 60:
            server.run(world.store._address, "SELECT pg_logical_emit_message(false, 'x', 'y')")
            server.run(place, "SELECT pg_switch_wal()")
            answers.append(world.store.checkpoint())
    finally:
        server.run(place, "ALTER SYSTEM RESET wal_recycle")
        server.run(place, "SELECT pg_reload_conf()")
    assert answers[-1] == "complete"
    assert hits(server) == 0


def test_what_a_role_may_not_see_is_said_and_not_taken_for_done(world, server, monkeypatch):
    from muniment.store.postgres import settling

    told(world)
    erase(world)
    monkeypatch.setattr(settling, "_FILES", "SELECT no_such_function()")
    assert "cannot be told by this role: grant it pg_checkpoint" in world.store.checkpoint()
    assert "cannot be told by this role" in world.store.checkpoint()
    monkeypatch.undo()
    assert world.store.checkpoint() == "complete"


def test_no_sample_of_what_is_said_is_kept_for_the_planner(world, server):
    told(world)
    with psycopg.connect(world.store._address, autocommit=True) as connection:
        connection.execute("ANALYZE")
        samples = connection.execute(
            "SELECT count(*) FROM pg_stats WHERE schemaname = 'muniment'"
            " AND attname IN ('body', 'record', 'text', 'data', 'entry')"
        ).fetchone()
    assert samples == (0,)


@pytest.mark.parametrize(
    ("name", "number"),
    [("000000010000000000000003", 3), ("0000000A0000000200000001", 513)],
)
def test_a_segment_s_number_is_read_from_its_name(name, number):
    assert segment_of(name, 16 << 20) == number
