"""The derived state that a fresh fold of a ledger gives: what every store must hold, whatever its tables look like.

- Events are added in ledger order; `core.fold` says what each yields.
- A claim's version closes the one before it: `until_revision` of the earlier is the revision of the later. Two
  versions in one revision leave the earlier with an empty interval, in the history alone.
- The latest event of a thing is its doc; `first_seq` is that of the first one since it was last dropped.
- An event whose content was erased yields nothing, and still ends what it replaced: an outdated version or doc never
  becomes current again because its successor was erased.
- Class heads cover claim events, erased ones too, since envelopes stay.
- Values are immutable, so that `copy` gives an independent state in time linear in the number of entries.

>>> state = Folded()
>>> envelope = Envelope(1, 1, "2026-07-08T12:00:00Z", "principal", "k", "", (), "", "", "", "")
>>> derived = state.add(envelope, Event("principal", "k", {"name": "user:a"}), lambda *parts: "")
>>> state.docs["principal", "k"].first_seq
1
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from muniment.core.event import GENESIS, Envelope, Event, class_head
from muniment.core.facts import Triple
from muniment.core.fold import KeyOf, fold
from muniment.core.row import Derived, Doc, Row
from muniment.store.sealing import recorded_at

Head = tuple[str, int, int]
"""A class's head, how many claim events it has, and the revision of the last."""

NO_HEAD: Head = (GENESIS, 0, 0)


def links_of(row: Row) -> tuple[tuple[str, str], ...]:
    """The claims that a version points at, as (kind, claim), each once.

    >>> links_of(Row(1, 1, "mem_a", 1, "c", "accepted", supersedes=("mem_b",)))
    (('supersedes', 'mem_b'),)
    """
    links = [("derived_from", to) for to in row.derived_from]
    links += [("conflict", to) for to in row.conflicts]
    links += [("supersedes", to) for to in row.supersedes]
    if row.superseded_by:
        links.append(("superseded_by", row.superseded_by))
    return tuple(dict.fromkeys(links))


def next_head(head: Head, envelope: Envelope) -> Head:
    """A class's head after one more claim event.

    It covers what the event says, and not its place in the ledger: that tells how much others wrote.
    """
    return class_head(head[0], envelope.commitment or GENESIS), head[1] + 1, envelope.revision


def ended_docs(envelope: Envelope) -> tuple[tuple[str, str], ...]:
    """The docs that an event ends though its content was erased: its own, and what its kind always drops."""
    bare = Event(envelope.kind, envelope.id, {}, envelope.parent, (), envelope.cls)
    dropped = fold(bare, envelope.seq, envelope.revision, 0, lambda *_: "").drop
    return ((envelope.kind, envelope.id), *dropped)


@dataclass(slots=True)
class Folded:
    """Everything derived of one tenant's ledger.

    Attributes:
        rows: Claim versions by event, in ledger order.
        latest: The event of each claim's latest version.
        versions: The events of each claim's versions, first to last.
        carrying: The events of the versions that carry a lookup key.
        pointing: The events of the versions that point at a claim.
        docs: Docs by collection and id.
        heads: Class heads.
        facts: Standing and facts of the versions that carry facts, by event.
        fact_table: What a store's own table of facts holds (`store.facts.held`); None where it has none.
    """

    rows: dict[int, Row] = field(default_factory=dict)
    latest: dict[str, int] = field(default_factory=dict)
    versions: dict[str, tuple[int, ...]] = field(default_factory=dict)
    carrying: dict[str, tuple[int, ...]] = field(default_factory=dict)
    pointing: dict[str, tuple[int, ...]] = field(default_factory=dict)
    docs: dict[tuple[str, str], Doc] = field(default_factory=dict)
    heads: dict[str, Head] = field(default_factory=dict)
    facts: dict[int, tuple[int, tuple[Triple, ...]]] = field(default_factory=dict)
    fact_table: Mapping[int, Any] | None = None

    def copy(self) -> Folded:
        """An independent state with the same entries."""
        return Folded(
            dict(self.rows),
            dict(self.latest),
            dict(self.versions),
            dict(self.carrying),
            dict(self.pointing),
            dict(self.docs),
            dict(self.heads),
            dict(self.facts),
        )

    def add(self, envelope: Envelope, event: Event | None, key: KeyOf) -> Derived | None:
        """Fold one more event.

        Args:
            envelope: Its envelope.
            event: The event with its content whole; None where the content was erased.
            key: The tenant's keyed digest.

        Returns:
            What it yielded; None where the content was erased.
        """
        derived = None
        if event is not None:
            at = recorded_at(envelope)
            derived = fold(event, envelope.seq, envelope.revision, at, key)
        self.put(envelope, derived)
        return derived

    def put(self, envelope: Envelope, derived: Derived | None) -> None:
        """Add what an event yielded; None where its content was erased."""
        if envelope.kind == "claim" and envelope.cls:
            head = self.heads.get(envelope.cls, NO_HEAD)
            self.heads[envelope.cls] = next_head(head, envelope)
        if derived is None:
            self._end(envelope)
        else:
            self._put(derived)

    def _end(self, envelope: Envelope) -> None:
        """What an erased event replaced does not come back."""
        if envelope.kind == "claim":
            for claim_id in (envelope.id, envelope.parent):
                self._close(claim_id, envelope.revision)
            return
        for ended in ended_docs(envelope):
            self.docs.pop(ended, None)

    def _put(self, derived: Derived) -> None:
        for dropped in derived.drop:
            self.docs.pop(dropped, None)
        if derived.doc:
            name = (derived.doc.collection, derived.doc.id)
            before = self.docs.get(name)
            self.docs[name] = (
                replace(derived.doc, first_seq=before.first_seq) if before else derived.doc
            )
        if derived.row:
            self._put_row(derived.row, derived)

    def _put_row(self, row: Row, derived: Derived) -> None:
        self._close(row.claim_id, row.revision)
        self.rows[row.seq] = row
        if derived.facts:
            self.facts[row.seq] = (derived.standing, derived.facts)
        self.latest[row.claim_id] = row.seq
        self.versions[row.claim_id] = (*self.versions.get(row.claim_id, ()), row.seq)
        for one in row.keys:
            self.carrying[one] = (*self.carrying.get(one, ()), row.seq)
        for to in dict.fromkeys(to for _, to in links_of(row)):
            self.pointing[to] = (*self.pointing.get(to, ()), row.seq)

    def _close(self, claim_id: str, revision: int) -> None:
        before = self.latest.pop(claim_id, None)
        if before is not None:
            self.rows[before] = replace(self.rows[before], until_revision=revision)
