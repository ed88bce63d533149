"""Twin stores tell the same, and a store that leaks is found."""

from __future__ import annotations

import json

import pytest

from bench import noninterference, twins
from muniment.store.memory import MemoryStore
from muniment.usecases import eligible, revisions, viewing

OBSERVABLES = set(
    """certificates conflicts counts cursors embedding errors graph hybrid identifier keyword proofs revisions
    semantic statuses temporal traces writes""".split()
) | {"proposal findings"}


@pytest.mark.req("B-FILTERFIRST", "E-BLINDWRITE")
def test_two_thousand_answers_of_twins_are_the_same_byte_for_byte():
    found = noninterference.compare(2_000, seed=2)
    assert (found.compared.total(), found.first) == (2_000, [])
    assert found.compared.keys() >= OBSERVABLES
    assert len(found.distinct) > 1_000


def _all_rows(gathered):
    return sum(part.segment.rows for part in gathered.viewing.snapshot.index("claim").parts)


def _stored(viewing, as_of):
    revision = viewing.snapshot.revision
    return revisions.Revisions(revision, revision)


LEAKS = {
    "how many rows there are": (eligible.Gathered, "eligible", property(_all_rows)),
    "the tenant's own revision": (eligible, "revisions", _stored),
    "that a hidden claim is there": (
        viewing.Viewing,
        "sees",
        lambda self, one: self.snapshot.row(one) is not None,
    ),
    "every claim": (viewing, "_visible", lambda snapshot, _: {row.id: row for row in snapshot.classes()}),
}  # fmt: skip


@pytest.mark.parametrize(("owner", "name", "leaky"), LEAKS.values(), ids=LEAKS.keys())
def test_what_leaks_is_found(monkeypatch, owner, name, leaky):
    monkeypatch.setattr(owner, name, leaky)
    found = noninterference.compare(600)
    assert found.different.total() > 0


@pytest.mark.parametrize("chosen", sorted(set(twins.HIDDEN_ACTS), key=lambda one: one.__name__))
def test_every_hidden_act_does_something(chosen):
    twin = twins.Twin(MemoryStore)
    refused = []
    for n in range(3):
        twin.begin(f"{n}", n)
        for act in (twins.SEEN_ACTS[0], twins.HIDDEN_ACTS[0], twins.SEEN_ACTS[3]):
            twins.act(act, twin, f"{n}")
        before = twin.store._tenants["acme"], twin.store._tenants["globex"], len(twin.store._logs)
        refused.append(twins.act(chosen, twin, f"{n}").startswith("('"))
        after = twin.store._tenants["acme"], twin.store._tenants["globex"], len(twin.store._logs)
        refused[-1] |= before == after
    assert not all(refused)


def test_the_area_is_that_of_all_pairs():
    ones, others = [3, 1, 4, 1, 5], [9, 2, 6, 5, 3, 5]
    wins = sum((b > a) + 0.5 * (b == a) for a in ones for b in others) / 30
    assert noninterference.area(ones, others) == pytest.approx(max(wins, 1 - wins))


def test_the_whole_measurement_prints_its_keys(capsys):
    given = ("--pairs", "60", "--workers", "1", "--calls", "20", "--seen", "200", "--hidden", "300")
    assert noninterference.main([*given, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["pairs"], result["differences"]) == (60, 0)
    assert result["timing"].keys() >= {"content", "one_percent", "many", "limit", "within_limit"}
    assert [result["timing"][n]["hidden"] for n in ("content", "one_percent", "many")] == [
        [2, 2], [0, 2], [0, 300],
    ]  # fmt: skip
    assert result["timing"]["many"]["differences"] == 0


def test_twins_of_which_one_is_asked_about_other_claims_are_told_of(capsys, monkeypatch):
    monkeypatch.setattr(twins, "HIDDEN", twins.SEEN)
    given = ("--pairs", "200", "--workers", "1", "--calls", "0", "--json")
    assert noninterference.main(given) == 1
    result = json.loads(capsys.readouterr().out)
    assert result["differences"] > 0
    assert result["first"][0].keys() == {"observable", "where", "alone", "among"}
