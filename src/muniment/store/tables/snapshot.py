"""Read one committed state of one tenant.

- A snapshot is a read transaction on a connection of its own; a writer neither waits for it nor is waited for.
- `core.row.FOREVER` stands in the statements as 4611686018427387904.
- Lists of values travel as one parameter, so that every statement is one of a fixed set.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, MutableMapping, Sequence
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any

from muniment.core.canonical import keyed
from muniment.core.event import GENESIS, Envelope
from muniment.core.facts import FactCount, FactRow, Wanted
from muniment.core.row import ClassRow, Doc, Row
from muniment.store.index_reading import Caches
from muniment.store.sealing import Where, unseal
from muniment.store.tables.blocks import TableBlocks
from muniment.store.tables.connection import Connection
from muniment.store.tables.encoding import COLUMNS, envelope_of, row_of, where_of
from muniment.store.tables.facts import FactTable

if TYPE_CHECKING:
    from muniment.index.selection import View

PAGE = 1000
"""Envelopes fetched at a time."""


def _versions(rest: str, before: str = "") -> str:
    """A statement that gives versions with the columns of `encoding.COLUMNS`."""
    names = ", ".join("c.id" if name == "cls" else f"v.{name}" for name in COLUMNS)
    return f"SELECT {before}{names} {rest}"


_TENANT = "SELECT id, key FROM tenant WHERE name = ?"
_LAST = "SELECT seq, revision, hash FROM event WHERE tenant = ? ORDER BY seq DESC LIMIT 1"
_CLASSES = """
SELECT c.id, c.scope_kind, c.scope_id, c.audience, h.head, h.count, h.revision, c.number
FROM class c LEFT JOIN class_head h ON h.tenant = c.tenant AND h.class = c.number
WHERE c.tenant = ? ORDER BY c.id
"""
_ROWS = _versions("""
FROM texts(?1) j
CROSS JOIN class c ON c.tenant = ?2 AND c.id = j.value
CROSS JOIN version v ON v.tenant = ?2 AND v.class = c.number
WHERE v.revision <= ?3 AND ?3 < v.until_revision
""")
_ROWS_AT = _versions("""
FROM numbers(?1) j
CROSS JOIN version v ON v.tenant = ?2 AND v.seq = j.value
JOIN class c ON c.tenant = v.tenant AND c.number = v.class
""")
_LATEST = _versions("""
FROM version v JOIN class c ON c.tenant = v.tenant AND c.number = v.class
WHERE v.tenant = ? AND v.claim_id = ? AND v.until_revision = 4611686018427387904
""")
_HISTORY = _versions("""
FROM version v JOIN class c ON c.tenant = v.tenant AND c.number = v.class
WHERE v.tenant = ? AND v.claim_id = ? ORDER BY v.seq
""")
_LOOKUP = _versions("""
FROM lookup_key k
CROSS JOIN version v ON v.tenant = k.tenant AND v.seq = k.seq
JOIN class c ON c.tenant = v.tenant AND c.number = v.class
WHERE k.tenant = ? AND k.key = ? AND v.until_revision = 4611686018427387904 ORDER BY v.seq
""")
_LOOKUPS = _versions(
    """
