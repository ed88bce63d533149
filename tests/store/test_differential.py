"""Both stores, given the same operations and entropy, hold the same; so does either after a rebuild."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muniment.core.event import Event
from muniment.store.memory import MemoryStore
from muniment.store.sqlite import SqliteStore
from tests.store.world import (
    ALICE,
    AT,
    NEIGHBOUR,
    SHOP,
    TENANT,
    claim,
    claim_event,
    everything,
    mem,
)

NAMES = st.sampled_from("abcd")
TEXTS = st.sampled_from(
    ("The shop uses pnpm.", "Deploys never happen on Friday.", "Naïve 東京 text", "npm")
)
SOME = st.lists(NAMES, max_size=2).map(tuple)

claims = st.tuples(
    st.just("claim"), NAMES, TEXTS, st.sampled_from((SHOP, ALICE)), SOME, SOME, st.none() | NAMES
)
docs = st.tuples(
    st.just("doc"),
    st.sampled_from(("change", "tombstone", "lifted", "group")),
    NAMES,
    st.sampled_from(("", "d1")),
    SOME,
)
erasures = st.tuples(st.just("erase"), NAMES)
steps = st.lists(
    st.tuples(
        st.sampled_from((TENANT, NEIGHBOUR)),
        st.booleans(),
        st.lists(claims | docs | erasures, min_size=1, max_size=4),
    ),
    max_size=8,
)


class Stop(Exception):
    pass


def do(transaction, operation, version):
    match operation:
        case ("claim", name, text, scope, sources, rivals, about):
            one = claim(
                name, text, scope=scope, derived_from=sources, conflicts=rivals, version=version
            )
            subjects = (one.id,) if about is None else (mem(about),)
            transaction.append([claim_event(transaction, one, subjects)], AT)
        case ("doc", kind, name, parent, about):
            event = Event(kind, name, {"version": version}, parent, tuple(map(mem, about)))
            transaction.append([event], AT)
        case ("erase", name):
            return transaction.erase(mem(name))
    return None


def play(store, script):
    answers, versions = [], itertools.count(1)
    for tenant, commits, operations in script:
        try:
            with store.transaction(tenant) as transaction:
                answers += [do(transaction, one, next(versions)) for one in operations]
                if not commits:
                    raise Stop
        except Stop:
            answers.append("stopped")
    return answers


@pytest.mark.req("E-DETERMINISM", "E-REBUILD")
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(script=steps)
def test_both_stores_hold_the_same_and_a_rebuild_changes_nothing(tmp_path, script):
    count = sum(1 for _ in tmp_path.iterdir())
    plain = MemoryStore(bytes)
    durable = SqliteStore.open(tmp_path / f"{count}" / "m.db", entropy=bytes, create=True)
    assert play(plain, script) == play(durable, script)
    for tenant in (TENANT, NEIGHBOUR):
        wanted = everything(plain, tenant)
        assert everything(durable, tenant) == wanted
        for store in (plain, durable):
            assert store.verify(tenant).problems == ()
            store.rebuild(tenant)
            assert everything(store, tenant) == wanted
            assert store.verify(tenant).ok
    durable.close()
