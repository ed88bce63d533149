"""One connection to PostgreSQL: its settings, and the only place where a driver's error becomes a `StoreError`.

- A writing transaction begins with its locks, so that waiting happens before reading, and never after.
- A reading transaction sees one state (REPEATABLE READ, READ ONLY).
- Every setting is read back after it was set; a store that cannot have them is not opened.
- Results are fetched whole within a call. What is written is sent without waiting for each answer; its errors surface
  in a later call of the transaction, at the latest in the commit.
- What cannot be decoded is damage, not a traceback.
- Text that the database cannot hold (NUL, a lone surrogate) is in no row: looked for, it is not found; written, it is
  a `ValueError`, as with SQLite a lone surrogate is.
"""

from __future__ import annotations

import contextlib
import itertools
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cache
from typing import Any, TypeAlias, TypeVar

import psycopg
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import TransactionStatus

from muniment.core.errors import (
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreUnavailable,
    quoted,
)
from muniment.store.sealing import UNREADABLE

CONNECT_TIMEOUT = "10"
"""Seconds that a server is waited for, where the address does not say."""

Rows: TypeAlias = list[tuple[Any, ...]]
T = TypeVar("T")

_SETTINGS = (
    "SELECT set_config(name, value, false) FROM unnest($1::text[], $2::text[]) AS s(name, value)"
)
_SETTING = "SELECT current_setting($1)"

_BUSY = (errors.LockNotAvailable, errors.DeadlockDetected, errors.SerializationFailure)
_DAMAGE = (
    psycopg.IntegrityError,
    errors.UndefinedTable,
    errors.UndefinedColumn,
    errors.UndefinedFunction,
    errors.DatatypeMismatch,
    errors.DataCorrupted,
    errors.IndexCorrupted,
    errors.InvalidSchemaName,
)
_UNAVAILABLE = (
    errors.InsufficientPrivilege,
    errors.ReadOnlySqlTransaction,
    errors.InvalidCatalogName,
    errors.TooManyConnections,
    psycopg.InterfaceError,
)


