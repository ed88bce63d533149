"""The table of facts: written with the version that carries them, and looked through by either end.

- A fact ends with its version, and is marked as long as some claim names its claim as replaced.
- Numbers that stand for nothing but an unbounded time or the latest state are NULL.
- Lists travel as JSON parameters; which index serves is said where SQLite could choose another.
"""

from __future__ import annotations

from collections.abc import Sequence

from muniment.core.facts import DERIVED, SUPERSEDED, FactRow, Wanted, span_of
from muniment.core.row import FOREVER, Derived, Row
from muniment.store.facts import Held
from muniment.store.sqlite.connection import Connection
from muniment.store.sqlite.encoding import listed

_FACT = "INSERT INTO fact VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_IS_REPLACED = "SELECT 1 FROM link WHERE tenant = ? AND to_id = ? AND kind = 'supersedes' LIMIT 1"
_MARK = """
UPDATE fact SET marks = marks | 1 WHERE tenant = ?1 AND marks & 1 = 0 AND seq IN (
    SELECT v.seq FROM json_each(?2) j CROSS JOIN version v ON v.tenant = ?1 AND v.claim_id = j.value
)
"""
_UNMARK = """
UPDATE fact SET marks = marks & ~1 WHERE tenant = ?1 AND seq IN (
    SELECT v.seq FROM json_each(?2) j CROSS JOIN version v ON v.tenant = ?1 AND v.claim_id = j.value
    WHERE NOT EXISTS (
        SELECT 1 FROM link l WHERE l.tenant = ?1 AND l.to_id = j.value AND l.kind = 'supersedes'
    )
)
"""
_CLOSE = """
UPDATE fact SET until_revision = ?1 WHERE tenant = ?2 AND seq IN (
    SELECT seq FROM version
    WHERE tenant = ?2 AND claim_id = ?3 AND until_revision = 4611686018427387904
)
"""
_REPLACED_BY = """
SELECT DISTINCT to_id FROM link
WHERE tenant = ?2 AND kind = 'supersedes' AND seq IN (SELECT value FROM json_each(?1))
"""
_ERASE = "DELETE FROM fact WHERE tenant = ?2 AND seq IN (SELECT value FROM json_each(?1))"
_NUMBERS = """
SELECT c.number FROM json_each(?2) j CROSS JOIN class c ON c.tenant = ?1 AND c.id = j.value
"""
_ALL = """
SELECT seq, predicate, subject, object, standing, marks, starts, ends, verified, revision,
    coalesce(until_revision, 4611686018427387904)
FROM fact WHERE tenant = ? ORDER BY seq, predicate, subject, object
"""
DROP = "DELETE FROM fact WHERE tenant = ?"


_COLUMNS = "SELECT f.subject, f.object, f.seq, f.standing, f.marks, f.ends, f.verified"
_SERVES = """
    AND f.class IN (SELECT value FROM json_each(?3))
    AND CASE WHEN ?4 IS NULL THEN f.until_revision IS NULL
        ELSE f.revision <= ?4 AND (f.until_revision IS NULL OR ?4 < f.until_revision) END
    AND (?5 IS NULL OR ((f.starts IS NULL OR f.starts <= ?5) AND (f.ends IS NULL OR ?5 < f.ends)))
    AND (f.marks & 1 = 0 OR ?6 IS NULL OR NOT EXISTS (
        SELECT 1 FROM version o
        CROSS JOIN link l ON l.tenant = ?1 AND l.to_id = o.claim_id AND l.kind = 'supersedes'
        CROSS JOIN version v ON v.tenant = ?1 AND v.seq = l.seq
        WHERE o.tenant = ?1 AND o.class = f.class AND o.seq = f.seq
            AND v.class IN (SELECT value FROM json_each(?6))
            AND CASE WHEN ?4 IS NULL THEN v.until_revision = 4611686018427387904
                ELSE v.revision <= ?4 AND ?4 < v.until_revision END
    ))
    AND f.standing NOT IN (SELECT value FROM json_each(?7))
LIMIT ?8
"""


def _found(source: str, condition: str) -> str:
    """A statement that gives facts as `core.facts.FactRow`.

    Its parameters: tenant, predicate, classes, revision (NULL for the latest), instant (NULL for any), classes that
    replace (NULL where replaced facts are wanted), standings left out, limit, and the ends.
    """
    where = f"WHERE f.tenant = ?1 AND f.predicate = ?2 {condition}"
    return "\n".join((_COLUMNS, f"FROM {source}", where, _SERVES))


