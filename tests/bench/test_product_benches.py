"""The product's own benches find what they promise, at sizes that tests can bear."""

from __future__ import annotations

import json
import os
import sys

import pytest

from bench import (
    kill,
    learn_speed,
    powercut,
    recall_cold,
    startup,
    sync,
    write_cost,
    writers,
)
from bench.vfs import SyncCounter

ACTS = ("store", "propose", "accept", "remember")


def found(capsys, main, *arguments):
    """The exit code and the result of a bench."""
    code = main([*arguments, "--json"])
    return code, json.loads(capsys.readouterr().out)


@pytest.mark.req("D-STORE")
def test_a_power_cut_loses_nothing_that_was_acknowledged(capsys):
    code, result = found(capsys, powercut.main, "--points", "120", "--rounds", "1")
    assert (code, result["lost"], result["partial"], result["damaged"]) == (0, 0, 0, 0)
    assert result["acknowledged"] >= 6


@pytest.mark.req("D-STORE")
def test_an_acknowledged_write_is_one_sync(capsys):
    code, result = found(capsys, sync.main, "--times", "4", "--delay-ms", "0")
    assert (code, {act: result[act]["syncs"] for act in ACTS}) == (0, dict.fromkeys(ACTS, 1))
    assert {act: result[act]["bare"]["syncs"] for act in ACTS} == dict.fromkeys(ACTS, 1)
    assert result["ratio"] == result["store"]["ratio"] > 0


def test_a_write_of_two_syncs_is_not_counted_as_one(tmp_path):
    with SyncCounter() as counter:
        connection, commit = sync.bare(tmp_path / "two.db", counter, 10)
        counted = sync.Counted(counter, lambda number: (commit(number), commit(number)))
        counted.once(1)
        connection.close()
    assert counted.found()["syncs"] == 2


def test_a_checkpoint_is_counted_apart(tmp_path):
    with SyncCounter() as counter:
        connection, _ = sync.bare(tmp_path / "log.db", counter, 10)
        counted = sync.Counted(counter, lambda number: connection.wal_checkpoint(mode=3))
        assert counted.once(1)
        connection.close()
    assert (counted.checkpoints, counted.syncs) == (1, [])


@pytest.mark.req("D-STORE")
def test_killed_processes_lose_nothing_that_was_acknowledged(capsys):
    code, result = found(capsys, kill.main, "--kills", "2", "--children", "1")
    assert (code, result["lost"], result["partial"], result["damaged"]) == (0, 0, 0, 0)


@pytest.mark.req("D-STORE")
def test_rival_writers_meet_no_lock_error_and_lose_nothing(capsys):
    code, result = found(capsys, writers.main, "--processes", "3", "--each", "4")
    assert (code, result["lost"], result["lock_errors"], result["ledger_ok"]) == (0, 0, 0, True)
    assert result["acknowledged"] == 12


def test_learning_a_generated_repository_settles(tmp_path):
    result = learn_speed.measure(tmp_path, 16)
    assert result["statements"] == result["accepted"] > 40
    assert (result["proposed_again"], result["doctor_ok"]) == ([None, None], True)
    steps = result["learn_phases_s"].keys() & result["review_phases_s"].keys()
    assert {"examine", "append", "whole"} <= steps


def test_starting_is_measured_beside_a_bare_interpreter(capsys):
    code, result = found(capsys, startup.main, "--claims", "60", "--rounds", "1")
    started = ("bare", "import", "version", "recall", "count_first", "count_kept")
    assert code == 0
    assert all(result[name]["median_ms"] > 0 < result[name]["peak_mib"] for name in started)
    assert result["bare"]["ratio_to_bare"] == 1


def test_a_cold_recall_finds_evidence(capsys):
    limits = ("--most-ms", "0", "--most-mib", "0")
    code, result = found(capsys, recall_cold.main, "--claims", "60", "--rounds", "1", *limits)
    assert (code, result["within_limits"]) == (0, True)
    assert result["selected"] > 0 < result["tokens"]
    assert result["library_ms"].keys() == {"imports", "open", "recall", "whole"}


@pytest.mark.parametrize(("milliseconds", "code"), [(500.0, 0), (500.1, 1)])
def test_a_cold_recall_above_a_limit_fails(capsys, monkeypatch, milliseconds, code):
    measured = {"recall_ms": milliseconds, "peak_mib": 120.0}
    monkeypatch.setattr(recall_cold, "measure", lambda *given: measured)
    assert found(capsys, recall_cold.main, "--claims", "1")[0] == code


def test_the_peak_of_a_measured_process_is_its_own():
    ballast = bytearray(64 * 2**20)
    peak = recall_cold.run([sys.executable, "-c", "pass"], dict(os.environ))[1]
    assert peak < len(ballast) / 2**20


def test_what_a_measured_process_says_before_it_fails_is_told():
    complaint = "import sys; print('no such store', file=sys.stderr); sys.exit(3)"
    with pytest.raises(SystemExit, match=r"ended with 3: no such store"):
        recall_cold.run([sys.executable, "-c", complaint], dict(os.environ))


def test_the_cost_of_writes_is_measured_for_each_size(capsys):
    code, result = found(capsys, write_cost.main, "--sizes", "10", "50", "--times", "2")
    assert (code, list(result["median_ms"])) == (0, ["10", "50"])
    assert result["growth"].keys() == set(write_cost.VERBS)
