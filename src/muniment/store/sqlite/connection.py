"""One SQLite connection: its settings, and the only place where a driver's error becomes a `StoreError`.

- Every setting is read back after it was set; a store that cannot have them is not opened.
- A write transaction begins with `BEGIN IMMEDIATE`, so that waiting happens before reading, and never after.
- Results are fetched whole within a call, so that no error surfaces outside it.
- Statement texts are constants of this package; values travel as parameters alone.
- What cannot be decoded is damage, not a traceback.
"""

from __future__ import annotations

import errno
import json
import re
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cache
from typing import Any, TypeVar

import apsw

from muniment.core.errors import (
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreUnavailable,
    quoted,
)
from muniment.store.sealing import UNREADABLE

WAL_LIMIT = 64 * 1024 * 1024
"""Bytes to which the write-ahead log is cut back after a checkpoint."""

_SETTINGS: tuple[tuple[str, str, object], ...] = (
    ("PRAGMA foreign_keys = ON", "PRAGMA foreign_keys", 1),
    ("PRAGMA trusted_schema = OFF", "PRAGMA trusted_schema", 0),
    ("PRAGMA cell_size_check = ON", "PRAGMA cell_size_check", 1),
    ("PRAGMA secure_delete = ON", "PRAGMA secure_delete", 1),
    ("PRAGMA mmap_size = 0", "PRAGMA mmap_size", 0),
    (
        "PRAGMA cache_size = -16384",
        "PRAGMA cache_size",
        -16384,
    ),  # KiB; postings are written all over the file
    ("PRAGMA journal_size_limit = 67108864", "PRAGMA journal_size_limit", WAL_LIMIT),
)
_DURABLE = ("PRAGMA synchronous = FULL", "PRAGMA synchronous", 2)
_RELAXED = ("PRAGMA synchronous = NORMAL", "PRAGMA synchronous", 1)
_FULL_DISK = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})

_BUSY = (apsw.BusyError, apsw.LockedError)
_DAMAGE = (
    apsw.CorruptError,
    apsw.NotADBError,
    apsw.FormatError,
    apsw.ConstraintError,
    apsw.MismatchError,
    apsw.RangeError,
    apsw.SQLError,
    apsw.SchemaChangeError,
)
_UNAVAILABLE = (
    apsw.CantOpenError,
    apsw.ReadOnlyError,
    apsw.PermissionsError,
    apsw.IOError,
    apsw.AuthError,
    apsw.NoLFSError,
)

Value = str | bytes | int | float | None
Parameters = Sequence[Value]
Rows = list[tuple[Any, ...]]
T = TypeVar("T")


