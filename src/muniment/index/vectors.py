"""Compare int8 vectors exactly, a million at a time.

- A vector is a row of int8, a unit vector times 127. A row of zeros stands for a text without one: its
  similarity is 0.
- Every result is an integer that no order of addition, kernel, thread count or block size changes
  (DESIGN section 5): a dot product is exact, a similarity is made of correctly rounded operations on one row.
- simsimd multiplies where it is installed and passes a check at first use, else NumPy does; the bits are the
  same. NumPy multiplies in float32, which holds every sum of a column block exactly (`COLUMNS`).
- Work is split over threads of this call's own, so that nothing survives a fork.

No I/O, no eligibility and no identity of spaces: the caller hands in rows that may be compared.

>>> import numpy as np
>>> rows = np.array([[127, 0], [0, 127], [90, 90], [0, 0]], dtype=np.int8)
>>> asked = np.array([127, 0], dtype=np.int8)
>>> found = similarity(dots(rows, asked), norms(rows), 127 * 127)
>>> [round(value / ONE, 3) for value in found.tolist()]
[1.0, 0.0, 0.707, 0.0]
>>> top(found, 2, np.array([7, 8, 9, 10])).tolist()
[0, 2]
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from muniment.core.errors import InvalidInput

ONE = 1 << 20
"""The fixed-point form of 1, as in `core.rank`."""

COLUMNS = 1 << 10
"""Columns whose products float32 adds exactly: 1,024 · 128² is 2²⁴."""

DIMENSIONS = 1 << 16
"""Most columns of a row: 65,536 · 128² still fits an int32."""

_BLOCK = 1 << 18  # products a NumPy block makes: 1 MiB of float32, one core's second-level cache
_SPLIT = 1 << 26  # bytes of rows below which a second thread costs more than it saves
_ROWS = 1 << 16  # rows whose similarity is worked out at a time, for the cache

Rows = npt.NDArray[np.int8]
Integers = npt.NDArray[np.int32]
Kernel = Callable[[Rows, Rows, Integers], None]
"""Writes each row's dot product with a vector into the third array."""


# --- dot products ---------------------------------------------------------------------------------


