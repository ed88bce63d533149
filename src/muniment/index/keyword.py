"""Weigh words over the rows of a question: BM25 with statistics of the eligible rows, in integers.

- The same numbers as `core.rank.keyword_scores` gives, bit for bit, for a million rows at a time.
- Which words a row holds bounds what it can earn, so what they earned is worked out for those alone that can be among
  the best; everything is in integers, so that adding up in any order gives the same.
- How many rows hold a word is counted among eligible ones (`B-FILTERFIRST`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from muniment.core.rank import Keyword
from muniment.core.ranking import ONE, RANKING_POLICY, RankingPolicy
from muniment.index.selection import Run
from muniment.index.table import Array

MOST_WORDS = 100
"""Words of a question beyond so many different ones are left out of account, the last first."""
_TABLE_WORDS = 8
"""Words of which a row's set is one byte; of more their weights are added up for every row."""
_SETS_TRIED = 32
"""Sets of words that are looked for, the heaviest first, before all that hold a word are taken."""
_LOOKED_UP = 8
"""Looking a row up in a word's list costs as much as adding so many postings up."""


@dataclass(frozen=True, slots=True)
class Held:
    """Where a run holds the words of a question.

    Attributes:
        run: The run.
        eligible: Which of its positions may serve.
        lists: For each word the positions and the codes of their counts and lengths.
    """

    run: Run
    eligible: Array
    lists: tuple[tuple[Array, Array], ...]

    def frequency(self) -> list[int]:
        """For each word, how many eligible rows hold it."""
        if self.eligible.all():
            return [len(places) for places, _ in self.lists]
        return [int(np.count_nonzero(self.eligible[places])) for places, _ in self.lists]


def held(run: Run, eligible: Array, terms: Sequence[int]) -> Held:
    """Look some words up.

    Args:
        run: The rows in scope.
        eligible: Which positions may serve.
        terms: The words' digests.
    """
    lists = []
    for term in terms:
        places, codes = run.cut(*run.segment.postings(term))
        if not run.is_whole:
            holds = run.live[places]
            places, codes = places[holds], codes[holds]
        lists.append((places, codes))
    return Held(run, eligible, tuple(lists))


