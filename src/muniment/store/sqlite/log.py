"""Retrievals and access counts, in a file beside the ledger.

- A file of its own, because a sync belongs to a whole file: in the ledger's, each logged retrieval would either wait
  for the disk or weaken what an acknowledged write means; and recalls would queue for the ledger's writer place.
- Losing the last entries in a power cut is accepted (`synchronous=NORMAL`); losing the file loses no memory.
- What found an erased claim is not kept: `forget` removes it, and `keep` asks under the log's own write lock, so that
  an entry cannot slip in between an erasure and its `forget`.
- Of other principals' accesses nothing is told.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime

from muniment.ports.store import Access
from muniment.store.sqlite.connection import Connection
from muniment.store.tables.log import LogTables

_TENANT = "SELECT id FROM tenant WHERE name = ?"
_NEW_TENANT = "INSERT INTO tenant (name) VALUES (?)"


class RetrievalLog:
    """The log's file.

    Args:
        connection: To the log's file.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def _tables(self, tenant: str) -> LogTables:
        return LogTables(self._connection, self._connection.value(_TENANT, (tenant,)))

    def keep(
        self, tenant: str, access: Access, is_erased: Callable[[Collection[str]], bool]
    ) -> None:
        """Keep a retrieval, once.

        Args:
            tenant: Whose.
            access: What was asked and found.
            is_erased: Whether one of some claims was erased, by now.
        """
        connection = self._connection
        connection.begin_writing()
        try:
            if not is_erased((*access.claims, *access.selected)):
                if connection.value(_TENANT, (tenant,)) is None:
                    connection.run(_NEW_TENANT, (tenant,))
                self._tables(tenant).keep(access)
            connection.commit()
        except BaseException:
            connection.rollback()
            raise

    def logged(self, tenant: str, retrieval_id: str) -> Access | None:
        """A logged retrieval."""
        return self._tables(tenant).logged(retrieval_id)

    def accesses(self, tenant: str, claim_id: str, principal: str) -> tuple[int, datetime | None]:
        """How often, and when last, this principal was handed the claim."""
        return self._tables(tenant).accesses(claim_id, principal)

    def forget(self, tenant: str, claims: Collection[str]) -> None:
        """Remove the retrievals that found these claims, and the counts of their accesses."""
        connection = self._connection
        connection.begin_writing()
        try:
            self._tables(tenant).forget(claims)
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
