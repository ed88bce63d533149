"""What was read and decided earlier is right for another state, too: older, newer, or in the past."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from muniment.core.encode import encode
from muniment.core.event import Event
from muniment.store import indexing
from muniment.store.sqlite import SqliteStore
from tests.usecases.remembered import NOON, World, a_claim, a_world, private
from tests.usecases.remembered import Entropy as Drawn


def texts(recalled):
    return sorted(item.claim.claim for item in recalled.packet.items)


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def world(request, tmp_path, monkeypatch):
    """A store with a segment and a tail; what was appended last waits in the tail."""
    monkeypatch.setattr(indexing, "TAIL_ROWS", 3)
    made = a_world()
    if request.param == "sqlite":
        made = World(SqliteStore.open(tmp_path / "m.db", entropy=Drawn(), create=True))
    if request.param == "postgres":
        made = World(request.getfixturevalue("postgres").open(entropy=Drawn()))
    made.add(*(a_claim(f"{name}", "Lunch is at noon.") for name in "xyz"))
    monkeypatch.setattr(indexing, "TAIL_ROWS", 1_000)
    yield made
    made.store.close()


@pytest.mark.req("E-DETERMINISM")
def test_what_was_decided_of_the_present_is_not_the_answer_for_the_past(world):
    world.add(a_claim("a", "Tests run with pytest."))
    assert texts(world.recall("tests")) == ["Tests run with pytest."]
    world.add(replace(a_claim("a", "Tests run with tox."), version=2))
    assert texts(world.recall("tests")) == ["Tests run with tox."]
    assert texts(world.recall("tests", as_of=4)) == ["Tests run with pytest."]
    assert texts(world.recall("tests")) == ["Tests run with tox."]


def rows(snapshot):
    return sorted(
        seq for part in snapshot.index("claim").parts for seq in part.segment.array("seq").tolist()
    )


def test_a_snapshot_does_not_see_what_a_later_one_read_of_the_index(world):
    world.add(a_claim("a", "Tests run with pytest."))
    with world.store.snapshot("acme") as earlier:
        before = rows(earlier)
        world.add(a_claim("b", "Tests need docker."))
        with world.store.snapshot("acme") as later:
            assert len(rows(later)) == len(before) + 1
        assert rows(earlier) == before


def test_the_tail_is_caught_up_where_no_segment_was_made_yet(monkeypatch):
    world = a_world(a_claim("a", "Tests run with pytest."))
    world.recall("tests")
    asked = []
    plain = type(world.store._tenants["acme"].blocks).index_tail
    monkeypatch.setattr(
        type(world.store._tenants["acme"].blocks),
        "index_tail",
        lambda blocks, family, after: asked.append(after) or plain(blocks, family, after),
    )
    world.recall("tests")
    assert asked == [1]


@pytest.mark.parametrize("tail", [1, 1_000])
def test_a_version_stays_ended_when_all_that_ended_it_is_erased(world, monkeypatch, tail):
    monkeypatch.setattr(indexing, "TAIL_ROWS", tail)
    world.add(a_claim("a", "Tests run with pytest."))
    successor = replace(a_claim("a", "Tests run with tox."), version=2)
    with world.store.transaction("acme") as transaction:
        where = transaction.declare_class(successor.scope, successor.visibility.audience)
        about = ("mem_other",)
        transaction.append(
            [Event("claim", successor.id, encode(successor), successor.id, about, where)], NOON
        )
    with world.store.transaction("acme") as transaction:
        transaction.erase("mem_other")
    assert world.store.verify("acme").problems == ()
    assert texts(world.recall("tests")) == []


@pytest.mark.req("B-FILTERFIRST")
@pytest.mark.parametrize("tail", [1, 1_000])
def test_the_past_does_not_show_a_claim_that_was_hidden_since(world, monkeypatch, tail):
    monkeypatch.setattr(indexing, "TAIL_ROWS", tail)
    world.add(a_claim("a", "Tests run with pytest."))
    hidden = replace(a_claim("a", "Tests run with tox."), version=2, visibility=private("user:bob"))
    world.add(hidden, at=NOON + timedelta(hours=1))
    later = {"clock": lambda: NOON + timedelta(hours=2)}
    for name, found in (("user:eve", []), ("user:bob", ["Tests run with pytest."])):
        session = world.session(name, **later)
        assert texts(world.recall("tests", session=session, as_of=NOON)) == found
    packet = world.recall("tests", session=world.session("user:eve", **later), as_of=NOON).packet
    assert packet.omissions == ()


@pytest.mark.req("E-DETERMINISM")
def test_what_was_decided_of_the_state_before_everything_is_not_the_answer_for_the_present():
    world = a_world(a_claim("a", "Tests run with pytest."))
    assert texts(world.recall("tests", as_of=0)) == []
    assert texts(world.recall("tests")) == ["Tests run with pytest."]
    assert texts(world.recall("tests", as_of=0)) == []
