"""Closeness orders, support is absolute, and both are the same whole numbers wherever they are worked out."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.core import rank, similarity
from muniment.core.embedding import Space
from muniment.core.similarity import (
    CALIBRATIONS,
    ONE,
    QUESTIONS,
    STATEMENTS,
    Calibration,
    calibrated,
    calibration_of,
    closeness,
    cosine,
    support,
)
from muniment.index import vectors

SPACE = Space("mini", "1", 2)
ANY = Calibration(SPACE, ONE // 10, ONE // 2, "")
cosines = st.integers(-ONE, ONE)
calibrations = st.tuples(st.integers(0, ONE), st.integers(0, ONE)).map(
    lambda pair: Calibration(SPACE, min(pair), max(pair), "")
)
rows = st.integers(1, 40).flatmap(
    lambda width: st.tuples(*[st.lists(st.integers(-128, 127), min_size=width, max_size=width)] * 2)
)


def as_bytes(row):
    return np.array(row, dtype=np.int8).tobytes()


@pytest.mark.req("E-DETERMINISM")
@given(pair=rows)
def test_one_pair_has_the_bits_that_the_index_gives_a_million(pair):
    left, right = (np.array([row], dtype=np.int8) for row in pair)
    length = int(vectors.norms(right)[0])
    found = vectors.similarity(vectors.dots(left, right[0]), vectors.norms(left), length)
    assert cosine(*map(as_bytes, pair)) == cosine(*map(as_bytes, pair[::-1])) == found[0]


def test_the_three_ones_are_one():
    assert similarity.ONE == rank.ONE == vectors.ONE


def test_a_missing_vector_is_close_to_nothing():
    assert cosine(b"", b"\x01") == cosine(b"\x01", b"") == cosine(b"\x00", b"\x01") == 0


def test_vectors_of_two_dimensions_are_refused():
    with pytest.raises(ValueError, match="shorter"):
        cosine(b"\x01\x02", b"\x01")


@given(one=cosines, other=cosines, calibration=calibrations)
def test_signals_keep_order_and_stay_in_bounds(one, other, calibration):
    low, high = sorted((one, other))
    for signal in (closeness, support):
        assert 0 <= signal(low, calibration) <= signal(high, calibration) <= ONE


@pytest.mark.req("E-ABSTAIN")
@given(calibration=calibrations)
def test_noise_supports_nothing_and_sameness_everything(calibration):
    assert support(calibration.noise, calibration) == 0
    assert support(ONE, calibration) == (ONE if calibration.noise < ONE else 0)
    assert calibration.noise <= calibration.sure <= ONE


@pytest.mark.parametrize(
    ("cosine_", "near", "supports"),
    [
        (-ONE, 0, 0),
        (ONE // 10, 0, 0),
        (ONE // 2, 4 / 9, 0),
        (ONE // 2 + ONE // 6, 17 / 27, 1),
        (ONE, 1, 1),
    ],
)
def test_where_the_signals_begin_and_end(cosine_, near, supports):
    assert closeness(cosine_, ANY) / ONE == pytest.approx(near, abs=1e-5)
    assert support(cosine_, ANY) / ONE == pytest.approx(supports, abs=1e-5)


def test_a_space_is_calibrated_by_its_average_and_by_what_one_pair_in_a_thousand_reaches():
    near, far = bytes([127, 0]), bytes([0, 127])
    found = calibrated(SPACE, [near] * 100, [far] * 19 + [near])
    assert (found.space, found.average, found.noise) == (SPACE, ONE // 20, ONE)
    assert calibrated(SPACE, [near], [far]).noise == 0
    assert calibrated(SPACE, [near] * 2 + [far] * 1_998, [near]).noise == ONE // 1_000
    assert calibrated(SPACE, [near] * 3 + [far] * 1_997, [near]).noise == ONE
    assert calibrated(SPACE, [], []).noise == 0


def test_probes_are_of_different_things_and_enough():
    assert len(set(QUESTIONS)) * len(set(STATEMENTS)) == 1_024
    assert all(question.endswith("?") for question in QUESTIONS)
    assert all(statement.endswith(".") for statement in STATEMENTS)


@pytest.mark.req("A-EMBVERSION")
def test_only_a_measured_space_has_a_calibration_of_its_own():
    known = CALIBRATIONS[0].space
    assert calibration_of(known) == CALIBRATIONS[0]
    assert calibration_of(Space(known.model, "other", known.dimension)) is None


@pytest.mark.skipif(
    importlib.util.find_spec("wordllama") is None, reason="the wheel `wordllama` is not installed"
)
def test_what_was_measured_on_millions_is_what_the_probes_tell():
    from muniment.embed.opening import open_embedder

    embedder = open_embedder("wordllama")
    found = calibrated(embedder.space, embedder.embed(QUESTIONS), embedder.embed(STATEMENTS))
    known = calibration_of(embedder.space)
    assert abs(found.average - known.average) < 0.03 * ONE
    assert abs(found.noise - known.noise) < 0.03 * ONE


@pytest.mark.req("E-ABSTAIN")
@pytest.mark.skipif(
    importlib.util.find_spec("wordllama") is None, reason="the wheel `wordllama` is not installed"
)
def test_an_answer_is_supported_and_the_nearest_noise_is_not():
    from muniment.embed.opening import open_embedder

    embedder = open_embedder("wordllama")
    claims = [
        "`make test` runs `pytest -q`.",
        "web/ is owned by @acme/frontend.",
        "The shop sells cheese.",
    ]
    answered, unanswered = embedder.embed(
        ["how do I run the tests?", "what is the capital of France?"]
    )
    of = calibration_of(embedder.space)
    given = embedder.embed(claims)
    assert support(cosine(answered, given[0]), of) > ONE // 10
    assert [support(cosine(unanswered, claim), of) for claim in given] == [0, 0, 0]