class Scores:
    """What the rows of one run earned by the words of a question, by position.

    Attributes:
        run: The run.
        eligible: Which positions may serve.
        total: What a row with every word would weigh.
        touched: Which positions hold a word.
    """

    def __init__(
        self, found: Held, weights: Sequence[int], earned: Callable[[int, Array], Array]
    ) -> None:
        """Note which words each row holds."""
        self.run, self.eligible, self.total = found.run, found.eligible, sum(weights)
        self._lists, self._weights, self._earned = found.lists, weights, earned
        self._held: dict[int, Keyword] = {}
        self._dense: Array | None = None
        self._postings = sum(len(places) for places, _ in found.lists)
        few = len(weights) <= _TABLE_WORDS
        self._table = _weights_together(weights) if few else None
        self._sets = _sets(found) if few else np.zeros(0, np.uint8)
        self.touched = self._sets != 0 if few else _touched(found)

    @cached_property
    def places(self) -> Array:
        """The positions that hold a word, ascending."""
        return np.flatnonzero(self.touched)

    @cached_property
    def _every_weight(self) -> Array:
        """The weights of the words that each position holds, together."""
        if self._table is not None:
            every: Array = self._table[self._sets]
            return every
        sums = np.zeros(self.run.size, np.int64)
        for (places, _), weight in zip(self._lists, self._weights, strict=True):
            sums[places] += weight
        return sums

    def weight(self, positions: Array) -> Array:
        """The weights of the words that some positions hold, together."""
        if self._table is None:
            every: Array = self._every_weight[positions]
            return every
        held: Array = self._table[self._sets[positions]]
        return held

    def filled(self, positions: Array) -> Array:
        """What the words of some positions earned by saturation and length."""
        looked_up = len(positions) * len(self._lists) * _LOOKED_UP
        if self._dense is None and looked_up > self._postings:
            self._dense = self._added()
        if self._dense is not None:
            earned: Array = self._dense[positions]
            return earned.astype(np.int64)
        sums = np.zeros(len(positions), np.int64)
        for (places, codes), weight in zip(self._lists, self._weights, strict=True):
            if len(places):
                at = places.searchsorted(positions.astype(places.dtype, copy=False))
                at[at == len(places)] = 0
                here = np.flatnonzero(places[at] == positions)
                sums[here] += self._earned(weight, codes[at[here]])
        return sums

    def _added(self) -> Array:
        """What every position earned: as narrow as it fits, since memory is what takes the time."""
        width = np.uint32 if self.total < 1 << 32 else np.int64
        sums = np.zeros(self.run.size, width)
        for (places, codes), weight in zip(self._lists, self._weights, strict=True):
            at = places.astype(np.intp, copy=False)
            earned: Array = self._earned(weight, codes).astype(width, copy=False)
            sums[at] = sums.take(at) + earned
        return sums

    def at(self, position: int) -> Keyword:
        """The scores of a position; nothing where it holds no word."""
        found = self._held.get(position)
        if found is None:
            here = np.array([position], np.int64)
            weight, filled = self.weight(here), self.filled(here)
            total = self.total or 1
            found = Keyword(int(weight[0]) * ONE // total, int(filled[0]) * ONE // total)
            self._held[position] = found
        return found

    def order(self, positions: Array) -> Array:
        """What some positions are taken by: seven parts coverage, three parts saturation."""
        return self._order(self.weight(positions), self.filled(positions))

    def _order(self, weight: Array, filled: Array) -> Array:
        total = self.total or 1
        result: Array = (weight * ONE // total) * 700 + (filled * ONE // total) * 300
        return result

    def best(self, wanted: Array, count: int) -> Array:
        """Positions that can be among the best `count`, ties included, in no order.

        Args:
            wanted: Which positions to choose from; each of them holds a word.
            count: How many are wanted.
        """
        slack = 10 * self.total // ONE + 2  # rounding down can part equals by less than this
        chosen = self._promising(wanted, count, slack)
        if len(chosen) <= count:
            return chosen
        weight, filled = self.weight(chosen), self.filled(chosen)
        rough = weight * 7 + filled * 3
        kth = np.partition(rough, len(rough) - count)[len(rough) - count]
        near = rough >= kth - slack
        exact = self._order(weight[near], filled[near])
        least = np.partition(exact, len(exact) - count)[len(exact) - count]
        kept: Array = chosen[near][exact >= least]
        return kept

    def _promising(self, wanted: Array, count: int, slack: int) -> Array:
        """Those of some positions whose words can earn what the best earn at least, ascending.

        A row earns seven parts of its words' weight at least, and ten at most.
        """
        if self._table is None or count < 1:
            return np.flatnonzero(wanted)
        if self._postings * 8 < self.run.size:
            chosen = np.flatnonzero(wanted)
            sets = self._sets[chosen]
            floor = self._floor(count, np.bincount(sets, minlength=len(self._table)).__getitem__)
            promising: Array = chosen[(self._table * 10 >= floor - slack)[sets]]
            return promising
        floor = self._floor(count, lambda words: np.count_nonzero((self._sets == words) & wanted))
        return np.flatnonzero(self._holding(self._table * 10 >= floor - slack) & wanted)

    def _floor(self, count: int, size: Callable[[int], Any]) -> int:
        """What the best `count` earn at least, in tenths; `size` tells how many rows hold a set of words."""
        found = 0
        table = self._table if self._table is not None else np.zeros(0, np.int64)
        for words in np.argsort(-table, kind="stable")[:_SETS_TRIED].tolist():
            found += int(size(words)) if words else 0
            if found >= count:
                return 7 * int(table[words])
        return 0

    def _holding(self, sets: Array) -> Array:
        """Which positions hold one of some sets of words."""
        table = sets.tobytes().ljust(256, b"\0")
        return np.frombuffer(self._sets.tobytes().translate(table), np.bool_)

    def able(self, wanted: Array, least: Callable[[int], int]) -> Array:
        """Which of some positions have at least the saturation that their coverage asks for.

        Args:
            wanted: Which positions; each of them holds a word.
            least: For a coverage the least saturation that is enough; more than `ONE` where none is.
        """
        total = self.total or 1
        if self._table is None:
            return self._able_by_weight(wanted, least)
        needed = [least(int(weight) * ONE // total) for weight in self._table]
        floor = np.array([-(-one * total // ONE) for one in needed], np.int64)
        possible = floor <= self._table  # a word earns its weight at most
        chosen: Array = self._holding(possible) & wanted
        unsure = np.flatnonzero(self._holding(possible & (floor > 0)) & chosen)
        if len(unsure):
            short = self.filled(unsure) < floor[self._sets[unsure]]
            chosen[unsure[short]] = False
        return chosen

    def _able_by_weight(self, wanted: Array, least: Callable[[int], int]) -> Array:
        """The same where rows have no sets of words."""
        able = np.zeros(len(wanted), np.bool_)
        chosen = np.flatnonzero(wanted)
        total = self.total or 1
        weights, which = np.unique(self.weight(chosen), return_inverse=True)
        needed = [least(int(weight) * ONE // total) for weight in weights]
        floor = np.array([-(-one * total // ONE) for one in needed], np.int64)[which]
        able[chosen[self.filled(chosen) >= floor]] = True
        return able


def scored(
    found: Held,
    weights: Sequence[int],
    average: float,
    policy: RankingPolicy = RANKING_POLICY,
) -> Scores:
    """Score every row that holds a word.

    Args:
        found: Where the words are.
        weights: Each word's weight, fixed point.
        average: Mean length of the eligible rows, words.
        policy: The numbers.
    """
    return Scores(found, weights, _earned(found.run, average, policy))


def _sets(found: Held) -> Array:
    """Which words each position holds, one bit a word."""
    size = found.run.size
    sets = np.zeros(size, np.uint8)
    for n, (places, _) in enumerate(found.lists):
        if len(places) * 16 < size:
            sets[places] |= np.uint8(1 << n)
        else:
            holds = np.zeros(size, np.uint8)
            holds[places] = 1 << n
            sets |= holds
    return sets


def _touched(found: Held) -> Array:
    touched = np.zeros(found.run.size, np.bool_)
    for places, _ in found.lists:
        touched[places] = True
    return touched


def _weights_together(weights: Sequence[int]) -> Array:
    """What the words of each set weigh together."""
    table = np.zeros(1 << len(weights), np.int64)
    for n, weight in enumerate(weights):
        table[1 << n : 2 << n] = table[: 1 << n] + weight
    return table


def _earned(run: Run, average: float, policy: RankingPolicy) -> Callable[[int, Array], Array]:
    """What postings of a word of some weight earn, by their codes."""
    lengths, counts = run.segment.array("lengths"), run.segment.array("counts")
    k1, b = policy.k1 / 1_000, policy.b / 1_000
    slack = k1 * (1 - b + b * lengths.astype(np.float64) / average)
    shares = counts.astype(np.float64)[:, None]
    shares = (shares / (shares + slack[None, :])).reshape(-1)

    def of(weight: int, codes: Array) -> Array:
        if len(codes) < len(shares):
            return np.floor(weight * shares[codes] + 0.5).astype(np.int64)
        whole: Array = np.floor(weight * shares + 0.5).astype(np.int64)[codes]
        return whole

    return of