_ANY = _found("fact f", "AND ?9 IS NULL AND ?10 IS NULL")
_BY_SUBJECT = _found("json_each(?9) s CROSS JOIN fact f", "AND f.subject = s.value AND ?10 IS NULL")
_BY_OBJECT = _found(
    "json_each(?10) o CROSS JOIN fact f INDEXED BY fact_by_object",
    "AND f.object = o.value AND ?9 IS NULL",
)
_BY_BOTH = _found(
    "json_each(?9) s CROSS JOIN fact f",
    "AND f.subject = s.value AND f.object IN (SELECT value FROM json_each(?10))",
)
_BY_PAIR = _found(
    "json_each(?9) p CROSS JOIN fact f",
    "AND f.subject = p.value ->> 0 AND f.object = p.value ->> 1 AND ?10 IS NULL",
)


class FactTable:
    """The facts of one tenant, on a connection."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._connection, self._tenant = connection, tenant

    # --- writing, within a transaction ---

    def close(self, claim_id: str, revision: int) -> None:
        """End the facts of a claim's latest version; before the version itself ends."""
        self._connection.run(_CLOSE, (revision, self._tenant, claim_id))

    def put(self, row: Row, cls: int, derived: Derived) -> None:
        """Add the facts of a version, after its row and links; and mark what it replaces."""
        if row.supersedes:
            self._connection.run(_MARK, (self._tenant, listed(row.supersedes)))
        if not derived.facts:
            return
        replaced = self._connection.one(_IS_REPLACED, (self._tenant, row.claim_id)) is not None
        marks = SUPERSEDED * replaced + DERIVED * bool(row.derived_from)
        rest = (cls, row.seq, derived.standing, marks, *span_of(row), row.revision, None)
        self._connection.many(_FACT, [(self._tenant, *triple, *rest) for triple in derived.facts])

    def replaced_by(self, gone: str) -> list[str]:
        """The claims that some events name as replaced; before their links go."""
        return [to for (to,) in self._connection.all(_REPLACED_BY, (gone, self._tenant))]

    def erase(self, gone: str, replaced: Sequence[str]) -> None:
        """Remove the facts of some events, and the marks that nothing accounts for any more.

        Args:
            gone: The events, as one parameter.
            replaced: What `replaced_by` said of them.
        """
        self._connection.run(_ERASE, (gone, self._tenant))
        if replaced:
            self._connection.run(_UNMARK, (self._tenant, listed(replaced)))

    # --- reading ---

    def numbers(self, classes: Sequence[str]) -> str:
        """The numbers of some classes, as one parameter."""
        found = self._connection.all(_NUMBERS, (self._tenant, listed(classes)))
        return listed(number for (number,) in found)

    def matching(self, wanted: Wanted, classes: str, seen: str | None) -> list[FactRow]:
        """The facts that are as wanted.

        Args:
            wanted: What is looked for.
            classes: The numbers of its classes, as `numbers` gives them.
            seen: Those of the classes whose claims replace others.
        """
        statement, ends = _ends(wanted)
        revision = None if wanted.revision == FOREVER else wanted.revision
        plain = (self._tenant, wanted.predicate, classes, revision, wanted.at, seen)
        parameters = (*plain, listed(wanted.without), wanted.limit, *ends)
        return self._connection.decoded(statement, parameters, _as_it_is)

    def held(self) -> dict[int, Held]:
        """All facts by event, to be compared with a fresh fold's."""
        found: dict[int, Held] = {}
        for (
            seq,
            *triple,
            standing,
            marks,
            start,
            end,
            verified,
            first,
            last,
        ) in self._connection.all(_ALL, (self._tenant,)):
            before = found[seq][1] if seq in found else ()
            facts = (*before, (triple[0], triple[1], triple[2]))
            found[seq] = (standing, facts, marks, (start, end, verified), first, last)
        return found


def _ends(wanted: Wanted) -> tuple[str, tuple[str | None, str | None]]:
    if wanted.pairs is not None:
        pairs = ",".join(f"[{subject},{object}]" for subject, object in wanted.pairs)
        return _BY_PAIR, (f"[{pairs}]", None)
    subjects = None if wanted.subjects is None else listed(wanted.subjects)
    objects = None if wanted.objects is None else listed(wanted.objects)
    if subjects is not None:
        return (_BY_SUBJECT if objects is None else _BY_BOTH), (subjects, objects)
    return (_ANY if objects is None else _BY_OBJECT), (subjects, objects)


def _as_it_is(columns: tuple[int, int, int, int, int, int | None, int | None]) -> FactRow:
    return columns
