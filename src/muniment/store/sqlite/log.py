"""Retrievals and access counts, in a file beside the ledger.

- A file of its own, because a sync belongs to a whole file: in the ledger's, each logged retrieval would either wait
  for the disk or weaken what an acknowledged write means; and recalls would queue for the ledger's writer place.
- Losing the last entries in a power cut is accepted (`synchronous=NORMAL`); losing the file loses no memory.
- What found an erased claim is not kept: `forget` removes it, and `keep` asks under the log's own write lock, so that
  an entry cannot slip in between an erasure and its `forget`.
- Of other principals' accesses nothing is told.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from datetime import datetime

from muniment.core.errors import StoreBusy, StoreUnavailable
from muniment.ports.store import Access, Trimmed
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
        with self._writing():
            if not is_erased((*access.claims, *access.selected)):
                if self._connection.value(_TENANT, (tenant,)) is None:
                    self._connection.run(_NEW_TENANT, (tenant,))
                self._tables(tenant).keep(access)

    def logged(self, tenant: str, retrieval_id: str) -> Access | None:
        """A logged retrieval."""
        return self._tables(tenant).logged(retrieval_id)

    def accesses(self, tenant: str, claim_id: str, principal: str) -> tuple[int, datetime | None]:
        """How often, and when last, this principal was handed the claim."""
        return self._tables(tenant).accesses(claim_id, principal)

    def forget(self, tenant: str, claims: Collection[str]) -> None:
        """Remove the retrievals that found these claims, and the counts of their accesses."""
        with self._writing():
            self._tables(tenant).forget(claims)

    def trim(
        self, tenant: str, before: datetime, dry: bool, who_reads: Callable[[str], str]
    ) -> Trimmed:
        """Remove what was made, or last handed over, up to an instant.

        Args:
            tenant: Whose.
            before: The instant, inclusive.
            dry: Only count it.
            who_reads: Says who holds an earlier state of a file open.
        """
        if dry:
            return Trimmed(*self._tables(tenant).trim(before, dry=True), "complete")
        with self._writing():
            found = self._tables(tenant).trim(before, dry=False)
        try:
            held_up = "" if self.settle() else who_reads(self._connection.path)
        except (StoreBusy, StoreUnavailable) as error:
            held_up = error.message
        return Trimmed(*found, f"pending: {held_up}" if held_up else "complete")

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """The log's own write lock; what was done is kept whole, or not at all."""
        self._connection.begin_writing()
        try:
            yield
            self._connection.commit()
        except BaseException:
            self._connection.rollback()
            raise

    def settle(self) -> bool:
        """Make what was forgotten unreadable on disk; whether nothing holds it up."""
        self._connection.rewrite()
        return self._connection.truncate_log()

    def close(self, *, untouched: bool = False) -> None:
        """Close the file."""
        self._connection.close(untouched=untouched)
