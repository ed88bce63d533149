"""Each I/O call fails once, and the power goes at any point: the store is in the state before a write or after it."""

from __future__ import annotations

import contextlib

import pytest

from bench.disk import DRAWN
from bench.faults import CrashPoint, each_failure, image_of, powercut
from bench.findings import CheckResult, scratch_directory
from bench.syscalls import FailingSystem
from bench.vfs import CrashRecorder
from muniment.core.errors import StoreError
from muniment.core.event import Event
from muniment.ports.store import Access
from muniment.store.sqlite import SqliteStore
from tests.store.world import AT, TENANT, claim, claim_event, mem, numbers

WRITES = 8
WHOLE = CheckResult()


def workload(path, layer):
    """Write versions of two claims and a doc together, log, erase, checkpoint."""
    store = SqliteStore.open(
        path, entropy=numbers(), create=True, vfs=layer.vfs_name, busy_timeout_ms=50
    )
    with contextlib.closing(store):
        for number in range(1, WRITES + 1):
            layer.begin(str(number), number)
            with store.transaction(TENANT) as transaction:
                both = [
                    claim(name, f"Statement {number}.", body="b" * 3000, version=number)
                    for name in (f"one{number % 3}", f"two{number % 3}")
                ]
                events = [claim_event(transaction, one) for one in both]
                transaction.append([*events, Event("group", f"g{number}", {"n": number})], AT)
                if number == 5:
                    transaction.erase(mem("one1"))
            layer.acknowledge(str(number), number)
            found = (mem("one1"), mem("two1"))
            store.log(TENANT, Access(f"ret_{number}", "user:a", AT, {"q": number}, found, found))
            if number == 6:
                store.checkpoint()


def check(path, history):
    """The last acknowledged write is there, whole, and the ledger agrees with what was derived from it."""
    with contextlib.closing(SqliteStore.open(path, entropy=numbers(), create=True)) as store:
        verified = store.verify(TENANT)
        with store.snapshot(TENANT) as snapshot:
            revision, events = snapshot.revision, sum(1 for _ in snapshot.envelopes())
        store.logged(TENANT, "ret_1")
        acknowledged = len(history.acknowledged)
        begun = acknowledged + len(history.in_flight)
        lost, damaged = max(0, acknowledged - revision), len(verified.problems)
        partial = int(events != 3 * revision or revision > begun)
        if not (lost or partial or damaged):
            return WHOLE
        detail = f"revision {revision} of {acknowledged}, {verified.problems[:2]}"
        return CheckResult(lost, partial, damaged, detail)


def harm(found):
    return {name: found[name] for name in ("lost", "partial", "damaged")}


NONE = {"lost": 0, "partial": 0, "damaged": 0}


@pytest.mark.req("D-STORE")
@pytest.mark.parametrize("how", ["ioerr", "full"])
def test_a_failing_call_leaves_the_state_before_or_after_and_a_named_error(how):
    found = each_failure(workload, check, seed=1, how=how, most=60, typed=(StoreError,))
    assert (harm(found), found["untyped"]) == (NONE, 0), found["examples"][:2]
    assert found["raised"] > 10


@pytest.mark.req("D-STORE")
def test_a_disk_that_stays_broken_loses_nothing_acknowledged():
    found = each_failure(workload, check, seed=2, lasting=True, most=40, typed=(StoreError,))
    assert (harm(found), found["untyped"]) == (NONE, 0), found["examples"][:2]


@pytest.mark.req("D-STORE")
def test_a_failing_system_call_leaves_the_state_before_or_after_and_a_named_error():
    found = each_failure(workload, check, seed=3, most=40, layer=FailingSystem, typed=(StoreError,))
    assert (harm(found), found["untyped"]) == (NONE, 0), found["examples"][:2]


@pytest.mark.req("D-STORE")
def test_a_power_cut_loses_nothing_acknowledged():
    found = powercut(workload, check, points=150, seed=4)
    assert harm(found) == NONE, found["examples"][:2]


def images_of_making(recorder):
    """Each different image that a power cut in the first operations can leave, with what had been said until then."""
    seen = set()
    for index in range(30):
        for variant in DRAWN:
            for seed in range(6):
                image = image_of(recorder, CrashPoint(index, variant, f"{seed}"))
                form = (len(recorder.history(index)), *sorted(image.items()))
                if form not in seen:
                    seen.add(form)
                    yield image, recorder.history(index)


@pytest.mark.req("D-STORE")
def test_a_power_cut_while_a_store_is_made_leaves_what_is_made_again():
    with scratch_directory() as made, CrashRecorder(made) as recorder:
        workload(made / "store.db", recorder)
        images = list(images_of_making(recorder))
    for image, history in images:
        with scratch_directory() as folder:
            for name, content in image.items():
                (folder / name).write_bytes(content)
            assert check(folder / "store.db", history) == WHOLE
    assert len(images) > 50
