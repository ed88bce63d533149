"""A store in the schema `muniment` of one PostgreSQL database.

- A snapshot has a connection of its own, in a read transaction; a transaction has one too, and its tenant's writer
  place: an advisory lock that lasts as long as the transaction. Writers of other tenants are not waited for.
- An acknowledged write is a committed one: leaving `transaction` without an exception means that the server has it on
  disk. Retrievals are committed without waiting for the disk.
- Erasing takes the logged retrievals along in its own transaction. What was erased is then in no answer; that it is
  gone from the server's tables and write-ahead log is `checkpoint`'s work, and what it says.
- Usable from any thread, and in a forked child, which opens connections of its own.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Self

from muniment.core.errors import StoreBusy, StoreDamaged, StoreError, StoreUnavailable, quoted
from muniment.core.event import GENESIS, Verification
from muniment.ports.store import Access, Trimmed
from muniment.store import indexing
from muniment.store.index_reading import Caches
from muniment.store.postgres.connection import Connection
from muniment.store.postgres.notes import PostgresNotes
from muniment.store.postgres.schema import prepare
from muniment.store.postgres.settling import LIVE, log_is_past, rewritten
from muniment.store.postgres.transaction import PostgresSnapshot, PostgresTransaction, number_of
from muniment.store.sealing import KEY_BYTES
from muniment.store.tables.blocks import TableBlocks
from muniment.store.tables.held import verified
from muniment.store.tables.log import LogTables

IDLE = 4
"""Connections kept open for the next snapshot."""

_TENANTS = """
SELECT t.name FROM tenant t WHERE EXISTS (SELECT 1 FROM event e WHERE e.tenant = t.id) ORDER BY t.name
"""
_IS_ERASED = """
SELECT 1 FROM texts(?2) j CROSS JOIN erased e ON e.tenant = ?1 AND e.claim_id = j.value LIMIT 1
"""
_PENDING = "SELECT tenant, claim_id, pending FROM erased WHERE pending > 0"
_STANDS = "UPDATE erased SET pending = ? WHERE tenant = ? AND claim_id = ? AND pending = ?"
_SHIFT = LIVE + 1
_LOGGED = ("retrieval", "found", "handed")
_SAFE = (("fsync", "on"), ("full_page_writes", "on"))

_abandoned: list[
    Connection
] = []  # a parent's connections, which a forked child must neither use nor close


class PostgresStore:
    """A store in one database; made by `open`."""

    def __init__(self, address: str, busy_timeout_ms: int, entropy: Callable[[int], bytes]) -> None:
        self._address = address
        self._timeout = busy_timeout_ms
        self._entropy = entropy
        self._idle: list[Connection] = []
        self._caches = Caches()
        self._keys: dict[str, bytes] = {}
        self._notices: tuple[str, ...] = ()
        self._name = ""
        self.notes = PostgresNotes(self._connection, lambda: self._settled("note"))
        self._closed = False
        self._begin_process()

    @classmethod
    def open(
        cls,
        address: str,
        *,
        entropy: Callable[[int], bytes],
        create: bool,
        busy_timeout_ms: int = 5000,
    ) -> Self:
        """Open a store; `open_postgres` is the usual way, and says what this takes and raises."""
        store = cls(address, busy_timeout_ms, entropy)
        connection = Connection(address, busy_timeout_ms)
        try:
            prepare(connection, create=create)
            store._name = connection.path
            store._notices = tuple(_noticed(connection))
        except BaseException:
            connection.close()
            raise
        store._idle.append(connection)
        return store

    @property
    def notices(self) -> tuple[str, ...]:
        """What was noticed at opening: settings of the server under which an acknowledged write may be lost."""
        return self._notices

    def _begin_process(self) -> None:
        self._process = os.getpid()
        self._lock = threading.RLock()

    # --- connections ----------------------------------------------------------------------------

    @contextmanager
    def _connection(
        self, begin: Callable[[Connection], None] = Connection.begin_reading
    ) -> Iterator[Connection]:
        """A connection in a transaction, that nobody else uses meanwhile; one that failed is not used again."""
        connection = self._begun(begin)
        try:
            yield connection
            connection.rollback()
        except BaseException:
            connection.close()
            raise
        with self._lock:
            if not self._closed and len(self._idle) < IDLE:
                self._idle.append(connection)
                return
        connection.close()

    def _begun(self, begin: Callable[[Connection], None]) -> Connection:
        """A connection that has begun; those that were lost while they waited are let go of."""
        while True:
            connection, is_new = self._taken()
            try:
                begin(connection)
            except StoreUnavailable:
                connection.close()
                if is_new:
                    raise
            except BaseException:
                connection.close()
                raise
            else:
                return connection

    def _taken(self) -> tuple[Connection, bool]:
        """A connection, and whether it is a new one."""
        if os.getpid() != self._process:
            _abandoned.extend(self._idle)
            self._idle = []
            self._begin_process()
        with self._lock:
            if self._closed:
                message = f"the store {quoted(self._name)} is closed"
                raise StoreUnavailable(message, fix="open it again")
            if self._idle:
                return self._idle.pop(), False
        return Connection(self._address, self._timeout), True

    def _key_of_new(self, tenant: str) -> bytes:
        """A tenant's key before its first transaction: kept, so that digests made until then stay true."""
        with self._lock:
            return self._keys.setdefault(tenant, self._entropy(KEY_BYTES))

    # --- the port -------------------------------------------------------------------------------

    @contextmanager
    def snapshot(self, tenant: str) -> Iterator[PostgresSnapshot]:
        """The latest committed state, fixed until the context ends."""
        with self._connection() as connection:
            snapshot = PostgresSnapshot(connection, tenant, self._key_of_new, self._caches)
            try:
                yield snapshot
            finally:
                snapshot.end()

    @contextmanager
    def transaction(self, tenant: str) -> Iterator[PostgresTransaction]:
        """The tenant's writer place.

        Raises:
            StoreBusy: Another held it longer than the timeout.
        """
        number = number_of(tenant)
        with self._connection(lambda connection: connection.begin_writing(number)) as connection:
            transaction = PostgresTransaction(
                connection, tenant, self._key_of_new, self._entropy, self._caches
            )
            try:
                yield transaction
                transaction.must_be_whole()
                if transaction.erased:
                    connection.lock(number_of(tenant, "log"))
                    LogTables(connection, transaction.number).forget(transaction.erased)
                connection.commit()
                self._merge(connection, tenant)
            finally:
                transaction.end()
            if transaction.erased:
                self._caches.let_go(tenant)

    def _merge(self, connection: Connection, tenant: str) -> None:
        """Merge the index where its tail has grown long; what was committed stays, whatever becomes of it."""
        number = number_of(tenant)
        blocks = TableBlocks(connection, number)
        for family in indexing.FAMILIES:
            with contextlib.suppress(StoreError):  # it is tried again after the next write
                if blocks.index_tail_size(family) < indexing.TAIL_ROWS:
                    continue
                connection.begin_writing(number)
                indexing.merge(blocks, family)
                connection.commit()
            connection.rollback()

    def tenants(self) -> tuple[str, ...]:
        """Tenants with at least one event, sorted."""
        with self._connection() as connection:
            return tuple(name for (name,) in connection.all(_TENANTS))

    def verify(self, tenant: str, head: str = "") -> Verification:
        """Check the chain, every commitment whose content is still there, and that derived rows equal a fresh fold."""
        try:
            with self._connection() as connection:
                snapshot = PostgresSnapshot(connection, tenant, self._key_of_new)
                return verified(snapshot, connection, snapshot.number, head)
        except StoreDamaged as error:
            return Verification(False, 0, GENESIS, (error.message,))

    def reindex(self, tenant: str) -> None:
        """Drop the index alone and write it again.

        Raises:
            StoreDamaged: A content is not readable; nothing was changed.
        """
        with self.transaction(tenant) as transaction:
            transaction.reindex()

    def rebuild(self, tenant: str) -> None:
        """Drop everything derived and fold the ledger again (`E-REBUILD`).

        Raises:
            StoreDamaged: A content is not readable; nothing was changed.
        """
        with self.transaction(tenant) as transaction:
            transaction.refold()

    # --- the log --------------------------------------------------------------------------------

    def log(self, tenant: str, access: Access) -> None:
        """Keep a retrieval, once, unless it found something that was erased meanwhile.

        An erasure holds the same lock until it is committed, so nothing slips in between.
        """
        number, claims = number_of(tenant), [*access.claims, *access.selected]
        place = number_of(tenant, "log")
        with self._connection(lambda one: one.begin_writing(place, durable=False)) as connection:
            if connection.one(_IS_ERASED, (number, claims)) is None:
                LogTables(connection, number).keep(access)
            connection.commit()

    def logged(self, tenant: str, retrieval_id: str) -> Access | None:
        """A logged retrieval."""
        with self._connection() as connection:
            return LogTables(connection, number_of(tenant)).logged(retrieval_id)

    def trim(self, tenant: str, before: datetime, *, dry: bool) -> Trimmed:
        """Remove retrievals, and counts of accesses last made, up to an instant; `dry` only counts them."""
        number, place = number_of(tenant), number_of(tenant, "log")
        with self._connection(lambda one: one.begin_writing(place)) as connection:
            found = LogTables(connection, number).trim(before, dry=dry)
            connection.commit()
        return Trimmed(*found, self._settled(*_LOGGED) if any(found) and not dry else "complete")

    def accesses(self, tenant: str, claim_id: str, principal: str) -> tuple[int, datetime | None]:
        """How often, and when last, this principal was handed the claim; of other principals nothing."""
        with self._connection() as connection:
            return LogTables(connection, number_of(tenant)).accesses(claim_id, principal)

    # --- the database ---------------------------------------------------------------------------

    def checkpoint(self) -> str:
        """Make erasures complete on the server: `complete`, or `pending: …` naming what holds it up.

        Where something was erased since, the tables are written anew, and then the log is followed until it holds
        nothing from before (`settling`).
        """
        with self._connection(_alone) as connection:
            removed = connection.all(_PENDING)
            if not removed:
                return "complete"
            states = {pending for _, _, pending in removed}
            try:
                held_up = rewritten(connection) if LIVE in states else ""
                if not held_up:
                    until = 0 if LIVE in states else max(states) - _SHIFT
                    held_up, until = log_is_past(connection, until)
                    state = until + _SHIFT if held_up else 0
                    connection.many(_STANDS, [(state, *one) for one in removed])
            except (StoreBusy, StoreUnavailable) as error:
                held_up = error.message
        return f"pending: {held_up}" if held_up else "complete"

    def _settled(self, *tables: str) -> str:
        """The same for tables from which something else than erased claims was removed."""
        with self._connection(_alone) as connection:
            try:
                held_up = rewritten(connection, tables) or log_is_past(connection, 0)[0]
            except (StoreBusy, StoreUnavailable) as error:
                held_up = error.message
        return f"pending: {held_up}" if held_up else "complete"

    def close(self) -> None:
        """Release everything; calling it again does no harm. Open snapshots keep theirs until they end."""
        if os.getpid() != self._process:
            self._closed = True
            return
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()


def _alone(connection: Connection) -> None:
    """Begin nothing: each statement is a transaction of its own."""


def _noticed(connection: Connection) -> Iterator[str]:
    for setting, safe in _SAFE:
        if connection.setting(setting) != safe:
            yield f"the server runs with {setting} off: an acknowledged write may be lost in a power cut"