FROM texts(?1) j
CROSS JOIN lookup_key k ON k.tenant = ?2 AND k.key = j.value
CROSS JOIN version v ON v.tenant = ?2 AND v.seq = k.seq
JOIN class c ON c.tenant = v.tenant AND c.number = v.class
WHERE v.until_revision = 4611686018427387904 ORDER BY v.seq
""",
    "j.value, ",
)
_POINTING = _versions("""
FROM (SELECT DISTINCT seq FROM link WHERE tenant = ?1 AND to_id = ?2) l
CROSS JOIN version v ON v.tenant = ?1 AND v.seq = l.seq
JOIN class c ON c.tenant = v.tenant AND c.number = v.class
WHERE v.until_revision = 4611686018427387904 ORDER BY v.seq
""")


def _docs(rest: str) -> str:
    """A statement that gives docs, by the fields of `core.row.Doc`."""
    names = "d.collection, d.id, d.seq, d.revision, d.parent, coalesce(c.id, ''), d.first_seq"
    return f"SELECT {names} {rest}"


_DOCS = _docs("""
FROM doc d LEFT JOIN class c ON c.tenant = d.tenant AND c.number = d.class
WHERE d.tenant = ? AND d.collection = ?
""")
_DOCS_OF = _docs("""
FROM doc d LEFT JOIN class c ON c.tenant = d.tenant AND c.number = d.class
WHERE d.tenant = ? AND d.collection = ? AND d.parent = ?
""")
_DOCS_UNDER = _docs("""
FROM texts(?1) j
CROSS JOIN doc d ON d.tenant = ?2 AND d.collection = ?3 AND d.parent = j.value
LEFT JOIN class c ON c.tenant = d.tenant AND c.number = d.class
ORDER BY d.first_seq
""")
_DOC = _docs("""
FROM doc d LEFT JOIN class c ON c.tenant = d.tenant AND c.number = d.class
WHERE d.tenant = ? AND d.collection = ? AND d.id = ?
""")
ALL_VERSIONS = _versions("""
FROM version v JOIN class c ON c.tenant = v.tenant AND c.number = v.class
WHERE v.tenant = ? ORDER BY v.seq
""")
ALL_DOCS = _docs("""
FROM doc d LEFT JOIN class c ON c.tenant = d.tenant AND c.number = d.class
WHERE d.tenant = ?
""")
_CONTENTS = """
SELECT e.seq, e.kind, t.body, c.scope_kind, c.scope_id, c.audience
FROM numbers(?1) j
CROSS JOIN content t ON t.tenant = ?2 AND t.seq = j.value
CROSS JOIN event e ON e.tenant = ?2 AND e.seq = j.value
LEFT JOIN class c ON c.tenant = ?2 AND c.number = e.class
"""
_ENVELOPE = """
SELECT e.seq, e.revision, e.at, e.kind, e.id, e.parent, e.subjects, c.id, e.commitment, e.previous, e.hash
"""
_ENVELOPES = f"""{_ENVELOPE}
FROM event e LEFT JOIN class c ON c.tenant = e.tenant AND c.number = e.class
WHERE e.tenant = ? AND e.seq > ? ORDER BY e.seq LIMIT ?
"""
_ABOUT = f"""{_ENVELOPE}
FROM subject s
CROSS JOIN event e ON e.tenant = s.tenant AND e.seq = s.seq
LEFT JOIN class c ON c.tenant = e.tenant AND c.number = e.class
WHERE s.tenant = ? AND s.claim_id = ? ORDER BY e.seq
"""
_REVISIONS = """
SELECT e.revision FROM event e
WHERE e.tenant = ?1 AND e.kind = 'claim' AND e.class IN (SELECT value FROM numbers(?2) j) ORDER BY e.seq
"""
_INSTANTS = "SELECT DISTINCT revision, at FROM event WHERE tenant = ? ORDER BY revision"


class TableSnapshot:
    """One committed state of one tenant, on a connection in a transaction.

    Args:
        connection: In a transaction that has read nothing yet.
        tenant: The tenant's name.
        new_key: Gives the key of a tenant that has none yet.
        caches: What was read of the index already.
    """

    def __init__(
        self,
        connection: Connection,
        tenant: str,
        new_key: Callable[[str], bytes],
        caches: Caches | None = None,
    ) -> None:
        self._caches = caches or Caches()
        self._open: Connection | None = connection
        self._name = tenant
        found = self._found_tenant(connection)
        self._number: int = found[0] if found else 0
        self._key: bytes = found[1] if found else new_key(tenant)
        last = connection.decoded(_LAST, (self._number,), _last_of)
        self._seq, self._revision, self._hash = last[0] if last else (0, 0, GENESIS)

    def _found_tenant(self, connection: Connection) -> tuple[int, bytes] | None:
        """The tenant's number and key."""
        known = connection.decoded(_TENANT, (self._name,), tenant_of)
        return known[0] if known else None

    @property
    def _connection(self) -> Connection:
        if self._open is None:
            raise ValueError("this snapshot has ended; take another")
        return self._open

    def end(self) -> None:
        """Let go of the connection; what is asked afterwards is a mistake of the caller's."""
        self._open = None

    @property
    def tenant(self) -> str:
        """The tenant's name."""
        return self._name

    @property
    def number(self) -> int:
        """The number that stands for the tenant in this database, 0 for none."""
        return self._number

    @property
    def revision(self) -> int:
        """The last committed revision, 0 for none."""
        return self._revision

    def key(self, *parts: str) -> str:
        """A digest of `parts` under the tenant's secret key."""
        return keyed(self._key, *parts)

    def classes(self) -> tuple[ClassRow, ...]:
        """All eligibility classes, sorted by id."""
        return tuple(self._connection.decoded(_CLASSES, (self._number,), _class_of))

    def rows(self, classes: Collection[str], revision: int | None = None) -> tuple[Row, ...]:
        """The claim versions of these classes that hold in `revision`, sorted by seq."""
        at = self._revision if revision is None else revision
        parameters = (self._connection.listed(set(classes)), self._number, at)
        found = self._connection.decoded(_ROWS, parameters, row_of)
        found.sort(key=attrgetter("seq"))
        return tuple(found)

    def row(self, claim_id: str) -> Row | None:
        """The latest version of a claim."""
        rows = self._rows(_LATEST, claim_id)
        return rows[0] if rows else None

    def history(self, claim_id: str) -> tuple[Row, ...]:
        """All versions of a claim, first to last."""
        return self._rows(_HISTORY, claim_id)

    def lookup(self, key: str) -> tuple[Row, ...]:
        """The latest versions that carry a lookup key, sorted by seq."""
        return self._rows(_LOOKUP, key)

    def lookups(self, keys: Collection[str]) -> Mapping[str, tuple[Row, ...]]:
        """The latest versions under several lookup keys; a key that nothing carries is absent."""
        found: dict[str, list[Row]] = {}
        wanted = (self._connection.listed(sorted(set(keys))), self._number)
        for key, row in self._connection.decoded(_LOOKUPS, wanted, _keyed_row):
            found.setdefault(key, []).append(row)
        return {key: tuple(rows) for key, rows in found.items()}

    def pointing_at(self, claim_id: str) -> tuple[Row, ...]:
        """Latest versions that are derived from, superseded by, or in conflict with a claim, or supersede it."""
        return self._rows(_POINTING, claim_id)

    def _rows(self, statement: str, value: str) -> tuple[Row, ...]:
        return tuple(self._connection.decoded(statement, (self._number, value), row_of))

    def docs(self, collection: str, parent: str | None = None) -> tuple[Doc, ...]:
        """The latest docs of a collection (of one parent), sorted by `first_seq`."""
        statement = _DOCS if parent is None else _DOCS_OF
        narrowed = () if parent is None else (parent,)
        docs = self._connection.decoded(statement, (self._number, collection, *narrowed), _doc_of)
        return tuple(sorted(docs, key=attrgetter("first_seq")))

    def docs_under(
        self, collection: str, parents: Collection[str]
    ) -> Mapping[str, tuple[Doc, ...]]:
        """The latest docs of several parents; a parent that has none is absent."""
        found: dict[str, list[Doc]] = {}
        wanted = (self._connection.listed(sorted(set(parents))), self._number, collection)
        for doc in self._connection.decoded(_DOCS_UNDER, wanted, _doc_of):
            found.setdefault(doc.parent, []).append(doc)
        return {parent: tuple(docs) for parent, docs in found.items()}

    def doc(self, collection: str, id: str) -> Doc | None:
        """One doc."""
        found = self._connection.decoded(_DOC, (self._number, collection, id), _doc_of)
        return found[0] if found else None

    def contents(self, seqs: Collection[int]) -> Mapping[int, Mapping[str, Any]]:
        """Contents by event, whole; an erased one is absent."""
        if not seqs:
            return {}
        wanted = self._connection.listed(sorted(set(seqs)))
        return dict(self._connection.decoded(_CONTENTS, (wanted, self._number), _content_of))

    def facts(self, wanted: Wanted) -> Sequence[FactRow]:
        """The facts of claim versions that are as wanted."""
        table = FactTable(self._connection, self._number)
        return table.matching(wanted, *self._classes_of(table, wanted))

    def fact_counts(self, wanted: Wanted) -> Sequence[FactCount]:
        """How many facts are as wanted, by standing."""
        table = FactTable(self._connection, self._number)
        return table.counts(wanted, *self._classes_of(table, wanted))

    def _classes_of(
        self, table: FactTable, wanted: Wanted
    ) -> tuple[tuple[int, ...], tuple[int, ...] | None]:
        """The numbers of the classes that may serve, and of those whose claims replace others."""
        seen = None if wanted.seen is None else self._numbers(table, wanted.seen)
        return self._numbers(table, wanted.classes), seen

    def claims_at(self, seqs: Collection[int]) -> Mapping[int, str]:
        """The claims of which some events recorded a version, by event."""
        if not seqs:
            return {}
        return FactTable(self._connection, self._number).claims_at(sorted(set(seqs)))

    def _numbers(self, table: FactTable, classes: tuple[str, ...]) -> tuple[int, ...]:
        known: dict[tuple[str, ...], tuple[int, ...]]
        known = self._caches.memo(self._name, self._hash).setdefault("class numbers", {})
        if classes not in known:
            known[classes] = table.numbers(classes)
        return known[classes]

    def rows_at(self, seqs: Collection[int]) -> Mapping[int, Row]:
        """The claim versions that some events recorded, by event; an erased one is absent."""
        if not seqs:
            return {}
        wanted = (self._connection.listed(sorted(set(seqs))), self._number)
        return {row.seq: row for row in self._connection.decoded(_ROWS_AT, wanted, row_of)}

    def index(self, family: str) -> View:
        """The index of claims or of passages."""
        blocks = TableBlocks(self._connection, self._number)
        return self._caches.view(self._name, blocks, family, self._seq)

    def term_key(self, word: str) -> int:
        """The digest under which the index keeps a word."""
        return self._caches.term_key(self._key)(word)

    @property
    def memo(self) -> MutableMapping[Any, Any]:
        """What was worked out of this very state, kept while the state is the last."""
        return self._caches.memo(self._name, self._hash)

    @property
    def kept(self) -> MutableMapping[Any, Any]:
        """What was worked out of this tenant and stays true in every later state."""
        return self._caches.kept(self._name)

    def envelopes(self, after: int = 0) -> Iterator[Envelope]:
        """The ledger from `after` (exclusive) on."""
        while True:
            parameters = (self._number, after, PAGE)
            found = self._connection.decoded(_ENVELOPES, parameters, envelope_of)
            yield from found
            if len(found) < PAGE:
                return
            after = found[-1].seq

    def envelopes_about(self, claim_id: str) -> tuple[Envelope, ...]:
        """The events that name a claim, in ledger order."""
        return tuple(self._connection.decoded(_ABOUT, (self._number, claim_id), envelope_of))

    def claim_revisions(self, classes: Collection[str]) -> Sequence[int]:
        """The revisions that recorded versions of claims of these classes, ascending, one for each version."""
        table = FactTable(self._connection, self._number)
        wanted = self._connection.listed(self._numbers(table, tuple(sorted(classes))))
        return self._connection.decoded(_REVISIONS, (self._number, wanted), itemgetter(0))

    def instants(self) -> Sequence[tuple[int, str]]:
        """Every revision with the instant at which it was recorded, ascending."""
        return self._connection.all(_INSTANTS, (self._number,))


