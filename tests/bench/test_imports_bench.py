"""The measurement of imports finds what it promises, on our samples and on the shared ones where they are."""

from __future__ import annotations

import json

import pytest

from bench import import_fuzz, imports
from tests.exchange.foreign import SAMPLES
from tests.exchange.test_foreign_formats import FORMATS

NOTHING = {"crashes": 0, "dates_invented": 0, "second_import_new": 0}


@pytest.mark.req("E-MISSING", "E-IDEMPOTENT")
def test_our_samples_are_told_and_nothing_is_invented(capsys):
    code = imports.main(["--samples", str(SAMPLES), "--json"])
    result = json.loads(capsys.readouterr().out)
    assert (code, {key: result[key] for key in NOTHING}) == (0, NOTHING)
    assert {name: one["format"] for name, one in result["by_file"].items()} == FORMATS


def test_an_invented_date_would_be_found(tmp_path):
    path = tmp_path / "a.json"
    path.write_text(
        '[{"id": "1", "memory": "A", "created_at": "2026-02-03T08:15:00Z", "n": 1767225600}]',
        "utf-8",
    )
    assert {at.isoformat() for at in imports.instants_of(path)} == {
        "2026-02-03T08:15:00+00:00", "2026-01-01T00:00:00+00:00",
    }  # fmt: skip


@pytest.mark.req("E-MISSING", "E-IDEMPOTENT")
def test_the_shared_samples_are_read_or_refused_with_reasons(project):
    shared = project.parent / "shared" / "samples"
    if not shared.is_dir():
        pytest.skip("../shared/samples is not here")
    result = imports.measure(shared)
    assert {key: result[key] for key in NOTHING} == NOTHING
    assert result["files"] >= 57
    assert all(one["format"] or one["findings"] for one in result["by_file"].values())


def test_the_fuzzer_counts_what_it_throws(capsys):
    code = import_fuzz.main(["--inputs", "30", "--parser", "mem0", "--json"])
    result = json.loads(capsys.readouterr().out)
    assert (code, result["inputs"], result["raised"]) == (0, 30, 0)


def test_the_fuzzer_would_see_an_exception(monkeypatch):
    def broken(*_):
        raise ZeroDivisionError

    monkeypatch.setattr(import_fuzz, "tried", broken)
    found = import_fuzz.thrown(import_fuzz.FORMATS[0], 5, 0)
    assert found["raised"] == 5
