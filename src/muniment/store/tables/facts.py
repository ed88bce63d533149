"""The table of facts: written with the version that carries them, and looked through by either end.

- A fact ends with its version, and is marked as long as some claim names its claim as replaced.
- Numbers that stand for nothing but an unbounded time or the latest state are NULL.
- Lists travel as one parameter; which index serves is said where SQLite could choose another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from muniment.core.facts import DERIVED, SUPERSEDED, FactRow, Wanted, span_of
from muniment.core.row import FOREVER, Derived, Row
from muniment.store.facts import Held
from muniment.store.tables.connection import Connection, Listed

_FACT = "INSERT INTO fact VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_IS_REPLACED = "SELECT 1 FROM link WHERE tenant = ? AND to_id = ? AND kind = 'supersedes' LIMIT 1"
_MARK = """
UPDATE fact SET marks = marks | 1 WHERE tenant = ?1 AND marks & 1 = 0 AND seq IN (
    SELECT v.seq FROM texts(?2) j CROSS JOIN version v ON v.tenant = ?1 AND v.claim_id = j.value
)
"""
_UNMARK = """
UPDATE fact SET marks = marks & ~1 WHERE tenant = ?1 AND seq IN (
    SELECT v.seq FROM texts(?2) j CROSS JOIN version v ON v.tenant = ?1 AND v.claim_id = j.value
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
WHERE tenant = ?2 AND kind = 'supersedes' AND seq IN (SELECT value FROM numbers(?1) j)
"""
_ERASE = "DELETE FROM fact WHERE tenant = ?2 AND seq IN (SELECT value FROM numbers(?1) j)"
_NUMBERS = """
SELECT c.number FROM texts(?2) j CROSS JOIN class c ON c.tenant = ?1 AND c.id = j.value
"""
_ALL = """
SELECT seq, predicate, subject, object, standing, marks, starts, ends, verified, revision,
    coalesce(until_revision, 4611686018427387904)
FROM fact WHERE tenant = ? ORDER BY seq, predicate, subject, object
"""
DROP = "DELETE FROM fact WHERE tenant = ?"


_COLUMNS = "SELECT f.subject, f.object, f.seq, f.standing, f.marks, f.ends, f.verified"
_SERVES = """
    AND f.class IN (SELECT value FROM numbers(?3) j)
    AND CASE WHEN CAST(?4 AS BIGINT) IS NULL THEN f.until_revision IS NULL
        ELSE f.revision <= ?4 AND (f.until_revision IS NULL OR ?4 < f.until_revision) END
    AND (CAST(?5 AS BIGINT) IS NULL
        OR ((f.starts IS NULL OR f.starts <= ?5) AND (f.ends IS NULL OR ?5 < f.ends)))
    AND f.standing NOT IN (SELECT value FROM numbers(?6) j)
"""
_IS_CURRENT = """
    AND (f.marks & 1 = 0 OR NOT EXISTS (
        SELECT 1 FROM version o
        CROSS JOIN link l ON l.tenant = ?1 AND l.to_id = o.claim_id AND l.kind = 'supersedes'
        CROSS JOIN version v ON v.tenant = ?1 AND v.seq = l.seq
        WHERE o.tenant = ?1 AND o.class = f.class AND o.seq = f.seq
            AND v.class IN (SELECT value FROM numbers(?LAST) j)
            AND CASE WHEN CAST(?4 AS BIGINT) IS NULL THEN v.until_revision = 4611686018427387904
                ELSE v.revision <= ?4 AND ?4 < v.until_revision END
    ))
"""


@dataclass(frozen=True, slots=True)
class _Search:
    """Two statements that give facts as `core.facts.FactRow`: replaced ones too, and only those that are current.

    Their parameters: tenant, predicate, classes, revision (NULL for the latest), instant (NULL for any), standings left
    out, limit, and the ends; then, for the second, the classes whose claims replace others.
    """

    every: str
    current: str


def _search(source: str, condition: str = "", ends: int = 0) -> _Search:
    where = f"WHERE f.tenant = ?1 AND f.predicate = ?2 {condition}"
    plain = "\n".join((_COLUMNS, f"FROM {source}", where, _SERVES))
    current = _IS_CURRENT.replace("?LAST", f"?{8 + ends}")
    return _Search(f"{plain}LIMIT ?7", f"{plain}{current}LIMIT ?7")


_ANY = _search("fact f")
_BY_SUBJECT = _search("numbers(?8) s CROSS JOIN fact f ON f.subject = s.value", ends=1)
_BY_OBJECT = _search(
    "numbers(?8) o CROSS JOIN fact f INDEXED BY fact_by_object ON f.object = o.value", ends=1
)
_BY_BOTH = _search(
    "numbers(?8) s CROSS JOIN fact f ON f.subject = s.value",
    "AND f.object IN (SELECT value FROM numbers(?9) j)",
    ends=2,
)
_BY_PAIR = _search(
    "pairs(?8) p CROSS JOIN fact f ON f.subject = CAST(p.value ->> 0 AS BIGINT)",
    "AND f.object = CAST(p.value ->> 1 AS BIGINT)",
    ends=1,
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
            self._connection.run(_MARK, (self._tenant, self._connection.listed(row.supersedes)))
        if not derived.facts:
            return
        replaced = self._connection.one(_IS_REPLACED, (self._tenant, row.claim_id)) is not None
        marks = SUPERSEDED * replaced + DERIVED * bool(row.derived_from)
        rest = (cls, row.seq, derived.standing, marks, *span_of(row), row.revision, None)
        self._connection.many(_FACT, [(self._tenant, *triple, *rest) for triple in derived.facts])

    def replaced_by(self, gone: Listed) -> list[str]:
        """The claims that some events name as replaced; before their links go."""
        return [to for (to,) in self._connection.all(_REPLACED_BY, (gone, self._tenant))]

    def erase(self, gone: Listed, replaced: Sequence[str]) -> None:
        """Remove the facts of some events, and the marks that nothing accounts for any more.

        Args:
            gone: The events, as one parameter.
            replaced: What `replaced_by` said of them.
        """
        self._connection.run(_ERASE, (gone, self._tenant))
        if replaced:
            self._connection.run(_UNMARK, (self._tenant, self._connection.listed(replaced)))

    # --- reading ---

    def numbers(self, classes: Sequence[str]) -> Listed:
        """The numbers of some classes, as one parameter."""
        found = self._connection.all(_NUMBERS, (self._tenant, self._connection.listed(classes)))
        return self._connection.listed([number for (number,) in found])

    def matching(self, wanted: Wanted, classes: Listed, seen: Listed | None) -> list[FactRow]:
        """The facts that are as wanted.

        Args:
            wanted: What is looked for.
            classes: The numbers of its classes, as `numbers` gives them.
            seen: Those of the classes whose claims replace others.
        """
        listed = self._connection.listed
        search, ends = self._ends(wanted)
        revision = None if wanted.revision == FOREVER else wanted.revision
        plain = (self._tenant, wanted.predicate, classes, revision, wanted.at)
        parameters = (*plain, listed(wanted.without), wanted.limit, *ends)
        if seen is None:
            return self._connection.decoded(search.every, parameters, _as_it_is)
        return self._connection.decoded(search.current, (*parameters, seen), _as_it_is)

    def _ends(self, wanted: Wanted) -> tuple[_Search, tuple[Listed, ...]]:
        listed = self._connection.listed
        if wanted.pairs is not None:
            pairs = ",".join(f"[{subject},{object}]" for subject, object in wanted.pairs)
            return _BY_PAIR, (f"[{pairs}]",)
        if wanted.subjects is None:
            return (_ANY, ()) if wanted.objects is None else (_BY_OBJECT, (listed(wanted.objects),))
        if wanted.objects is None:
            return _BY_SUBJECT, (listed(wanted.subjects),)
        return _BY_BOTH, (listed(wanted.subjects), listed(wanted.objects))

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


def _as_it_is(columns: tuple[int, int, int, int, int, int | None, int | None]) -> FactRow:
    return columns