def dots(matrix: Rows, query: Rows, threads: int = 2, kernel: Kernel | None = None) -> Integers:
    """The dot product of each row with a vector, exact.

    Args:
        matrix: int8 [n, d], rows contiguous.
        query: int8 [d].
        threads: At most so many, where there are enough rows.
        kernel: What multiplies; the fastest that there is by default. It changes no bit.

    Returns:
        int32 [n].

    Raises:
        InvalidInput: The dimensions differ, or are more than `DIMENSIONS`.
    """
    count, width = matrix.shape
    if query.shape != (width,) or width > DIMENSIONS:
        raise InvalidInput(
            f"a vector of {query.size} dimensions is not compared with vectors of {width}",
            fix=f"compare vectors of one space, of at most {DIMENSIONS} dimensions",
        )
    out = np.zeros(count, dtype=np.int32)
    if not count or not width:
        return out
    multiply = kernel or fastest()
    parts = min(threads, count) if matrix.nbytes >= _SPLIT else 1
    edges = [count * part // parts for part in range(parts + 1)]
    spans = [slice(first, last) for first, last in pairwise(edges)]
    _each(lambda span: multiply(matrix[span], query, out[span]), spans)
    return out


def dots_at(
    matrix: Rows, rows: npt.NDArray[np.intp], query: Rows, kernel: Kernel | None = None
) -> Integers:
    """The dot products of scattered rows, gathered block by block.

    Gathering costs several times what multiplying does. From a fifth of the rows on, `dots` of all is faster.

    Args:
        matrix: int8 [n, d].
        rows: Positions in it, in any order.
        query: int8 [d].
        kernel: As for `dots`.

    Returns:
        int32 [len(rows)], in the order of `rows`.

    Raises:
        InvalidInput: As for `dots`.
    """
    out = np.empty(len(rows), dtype=np.int32)
    step = max(1, _BLOCK // max(1, matrix.shape[1]))
    for first in range(0, len(rows), step):
        gathered = np.take(matrix, rows[first : first + step], axis=0)
        out[first : first + step] = dots(gathered, query, 1, kernel)
    return out


def _each(work: Callable[[slice], None], spans: list[slice]) -> None:
    """Do all of the work, the first span on this thread; an error of any thread is raised here."""
    failed: list[BaseException] = []

    def guarded(span: slice) -> None:
        try:
            work(span)
        except BaseException as error:  # noqa: BLE001 - raised again below, in the caller's thread
            failed.append(error)

    others = [threading.Thread(target=guarded, args=(span,)) for span in spans[1:]]
    for thread in others:
        thread.start()
    guarded(spans[0])
    for thread in others:
        thread.join()
    if failed:
        raise failed[0]


def numpy_kernel(matrix: Rows, query: Rows, out: Integers) -> None:
    """Multiply in float32, in blocks of rows that stay in the cache and of columns that stay exact."""
    count, width = matrix.shape
    out[:] = 0
    for left in range(0, width, COLUMNS):
        # INVARIANT: |every partial sum| <= COLUMNS * 128 ** 2 == 2 ** 24, so float32 holds it whatever the order.
        asked = query[left : left + COLUMNS].astype(np.float32)
        step = max(1, _BLOCK // len(asked))
        block = np.empty((min(step, count), len(asked)), dtype=np.float32)
        for first in range(0, count, step):
            rows = matrix[first : first + step, left : left + COLUMNS]
            part = block[: len(rows)]
            np.copyto(part, rows)
            out[first : first + step] += (part @ asked).astype(np.int32)


def simsimd_kernel() -> Kernel | None:
    """simsimd's int8 product, which adds in int32; None where it is not installed or fails the check."""
    try:
        import simsimd
    except ImportError:
        return None

    product: Any = simsimd.cdist  # its types do not list int32, its documentation does

    def multiply(matrix: Rows, query: Rows, out: Integers) -> None:
        # Not `out=`: with it, simsimd 6.5 gives back a None that it does not own, and the process aborts after
        # some thousands of calls (before Python 3.12).
        found = product(matrix, query.reshape(1, -1), metric="dot", out_dtype="int32", threads=1)
        out[:] = np.asarray(found)[:, 0]

    return multiply if _agrees(multiply) else None


def _agrees(kernel: Kernel) -> bool:
    """Whether a kernel is exact on the largest and on uneven rows, so that a wrong build is not used."""
    for width in (1, 63, 256, 1_100):
        steps = np.arange(4 * width, dtype=np.int64).reshape(4, width)
        rows = (steps * 37 % 255 - 127).astype(np.int8)
        rows[0], rows[1] = 127, -127
        found, expected = np.zeros(4, dtype=np.int32), np.zeros(4, dtype=np.int32)
        for asked in rows:
            try:
                kernel(rows, asked, found)
            except (TypeError, ValueError, RuntimeError):
                return False
            numpy_kernel(rows, asked, expected)
            if not np.array_equal(found, expected):
                return False
    return True


@lru_cache(maxsize=1)
def fastest() -> Kernel:
    """The fastest kernel that is here: simsimd's, else NumPy's."""
    return simsimd_kernel() or numpy_kernel


# --- similarity -----------------------------------------------------------------------------------


def norms(matrix: Rows) -> Integers:
    """The squared length of each row, int32 [n], exact."""
    out = np.empty(len(matrix), dtype=np.int32)
    step = max(1, _BLOCK // max(1, matrix.shape[1]))
    for first in range(0, len(matrix), step):
        rows = matrix[first : first + step].astype(np.int32)
        out[first : first + step] = np.einsum("ij,ij->i", rows, rows)
    return out


def similarity(products: Integers, row_norms: Integers, query_norm: int) -> Integers:
    """The cosine of the angle between each row and a vector, fixed point.

    A root, a quotient and a rounding to the nearest even integer, each correctly rounded by IEEE 754: the same
    bits wherever it is worked out, and from whichever rows stand beside.

    Args:
        products: `dots` of the rows with the vector.
        row_norms: `norms` of the rows.
        query_norm: The squared length of the vector.

    Returns:
        int32 [n] in [-ONE, ONE]; 0 where a length is 0.
    """
    out = np.empty(len(products), dtype=np.int32)
    for first in range(0, len(products), _ROWS):
        span = slice(first, first + _ROWS)
        lengths = row_norms[span].astype(np.float64)
        lengths *= (
            query_norm  # near 127 ** 4 for unit vectors, so exact; correctly rounded in any case
        )
        np.sqrt(lengths, out=lengths)
        np.maximum(lengths, 1.0, out=lengths)
        part = products[span].astype(np.float64)
        part *= ONE
        part /= lengths
        np.rint(part, out=part)
        np.clip(part, -ONE, ONE, out=part)
        out[span] = part
    return out


# --- the best -------------------------------------------------------------------------------------


def top(scores: npt.NDArray[Any], k: int, ids: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
    """The positions of the best, best first; the smaller id first among equals.

    Args:
        scores: Integers [n].
        k: How many at most.
        ids: Sortable and distinct [n]: what makes the order total.

    Returns:
        min(k, n) positions.
    """
    if k <= 0 or not len(scores):
        return np.empty(0, dtype=np.intp)
    near = np.flatnonzero(scores >= _floor(scores, k))
    if len(near) > k:
        worst = np.partition(scores[near], len(near) - k)[len(near) - k]
        above, level = near[scores[near] > worst], near[scores[near] == worst]
        wanted = k - len(above)
        if wanted < len(level):
            level = level[np.argpartition(ids[level], wanted - 1)[:wanted]]
        near = np.concatenate((above, level))
    order = np.lexsort((ids[near], -scores[near].astype(np.int64)))
    chosen: npt.NDArray[np.intp] = near[order]
    return chosen


def _floor(scores: npt.NDArray[Any], k: int) -> int:
    """A score that at least k rows reach, cheaply: the k-th best of the best of equal blocks."""
    width = len(scores) // (16 * k)
    if width < 2:
        return int(scores.min())
    blocks = len(scores) // width
    best = scores[: blocks * width].reshape(blocks, width).max(axis=1)
    return int(np.partition(best, blocks - k)[blocks - k])
