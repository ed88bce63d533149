"""Errors and values have one JSON form, and every error a status."""

from __future__ import annotations

import inspect
import json

import pytest

from muniment import Memory, wire
from muniment.core import errors

KINDS = [
    kind for kind in vars(errors).values()
    if inspect.isclass(kind) and issubclass(kind, errors.MunimentError)
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.code)
def test_every_error_has_a_status_and_json(kind):
    body = wire.error_json(kind("it went wrong"))
    assert body["error"]["code"] == kind.code
    assert set(body["error"]["findings"][0]) == {
        "code",
        "severity",
        "path",
        "message",
        "fix",
        "req",
    }
    assert 400 <= wire.http_status(kind("it went wrong")) < 600


def test_refusals_and_broken_stores_are_told_apart_by_their_status():
    statuses = {kind.code: wire.http_status(kind("x")) for kind in KINDS}
    assert all(
        status < 500
        for kind, status in statuses.items()
        if kind in ("not_found", "refused", "conflicted")
    )
    assert all(status >= 500 for kind, status in statuses.items() if kind.startswith("store_"))


def test_everything_that_a_memory_answers_is_json():
    memory = Memory.open(None).acting_as(
        "user:ada", scopes=["project:shop"], uses=["answer_questions"],
        visibility={"level": "user-private", "allowed_principals": ["user:ada"]},
    )  # fmt: skip
    proposed = memory.remember("The shop ships on Fridays.")
    pending, examined = memory.diff(proposed.diff.id)
    answers = (
        wire.acting(memory),
        wire.proposed(proposed),
        wire.pending(pending, examined),
        wire.recalled(memory.recall("when?", use="answer_questions")),
        wire.verification(memory.verify()),
        wire.diagnosis(memory.doctor()),
        wire.tuple_free(memory.why(proposed.diff.id)),
    )
    assert [json.loads(json.dumps(answer, allow_nan=False)) for answer in answers] == list(answers)
