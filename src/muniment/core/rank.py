"""How well a claim answers a query: a share of what a perfect match could earn, in [0, 1].

- Statistics come from the eligible claims alone; what is not eligible has no weight (`B-FILTERFIRST`).
- Scores are fixed-point integers, so the order in which they are added never matters (`E-DETERMINISM`).
- Relevance is absolute: the same claim and query earn the same however good the other claims are (`E-ABSTAIN`).
- Every score says what it means; weights are one versioned constant with a digest (`A-RANKING`).
- Relevance reads no confidence and no importance (`A-RELTRUTH`).

What only reading a claim tells is `signals`' matter, which claims are eligible `decide`'s, and which are handed
over `pack`'s.

>>> lengths = {1: 4, 2: 4}
>>> postings = {"test": [(1, 1)], "run": [(1, 1), (2, 1)]}
>>> found = statistics(("run", "test", "fast"), lengths, postings)
>>> scores = keyword_scores(found, postings, lengths)
>>> share(scores[1].coverage), share(scores[2].coverage)
(0.5483, 0.0966)
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from muniment.core.ranking import FILLER_WORDS, ONE, RANKING_POLICY, RankingPolicy

Postings = Mapping[str, Sequence[tuple[int, int]]]


def share(fixed: int) -> float:
    """A fixed-point number as four decimals.

    >>> share(ONE), share(ONE // 3)
    (1.0, 0.3333)
    """
    return round(fixed / ONE, 4)


def fixed(number: float) -> int:
    """A number in fixed point, to the nearest.

    >>> fixed(0.5) == ONE // 2
    True
    """
    return math.floor(number * ONE + 0.5)


@dataclass(frozen=True, slots=True)
class Statistics:
    """What the eligible claims say of the query's words.

    Attributes:
        count: How many claims are eligible.
        words: How many words they have together.
        weights: Word of the query to its weight, fixed point; in the query's order, without repeats.
        frequency: Word to how many eligible claims hold it.
    """

    count: int
    words: int
    weights: Mapping[str, int]
    frequency: Mapping[str, int]

    @property
    def total(self) -> int:
        """What a claim with every word of the query would weigh."""
        return sum(self.weights.values())

    @property
    def average(self) -> float:
        """Mean length of an eligible claim in words; 1 where there is none."""
        return self.words / self.count if self.words else 1.0


@dataclass(frozen=True, slots=True)
class Keyword:
    """A claim's keyword scores, fixed point."""

    coverage: int = 0
    saturation: int = 0


def statistics(
    query: Sequence[str],
    eligible: Mapping[int, int],
    postings: Postings,
    policy: RankingPolicy = RANKING_POLICY,
) -> Statistics:
    """Weigh the query's words by the eligible claims alone.

    Args:
        query: The words of the query.
        eligible: Event number of each eligible claim to its length in words.
        postings: For each word the (event number, count) of claims that hold it; others than eligible ones are ignored.
        policy: The numbers.
    """
    terms = tuple(dict.fromkeys(query))
    frequency = {term: _frequency(postings.get(term, ()), eligible) for term in terms}
    return weighed(frequency, len(eligible), sum(eligible.values()), policy)


def weighed(
    frequency: Mapping[str, int], count: int, length: int, policy: RankingPolicy = RANKING_POLICY
) -> Statistics:
    """Weigh the query's words by how many eligible claims hold each.

    Args:
        frequency: Word to how many eligible claims hold it, in the query's order.
        count: How many claims are eligible.
        length: How many words they have together.
        policy: The numbers.
    """
    weights = {term: _weight(term, held, count, policy) for term, held in frequency.items()}
    return Statistics(count, length, weights, frequency)


def _frequency(found: Sequence[tuple[int, int]], eligible: Mapping[int, int]) -> int:
    return sum(1 for seq, _ in found if seq in eligible)


def _weight(term: str, frequency: int, count: int, policy: RankingPolicy) -> int:
    """Rarity (Robertson and Sparck Jones, never negative); a word that nobody holds weighs as the rarest."""
    held = max(frequency, 1)
    size = max(count, policy.least_count)
    rarity = math.log1p((size - held + 0.5) / (held + 0.5))
    scale = policy.filler / 1_000 if term in _FILLER else 1.0
    return fixed(rarity * scale)


_FILLER = frozenset(FILLER_WORDS)


def keyword_scores(
    found: Statistics,
    postings: Postings,
    lengths: Mapping[int, int],
    policy: RankingPolicy = RANKING_POLICY,
) -> dict[int, Keyword]:
    """Score every claim of `lengths` that holds a word of the query.

    Args:
        found: The query's words, weighed.
        postings: As for `statistics`.
        lengths: Event number to length in words, of every claim to score, eligible or not.
        policy: The numbers.
    """
    k1, b, average = policy.k1 / 1_000, policy.b / 1_000, found.average
    held: dict[int, int] = {}
    filled: dict[int, int] = {}
    for term, weight in found.weights.items():
        for seq, count in postings.get(term, ()):
            length = lengths.get(seq)
            if length is None:
                continue
            slack = k1 * (1 - b + b * length / average)
            held[seq] = held.get(seq, 0) + weight
            filled[seq] = filled.get(seq, 0) + math.floor(weight * (count / (count + slack)) + 0.5)
    total = found.total or 1
    return {
        seq: Keyword(weight * ONE // total, filled[seq] * ONE // total)
        for seq, weight in held.items()
    }


@dataclass(frozen=True, slots=True)
class Relevance:
    """How well one claim answers one query (`A-RELEVANCE`).

    Attributes:
        fixed: Fixed point, for ordering; 0 to `ONE`.
        method: How it was found.
        components: Name to fixed-point value, of those that the method weighs.
        policy: What weighed them.
    """

    fixed: int
    method: str
    components: tuple[tuple[str, int], ...] = ()
    policy: RankingPolicy = RANKING_POLICY

    @property
    def value(self) -> float:
        """In [0, 1], four decimals."""
        return share(self.fixed)


def relevance(
    signals: Mapping[str, int], method: str, policy: RankingPolicy = RANKING_POLICY
) -> Relevance:
    """Fuse what is known of a claim into one number; an exact identifier is a perfect match by itself.

    >>> relevance({"coverage": ONE, "saturation": ONE // 2}, "keyword").value
    0.85
    >>> relevance({"exact_identifier": ONE}, "hybrid_retrieval").value
    1.0
    """
    weights = policy.weights(method)
    parts = tuple((name, signals.get(name, 0)) for name, _ in weights)
    total = sum(weight * signals.get(name, 0) for name, weight in weights) // 1_000
    if signals.get("exact_identifier", 0):
        exact = (("exact_identifier", ONE),)
        return Relevance(ONE, method, tuple(dict((*exact, *parts)).items()), policy)
    return Relevance(total, method, parts, policy)


def meaning(method: str, policy: RankingPolicy = RANKING_POLICY) -> str:
    """What a relevance of this method means, in words (`A-RANKING`).

    >>> meaning("keyword")
    'share in [0, 1] of what a perfect match of this query earns: 0.70 coverage + 0.30 saturation'
    >>> meaning("hybrid_retrieval")[-46:]
    '; named and graph do not count towards support'
    """
    parts = " + ".join(f"{weight / 1_000:.2f} {name}" for name, weight in policy.weights(method))
    said = f"share in [0, 1] of what a perfect match of this query earns: {parts}"
    beside = " and ".join(name for name in policy.beside(method) if name != "meaning")
    said = f"{said}; {beside} do not count towards support" if beside else said
    meant = "meaning" in dict(policy.weights(method))
    return (
        f"{said}; meaning of {policy.meaning / 1_000:.2f} is support by itself" if meant else said
    )


_WITHIN_COVERAGE = ("coverage", "sentence", "named_phrase", "named_words", "named")


@dataclass(frozen=True, slots=True)
class _Most:
    """The most that a claim of some keyword scores can earn.

    Attributes:
        base: What everything else earns at most.
        coverage: Factor of the coverage.
        saturation: Factor of the saturation.
        divisor: What the sum is divided by, rounding down.
    """

    base: int
    coverage: int
    saturation: int
    divisor: int


@lru_cache(maxsize=256)
def _most(method: str, policy: RankingPolicy) -> tuple[_Most, ...]:
    """The sums of which one has to be enough: those of `_supporting`, if everything but the meaning spoke for it."""
    weights, beside = policy.weights(method), policy.beside(method)
    own = [(name, weight) for name, weight in weights if name not in beside]
    if not beside:
        return (_summed(weights, 1_000),)
    fused = (_summed(weights, 1_000),) if "subject" in dict(weights) else ()
    return (_summed(own, sum(weight for _, weight in own)), *fused)


def _summed(weights: Sequence[tuple[str, int]], divisor: int) -> _Most:
    whole = [w for name, w in weights if name not in _NEVER and name not in _WITHIN_COVERAGE]
    within = sum(weight for name, weight in weights if name in _WITHIN_COVERAGE)
    saturation = dict(weights).get("saturation", 0)
    return _Most((sum(whole) - saturation) * ONE, within, saturation, divisor)


_NEVER = ("exact_identifier", "closeness", "meaning")


def least_saturation(coverage: int, method: str, policy: RankingPolicy = RANKING_POLICY) -> int:
    """The least saturation with which a claim of some coverage could be support; more than `ONE` where none is enough.

    No sentence and no name holds more of the query than the claim does, so their shares are at most the coverage.

    >>> least_saturation(ONE, "keyword"), share(least_saturation(ONE // 2, "keyword"))
    (0, 0.3333)
    >>> least_saturation(0, "keyword") == ONE + 1
    True
    """
    if not policy.meaning:
        return 0
    needed, found = -(-policy.support * ONE // 1_000), ONE + 1
    for most in _most(method, policy):
        missing = needed * most.divisor - most.base - most.coverage * coverage
        if missing <= 0:
            return 0
        if most.saturation:
            found = min(found, -(-missing // most.saturation))
    return found


def may_support(score: Keyword, method: str, policy: RankingPolicy = RANKING_POLICY) -> bool:
    """Whether a claim with these keyword scores could be support, if everything but its meaning spoke for it.

    >>> may_support(Keyword(ONE, 0), "keyword"), may_support(Keyword(ONE // 5, 0), "hybrid_retrieval")
    (True, False)
    """
    return score.saturation >= least_saturation(score.coverage, method, policy)


def supports(found: Relevance, threshold: float, policy: RankingPolicy = RANKING_POLICY) -> bool:
    """Whether a relevance is enough: at least the policy's support, and at least the asker's threshold.

    >>> least = -(-RANKING_POLICY.support * ONE // 1_000)
    >>> supports(Relevance(least, "keyword"), 0.0), supports(Relevance(least - 1, "keyword"), 0.0)
    (True, False)
    """
    enough = _supporting(found, policy) * 1_000 >= policy.support * ONE
    return (enough or _is_meant(found, policy)) and found.fixed >= fixed(threshold)


def _is_meant(found: Relevance, policy: RankingPolicy) -> bool:
    """Whether the sentence means the same by embedding, whatever its words are."""
    return dict(found.components).get("meaning", 0) * 1_000 >= policy.meaning * ONE


def _supporting(found: Relevance, policy: RankingPolicy) -> int:
    """The share that counts as support: without what stands beside, unless the query names an entity whole.

    >>> signals = {"coverage": ONE * 2 // 5, "sentence": ONE * 2 // 5, "named": ONE, "graph": ONE}
    >>> [
    ...     supports(relevance(signals | {"subject": one}, "hybrid_retrieval"), 0.0)
    ...     for one in (0, ONE)
    ... ]
    [False, False]
    >>> near = {"coverage": ONE * 9 // 20, "sentence": ONE * 9 // 20, "named": ONE, "graph": ONE}
    >>> [
    ...     supports(relevance(near | {"subject": one}, "hybrid_retrieval"), 0.0)
    ...     for one in (0, ONE)
    ... ]
    [False, True]
    """
    values, beside = dict(found.components), policy.beside(found.method)
    if not beside or values.get("exact_identifier") or not values:
        return found.fixed
    own = [(name, weight) for name, weight in policy.weights(found.method) if name not in beside]
    share_of_own = sum(w * values.get(name, 0) for name, w in own) // sum(w for _, w in own)
    named = values.get("subject", 0) == ONE
    return max(share_of_own, found.fixed) if named else share_of_own
