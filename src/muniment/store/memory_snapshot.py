"""One committed state of one tenant, as the store in a process's memory holds it.

- The state is a value that nothing changes; it is let go of when the snapshot ends.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, MutableMapping, Sequence
from typing import TYPE_CHECKING, Any

from muniment.core.event import GENESIS, Envelope
from muniment.core.facts import FactCount, FactRow, Wanted
from muniment.core.row import ClassRow, Doc, Row
from muniment.store.facts import counts_of, matching
from muniment.store.folded import NO_HEAD
from muniment.store.index_reading import Caches
from muniment.store.memory_state import TenantState
from muniment.store.sealing import unseal

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

    def lookups(self, keys: Collection[str]) -> Mapping[str, tuple[Row, ...]]:
        """The latest versions under several lookup keys; a key that nothing carries is absent."""
        found = ((key, self.lookup(key)) for key in keys)
        return {key: rows for key, rows in found if rows}

    def docs_under(
        self, collection: str, parents: Collection[str]
    ) -> Mapping[str, tuple[Doc, ...]]:
        """The latest docs of several parents; a parent that has none is absent."""
        wanted, found = set(parents), dict[str, tuple[Doc, ...]]()
        for doc in self.docs(collection):
            if doc.parent in wanted:
                found[doc.parent] = (*found.get(doc.parent, ()), doc)
        return found

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

    def fact_counts(self, wanted: Wanted) -> Sequence[FactCount]:
        """How many facts are as wanted, by standing."""
        return counts_of(self.facts(wanted))

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

    def envelopes_about(self, claim_id: str) -> tuple[Envelope, ...]:
        """The events that name a claim, in ledger order."""
        return tuple(one for one in self._state.envelopes if claim_id in one.subjects)

    def claim_revisions(self, classes: Collection[str]) -> Sequence[int]:
        """The revisions that recorded versions of claims of these classes, ascending, one for each version."""
        wanted = set(classes)
        return [e.revision for e in self._state.envelopes if e.kind == "claim" and e.cls in wanted]

    def instants(self) -> Sequence[tuple[int, str]]:
        """Every revision with the instant at which it was recorded, ascending."""
        return list(dict.fromkeys((one.revision, one.at) for one in self._state.envelopes))
