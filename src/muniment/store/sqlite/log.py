"""Retrievals and access counts, in a file beside the ledger.

- A file of its own, because a sync belongs to a whole file: in the ledger's, each logged retrieval would either wait
  for the disk or weaken what an acknowledged write means; and recalls would queue for the ledger's writer place.
- Losing the last entries in a power cut is accepted (`synchronous=NORMAL`); losing the file loses no memory.
- What found an erased claim is not kept: `forget` removes it, and `keep` asks under the log's own write lock, so that
  an entry cannot slip in between an erasure and its `forget`.
- Of other principals' accesses nothing is told.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from datetime import UTC, datetime

from muniment.core.canonical import canonical
from muniment.core.codec import time_text
from muniment.ports.store import Access
from muniment.store.sealing import UNREADABLE
from muniment.store.sqlite.connection import Connection, damaged
from muniment.store.sqlite.encoding import listed, pack, unpack

_TENANT = "SELECT id FROM tenant WHERE name = ?"
_NEW_TENANT = "INSERT INTO tenant (name) VALUES (?)"
_KEEP = "INSERT OR IGNORE INTO retrieval VALUES (?, ?, ?, ?, ?, ?, ?)"
_FOUND = "INSERT OR IGNORE INTO found VALUES (?, ?, ?)"
_HANDED = """
INSERT INTO handed VALUES (?, ?, ?, 1, ?)
ON CONFLICT (tenant, claim_id, principal) DO UPDATE SET count = count + 1, last = max(last, excluded.last)
"""
_LOGGED = (
    "SELECT principal, at, claims, selected, record FROM retrieval WHERE tenant = ? AND id = ?"
)
_ACCESSES = "SELECT count, last FROM handed WHERE tenant = ? AND claim_id = ? AND principal = ?"
_FORGET = (
    """
    DELETE FROM retrieval WHERE tenant = ?2 AND id IN (
        SELECT f.id FROM json_each(?1) j CROSS JOIN found f ON f.tenant = ?2 AND f.claim_id = j.value
    )
    """,
    """
    DELETE FROM found WHERE tenant = ?2 AND id NOT IN (SELECT id FROM retrieval WHERE tenant = ?2)
    """,
    "DELETE FROM handed WHERE tenant = ?2 AND claim_id IN (SELECT value FROM json_each(?1))",
)


def instant_text(at: datetime) -> str:
    """UTC at full length, so that texts sort as instants do."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f").rjust(26, "0") + "Z"


class RetrievalLog:
    """The log's file.

    Args:
        connection: To the log's file.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def keep(
        self, tenant: str, access: Access, is_erased: Callable[[Collection[str]], bool]
    ) -> None:
        """Keep a retrieval, once.

        Args:
            tenant: Whose.
            access: What was asked and found.
            is_erased: Whether one of some claims was erased, by now.
        """
        record, connection = canonical(access.record), self._connection
        connection.begin_writing()
        try:
            if not is_erased((*access.claims, *access.selected)):
                self._insert(self._number(tenant), access, record)
            connection.commit()
        except BaseException:
            connection.rollback()
            raise

    def _number(self, tenant: str) -> int:
        found = self._connection.value(_TENANT, (tenant,))
        if found is None:
            self._connection.run(_NEW_TENANT, (tenant,))
            found = self._connection.value(_TENANT, (tenant,))
        return int(found)

    def _insert(self, tenant: int, access: Access, record: bytes) -> None:
        connection = self._connection
        columns = (access.id, access.principal, time_text(access.at))
        found, selected = tuple(access.claims), tuple(access.selected)
        if not connection.run(_KEEP, (tenant, *columns, pack(found), pack(selected), record)):
            return
        connection.many(_FOUND, [(tenant, claim, access.id) for claim in {*found, *selected}])
        last = instant_text(access.at)
        handed = [(tenant, claim, access.principal, last) for claim in dict.fromkeys(selected)]
        connection.many(_HANDED, handed)

    def logged(self, tenant: str, retrieval_id: str) -> Access | None:
        """A logged retrieval."""
        number = self._connection.value(_TENANT, (tenant,))
        found = self._connection.one(_LOGGED, (number, retrieval_id))
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
            raise damaged(self._connection.path, what) from error

    def accesses(self, tenant: str, claim_id: str, principal: str) -> tuple[int, datetime | None]:
        """How often, and when last, this principal was handed the claim."""
        number = self._connection.value(_TENANT, (tenant,))
        found = self._connection.one(_ACCESSES, (number, claim_id, principal))
        return (found[0], datetime.fromisoformat(found[1])) if found else (0, None)

    def forget(self, tenant: str, claims: Collection[str]) -> None:
        """Remove the retrievals that found these claims, and the counts of their accesses."""
        connection = self._connection
        connection.begin_writing()
        try:
            number = connection.value(_TENANT, (tenant,))
            for statement in _FORGET:
                connection.run(statement, (listed(sorted(claims)), number))
            connection.commit()
        except BaseException:
            connection.rollback()
            raise

    def settle(self) -> bool:
        """Make what was forgotten unreadable on disk; whether nothing holds it up."""
        self._connection.rewrite()
        return self._connection.truncate_log()

    def close(self, *, untouched: bool = False) -> None:
        """Close the file."""
        self._connection.close(untouched=untouched)
