"""How near the rows of a question are to its vector.

- Every row in scope is compared exactly, none that is not in scope: there is no graph of neighbours, and nothing that
  rows of others could change (DESIGN section 4).
- A row without a vector in the space has similarity 0, and is counted as pending.

The numbers are `index.vectors`'.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from muniment.index.blocks import VECTORS_A_BLOCK
from muniment.index.selection import Run
from muniment.index.table import Array
from muniment.index.vectors import ONE, dots, similarity

THREADS = 2
APART = 1 << 25
"""Bytes of vectors below which a second thread costs more than it saves."""


@dataclass(frozen=True, slots=True)
class Near:
    """A run compared with a vector.

    Attributes:
        run: The run.
        products: Each position's dot product; 0 where it has no vector.
        squares: Each position's own dot product; 0 where it has no vector.
        square: The question's.
        shortest: The least of the rows' own, or less.
    """

    run: Run
    products: Array
    squares: Array
    square: int
    shortest: int

    def similarity(self, positions: Array) -> Array:
        """The cosines of some positions, fixed point."""
        found: Array = similarity(self.products[positions], self.squares[positions], self.square)
        return found

    def at_least(self, cosine: int, among: Array) -> tuple[Array, Array]:
        """Positions whose cosine is at least one, and their cosines.

        Args:
            cosine: Fixed point, above 0.
            among: Which positions may be.
        """
        if not self.square or not self.shortest:
            return np.empty(0, np.int64), np.empty(0, np.int64)
        floor = int(cosine / ONE * math.sqrt(self.square * self.shortest) * 0.999) - 1
        rough = np.flatnonzero((self.products >= floor) & among)
        exact = self.similarity(rough)
        kept = exact >= cosine
        return rough[kept], exact[kept]


def has_vector(run: Run, space: str) -> Array:
    """Which positions have a vector in a space."""
    held: Array = _squares(run, space) > 0
    return held


def near(run: Run, space: str, vector: bytes) -> Near:
    """Compare a run with a vector.

    Args:
        run: The rows in scope.
        space: Where the vector lies.
        vector: Signed bytes; empty for none.
    """
    squares = _squares(run, space)
    query = np.frombuffer(vector, np.int8)
    square = int((query.astype(np.int64) ** 2).sum())
    products = np.zeros(run.size, np.int32)
    if square and space in run.segment.spaces:
        _multiply(run, space, query, products)
    return Near(run, products, squares, square, _shortest(run, space))


def _pieces(run: Run) -> list[tuple[int, int, int, int]]:
    """The blocks that a run's rows lie in: block, first and last row in it, first position."""
    found = []
    for begin, end, offset in zip(
        run.begin.tolist(), run.end.tolist(), run.offset.tolist(), strict=True
    ):
        at = begin
        while at < end:
            block = at // VECTORS_A_BLOCK
            stop = min(end, (block + 1) * VECTORS_A_BLOCK)
            first = block * VECTORS_A_BLOCK
            found.append((block, at - first, stop - first, offset + at - begin))
            at = stop
    return found


def _multiply(run: Run, space: str, query: Array, products: Array) -> None:
    pieces = [(run.segment.vector_block(space, p[0]), *p[1:]) for p in _pieces(run)]

    def work(some: Sequence[tuple[Array, int, int, int]]) -> None:
        for block, first, last, position in some:
            found = dots(block[first:last], query, threads=1)
            products[position : position + last - first] = found

    if run.size * len(query) < APART or len(pieces) < THREADS:
        work(pieces)
        return
    half = len(pieces) // 2
    other = threading.Thread(target=work, args=(pieces[:half],))
    other.start()
    work(pieces[half:])
    other.join()


def _squares(run: Run, space: str) -> Array:
    """Each position's own dot product."""
    if space not in run.segment.spaces:
        return np.zeros(run.size, np.int32)
    found: Array = run.take(run.segment.squares(space)).astype(np.int32)
    return found


def _shortest(run: Run, space: str) -> int:
    """The least own dot product of a segment's vectors; 0 where it has none."""
    if space not in run.segment.spaces:
        return 0
    kept, name = run.segment.kept, f"= shortest {space}"
    if name not in kept:
        squares = run.segment.squares(space)
        held = squares[squares > 0]
        kept[name] = int(held.min()) if len(held) else 0
    shortest: int = kept[name]
    return shortest