class Connection:
    """A connection with the store's settings.

    Args:
        address: A connection URI.
        busy_timeout_ms: How long a lock is waited for.

    Raises:
        StoreUnavailable: The server cannot be reached, or does not take a setting.
    """

    __slots__ = ("_database", "_pipeline", "_sending", "_timeout", "path")

    def __init__(self, address: str, busy_timeout_ms: int) -> None:
        self.path = shown(address)
        self._timeout = max(busy_timeout_ms, 1)  # 0 would wait for ever
        self._sending = contextlib.ExitStack()
        self._pipeline: psycopg.Pipeline | None = None
        try:
            patience = conninfo_to_dict(address).get("connect_timeout", CONNECT_TIMEOUT)
            stated = make_conninfo(address, connect_timeout=patience, client_encoding="utf8")
            self._database = psycopg.Connection[tuple[Any, ...]].connect(
                stated, autocommit=True, cursor_factory=psycopg.RawCursor
            )
        except psycopg.Error as error:
            raise translated(error, self.path, self._timeout) from error
        try:
            self._configure()
        except BaseException:
            self.close()
            raise

    def _configure(self) -> None:
        if self.value(_SETTING, ("server_encoding",)) != "UTF8":
            raise StoreUnavailable(
                f"the database {quoted(self.path)} does not keep text as UTF-8",
                fix="make one with: createdb --encoding=UTF8 --template=template0 NAME",
            )
        wanted = {"search_path": "muniment, pg_temp", "lock_timeout": f"{self._timeout}ms"}
        if self.value(_SETTING, ("synchronous_commit",)) == "off":
            wanted["synchronous_commit"] = "on"
        self.all(_SETTINGS, (list(wanted), list(wanted.values())))
        if self.value(_SETTING, ("synchronous_commit",)) == "off":
            raise StoreUnavailable(
                f"the store {quoted(self.path)} acknowledges writes before they are durable",
                fix="let the server's role set synchronous_commit",
            )

    def setting(self, name: str) -> str:
        """What the server says of a setting."""
        return str(self.value(_SETTING, (name,)))

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open, failed or not."""
        return self._database.info.transaction_status in (
            TransactionStatus.INTRANS,
            TransactionStatus.INERROR,
        )

    def listed(self, values: Collection[str] | Collection[int]) -> list[str] | list[int]:
        """A list of values as one parameter."""
        return list(values)  # type: ignore[return-value]

    def damaged(self, what: str) -> StoreDamaged:
        """The error that says that the store contradicts itself."""
        return damaged(self.path, what)

    def all(self, statement: str, parameters: Sequence[Any] = ()) -> Rows:
        """Run a statement and fetch everything it gives."""
        return self.decoded(statement, parameters, tuple)

    def decoded(
        self, statement: str, parameters: Sequence[Any], decode: Callable[[tuple[Any, ...]], T]
    ) -> list[T]:
        """Run a statement and decode each row that it gives; what cannot be decoded is damage."""
        try:
            cursor = self._database.execute(spoken(statement), parameters or None)
            return list(map(decode, cursor.fetchall()))
        except UnicodeEncodeError:
            return []
        except psycopg.Error as error:
            if _is_unstorable(error):
                return []
            raise translated(error, self.path, self._timeout) from error
        except UNREADABLE as error:
            raise self.damaged("a row does not hold what was written") from error

    def one(self, statement: str, parameters: Sequence[Any] = ()) -> tuple[Any, ...] | None:
        """The first row, if there is one."""
        rows = self.all(statement, parameters)
        return rows[0] if rows else None

    def value(self, statement: str, parameters: Sequence[Any] = ()) -> Any:
        """The first value of the first row, if there is one."""
        row = self.one(statement, parameters)
        return row[0] if row else None

    def run(self, statement: str, parameters: Sequence[Any] = ()) -> None:
        """Run a statement that changes something; in a writing transaction it is only sent.

        Raises:
            ValueError: A text cannot be kept.
        """
        try:
            self._database.execute(spoken(statement), parameters or None)
        except psycopg.Error as error:
            raise self._written(error) from error

    def changed(self, statement: str, parameters: Sequence[Any] = ()) -> int:
        """Run a statement that changes something; how many rows it changed.

        Raises:
            ValueError: A text cannot be kept.
        """
        try:
            cursor = self._database.execute(spoken(statement), parameters or None)
            if self._pipeline is not None:
                self._pipeline.sync()
            return cursor.rowcount
        except psycopg.Error as error:
            raise self._written(error) from error

    def many(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run a statement for each of several rows of parameters.

        Raises:
            ValueError: A text cannot be kept.
        """
        try:
            with self._database.cursor() as cursor:
                cursor.executemany(spoken(statement), rows)
        except psycopg.Error as error:
            raise self._written(error) from error

    def _written(self, error: psycopg.Error) -> Exception:
        if _is_unstorable(error):
            return ValueError(f"a text cannot be kept: {error}")
        return translated(error, self.path, self._timeout)

    # --- transactions ---

    def begin_reading(self) -> None:
        """Open a read transaction; its state is fixed by the first read."""
        self.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")

    def begin_writing(self, lock: int, *, durable: bool = True, sent: bool = True) -> None:
        """Take a writer's place.

        Each statement sees what is committed when it begins (READ COMMITTED): after the lock, all of it that the lock
        guards.

        Args:
            lock: The place's number.
            durable: Whether the commit waits for the disk.
            sent: Whether statements are sent one after another, and waited for where something is read or counted.

        Raises:
            StoreBusy: Another held it longer than the timeout.
        """
        if sent and psycopg.Pipeline.is_supported():
            self._pipeline = self._sending.enter_context(self._database.pipeline())
        self.run("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
        if not durable:
            self.run("SET LOCAL synchronous_commit = off")
        self.lock(lock)

    def lock(self, number: int) -> None:
        """Take a further lock until the transaction ends."""
        self.all("SELECT pg_advisory_xact_lock($1::bigint)", (number,))

    def commit(self) -> None:
        """Make the transaction durable; when this returns, it is.

        Raises:
            StoreUnavailable: The connection was lost meanwhile; whether it was kept is not known.
        """
        try:
            self._received()
        except psycopg.Error as error:
            raise self._written(error) from error
        if self._database.info.transaction_status is not TransactionStatus.INTRANS:
            raise StoreError(
                f"the transaction on the store {quoted(self.path)} ended early", fix="try again"
            )
        try:
            self._database.execute("COMMIT")
        except psycopg.Error as error:
            if self._database.broken:
                raise StoreUnavailable(
                    f"the connection to the store {quoted(self.path)} was lost while a write was committed: it may"
                    " have been kept",
                    fix="look whether it is there before writing it again",
                ) from error
            raise translated(error, self.path, self._timeout) from error

    def rollback(self) -> None:
        """Drop the transaction, if one is still open."""
        with contextlib.suppress(psycopg.Error):
            self._received()
        if self.in_transaction:
            self.run("ROLLBACK")

    def _received(self) -> None:
        """Wait for all that was sent."""
        self._pipeline = None
        self._sending.close()

    def close(self) -> None:
        """Close; an open transaction is dropped."""
        self._database.close()
        with contextlib.suppress(psycopg.Error):
            self._received()


_LISTS = (
    (re.compile(r"\btexts\((\?\d*)\) (\w+)"), r"unnest(\1::text[]) AS \2(value)"),
    (re.compile(r"\bnumbers\((\?\d*)\) (\w+)"), r"unnest(\1::bigint[]) AS \2(value)"),
    (re.compile(r"\bpairs\((\?\d*)\) (\w+)"), r"json_array_elements(\1::json) AS \2(value)"),
    (re.compile(r"\bCROSS JOIN\b"), "JOIN"),
    (re.compile(r" INDEXED BY \w+"), ""),
)
_PARAMETER = re.compile(r"\?(\d*)")


@cache
def spoken(statement: str) -> bytes:
    """A statement of `store.tables` in PostgreSQL's words.

    >>> spoken("SELECT value FROM texts(?1) j CROSS JOIN class c ON c.tenant = ?2 AND c.id = j.value").decode()
    'SELECT value FROM unnest($1::text[]) AS j(value) JOIN class c ON c.tenant = $2 AND c.id = j.value'
    >>> spoken("INSERT INTO tenant VALUES (?, ?)")
    b'INSERT INTO tenant VALUES ($1, $2)'
    """
    for form, own in _LISTS:
        statement = form.sub(own, statement)
    places = itertools.count(1)
    return _PARAMETER.sub(lambda found: f"${found[1] or next(places)}", statement).encode()


def shown(address: str) -> str:
    """An address without what is secret or personal in it.

    >>> shown("postgresql://ada:secret@db.example:5433/memory")
    'postgresql://db.example:5433/memory'
    """
    try:
        stated = conninfo_to_dict(address)
    except psycopg.Error:
        return "postgresql://…"
    host, port, name = (stated.get(part) for part in ("host", "port", "dbname"))
    return f"postgresql://{host or ''}{f':{port}' if port else ''}/{name or ''}"


def _is_unstorable(error: psycopg.Error) -> bool:
    """Whether the driver refused a text before anything was sent."""
    return isinstance(error, psycopg.DataError) and error.sqlstate is None


def _said(error: psycopg.Error) -> str:
    """The server's or the driver's own words, without the address, which may hold a password."""
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0].rpartition(" failed: ")[2]


