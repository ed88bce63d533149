"""The measurements of embeddings run, and say what their pages quote."""

from __future__ import annotations

import importlib.util
import json

import pytest

from bench import similarity, vectors


def test_every_arrangement_of_vectors_gives_the_same_bits(capsys):
    assert vectors.main(["--n", "1000", "--dimension", "64", "--rounds", "1", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["same_bits"] is True
    assert result["median_ms"].keys() == result["least_ms"].keys() >= {"numpy_1", "whole", "top_10"}


@pytest.mark.skipif(
    importlib.util.find_spec("wordllama") is None, reason="the wheel `wordllama` is not installed"
)
@pytest.mark.req("E-ABSTAIN")
def test_answers_are_closer_than_what_is_unrelated(capsys):
    assert similarity.main(["--json"]) == 0
    found = json.loads(capsys.readouterr().out)["repository"]
    assert found["hit_at_1"] >= 0.85
    assert found["answers"]["percentiles"]["50"] > found["unrelated"]["percentiles"]["99.9"]
    assert found["nearest_of_unanswerable"]["half_supported"] == 0
