"""PostgreSQL, SQLite and memory, given the same operations and entropy, hold and answer the same."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muniment.store import indexing
from muniment.store.memory import MemoryStore
from muniment.store.sqlite import SqliteStore
from tests.store.test_differential import play, steps
from tests.store.world import NEIGHBOUR, TENANT, everything
from tests.usecases.remembered import Entropy, World
from tests.usecases.test_recall_noninterference import METHODS, NAMES, QUERIES, VISIBLE, known

LOOSE = settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.req("E-DETERMINISM", "E-REBUILD", "E-DISTRIBUTE")
@LOOSE
@given(script=steps)
def test_postgresql_holds_what_memory_holds_and_a_rebuild_changes_nothing(postgres, script):
    plain, durable = MemoryStore(bytes), postgres.open(entropy=bytes)
    assert play(plain, script) == play(durable, script)
    for tenant in (TENANT, NEIGHBOUR):
        wanted = everything(plain, tenant)
        assert everything(durable, tenant) == wanted
        assert durable.verify(tenant).problems == ()
        durable.rebuild(tenant)
        assert everything(durable, tenant) == wanted
    durable.close()


ASKED = st.lists(
    st.tuples(
        st.sampled_from(QUERIES),
        st.fixed_dictionaries(
            {},
            optional={
                "history": st.just(True),
                "k": st.integers(1, 4),
                "budget": st.sampled_from([200, 900]),
                "as_of": st.sampled_from([1, 2]),
                "method": st.sampled_from(METHODS),
            },
        ),
    ),
    min_size=1,
    max_size=3,
)


@pytest.mark.req("E-DISTRIBUTE", "E-DETERMINISM", "D-STORE")
@LOOSE
@given(
    claims=VISIBLE,
    disputes=st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)), max_size=2),
    erased=st.none() | st.sampled_from(NAMES),
    tail=st.sampled_from([1, 2, 1_000]),
    asked=ASKED,
)
def test_the_three_stores_hand_over_the_same_packets(
    postgres, tmp_path, monkeypatch, claims, disputes, erased, tail, asked
):
    monkeypatch.setattr(indexing, "TAIL_ROWS", tail)
    count = sum(1 for _ in tmp_path.iterdir())
    stores = (
        MemoryStore(Entropy()),
        SqliteStore.open(tmp_path / f"{count}" / "m.db", entropy=Entropy(), create=True),
        postgres.open(entropy=Entropy()),
    )
    packets = [told(World(store), claims, disputes, erased, asked) for store in stores]
    assert packets[0] == packets[1] == packets[2]
    for store in stores:
        store.close()


def told(world, claims, disputes, erased, asked):
    """The packets of some questions after some writes, as bytes."""
    world.group("group:devs", "user:ada")
    for claim in claims:
        world.add(claim, tenant="rival")
        world.add(claim)
    for pair in known(claims, disputes):
        world.dispute(*pair)
    if erased is not None:
        with world.store.transaction(world.tenant) as transaction:
            transaction.erase(f"mem_{erased}")
    return [
        json.dumps(world.recall(query, **values).packet.as_json()).encode()
        for query, values in asked
    ]
