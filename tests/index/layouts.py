"""How long tails and segments may grow in a test, and what a view of the index tells."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from muniment.core.row import FOREVER
from muniment.index.table import COLUMNS
from muniment.store import indexing


@contextmanager
def layout(tail_rows: int, alike: int, tail_parts: int = 8) -> Iterator[None]:
    """Merge tails of so many rows, and segments when there are so many alike."""
    from muniment.store import index_reading

    kept = indexing.TAIL_ROWS, indexing.ALIKE, index_reading.TAIL_PARTS
    indexing.TAIL_ROWS, indexing.ALIKE, index_reading.TAIL_PARTS = tail_rows, alike, tail_parts
    try:
        yield
    finally:
        indexing.TAIL_ROWS, indexing.ALIKE, index_reading.TAIL_PARTS = kept


def told(view) -> dict:
    """Every row of a view by event: columns, words with counts, ends, supersessions, vectors."""
    found = {}
    for part in view.parts:
        table = part.segment.table()
        ends = dict(zip(part.ended.tolist(), part.ended_in.tolist(), strict=True))
        for n in range(table.size):
            columns = {name: table.columns[name][n].item() for name, _ in COLUMNS}
            columns["until"] = ends.get(n, FOREVER)
            words = sorted(
                zip(table.term[table.row == n].tolist(), table.count[table.row == n].tolist(), strict=True)
            )  # fmt: skip
            vectors = {
                space: data[rows == n].tobytes()
                for space, (rows, data) in table.vectors.items()
                if (rows == n).any()
            }
            olds = sorted(table.superseded[table.successor == n].tolist())
            assert table.seq[n].item() not in found
            found[table.seq[n].item()] = (
                table.cls[n].item(), table.id[n], columns, words, olds, vectors
            )  # fmt: skip
    return found
