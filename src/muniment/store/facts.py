"""The facts of a folded state, looked through one by one: what `core.facts.Wanted` means.

>>> matching(Folded(), Wanted(predicate=1, classes=("c",)))
[]
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice

from muniment.core.facts import (
    DERIVED,
    DISPUTED,
    SUPERSEDED,
    FactCount,
    FactRow,
    Triple,
    Wanted,
    span_of,
)
from muniment.core.row import FOREVER, Row
from muniment.store.folded import Folded

Held = tuple[int, tuple[Triple, ...], int, tuple[int | None, int | None, int | None], int, int]
"""Standing, facts, marks, span, first revision and the one after the last."""


def matching(folded: Folded, wanted: Wanted) -> list[FactRow]:
    """The facts of a state that are as wanted."""
    return list(islice(_matching(folded, wanted), wanted.limit))


def counts_of(rows: Iterable[FactRow]) -> list[FactCount]:
    """How many of some facts have each standing.

    >>> counts_of([(1, 2, 7, 5, 0, None, None), (1, 3, 8, 5, 4, None, None)])
    [(5, 2, 4, 7)]
    """
    found: dict[int, FactCount] = {}
    for _, _, event, standing, marks, *_ in rows:
        _, count, together, first = found.get(standing, (standing, 0, 0, event))
        found[standing] = (standing, count + 1, together | marks, min(first, event))
    return list(found.values())


def _matching(folded: Folded, wanted: Wanted) -> Iterator[FactRow]:
    for seq, (standing, triples) in folded.facts.items():
        row = folded.rows[seq]
        if not _serves(row, standing, wanted):
            continue
        if wanted.seen is not None and _is_replaced(folded, row, wanted):
            continue
        _, end, verified = span_of(row)
        for predicate, subject, object in triples:
            if predicate == wanted.predicate and _has_ends(subject, object, wanted):
                yield subject, object, seq, standing, marks_of(folded, row), end, verified


def _serves(row: Row, standing: int, wanted: Wanted) -> bool:
    start, end, _ = span_of(row)
    latest = row.until_revision == FOREVER
    held = latest if wanted.revision == FOREVER else row.is_live_at(wanted.revision)
    timely = wanted.at is None or (
        (start is None or start <= wanted.at) and (end is None or wanted.at < end)
    )
    return held and timely and row.cls in wanted.classes and standing not in wanted.without


def _has_ends(subject: int, object: int, wanted: Wanted) -> bool:
    if wanted.pairs is not None:
        return (subject, object) in wanted.pairs
    return (wanted.subjects is None or subject in wanted.subjects) and (
        wanted.objects is None or object in wanted.objects
    )


def _replacing(folded: Folded, claim_id: str) -> Iterator[Row]:
    rows = (folded.rows.get(seq) for seq in folded.pointing.get(claim_id, ()))
    return (row for row in rows if row is not None and claim_id in row.supersedes)


def _is_replaced(folded: Folded, row: Row, wanted: Wanted) -> bool:
    """Whether a claim that holds in the state, of a class that is seen, names this one as replaced."""
    seen: Collection[str] = wanted.seen or ()
    live = (
        other.until_revision == FOREVER
        if wanted.revision == FOREVER
        else other.is_live_at(wanted.revision)
        for other in _replacing(folded, row.claim_id)
        if other.cls in seen
    )
    return any(live)


def marks_of(folded: Folded, row: Row) -> int:
    """What is to be looked at more closely before a fact serves."""
    superseded = any(True for _ in _replacing(folded, row.claim_id))
    return SUPERSEDED * superseded + own_marks(row)


def own_marks(row: Row) -> int:
    """What a row says of itself."""
    return DERIVED * bool(row.derived_from) + DISPUTED * bool(row.conflicts)


def fact_table(folded: Folded) -> Mapping[int, Held]:
    """All that is kept of the facts, by event, so that a table of them can be compared with a fresh fold."""
    if folded.fact_table is not None:
        return folded.fact_table
    return {
        seq: (
            standing,
            tuple(sorted(triples)),
            marks_of(folded, folded.rows[seq]),
            span_of(folded.rows[seq]),
            folded.rows[seq].revision,
            folded.rows[seq].until_revision,
        )
        for seq, (standing, triples) in folded.facts.items()
        if seq in folded.rows
    }
