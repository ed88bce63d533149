"""Append to one tenant's ledger, and erase from it.

- Everything that an append needs is sealed and folded before the first row is written: a bad event leaves nothing.
- After a failed write the transaction can only be rolled back, whatever its caller does with the error.
- Erasing removes contents, salts and all that was derived from them; envelopes stay. It is complete on disk after
  the store's `checkpoint`; until then the claim stands in `erased` as pending.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from muniment.core.access import Audience, Scope, normal
from muniment.core.canonical import canonical
from muniment.core.errors import StoreError, quoted
from muniment.core.event import Envelope, Event
from muniment.core.fold import fold
from muniment.core.row import Derived
from muniment.store import indexing
from muniment.store.index_reading import Caches
from muniment.store.indexing import NO_VECTORS
from muniment.store.sealing import (
    SALT_BYTES,
    UNREADABLE,
    Place,
    Sealed,
    Where,
    event_of,
    recorded_at,
    seal,
)
from muniment.store.tables.blocks import TableBlocks
from muniment.store.tables.connection import Connection
from muniment.store.tables.derivation import Derivation
from muniment.store.tables.encoding import envelope_of, pack, where_of
from muniment.store.tables.facts import FactTable
from muniment.store.tables.snapshot import TableSnapshot, where_or_none

if TYPE_CHECKING:
    from muniment.index.entry import Entry
    from muniment.index.selection import View

_NEW_TENANT = "INSERT INTO tenant (name, key) VALUES (?, ?)"
_TENANT = "SELECT id FROM tenant WHERE name = ?"
_CLASS = "SELECT number, scope_kind, scope_id, audience FROM class WHERE tenant = ? AND id = ?"
_NEXT_CLASS = "SELECT coalesce(max(number), 0) + 1 FROM class WHERE tenant = ?"
_NEW_CLASS = "INSERT INTO class VALUES (?, ?, ?, ?, ?, ?)"
_EVENT = "INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_CONTENT = "INSERT INTO content VALUES (?, ?, ?, ?)"
_LEDGER = """
SELECT e.seq, e.revision, e.at, e.kind, e.id, e.parent, e.subjects, c.id, e.commitment, e.previous, e.hash,
    e.class, t.body, c.scope_kind, c.scope_id, c.audience
FROM event e
LEFT JOIN class c ON c.tenant = e.tenant AND c.number = e.class
LEFT JOIN content t ON t.tenant = e.tenant AND t.seq = e.seq
WHERE e.tenant = ? AND e.seq > ? ORDER BY e.seq LIMIT 500
"""
_SUBJECT_OF = "SELECT seq FROM subject WHERE tenant = ? AND claim_id = ? ORDER BY seq"
_DOCS_LEFT = """
SELECT DISTINCT e.kind, e.id FROM numbers(?1) j
CROSS JOIN event e ON e.tenant = ?2 AND e.seq = j.value
CROSS JOIN doc d ON d.tenant = ?2 AND d.collection = e.kind AND d.id = e.id
"""
_ENDS = "SELECT seq, until_revision FROM version WHERE tenant = ?"
_DOC_EVENTS = "SELECT seq FROM doc WHERE tenant = ?"
_LAST_ERASED = """
SELECT max(seq) FROM event e WHERE e.tenant = ?1 AND e.kind = ?2 AND e.id = ?3
    AND NOT EXISTS (SELECT 1 FROM content t WHERE t.tenant = ?1 AND t.seq = e.seq)
