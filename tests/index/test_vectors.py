"""Vectors are compared exactly: no kernel, thread, block or order of rows changes a bit."""

from __future__ import annotations

import sys
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from muniment.core.errors import InvalidInput
from muniment.index import vectors
from muniment.index.vectors import ONE, dots, dots_at, norms, numpy_kernel, similarity, top

KERNELS = [pytest.param(numpy_kernel, id="numpy")]
if (simsimd := vectors.simsimd_kernel()) is not None:
    KERNELS.append(pytest.param(simsimd, id="simsimd"))
every_kernel = pytest.mark.parametrize("kernel", KERNELS)


@st.composite
def problems(draw, most_rows=12, widths=(1, 2, 7, 31, 64, 100, 256)):
    rows, width = draw(st.integers(0, most_rows)), draw(st.sampled_from(widths))
    seed = draw(st.integers(0, 2**32 - 1))
    pool = draw(st.sampled_from(((-128, 128), (-127, 128), (126, 128), (-128, -126), (0, 1))))
    made = np.random.default_rng(seed)
    matrix = made.integers(*pool, size=(rows, width), dtype=np.int8)
    return matrix, made.integers(*pool, size=width, dtype=np.int8)


def oracle(matrix, query):
    asked = query.tolist()
    return [sum(a * b for a, b in zip(row, asked, strict=True)) for row in matrix.tolist()]


# --- dot products -----------------------------------------------------------------------------


@every_kernel
@given(problem=problems())
def test_a_dot_product_is_the_sum_of_products(kernel, problem):
    matrix, query = problem
    assert dots(matrix, query, kernel=kernel).tolist() == oracle(matrix, query)


@every_kernel
@pytest.mark.parametrize("width", [1_023, 1_024, 1_025, 1_536, 3_072])
@pytest.mark.parametrize("value", [127, -128])
def test_the_largest_vectors_are_exact_on_both_sides_of_what_float32_holds(kernel, width, value):
    matrix = np.full((5, width), value, dtype=np.int8)
    matrix[1, ::2] = 3  # odd sums, which float32 loses first
    query = np.full(width, value, dtype=np.int8)
    query[0] = 1
    assert dots(matrix, query, kernel=kernel).tolist() == oracle(matrix, query)


@every_kernel
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_neither_threads_nor_the_place_of_a_row_change_its_product(kernel, threads, monkeypatch):
    monkeypatch.setattr(vectors, "_SPLIT", 1)
    made = np.random.default_rng(5)
    matrix = made.integers(-127, 128, size=(3_001, 64), dtype=np.int8)
    query = made.integers(-127, 128, size=64, dtype=np.int8)
    order = made.permutation(len(matrix))
    whole = np.array(oracle(matrix, query))
    assert np.array_equal(dots(matrix[order], query, threads, kernel), whole[order])


@every_kernel
def test_blocks_of_a_map_that_may_not_be_written_are_read(kernel):
    matrix = np.frombuffer(bytes(range(1, 101)), dtype=np.int8).reshape(10, 10)
    assert dots(matrix, matrix[3], kernel=kernel).tolist() == oracle(matrix, matrix[3])


