"""A store in one SQLite file.

- A snapshot has a connection of its own, in a read transaction; a transaction has one too, and the writer's place.
- An acknowledged write is a committed one: leaving `transaction` without an exception means that the disk has it.
- One commit is one sync of the write-ahead log. Retrievals are logged in `<path>.log`, see `log`.
- A store that was left by a process that died is checked when it is opened; what was found is in `notices`. Damage
  that SQLite finds then leaves the store readable, and closed to writes.
- Usable from any thread, and in a forked child, which opens connections of its own.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Self

from muniment.core.errors import StoreBusy, StoreDamaged, StoreError, StoreUnavailable, quoted
from muniment.core.event import GENESIS, Verification
from muniment.ports.store import Access, Trimmed
from muniment.store import indexing
from muniment.store.index_reading import Caches
from muniment.store.sealing import KEY_BYTES
from muniment.store.sqlite.connection import Connection, damaged
from muniment.store.sqlite.crash import problems_after_crash, told_after_crash
from muniment.store.sqlite.log import RetrievalLog
from muniment.store.sqlite.notes import SqliteNotes
from muniment.store.sqlite.opening import File
from muniment.store.sqlite.presence import Presence
from muniment.store.sqlite.schema import LEDGER, LOG
from muniment.store.sqlite.surroundings import holders, notices_of
from muniment.store.tables.blocks import TableBlocks
from muniment.store.tables.held import verified
from muniment.store.tables.snapshot import TableSnapshot
from muniment.store.tables.transaction import TableTransaction

IDLE = 4
"""Connections kept open for the next snapshot."""

_TENANTS = """
SELECT t.name FROM tenant t WHERE EXISTS (SELECT 1 FROM event e WHERE e.tenant = t.id) ORDER BY t.name
"""
_IS_ERASED = """
SELECT 1 FROM tenant t CROSS JOIN texts(?2) j
CROSS JOIN erased e ON e.tenant = t.id AND e.claim_id = j.value WHERE t.name = ?1 LIMIT 1
"""
_PENDING = """
SELECT t.name, e.claim_id FROM erased e JOIN tenant t ON t.id = e.tenant WHERE e.pending = 1
ORDER BY t.name, e.claim_id
"""
_SETTLED = """
UPDATE erased SET pending = 0 WHERE claim_id = ?2 AND tenant = (SELECT id FROM tenant WHERE name = ?1)
"""

# A parent's connections, which a forked child must neither use nor close.
_abandoned: list[Connection] = []


class SqliteStore:
    """A store in one file; made by `open`."""

    def __init__(self, file: File, log_file: File, entropy: Callable[[int], bytes]) -> None:
        self._file = file
        self._log_file = log_file
        self.notes = SqliteNotes(file)
        self._entropy = entropy
        self._idle: list[Connection] = []
        self._caches = Caches()
        self._busy = 0
        self._log: RetrievalLog | None = None
        self._keys: dict[str, bytes] = {}
        self._damage = ""
        self._notices: tuple[str, ...] = ()
        self._closed = False
        self._begin_process()

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        entropy: Callable[[int], bytes],
        create: bool,
        vfs: str | None = None,
        busy_timeout_ms: int = 5000,
    ) -> Self:
        """Open a store's file.

        Args:
            path: The file. Beside it lie `-wal` and `-shm` (SQLite's), `.log` (retrievals), `.notes` and, while it is
                written to, `.open`.
            entropy: Gives n random bytes, for keys and salts.
            create: Make it, and its folder, where there is none.
            vfs: The name of SQLite's file layer; None for the platform's.
            busy_timeout_ms: How long another writer is waited for, milliseconds.

        Raises:
            StoreUnavailable: It is missing, or cannot be opened, read and written.
            StoreDamaged: It is not a store, or contradicts itself.
            StoreNewer: A newer version wrote it; it was left as it is.
        """
        name = os.fspath(path)
        file = File(name, LEDGER, vfs, busy_timeout_ms)
        log_file = File(f"{name}.log", LOG, vfs, busy_timeout_ms, durable=False)
        store = cls(file, log_file, entropy)
        connection = file.prepare(create=create)
        try:
            store._notice(connection)
        except BaseException:
            connection.close()
            raise
        store._idle.append(connection)
        return store

    @property
    def notices(self) -> tuple[str, ...]:
        """What was noticed at opening: an unclean exit and what checking found, an unsuitable file system."""
        return self._notices

    def _begin_process(self) -> None:
        self._process = os.getpid()
        self._lock = threading.RLock()
        self._logging = threading.RLock()
        self._writer = threading.Lock()
        self._presence = Presence(Path(f"{self._file.path}.open"))

    def _notice(self, connection: Connection) -> None:
        notices = notices_of(Path(self._file.path))
        if self._presence.was_left():
            problems = problems_after_crash(connection)
            self._damage = problems[0] if problems else ""
            notices += (told_after_crash(problems),)
        self._notices = notices

    # --- connections ----------------------------------------------------------------------------

    @contextmanager
    def _connection(self) -> Iterator[Connection]:
        """A connection that nobody else uses meanwhile; one that failed is not used again."""
        connection = self._taken()
        try:
            yield connection
            connection.rollback()
        except BaseException:
            self._returned(connection, usable=False)
            raise
        self._returned(connection, usable=True)

    def _taken(self) -> Connection:
        if os.getpid() != self._process:
            _abandoned.extend(self._idle)
            self._idle, self._busy, self._log = [], 0, None
            self._begin_process()
        with self._lock:
            self._refuse_closed()
            self._busy += 1
            if self._idle:
                return self._idle.pop()
        try:
            return self._file.again()
        except BaseException:
            with self._lock:
                self._busy -= 1
            raise

    def _returned(self, connection: Connection, *, usable: bool) -> None:
        with self._lock:
            self._busy -= 1
            if usable and not self._closed and len(self._idle) < IDLE:
                self._idle.append(connection)
                return
            with contextlib.suppress(StoreError):  # what matters has been committed or raised
                connection.close()
            if self._closed and not self._busy:
                self._presence.let_go()

    def _refuse_closed(self) -> None:
        if self._closed:
            message = f"the store {quoted(self._file.path)} is closed"
            raise StoreUnavailable(message, fix="open it again")

    def _key_of_new(self, tenant: str) -> bytes:
        """A tenant's key before its first transaction: kept, so that digests made until then stay true."""
        with self._lock:
            return self._keys.setdefault(tenant, self._entropy(KEY_BYTES))

    # --- the port -------------------------------------------------------------------------------

    @contextmanager
    def snapshot(self, tenant: str) -> Iterator[TableSnapshot]:
        """The latest committed state, fixed until the context ends."""
        with self._connection() as connection:
            connection.begin_reading()
            snapshot = TableSnapshot(connection, tenant, self._key_of_new, self._caches)
            try:
                yield snapshot
            finally:
                snapshot.end()

    @contextmanager
    def transaction(self, tenant: str) -> Iterator[TableTransaction]:
        """The writer's place.

        Raises:
            StoreBusy: Another held it longer than the timeout.
            StoreDamaged: Checking after an unclean exit found damage.
        """
        if self._damage:
            raise damaged(self._file.path, self._damage)
        with self._connection() as connection, self._writing():
            self._presence.hold()
            connection.begin_writing()
            transaction = TableTransaction(
                connection, tenant, self._key_of_new, self._entropy, self._caches
            )
            try:
                yield transaction
                transaction.must_be_whole()
                connection.commit()
                self._merge(connection, transaction.number)
            except BaseException:
                with contextlib.suppress(StoreError):  # the connection is dropped with it
                    connection.rollback()
                raise
            finally:
                transaction.end()
        if transaction.erased:
            self._caches.let_go(tenant)
            # Where it fails it is still pending: `checkpoint` does it again and says so.
            with contextlib.suppress(StoreError):
                self._opened_log().forget(tenant, transaction.erased)

    def _merge(self, connection: Connection, tenant: int) -> None:
        """Merge the index where its tail has grown long; what was committed stays, whatever becomes of it."""
        blocks = TableBlocks(connection, tenant)
        for family in indexing.FAMILIES:
            with contextlib.suppress(StoreError):  # it is tried again after the next write
                if blocks.index_tail_size(family) < indexing.TAIL_ROWS:
                    continue
                connection.begin_writing()
                indexing.merge(blocks, family)
                connection.commit()
            connection.rollback()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """The writer's place among this process's threads."""
        if not self._writer.acquire(timeout=self._file.busy_timeout_ms / 1000):
            raise StoreBusy(
                f"another thread held the store {quoted(self._file.path)} too long",
                fix="try again, or end the other writer",
            )
        try:
            yield
        finally:
            self._writer.release()

    def tenants(self) -> tuple[str, ...]:
        """Tenants with at least one event, sorted."""
        with self._connection() as connection:
            return tuple(name for (name,) in connection.all(_TENANTS))

    def verify(self, tenant: str, head: str = "") -> Verification:
        """Check the chain, every commitment whose content is still there, and that derived rows equal a fresh fold."""
        try:
            with self._connection() as connection:
                connection.begin_reading()
                snapshot = TableSnapshot(connection, tenant, self._key_of_new)
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

    def _opened_log(self) -> RetrievalLog:
        with self._logging:
            self._refuse_closed()
            if self._log is None:
                self._log = RetrievalLog(self._log_file.prepare(create=True))
            return self._log

    def _is_erased(self, tenant: str, claims: Collection[str]) -> bool:
        with self._connection() as connection:
            return connection.one(_IS_ERASED, (tenant, connection.listed(claims))) is not None

    def log(self, tenant: str, access: Access) -> None:
        """Keep a retrieval, once, unless it found something that was erased meanwhile."""
        with self._logging:
            self._opened_log().keep(tenant, access, lambda claims: self._is_erased(tenant, claims))

    def logged(self, tenant: str, retrieval_id: str) -> Access | None:
        """A logged retrieval."""
        with self._logging:
            found = self._opened_log().logged(tenant, retrieval_id)
        gone = found and self._is_erased(tenant, (*found.claims, *found.selected))
        return None if gone else found

    def trim(self, tenant: str, before: datetime, *, dry: bool) -> Trimmed:
        """Remove retrievals, and counts of accesses last made, up to an instant; `dry` only counts them."""
        with self._logging:
            return self._opened_log().trim(tenant, before, dry, self._who_reads)

    def accesses(self, tenant: str, claim_id: str, principal: str) -> tuple[int, datetime | None]:
        """How often, and when last, this principal was handed the claim; of other principals nothing."""
        if self._is_erased(tenant, (claim_id,)):
            return 0, None
        with self._logging:
            return self._opened_log().accesses(tenant, claim_id, principal)

    # --- the file -------------------------------------------------------------------------------

    def checkpoint(self) -> str:
        """Make erasures complete on disk: `complete`, or `pending: …` naming what holds it up.

        The write-ahead log is copied into the file and emptied. Where something was erased since, the file is written
        anew first, since deleting alone leaves stale copies in it.
        """
        with self._writing(), self._connection() as connection:
            pending = connection.all(_PENDING)
            try:
                held_up = self._settle(connection, pending)
            except (StoreBusy, StoreUnavailable) as error:
                held_up = error.message
            except StoreError as error:
                if isinstance(error, StoreDamaged):
                    raise
                held_up = error.message
            if held_up:
                return f"pending: {held_up}"
            if pending:
                self._mark_settled(connection, pending)
        return "complete"

    def _settle(self, connection: Connection, pending: list[tuple[str, str]]) -> str:
        """Rewrite and empty what is on disk; what holds it up, empty for nothing."""
        if pending:
            self._presence.hold()
            with self._logging:
                log = self._opened_log()
                for tenant in dict.fromkeys(name for name, _ in pending):
                    log.forget(tenant, {claim for name, claim in pending if name == tenant})
                if not log.settle():
                    return self._who_reads(self._log_file.path)
            connection.rewrite()
        return "" if connection.truncate_log() else self._who_reads(self._file.path)

    def _who_reads(self, path: str) -> str:
        others = holders(Path(path))
        with self._lock:
            mine = self._busy - 1
        who = [f"this process ({mine} open readers)"] if mine else []
        who += [f"process {number}" for number in others]
        return f"{' and '.join(who) or 'a reader'} holds an earlier state of {quoted(path)} open"

    def _mark_settled(self, connection: Connection, pending: list[tuple[str, str]]) -> None:
        connection.begin_writing()
        connection.many(_SETTLED, pending)
        connection.commit()
        connection.truncate_log()

    def close(self) -> None:
        """Release everything; calling it again does no harm. Open snapshots keep theirs until they end."""
        if os.getpid() != self._process:
            self._closed = True
            return
        with self._logging, self._lock:
            if self._closed:
                return
            self._closed = True
            idle, self._idle = self._idle, []
            with contextlib.ExitStack() as closing:  # each is closed, whatever fails
                if not self._busy:
                    closing.callback(self._presence.let_go)
                for connection in idle:
                    closing.callback(connection.close)
                if self._log is not None:
                    closing.callback(self._log.close)
                closing.callback(self.notes.close)
