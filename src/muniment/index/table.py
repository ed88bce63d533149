"""Rows of the index as columns: the form in which they are sorted, merged and written.

- Rows are sorted by class and event, so that a class is one run of rows.
- Of what was merged the same blocks come out, whatever the pieces were (`E-REBUILD`).

>>> one, two = Entry(7, 1, 3, "mem_a", 2, 5, terms=((11, 1),)), Entry(9, 1, 4, "mem_b", 1, 5)
>>> from muniment.index.entry import Entry
>>> merged([of_entries([two]), of_entries([one])]).seq.tolist()
[7, 9]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from muniment.index.entry import Entry

Array = npt.NDArray[Any]

COLUMNS = (
    ("revision", np.int64),
    ("until", np.int64),
    ("length", np.int64),
    ("signature", np.uint64),
    ("special", np.bool_),
    ("valid_from", np.int64),
    ("valid_until", np.int64),
    ("expires_at", np.int64),
    ("verified_at", np.int64),
    ("began", np.int64),
)
"""Columns with one number a row, beside class, event and name."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows as columns.

    Attributes:
        cls: Number of each row's class.
        seq: Event of each row.
        id: What each row is of, as bytes.
        columns: The columns of `COLUMNS`.
        term: For each posting the word's digest.
        row: For each posting its row.
        count: For each posting how often the word stands there.
        closes: Class, event and revision of versions that these rows replaced, one a line.
        successor: For each supersession the row that replaces.
        superseded: For each supersession the claim that was replaced, as bytes.
        vectors: Space to the rows that have a vector, and the vectors.
    """

    cls: Array
    seq: Array
    id: Array
    columns: Mapping[str, Array]
    term: Array
    row: Array
    count: Array
    closes: Array
    successor: Array
    superseded: Array
    vectors: Mapping[str, tuple[Array, Array]] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """How many rows there are."""
        return len(self.seq)


def of_entries(every: Sequence[Entry]) -> Table:
    """Columns from rows, in their order; of one without a name only what it replaced is kept.

    >>> of_entries([Entry(7, 1, 3, "mem_a", 2, 5)]).columns["revision"].tolist()
    [3]
    """
    entries = [e for e in every if e.id]
    columns = {
        name: np.array([getattr(e, name) for e in entries], dtype) for name, dtype in COLUMNS
    }
    sizes = np.array([len(e.terms) for e in entries], np.int64)
    pairs = [pair for e in entries for pair in e.terms]
    closes = [(*e.replaced, e.revision) for e in every if e.replaced != (0, 0)]
    superseded = [(n, old) for n, e in enumerate(entries) for old in e.supersedes]
    return Table(
        np.array([e.cls for e in entries], np.int64),
        np.array([e.seq for e in entries], np.int64),
        named(e.id for e in entries),
        columns,
        np.array([term for term, _ in pairs], np.uint64),
        np.repeat(np.arange(len(entries), dtype=np.int64), sizes),
        np.array([count for _, count in pairs], np.int64),
        np.array(closes, np.int64).reshape(-1, 3),
        np.array([n for n, _ in superseded], np.int64),
        named(old for _, old in superseded),
    )


def named(ids: Iterable[str]) -> Array:
    """Names as an array of bytes, which sort as the names do."""
    raw = [one.encode("utf-8", "surrogatepass") for one in ids]
    return np.array(raw, f"S{max(map(len, raw), default=1) or 1}")


def merged(tables: Sequence[Table]) -> Table:
    """All rows in one, sorted by class and event, ends of versions put where their rows are."""
    cls, seq = _joined([t.cls for t in tables]), _joined([t.seq for t in tables])
    order = np.lexsort((seq, cls))
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    starts = np.cumsum([0, *(t.size for t in tables)])
    columns = {
        name: _joined([t.columns[name] for t in tables])[order].astype(dtype)
        for name, dtype in COLUMNS
    }
    rows = _joined([t.row + start for t, start in zip(tables, starts, strict=False)])
    successors = _joined([t.successor + start for t, start in zip(tables, starts, strict=False)])
    closes = np.concatenate([t.closes for t in tables]) if tables else np.empty((0, 3), np.int64)
    cls, seq = cls[order], seq[order]
    return Table(
        cls,
        seq,
        _joined([t.id for t in tables])[order],
        columns,
        _joined([t.term for t in tables]),
        place[rows] if len(rows) else rows,
        _joined([t.count for t in tables]),
        _ended(cls, seq, columns["until"], closes),
        place[successors] if len(successors) else successors,
        _joined([t.superseded for t in tables]),
        _vectors(tables, starts, place),
    )


def _joined(arrays: Sequence[Array]) -> Array:
    return np.concatenate(arrays) if arrays else np.empty(0, np.int64)


def _ended(cls: Array, seq: Array, until: Array, closes: Array) -> Array:
    """Write ends of versions into their rows; what is left is of rows elsewhere."""
    if not len(closes):
        return closes
    rows = found(cls, seq, closes[:, 0], closes[:, 1])
    here = rows >= 0
    np.minimum.at(until, rows[here], closes[here, 2])
    return closes[~here]


def found(cls: Array, seq: Array, wanted_cls: Array, wanted_seq: Array) -> Array:
    """The row of each (class, event), -1 where there is none; rows are sorted by both.

    >>> one, two = np.array([1, 1, 2]), np.array([4, 9, 3])
    >>> found(one, two, np.array([1, 2, 2]), np.array([9, 3, 4])).tolist()
    [1, 2, -1]
    """
    if not len(cls):
        return np.full(len(wanted_cls), -1, np.int64)
    keys = (cls << 40) | seq
    wanted = (wanted_cls << 40) | wanted_seq
    rows = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[rows] == wanted, rows, -1)


def _vectors(
    tables: Sequence[Table], starts: Array, place: Array
) -> dict[str, tuple[Array, Array]]:
    spaces = sorted({space for t in tables for space in t.vectors})
    result = {}
    for space in spaces:
        held = [
            (t.vectors[space][0] + start, t.vectors[space][1])
            for t, start in zip(tables, starts, strict=False)
            if space in t.vectors
        ]
        rows = place[np.concatenate([rows for rows, _ in held])]
        order = np.argsort(rows)
        result[space] = (rows[order], np.concatenate([data for _, data in held])[order])
    return result


def without(table: Table, seqs: Iterable[int]) -> Table:
    """The rows but those of some events, with their words and vectors."""
    keep = ~np.isin(table.seq, np.array(sorted(seqs), np.int64))
    place = np.cumsum(keep) - 1
    posts, successors = keep[table.row], keep[table.successor]
    vectors = {}
    for space, (rows, data) in table.vectors.items():
        held = keep[rows]
        vectors[space] = (place[rows[held]], data[held])
    return Table(
        table.cls[keep],
        table.seq[keep],
        table.id[keep],
        {name: column[keep] for name, column in table.columns.items()},
        table.term[posts],
        place[table.row[posts]],
        table.count[posts],
        table.closes,
        place[table.successor[successors]],
        table.superseded[successors],
        vectors,
    )


def with_vectors(table: Table, vectors: Mapping[str, Mapping[int, bytes]]) -> Table:
    """The same rows with vectors.

    Args:
        table: The rows.
        vectors: Space to the vectors of events, signed bytes; those of other events are left out.
    """
    held = dict(table.vectors)
    for space, by_event in vectors.items():
        rows = [n for n, seq in enumerate(table.seq.tolist()) if seq in by_event]
        if rows:
            data = b"".join(by_event[int(table.seq[n])] for n in rows)
            matrix = np.frombuffer(data, np.int8).reshape(len(rows), -1)
            held[space] = _overlaid(held.get(space), np.array(rows, np.int64), matrix)
    return replace(table, vectors=held)


def _overlaid(held: tuple[Array, Array] | None, rows: Array, data: Array) -> tuple[Array, Array]:
    """Vectors with others put over them."""
    if held is None:
        return rows, data
    keep = ~np.isin(held[0], rows)
    every, whole = np.append(held[0][keep], rows), np.concatenate([held[1][keep], data])
    order = np.argsort(every)
    return every[order], whole[order]


def entries_of(table: Table) -> Iterator[Entry]:
    """Rows from columns; what each replaced is told by the ends of the versions."""
    order = np.lexsort((table.term, table.row))
    terms, counts = table.term[order].tolist(), table.count[order].tolist()
    ends = np.cumsum(np.bincount(table.row, minlength=table.size)).tolist()
    names = [one.decode("utf-8", "surrogatepass") for one in table.id.tolist()]
    supersedes: dict[int, list[str]] = {}
    for row, old in zip(table.successor.tolist(), table.superseded.tolist(), strict=True):
        supersedes.setdefault(row, []).append(old.decode("utf-8", "surrogatepass"))
    columns = {name: column.tolist() for name, column in table.columns.items()}
    begin = 0
    for n in range(table.size):
        words = tuple(zip(terms[begin : ends[n]], counts[begin : ends[n]], strict=True))
        begin = ends[n]
        yield Entry(
            int(table.seq[n]),
            int(table.cls[n]),
            id=names[n],
            supersedes=tuple(supersedes.get(n, ())),
            terms=words,
            **{name: column[n] for name, column in columns.items()},
        )
