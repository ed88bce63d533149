"""Weigh words over the rows of a question: BM25 with statistics of the eligible rows, in integers.

- The same numbers as `core.rank.keyword_scores` gives, bit for bit, for a million rows at a time.
- A row's score is one integer: which of the words it holds above, what they earned below; adding them up in any order
  gives the same.
- How many rows hold a word is counted among eligible ones (`B-FILTERFIRST`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from muniment.core.rank import Keyword
from muniment.core.ranking import ONE, RANKING_POLICY, RankingPolicy
from muniment.index.selection import Run
from muniment.index.table import Array

MOST_WORDS = 100
"""Words of a question beyond so many different ones are left out of account, the last first."""
_TABLE_WORDS = 16
_LOW = (1 << 32) - 1


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


@dataclass(frozen=True, slots=True)
class Scores:
    """What the rows of one run that hold a word of the question earned.

    Attributes:
        run: The run.
        places: Their positions, ascending.
        weight: The weights of the words that each holds, together.
        filled: What these earned by saturation and length.
        total: What a row with every word would weigh.
        eligible: Which of them may serve.
    """

    run: Run
    places: Array
    weight: Array
    filled: Array
    total: int
    eligible: Array

    def keyword(self, n: int) -> Keyword:
        """One row's scores as the ranking policy reads them."""
        total = self.total or 1
        return Keyword(int(self.weight[n]) * ONE // total, int(self.filled[n]) * ONE // total)

    def at(self, position: int) -> Keyword:
        """The scores of a position; nothing where it holds no word."""
        n = int(np.searchsorted(self.places, position))
        here = n < len(self.places) and self.places[n] == position
        return self.keyword(n) if here else Keyword()

    def order(self, chosen: Array) -> Array:
        """What some of them are taken by: seven parts coverage, three parts saturation."""
        total = self.total or 1
        coverage = self.weight[chosen] * ONE // total
        saturation = self.filled[chosen] * ONE // total
        result: Array = coverage * 700 + saturation * 300
        return result

    def best(self, among: Array, count: int) -> Array:
        """Those that can be among the best `count`, ties included, in no order.

        Args:
            among: Numbers of rows to choose from.
            count: How many are wanted.
        """
        if len(among) <= count:
            return among
        rough = self.weight[among] * 7 + self.filled[among] * 3
        kth = np.partition(rough, len(rough) - count)[len(rough) - count]
        slack = 10 * self.total // ONE + 2  # rounding down can part equals by less than this
        chosen = among[rough >= kth - slack]
        exact = self.order(chosen)
        least = np.partition(exact, len(exact) - count)[len(exact) - count]
        kept: Array = chosen[exact >= least]
        return kept

    def able(self, among: Array, least: Callable[[int], int]) -> Array:
        """Those of some rows that have at least the saturation that their coverage asks for.

        Args:
            among: Numbers of rows.
            least: For a coverage the least saturation that is enough; more than `ONE` where none is.
        """
        if not len(among):
            return among
        total = self.total or 1
        weights, which = np.unique(self.weight[among], return_inverse=True)
        needed = [least(int(weight) * ONE // total) for weight in weights]
        floor = np.array([-(-one * total // ONE) for one in needed], np.int64)
        kept: Array = among[self.filled[among] >= floor[which]]
        return kept


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
    run, size = found.run, found.run.size
    few = len(weights) <= _TABLE_WORDS
    tables = _earned(run, average, policy)
    total = sum(len(places) for places, _ in found.lists)
    dense = total * 8 >= size
    sums = np.zeros(size, np.int64) if dense else None
    touched = np.zeros(0 if few else size, np.bool_)  # a word that all hold can weigh nothing
    kept = []
    for n, ((places, codes), weight) in enumerate(zip(found.lists, weights, strict=True)):
        if not len(places):
            continue
        high = (1 << n) if few else weight
        earned = tables(weight, codes) + (high << 32)
        if sums is not None:
            sums[places] += earned
            if not few:
                touched[places] = True
        else:
            kept.append((places, earned))
    if sums is not None:
        places = np.flatnonzero(sums != 0 if few else touched)
        packed = sums[places]
    else:
        places, packed = _added(kept)
    weight_of = _weights(packed >> 32, weights) if few else packed >> 32
    return Scores(run, places, weight_of, packed & _LOW, sum(weights), found.eligible[places])


def _weights(masks: Array, weights: Sequence[int]) -> Array:
    """What the words of each mask weigh together."""
    table = np.zeros(1 << len(weights), np.int64)
    for n, weight in enumerate(weights):
        table[1 << n : 2 << n] = table[: 1 << n] + weight
    result: Array = table[masks]
    return result


def _added(kept: Sequence[tuple[Array, Array]]) -> tuple[Array, Array]:
    if not kept:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    places = np.concatenate([one for one, _ in kept]).astype(np.int64)
    earned = np.concatenate([one for _, one in kept])
    order = np.argsort(places, kind="stable")
    places, earned = places[order], earned[order]
    starts = np.flatnonzero(np.diff(places, prepend=-1))
    return places[starts], np.add.reduceat(earned, starts)


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
