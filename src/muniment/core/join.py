"""Join fact patterns: every answer with all its minimal proofs, or the bound that was met (`D-CONJ`, `D-BOUNDS`).

- The pattern with the fewest matching facts comes next, counted under what is bound so far.
- Every pair of a state and a candidate fact is an examination; a state is one way to bind the variables so far.
- Over a bound there are no answers at all: a part of them would be read as the whole.
- A proof is a set of claims that carries one fact for each pattern; one that contains another proof is none.
- Answers and proofs depend on the facts that may serve, not on the order in which a source gives them; only which of
  two bounds is met first may.

Which facts may serve, and what their terms are called, is the source's to know; contradictions are the caller's.

>>> facts = Plain([("ana", "maintains", "shop", "m1"), ("shop", "uses", "pnpm", "m2"), ("shop", "uses", "pnpm", "m3")])
>>> query, _ = read_query({"where": [["?who", "maintains", "?repo"], ["?repo", "uses", "pnpm"]], "select": ["?who"]})
>>> [(answer.values, answer.proofs, answer.count) for answer in join(query, facts).answers]
[(('ana',), (('m1', 'm2'), ('m1', 'm3')), 2)]
>>> join(query, facts, Bounds(examinations=2)).exceeded
'examinations'
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from muniment.core.proofs import Ground, Proofs, Reference, proofs_of
from muniment.core.query import (
    Atom,
    Query,
    Term,
    Variable,
    facts_in,
    oriented,
    read_query,
    term_text,
)

_ = read_query  # named by the doctest

MOST_EXAMINATIONS = 50_000
MOST_STATES = 512
MOST_PROOFS = 128
PROBES = (16, 512)
"""How far matching facts are counted to choose the next pattern: the second where the first decides nothing."""

Key = Any
"""A term as the source knows it: a text, or a number that stands for one; hashable."""
Matching = tuple[Key, Key, Reference]
"""A fact: subject, object, and the claim that carries it."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Hard limits, inclusive; a caller may lower them and not raise them."""

    examinations: int = MOST_EXAMINATIONS
    states: int = MOST_STATES
    proofs: int = MOST_PROOFS


@dataclass(frozen=True, slots=True)
class Pattern:
    """Which facts are wanted: those of a predicate whose ends are among the given keys.

    Attributes:
        predicate: Its name, seen from its own side (`query.oriented`).
        subjects: The keys allowed; None where any is.
        objects: The keys allowed; None where any is.
        pairs: Subject and object allowed together, where both are bound; the other two are None then.
    """

    predicate: str
    subjects: frozenset[Key] | None = None
    objects: frozenset[Key] | None = None
    pairs: frozenset[tuple[Key, Key]] | None = None


class Facts(Protocol):
    """The facts that may serve."""

    def key(self, text: str) -> Key:
        """What stands for a term's text."""

    def matching(self, pattern: Pattern, limit: int) -> Sequence[Matching]:
        """Facts of a pattern, each once: all of them, or any `limit` of them where there are more."""


class Plain:
    """Facts held in memory, as texts; what tests and documentation join."""

    def __init__(self, facts: Iterable[tuple[str, str, str, Reference]]) -> None:
        """Take (subject, predicate, object, claim) as they are said."""
        said = ((*one, claim) for s, p, o, claim in facts for one in facts_in(s, p, o))
        self.facts = tuple(dict.fromkeys(said))

    def key(self, text: str) -> Key:
        """The text itself."""
        return text

    def matching(self, pattern: Pattern, limit: int) -> Sequence[Matching]:
        """Facts of a pattern, by looking at every one."""
        found = [
            (s, o, claim)
            for s, p, o, claim in self.facts
            if p == pattern.predicate
            and (pattern.subjects is None or s in pattern.subjects)
            and (pattern.objects is None or o in pattern.objects)
            and (pattern.pairs is None or (s, o) in pattern.pairs)
        ]
        return found[:limit]


@dataclass(frozen=True, slots=True)
class Answer:
    """One way to bind what is selected.

    Attributes:
        values: Keys of the selected variables.
        proofs: Minimal proofs, fewest claims first, at most `Bounds.proofs` of them.
        count: How many minimal proofs there are.
    """

    values: tuple[Key, ...]
    proofs: tuple[tuple[Reference, ...], ...]
    count: int


Exceeded = Literal["", "examinations", "states"]


