"""Decay: what a stated model leaves of a claim, by the published formulas, and nothing where none is stated."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.core.codec import micros
from muniment.core.decay import seconds, strength
from muniment.core.ranking import COMPONENTS, ONE, POLICIES
from muniment.exchange.mif.decay import seconds as seconds_by_isodate
from muniment.exchange.mif.decay import strength as strength_of_a_concept

NOON = datetime(2026, 7, 8, 12, tzinfo=UTC)
MODELS = st.sampled_from(("none", "linear", "exponential", "step", "logistic", "", None, 7, []))
DURATIONS = st.one_of(
    st.builds("P{}D".format, st.integers(0, 5_000)),
    st.builds("P{}Y{}M{}DT{}H{}M{}S".format, *[st.integers(0, 400)] * 6),
    st.builds("PT{}.{}S".format, st.integers(0, 99), st.integers(0, 99)),
    st.builds("P{}W".format, st.integers(0, 99)),
    st.sampled_from(("P", "PT", "P1DT", "7D", "P-1D", "p1d", "P1", "P٣D", "", "P3X", "P1D ")),
    st.text(max_size=12),
    st.none() | st.integers() | st.lists(st.integers(), max_size=2),
)
STATED = st.fixed_dictionaries(
    {}, optional={"model": MODELS, "halfLife": DURATIONS, "lastReinforced": st.text(max_size=30)}
)
TIMES = st.integers(-(10**16), 10**16)


@given(
    decay=STATED, ttl=st.integers(0, 10**9), recorded=TIMES, at=TIMES, later=st.integers(0, 10**16)
)
def test_what_is_left_is_a_share_that_never_grows_and_is_whole_until_it_was_recorded(
    decay, ttl, recorded, at, later
):
    shares = [strength(decay, ttl, recorded, one) for one in (min(at, recorded), at, at + later)]
    assert shares[0] == ONE
    assert ONE >= shares[1] >= shares[2] >= 0


@given(
    model=st.sampled_from(("none", "linear", "exponential", "step")),
    days=st.integers(1, 5_000),
    elapsed=st.integers(0, 10**9),
)
def test_the_share_is_the_strength_that_the_format_defines(model, days, elapsed):
    decay, ttl = {"model": model, "halfLife": f"P{days}D"}, days * 86_400
    found = strength(decay, ttl, 0, elapsed * 1_000_000)
    expected = {
        "none": 1.0,
        "linear": max(0.0, 1 - elapsed / ttl),
        "exponential": math.e ** (-elapsed / ttl),
        "step": float(elapsed < ttl),
    }[model]
    assert found / ONE == pytest.approx(expected, abs=1e-6)
    assert strength_of_a_concept(decay, f"P{days}D", elapsed) == pytest.approx(expected, abs=1e-9)


@given(duration=DURATIONS)
def test_a_duration_is_as_long_as_another_reader_of_the_standard_says_or_is_none(duration):
    found = seconds(duration)
    assert found is None or found == pytest.approx(seconds_by_isodate(duration))


@given(
    years=st.integers(0, 99),
    months=st.integers(0, 99),
    days=st.integers(0, 999),
    hours=st.integers(0, 99),
)
def test_a_plain_duration_is_read(years, months, days, hours):
    length = (years * 365 + months * 30 + days) * 86_400 + hours * 3_600
    assert seconds(f"P{years}Y{months}M{days}DT{hours}H") == length


@pytest.mark.parametrize(("days", "left"), [(-1, 1.0), (0, 1.0), (10, 0.3679), (20, 0.1353)])
def test_time_runs_from_the_last_reinforcement(days, left):
    decay = {
        "model": "exponential",
        "halfLife": "P10D",
        "lastReinforced": "2026-07-08T14:00:00+02:00",
    }
    found = strength(decay, 0, 0, micros(NOON + timedelta(days=days)))
    assert round(found / ONE, 4) == left


@pytest.mark.parametrize(
    "decay",
    [
        {},
        {"halfLife": "P1D"},
        {"model": "exponential"},
        {"model": "exponential", "halfLife": "soon"},
        {"model": "exponential", "halfLife": "P0D"},
        {"model": "linear"},
        {"model": "step"},
        {"model": "unheard of", "halfLife": "P1D"},
    ],
)
def test_a_model_that_says_nothing_takes_nothing_away(decay):
    assert strength(decay, 0, 0, 10**16) == ONE


@pytest.mark.req("A-RANKING")
def test_decay_is_declared_and_only_the_policy_that_is_asked_for_by_name_weighs_it():
    weighed = {p.name for p in POLICIES for _, ws in p.methods for name, _ in ws if name == "decay"}
    assert weighed == {"recent"}
    assert "decay" in {component.name for component in COMPONENTS}
    assert all("decay" in p.supplementary for p in POLICIES if p.name in weighed)
