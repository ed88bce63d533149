"""What one tenant's tables hold, in the form in which `store.audit` compares it with a fresh fold.

- Contents are read one at a time, so that checking a large store does not hold all of it in memory.
- Everything is read in one snapshot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from muniment.core.event import Envelope, Verification
from muniment.core.row import FOREVER, Doc, Row
from muniment.store import indexing
from muniment.store.audit import Index, Ledger, verify_ledger
from muniment.store.folded import Folded
from muniment.store.sealing import UNREADABLE
from muniment.store.tables.blocks import TableBlocks
from muniment.store.tables.connection import Connection
from muniment.store.tables.encoding import row_of, where_of
from muniment.store.tables.facts import FactTable
from muniment.store.tables.snapshot import ALL_DOCS, ALL_VERSIONS, TableSnapshot

_CONTENT = "SELECT salt, body FROM content WHERE tenant = ? AND seq = ?"
_CONTENT_SEQS = "SELECT seq FROM content WHERE tenant = ? ORDER BY seq"
_CONTENT_COUNT = "SELECT count(*) FROM content WHERE tenant = ?"
_ERASED = "SELECT claim_id FROM erased WHERE tenant = ?"
_CLASSES = "SELECT id, scope_kind, scope_id, audience FROM class WHERE tenant = ?"
_SUBJECTS = "SELECT claim_id, seq FROM subject WHERE tenant = ?"
_KEYS = "SELECT key, seq FROM lookup_key WHERE tenant = ? ORDER BY seq"
_LINKS = "SELECT DISTINCT to_id, seq FROM link WHERE tenant = ? ORDER BY seq"
_HEADS = """
SELECT coalesce(c.id, ''), h.head, h.count, h.revision
FROM class_head h LEFT JOIN class c ON c.tenant = h.tenant AND c.number = h.class WHERE h.tenant = ?
"""


class Contents(Mapping[int, tuple[bytes, bytes]]):
    """Salt and body by event, read when asked for."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._connection = connection
        self._tenant = tenant

    def __getitem__(self, seq: int) -> tuple[bytes, bytes]:
        found = self._connection.one(_CONTENT, (self._tenant, seq))
        if found is None:
            raise KeyError(seq)
        return found[0], found[1]

    def __iter__(self) -> Iterator[int]:
        return iter([seq for (seq,) in self._connection.all(_CONTENT_SEQS, (self._tenant,))])

    def __len__(self) -> int:
        return int(self._connection.value(_CONTENT_COUNT, (self._tenant,)))


def verified(
    snapshot: TableSnapshot, connection: Connection, tenant: int, head: str
) -> Verification:
    """Check one tenant's ledger, and its tables against a fresh fold.

    Raises:
        StoreDamaged: A table cannot be read, or a row cannot be decoded.
    """
    envelopes = list(snapshot.envelopes())
    try:
        classes = {id: where_of(*rest) for id, *rest in connection.all(_CLASSES, (tenant,))}
        derived = derived_tables(connection, tenant)
    except UNREADABLE as error:
        raise connection.damaged("a derived row does not hold what was written") from error
    erased = frozenset(id for (id,) in connection.all(_ERASED, (tenant,)))
    contents = Contents(connection, tenant)
    ledger = Ledger(envelopes, contents, classes, erased, snapshot.key)
    found = verify_ledger(ledger, derived, head, _index(snapshot, connection, tenant))
    if subjects_missing(connection, tenant, envelopes):
        problem = "the list of which events tell of which claim is not what the ledger gives"
        found = replace(found, ok=False, problems=(*found.problems, problem))
    return found


def _index(snapshot: TableSnapshot, connection: Connection, tenant: int) -> Index:
    """What the index holds.

    Raises:
        StoreDamaged: A block of it is missing or cannot be read.
    """
    blocks = TableBlocks(connection, tenant)
    try:
        rows = list(indexing.every_entry(blocks))
    except UNREADABLE as error:
        raise connection.damaged("the index does not hold what was written") from error
    numbers = {row.id: row.number for row in snapshot.classes()}
    return Index(rows, numbers, snapshot.term_key)


def subjects_missing(connection: Connection, tenant: int, envelopes: list[Envelope]) -> bool:
    """Whether the table by which erasure finds its events is not what the envelopes say."""
    held = set(connection.all(_SUBJECTS, (tenant,)))
    return held != {(claim_id, e.seq) for e in envelopes for claim_id in e.subjects}


def derived_tables(connection: Connection, tenant: int) -> Folded:
    """The derived tables as a folded state."""

    def all_of(statement: str) -> list[tuple[Any, ...]]:
        return connection.all(statement, (tenant,))

    state = Folded()
    for columns in all_of(ALL_VERSIONS):
        _add_row(state, row_of(columns))
    state.carrying = _grouped(all_of(_KEYS), lambda t: (t[0], t[1]))
    state.pointing = _grouped(all_of(_LINKS), lambda t: (t[0], t[1]))
    state.docs = {(t[0], t[1]): Doc(*t) for t in all_of(ALL_DOCS)}
    state.fact_table = FactTable(connection, tenant).held()
    state.heads = {t[0]: (t[1].hex(), t[2], t[3]) for t in all_of(_HEADS)}
    return state


def _add_row(state: Folded, row: Row) -> None:
    state.rows[row.seq] = row
    state.versions[row.claim_id] = (*state.versions.get(row.claim_id, ()), row.seq)
    if row.until_revision == FOREVER:
        state.latest[row.claim_id] = row.seq


def _grouped(
    rows: list[tuple[Any, ...]], split: Callable[[tuple[Any, ...]], tuple[Any, Any]]
) -> dict[Any, tuple[Any, ...]]:
    lists: dict[Any, list[Any]] = {}
    for row in rows:
        place, value = split(row)
        lists.setdefault(place, []).append(value)
    return {place: tuple(values) for place, values in lists.items()}
