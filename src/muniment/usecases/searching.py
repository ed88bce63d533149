"""Which rows hold the words of a question, and how well, over all runs of the index.

- Words are weighed by the eligible rows alone; what was refused is scored with the same weights, only to be told of.
- The best are taken by score, ties by claim id, never by the order in which a store holds things.

What reading a claim tells is `scoring`'s matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from muniment.core.rank import Keyword, Statistics, least_saturation, weighed
from muniment.core.ranking import LEXICAL, RankingPolicy
from muniment.core.signals import temporal_share
from muniment.index.keyword import MOST_WORDS, Held, Scores, held, scored
from muniment.index.table import Array
from muniment.usecases.eligible import Gathered
from muniment.usecases.filtering import Filter
from muniment.usecases.judging import Ref


@dataclass(frozen=True)
class Match:
    """Rows of one run that hold a word, after filters.

    Attributes:
        run: The run's number.
        scores: Their scores.
        wanted: Which positions are meant.
    """

    run: int
    scores: Scores
    wanted: Array

    @cached_property
    def size(self) -> int:
        """How many are meant."""
        return int(np.count_nonzero(self.wanted))


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

    def matches(self, narrowed: Filter | None, *, eligible: bool) -> list[Match]:
        """The rows that hold a word and may serve, or may not.

        Args:
            narrowed: What the request filters for; None for no filter.
            eligible: Whether those are wanted that may serve.
        """
        found = []
        for n, scores in enumerate(self.scores):
            if self.gathered.judged[n].count == scores.run.size:  # all may serve
                wanted = (
                    scores.touched.copy() if eligible else np.zeros(len(scores.touched), np.bool_)
                )
            else:
                wanted = scores.touched & (scores.eligible if eligible else ~scores.eligible)
            if narrowed is not None and narrowed.narrows:
                wanted &= narrowed.mask(n)
            found.append(Match(n, scores, wanted))
        return found

    def best(self, matches: Sequence[Match], count: int) -> list[Ref]:
        """The best of some rows, best first."""
        order: list[Array] = []
        names: list[Array] = []
        refs: list[Ref] = []
        for match in matches:
            if not match.size:
                continue
            places = match.scores.best(match.wanted, count)
            order.append(match.scores.order(places))
            names.append(match.scores.run.ids(places))
            refs += [(match.run, place) for place in places.tolist()]
        return _sorted(refs, order, names, count)

    def is_among(self, ref: Ref, matches: Sequence[Match]) -> bool:
        """Whether a row is among some."""
        return bool(matches[ref[0]].wanted[ref[1]])

    def able(
        self, matches: Sequence[Match], method: str, policy: RankingPolicy = LEXICAL
    ) -> list[Match]:
        """Those of some rows that could be supported, for all that their words tell."""
        least = lru_cache(None)(lambda coverage: least_saturation(coverage, method, policy))
        return [
            match
            if not match.size
            else Match(match.run, match.scores, match.scores.able(match.wanted, least))
            for match in matches
        ]

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


POOL = LEXICAL.pool