def _class_of(t: tuple[Any, ...]) -> ClassRow:
    id, kind, scope_id, audience, head, count, revision, number = t
    where = where_of(kind, scope_id, audience)
    told = head.hex() if head else GENESIS
    return ClassRow(id, kind, scope_id, where[1], told, count or 0, revision or 0, number)


def tenant_of(t: tuple[Any, ...]) -> tuple[int, bytes]:
    """A tenant's number and key."""
    number, key = t
    if not isinstance(key, bytes):
        raise TypeError("a tenant's key is bytes")
    return int(number), key


def _last_of(t: tuple[Any, ...]) -> tuple[int, int, str]:
    return int(t[0]), int(t[1]), t[2].hex()


def _keyed_row(t: tuple[Any, ...]) -> tuple[str, Row]:
    return t[0], row_of(t[1:])


def _doc_of(t: tuple[Any, ...]) -> Doc:
    return Doc(*t)


def where_or_none(kind: str | None, id: str | None, audience: str | None) -> Where | None:
    """What a class holds, from the columns of an outer join."""
    if kind is None or id is None or audience is None:
        return None
    return where_of(kind, id, audience)


def _content_of(t: tuple[Any, ...]) -> tuple[int, dict[str, Any]]:
    seq, kind, body, scope_kind, scope_id, audience = t
    return seq, unseal(kind, body, where_or_none(scope_kind, scope_id, audience))
