"""Check a tenant's ledger against itself, and what was derived from it against a fresh fold.

- The chain: order, gaplessness, hashes, and a kept head (`core.event.verify_chain`).
- Contents: every one that is there is the one committed to; one that is missing is accounted for by an erasure.
- What is derived: rows, keys, links, docs, class heads and the index equal a fresh fold's.
- Every problem is said, in ledger order; nothing is repaired and nothing is raised.
- A problem names places, never contents.

>>> ledger = Ledger(envelopes=(), contents={}, classes={}, erased=frozenset(), key=lambda *_: "")
>>> verify_ledger(ledger, Folded()).ok
True
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from muniment.core.errors import StoreDamaged
from muniment.core.event import Envelope, Event, Verification, verify_chain
from muniment.core.fold import KeyOf
from muniment.core.row import Derived
from muniment.index.entry import Entry
from muniment.store.facts import fact_table
from muniment.store.folded import Folded
from muniment.store.indexing import tail_row
from muniment.store.sealing import UNREADABLE, Where, event_of, is_committed

PROBLEMS_SHOWN = 100
"""How many problems are listed; what is beyond is counted."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """What rests of one tenant that is not derived.

    Attributes:
        envelopes: In the order in which they are kept.
        contents: Salt and body by event.
        classes: Scope and audience by class id.
        erased: Claims that were erased.
        key: The tenant's keyed digest.
    """

    envelopes: Sequence[Envelope]
    contents: Mapping[int, tuple[bytes, bytes]]
    classes: Mapping[str, Where]
    erased: frozenset[str]
    key: KeyOf


@dataclass(frozen=True, slots=True)
class Index:
    """What a store's index holds, and how its rows are made.

    Attributes:
        rows: Every row with its family.
        numbers: Class id to its number.
        term_key: Gives a word's digest.
    """

    rows: Iterable[tuple[str, Entry]] = ()
    numbers: Mapping[str, int] = field(default_factory=dict)
    term_key: Callable[[str], int] = len

    def expected(
        self, fresh: Folded, yielded: Mapping[int, tuple[str, Derived]]
    ) -> Iterator[Entry]:
        """The rows that there should be."""
        current = {doc.seq for doc in fresh.docs.values()}
        for seq, (cls, derived) in yielded.items():
            number = self.numbers.get(cls, 0)
            if not number or (derived.doc and seq not in current):
                continue
            whole = replace(derived, row=fresh.rows.get(seq)) if derived.row else derived
            added = tail_row(whole, number, self.term_key, (0, 0))
            if added is not None:
                yield added[1]


def verify_ledger(
    ledger: Ledger, derived: Folded, head: str = "", index: Index | None = None
) -> Verification:
    """Check everything.

    Args:
        ledger: What is kept.
        derived: What the store holds as derived from it.
        head: A hash that was noted earlier; empty for none.
        index: What the store's index holds.
    """
    checked = verify_chain(ledger.envelopes, head)
    problems = [*checked.problems, *_contents(ledger)]
    fresh, yielded = Folded(), dict[int, tuple[str, Derived]]()
    for envelope, event, problem in _events(ledger):
        if problem:
            problems.append(problem)
        try:
            one = fresh.add(envelope, event, ledger.key)
            if one is not None:
                yielded[envelope.seq] = (envelope.cls, one)
        except UNREADABLE:
            problems.append(f"event {envelope.seq} cannot be folded: its content is not readable")
    problems.extend(differences(derived, fresh))
    if index is not None:
        try:
            held = [entry for _, entry in index.rows]
            problems.extend(index_differences(held, index.expected(fresh, yielded)))
        except StoreDamaged as error:
            problems.append(error.message)
    shown = problems[:PROBLEMS_SHOWN]
    if len(problems) > len(shown):
        shown.append(f"{len(problems) - len(shown)} further problems")
    return replace(checked, ok=not problems, problems=tuple(shown))


def _contents(ledger: Ledger) -> Iterator[str]:
    """Contents that are altered, missing without an erasure, or belong to no event."""
    known = set()
    for envelope in ledger.envelopes:
        known.add(envelope.seq)
        kept = ledger.contents.get(envelope.seq)
        if kept is None:
            if not ledger.erased.intersection(envelope.subjects):
                yield f"the content of event {envelope.seq} is missing, and no erasure accounts for it"
        elif not is_committed(envelope, *kept):
            yield f"the content of event {envelope.seq} is not the one committed to"
    for seq in sorted(set(ledger.contents) - known):
        yield f"a content belongs to event {seq}, which does not exist"


def _events(ledger: Ledger) -> Iterator[tuple[Envelope, Event | None, str]]:
    for envelope in ledger.envelopes:
        kept = ledger.contents.get(envelope.seq)
        if kept is None:
            yield envelope, None, ""
            continue
        try:
            yield envelope, event_of(envelope, kept[1], ledger.classes.get(envelope.cls)), ""
        except UNREADABLE:
            yield envelope, None, f"the content of event {envelope.seq} is not readable"


def index_differences(held: Iterable[Entry], expected: Iterable[Entry]) -> Iterator[str]:
    """Where the index is not what the ledger gives, by event; words are never repeated.

    Args:
        held: The rows that the index has.
        expected: The rows that it should have.
    """
    mine = {entry.seq: replace(entry, replaced=(0, 0)) for entry in held}
    theirs = {entry.seq: replace(entry, replaced=(0, 0)) for entry in expected}
    for seq in sorted(set(mine) | set(theirs)):
        if mine.get(seq) != theirs.get(seq):
            yield f"the index's row of event {seq} is not what the ledger gives"


def differences(held: Folded, fresh: Folded) -> Iterator[str]:
    """Where what a store holds is not what a fresh fold gives, as sentences that name places."""
    parts: tuple[tuple[str, Mapping[Any, Any], Mapping[Any, Any]], ...] = (
        ("row of event", held.rows, fresh.rows),
        ("latest version of claim", held.latest, fresh.latest),
        ("history of claim", held.versions, fresh.versions),
        ("lookup key", held.carrying, fresh.carrying),
        ("links to claim", held.pointing, fresh.pointing),
        ("doc", held.docs, fresh.docs),
        ("head of class", held.heads, fresh.heads),
        ("facts of event", fact_table(held), fact_table(fresh)),
    )
    for name, mine, theirs in parts:
        if mine == theirs:
            continue
        for place in sorted(set(mine) | set(theirs)):
            if mine.get(place) != theirs.get(place):
                shown = "/".join(place) if isinstance(place, tuple) else place
                yield f"the {name} {shown} is not what the ledger gives"
