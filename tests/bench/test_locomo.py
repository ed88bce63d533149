"""The harness on LoCoMo's form: small data that the test writes, and the whole set where it lies beside the project."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench import locomo
from bench.locomo_data import load, padded

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "bench" / "locomo"


def conversation(name, lamp):
    """Two sessions of two speakers, one answer after a question."""
    first = ["Where did you get that lamp?", f"My aunt brought it from {lamp}.", "Lovely.", "Bye!"]
    second = ["I sold my yellow boat.", "Who bought it?", "A man from Oslo.", "Good."]

    def said(session, texts):
        return [
            {"speaker": ("Ada", "Bob")[n % 2], "dia_id": f"D{session}:{n + 1}", "text": text}
            for n, text in enumerate(texts)
        ]

    return {
        "sample_id": name,
        "conversation": {
            "session_1_date_time": "1:56 pm on 8 May, 2023", "session_1": said(1, first),
            "session_2_date_time": "9:05 am on 25 June, 2023", "session_2": said(2, second),
        },
        "qa": [
            {"question": "Where is Bob's lamp from?", "evidence": ["D:1:2"], "category": 4},
            {"question": "When did Ada sell the boat?", "evidence": ["D2:01; D2:3"], "category": 2},
            {"question": "Who?", "evidence": ["D1:1"], "category": 5},
            {"question": "What?", "evidence": ["D"], "category": 3},
        ],
    }  # fmt: skip


@pytest.fixture
def data(tmp_path):
    made = [conversation("c1", "Leeds"), conversation("c2", "York")]
    (tmp_path / "locomo10.json").write_text(json.dumps(made))
    return tmp_path


def test_slips_in_evidence_are_repaired_and_what_has_none_is_left_out(data):
    found = load(data)[0].questions
    assert [sorted(one.evidence) for one in found] == [["D1:2"], ["D2:1", "D2:3"], ["D1:1"]]


def test_every_figure_is_measured_beside_what_it_is_compared_with(data, capsys):
    assert locomo.main(["--data", str(data), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    figures = {"recall_at_5", "recall_at_10", "ndcg_at_10", "mrr", "all_evidence_at_1000_tokens"}
    assert figures <= set(result)
    assert figures <= set(result["fts5"])
    assert set(result["by_category"]) == {"single_hop", "temporal"}
    assert (result["questions"], result["recall_at_10"], result["all_evidence_at_1000_tokens"]) == (
        4,
        1.0,
        1.0,
    )


def test_long_messages_hold_what_was_said_among_what_others_said(data):
    short = load(data)
    long = padded(short, 40)
    for before, after in zip(short, long, strict=True):
        assert all(b.text in a.text for b, a in zip(before.turns, after.turns, strict=True))
        assert before.questions == after.questions
    sizes = [len(turn.text.split()) for one in long for turn in one.turns]
    assert 25 < sum(sizes) / len(sizes) < 80


def test_without_the_data_it_says_where_it_looked(tmp_path, capsys):
    assert locomo.main(["--data", str(tmp_path)]) == 2
    assert "locomo10.json" in capsys.readouterr().err


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs ../shared/bench/locomo")
def test_the_whole_set_has_the_questions_that_are_known_to_be_usable():
    found = load(SHARED)
    assert (len(found), sum(len(c.turns) for c in found), sum(len(c.questions) for c in found)) == (
        10,
        5_882,
        1_982,
    )


def test_it_ranks_as_the_package_does(data):
    from bench.locomo_scope import Scope, text_of
    from muniment import Memory

    scope = Scope(load(data)[0])
    me = {"level": "user-private", "allowed_principals": ["user:ada"]}
    memory = Memory.open(None).acting_as("user:ada", scopes=["conversation:c1"], visibility=me)
    lines = [
        {"id": t.id, "session": f"session_{t.session}", "speaker": t.speaker, "at": t.at.isoformat(),
         "text": text_of(t)}
        for t in scope.conversation.turns
    ]  # fmt: skip
    memory.keep_conversation("\n".join(map(json.dumps, lines)).encode(), "c1.jsonl")
    for question in ("Where is Bob's lamp from?", "When did Ada sell the boat in June?"):
        packet = memory.recall(question, use="", include_passages=True, k=100, budget=10_000).packet
        expected = [
            (scope.parts[hit.seq].message, hit.relevance) for hit in scope.heard(question, False)
        ]
        found = [(quote.said.message, quote.heard.relevance) for quote in packet.quotes]
        assert found == expected[: len(found)]
        assert len(found) >= 4
