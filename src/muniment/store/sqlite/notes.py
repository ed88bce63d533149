"""Notes in a file beside the ledger's: small, and so written anew whenever something of it ends.

- A file of its own, because removing what ended must neither wait for who reads the ledger nor rewrite
  it. It is made by the first note; where there is none, there are no notes.
- What ended is removed before notes are looked at or written. SQLite's `secure_delete` overwrites it at once; copies
  that were left where pages were rebalanced, and in the write-ahead log, go when the file is written anew. That
  follows at once up to `INLINE` bytes, and else with `settle`, which ending notes calls.
- That bytes may be left is itself on the disk (`unsettled`), so that a process killed in between leaves it known.
- One connection a process, used by one thread at a time; a forked child opens its own.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from muniment.core.errors import StoreBusy, StoreError, StoreFull, StoreUnavailable, quoted
from muniment.ports.working import NoteView
from muniment.store.sqlite.connection import Connection
from muniment.store.sqlite.opening import File
from muniment.store.sqlite.schema import NOTES
from muniment.store.sqlite.surroundings import holders
from muniment.store.tables.notes import NoNotes, NoteTables, forget, has_ended, sweep

INLINE = 8 * 1024 * 1024
"""Bytes of a file that is written anew whenever something in it has ended."""

_TENANT = "SELECT id FROM tenant WHERE name = ?"
_NEW_TENANT = "INSERT INTO tenant (name) VALUES (?)"
_UNSETTLED = "SELECT count(*) FROM unsettled"
_UNSETTLE = "INSERT OR IGNORE INTO unsettled VALUES (1)"
_SETTLED = "DELETE FROM unsettled"

_LATER = (StoreBusy, StoreFull, StoreUnavailable)
"""What keeps removed bytes on the disk a while longer, and keeps nobody from reading."""

_abandoned: list[Connection] = []  # a parent's connection, which a forked child must not close


class SqliteNotes:
    """The notes' file.

    Args:
        ledger: The file of the store; the notes lie beside it.
    """

    def __init__(self, ledger: File) -> None:
        self._file = File(f"{ledger.path}.notes", NOTES, ledger.vfs, ledger.busy_timeout_ms)
        self._connection: Connection | None = None
        self._closed = False
        self._begin_process()

    def _begin_process(self) -> None:
        self._process = os.getpid()
        self._lock = threading.RLock()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """This process's place at the connection."""
        if os.getpid() != self._process:
            _abandoned.extend([self._connection] if self._connection else [])
            self._connection = None
            self._begin_process()
        if not self._lock.acquire(timeout=self._file.busy_timeout_ms / 1000):
            raise StoreBusy(
                f"another thread held the notes {quoted(self._file.path)} too long",
                fix="try again, or end the other writer",
            )
        try:
            if self._closed:
                message = f"the store of the notes {quoted(self._file.path)} is closed"
                raise StoreUnavailable(message, fix="open it again")
            yield
        finally:
            self._lock.release()

    def _opened(self, *, create: bool) -> Connection | None:
        if self._connection is None and (create or Path(self._file.path).exists()):
            self._connection = self._file.prepare(create=create)
        return self._connection

    @contextmanager
    def view(self, tenant: str, principal: str, at: datetime) -> Iterator[NoteView]:
        """A principal's notes, to read."""
        with self._alone():
            connection = self._opened(create=False)
            if connection is None:
                yield NoNotes()
                return
            with contextlib.suppress(*_LATER):  # the next one removes what ended
                self._sweep(connection, tenant, at)
            connection.begin_reading()
            try:
                number = connection.value(_TENANT, (tenant,))
                known = number is not None
                yield NoteTables(connection, number, principal, at) if known else NoNotes()
            finally:
                connection.rollback()

    @contextmanager
    def book(self, tenant: str, principal: str, at: datetime) -> Iterator[NoteTables]:
        """A principal's notes, to write.

        Raises:
            StoreBusy: Another writer held them longer than the timeout.
        """
        with self._alone():
            connection = self._opened(create=True)
            assert connection is not None
            connection.begin_writing()
            try:
                number = _tenant(connection, tenant)
                swept = sweep(connection, number, at)
                tables = NoteTables(connection, number, principal, at)
                yield tables
                if swept or tables.removed:
                    connection.run(_UNSETTLE)
                connection.commit()
            except BaseException:
                connection.rollback()
                raise
            self._settle_small(connection)

    def sweep(self, tenant: str, at: datetime) -> None:
        """Remove what has ended, of everybody of a tenant."""
        with self._alone():
            connection = self._opened(create=False)
            if connection is not None:
                self._sweep(connection, tenant, at)

    def _sweep(self, connection: Connection, tenant: str, at: datetime) -> None:
        number = connection.value(_TENANT, (tenant,))
        if number is not None and has_ended(connection, number, at):
            _remove(connection, lambda: sweep(connection, number, at))
        self._settle_small(connection)

    def forget(self, tenant: str, id: str, said: str) -> None:
        """Remove a note, whosever it is, if its text still holds what was erased elsewhere."""
        with self._alone():
            connection = self._opened(create=False)
            number = connection.value(_TENANT, (tenant,)) if connection else None
            if connection is not None and number is not None:
                _remove(connection, lambda: forget(connection, number, id, said))

    def _settle_small(self, connection: Connection) -> None:
        """Write a small file anew; what cannot be done now is left for the next time."""
        if connection.value(_UNSETTLED) and Path(self._file.path).stat().st_size <= INLINE:
            with contextlib.suppress(*_LATER):
                _settle(connection)

    def settle(self) -> str:
        """Make what was removed unreadable on disk: `complete`, or `pending: …` naming what holds it up."""
        with self._alone():
            connection = self._opened(create=False)
            if connection is None or not connection.value(_UNSETTLED):
                return "complete"
            try:
                if _settle(connection):
                    return "complete"
            except _LATER as error:
                return f"pending: {error.message}"
            who = " and ".join(f"process {number}" for number in holders(Path(self._file.path)))
            return f"pending: {who or 'a reader'} holds an earlier state of the notes open"

    def close(self) -> None:
        """Release the file; calling it again does no harm."""
        if os.getpid() != self._process:
            self._closed = True
            return
        with self._lock:
            self._closed = True
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close()


def _remove(connection: Connection, act: Callable[[], int]) -> None:
    """Remove something in a transaction that says that its bytes may be left."""
    connection.begin_writing()
    try:
        if act():
            connection.run(_UNSETTLE)
        connection.commit()
    except BaseException:
        connection.rollback()
        raise


def _tenant(connection: Connection, name: str) -> int:
    if connection.value(_TENANT, (name,)) is None:
        connection.run(_NEW_TENANT, (name,))
    return int(connection.value(_TENANT, (name,)))


def _settle(connection: Connection) -> bool:
    """Write the file anew and empty its log; whether nothing holds that up."""
    connection.rewrite()
    if not connection.truncate_log():
        return False
    connection.begin_writing()
    try:
        connection.run(_SETTLED)
        connection.commit()
    except StoreError:
        connection.rollback()
        raise
    return connection.truncate_log()
