"""The table of facts: written with the version that carries them, and looked through by either end.

- A fact ends with its version, and is marked as long as some claim names its claim as replaced.
- Numbers that stand for nothing but an unbounded time or the latest state are NULL.
- Lists travel as one parameter; which index serves is said where SQLite could choose another.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import count
from types import MappingProxyType
from typing import Any, cast

from muniment.core.facts import SUPERSEDED, FactCount, FactRow, Wanted, span_of
from muniment.core.row import FOREVER, Derived, Row
from muniment.store.facts import Held, counts_of, own_marks
from muniment.store.tables.connection import Connection, Listed

_FACT = "INSERT INTO fact VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_IS_REPLACED = "SELECT 1 FROM link WHERE tenant = ? AND to_id = ? AND kind = 'supersedes' LIMIT 1"
_MARK = """
UPDATE fact INDEXED BY fact_by_event SET marks = marks | 1 WHERE tenant = ?1 AND marks & 1 = 0 AND seq IN (
    SELECT v.seq FROM texts(?2) j CROSS JOIN version v ON v.tenant = ?1 AND v.claim_id = j.value
)
"""
_UNMARK = """
UPDATE fact INDEXED BY fact_by_event SET marks = marks & ~1 WHERE tenant = ?1 AND seq IN (
    SELECT v.seq FROM texts(?2) j CROSS JOIN version v ON v.tenant = ?1 AND v.claim_id = j.value
    WHERE NOT EXISTS (
        SELECT 1 FROM link l WHERE l.tenant = ?1 AND l.to_id = j.value AND l.kind = 'supersedes'
    )
)
"""
_CLOSE = """
UPDATE fact INDEXED BY fact_by_event SET until_revision = ?1 WHERE tenant = ?2 AND seq IN (
    SELECT seq FROM version INDEXED BY version_by_claim
    WHERE tenant = ?2 AND claim_id = ?3 AND until_revision = 4611686018427387904
)
"""
_REPLACED_BY = """
SELECT DISTINCT to_id FROM link
WHERE tenant = ?2 AND kind = 'supersedes' AND seq IN (SELECT value FROM numbers(?1) j)
"""
_ERASE = "DELETE FROM fact INDEXED BY fact_by_event WHERE tenant = ?2 AND seq IN (SELECT value FROM numbers(?1) j)"
_NUMBERS = """
SELECT c.number FROM texts(?2) j CROSS JOIN class c ON c.tenant = ?1 AND c.id = j.value
"""
_ALL = """
SELECT seq, predicate, subject, object, standing, marks, starts, ends, verified, revision,
    coalesce(until_revision, 4611686018427387904)