class Connection:
    """A connection with the store's settings.

    Args:
        path: The file, as it was given.
        vfs: The name of SQLite's file layer; None for the platform's.
        busy_timeout_ms: How long a lock is waited for.
        durable: Whether a commit waits for the disk.
    """

    __slots__ = ("_database", "_durable", "_timeout", "path")

    def __init__(
        self, path: str, vfs: str | None, busy_timeout_ms: int, *, durable: bool = True
    ) -> None:
        self.path = path
        self._timeout = busy_timeout_ms
        self._durable = durable
        try:
            self._database = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE, vfs=vfs)
            self._database.set_busy_timeout(busy_timeout_ms)
            self._harden()
        except apsw.Error as error:
            raise translated(error, path, busy_timeout_ms, None) from error

    def _harden(self) -> None:
        """What needs no look into the file."""
        database = self._database
        database.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
        database.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        database.config(apsw.SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0)
        # One plan whatever the parameters: else SQLite plans a statement anew each time that one is bound (20 µs).
        database.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
        database.limit(apsw.SQLITE_LIMIT_ATTACHED, 0)

    def configure(self) -> None:
        """Make and check the settings; writes the journal mode to a new file.

        Raises:
            StoreError: A setting does not hold.
        """
        self._write_ahead()
        for change, question, wanted in (*_SETTINGS, _DURABLE if self._durable else _RELAXED):
            self.all(change)
            if self.value(question) != wanted:
                raise StoreUnavailable(
                    f"the setting {quoted(question)} cannot be made on the store {quoted(self.path)}",
                    fix="use the SQLite that comes with apsw, and its standard file layer",
                )

    def patiently(self, action: Callable[[], T]) -> T:
        """Try until the timeout while others are busy: on a new database SQLite itself does not always wait."""
        deadline = time.monotonic() + self._timeout / 1000
        while True:
            try:
                return action()
            except StoreBusy:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.005)

    def _write_ahead(self) -> None:
        """Switch to write-ahead logging."""
        mode = self.patiently(lambda: self.value("PRAGMA journal_mode = WAL"))
        if mode != "wal":
            raise StoreUnavailable(
                f"the store {quoted(self.path)} cannot keep a write-ahead log (mode {quoted(mode)})",
                fix="put it on a local disk",
            )

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open."""
        return self._database.in_transaction

    def listed(self, values: Collection[str] | Collection[int]) -> str:
        """A list of values as one parameter."""
        return json.dumps(list(values))

    def damaged(self, what: str) -> StoreDamaged:
        """The error that says that the store contradicts itself."""
        return damaged(self.path, what)

    def all(self, statement: str, parameters: Parameters = ()) -> Rows:
        """Run a statement and fetch everything it gives.

        Text that cannot be stored (a lone surrogate) is in no row, so nothing is found.
        """
        return self._fetched(statement, parameters, apsw.Cursor.fetchall)

    def decoded(
        self, statement: str, parameters: Parameters, decode: Callable[[tuple[Any, ...]], T]
    ) -> list[T]:
        """Run a statement and decode each row that it gives; what cannot be decoded is damage."""
        return self._fetched(statement, parameters, lambda rows: list(map(decode, rows)))

    def _fetched(
        self, statement: str, parameters: Parameters, fetch: Callable[[apsw.Cursor], list[T]]
    ) -> list[T]:
        try:
            return fetch(self._database.execute(spoken(statement), parameters))
        except UnicodeEncodeError:
            return []
        except apsw.Error as error:
            raise self._translated(error) from error
        except UNREADABLE as error:
            what = "a row does not hold what was written"
            raise damaged(self.path, what) from error

    def one(self, statement: str, parameters: Parameters = ()) -> tuple[Any, ...] | None:
        """The first row, if there is one."""
        rows = self.all(statement, parameters)
        return rows[0] if rows else None

    def value(self, statement: str, parameters: Parameters = ()) -> Any:
        """The first value of the first row, if there is one."""
        row = self.one(statement, parameters)
        return row[0] if row else None

    def run(self, statement: str, parameters: Parameters = ()) -> None:
        """Run a statement that changes something."""
        self.changed(statement, parameters)

    def changed(self, statement: str, parameters: Parameters = ()) -> int:
        """Run a statement that changes something; how many rows it changed."""
        try:
            self._database.execute(spoken(statement), parameters)
            return self._database.changes()
        except apsw.Error as error:
            raise self._translated(error) from error

    def many(self, statement: str, rows: Iterable[Parameters]) -> None:
        """Run a statement for each of several rows of parameters."""
        try:
            self._database.executemany(spoken(statement), rows)
        except apsw.Error as error:
            raise self._translated(error) from error

    def begin_reading(self) -> None:
        """Open a read transaction; its state is fixed by the first read."""
        self.run("BEGIN")

    def begin_writing(self) -> None:
        """Take the writer's place.

        Raises:
            StoreBusy: Another held it longer than the timeout.
        """
        self.run("BEGIN IMMEDIATE")

    def commit(self) -> None:
        """Make the transaction durable; when this returns, it is."""
        if not self.in_transaction:
            raise StoreError(
                f"the transaction on the store {quoted(self.path)} ended early", fix="try again"
            )
        self.run("COMMIT")

    def rollback(self) -> None:
        """Drop the transaction, if one is still open."""
        if self.in_transaction:
            self.run("ROLLBACK")

    def rewrite(self) -> None:
        """Write the whole file anew: `secure_delete` leaves stale copies of cells where pages were rebalanced."""
        database = self._database
        database.limit(apsw.SQLITE_LIMIT_ATTACHED, 1)  # VACUUM attaches its target
        try:
            self.run("VACUUM")
        finally:
            database.limit(apsw.SQLITE_LIMIT_ATTACHED, 0)

    def truncate_log(self) -> bool:
        """Copy the write-ahead log into the file and empty it; whether all of it could be."""
        row = self.one("PRAGMA wal_checkpoint(TRUNCATE)")
        return row is not None and row[0] == 0

    def close(self, *, untouched: bool = False) -> None:
        """Close.

        Args:
            untouched: Leave the file and its write-ahead log as they are.
        """
        try:
            if untouched:
                self._database.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            self._database.close()
        except apsw.ConnectionClosedError:
            return
        except apsw.Error as error:
            raise self._translated(error) from error

    def _translated(self, error: apsw.Error) -> StoreError:
        try:
            number = self._database.system_errno
        except apsw.ConnectionClosedError:  # it was closing that failed
            number = None
        return translated(error, self.path, self._timeout, number)


def translated(
    error: apsw.Error, path: str, timeout_ms: int, system_errno: int | None
) -> StoreError:
    """What a driver's error means to whoever reads it: what, where, and what to do."""
    where = f"the store {quoted(path)}"
    said = quoted(error)
    if isinstance(error, _BUSY):
        return StoreBusy(
            f"another process held {where} for more than {timeout_ms / 1000:g} s",
            fix="try again, or end the process that holds it",
        )
    if isinstance(error, apsw.FullError) or (
        isinstance(error, apsw.IOError) and system_errno in _FULL_DISK
    ):
        return StoreFull(
            f"there is no space left for {where}; nothing was written",
            fix="free space or raise the quota, then try again",
        )
    if isinstance(error, _DAMAGE):
        return damaged(path, str(error))
    if isinstance(error, _UNAVAILABLE):
        return StoreUnavailable(
            f"{where} cannot be opened, read or written: {said}",
            fix="check that its folder exists, is yours and writable, and that the disk works",
        )
    return StoreError(f"{where} could not do its work: {said}", fix="try again")


_LIST = re.compile(r"\b(?:texts|numbers|pairs)(?=\(\?)")


@cache
def spoken(statement: str) -> str:
    """A statement of `store.tables` in SQLite's own words.

    >>> spoken("SELECT value FROM numbers(?1) j")
    'SELECT value FROM json_each(?1) j'
    """
    return _LIST.sub("json_each", statement)


def damaged(path: str, what: str) -> StoreDamaged:
    """The store contradicts itself."""
    return StoreDamaged(
        f"the store {quoted(path)} is damaged: {quoted(what)}",
        fix="keep a copy of the file, run `muniment doctor`, and restore a backup",
    )
