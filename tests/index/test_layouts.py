"""However the index is merged, erased from or rebuilt, in whichever store and process: the same rows and packets."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from muniment.core.claim import Validity
from muniment.core.encode import encode
from muniment.core.event import Event
from muniment.store import indexing
from muniment.store.memory import MemoryStore
from muniment.store.sqlite import SqliteStore
from tests.index.layouts import layout, told
from tests.usecases.remembered import EVERYBODY, NOON, OTHER, SHOP, World, a_claim, private

TENANTS = ("acme", "rival")
NAMES = st.sampled_from("abcdefgh")
TEXTS = (
    "Tests run with pytest.",
    "Docs build with sphinx.",
    "Tests need docker and docs.",
    "東京 tests",
    "",
)
some = st.lists(NAMES, max_size=2, unique=True)
claims = st.tuples(
    st.just("claim"),
    NAMES,
    st.sampled_from(TEXTS),
    st.sampled_from((SHOP, SHOP, OTHER)),
    st.sampled_from((EVERYBODY, private("user:ada"), private("user:bob"), private("group:devs"))),
    some,
    some,
    st.sampled_from((None, None, -1, 1)),
    st.sampled_from(("", "", "one", "two", "both")),
)
operations = (
    claims
    | claims
    | st.tuples(st.just("erase"), NAMES)
    | st.tuples(st.just("dispute"), NAMES, NAMES)
    | st.tuples(st.just("embed"), NAMES, st.sampled_from(("one", "two")))
)
scripts = st.lists(
    st.tuples(st.sampled_from((*TENANTS, "acme")), st.integers(0, 9), st.lists(operations, min_size=1, max_size=5)),
    min_size=1,
    max_size=10,
)  # fmt: skip
WIDTH = {"one": 8, "two": 3}


class Stop(Exception):
    pass


def vector(space, seed):
    return hashlib.shake_256(f"{space}/{seed}".encode()).digest(WIDTH[space])


def do(transaction, operation, number):
    match operation:
        case ("claim", name, text, scope, who, olds, sources, hours, spaces):
            until = None if hours is None else NOON + timedelta(hours=hours)
            one = a_claim(
                name, text or "…", scope=scope, visibility=who, validity=Validity(None, until)
            )
            one = replace(
                one,
                version=len(transaction.history(one.id)) + 1,
                supersedes=tuple(f"mem_{old}" for old in olds if old != name),
                source=replace(one.source, derived_from=tuple(f"mem_{s}" for s in sources)),
            )
            where = transaction.declare_class(scope, who.audience)
            event = Event("claim", one.id, encode(one), one.id, (one.id,), where)
            chosen = ("one", "two") if spaces == "both" else (spaces,) if spaces else ()
            vectors = {space: {0: vector(space, number)} for space in chosen}
            transaction.append([event], NOON, vectors)
        case ("erase", name):
            transaction.erase(f"mem_{name}")
        case ("dispute", one, other) if one != other:
            sides = tuple(sorted((f"mem_{one}", f"mem_{other}")))
            content = {
                "between": list(sides),
                "note": "",
                "kind": "flagged",
                "since": encode(NOON),
                "resolved": "",
            }
            key = transaction.key("conflict", *sides)
            transaction.append([Event("conflict", key, content, subjects=sides)], NOON)
        case ("embed", name, space):
            row = transaction.row(f"mem_{name}")
            if row is not None:
                transaction.embed(space, {row.seq: vector(space, number)})


def play(store, script, look):
    """Do everything; one transaction in ten is dropped; look at the store in between where that is wanted."""
    number = 0
    for tenant, chance, steps in script:
        try:
            with store.transaction(tenant) as transaction:
                for one in steps:
                    number += 1
                    do(transaction, one, number)
                if chance == 0:
                    raise Stop
        except Stop:
            pass
        if look:
            picture(store, few=True)


def picture(store, few=False):
    """Rows, postings and vectors of the index, and packets."""
    found = {}
    for tenant in TENANTS:
        with store.snapshot(tenant) as snapshot:
            for family in indexing.FAMILIES:
                found[tenant, family] = told(snapshot.index(family))
        world = World(store, tenant)
        for who in ("user:ada", "user:bob")[: 1 if few else 2]:
            for values in ASKED[: 2 if few else None]:
                session = world.session(who, (SHOP, OTHER), entropy=bytes)
                recalled = world.recall("tests docs docker", session=session, log="off", **values)
                found[tenant, who, repr(values)] = json.dumps(recalled.packet.as_json())
    return found


ASKED = (
    {"method": "keyword"},
    {"as_of": 2},
    {},
    {"method": "temporal_retrieval"},
    {"history": True, "k": 2},
    {"use": ""},
    {"statuses": ("active", "stale")},
    {"version": 2},
)


def same(left, right):
    assert left.keys() == right.keys()
    for key, value in left.items():
        assert right[key] == value, key


@pytest.mark.req("E-REBUILD", "E-DETERMINISM")
@settings(
    max_examples=15,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    script=scripts,
    rows=st.integers(1, 5),
    alike=st.integers(2, 3),
    parts=st.integers(1, 3),
)
def test_every_layout_in_every_store_tells_the_same(tmp_path, script, rows, alike, parts):
    folder = tmp_path / f"{sum(1 for _ in tmp_path.iterdir())}"
    tail = MemoryStore(bytes)
    with layout(1_000, 8):
        play(tail, script, look=False)
        wanted = picture(tail)
    with layout(rows, alike, parts):
        merged = MemoryStore(bytes)
        durable = SqliteStore.open(folder / "m.db", entropy=bytes, create=True)
        for store in (merged, durable):
            play(store, script, look=True)
            same(wanted, picture(store))
        another = SqliteStore.open(folder / "m.db", entropy=bytes, create=False)
        same(wanted, picture(another))
        for store in (tail, merged, durable):
            for tenant in TENANTS:
                assert store.verify(tenant).problems == ()
                store.reindex(tenant)
                assert store.verify(tenant).problems == ()
            same(wanted, picture(store))
        same(wanted, picture(another))
        another.close()
        durable.close()


# --- other processes ------------------------------------------------------------------------------

READ = """
import hashlib, json, sys
from pathlib import Path
from muniment.store.sqlite import SqliteStore
from tests.index.test_layouts import picture
store = SqliteStore.open(Path(sys.argv[1]), entropy=bytes, create=False)
print(hashlib.sha256(repr(sorted(picture(store).items(), key=repr)).encode()).hexdigest())
"""


def crowd(store):
    """Many claims that are alike, so that ties decide."""
    for first in range(0, 60, 6):
        with store.transaction("acme") as transaction:
            for n in range(first, first + 6):
                text = TEXTS[n % 4]
                name = f"n{n * 37 % 60:02}"
                operation = ("claim", name, text, SHOP, EVERYBODY, (), (), None, "one")
                do(transaction, operation, n)


@pytest.mark.req("E-DETERMINISM")
def test_another_process_tells_the_same_whatever_surrounds_it(tmp_path, project):
    path = tmp_path / "m.db"
    with layout(7, 2):
        store = SqliteStore.open(path, entropy=bytes, create=True)
        crowd(store)
    told_here = hashlib.sha256(repr(sorted(picture(store).items(), key=repr)).encode()).hexdigest()
    around = (
        {"PYTHONHASHSEED": "0", "LC_ALL": "C", "TZ": "UTC"},
        {"PYTHONHASHSEED": "4711", "LC_ALL": "C.UTF-8", "TZ": "Asia/Kathmandu"},
        {"PYTHONHASHSEED": "random", "LC_ALL": "tr_TR.UTF-8", "TZ": "America/St_Johns"},
    )
    for one in around:
        environment = {**os.environ, **one, "PYTHONPATH": f"{project / 'src'}:{project}"}
        ran = subprocess.run(
            [sys.executable, "-c", READ, str(path)], env=environment, capture_output=True, text=True, check=False
        )  # fmt: skip
        assert (ran.returncode, ran.stdout.strip()) == (0, told_here), ran.stderr
    store.close()


def test_the_order_is_total_whatever_order_things_came_in():
    pictures = []
    for turn in (1, -1):
        store = MemoryStore(bytes)
        with layout(5, 2), store.transaction("acme") as transaction:
            for n in range(30)[::turn]:
                do(
                    transaction,
                    ("claim", f"n{n:02}", TEXTS[0], SHOP, EVERYBODY, (), (), None, ""),
                    n,
                )
        found = World(store).recall("tests pytest", log="off", k=30)
        pictures.append([item.claim.id for item in found.packet.items])
    assert pictures[0] == pictures[1] == sorted(pictures[0])