@every_kernel
@given(problem=problems(most_rows=40), seed=st.integers(0, 999))
def test_gathered_rows_have_the_products_of_their_places(kernel, problem, seed):
    matrix, query = problem
    rows = np.random.default_rng(seed).permutation(len(matrix))[: len(matrix) // 2]
    expected = dots(matrix, query)[rows]
    assert np.array_equal(dots_at(matrix, rows, query, kernel), expected)


def test_gathering_over_several_blocks_leaves_nothing_out(monkeypatch):
    monkeypatch.setattr(vectors, "_BLOCK", 64)
    matrix = np.random.default_rng(1).integers(-127, 128, size=(50, 8), dtype=np.int8)
    rows = np.arange(49, -1, -2)
    assert dots_at(matrix, rows, matrix[0]).tolist() == oracle(matrix[rows], matrix[0])


@pytest.mark.req("A-REJECT-EMBEDDING")
def test_vectors_of_another_dimension_are_refused():
    with pytest.raises(InvalidInput, match="3 dimensions is not compared with vectors of 4"):
        dots(np.zeros((2, 4), dtype=np.int8), np.zeros(3, dtype=np.int8))


def test_an_error_in_a_second_thread_is_raised_here(monkeypatch):
    monkeypatch.setattr(vectors, "_SPLIT", 1)

    def breaks_on_the_last(matrix, query, out):
        if matrix[-1, 0] == 9:
            raise ArithmeticError("last")

    matrix = np.array([[1], [2], [9]], dtype=np.int8)
    with pytest.raises(ArithmeticError, match="last"):
        dots(matrix, matrix[0], threads=3, kernel=breaks_on_the_last)


@every_kernel
def test_a_kernel_keeps_every_reference_that_it_was_lent(kernel):
    matrix = np.ones((300, 64), dtype=np.int8)
    lent = (None, matrix, matrix.base)
    before = [sys.getrefcount(each) for each in lent]
    for _ in range(500):
        dots(matrix, matrix[0], kernel=kernel)
    after = [sys.getrefcount(each) for each in lent]
    assert max(abs(b - a) for b, a in zip(before, after, strict=True)) < 100


def test_a_kernel_that_saturates_is_not_used():
    def saturating(matrix, query, out):
        numpy_kernel(matrix, query, out)
        np.clip(out, -32_768, 32_767, out=out)

    assert not vectors._agrees(saturating)
    assert vectors._agrees(numpy_kernel)


# --- similarity -------------------------------------------------------------------------------


@given(problem=problems())
def test_a_squared_length_is_a_vectors_product_with_itself(problem):
    matrix, _ = problem
    assert norms(matrix).tolist() == [
        sum(value * value for value in row) for row in matrix.tolist()
    ]


def exact_similarity(product, row_norm, query_norm):
    if not row_norm * query_norm:
        return 0
    with localcontext(prec=60):
        return int(
            (Decimal(product) * ONE / Decimal(row_norm * query_norm).sqrt()).to_integral_value()
        )


@given(problem=problems(widths=(2, 64, 256)))
def test_a_similarity_is_the_cosine_to_the_nearest_unit(problem):
    matrix, query = problem
    products, lengths = dots(matrix, query), norms(matrix)
    length = int(norms(query.reshape(1, -1))[0])
    expected = [
        exact_similarity(p, n, length)
        for p, n in zip(products.tolist(), lengths.tolist(), strict=True)
    ]
    assert similarity(products, lengths, length).tolist() == expected


@given(problem=problems(most_rows=30), block=st.integers(1, 31), seed=st.integers(0, 999))
def test_a_similarity_does_not_depend_on_the_rows_beside_it(problem, block, seed):
    matrix, query = problem
    order = np.random.default_rng(seed).permutation(len(matrix))
    products, lengths, length = dots(matrix, query), norms(matrix), int(norms(query[None])[0])
    whole = similarity(products, lengths, length)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vectors, "_ROWS", block)
        assert np.array_equal(similarity(products[order], lengths[order], length), whole[order])


def test_a_vector_is_one_with_itself_opposite_to_its_negative_and_nothing_to_none():
    row = np.array([[3, -4, 12]], dtype=np.int8)
    rows = np.concatenate((row, -row, 0 * row))
    assert similarity(dots(rows, row[0]), norms(rows), 169).tolist() == [ONE, -ONE, 0]


# --- the best ---------------------------------------------------------------------------------

scored = st.lists(st.integers(-5, 5) | st.integers(-(2**40), 2**40), max_size=300)


@given(scores=scored, k=st.integers(0, 12), seed=st.integers(0, 999))
def test_the_best_are_those_of_a_sort_by_score_and_id(scores, k, seed):
    ids = np.random.default_rng(seed).permutation(len(scores))
    expected = sorted(range(len(scores)), key=lambda at: (-scores[at], ids[at]))[:k]
    assert top(np.array(scores, dtype=np.int64), k, ids).tolist() == expected


@given(scores=arrays.arrays(np.int32, st.integers(0, 400), elements=st.integers(0, 3)))
def test_among_many_equals_the_smallest_ids_win(scores):
    ids = np.arange(len(scores))[::-1]
    expected = sorted(range(len(scores)), key=lambda at: (-scores[at], ids[at]))[:3]
    assert top(scores, 3, ids).tolist() == expected