FROM fact WHERE tenant = ? ORDER BY seq, predicate, subject, object
"""
DROP = "DELETE FROM fact WHERE tenant = ?"


_CLAIMS_AT = """
SELECT v.seq, v.claim_id FROM numbers(?2) j
CROSS JOIN version v ON v.tenant = ?1 AND v.seq = j.value
"""
_REPLACED = """
SELECT o.seq FROM numbers(?2) j CROSS JOIN version o ON o.tenant = ?1 AND o.seq = j.value
WHERE EXISTS (
    SELECT 1 FROM link l CROSS JOIN version v ON v.tenant = ?1 AND v.seq = l.seq
    WHERE l.tenant = ?1 AND l.to_id = o.claim_id AND l.kind = 'supersedes'
        AND v.class IN (SELECT value FROM numbers(?3) j)
        AND CASE WHEN CAST(?4 AS BIGINT) IS NULL THEN v.until_revision = 4611686018427387904
            ELSE v.revision <= ?4 AND ?4 < v.until_revision END
)
"""

_COLUMNS = "SELECT f.subject, f.object, f.seq, f.standing, f.marks, f.ends, f.verified"
_COUNTED = "SELECT f.standing, f.marks, f.seq"
_ALIKE = """
SELECT min(standing), max(standing), count(*), max(marks & 1) + max(marks & 2) + max(marks & 4), min(seq)
FROM ({}) AS found
"""
_COUNTS = """
SELECT standing, count(*), max(marks & 1) + max(marks & 2) + max(marks & 4), min(seq)
FROM ({}) AS found GROUP BY standing
"""
_HAVE = {
    "subjects": "SELECT count(*) FROM (SELECT 1 FROM numbers(?3) s CROSS JOIN fact f ON f.subject = s.value"
    " WHERE f.tenant = ?1 AND f.predicate = ?2 LIMIT ?4) AS found",
    "objects": "SELECT count(*) FROM (SELECT 1 FROM numbers(?3) o CROSS JOIN fact f INDEXED BY fact_by_object"
    " ON f.object = o.value WHERE f.tenant = ?1 AND f.predicate = ?2 LIMIT ?4) AS found",
}
"""How many facts some subjects or objects have, whoever may see them: it decides only how they are looked up."""
FEW_PAIRS = 64
"""Pairs of a subject and an object that are simply looked up one by one."""
_WHERE = "WHERE f.tenant = ?1 AND f.predicate = ?2"
_SUBJECTS = "f.subject IN (SELECT value FROM numbers(?3) j)"
_OBJECTS = "f.object IN (SELECT value FROM numbers(?4) j)"
_SOURCES = MappingProxyType(
    {
        "any": f"FROM fact f {_WHERE}",
        "subject": f"FROM fact f {_WHERE} AND f.subject = ?3",
        "object": f"FROM fact f INDEXED BY fact_by_object {_WHERE} AND f.object = ?3",
        "subjects": f"FROM numbers(?3) s CROSS JOIN fact f ON f.subject = s.value {_WHERE}",
        "objects": "FROM numbers(?3) o CROSS JOIN fact f INDEXED BY fact_by_object"
        f" ON f.object = o.value {_WHERE}",
        "both": f"FROM fact f {_WHERE} AND {_SUBJECTS} AND {_OBJECTS}",
        "both of subjects": "FROM numbers(?3) s CROSS JOIN fact f ON f.subject = s.value"
        f" {_WHERE} AND +{_OBJECTS}",
        "both of objects": "FROM numbers(?4) o CROSS JOIN fact f INDEXED BY fact_by_object"
        f" ON f.object = o.value {_WHERE} AND +{_SUBJECTS}",
        "pairs": "FROM pairs(?3) p CROSS JOIN fact f ON f.subject = CAST(p.value ->> 0 AS BIGINT)"
        f" AND f.object = CAST(p.value ->> 1 AS BIGINT) {_WHERE}",
    }
)
"""Which facts are looked at: by what is bound; a `+` keeps an index from serving that end.

