"""Write what one event adds to the derived tables, as `store.folded` defines it.

- The same code serves an append and a rebuild; `audit` compares its tables with a fold that does not use it.
- Heads are read once and written by `flush`, at the end of an append.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from muniment.core.event import Envelope
from muniment.core.row import Derived, Doc, Row
from muniment.index.entry import packed
from muniment.store.folded import NO_HEAD, Head, ended_docs, links_of, next_head
from muniment.store.indexing import tail_row
from muniment.store.tables.blocks import TableBlocks
from muniment.store.tables.connection import Connection
from muniment.store.tables.encoding import columns_of
from muniment.store.tables.facts import DROP, FactTable

_SUBJECT = "INSERT INTO subject VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
_CLOSE = """
UPDATE version SET until_revision = ?1
WHERE tenant = ?2 AND claim_id = ?3 AND until_revision = 4611686018427387904
"""
_VERSION = """
INSERT INTO version VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)
"""
_KEY = "INSERT INTO lookup_key VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
_LINK = "INSERT INTO link VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
_REPLACED = """
SELECT class, seq FROM version
WHERE tenant = ? AND claim_id = ? AND until_revision = 4611686018427387904
"""
_REPLACED_DOC = "SELECT class, seq FROM doc WHERE tenant = ? AND collection = ? AND id = ?"
_DOC = """
INSERT INTO doc VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (tenant, collection, id) DO UPDATE SET
    seq = excluded.seq, revision = excluded.revision, parent = excluded.parent, class = excluded.class
"""
_DROP_DOC = "DELETE FROM doc WHERE tenant = ? AND collection = ? AND id = ?"
_HEAD = "SELECT head, count, revision FROM class_head WHERE tenant = ? AND class = ?"
_PUT_HEAD = """
INSERT INTO class_head VALUES (?, ?, ?, ?, ?)
ON CONFLICT (tenant, class) DO UPDATE SET
    head = excluded.head, count = excluded.count, revision = excluded.revision
"""
_DROP_ALL = (
    "DELETE FROM subject WHERE tenant = ?",
    "DELETE FROM version WHERE tenant = ?",
    "DELETE FROM lookup_key WHERE tenant = ?",
    "DELETE FROM link WHERE tenant = ?",
    DROP,
    "DELETE FROM doc WHERE tenant = ?",
    "DELETE FROM class_head WHERE tenant = ?",
)


@dataclass(slots=True)
class Derivation:
    """The derived tables of one tenant, within a transaction.

    Attributes:
        connection: In a write transaction.
        tenant: The tenant's number.
        term_key: Gives a word's digest; None where the index is written by itself.
        heads: Class heads that have moved, by class number.
    """

    connection: Connection
    tenant: int
    term_key: Callable[[str], int] | None = None
    heads: dict[int, Head] = field(default_factory=dict)

    def add(self, envelope: Envelope, cls: int | None, derived: Derived | None) -> None:
        """Add one event.

        Args:
            envelope: Its envelope.
            cls: Its class's number; None where it names none.
            derived: What folding it gave; None where its content was erased.
        """
        run, tenant = self.connection.run, self.tenant
        subjects = [(tenant, claim_id, envelope.seq) for claim_id in envelope.subjects]
        if len(subjects) == 1:
            run(_SUBJECT, subjects[0])
        elif subjects:
            self.connection.many(_SUBJECT, subjects)
        if envelope.kind == "claim" and cls is not None:
            self.heads[cls] = next_head(self._head(cls), envelope)
        if derived is None:
            self._end(envelope)
            return
        if self.term_key is not None and cls is not None:
            self._index(derived, cls, self.term_key)
        for collection, id in derived.drop:
            run(_DROP_DOC, (tenant, collection, id))
        if derived.doc:
            self._put_doc(derived.doc, cls)
        if derived.row and cls is not None:
            self._put_row(derived.row, cls, derived)

    def _index(self, derived: Derived, cls: int, term_key: Callable[[str], int]) -> None:
        """Add the row by which the event is found."""
        if derived.row is None and not derived.terms:
            return
        old = self._replaced(derived)
        added = tail_row(derived, cls, term_key, old)
        if added is not None:
            family, entry = added
            TableBlocks(self.connection, self.tenant).put_tail(family, entry.seq, packed(entry))

    def _replaced(self, derived: Derived) -> tuple[int, int]:
        """Class and event of what a row or passage replaces."""
        if derived.row:
            found = self.connection.one(_REPLACED, (self.tenant, derived.row.claim_id))
        elif derived.doc:
            doc = (derived.doc.collection, derived.doc.id)
            found = self.connection.one(_REPLACED_DOC, (self.tenant, *doc))
        else:
            found = None
        return (found[0], found[1]) if found and found[0] is not None else (0, 0)

    def flush(self) -> None:
        """Write the heads that moved."""
        rows = [
            (self.tenant, cls, bytes.fromhex(head), count, revision)
            for cls, (head, count, revision) in self.heads.items()
        ]
        self.connection.many(_PUT_HEAD, rows)
        self.heads.clear()

    def drop_all(self) -> None:
        """Empty the tenant's derived tables."""
        for statement in _DROP_ALL:
            self.connection.run(statement, (self.tenant,))

    def _head(self, cls: int) -> Head:
        if cls in self.heads:
            return self.heads[cls]
        found = self.connection.one(_HEAD, (self.tenant, cls))
        return (found[0].hex(), found[1], found[2]) if found else NO_HEAD

    def _end(self, envelope: Envelope) -> None:
        """What an erased event replaced does not come back."""
        if envelope.kind == "claim":
            for claim_id in (envelope.id, envelope.parent):
                self._close(claim_id, envelope.revision)
            return
        for collection, id in ended_docs(envelope):
            self.connection.run(_DROP_DOC, (self.tenant, collection, id))

    def _close(self, claim_id: str, revision: int) -> None:
        FactTable(self.connection, self.tenant).close(claim_id, revision)
        self.connection.run(_CLOSE, (revision, self.tenant, claim_id))

    def _put_doc(self, doc: Doc, cls: int | None) -> None:
        columns = (doc.collection, doc.id, doc.seq, doc.revision, doc.parent, cls, doc.first_seq)
        self.connection.run(_DOC, (self.tenant, *columns))

    def _put_row(self, row: Row, cls: int, derived: Derived) -> None:
        tenant, seq, many = self.tenant, row.seq, self.connection.many
        self._close(row.claim_id, row.revision)
        self.connection.run(_VERSION, columns_of(tenant, cls, row))
        many(_KEY, [(tenant, key, seq) for key in row.keys])
        links = links_of(row)
        if links:
            many(_LINK, [(tenant, to, kind, seq) for kind, to in links])
        FactTable(self.connection, tenant).put(row, cls, derived)
