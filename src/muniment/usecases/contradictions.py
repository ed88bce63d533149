"""Contradictions that an answer would rest on: recorded ones, and those that nobody has recorded yet.

- A claim of a proof is contradicted where the asker sees the other side, whether that side may serve or not.
- A single-valued predicate with another value in overlapping time and one scope is a contradiction, recorded or not.
- Both sides are told, with what precedence says of those that may serve; none is picked.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime

from muniment.core.claim import Claim
from muniment.core.conflict import compare
from muniment.core.decide import decide
from muniment.core.join import Joined
from muniment.core.packet import Disagreement
from muniment.core.patterns import Pattern
from muniment.core.precedence import judge
from muniment.core.relations import relation
from muniment.core.row import Row
from muniment.usecases.serving import ServingFacts

MOST_COMPARED = 10_000
"""Facts of the touched subjects that are looked through for another value."""


class Contradictions:
    """What contradicts the claims that a join touched."""

    def __init__(self, facts: ServingFacts, joined: Joined, at: datetime) -> None:
        """Look at the touched claims; `groups` are those that contradict one another."""
        self.facts, self.viewing, self.at = facts, facts.viewing, at
        touched = {seq for events in joined.touched.values() for seq in events}
        self.names = self.viewing.snapshot.claims_at(touched)
        self.notes: dict[frozenset[str], str] = {}
        pairs = [*self._recorded(touched), *self._unrecorded(joined)]
        self.groups = tuple(sorted(_components(pairs)))

    def _recorded(self, touched: Collection[int]) -> Iterable[tuple[str, str]]:
        """What is recorded as contradicting a touched claim, by conflicts and by the claim itself."""
        disputes = self.viewing.open_conflicts()
        rows = self.viewing.snapshot.rows_at(self.facts.disputed.intersection(touched))
        for seq, name in self.names.items():
            said = rows[seq].conflicts if seq in rows else ()
            others = dict.fromkeys((*said, *disputes.get(name, ())))
            yield from ((name, other) for other in others if self.viewing.sees(other))

    def _unrecorded(self, joined: Joined) -> Iterable[tuple[str, str]]:
        """Other values of the single-valued predicates that were touched, of claims that may serve too."""
        held: dict[str, dict[int, set[int]]] = {}
        for (predicate, subject, _), events in joined.touched.items():
            if relation(predicate).single:
                held.setdefault(predicate, {}).setdefault(subject, set()).update(events)
        settled = self._settled()
        for predicate, by_subject in held.items():
            pattern = Pattern(predicate, subjects=frozenset(by_subject))
            beside: dict[int, set[int]] = {}
            for subject, _, event in self.facts.matching(pattern, MOST_COMPARED):
                beside.setdefault(subject, set()).add(event)
            for subject, others in beside.items():
                if len(others) > 1:
                    yield from self._compared(by_subject[subject], others, settled)

    def _compared(
        self, touched: set[int], others: set[int], settled: frozenset[frozenset[str]]
    ) -> Iterable[tuple[str, str]]:
        rows = self.viewing.snapshot.rows_at(touched | others)
        claims = self.viewing.claims(rows.values())
        for one in sorted(touched & set(claims)):
            for other in sorted(set(claims) - {one}):
                found = compare(claims[one], claims[other])
                pair = frozenset((claims[one].id, claims[other].id))
                if found and found.kind == "contradiction" and pair not in settled:
                    self.notes[pair] = found.note
                    yield claims[one].id, claims[other].id

    def _settled(self) -> frozenset[frozenset[str]]:
        recorded = self.viewing.conflicts()
        return frozenset(frozenset(c["between"]) for c in recorded if c.get("resolved"))

    # --- what is told of them ---

    def told(self) -> tuple[tuple[Disagreement, ...], dict[str, Claim]]:
        """Each contradiction with its sides, and the claims of all sides that may be shown, by id."""
        found, shown = [], dict[str, Claim]()
        for group in self.groups:
            reasons = {name: self._why_not(name) for name in group}
            served = {name: self.viewing.claim(name) for name, why in reasons.items() if not why}
            shown.update(served)
            not_served = tuple((name, why) for name, why in reasons.items() if why)
            ruling = judge(tuple(served.values()), self.at)
            found.append(Disagreement(tuple(served), self._noted(group), ruling, not_served))
        return tuple(found), shown

    def row(self, claim_id: str) -> Row | None:
        """A claim's version: the one that was touched, else the latest."""
        touched = {name: seq for seq, name in self.names.items()}
        if claim_id in touched:
            return self.viewing.snapshot.rows_at([touched[claim_id]]).get(touched[claim_id])
        return self.viewing.row(claim_id)

    def _why_not(self, claim_id: str) -> tuple[str, ...]:
        row = self.row(claim_id)
        if row is None:
            return ("erased",)
        if row.cls not in self.facts.state.classes:
            return ("out_of_scope",)
        return decide(row, self.facts.state.ask).reasons

    def _noted(self, group: tuple[str, ...]) -> tuple[str, ...]:
        between = set(group)
        recorded = [
            str(conflict.get("note", ""))
            for conflict in self.viewing.conflicts()
            if not conflict.get("resolved") and between.issuperset(conflict["between"])
        ]
        found = (note for pair, note in self.notes.items() if pair <= between)
        return tuple(dict.fromkeys(filter(None, (*recorded, *found))))


def _components(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, ...]]:
    """Names that are linked, directly or through others.

    >>> _components([("a", "b"), ("b", "c"), ("x", "y")])
    [('a', 'b', 'c'), ('x', 'y')]
    """
    links: dict[str, set[str]] = {}
    for one, other in pairs:
        links.setdefault(one, set()).add(other)
        links.setdefault(other, set()).add(one)
    found: list[tuple[str, ...]] = []
    seen: set[str] = set()
    for start in sorted(links):
        group, frontier = set[str](), {start} - seen
        while frontier:
            group |= frontier
            frontier = {other for one in frontier for other in links[one]} - group
        seen |= group
        if group:
            found.append(tuple(sorted(group)))
    return found
