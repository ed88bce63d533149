"""A store that lives and ends with its process: the plainest one that keeps the port's promises.

- A tenant's state is a value: a snapshot holds one, a transaction works on a copy, a commit replaces it.
- Erasing removes contents and puts together again what the rest yields; that is what erasing means.
- One writer a tenant; another waits, and is refused with `StoreBusy` after the timeout.

>>> store = MemoryStore(lambda count: bytes(count))
>>> with store.transaction("acme") as transaction:
...     at = datetime.fromisoformat("2026-07-08T12:00:00Z")
...     transaction.append([Event("principal", "k1", {"name": "user:a"})], at)
1
>>> with store.snapshot("acme") as snapshot:
...     [dict(content) for content in snapshot.contents([1]).values()]
[{'name': 'user:a'}]
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from muniment.core.access import Audience, Scope, normal
from muniment.core.canonical import canonical
from muniment.core.errors import StoreBusy, StoreUnavailable
from muniment.core.event import GENESIS, Event, Verification
from muniment.core.fold import fold
from muniment.index.entry import packed
from muniment.ports.store import Access, Trimmed
from muniment.store import indexing
from muniment.store.audit import Ledger, verify_ledger
from muniment.store.index_reading import Caches
from muniment.store.indexing import NO_VECTORS
from muniment.store.memory_log import RetrievalLog
from muniment.store.memory_notes import MemoryNotes
from muniment.store.memory_snapshot import MemorySnapshot
from muniment.store.memory_state import TenantState
from muniment.store.sealing import KEY_BYTES, SALT_BYTES, Place, recorded_at, seal

if TYPE_CHECKING:
    from muniment.index.selection import View


class MemoryTransaction(MemorySnapshot):
    """A snapshot that can be appended to; it sees its own writes."""

    def __init__(
        self, tenant: str, state: TenantState, entropy: Callable[[int], bytes], caches: Caches
    ) -> None:
        super().__init__(tenant, state, caches)
        self._entropy = entropy
        self._next_revision = self.revision + 1
        self.erased: set[str] = set()

    def declare_class(self, scope: Scope, audience: Audience) -> str:
        """The id of the class with this scope and audience, made where there is none."""
        audience = normal(audience)
        id = self.key("class", scope.kind, scope.id, canonical(audience).decode())
        self._state.classes.setdefault(id, (scope, audience))
        return id

    @property
    def memo(self) -> MutableMapping[Any, Any]:
        """Nothing is remembered of a state that may never be committed."""
        return {}

    @property
    def kept(self) -> MutableMapping[Any, Any]:
        """Nothing is remembered of a state that may never be committed."""
        return {}

    def index(self, family: str) -> View:
        """The index with what this transaction wrote."""
        return Caches().view(self._tenant, self._state.blocks, family, self._state.last)

    def append(
        self,
        events: Sequence[Event],
        at: datetime,
        vectors: Mapping[str, Mapping[int, bytes]] = NO_VECTORS,
    ) -> int:
        """Append events as part of this transaction's revision, and fold them.

        Raises:
            ValueError: An event cannot be kept as it is; none of them was appended.
        """
        whole = self._state
        state = whole.copy()
        first = len(state.envelopes) + 1
        for event in events:
            self._append(state, event, at)
        for space, by_place in vectors.items():
            by_event = {first + place: data for place, data in by_place.items()}
            state.blocks.put_vectors(space, by_event)
        for name in TenantState.__slots__:
            setattr(whole, name, getattr(state, name))
        return self.revision if not events else self._next_revision

    def _append(self, state: TenantState, event: Event, at: datetime) -> None:
        previous = state.envelopes[-1].hash if state.envelopes else GENESIS
        place = Place(len(state.envelopes) + 1, self._next_revision, at, previous)
        salt, where = self._entropy(SALT_BYTES), state.classes.get(event.cls)
        sealed = seal(event, place, salt, where)
        derived = fold(event, place.seq, place.revision, recorded_at(sealed.envelope), state.keyed)
        number = state.number(event.cls)
        added = number and indexing.tail_row(
            derived, number, self.term_key, state.replaced(derived)
        )
        state.folded.put(sealed.envelope, derived)
        if added:
            state.blocks.put_tail(added[0], place.seq, packed(added[1]))
        state.envelopes.append(sealed.envelope)
        state.yielded[place.seq] = derived
        state.contents[place.seq] = (salt, sealed.body)

    def further_revision(self) -> None:
        """Let what is appended from here on be of a revision of its own."""
        self._next_revision = self.revision + 1

    def embed(self, space: str, vectors: Mapping[int, bytes]) -> None:
        """Add vectors of what is in the ledger already, by event; they join the index at once."""
        self._state.blocks.put_vectors(space, vectors)
        indexing.join_vectors(self._state.blocks)

    def refold(self) -> None:
        """Drop everything derived and fold the ledger again."""
        self._state.refold()
        self.reindex()

    def reindex(self) -> None:
        """Drop the index and write it again from what is derived (`E-REBUILD`)."""
        self._state.reindex(self.term_key)

    def erase(self, claim_id: str) -> int:
        """Remove the contents that have the claim among their subjects, and all that was derived from them."""
        self.erased.add(claim_id)
        return self._state.erase(claim_id)


class MemoryStore:
    """A store in the process's memory.

    Args:
        entropy: Gives n random bytes, for keys and salts.
        busy_timeout_ms: How long a writer waits for another.
    """

    def __init__(self, entropy: Callable[[int], bytes], busy_timeout_ms: int = 5000) -> None:
        self._entropy = entropy
        self._timeout = busy_timeout_ms / 1000
        self.notes = MemoryNotes(busy_timeout_ms)
        self._tenants: dict[str, TenantState] = {}
        self._logs: dict[str, RetrievalLog] = {}
        self._caches = Caches()
        self._writers: dict[str, threading.Lock] = {}
        self._lock = threading.RLock()
        self._closed = False

    @property
    def notices(self) -> tuple[str, ...]:
        """What was noticed at opening; nothing can be."""
        return ()

    def _state(self, tenant: str) -> TenantState:
        with self._lock:
            if self._closed:
                raise StoreUnavailable("the store is closed", fix="open it again")
            if tenant not in self._tenants:  # keyed from the first look on, so digests stay true
                self._tenants[tenant] = TenantState(self._entropy(KEY_BYTES))
            return self._tenants[tenant]

    def _log_of(self, tenant: str) -> RetrievalLog:
        self._state(tenant)  # refuses when closed
        return self._logs.setdefault(tenant, RetrievalLog())

    @contextmanager
    def snapshot(self, tenant: str) -> Iterator[MemorySnapshot]:
        """The latest committed state, fixed until the context ends."""
        snapshot = MemorySnapshot(tenant, self._state(tenant), self._caches)
        try:
            yield snapshot
        finally:
            snapshot.end()

    @contextmanager
    def transaction(self, tenant: str) -> Iterator[MemoryTransaction]:
        """The writer's place.

        Raises:
            StoreBusy: Another held it longer than the timeout.
        """
        with self._lock:
            writer = self._writers.setdefault(tenant, threading.Lock())
        if not writer.acquire(timeout=self._timeout):
            raise StoreBusy(
                f"another writer held the store for more than {self._timeout:g} s",
                fix="try again, or end the other writer",
            )
        try:
            state = self._state(tenant).copy()
            transaction = MemoryTransaction(tenant, state, self._entropy, self._caches)
            try:
                yield transaction
            finally:
                transaction.end()
            for family in indexing.FAMILIES:
                indexing.merge(state.blocks, family)
            with self._lock:
                self._tenants[tenant] = state
                if transaction.erased:
                    self._log_of(tenant).forget(transaction.erased)
                    self._caches.let_go(tenant)
        finally:
            writer.release()

    def tenants(self) -> tuple[str, ...]:
        """Tenants with at least one event, sorted."""
        with self._lock:
            return tuple(sorted(name for name, state in self._tenants.items() if state.envelopes))

    def verify(self, tenant: str, head: str = "") -> Verification:
        """Check the chain, every commitment whose content is still there, and that derived rows equal a fresh fold."""
        state = self._state(tenant)
        kept = (state.envelopes, state.contents, state.classes, state.erased, state.keyed)
        index = state.index(self._caches.term_key(state.key))
        return verify_ledger(Ledger(*kept), state.folded, head, index)

    def reindex(self, tenant: str) -> None:
        """Drop the index alone and write it again."""
        with self.transaction(tenant) as transaction:
            transaction.reindex()

    def rebuild(self, tenant: str) -> None:
        """Drop everything derived and fold the ledger again (`E-REBUILD`)."""
        with self.transaction(tenant) as transaction:
            transaction.refold()

    def log(self, tenant: str, access: Access) -> None:
        """Keep a retrieval, once, unless it found something that was erased meanwhile."""
        state = self._state(tenant)
        at = access.at.astimezone(UTC)
        with self._lock:
            if not state.erased.intersection((*access.claims, *access.selected)):
                self._log_of(tenant).keep(replace(access, at=at))

    def logged(self, tenant: str, retrieval_id: str) -> Access | None:
        """A logged retrieval."""
        with self._lock:
            found = self._log_of(tenant).kept.get(retrieval_id)
        return replace(found[0], record=json.loads(found[1])) if found else None

    def trim(self, tenant: str, before: datetime, *, dry: bool) -> Trimmed:
        """Remove retrievals, and counts of accesses last made, up to an instant; `dry` only counts them."""
        with self._lock:
            return self._log_of(tenant).trim(before, dry=dry)

    def accesses(self, tenant: str, claim_id: str, principal: str) -> tuple[int, datetime | None]:
        """How often, and when last, this principal was handed the claim; of other principals nothing."""
        with self._lock:
            return self._log_of(tenant).handed.get((claim_id, principal), (0, None))

    def checkpoint(self) -> str:
        """Nothing is on disk, so erasures are complete."""
        return "complete"

    def close(self) -> None:
        """Let go of everything; calling it again does no harm."""
        with self._lock:
            self._closed = True
            self.notes.close()
            self._tenants, self._logs = {}, {}
