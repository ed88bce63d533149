"""Notes in the database of the ledger, and no part of it.

- A principal's notes have a writer's place of their own: an advisory lock that lasts as long as the transaction.
- What ended is removed before notes are written or looked at; a reader that meets none only reads.
- That removed rows are gone from the server's dead rows and write-ahead log is `settle`'s work (`settling`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from typing import Protocol

from muniment.core.errors import StoreBusy, StoreFull, StoreUnavailable
from muniment.store.postgres.connection import Connection
from muniment.store.postgres.transaction import number_of
from muniment.store.tables.notes import NoteTables, forget, has_ended, sweep

_LATER = (StoreBusy, StoreFull, StoreUnavailable)


class Connecting(Protocol):
    """Gives a connection in a transaction, which ends with the context unless it was committed."""

    def __call__(
        self, begin: Callable[[Connection], None] = ...
    ) -> AbstractContextManager[Connection]:
        """A connection that has begun."""


class PostgresNotes:
    """The notes of every tenant of a database.

    Args:
        connecting: Gives the store's connections.
        settle: Makes what was removed unreadable on the server; `complete`, or what holds it up.
    """

    def __init__(self, connecting: Connecting, settle: Callable[[], str]) -> None:
        self._connecting, self._settle = connecting, settle
        self._removed = False

    @contextmanager
    def view(self, tenant: str, principal: str, at: datetime) -> Iterator[NoteTables]:
        """A principal's notes, to read."""
        with contextlib.suppress(*_LATER):  # the next one removes what ended
            self.sweep(tenant, at)
        with self._connecting() as connection:
            yield NoteTables(connection, number_of(tenant), principal, at)

    @contextmanager
    def book(self, tenant: str, principal: str, at: datetime) -> Iterator[NoteTables]:
        """A principal's notes, to write.

        Raises:
            StoreBusy: Another writer held them longer than the timeout.
        """
        place = number_of(tenant, f"notes {principal}")
        with self._connecting(lambda one: one.begin_writing(place)) as connection:
            tables = NoteTables(connection, number_of(tenant), principal, at)
            yield tables
            connection.commit()
        self._removed = self._removed or tables.removed > 0
        with contextlib.suppress(*_LATER):
            self.sweep(tenant, at)

    def sweep(self, tenant: str, at: datetime) -> None:
        """Remove what has ended, of everybody of a tenant."""
        number, place = number_of(tenant), number_of(tenant, "sweeping notes")
        with self._connecting() as connection:
            if not has_ended(connection, number, at):
                return
        with self._connecting(lambda one: one.begin_writing(place)) as connection:
            self._removed = sweep(connection, number, at) > 0 or self._removed
            connection.commit()

    def forget(self, tenant: str, id: str, said: str) -> None:
        """Remove a note, whosever it is, if its text still holds what was erased elsewhere."""
        number, place = number_of(tenant), number_of(tenant, "sweeping notes")
        with self._connecting(lambda one: one.begin_writing(place)) as connection:
            self._removed = forget(connection, number, id, said) > 0 or self._removed
            connection.commit()

    def settle(self) -> str:
        """Make what this process removed unreadable on the server: `complete`, or `pending: …`."""
        told = self._settle() if self._removed else "complete"
        self._removed = told != "complete"
        return told

    def close(self) -> None:
        """The connections are the store's."""
