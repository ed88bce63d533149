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
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from muniment.core.access import Audience, Scope, normal
from muniment.core.canonical import canonical, keyed
from muniment.core.errors import StoreBusy, StoreUnavailable
from muniment.core.event import GENESIS, Envelope, Event, Verification
from muniment.core.facts import FactRow, Wanted
from muniment.core.row import ClassRow, Derived, Doc, Row
from muniment.ports.store import Access
from muniment.store.audit import Ledger, verify_ledger
from muniment.store.facts import matching
from muniment.store.folded import NO_HEAD, Folded
from muniment.store.sealing import (
    KEY_BYTES,
    SALT_BYTES,
    Place,
    Where,
    event_of,
    seal,
    unseal,
)


@dataclass(slots=True)
class _Tenant:
    """One tenant's committed state; nothing in it changes after the commit."""

    key: bytes
    envelopes: list[Envelope] = field(default_factory=list)
    contents: dict[int, tuple[bytes, bytes]] = field(default_factory=dict)
    classes: dict[str, Where] = field(default_factory=dict)
    erased: frozenset[str] = frozenset()
    yielded: dict[int, Derived] = field(default_factory=dict)
    folded: Folded = field(default_factory=Folded)

    def copy(self) -> _Tenant:
        return _Tenant(
            self.key,
            list(self.envelopes),
            dict(self.contents),
            dict(self.classes),
            self.erased,
            dict(self.yielded),
            self.folded.copy(),
        )

    def keyed(self, *parts: str) -> str:
        return keyed(self.key, *parts)

    def refold(self) -> None:
        self.folded, self.yielded = Folded(), {}
        for envelope in self.envelopes:
            kept = self.contents.get(envelope.seq)
            event = event_of(envelope, kept[1], self.classes.get(envelope.cls)) if kept else None
            derived = self.folded.add(envelope, event, self.keyed)
            if derived is not None:
                self.yielded[envelope.seq] = derived

    def erase(self, claim_id: str) -> int:
        gone = [e.seq for e in self.envelopes if claim_id in e.subjects]
        removed = 0
        for seq in gone:
            removed += self.contents.pop(seq, None) is not None
            self.yielded.pop(seq, None)
        self.erased |= {claim_id}
        self.folded = Folded()
        for envelope in self.envelopes:
            self.folded.put(envelope, self.yielded.get(envelope.seq))
        return removed


class MemorySnapshot:
    """One committed state of one tenant."""

    def __init__(self, tenant: str, state: _Tenant) -> None:
        self._tenant = tenant
        self._held: _Tenant | None = state

    @property
    def _state(self) -> _Tenant:
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
        state = self._state
        return tuple(
            ClassRow(id, scope.kind, scope.id, audience, *state.folded.heads.get(id, NO_HEAD))
            for id, (scope, audience) in sorted(state.classes.items())
        )

    def rows(self, classes: Collection[str], revision: int | None = None) -> tuple[Row, ...]:
        """The claim versions of these classes that hold in `revision`, sorted by seq."""
        wanted = set(classes)
        at = self.revision if revision is None else revision
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

    def rows_at(self, seqs: Collection[int]) -> Mapping[int, Row]:
        """The claim versions that some events recorded, by event; an erased one is absent."""
        rows = self._state.folded.rows
        return {seq: rows[seq] for seq in seqs if seq in rows}

    def postings(
        self, terms: Collection[str], classes: Collection[str]
    ) -> Mapping[str, Sequence[tuple[int, int]]]:
        """For each term the (seq, count) of every version in these classes that holds it, sorted by seq."""
        lists, wanted = self._state.folded.postings, sorted(set(classes))
        return {t: sorted(pair for c in wanted for pair in lists.get((t, c), ())) for t in terms}

    def envelopes(self, after: int = 0) -> Iterator[Envelope]:
        """The ledger from `after` (exclusive) on."""
        return iter(self._state.envelopes[max(after, 0) :])


