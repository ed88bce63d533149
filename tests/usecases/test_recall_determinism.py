"""The same store, request and instant give the same bytes, whatever the process."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from muniment.store.memory import MemoryStore
from muniment.store.sqlite import SqliteStore
from tests.usecases.remembered import Entropy, World, a_claim, a_world

ROOT = Path(__file__).parents[2]
PROGRAM = """
import json, sys
sys.path.insert(0, "src")
from tests.usecases.test_recall_determinism import a_packet
print(json.dumps(a_packet()))
"""


def a_packet(store=None):
    world = World(store or MemoryStore(Entropy()))
    world.add(
        *(
            a_claim(f"t{n:02d}", f"Run the tests of suite {n % 7}.", tags=("über", "tests"))
            for n in range(40)
        )
    )
    world.dispute("mem_t03", "mem_t04", note="which suite?")
    return world.recall("run the tests of suite 3", k=9, budget=3_000).packet.as_json()


def in_a_process(**environment):
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        check=True,
        timeout=60,
    )
    return hashlib.sha256(result.stdout).hexdigest()


@pytest.mark.req("E-DETERMINISM")
def test_packets_are_the_same_bytes_in_any_process_hash_seed_time_zone_and_locale():
    digests = {
        in_a_process(PYTHONHASHSEED=seed, TZ=zone, LC_ALL=locale)
        for seed, zone, locale in (
            ("0", "UTC", "C"),
            ("1", "Asia/Kathmandu", "C.UTF-8"),
            ("4242", "America/St_Johns", "de_DE.UTF-8"),
        )
    }
    assert digests == {hashlib.sha256((json.dumps(a_packet()) + "\n").encode()).hexdigest()}


@pytest.mark.req("E-DETERMINISM", "D-STORE")
def test_a_store_in_a_file_gives_the_same_packet_as_one_in_memory(tmp_path):
    store = SqliteStore.open(tmp_path / "store.db", entropy=Entropy(77), create=True)
    try:
        assert json.dumps(a_packet(store)) == json.dumps(a_packet())
    finally:
        store.close()


@pytest.mark.req("E-DETERMINISM")
def test_the_order_in_which_claims_were_recorded_does_not_matter():
    claims = [a_claim(f"t{n}", "Run the tests.") for n in range(6)]
    forth, back = a_world(*claims), a_world(*reversed(claims))
    asked = [world.recall("run the tests", k=3).packet.as_json() for world in (forth, back)]
    assert asked[0] == asked[1]
