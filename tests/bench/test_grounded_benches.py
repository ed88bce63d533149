"""The benches of queries, bridges, packing and certificates find what they promise, and find what is wrong."""

from __future__ import annotations

import pytest

from bench import certificates, joins, oracles, packing, packing_order
from tests.bench.test_product_benches import found


@pytest.mark.req("D-CONJ", "D-BRIDGESEARCH", "D-PACK")
def test_nothing_differs_from_brute_force(capsys):
    code, result = found(capsys, oracles.main, "--examples", "600")
    assert (code, result["differences"]) == (0, 0)
    assert result["compared"] == {"joins": 200, "bridges": 200, "packings": 200}


def test_a_wrong_join_is_found(capsys, monkeypatch):
    monkeypatch.setattr(oracles, "brute_force", lambda query, facts: {("wrong",): set()})
    code, result = found(capsys, oracles.main, "--examples", "30")
    assert (code, result["differences"]) == (1, 10)


@pytest.mark.req("D-CERT", "D-DIGEST")
def test_no_altered_forged_foreign_or_stale_certificate_is_accepted(capsys):
    code, result = found(capsys, certificates.main, "--mutations", "600", "--workers", "1")
    assert (code, result["accepted"], result["new_answer_noticed"]) == (0, 0, True)
    assert {"changed", "not_permitted", "refused", "unknown"} <= set(result["verdicts"])


@pytest.mark.req("D-PACK")
def test_packing_saves_against_what_is_simpler(capsys):
    code, result = found(capsys, packing.main, "--cases", "2", "--most", "1")
    assert code == 0
    assert result["saved"]["independent"]["mean"] >= result["saved"]["greedy"]["mean"] >= 0


@pytest.mark.req("D-CONJ", "D-BOUNDS")
def test_joins_agree_with_sql_by_hand_and_bounds_are_met(capsys):
    code, result = found(capsys, joins.main, "--facts", "1500", "--instances", "3")
    assert code == 0
    assert set(result["atoms"]) == {"2", "3", "6", "cyclic"}
    assert result["bounds_ms"][joins.TOO_WIDE[0]]["outcome"] == "budget_exceeded"


@pytest.mark.req("D-PACK")
def test_the_greatest_sum_is_found_exactly_and_drops_what_is_most_relevant():
    relevance, sizes = (90, 60, 50, 10), (30, 16, 15, 5)
    assert packing_order.by_relevance(relevance, sizes, 35) == [0, 3]
    assert packing_order.by_total(relevance, sizes, 35) == [1, 2]
    every = [[n for n in range(4) if mask >> n & 1] for mask in range(16)]
    for budget in range(60):
        best = max(
            sum(relevance[n] for n in some)
            for some in every
            if sum(sizes[n] for n in some) <= budget
        )
        chosen = packing_order.by_total(relevance, sizes, budget)
        assert sum(relevance[n] for n in chosen) == best
        assert sum(sizes[n] for n in chosen) <= budget
