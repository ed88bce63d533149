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

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Literal

from muniment.core.numbered import Bound, Counts, Numbered, State, grouped, nowhere
from muniment.core.patterns import Facts, Key, Looked, Matching, Pattern, Plain
from muniment.core.proofs import Ground, Proofs, Reference, proofs_of
from muniment.core.query import Query, read_query, term_text

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


class _Join:
    """A join at work.

    Attributes:
        slots: The place of each bound term in a state.
        states: The ways to bind the variables so far.
    """

    def __init__(self, query: Query, facts: Facts, bounds: Bounds) -> None:
        self.query, self.bounds = query, bounds
        numbered = Numbered(query)
        self.numbers, self.atoms = numbered.numbers, numbered.atoms
        self.slots = {number: number for number in range(len(numbered.literals))}
        self.states: list[State] = [tuple(facts.key(term_text(text)) for text in numbered.literals)]
        self.supports: dict[Ground, list[Reference]] = {}
        self.touched: dict[Ground, tuple[Reference, ...]] = {}
        self.order: list[int] = []
        self.examined, self.most = 0, 1
        self.looked = Looked(facts)
        self._values: dict[int, frozenset[Key]] = {}
        self._patterns: dict[Bound, Pattern] = {}

    def run(self) -> None:
        """Join pattern after pattern, until all are or nothing is left to extend."""
        left = list(range(len(self.atoms)))
        while left and self.states:
            chosen, limit = self._next(left)
            left.remove(chosen)
            new = self._free(self.atoms[chosen])
            checks = [n for n in left if set(self._free(self.atoms[n])) <= set(new)]
            left = [n for n in left if n not in checks]
            if len(new) == 1 and checks:
                counts = {n: self._count(n, limit) for n in (chosen, *checks)}
                *narrowing, chosen = sorted(counts, key=lambda n: (counts[n], n))
            else:
                narrowing = checks
            self.order += [chosen, *narrowing]
            self._extend(self.atoms[chosen], [self.atoms[n] for n in narrowing], new)

    # --- which pattern comes next ---

    def _next(self, left: Sequence[int]) -> tuple[int, int]:
        """The pattern that leads to the fewest candidates, and how far matching facts were counted to tell.

        One that is wholly bound comes first, since it can only take away. One that shares no variable with what is
        bound meets every state. Among equals the one with more bound is taken, then the first.
        """
        best, limit = left[0], PROBES[0]
        for limit in PROBES if len(left) > 1 else ():
            best, fewest = self._fewest(left, limit)
            if fewest <= limit:
                break
        return best, limit

    def _fewest(self, left: Sequence[int], limit: int) -> tuple[int, int]:
        """The pattern with the fewest candidates, and its facts; no count goes further than one over a limit."""
        free = {number: len(self._free(self.atoms[number])) for number in left}
        best: tuple[bool, int, int, int] | None = None
        fewest = 0
        for number in sorted(left, key=lambda number: (free[number], number)):
            variables = self.atoms[number].variables
            meets = 1 if any(one in self.slots for one in variables) else len(self.states)
            # What has more candidates than the best so far is not chosen, however many it has.
            enough = min(limit, best[1] // meets) if best and best[0] else limit
            count = self._count(number, enough)
            rank = (free[number] > 0, count * meets, free[number], number)
            if best is None or rank < best:
                best, fewest = rank, count
        return (best[3] if best else left[0]), fewest

    def _free(self, atom: Bound) -> list[int]:
        """The variables of a pattern that are not bound yet."""
        return [one for one in atom.variables if one not in self.slots]

    def _count(self, number: int, limit: int) -> int:
        """How many facts match under what is bound, counted to one over a limit; where they are few, they are kept."""
        pattern = self._pattern(self.atoms[number])
        if limit <= PROBES[0]:
            return min(len(self.looked.matching(pattern, PROBES[0] + 1)), limit + 1)
        return self.looked.count(pattern, limit + 1)

    def _pattern(self, atom: Bound) -> Pattern:
        """What a pattern asks for under what is bound."""
        found = self._patterns.get(atom)
        if found is None:
            if self._free(atom):
                found = self._within(atom, None)
            else:
                found = Pattern(atom.predicate, pairs=self._pairs(self.states, atom))
            self._patterns[atom] = found
        return found

    def _within(self, atom: Bound, domain: frozenset[Key] | None) -> Pattern:
        """What a pattern asks for where its one free variable has a domain."""
        subjects, objects = self._keys_of(atom.subject), self._keys_of(atom.object)
        return Pattern(
            atom.predicate,
            domain if subjects is None else subjects,
            domain if objects is None else objects,
        )

    def _keys_of(self, term: int) -> frozenset[Key] | None:
        """The keys that a term has in the states; None for a free variable."""
        slot = self.slots.get(term)
        if slot is None:
            return None
        found = self._values.get(slot)
        if found is None:
            found = self._values[slot] = frozenset(map(itemgetter(slot), self.states))
        return found

    def _ends(self, atom: Bound) -> Callable[[State], tuple[Key, Key]]:
        """What gives a bound pattern's subject and object in a state."""
        return itemgetter(self.slots[atom.subject], self.slots[atom.object])

    def _pairs(self, states: Iterable[State], atom: Bound) -> frozenset[tuple[Key, Key]]:
        return frozenset(map(self._ends(atom), states))

    # --- extending the states by one pattern ---

    def _extend(self, atom: Bound, narrowing: Sequence[Bound], new: Sequence[int]) -> None:
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
            counts = self._held(other, self._fetch_held(other, states))
            states = self._checked(states, other, counts)
        self._stand(len(states))
        self.states, self._values, self._patterns = states, {}, {}

    def _narrowing(self, atom: Bound) -> Counts | None:
        """The facts of a pattern with one free variable, where they are few."""
        most = PROBES[-1]
        pattern = self._pattern(atom)
        if self.looked.count(pattern, most + 1) > most:
            return None
        found = self.looked.matching(pattern, most + 1)
        self._examine(len(found))
        if atom.subject == atom.object:
            found = [one for one in found if one[0] == one[1]]
        return self._held(atom, found)

    def _candidates(
        self, atom: Bound, domain: frozenset[Key] | None, new: Sequence[int], unchecked: bool
    ) -> list[State]:
        """Every state with every fact of a pattern that fits it."""
        held = self._held(atom, self._fetch(atom, domain, unchecked))
        groups = grouped(held, atom, new)
        bound = [self.slots[term] for term in (atom.subject, atom.object) if term not in new]
        place = itemgetter(*bound) if bound else nowhere
        states: list[State] = []
        for state in self.states:
            group = groups.get(place(state))
            if group is not None:
                self._examine(group.count)
                states += [state + more for more in group.more]
                if not unchecked:
                    self._stand(len(states))
        return states

    def _checked(self, states: Sequence[State], atom: Bound, counts: Counts) -> list[State]:
        """The states in which a pattern without free variables holds."""
        ends = self._ends(atom)
        found = [(state, counts.get(ends(state), 0)) for state in states]
        self._examine(sum([count or 1 for _, count in found]))
        return [state for state, count in found if count]

    def _fetch(
        self, atom: Bound, domain: frozenset[Key] | None, unchecked: bool
    ) -> Sequence[Matching]:
        """All facts that extend some state, unless so many that they cannot all be examined.

        Where nothing else is checked, every different fact extends some state to a state of its own, so one fact more
        than states already decides; where both ends are one variable most facts extend nothing.
        """
        if domain is not None:
            known = self.looked.whole(self._pattern(atom))
            if known is not None:
                at = [n for n, t in enumerate((atom.subject, atom.object)) if t not in self.slots]
                return [one for one in known if all(one[n] in domain for n in at)]
        pattern = self._pattern(atom) if domain is None else self._within(atom, domain)
        most = self.bounds.examinations - self.examined + 1
        first = min(2 * self.bounds.states + 2, most)
        found = self.looked.matching(pattern, first)
        if len(found) < first:
            return found
        if not unchecked and atom.subject != atom.object:
            self._stand(len({(s, o) for s, o, _ in found}))
        # INVARIANT: each of these facts fits some state, so each is examined once at least.
        self._can_examine(self.looked.count(pattern, most))
        return self.looked.matching(pattern, most)

    def _fetch_held(self, atom: Bound, states: Sequence[State]) -> Sequence[Matching]:
        """The facts that hold a pattern without free variables in some of the states, each of which is examined."""
        self._can_examine(len(states))
        pattern = Pattern(atom.predicate, pairs=self._pairs(states, atom))
        return self.looked.matching(pattern, self.bounds.examinations - self.examined + 1)

    def _can_examine(self, count: int) -> None:
        if self.examined + count > self.bounds.examinations:
            raise _Exceeded("examinations")

    def _examine(self, count: int) -> None:
        self._can_examine(count)
        self.examined += count

    def _stand(self, count: int) -> None:
        self.most = max(self.most, count)
        if count > self.bounds.states:
            raise _Exceeded("states")

    def _held(self, atom: Bound, found: Sequence[Matching]) -> Counts:
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
        chosen = [self.slots[self.numbers[variable]] for variable in self.query.select]
        read = [(a.predicate, self.slots[a.subject], self.slots[a.object]) for a in self.atoms]
        rows: dict[tuple[Key, ...], dict[frozenset[Ground], None]] = {}
        touched: set[Ground] = set()
        for state in self.states:
            values = tuple([state[slot] for slot in chosen])
            ground = frozenset([(p, state[subject], state[object]) for p, subject, object in read])
            rows.setdefault(values, {})[ground] = None
            touched |= ground
        self.touched = {ground: tuple(sorted(self.supports[ground])) for ground in touched}
        return tuple(self._answer(values, ways) for values, ways in rows.items())

    def _answer(self, values: tuple[Key, ...], ways: Collection[frozenset[Ground]]) -> Answer:
        left = self.bounds.examinations - self.examined
        found: Proofs | None = proofs_of(ways, self.touched, self.bounds.proofs, left)
        if found is None:
            raise _Exceeded("examinations")
        self.examined += found.examined
        return Answer(values, found.listed, found.count)
