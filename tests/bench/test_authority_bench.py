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


@pytest.mark.req("D-API")
def test_a_key_that_is_not_described_is_held_against_an_answer_and_not_against_a_request():
    pytest.importorskip("schemathesis")
    jsonschema = pytest.importorskip("jsonschema")
    from bench.api_fuzz import closed
    from muniment.http.openapi import document
    from muniment.http.settings import Settings

    schemas = closed(document(Settings(lambda: None)))["components"]["schemas"]

    def errors(name, value):
        whole = {"$ref": f"#/components/schemas/{name}", "components": {"schemas": schemas}}
        return [one.validator for one in jsonschema.Draft202012Validator(whole).iter_errors(value)]

    assert errors("Word", {"status": "ok"}) == []
    assert errors("Word", {"status": "ok", "more": 1}) == ["additionalProperties"]
    plain = document(Settings(lambda: None))["components"]["schemas"]
    assert schemas["Recall"] == plain["Recall"]