class MemoryTransaction(MemorySnapshot):
    """A snapshot that can be appended to; it sees its own writes."""

    def __init__(self, tenant: str, state: _Tenant, entropy: Callable[[int], bytes]) -> None:
        super().__init__(tenant, state)
        self._entropy = entropy
        self._next_revision = self.revision + 1
        self.erased: set[str] = set()

    def declare_class(self, scope: Scope, audience: Audience) -> str:
        """The id of the class with this scope and audience, made where there is none."""
        audience = normal(audience)
        id = self.key("class", scope.kind, scope.id, canonical(audience).decode())
        self._state.classes.setdefault(id, (scope, audience))
        return id

    def append(self, events: Sequence[Event], at: datetime) -> int:
        """Append events as part of this transaction's one revision, and fold them.

        Raises:
            ValueError: An event cannot be kept as it is; none of them was appended.
        """
        state, folded = self._state, self._state.folded.copy()
        envelopes, yielded = list(state.envelopes), dict[int, Derived]()
        contents: dict[int, tuple[bytes, bytes]] = {}
        for event in events:
            previous = envelopes[-1].hash if envelopes else GENESIS
            place = Place(len(envelopes) + 1, self._next_revision, at, previous)
            salt, where = self._entropy(SALT_BYTES), state.classes.get(event.cls)
            sealed = seal(event, place, salt, where)
            envelopes.append(sealed.envelope)
            derived = folded.add(sealed.envelope, event, state.keyed)
            if derived is not None:
                yielded[place.seq] = derived
            contents[place.seq] = (salt, sealed.body)
        state.envelopes, state.folded = envelopes, folded
        state.contents.update(contents)
        state.yielded.update(yielded)
        return self.revision if not events else self._next_revision

    def refold(self) -> None:
        """Drop everything derived and fold the ledger again."""
        self._state.refold()

    def erase(self, claim_id: str) -> int:
        """Remove the contents that have the claim among their subjects, and all that was derived from them."""
        self.erased.add(claim_id)
        return self._state.erase(claim_id)


@dataclass(slots=True)
class _Log:
    """Retrievals of one tenant, outside its ledger."""

    kept: dict[str, tuple[Access, bytes]] = field(default_factory=dict)
    handed: dict[tuple[str, str], tuple[int, datetime]] = field(default_factory=dict)

    def keep(self, access: Access) -> None:
        if access.id in self.kept:
            return
        self.kept[access.id] = (replace(access, record={}), canonical(access.record))
        for claim_id in dict.fromkeys(access.selected):
            count, last = self.handed.get((claim_id, access.principal), (0, access.at))
            self.handed[claim_id, access.principal] = (count + 1, max(last, access.at))

    def forget(self, claim_ids: Collection[str]) -> None:
        gone = set(claim_ids)
        for id, (access, _) in list(self.kept.items()):
            if gone.intersection(access.claims) or gone.intersection(access.selected):
                del self.kept[id]
        for place in [place for place in self.handed if place[0] in gone]:
            del self.handed[place]


class MemoryStore:
    """A store in the process's memory.

    Args:
        entropy: Gives n random bytes, for keys and salts.
        busy_timeout_ms: How long a writer waits for another.
    """

    def __init__(self, entropy: Callable[[int], bytes], busy_timeout_ms: int = 5000) -> None:
        self._entropy = entropy
        self._timeout = busy_timeout_ms / 1000
        self._tenants: dict[str, _Tenant] = {}
        self._logs: dict[str, _Log] = {}
        self._writers: dict[str, threading.Lock] = {}
        self._lock = threading.RLock()
        self._closed = False

    @property
    def notices(self) -> tuple[str, ...]:
        """What was noticed at opening; nothing can be."""
        return ()

    def _state(self, tenant: str) -> _Tenant:
        with self._lock:
            if self._closed:
                raise StoreUnavailable("the store is closed", fix="open it again")
            if tenant not in self._tenants:  # keyed from the first look on, so digests stay true
                self._tenants[tenant] = _Tenant(self._entropy(KEY_BYTES))
            return self._tenants[tenant]

    def _log_of(self, tenant: str) -> _Log:
        self._state(tenant)  # refuses when closed
        return self._logs.setdefault(tenant, _Log())

    @contextmanager
    def snapshot(self, tenant: str) -> Iterator[MemorySnapshot]:
        """The latest committed state, fixed until the context ends."""
        snapshot = MemorySnapshot(tenant, self._state(tenant))
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
            transaction = MemoryTransaction(tenant, state, self._entropy)
            try:
                yield transaction
            finally:
                transaction.end()
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
        return verify_ledger(Ledger(*kept), state.folded, head)

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
