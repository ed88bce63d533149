"""A query against a mixed store is compared in its own space only, and the counts say so."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.core.claim import EmbeddingReference
from muniment.core.embedding import Coverage, Space, comparable, coverage, require_one_space
from muniment.core.errors import InvalidInput

MINE = Space("mini", "2", 384)
others = st.builds(
    Space, st.sampled_from(("mini", "maxi")), st.sampled_from("123"), st.sampled_from((256, 384))
)
stores = st.dictionaries(st.none() | others, st.integers(0, 50))


@pytest.mark.req("A-EMBVERSION", "A-EMBEDDING")
def test_a_space_goes_through_a_claims_reference_and_back():
    reference = MINE.reference(datetime(2026, 11, 30, tzinfo=UTC))
    assert reference == EmbeddingReference("mini", "2", 384, datetime(2026, 11, 30, tzinfo=UTC))
    assert Space.of(reference) == MINE
    assert comparable(reference, MINE)


@pytest.mark.req("A-REJECT-EMBEDDING")
def test_what_lies_in_two_spaces_is_refused_by_their_names():
    with pytest.raises(InvalidInput, match=r"`mini 2 \(384\)` and `mini 3 \(384\)`"):
        require_one_space(MINE, EmbeddingReference("mini", "3", 384))


@pytest.mark.req("A-EMBVERSION")
@given(rows=stores, space=st.none() | others)
def test_every_row_is_counted_once_and_only_the_matching_space_is_compared(rows, space):
    found = coverage(space, rows)
    assert found.matching == sum(
        n for held, n in rows.items() if held is not None and held == space
    )
    assert found.matching + found.pending == sum(rows.values())
    assert found.never == rows.get(None, 0)


@pytest.mark.req("A-EMBVERSION")
@pytest.mark.parametrize(
    ("found", "state", "said"),
    [
        (Coverage(None, never=3), "none", "no embedder is configured"),
        (Coverage(MINE, 3), "whole", "`mini 2 (384)`: 3 of 3"),
        (Coverage(MINE, 3, 1), "degraded", "3 of 4; 1 waits for its embedding there"),
        (Coverage(MINE, 3, 1, 1), "degraded", "3 of 5; 2 wait for their embedding there"),
        (Coverage(MINE, 0, 2), "none", "0 of 2; 2 wait for their embedding there"),
        (Coverage(MINE), "whole", "0 of 0"),
    ],
)
def test_a_coverage_says_its_space_and_what_waits(found, state, said):
    assert found.state == state
    assert found.sentence.endswith(said)
