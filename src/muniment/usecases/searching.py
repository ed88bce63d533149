"""Which rows hold the words of a question, and how well, over all runs of the index.

- Words are weighed by the eligible rows alone; what was refused is scored with the same weights, only to be told of.
- The best are taken by score, ties by claim id, never by the order in which a store holds things.

What reading a claim tells is `scoring`'s matter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from muniment.core.rank import (
    ONE,
    RANKING_POLICY,
    Keyword,
    Statistics,
    by_keyword,
    may_support,
    weighed,
)
from muniment.core.row import Row
from muniment.core.signals import temporal_share
from muniment.index.keyword import MOST_WORDS, Held, Scores, held, scored
from muniment.index.table import Array
from muniment.usecases.eligible import Gathered
from muniment.usecases.judging import Ref, asked_of_groups

Wanted = Callable[[Row], bool]


@dataclass(frozen=True, slots=True)
class Filter:
    """Which rows a request lets through, before the best of them are taken.

    Attributes:
        passes: Answers for a row that stands for its group.
        question: What is asked, by which the answers for groups are remembered.
        apart: Answers for rows of which their relations decide.
        only: The only rows that are wanted; None for any.
    """

    passes: Wanted
    question: object
    apart: Mapping[Ref, bool] = field(default_factory=dict)
    only: frozenset[Ref] | None = None


@dataclass(frozen=True, slots=True)
class Match:
    """Rows of one run that hold a word, after filters.

    Attributes:
        run: The run's number.
        scores: Their scores.
        among: Which of them are meant.
    """

    run: int
    scores: Scores
    among: Array


class Search:
    """A question's words over what was gathered."""

    def __init__(self, gathered: Gathered, query: Sequence[str]) -> None:
        """Look the words up and weigh them."""
        self.gathered = gathered
        words = tuple(dict.fromkeys(query))[:MOST_WORDS]
        key = gathered.viewing.snapshot.term_key
        terms = [key(word) for word in words]
        self.held: list[Held] = [held(one.run, one.eligible, terms) for one in gathered.judged]
        frequency = dict.fromkeys(words, 0)
        for one in self.held:
            for word, count in zip(words, one.frequency(), strict=True):
                frequency[word] += count
        self.statistics: Statistics = weighed(frequency, gathered.eligible, gathered.words)
        weights = list(self.statistics.weights.values())
        average = self.statistics.average
        self.scores: list[Scores] = [scored(one, weights, average) for one in self.held]

    def keyword(self, ref: Ref) -> Keyword:
        """What the words earn a row."""
        return self.scores[ref[0]].at(ref[1])

    def matches(self, filtering: Filter | None, *, eligible: bool) -> list[Match]:
        """The rows that hold a word and may serve, or may not.

        Args:
            filtering: What lets a row through; None for no filter.
            eligible: Whether those are wanted that may serve.
        """
        found = []
        for n, scores in enumerate(self.scores):
            wanted = scores.eligible if eligible else ~scores.eligible
            if filtering is not None:
                wanted = wanted & self.passing(n, filtering)[scores.places]
            found.append(Match(n, scores, np.flatnonzero(wanted)))
        return found

    def passing(self, run: int, filtering: Filter) -> Array:
        """Which positions of a run a filter lets through: by groups, and those apart by themselves."""
        judged = self.gathered.judged[run]
        answers = asked_of_groups(
            self.gathered.context,
            judged.run,
            judged.groups,
            ("filter", filtering.question),
            filtering.passes,
        )
        table = np.zeros(int(judged.groups.of.max(initial=0)) + 1, np.bool_)
        table[[group for group, answer in answers.items() if answer]] = True
        allowed: Array = table[judged.groups.of]
        for (n, position), answer in filtering.apart.items():
            if n == run:
                allowed[position] = answer
        if filtering.only is not None:
            named = np.zeros(judged.run.size, np.bool_)
            named[[position for n, position in filtering.only if n == run]] = True
            allowed &= named
        return allowed

    def best(self, matches: Sequence[Match], count: int) -> list[Ref]:
        """The best of some rows, best first."""
        order: list[Array] = []
        names: list[Array] = []
        refs: list[Ref] = []
        for match in matches:
            chosen = match.scores.best(match.among, count)
            places = match.scores.places[chosen]
            order.append(match.scores.order(chosen))
            names.append(match.scores.run.ids(places))
            refs += [(match.run, place) for place in places.tolist()]
        return _sorted(refs, order, names, count)

    def could_support(self, matches: Sequence[Match], method: str) -> int:
        """How many of some rows could be supported, for all that their words tell."""
        least = _least_coverage(method)
        total = 0
        for match in matches:
            scores = match.scores
            floor = -(-least * scores.total // ONE)
            near = match.among[scores.weight[match.among] >= floor]
            total += scores.enough(near, lambda coverage: _least_saturation(coverage, method))
        return total

    def nearest_in_time(self, wanted: Sequence[Array], at: int, count: int) -> list[Ref]:
        """The rows that began nearest to an instant.

        Args:
            wanted: For each run which positions are meant.
            at: Microseconds.
            count: How many.
        """
        distances = [
            np.abs(one.run.take(one.run.segment.column("began")) - at)
            for one in self.gathered.judged
        ]
        every = np.concatenate(
            [d[w] for d, w in zip(distances, wanted, strict=True)] or [np.empty(0)]
        )
        if not len(every):
            return []
        kth = int(np.partition(every, min(count, len(every)) - 1)[min(count, len(every)) - 1])
        farthest = _alike_in_time(kth)
        order, names, refs = [], [], []
        for n, (judged, far, mask) in enumerate(
            zip(self.gathered.judged, distances, wanted, strict=True)
        ):
            places = np.flatnonzero(mask & (far <= farthest))
            shares = [temporal_share(0, distance) for distance in far[places].tolist()]
            order.append(np.array(shares, np.int64))
            names.append(judged.run.ids(places))
            refs += [(n, place) for place in places.tolist()]
        return _sorted(refs, order, names, count)

    def holding_all(self, words: Sequence[str], most: int) -> list[Ref] | None:
        """The eligible rows that hold every one of some words; None where they are more than `most`."""
        key = self.gathered.viewing.snapshot.term_key
        terms = [key(word) for word in words]
        refs: list[Ref] = []
        for n, judged in enumerate(self.gathered.judged):
            lists = [places for places, _ in held(judged.run, judged.eligible, terms).lists]
            common = lists[0][judged.eligible[lists[0]]] if lists else np.empty(0, np.int64)
            for places in lists[1:]:
                common = common[np.isin(common, places, assume_unique=True)]
            refs += [(n, place) for place in common.tolist()]
            if len(refs) > most:
                return None
        return refs


def _sorted(refs: list[Ref], order: list[Array], names: list[Array], count: int) -> list[Ref]:
    """The highest first, ties by name."""
    if not refs:
        return []
    ranks, ids = np.concatenate(order), np.concatenate(names)
    chosen = np.lexsort((ids, -ranks))[:count]
    return [refs[n] for n in chosen.tolist()]


def _alike_in_time(distance: int) -> int:
    """The greatest distance whose share is that of another."""
    share, low, high = temporal_share(0, distance), distance, distance + 1
    while temporal_share(0, high) == share and high < 1 << 62:
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if temporal_share(0, middle) == share else (low, middle)
    return low


def _least(enough: Callable[[int], bool]) -> int:
    """The least fixed-point share that is enough; more than `ONE` where none is."""
    if not enough(ONE):
        return ONE + 1
    low, high = -1, ONE
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _least_coverage(method: str) -> int:
    return _least(lambda coverage: may_support(Keyword(coverage, ONE), method))


def _least_saturation(coverage: int, method: str) -> int:
    return _least(lambda saturation: may_support(Keyword(coverage, saturation), method))


def rough(score: Keyword) -> int:
    """The order in which rows are taken, as `core.rank.by_keyword` gives it."""
    return by_keyword(score)


POOL = RANKING_POLICY.pool