def translated(error: psycopg.Error, path: str, timeout_ms: int) -> StoreError:
    """What a driver's error means to whoever reads it: what, where, and what to do."""
    where = f"the store {quoted(path)}"
    said = quoted(_said(error), limit=200)
    if isinstance(error, _BUSY):
        return StoreBusy(
            f"another writer held {where} for more than {timeout_ms / 1000:g} s",
            fix="try again, or end the session that holds it",
        )
    if isinstance(error, psycopg.errors.PipelineAborted):
        return StoreError(
            f"an earlier write to {where} failed; nothing was written",
            fix="try the whole transaction again",
        )
    if isinstance(error, errors.DiskFull):
        return StoreFull(
            f"there is no space left for {where}; nothing was written",
            fix="free space on the server, then try again",
        )
    if isinstance(error, _DAMAGE):
        return damaged(path, _said(error))
    if isinstance(error, _UNAVAILABLE) or (
        isinstance(error, psycopg.OperationalError)
        and (error.sqlstate is None or error.sqlstate[:2] in ("08", "28", "57"))
    ):
        return StoreUnavailable(
            f"{where} cannot be reached, read or written: {said}",
            fix="check that the server runs, and that the address and the role's rights are right",
        )
    if isinstance(error, psycopg.ProgrammingError) and error.sqlstate is None:
        return StoreUnavailable(
            f"{quoted(path)} is no address of a PostgreSQL database",
            fix="give postgresql://user@host:port/database",
        )
    return StoreError(f"{where} could not do its work: {said}", fix="try again")


def damaged(path: str, what: str) -> StoreDamaged:
    """The store contradicts itself."""
    return StoreDamaged(
        f"the store {quoted(path)} is damaged: {quoted(what)}",
        fix="keep a dump of the database, run `muniment doctor`, and restore a backup",
    )