Further parameters follow in the order of `_CONDITIONS`."""
_CONDITIONS = MappingProxyType(
    {
        "class": "f.class = ?",
        "classes": "f.class IN (SELECT value FROM numbers(?) j)",
        "latest": "f.until_revision IS NULL",
        "past": "f.revision <= ? AND (f.until_revision IS NULL OR ? < f.until_revision)",
        "at": "(f.starts IS NULL OR f.starts <= ?) AND (f.ends IS NULL OR ? < f.ends)",
        "without": "f.standing NOT IN (SELECT value FROM numbers(?) j)",
    }
)


@cache
def _statement(source: str, conditions: tuple[str, ...]) -> str:
    """One of a fixed set of statements, which gives facts as `core.facts.FactRow`."""
    return _numbered(_COLUMNS, source, conditions)


@cache
def _counting(form: str, source: str, conditions: tuple[str, ...]) -> str:
    """The same, which counts the facts; the limit is theirs."""
    return form.format(_numbered(_COUNTED, source, conditions))


def _numbered(columns: str, source: str, conditions: tuple[str, ...]) -> str:
    first = _SOURCES[source]
    number = count(first.count("?3") + first.count("?4") + 3)
    rest = "\n".join((first, *(f"AND {_CONDITIONS[name]}" for name in conditions), "LIMIT ?"))
    return f"{columns}\n" + re.sub(r"\?(?![0-9])", lambda _: f"?{next(number)}", rest)


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
        marks = SUPERSEDED * replaced + own_marks(row)
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

    def claims_at(self, seqs: Sequence[int]) -> dict[int, str]:
        """The claims that some events recorded."""
        parameters = (self._tenant, self._connection.listed(seqs))
        return dict(self._connection.all(_CLAIMS_AT, parameters))

    def numbers(self, classes: Sequence[str]) -> tuple[int, ...]:
        """The numbers of some classes."""
        parameters = (self._tenant, self._connection.listed(classes))
        return tuple(number for (number,) in self._connection.all(_NUMBERS, parameters))

    def matching(
        self, wanted: Wanted, classes: tuple[int, ...], seen: tuple[int, ...] | None
    ) -> list[FactRow]:
        """The facts that are as wanted.

        Args:
            wanted: What is looked for.
            classes: The numbers of its classes.
            seen: Those of the classes whose claims replace others.
        """
        limit = wanted.limit
        while True:
            rows = self._looked_up(wanted, classes, limit)
            found = rows if seen is None else self._not_replaced(rows, seen, wanted.revision)
            if len(found) >= wanted.limit or len(rows) < limit:
                return found[: wanted.limit]
            limit *= 2

    def counts(
        self, wanted: Wanted, classes: tuple[int, ...], seen: tuple[int, ...] | None
    ) -> list[FactCount]:
        """How many facts are as wanted, by standing; with the arguments of `matching`."""
        *asked, parameters = self._asked(wanted, classes, wanted.limit)
        ((least, most, *counted),) = self._connection.all(_counting(_ALIKE, *asked), parameters)
        if least is None:
            return []
        found: list[FactCount] = [(least, *counted)]
        if least != most:
            every = self._connection.all(_counting(_COUNTS, *asked), parameters)
            found = cast("list[FactCount]", every)
        if seen is None or not any(marks & SUPERSEDED for _, _, marks, _ in found):
            return found
        return counts_of(self.matching(wanted, classes, seen))

    def _looked_up(self, wanted: Wanted, classes: tuple[int, ...], limit: int) -> list[FactRow]:
        source, conditions, parameters = self._asked(wanted, classes, limit)
        found = self._connection.all(_statement(source, conditions), parameters)
        return cast("list[FactRow]", found)

    def _asked(
        self, wanted: Wanted, classes: tuple[int, ...], limit: int
    ) -> tuple[str, tuple[str, ...], tuple[Any, ...]]:
        """By what facts are looked up, under which conditions, and the parameters for both."""
        listed = self._connection.listed
        source, keys = self._ends(wanted)
        conditions: list[tuple[str, tuple[Any, ...]]] = [
            ("class", classes) if len(classes) == 1 else ("classes", (listed(classes),)),
            ("latest", ())
            if wanted.revision == FOREVER
            else ("past", (wanted.revision, wanted.revision)),
        ]
        if wanted.at is not None:
            conditions.append(("at", (wanted.at, wanted.at)))
        if wanted.without:
            conditions.append(("without", (listed(wanted.without),)))
        given = [value for _, values in conditions for value in values]
        parameters = (self._tenant, wanted.predicate, *keys, *given, limit)
        return source, tuple([name for name, _ in conditions]), parameters

    def _ends(self, wanted: Wanted) -> tuple[str, tuple[Any, ...]]:
        """By what facts are looked up, and the parameters for it."""
        listed, subjects, objects = self._connection.listed, wanted.subjects, wanted.objects
        if wanted.pairs is not None:
            pairs = ",".join(f"[{subject},{object}]" for subject, object in wanted.pairs)
            return "pairs", (f"[{pairs}]",)
        if subjects is not None and objects is not None:
            how = self._both(wanted.predicate, subjects, objects)
            return how, (listed(subjects), listed(objects))
        if subjects is not None:
            one = len(subjects) == 1
            return ("subject", subjects) if one else ("subjects", (listed(subjects),))
        if objects is not None:
            one = len(objects) == 1
            return ("object", objects) if one else ("objects", (listed(objects),))
        return "any", ()

    def _both(self, predicate: int, subjects: Sequence[int], objects: Sequence[int]) -> str:
        """By which end facts are looked up where both are bound: by one, where that has fewer facts than pairs."""
        pairs = len(subjects) * len(objects)
        if pairs <= FEW_PAIRS:
            return "both"
        ends = {"subjects": subjects, "objects": objects}
        fewest = min(ends, key=lambda name: len(ends[name]))
        parameters = (self._tenant, predicate, self._connection.listed(ends[fewest]), pairs)
        have = self._connection.value(_HAVE[fewest], parameters)
        return f"both of {fewest}" if have < pairs else "both"

    def _not_replaced(
        self, rows: list[FactRow], seen: tuple[int, ...], revision: int
    ) -> list[FactRow]:
        """Facts without those of claims that another claim replaces, of the classes that are seen."""
        marked = sorted({row[2] for row in rows if row[4] & SUPERSEDED})
        if not marked:
            return rows
        listed, state = self._connection.listed, None if revision == FOREVER else revision
        parameters = (self._tenant, listed(marked), listed(seen), state)
        gone = {seq for (seq,) in self._connection.all(_REPLACED, parameters)}
        return [row for row in rows if row[2] not in gone]

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
