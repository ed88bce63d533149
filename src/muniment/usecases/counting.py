"""Count the claims of some scopes by what they are now, from the columns of the index and without their contents.

- Rows that no rule can tell apart are looked at once; successors and conflicts that the asker sees shift them after.
- What was made from other claims is looked at one by one, for its sources decide.
- Order never comes from where rows rest, but from what they say, so that hidden rows cannot move it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from muniment.core.access import Scope
from muniment.core.decide import Ask
from muniment.core.row import FOREVER
from muniment.core.survey import Traits, among_others, traits_of
from muniment.index.selection import Run, classes_of, groups
from muniment.index.table import Array, named
from muniment.usecases.judging import (
    WINDOWS,
    Context,
    asked_of_groups,
    one_by_one,
    superseded_in,
)
from muniment.usecases.viewing import Viewing


class Kinds:
    """Every combination of traits that occurs, numbered."""

    def __init__(self) -> None:
        """None yet."""
        self.every: list[Traits] = []
        self._numbers: dict[Traits, int] = {}

    def number(self, traits: Traits) -> int:
        """The number of a combination."""
        if traits not in self._numbers:
            self._numbers[traits] = len(self.every)
            self.every.append(traits)
        return self._numbers[traits]

    def table(self, of: Callable[[Traits], int]) -> Array:
        """What is said of each combination, by its number."""
        return np.array([of(traits) for traits in self.every], np.int64)


@dataclass(frozen=True)
class Counted:
    """The rows of one run with what they are.

    Attributes:
        run: The rows.
        kinds: Number of each row's combination of traits.
        every: All combinations.
    """

    run: Run
    kinds: Array
    every: Kinds

    @cached_property
    def holds(self) -> Array:
        """Which rows are latest versions of claims that hold."""
        mask: Array = self.every.table(lambda t: t.holds).astype(np.bool_)[self.kinds]
        return mask & self.run.live

    @cached_property
    def ends(self) -> Array:
        """When each row's claim ends, microseconds."""
        columns = (self.run.segment.column(name) for name in ("expires_at", "valid_until"))
        first, second = (self.run.take(column) for column in columns)
        soonest: Array = np.minimum(first, second)
        return soonest

    def column(self, name: str) -> Array:
        """A column's values by position."""
        return self.run.take(self.run.segment.column(name))

    @cached_property
    def seqs(self) -> Array:
        """Each row's event."""
        return self.run.take(self.run.segment.array("seq")).astype(np.int64)


