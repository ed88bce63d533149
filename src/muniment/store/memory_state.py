"""One tenant's committed state in a process's memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from muniment.core.canonical import keyed
from muniment.core.event import Envelope
from muniment.core.row import Derived
from muniment.store import indexing
from muniment.store.audit import Index
from muniment.store.folded import Folded
from muniment.store.memory_index import MemoryBlocks
from muniment.store.sealing import Where, event_of

if TYPE_CHECKING:
    from muniment.index.entry import Entry


@dataclass(slots=True)
class TenantState:
    """One tenant's committed state; nothing in it changes after the commit."""

    key: bytes
    envelopes: list[Envelope] = field(default_factory=list)
    contents: dict[int, tuple[bytes, bytes]] = field(default_factory=dict)
    classes: dict[str, Where] = field(default_factory=dict)
    erased: frozenset[str] = frozenset()
    yielded: dict[int, Derived] = field(default_factory=dict)
    folded: Folded = field(default_factory=Folded)
    blocks: MemoryBlocks = field(default_factory=MemoryBlocks)

    def copy(self) -> TenantState:
        """An independent state with the same entries."""
        return TenantState(
            self.key,
            list(self.envelopes),
            dict(self.contents),
            dict(self.classes),
            self.erased,
            dict(self.yielded),
            self.folded.copy(),
            self.blocks.copy(),
        )

    @property
    def last(self) -> int:
        """The last event, 0 for none."""
        return len(self.envelopes)

    def keyed(self, *parts: str) -> str:
        """A digest under the tenant's key."""
        return keyed(self.key, *parts)

    def refold(self) -> None:
        """Fold the ledger again from its contents."""
        self.folded, self.yielded = Folded(), {}
        for envelope in self.envelopes:
            kept = self.contents.get(envelope.seq)
            event = event_of(envelope, kept[1], self.classes.get(envelope.cls)) if kept else None
            derived = self.folded.add(envelope, event, self.keyed)
            if derived is not None:
                self.yielded[envelope.seq] = derived

    def number(self, cls: str) -> int:
        """The number that stands for a class; 0 for none."""
        return next((n for n, id in enumerate(self.classes, 1) if id == cls), 0)

    def replaced(self, derived: Derived) -> tuple[int, int]:
        """Class and event of what a row or passage will replace."""
        folded = self.folded
        if derived.row:
            seq = folded.latest.get(derived.row.claim_id)
            return (0, 0) if seq is None else (self.number(folded.rows[seq].cls), seq)
        old = folded.docs.get((derived.doc.collection, derived.doc.id)) if derived.doc else None
        return (self.number(old.cls), old.seq) if old and old.cls else (0, 0)

    def reindex(self, term_key: Callable[[str], int]) -> None:
        """Write the index anew from what is derived."""
        indexing.rebuild(self.blocks, self.entries(term_key))

    def entries(self, term_key: Callable[[str], int]) -> Iterator[tuple[str, Entry]]:
        """Every row that the index should have, with its family."""
        current = {doc.seq for doc in self.folded.docs.values()}
        for seq, derived in sorted(self.yielded.items()):
            number = self.number(self.envelopes[seq - 1].cls)
            if not number or (derived.doc and seq not in current):
                continue
            whole = replace(derived, row=self.folded.rows.get(seq)) if derived.row else derived
            added = indexing.tail_row(whole, number, term_key, (0, 0))
            if added is not None:
                yield added

    def index(self, term_key: Callable[[str], int]) -> Index:
        """What the index holds, for checking."""
        numbers = {id: self.number(id) for id in self.classes}
        return Index(indexing.every_entry(self.blocks), numbers, term_key)

    def erase(self, claim_id: str) -> int:
        """Remove what tells of a claim, and put together again what the rest yielded."""
        gone = [e.seq for e in self.envelopes if claim_id in e.subjects]
        indexing.erase(self.blocks, gone)
        removed = 0
        for seq in gone:
            removed += self.contents.pop(seq, None) is not None
            self.yielded.pop(seq, None)
        self.erased |= {claim_id}
        self.folded = Folded()
        for envelope in self.envelopes:
            self.folded.put(envelope, self.yielded.get(envelope.seq))
        return removed
