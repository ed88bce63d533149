"""What is near a question by embedding, among what was gathered.

- Rows that may serve are compared one by one with the question's vector; no other row is (`B-FILTERFIRST`).
- How many could be compared is told; a row without a vector in the space is pending, and found by its words alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from muniment.core.embedding import Coverage
from muniment.core.ranking import ONE, RankingPolicy
from muniment.core.similarity import closeness, support
from muniment.index.keyword import Scores
from muniment.index.nearness import Near, has_vector, near
from muniment.index.table import Array
from muniment.usecases.eligible import Gathered
from muniment.usecases.embedding import Meaning
from muniment.usecases.judging import Ref

NEAREST = 30
"""How many of the nearest by embedding are read beside the best by words."""


@dataclass(frozen=True, slots=True)
class Nearest:
    """Rows that are near a question.

    Attributes:
        refs: The nearest, best first, ties by name.
        places: Positions of all of them, run by run.
        cosines: Their cosines, fixed point.
    """

    refs: list[Ref]
    places: list[Array]
    cosines: list[Array]

    @property
    def size(self) -> int:
        """How many there are."""
        return sum(map(len, self.places))


class Nearby:
    """A question's vector beside what was gathered."""

    def __init__(self, gathered: Gathered, meaning: Meaning) -> None:
        """Compare every row in scope."""
        self.gathered, self.meaning = gathered, meaning
        space = str(meaning.space)
        self.near: list[Near] = [near(one.run, space, meaning.vector) for one in gathered.judged]

    def coverage(self) -> Coverage:
        """How many of the eligible rows could be compared."""
        gathered, space = self.gathered, str(self.meaning.space)
        matching = sum(
            int(np.count_nonzero(has_vector(one.run, space) & one.eligible))
            for one in gathered.judged
        )
        elsewhere = sum(self._elsewhere(n, space) for n in range(len(gathered.judged)))
        never = gathered.eligible - matching - elsewhere
        return Coverage(self.meaning.space, matching, elsewhere, never)

    def _elsewhere(self, n: int, space: str) -> int:
        one = self.gathered.judged[n]
        others = [has_vector(one.run, other) for other in one.run.segment.spaces if other != space]
        if not others:
            return 0
        missing = one.eligible & ~has_vector(one.run, space)
        return int(np.count_nonzero(missing & np.logical_or.reduce(others)))

    def nearest(self, least: int, wanted: Sequence[Array], count: int) -> Nearest:
        """The rows whose cosine is at least one.

        Args:
            least: The cosine, fixed point, above 0.
            wanted: For each run which positions are meant.
            count: How many are handed over as the nearest.
        """
        found = [one.at_least(least, mask) for one, mask in zip(self.near, wanted, strict=True)]
        places, cosines = [at for at, _ in found], [value for _, value in found]
        every = np.concatenate(cosines) if cosines else np.empty(0, np.int64)
        if not len(every):
            return Nearest([], places, cosines)
        kth = np.partition(every, max(len(every) - count, 0))[max(len(every) - count, 0)]
        refs, order, names = [], [], []
        for n, (at, values) in enumerate(found):
            best = values >= kth
            order.append(values[best].astype(np.int64))
            names.append(self.gathered.judged[n].run.ids(at[best]))
            refs += [(n, place) for place in at[best].tolist()]
        chosen = np.lexsort((np.concatenate(names), -np.concatenate(order)))[:count]
        return Nearest([refs[n] for n in chosen.tolist()], places, cosines)

    def signals(self, ref: Ref | None) -> dict[str, int]:
        """What closeness to the question says of a row; nothing where it has no vector."""
        if ref is None:
            return {"closeness": 0, "meaning": 0}
        (cosine,) = self.near[ref[0]].similarity(np.array([ref[1]])).tolist()
        calibration = self.meaning.calibration
        return {
            "closeness": closeness(cosine, calibration),
            "meaning": support(cosine, calibration),
        }

    def least_supported(self, policy: RankingPolicy) -> int:
        """The least cosine whose closeness alone is support."""
        calibration = self.meaning.calibration
        return self._least(lambda one: closeness(one, calibration) * 1_000 >= policy.support * ONE)

    def least_meant(self, policy: RankingPolicy) -> int:
        """The least cosine that is support by itself."""
        calibration = self.meaning.calibration
        return self._least(lambda one: support(one, calibration) * 1_000 >= policy.meaning * ONE)

    def _least(self, enough: Callable[[int], bool]) -> int:
        low, high = self.meaning.calibration.average, ONE
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if enough(middle) else (middle, high)
        return high


def worded(scores: Sequence[Scores], found: Nearest) -> int:
    """How many of some rows hold a word of the question."""
    return sum(
        int(np.count_nonzero(one.touched[places]))
        for one, places in zip(scores, found.places, strict=True)
    )
