"""Retrievals and access counts in tables, outside the ledger.

- What found an erased claim is not kept; that nothing slips in between an erasure and `forget` is the adapter's care.
- Of other principals' accesses nothing is told.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from datetime import UTC, datetime

from muniment.core.canonical import canonical
from muniment.core.encode import time_text
from muniment.ports.store import Access
from muniment.store.sealing import UNREADABLE
from muniment.store.tables.connection import Connection
from muniment.store.tables.encoding import pack, unpack

_KEEP = "INSERT INTO retrieval VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
_FOUND = "INSERT INTO found VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
_HANDED = """
INSERT INTO handed VALUES (?, ?, ?, 1, ?)
ON CONFLICT (tenant, claim_id, principal) DO UPDATE SET
    count = handed.count + 1,
    last = CASE WHEN excluded.last > handed.last THEN excluded.last ELSE handed.last END
"""
_LOGGED = (
    "SELECT principal, at, claims, selected, record FROM retrieval WHERE tenant = ? AND id = ?"
)
_ACCESSES = "SELECT count, last FROM handed WHERE tenant = ? AND claim_id = ? AND principal = ?"
_FORGET = (
    """
    DELETE FROM retrieval WHERE tenant = ?2 AND id IN (
        SELECT f.id FROM texts(?1) j CROSS JOIN found f ON f.tenant = ?2 AND f.claim_id = j.value
    )
    """,
    "DELETE FROM handed WHERE tenant = ?2 AND claim_id IN (SELECT value FROM texts(?1) j)",
)
_FORGET_FOUND = """
DELETE FROM found WHERE tenant = ?1 AND id NOT IN (SELECT id FROM retrieval WHERE tenant = ?1)
"""


_MADE = "SELECT id, at FROM retrieval WHERE tenant = ?1 AND substr(at, 1, 19) <= ?2"
_REMOVE = "DELETE FROM retrieval WHERE tenant = ?2 AND id IN (SELECT value FROM texts(?1) j)"
_LAST = "SELECT count(*) FROM handed WHERE tenant = ? AND last <= ?"
_REMOVE_LAST = "DELETE FROM handed WHERE tenant = ? AND last <= ?"


def instant_text(at: datetime) -> str:
    """UTC at full length, so that texts sort as instants do."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f").rjust(26, "0") + "Z"


class LogTables:
    """The retrievals of one tenant, on a connection; what writes needs a transaction."""

    def __init__(self, connection: Connection, tenant: int | None) -> None:
        self._connection, self._tenant = connection, tenant

    def keep(self, access: Access) -> None:
        """Keep a retrieval, once."""
        connection, record = self._connection, canonical(access.record)
        columns = (access.id, access.principal, time_text(access.at))
        found, selected = tuple(access.claims), tuple(access.selected)
        kept = (self._tenant, *columns, pack(found), pack(selected), record)
        if not connection.changed(_KEEP, kept):
            return
        claims = sorted({*found, *selected})
        connection.many(_FOUND, [(self._tenant, claim, access.id) for claim in claims])
        last = instant_text(access.at)
        handed = [
            (self._tenant, claim, access.principal, last) for claim in dict.fromkeys(selected)
        ]
        connection.many(_HANDED, handed)

    def logged(self, retrieval_id: str) -> Access | None:
        """A logged retrieval."""
        found = self._connection.one(_LOGGED, (self._tenant, retrieval_id))
        if found is None:
            return None
        principal, at, claims, selected, record = found
        try:
            return Access(
                retrieval_id,
                principal,
                datetime.fromisoformat(at),
                json.loads(record),
                unpack(claims),
                unpack(selected),
            )
        except UNREADABLE as error:
            what = f"the retrieval {retrieval_id} is not readable"
            raise self._connection.damaged(what) from error

    def accesses(self, claim_id: str, principal: str) -> tuple[int, datetime | None]:
        """How often, and when last, a principal was handed the claim."""
        found = self._connection.one(_ACCESSES, (self._tenant, claim_id, principal))
        return (found[0], datetime.fromisoformat(found[1])) if found else (0, None)

    def forget(self, claims: Collection[str]) -> None:
        """Remove the retrievals that found these claims, and the counts of their accesses."""
        listed = self._connection.listed(sorted(claims))
        for statement in _FORGET:
            self._connection.run(statement, (listed, self._tenant))
        self._connection.run(_FORGET_FOUND, (self._tenant,))

    def trim(self, before: datetime, *, dry: bool) -> tuple[int, int]:
        """Remove what was made, or last handed over, up to an instant; how many retrievals and counts."""
        connection, last = self._connection, instant_text(before)
        made = connection.all(_MADE, (self._tenant, last[:19]))
        over = [id for id, at in made if datetime.fromisoformat(at) <= before]
        counts = int(connection.value(_LAST, (self._tenant, last)) or 0)
        if not dry:
            connection.run(_REMOVE, (connection.listed(over), self._tenant))
            connection.run(_FORGET_FOUND, (self._tenant,))
            connection.run(_REMOVE_LAST, (self._tenant, last))
        return len(over), counts
