"""`muniment embed`: the embedder is declared once, and what has no vector catches up."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("wordllama", reason="the offline embedder's package is not installed")


def test_claims_are_embedded_once_and_recall_says_what_it_compared(learned):
    first = json.loads(learned.run("--json", "embed", "--with", "wordllama").out)["embedded"]
    assert first["embedded"] + first["already"] > 0
    again = json.loads(learned.run("--json", "embed").out)["embedded"]
    assert (again["embedded"], again["already"]) == (0, first["embedded"] + first["already"])
    packet = json.loads(learned.run("--json", "recall", "how do I run the tests?").out)
    assert packet["ranking"]["policy"].startswith("fused/")
    assert "compared in the space" in packet["ranking"]["embedding"]


def test_an_unknown_embedder_is_refused_and_nothing_is_declared(learned):
    ran = learned.run("embed", "--with", "gpt")
    assert ran.code == 2
    assert "wordllama" in ran.err
    packet = json.loads(learned.run("--json", "recall", "how do I run the tests?").out)
    assert "gpt" not in json.dumps(packet["ranking"])


def test_nothing_is_compared_after_none_was_declared(learned):
    learned.run("embed", "--with", "none")
    packet = json.loads(learned.run("--json", "recall", "how do I run the tests?").out)
    assert packet["ranking"]["policy"].startswith("lexical/")
    refused = learned.run("recall", "tests", "--method", "embedding_similarity")
    assert refused.code == 2
    assert "muniment" in refused.err