@dataclass(frozen=True, slots=True)
class Joined:
    """What a join came to.

    Attributes:
        answers: Every answer; none where a bound was met.
        exceeded: The bound that was met, empty for none.
        examinations: Pairs of state and candidate that were looked at.
        states: The most states that stood at once.
        touched: Every fact that takes part in a full binding, as (predicate, subject, object), with its claims.
        order: The patterns' numbers in the order in which they were joined.
    """

    answers: tuple[Answer, ...] = ()
    exceeded: Exceeded = ""
    examinations: int = 0
    states: int = 0
    touched: Mapping[Ground, tuple[Reference, ...]] = field(default_factory=dict)
    order: tuple[int, ...] = ()


def join(query: Query, facts: Facts, bounds: Bounds | None = None) -> Joined:
    """Answer a query from facts.

    Args:
        query: What is asked.
        facts: What may serve.
        bounds: Lower limits than the defaults; numbers above the defaults count as the defaults.
    """
    given = bounds or Bounds()
    limits = Bounds(
        min(given.examinations, MOST_EXAMINATIONS),
        min(given.states, MOST_STATES),
        min(given.proofs, MOST_PROOFS),
    )
    work = _Join(query, facts, limits)
    try:
        work.run()
        answers = work.answers()
    except _Exceeded as met:
        return Joined((), met.bound, work.examined, work.most, {}, tuple(work.order))
    return Joined(answers, "", work.examined, work.most, work.touched, tuple(work.order))


class _Exceeded(Exception):
    """A bound was met; nothing of what was found so far is told."""

    def __init__(self, bound: Exceeded) -> None:
        super().__init__(bound)
        self.bound = bound


State = tuple[Key, ...]


