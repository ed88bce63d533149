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
from collections.abc import Callable, Collection, Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from muniment.core.access import Audience, Scope, normal
from muniment.core.canonical import canonical
from muniment.core.errors import StoreBusy, StoreUnavailable
from muniment.core.event import GENESIS, Envelope, Event, Verification
from muniment.core.facts import FactRow, Wanted
from muniment.core.fold import fold
from muniment.core.row import ClassRow, Doc, Row
from muniment.index.entry import packed
from muniment.ports.store import Access
from muniment.store import indexing
from muniment.store.audit import Ledger, verify_ledger
from muniment.store.facts import matching
from muniment.store.folded import NO_HEAD
from muniment.store.index_reading import Caches
from muniment.store.indexing import NO_VECTORS
from muniment.store.memory_log import RetrievalLog
from muniment.store.memory_state import TenantState
from muniment.store.sealing import KEY_BYTES, SALT_BYTES, Place, recorded_at, seal, unseal

if TYPE_CHECKING:
    from muniment.index.selection import View


class MemorySnapshot:
    """One committed state of one tenant."""

    def __init__(self, tenant: str, state: TenantState, caches: Caches) -> None:
        self._tenant = tenant
        self._held: TenantState | None = state
        self._caches = caches

    @property
    def _state(self) -> TenantState:
        if self._held is None:
            raise ValueError("this snapshot has ended; take another")
        return self._held

    def end(self) -> None:
        """Let go of the state; what is asked afterwards is a mistake of the caller's."""
        self._held = None

    @property
    def tenant(self) -> str:
        """The tenant's name."""
        return self._tenant

    @property
    def revision(self) -> int:
        """The last committed revision, 0 for none."""
        envelopes = self._state.envelopes
        return envelopes[-1].revision if envelopes else 0

    def key(self, *parts: str) -> str:
        """A digest of `parts` under the tenant's secret key."""
        return self._state.keyed(*parts)

    def classes(self) -> tuple[ClassRow, ...]:
        """All eligibility classes, sorted by id."""
        state, heads = self._state, self._state.folded.heads
        return tuple(
            ClassRow(id, scope.kind, scope.id, audience, *heads.get(id, NO_HEAD), state.number(id))
            for id, (scope, audience) in sorted(state.classes.items())
        )

    def rows(self, classes: Collection[str], revision: int | None = None) -> tuple[Row, ...]:
        """The claim versions of these classes that hold in `revision`, sorted by seq."""
        wanted, at = set(classes), self.revision if revision is None else revision
        rows = self._state.folded.rows.values()
        return tuple(row for row in rows if row.cls in wanted and row.is_live_at(at))

    def row(self, claim_id: str) -> Row | None:
        """The latest version of a claim."""
        folded = self._state.folded
        seq = folded.latest.get(claim_id)
        return None if seq is None else folded.rows[seq]

    def history(self, claim_id: str) -> tuple[Row, ...]:
        """All versions of a claim, first to last."""
        folded = self._state.folded
        return tuple(folded.rows[seq] for seq in folded.versions.get(claim_id, ()))

    def lookup(self, key: str) -> tuple[Row, ...]:
        """The latest versions that carry a lookup key, sorted by seq."""
        return self._latest(self._state.folded.carrying.get(key, ()))

    def pointing_at(self, claim_id: str) -> tuple[Row, ...]:
        """Latest versions that are derived from, superseded by, or in conflict with a claim, or supersede it."""
        return self._latest(self._state.folded.pointing.get(claim_id, ()))

    def _latest(self, seqs: Sequence[int]) -> tuple[Row, ...]:
        folded = self._state.folded
        rows = (folded.rows[seq] for seq in seqs)
        return tuple(row for row in rows if folded.latest.get(row.claim_id) == row.seq)

    def docs(self, collection: str, parent: str | None = None) -> tuple[Doc, ...]:
        """The latest docs of a collection (of one parent), sorted by `first_seq`."""
        found = (
            doc
            for doc in self._state.folded.docs.values()
            if doc.collection == collection and parent in (None, doc.parent)
        )
        return tuple(sorted(found, key=lambda doc: doc.first_seq))

    def doc(self, collection: str, id: str) -> Doc | None:
        """One doc."""
        return self._state.folded.docs.get((collection, id))

    def contents(self, seqs: Collection[int]) -> Mapping[int, Mapping[str, Any]]:
        """Contents by event, whole; an erased one is absent."""
        state = self._state
        found: dict[int, Mapping[str, Any]] = {}
        for seq in sorted(set(seqs)):
            kept = state.contents.get(seq)
            if kept is not None:
                envelope = state.envelopes[seq - 1]
                found[seq] = unseal(envelope.kind, kept[1], state.classes.get(envelope.cls))
        return found

    def facts(self, wanted: Wanted) -> Sequence[FactRow]:
        """The facts of claim versions that are as wanted."""
        return matching(self._state.folded, wanted)

    def claims_at(self, seqs: Collection[int]) -> Mapping[int, str]:
        """The claims of which some events recorded a version, by event."""
        return {seq: row.claim_id for seq, row in self.rows_at(seqs).items()}

    def rows_at(self, seqs: Collection[int]) -> Mapping[int, Row]:
        """The claim versions that some events recorded, by event; an erased one is absent."""
        rows = self._state.folded.rows
        return {seq: rows[seq] for seq in seqs if seq in rows}

    def index(self, family: str) -> View:
        """The index of claims or of passages."""
        return self._caches.view(self._tenant, self._state.blocks, family, self._state.last)

    def term_key(self, word: str) -> int:
        """The digest under which the index keeps a word."""
        return self._caches.term_key(self._state.key)(word)

    @property
    def memo(self) -> MutableMapping[Any, Any]:
        """What was worked out of this very state, kept while the state is the last."""
        envelopes = self._state.envelopes
        return self._caches.memo(self._tenant, envelopes[-1].hash if envelopes else GENESIS)

    @property
    def kept(self) -> MutableMapping[Any, Any]:
        """What was worked out of this tenant and stays true in every later state."""
        return self._caches.kept(self._tenant)

    def envelopes(self, after: int = 0) -> Iterator[Envelope]:
        """The ledger from `after` (exclusive) on."""
        return iter(self._state.envelopes[max(after, 0) :])


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
        """Append events as part of this transaction's one revision, and fold them.

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
            self._tenants, self._logs = {}, {}
