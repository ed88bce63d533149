"""The doors agree cell by cell, and what is sent at random breaks nothing: the measurements' own small runs."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

pytest.importorskip("fastapi", reason="muniment[serve] is not installed")
pytest.importorskip("mcp", reason="muniment[serve] is not installed")


def run(project, *arguments):
    command = [sys.executable, "-m", *arguments, "--json"]
    ran = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert ran.stdout, ran.stderr
    return ran.returncode, json.loads(ran.stdout)


@pytest.mark.timeout(400)
@pytest.mark.req("E-ONEGATE", "D-API", "A-OPERATIONS", "E-APPROVER")
def test_every_door_does_what_the_table_says_and_nothing_without_a_token(project):
    code, found = run(project, "bench.authority")
    assert found["differing"] == []
    assert found["writing"] == []
    assert set(found["by_door"]) >= {"library", "command", "route", "tool"}
    assert (code, found["differences"], found["unauthenticated_writes"]) == (0, 0, 0)


@pytest.mark.timeout(400)
@pytest.mark.req("D-API")
def test_some_hundred_generated_requests_are_answered_as_described(project):
    pytest.importorskip("schemathesis")
    code, found = run(project, "bench.api_fuzz", "--requests", "300")
    assert found["violating"] == {}
    assert (code, found["server_errors"]) == (0, 0)
    assert found["requests"] >= 200
