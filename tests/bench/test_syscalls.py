"""System calls that fail below SQLite."""

import contextlib

import apsw
import pytest

from bench import control
from bench.faults import each_failure
from bench.syscalls import FailingSystem

NOTHING = {"lost": 0, "partial": 0, "damaged": 0}


@pytest.mark.parametrize("journal", ["WAL", "DELETE"])
@pytest.mark.parametrize("how", ["ioerr", "full", "short"])
@pytest.mark.parametrize("lasting", [False, True])
def test_each_call_that_fails_loses_nothing(journal, how, lasting):
    workload = control.workload(journal, "FULL", writes=12)
    result = each_failure(
        workload, control.check, 1, how=how, lasting=lasting, most=80, layer=FailingSystem
    )
    assert {name: result[name] for name in NOTHING} == NOTHING
    assert result["untyped"] == 0
    assert result["raised"] + result["silent"] == 80


def test_a_failure_that_sqlite_tolerates_does_not_reach_the_caller():
    workload = control.workload("WAL", "FULL", writes=12)
    result = each_failure(workload, control.check, 1, layer=FailingSystem)
    assert result["silent"] > 0
    assert result["raised"] > 0


def test_a_full_disk_is_called_full(tmp_path):
    with FailingSystem(how="full", calls=("write",)) as layer:
        connection = control.connect(tmp_path / "a.db", "WAL", "FULL", layer.vfs_name)
        with contextlib.closing(connection):
            layer.arm(1)
            with pytest.raises(apsw.FullError):
                control.write(connection, 1)
            assert layer.fired == ["write"]
            control.write(connection, 2)


def test_the_systems_own_calls_are_back_afterwards(tmp_path):
    with FailingSystem() as layer:
        pass
    layer.arm(1)
    connection = control.connect(tmp_path / "a.db", "WAL", "FULL")
    with contextlib.closing(connection):
        control.write(connection, 1)
    assert layer.count == 0