"""
_FIRST_SINCE = """
UPDATE doc SET first_seq = (
    SELECT min(e.seq) FROM event e WHERE e.tenant = ?1 AND e.kind = ?2 AND e.id = ?3 AND e.seq > ?4
) WHERE tenant = ?1 AND collection = ?2 AND id = ?3 AND first_seq <= ?4
"""
_ERASE_CONTENT = (
    "DELETE FROM content WHERE tenant = ?2 AND seq IN (SELECT value FROM numbers(?1) j)"
)
_ERASE_DERIVED = (
    "DELETE FROM version WHERE tenant = ?2 AND seq IN (SELECT value FROM numbers(?1) j)",
    "DELETE FROM lookup_key WHERE tenant = ?2 AND seq IN (SELECT value FROM numbers(?1) j)",
    "DELETE FROM link WHERE tenant = ?2 AND seq IN (SELECT value FROM numbers(?1) j)",
    "DELETE FROM doc WHERE tenant = ?2 AND seq IN (SELECT value FROM numbers(?1) j)",
)
_ERASED = """
INSERT INTO erased VALUES (?, ?, 1) ON CONFLICT (tenant, claim_id) DO UPDATE SET pending = 1
"""


class TableTransaction(TableSnapshot):
    """A snapshot that can be appended to; it sees its own writes.

    Args:
        connection: In a write transaction.
        tenant: The tenant's name.
        new_key: Gives the key of a tenant that has none yet.
        entropy: Gives n random bytes, for salts.
        caches: What the store remembers; of it only what no write changes is used.
    """

    def __init__(
        self,
        connection: Connection,
        tenant: str,
        new_key: Callable[[str], bytes],
        entropy: Callable[[int], bytes],
        caches: Caches | None = None,
    ) -> None:
        super().__init__(connection, tenant, new_key)
        self._lasting = caches or self._caches
        if not self._number:
            self._number = self._new_tenant(connection)
        self._entropy = entropy
        self._next_revision = self._revision + 1
        self._failed = False
        self._declared: dict[tuple[Scope, Audience], str] = {}
        self.erased: set[str] = set()

    def _new_tenant(self, connection: Connection) -> int:
        """Keep the tenant's name and key; its number."""
        connection.run(_NEW_TENANT, (self._name, self._key))
        return int(connection.value(_TENANT, (self._name,)))

    def declare_class(self, scope: Scope, audience: Audience) -> str:
        """The id of the class with this scope and audience, made where there is none."""
        if (scope, audience) in self._declared:
            return self._declared[scope, audience]
        form = canonical(normal(audience)).decode()
        id = self.key("class", scope.kind, scope.id, form)
        with self._writing() as connection:
            if connection.one(_CLASS, (self._number, id)) is None:
                number = connection.value(_NEXT_CLASS, (self._number,))
                connection.run(_NEW_CLASS, (self._number, number, id, scope.kind, scope.id, form))
        self._declared[scope, audience] = id
        return id

    @property
    def memo(self) -> MutableMapping[Any, Any]:
        """Nothing is remembered of a state that may never be committed."""
        return {}

    @property
    def kept(self) -> MutableMapping[Any, Any]:
        """Nothing is remembered of a state that may never be committed."""
        return {}

    def index(self, family: str) -> View:
        """The index with what this transaction wrote."""
        blocks = TableBlocks(self._connection, self._number)
        return Caches().view(self._name, blocks, family, self._seq)

    def _term_key(self) -> Callable[[str], int]:
        return self._lasting.term_key(self._key)

    def append(
        self,
        events: Sequence[Event],
        at: datetime,
        vectors: Mapping[str, Mapping[int, bytes]] = NO_VECTORS,
    ) -> int:
        """Append events as part of this transaction's revision, and fold them.

        Raises:
            ValueError: An event cannot be kept as it is; none of them was appended.
        """
        with self._writing() as connection:
            classes = {event.cls: self._class(event.cls) for event in events}
            planned = list(self._sealed(events, at, classes))
            self._insert(connection, planned, classes)
            derivation = Derivation(connection, self._number, self._term_key())
            for sealed, _, derived in planned:
                derivation.add(sealed.envelope, classes[sealed.envelope.cls][0], derived)
            derivation.flush()
            self._embed(connection, [one[0].envelope.seq for one in planned], vectors)
        if planned:
            last = planned[-1][0].envelope
            self._seq, self._revision, self._hash = last.seq, last.revision, last.hash
        return self._revision

    def _embed(
        self,
        connection: Connection,
        seqs: Sequence[int],
        vectors: Mapping[str, Mapping[int, bytes]],
    ) -> None:
        blocks = TableBlocks(connection, self._number)
        for space, by_place in vectors.items():
            blocks.put_vectors(space, {seqs[place]: data for place, data in by_place.items()})

    def further_revision(self) -> None:
        """Let what is appended from here on be of a revision of its own."""
        self._next_revision = self._revision + 1

    def embed(self, space: str, vectors: Mapping[int, bytes]) -> None:
        """Add vectors of what is in the ledger already, by event; they join the index at once."""
        with self._writing() as connection:
            blocks = TableBlocks(connection, self._number)
            blocks.put_vectors(space, vectors)
            indexing.join_vectors(blocks)

    def _class(self, id: str) -> tuple[int | None, Where | None]:
        found = self._connection.one(_CLASS, (self._number, id)) if id else None
        return (found[0], where_of(*found[1:])) if found else (None, None)

    def _sealed(
        self,
        events: Sequence[Event],
        at: datetime,
        classes: dict[str, tuple[int | None, Where | None]],
    ) -> Iterator[tuple[Sealed, bytes, Derived]]:
        previous = self._hash
        for seq, event in enumerate(events, start=self._seq + 1):
            salt = self._entropy(SALT_BYTES)
            place = Place(seq, self._next_revision, at, previous)
            sealed = seal(event, place, salt, classes[event.cls][1])
            previous = sealed.envelope.hash
            instant = recorded_at(sealed.envelope)
            derived = fold(event, seq, self._next_revision, instant, self.key)
            self._must_hold(sealed.envelope, derived)
            yield sealed, salt, derived

    def _must_hold(self, envelope: Envelope, derived: Derived) -> None:
        """Refuse with `ValueError` what the database cannot keep as text."""

    def _insert(
        self,
        connection: Connection,
        planned: Sequence[tuple[Sealed, bytes, Derived]],
        classes: Mapping[str, tuple[int | None, Where | None]],
    ) -> None:
        """Write the ledger's own rows."""
        tenant = self._number
        events = (_columns(sealed.envelope, classes) for sealed, _, _ in planned)
        connection.many(_EVENT, [(tenant, *columns) for columns in events])
        contents = ((sealed.envelope.seq, salt, sealed.body) for sealed, salt, _ in planned)
        connection.many(_CONTENT, [(tenant, *columns) for columns in contents])

    def erase(self, claim_id: str) -> int:
        """Remove the contents that have the claim among their subjects, and all that was derived from them."""
        with self._writing() as connection:
            seqs = [seq for (seq,) in connection.all(_SUBJECT_OF, (self._number, claim_id))]
            gone, tenant = connection.listed(seqs), self._number
            indexing.erase(TableBlocks(connection, tenant), seqs)
            removed = connection.changed(_ERASE_CONTENT, (gone, tenant))
            facts = FactTable(connection, tenant)
            replaced = facts.replaced_by(gone)
            for statement in _ERASE_DERIVED:
                connection.run(statement, (gone, tenant))
            facts.erase(gone, replaced)
            for kind, id in connection.all(_DOCS_LEFT, (gone, tenant)):
                self._move_first(connection, kind, id)
            connection.run(_ERASED, (tenant, claim_id))
            self.erased.add(claim_id)
        return removed

    def _move_first(self, connection: Connection, kind: str, id: str) -> None:
        """A doc that is left begins after the last event of its thing that was erased."""
        last = connection.value(_LAST_ERASED, (self._number, kind, id))
        if last is not None:
            connection.run(_FIRST_SINCE, (self._number, kind, id, last))

    def refold(self) -> None:
        """Drop everything derived and fold the ledger again."""
        with self._writing() as connection:
            derivation = Derivation(connection, self._number)
            derivation.drop_all()
            for envelope, cls, derived in self._folded(connection):
                derivation.add(envelope, cls, derived)
            derivation.flush()
        self.reindex()

    def reindex(self) -> None:
        """Drop the index and write it again from the ledger and the derived rows (`E-REBUILD`)."""
        with self._writing() as connection:
            indexing.rebuild(TableBlocks(connection, self._number), self.entries(connection))

    def entries(self, connection: Connection) -> Iterator[tuple[str, Entry]]:
        """Every row that the index should have, with its family."""
        ends: dict[int, int] = dict(connection.all(_ENDS, (self._number,)))
        current = {seq for (seq,) in connection.all(_DOC_EVENTS, (self._number,))}
        for envelope, cls, derived in self._folded(connection):
            if derived is None or cls is None or (derived.doc and envelope.seq not in current):
                continue
            row = derived.row
            ended = row and replace(row, until_revision=ends[envelope.seq])
            added = indexing.tail_row(replace(derived, row=ended), cls, self._term_key(), (0, 0))
            if added is not None:
                yield added

    def _folded(
        self, connection: Connection
    ) -> Iterator[tuple[Envelope, int | None, Derived | None]]:
        after = 0
        while True:
            page = connection.all(_LEDGER, (self._number, after))
            if not page:
                return
            for columns in page:
                envelope, cls, body = envelope_of(columns[:11]), columns[11], columns[12]
                yield envelope, cls, self._fold_kept(envelope, body, where_or_none(*columns[13:]))
            after = page[-1][0]

    def _fold_kept(
        self, envelope: Envelope, body: bytes | None, where: Where | None
    ) -> Derived | None:
        if body is None:
            return None
        try:
            event = event_of(envelope, body, where)
            return fold(event, envelope.seq, envelope.revision, recorded_at(envelope), self.key)
        except UNREADABLE as error:
            what = f"the content of event {envelope.seq} is not readable"
            raise self._connection.damaged(what) from error

    def must_be_whole(self) -> None:
        """Refuse to commit after a failed write.

        Raises:
            StoreError: An earlier write failed.
        """
        if self._failed:
            raise StoreError(
                f"an earlier write to the store {quoted(self._connection.path)} failed; nothing was written",
                fix="try the whole transaction again",
            )

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        self.must_be_whole()
        try:
            yield self._connection
        except StoreError:
            self._failed = True
            raise


def _columns(
    e: Envelope, classes: Mapping[str, tuple[int | None, Where | None]]
) -> tuple[Any, ...]:
    """The columns of the table `event`, in the table's order, after the tenant's."""
    digests = (bytes.fromhex(digest) for digest in (e.commitment, e.previous, e.hash))
    number = classes[e.cls][0]
    return (e.seq, e.revision, e.at, e.kind, e.id, e.parent, pack(e.subjects), number, *digests)
