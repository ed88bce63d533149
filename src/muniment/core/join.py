"""Join fact patterns: every answer with all its minimal proofs, or the bound that was met (`D-CONJ`, `D-BOUNDS`).

- The pattern with the fewest matching facts comes next, counted under what is bound so far; with it go all patterns
  that it leaves no variable to, so that what they refuse never becomes a state.
- Every pair of a state and a candidate fact is an examination, and so is every fact that narrows a variable first;
  a state is one way to bind the variables so far.
- Over a bound there are no answers at all: a part of them would be read as the whole.
- A proof is a set of claims that carries one fact for each pattern; one that contains another proof is none.
- Answers and proofs depend on the facts that may serve, not on the order in which a source gives them; only which of
  two bounds is met first may.

Which facts may serve is the source's to know (`patterns`); contradictions are the caller's.

>>> facts = Plain([("ana", "maintains", "shop", "m1"), ("shop", "uses", "pnpm", "m2"), ("shop", "uses", "pnpm", "m3")])
>>> query, _ = read_query({"where": [["?who", "maintains", "?repo"], ["?repo", "uses", "pnpm"]], "select": ["?who"]})
>>> [(answer.values, answer.proofs, answer.count) for answer in join(query, facts).answers]
[(('ana',), (('m1', 'm2'), ('m1', 'm3')), 2)]
>>> join(query, facts, Bounds(examinations=2)).exceeded
'examinations'
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Literal

from muniment.core.patterns import Facts, Key, Matching, Pattern, Plain
from muniment.core.proofs import Ground, Proofs, Reference, proofs_of
from muniment.core.query import Atom, Query, Term, Variable, oriented, read_query, term_text

_ = (Plain, read_query)  # named by the doctest

MOST_EXAMINATIONS = 50_000
MOST_STATES = 512
MOST_PROOFS = 128
PROBES = (16, 512)
"""How far matching facts are counted to choose the next pattern: the second where the first decides nothing."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Hard limits, inclusive; a caller may lower them and not raise them."""

    examinations: int = MOST_EXAMINATIONS
    states: int = MOST_STATES
    proofs: int = MOST_PROOFS


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
Counts = dict[tuple[Key, Key], int]
"""How many claims carry each fact, by subject and object."""


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
        self._counted: dict[tuple[int, int], tuple[int, int]] = {}

    def run(self) -> None:
        """Join pattern after pattern, until all are or nothing is left to extend."""
        left = list(range(len(self.atoms)))
        while left and self.states:
            chosen, counts = self._next(left)
            left.remove(chosen)
            new = self._free(self.atoms[chosen])
            checks = [n for n in left if set(self._free(self.atoms[n])) <= set(new)]
            left = [n for n in left if n not in checks]
            if len(new) == 1 and checks:
                *narrowing, chosen = sorted((chosen, *checks), key=lambda n: (counts[n], n))
            else:
                narrowing = checks
            self.order += [chosen, *narrowing]
            self._extend(self.atoms[chosen], [self.atoms[n] for n in narrowing], new)

    # --- which pattern comes next ---

    def _next(self, left: Sequence[int]) -> tuple[int, Mapping[int, int]]:
        """The pattern that leads to the fewest candidates, and how many facts match each, counted to one over a limit.

        One that is wholly bound comes first, since it can only take away. One that shares no variable with what is
        bound meets every state. Among equals the one with more bound is taken, then the first.
        """
        counts = dict.fromkeys(left, 0)
        if len(left) == 1:
            return left[0], counts
        best = left[0]
        for limit in PROBES:
            counts = {number: self._count(number, limit) for number in left}
            ranks = {number: self._rank(number, counts[number]) for number in left}
            best = min(left, key=lambda number: ranks[number])
            if counts[best] <= limit:
                break
        return best, counts

    def _rank(self, number: int, count: int) -> tuple[bool, int, int, int]:
        atom = self.atoms[number]
        free = len(self._free(atom))
        meets = 1 if any(term in self.slots for term in atom.terms) else len(self.states)
        return free > 0, count * meets, free, number

    def _free(self, atom: Atom) -> list[Variable]:
        """The variables of a pattern that are not bound yet."""
        terms = dict.fromkeys(atom.terms)
        return [t for t in terms if isinstance(t, Variable) and t not in self.slots]

    def _count(self, number: int, limit: int) -> int:
        atom = self.atoms[number]
        bound = any(term in self.slots for term in atom.terms)
        stamp = len(self.order) if bound else -1  # what is bound narrows with each step
        known = self._counted.get((number, limit))
        if known is None or known[0] != stamp:
            found = len(self.facts.matching(self._pattern(atom), limit + 1))
            known = self._counted[number, limit] = (stamp, found)
        return known[1]

    def _pattern(self, atom: Atom, domain: frozenset[Key] | None = None) -> Pattern:
        """What a pattern asks for under what is bound; the domain is of its one free variable."""
        ends = [self._keys_of(term, domain) for term in atom.terms]
        if not self._free(atom):
            return Pattern(atom.predicate, pairs=self._pairs(self.states, atom))
        return Pattern(atom.predicate, *ends)

    def _keys_of(self, term: Term, domain: frozenset[Key] | None) -> frozenset[Key] | None:
        if isinstance(term, str):
            return frozenset((self.keys[term],))
        if term not in self.slots:
            return domain
        slot = self.slots[term]
        return frozenset(state[slot] for state in self.states)

    def _pairs(self, states: Collection[State], atom: Atom) -> frozenset[tuple[Key, Key]]:
        subject, object = map(self._reader, atom.terms)
        return frozenset((subject(state), object(state)) for state in states)

    def _reader(self, term: Term) -> Callable[[State], Key]:
        """What gives a bound term's key in a state."""
        if isinstance(term, str):
            key = self.keys[term]
            return lambda _: key
        return itemgetter(self.slots[term])

    # --- extending the states by one pattern ---

    def _extend(self, atom: Atom, narrowing: Sequence[Atom], new: Sequence[Variable]) -> None:
        """Bind the free variables of a pattern, in so far as the others that they complete hold too."""
        domain, held, later = None, [], []
        for other in narrowing:
            found = self._narrowing(other) if len(new) == 1 else None
            if found is None:
                later.append(other)
                continue
            held.append((other, found))
            ends = {s if other.subject == new[0] else o for s, o in found}
            domain = frozenset(ends if domain is None else domain & ends)
        states = self._candidates(atom, domain, new, unchecked=bool(held or later))
        for variable in new:
            self.slots[variable] = len(self.slots)
        for other, counts in held:
            states = self._checked(states, other, counts)
        for other in later:
            pattern = Pattern(other.predicate, pairs=self._pairs(states, other))
            states = self._checked(
                states, other, self._held(other, self._fetch(other, pattern, True))
            )
        self._stand(len(states))
        self.states = states

    def _narrowing(self, atom: Atom) -> Counts | None:
        """The facts of a pattern with one free variable, where they are few."""
        most = PROBES[-1]
        found = self.facts.matching(self._pattern(atom), most + 1)
        if len(found) > most:
            return None
        self._examine(len(found))
        if atom.subject == atom.object:
            found = [one for one in found if one[0] == one[1]]
        return self._held(atom, found)

    def _candidates(
        self, atom: Atom, domain: frozenset[Key] | None, new: Sequence[Variable], unchecked: bool
    ) -> list[State]:
        """Every state with every fact of a pattern that fits it."""
        fixed = [term not in new for term in atom.terms]
        found = self._fetch(atom, self._pattern(atom, domain), unchecked)
        by_end = _by_end(self._held(atom, found), fixed)
        readers = [self._reader(t) for t, known in zip(atom.terms, fixed, strict=True) if known]
        same = atom.subject == atom.object
        takes = [int(term != atom.subject) for term in new]
        states: dict[State, None] = {}
        for state in self.states:
            for *ends, count in by_end.get(tuple(reader(state) for reader in readers), ()):
                self._examine(count)
                if same and ends[0] != ends[1]:
                    continue
                states[(*state, *(ends[at] for at in takes))] = None
                if not unchecked:
                    self._stand(len(states))
        return list(states)

    def _checked(self, states: Sequence[State], atom: Atom, counts: Counts) -> list[State]:
        """The states in which a pattern without free variables holds."""
        subject, object = map(self._reader, atom.terms)
        kept = []
        for state in states:
            count = counts.get((subject(state), object(state)), 0)
            self._examine(count or 1)
            if count:
                kept.append(state)
        return kept

    def _fetch(self, atom: Atom, pattern: Pattern, unchecked: bool) -> Sequence[Matching]:
        """All facts of a pattern, unless so many that they cannot all be examined.

        Where nothing else is checked, every different fact extends some state to a state of its own, so one fact more
        than states already decides; where both ends are one variable most facts extend nothing.
        """
        most = self.bounds.examinations - self.examined + 1
        first = min(2 * self.bounds.states + 2, most)
        found = self.facts.matching(pattern, first)
        if len(found) < first or first == most:
            return found
        different = {(s, o) for s, o, _ in found}
        if not unchecked and atom.subject != atom.object:
            self._stand(len(different))
        return self.facts.matching(pattern, most)

    def _examine(self, count: int) -> None:
        self.examined += count
        if self.examined > self.bounds.examinations:
            raise _Exceeded("examinations")

    def _stand(self, count: int) -> None:
        self.most = max(self.most, count)
        if count > self.bounds.states:
            raise _Exceeded("states")

    def _held(self, atom: Atom, found: Sequence[Matching]) -> Counts:
        """How many claims carry each fact; the claims are noted."""
        fresh: dict[Ground, list[Reference]] = {}
        for s, o, claim in found:
            fresh.setdefault((atom.predicate, s, o), []).append(claim)
        self.supports.update(fresh)
        return {(s, o): len(claims) for (_, s, o), claims in fresh.items()}

    # --- answers ---

    def answers(self) -> tuple[Answer, ...]:
        """What was asked for, with the proofs of all the ways that lead to it."""
        if not self.states:
            return ()
        rows: dict[tuple[Key, ...], dict[frozenset[Ground], None]] = {}
        read = [(a.predicate, self._reader(a.subject), self._reader(a.object)) for a in self.atoms]
        for state in self.states:
            values = tuple(state[self.slots[variable]] for variable in self.query.select)
            ground = frozenset((p, subject(state), object(state)) for p, subject, object in read)
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
    held: Counts, fixed: Sequence[bool]
) -> dict[tuple[Key, ...], list[tuple[Key, Key, int]]]:
    """Facts by those of their ends that are bound."""
    grouped: dict[tuple[Key, ...], list[tuple[Key, Key, int]]] = {}
    for (s, o), count in held.items():
        place = tuple(key for key, known in zip((s, o), fixed, strict=True) if known)
        grouped.setdefault(place, []).append((s, o, count))
    return grouped
