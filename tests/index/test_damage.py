"""An index that is not what was written is refused and found, never believed; writing it anew repairs it."""

from __future__ import annotations

import json
import shutil
import zlib

import apsw
import pytest

from muniment.core.errors import StoreDamaged
from muniment.index.blocks import Segment, written
from muniment.index.entry import Entry, packed, unpacked
from muniment.index.table import merged, of_entries, with_vectors
from muniment.store.memory import MemoryStore
from muniment.store.sqlite import SqliteStore
from tests.index.layouts import layout
from tests.index.test_layouts import crowd, picture

HARMS = {
    "a flipped bit": lambda data: bytes([data[0] ^ 1]) + data[1:],
    "the last bit flipped": lambda data: data[:-1] + bytes([data[-1] ^ 128]),
    "cut": lambda data: data[:-1],
    "longer": lambda data: data + b"\0",
    "empty": lambda data: b"",
    "zeros": lambda data: bytes(len(data)),
    "lost": lambda data: None,
}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A store's file with segments, a tail and vectors, and what it tells."""
    path = tmp_path_factory.mktemp("index") / "m.db"
    with layout(16, 2):
        store = SqliteStore.open(path, entropy=bytes, create=True)
        crowd(store)
        wanted = picture(store, few=True)
        store.checkpoint()
        store.close()
    return path, wanted


def places(path):
    """Every index table's rows, by rowid or key, with their data."""
    connection = apsw.Connection(str(path))
    found = [
        (table, column, key, row[0], row[1:])
        for table, column, key in (
            ("index_block", "data", ("family", "segment", "name")),
            ("index_tail", "entry", ("family", "seq")),
            ("index_vector", "data", ("space", "seq")),
        )
        for row in connection.execute(f"SELECT {column}, {', '.join(key)} FROM {table}")
        if row[0]
    ]
    connection.close()
    return found


def harmed(path, place, data):
    table, column, key, _, values = place
    where = " AND ".join(f"{name} = ?" for name in key)
    connection = apsw.Connection(str(path))
    if data is None:
        connection.execute(f"DELETE FROM {table} WHERE {where}", values)
    else:
        connection.execute(f"UPDATE {table} SET {column} = ? WHERE {where}", (data, *values))
    assert connection.changes() == 1
    connection.close()


def is_vector(place):
    return place[0] == "index_vector" or str(place[4][-1]).startswith("v")


@pytest.mark.req("E-REBUILD")
@pytest.mark.parametrize("name", HARMS)
def test_damage_is_refused_or_harmless_and_found_and_repaired(built, tmp_path, name):
    whole, wanted = built
    every = places(whole)
    assert {place[0] for place in every} == {"index_block", "index_tail", "index_vector"}
    turn, harm = list(HARMS).index(name), HARMS[name]
    for n, place in enumerate(every[turn :: len(HARMS)]):
        data = harm(place[3])
        if data == place[3]:
            continue
        path = tmp_path / f"{n}.db"
        shutil.copy(whole, path)
        harmed(path, place, data)
        store = SqliteStore.open(path, entropy=bytes, create=False)
        if (name, place[0]) != (
            "lost",
            "index_tail",
        ):  # a row that is gone shows only beside the ledger
            believed(store, wanted, place)
        if place[0] != "index_vector":  # of a vector that waits there is no second word
            assert not store.verify("acme").ok, place[:3]
        with layout(16, 2):
            store.reindex("acme")
        assert store.verify("acme").ok, place[:3]
        found = picture(store, few=True)
        if not is_vector(place):
            assert without_vectors(found) == without_vectors(wanted)
        store.close()


def believed(store, wanted, place):
    """A damaged store tells what it told before, or refuses."""
    try:
        found = picture(store, few=True)
    except StoreDamaged:
        return
    if not is_vector(place):
        assert without_vectors(found) == without_vectors(wanted), place[:3]


def without_vectors(found):
    return {
        key: {seq: row[:-1] for seq, row in value.items()} if isinstance(value, dict) else value
        for key, value in found.items()
    }


def table_of(count):
    entries = [
        Entry(n, n % 3, n, f"mem_{n}", n % 7 + 1, n % 4, terms=((n % 5 + 1, 1), (n % 11 + 9, 2)))
        for n in range(1, count)
    ]
    return merged([with_vectors(of_entries(entries), {"s": {2: b"\1\2", 3: b"\3\4"}})])


@pytest.mark.parametrize("harm", HARMS.values(), ids=HARMS.keys())
def test_checking_a_segment_finds_every_harmed_block(harm):
    blocks = written(table_of(40))
    Segment({}, blocks.__getitem__).check()
    for name, data in blocks.items():
        hurt = harm(data) if data else b"\0"
        if hurt is None or hurt == data:
            continue
        with pytest.raises(StoreDamaged):
            Segment({}, {**blocks, name: hurt}.__getitem__).check()


def test_a_row_that_waits_is_not_read_when_a_bit_of_it_is_wrong():
    data = packed(Entry(7, 1, 3, "mem_a", 2, 5, supersedes=("mem_b",), terms=((11, 1), (12, 3))))
    for n in range(len(data) * 8):
        hurt = bytearray(data)
        hurt[n // 8] ^= 1 << n % 8
        with pytest.raises(ValueError, match="not readable"):
            unpacked(bytes(hurt))
    for size in range(len(data)):
        with pytest.raises(ValueError, match="not readable"):
            unpacked(data[:size])


def test_a_store_in_memory_finds_a_harmed_block_too():
    store = MemoryStore(bytes)
    with layout(16, 2):
        crowd(store)
    blocks = store._tenants["acme"].blocks
    place = next(iter(blocks.segments))
    row, held = blocks.segments[place]
    blocks.segments[place] = row, {**held, "seq": held["seq"][:-1]}
    assert "index" in store.verify("acme").problems[0]
    store.reindex("acme")
    assert store.verify("acme").ok


@pytest.mark.parametrize("size", [1, 2_048, 16_384])
def test_a_segment_is_sound_and_reads_the_same_whatever_the_size_of_its_blocks(size):
    entries = [Entry(n, 1, 3, f"mem_{n}", 3, 5, terms=((n % 7, 1), (9, 2))) for n in range(1, 40)]
    table = merged([of_entries(entries)])
    segment = Segment({}, written(table, size).__getitem__)
    segment.check()
    assert written(segment.table()) == written(table)


def test_a_segment_that_does_not_say_the_size_of_its_blocks_is_sound():
    table = merged([of_entries([Entry(7, 1, 3, "mem_a", 2, 5, terms=((11, 1),))])])
    blocks = written(table, 16_384)
    described = {
        name: value for name, value in json.loads(blocks["meta"][4:]).items() if name != "postings"
    }
    data = json.dumps(described).encode()
    blocks["meta"] = zlib.crc32(data).to_bytes(4, "little") + data
    Segment({}, blocks.__getitem__).check()