class Counting:
    """The claims of some scopes at an instant."""

    def __init__(self, viewing: Viewing, scopes: Collection[Scope], at: int) -> None:
        """Look at every row in scope.

        Args:
            viewing: What the asker sees.
            scopes: The scopes in force.
            at: The instant, microseconds.
        """
        self.viewing, self.at, self.every = viewing, at, Kinds()
        classes = [viewing.classes[name] for name in viewing.classes_of(scopes)]
        self.scopes = {one.number: Scope(one.scope_kind, one.scope_id) for one in classes}
        runs = viewing.snapshot.index("claim").runs(self.scopes)
        self.runs = tuple(self._counted(runs))

    def _counted(self, runs: tuple[Run, ...]) -> Iterator[Counted]:
        replaced = superseded_in(self.viewing, runs, FOREVER)
        context = Context(self.viewing, Ask("", self.at, history=True), replaced.claims, {})
        disputed = named(sorted(self.viewing.open_conflicts()))
        singles = one_by_one(context, runs)
        for run, places, single in zip(runs, replaced.places, singles, strict=True):
            kinds = self._by_groups(context, run)
            self._shift(run, kinds, places, run.of_ids(disputed)[0])
            for position, row in single.items():
                traits = traits_of(row, self.at, self.viewing.sees)
                kinds[position] = self.every.number(traits)
            yield Counted(run, kinds, self.every)

    def _by_groups(self, context: Context, run: Run) -> Array:
        grouped = groups(run, self.at, WINDOWS)
        answers = asked_of_groups(
            context, run, grouped, ("survey",), lambda row: traits_of(row, self.at, _nobody)
        )
        table = np.zeros(int(grouped.of.max(initial=0)) + 1, np.int64)
        for group, traits in answers.items():
            table[group] = self.every.number(traits)
        kinds: Array = table[grouped.of]
        return kinds

    def _shift(self, run: Run, kinds: Array, superseded: Array, disputed: Array) -> None:
        """Put in what other claims make of these."""
        flags = np.zeros(run.size, np.int8)
        flags[superseded] |= 1
        flags[disputed] |= 2
        touched = np.flatnonzero(flags)
        before = kinds[touched]
        for flag in np.unique(flags[touched]).tolist():
            mine = flags[touched] == flag
            for kind in np.unique(before[mine]).tolist():
                traits = among_others(self.every.every[kind], bool(flag & 1), bool(flag & 2))
                kinds[touched[mine & (before == kind)]] = self.every.number(traits)

    # --- numbers ---

    def counts(self) -> Iterator[tuple[Traits, Scope, int]]:
        """Each combination of traits in each scope, with how many claims are so."""
        for one in self.runs:
            live = one.run.live
            classes = one.run.take(classes_of(one.run.segment))[live]
            wide = int(classes.max(initial=0)) + 1
            found, many = np.unique(one.kinds[live] * wide + classes, return_counts=True)
            for code, count in zip(found.tolist(), many.tolist(), strict=True):
                yield self.every.every[code // wide], self.scopes[code % wide], count

    def first_records(self) -> tuple[Array, Array, Array]:
        """When claims were recorded first.

        Returns:
            Revisions ascending; of each an event; and how many claims were recorded until it, itself included.
        """
        parts = [(one, self._shown(one)) for one in self.runs]
        if not parts:
            return (np.empty(0, np.int64),) * 3
        begun = np.concatenate([one.column("revision")[kept] for one, kept in parts])
        # A version that is not a claim's first ends the one before it in the same revision.
        over = np.sort(np.concatenate([self._ends(one, kept) for one, kept in parts]))
        revisions, at, many = np.unique(begun, return_index=True, return_counts=True)
        until = np.cumsum(many) - np.searchsorted(over, revisions, side="right")
        return revisions, np.concatenate([one.seqs[kept] for one, kept in parts])[at], until

    def _shown(self, one: Counted) -> Array:
        """Rows of claims of which the latest version is among those looked at, as a mask."""
        run = one.run
        places = run.places(run.part.ended)
        names, which = np.unique(run.ids(places), return_inverse=True)
        known = np.zeros(len(names), np.bool_)
        for other in self.runs:
            known[other.run.of_ids(names)[1]] = True
        mask = np.ones(run.size, np.bool_)
        mask[places] = known[which]
        return mask

    @staticmethod
    def _ends(one: Counted, kept: Array) -> Array:
        places, ends = one.run.cut(one.run.part.ended, one.run.part.ended_in)
        chosen: Array = ends[kept[places]]
        return chosen

    def chosen(
        self,
        mask: Callable[[Counted], Array],
        keys: Callable[[Counted], Iterable[Array]],
        most: int,
    ) -> tuple[list[int], int]:
        """The events of the first rows in an order, and how many rows there are in all.

        Args:
            mask: Which rows of a run.
            keys: What they are ordered by, ascending, the first key first; ties go by what the rows are of.
            most: How many are wanted.
        """
        parts = [(one, np.flatnonzero(mask(one))) for one in self.runs]
        total = sum(len(places) for _, places in parts)
        if not total:
            return [], 0
        columns = [
            [key[places] for key in keys(one)] + [one.run.ids(places)] for one, places in parts
        ]
        joined = [np.concatenate(some) for some in zip(*columns, strict=True)]
        order = np.lexsort(tuple(reversed(joined)))[:most]
        seqs = np.concatenate([one.seqs[places] for one, places in parts])[order]
        return seqs.tolist(), total


def by_name(counts: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Counts by a name, the most first, then by name.

    >>> by_name([("a", 1), ("b", 2), ("c", 1), ("a", 1)])
    {'a': 2, 'b': 2, 'c': 1}
    """
    found: Counter[str] = Counter()
    for name, count in counts:
        found[name] += count
    return dict(sorted(found.items(), key=lambda one: (-one[1], one[0])))


def _nobody(claim_id: str) -> bool:
    """Relations are put in afterwards."""
    return False
