"""The product's own benches find what they promise, at sizes that tests can bear."""

from __future__ import annotations

import json

import pytest

from bench import kill, learn_speed, powercut, sync, writers


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
    acts = ("bare_commit", "store", "propose", "accept", "remember")
    assert (code, {act: result[act]["syncs"] for act in acts}) == (0, dict.fromkeys(acts, 1))


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
    assert result["statements"] > 5
    assert result["doctor_ok"]