class _Join:
    """A join at work: states as tuples of keys, one for each variable in `slots`."""

    def __init__(self, query: Query, facts: Facts, bounds: Bounds) -> None:
        self.query, self.facts, self.bounds = query, facts, bounds
        turned = [oriented(a.subject, a.predicate, a.object) for a in query.where]
        self.atoms = [Atom(*one) for one in dict.fromkeys(turned)]
        self.keys = {
            term: facts.key(term_text(term))
            for atom in self.atoms
            for term in atom.terms
            if isinstance(term, str)
        }
        self.slots: dict[Variable, int] = {}
        self.states: list[State] = [()]
        self.supports: dict[Ground, list[Reference]] = {}
        self.touched: dict[Ground, tuple[Reference, ...]] = {}
        self.order: list[int] = []
        self.examined, self.most = 0, 1
        self._counted: dict[tuple[int, int], tuple[object, int]] = {}

    def run(self) -> None:
        """Join pattern after pattern, until all are or nothing is left to extend."""
        left = list(range(len(self.atoms)))
        while left and self.states:
            chosen = self._next(left)
            left.remove(chosen)
            self.order.append(chosen)
            self._extend(self.atoms[chosen])

    # --- which pattern comes next ---

    def _next(self, left: Sequence[int]) -> int:
        """The pattern with the fewest matching facts; among equals the one with more bound, then the first."""
        if len(left) == 1:
            return left[0]
        for limit in PROBES:
            counts = {number: self._count(number, limit) for number in left}
            if min(counts.values()) <= limit:
                break
        return min(left, key=lambda n: (counts[n], -self._bound(self.atoms[n]), n))

    def _bound(self, atom: Atom) -> int:
        return sum(isinstance(term, str) or term in self.slots for term in atom.terms)

    def _count(self, number: int, limit: int) -> int:
        """How many facts match a pattern under what is bound, counted to one over a limit."""
        atom = self.atoms[number]
        bound = tuple(term for term in atom.terms if term in self.slots)
        stamp = len(self.order) if bound else -1  # what is bound narrows with each step
        known = self._counted.get((number, limit))
        if known is None or known[0] != stamp:
            found = len(self.facts.matching(self._pattern(atom), limit + 1))
            known = self._counted[number, limit] = (stamp, found)
        return known[1]

    def _pattern(self, atom: Atom) -> Pattern:
        subject, object = atom.terms
        fixed = [isinstance(term, str) or term in self.slots for term in atom.terms]
        if all(fixed):
            pairs = frozenset((self._in(s, subject), self._in(s, object)) for s in self.states)
            return Pattern(atom.predicate, pairs=pairs)
        subjects = frozenset(self._in(s, subject) for s in self.states) if fixed[0] else None
        objects = frozenset(self._in(s, object) for s in self.states) if fixed[1] else None
        return Pattern(atom.predicate, subjects, objects)

    def _in(self, state: State, term: Term) -> Key:
        return self.keys[term] if isinstance(term, str) else state[self.slots[term]]

    # --- extending the states by one pattern ---

    def _extend(self, atom: Atom) -> None:
        pattern = self._pattern(atom)
        held = self._held(atom, self._fetch(atom, pattern))
        subject, object = atom.terms
        knows = [isinstance(term, str) or term in self.slots for term in atom.terms]
        by_end = _by_end(held, knows)
        new = [
            t for t in dict.fromkeys(atom.terms) if isinstance(t, Variable) and t not in self.slots
        ]
        states: dict[State, None] = {}
        for state in self.states:
            place = tuple(
                self._in(state, term)
                for term, known in zip((subject, object), knows, strict=True)
                if known
            )
            for s, o, count in by_end.get(place, ()):
                self._examine(count)
                if subject == object and s != o:
                    continue
                added = [s if term == subject else o for term in new]
                states[(*state, *added)] = None
                if len(states) > self.bounds.states:
                    self.most = len(states)
                    raise _Exceeded("states")
        for term in new:
            self.slots[term] = len(self.slots)
        self.states = list(states)
        self.most = max(self.most, len(states))

    def _fetch(self, atom: Atom, pattern: Pattern) -> Sequence[Matching]:
        """All facts of a pattern, unless so many that they cannot all be examined.

        Every different fact extends some state to a state of its own, so one fact more than states already decides;
        where both ends are one variable most facts extend nothing.
        """
        most = self.bounds.examinations - self.examined + 1
        first = min(2 * self.bounds.states + 2, most)
        found = self.facts.matching(pattern, first)
        if len(found) < first or first == most:
            return found
        different = {(s, o) for s, o, _ in found}
        if atom.subject != atom.object and len(different) > self.bounds.states:
            self.most = len(different)
            raise _Exceeded("states")
        return self.facts.matching(pattern, most)

    def _examine(self, count: int) -> None:
        self.examined += count
        if self.examined > self.bounds.examinations:
            raise _Exceeded("examinations")

    def _held(self, atom: Atom, found: Sequence[Matching]) -> dict[tuple[Key, Key], int]:
        """How many claims carry each fact; the claims are noted."""
        fresh: dict[Ground, list[Reference]] = {}
        for s, o, claim in found:
            fresh.setdefault((atom.predicate, s, o), []).append(claim)
        self.supports.update(fresh)
        return {(s, o): len(claims) for (_, s, o), claims in fresh.items()}

    # --- answers ---

    def answers(self) -> tuple[Answer, ...]:
        """What was asked for, with the proofs of all the ways that lead to it."""
        rows: dict[tuple[Key, ...], dict[frozenset[Ground], None]] = {}
        for state in self.states:
            values = tuple(state[self.slots[variable]] for variable in self.query.select)
            ground = frozenset(
                (a.predicate, self._in(state, a.subject), self._in(state, a.object))
                for a in self.atoms
            )
            rows.setdefault(values, {})[ground] = None
        touched = {ground for ways in rows.values() for way in ways for ground in way}
        self.touched = {ground: tuple(sorted(self.supports[ground])) for ground in touched}
        return tuple(self._answer(values, ways) for values, ways in rows.items())

    def _answer(self, values: tuple[Key, ...], ways: Collection[frozenset[Ground]]) -> Answer:
        left = self.bounds.examinations - self.examined
        found: Proofs | None = proofs_of(ways, self.touched, self.bounds.proofs, left)
        if found is None:
            raise _Exceeded("examinations")
        self.examined += found.examined
        return Answer(values, found.listed, found.count)


def _by_end(
    held: Mapping[tuple[Key, Key], int], knows: Sequence[bool]
) -> dict[tuple[Key, ...], list[tuple[Key, Key, int]]]:
    """Facts by those of their ends that are bound."""
    grouped: dict[tuple[Key, ...], list[tuple[Key, Key, int]]] = {}
    for (s, o), count in held.items():
        place = tuple(key for key, known in zip((s, o), knows, strict=True) if known)
        grouped.setdefault(place, []).append((s, o, count))
    return grouped
