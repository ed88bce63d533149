"""How well a claim answers a query: a share of what a perfect match could earn, in [0, 1].

- Statistics come from the eligible claims alone; what is not eligible has no weight (`B-FILTERFIRST`).
- Scores are fixed-point integers, so the order in which they are added never matters (`E-DETERMINISM`).
- Relevance is absolute: the same claim and query earn the same however good the other claims are (`E-ABSTAIN`).
- Every score says what it means; weights are one versioned constant with a digest (`A-RANKING`).
- Relevance reads no confidence and no importance (`A-RELTRUTH`).

Which claims are eligible is `decide`'s matter; which are handed over is `pack`'s.

>>> lengths = {1: 4, 2: 4}
>>> postings = {"test": [(1, 1)], "run": [(1, 1), (2, 1)]}
>>> found = statistics(("run", "test", "fast"), lengths, postings)
>>> scores = keyword_scores(found, postings, lengths)
>>> share(scores[1].coverage), share(scores[2].coverage)
(0.5483, 0.0966)
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from muniment.core.canonical import digest
from muniment.core.codec import encode
from muniment.core.words import words

ONE = 1 << 20
"""The fixed-point form of 1."""

Postings = Mapping[str, Sequence[tuple[int, int]]]


@dataclass(frozen=True, slots=True)
class Component:
    """One part of a relevance, with what it means; every value is in [0, 1]."""

    name: str
    meaning: str


COMPONENTS = (
    Component("exact_identifier", "1 where the query names the claim by identifier or alias"),
    Component("coverage", "share of the query's words, by rarity, that the claim holds"),
    Component("saturation", "BM25 term saturation and length, as a share of the most it can earn"),
    Component("sentence", "share of the query's words, by rarity, in the claim's own sentence or title"),
    Component("phrase", "share of neighbouring query words that stand close in the sentence"),
    Component("subject", "1 where the query names a subject, entity or alias of the claim whole"),
    Component("temporal", "closeness to the instant of when it began to hold, or was recorded"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class RankingPolicy:
    """Everything that decides an order, as data.

    Attributes:
        name: What the policy is called.
        version: Raised with every change of a number below or of the words behind it.
        k1: BM25's saturation, thousandths.
        b: BM25's length normalisation, thousandths.
        least_count: Collections smaller than this are weighed as if they had so many claims.
        filler: Thousandths of its weight that a general word keeps (`FILLER_WORDS`).
        support: Least relevance that counts as support, thousandths; inclusive.
        pool: How many of the best by keyword are read and scored in full.
        near: Neighbouring query words at most this many words apart make a phrase.
        half_life_days: Days from the instant at which `temporal` is one half.
        methods: For each method the weights of its components, thousandths; they add up to 1,000.
    """

    name: str = "lexical"
    version: int = 1
    k1: int = 1_200
    b: int = 400
    least_count: int = 50
    filler: int = 250
    support: int = 450
    pool: int = 100
    near: int = 3
    half_life_days: int = 30
    methods: tuple[tuple[str, tuple[tuple[str, int], ...]], ...] = (
        ("keyword", (("coverage", 700), ("saturation", 300))),
        ("exact_identifier", (("exact_identifier", 1_000),)),
        ("temporal_retrieval", (("temporal", 600), ("coverage", 400))),
        (
            "hybrid_retrieval",
            (
                ("coverage", 640),
                ("saturation", 100),
                ("sentence", 180),
                ("phrase", 50),
                ("subject", 30),
            ),
        ),
    )

    @property
    def digest(self) -> str:
        """What a record of a retrieval names, so that it can be told whether it still holds."""
        return digest({"policy": encode(self), "filler_words": list(FILLER_WORDS)})

    def weights(self, method: str) -> tuple[tuple[str, int], ...]:
        """The components of a method; empty for one that this policy does not know."""
        return dict(self.methods).get(method, ())


_GENERAL = """
add allow anything best call can code command correct current do done enable everything find get give good have
keep know like look make maximum mean minimum must need new please possible project repo repository require
right run set should something sure thing try use user version want way work write
"""
FILLER_WORDS = tuple(sorted(set(words(_GENERAL))))
"""General words, as `words` gives them: their absence says little about whether a claim answers."""

RANKING_POLICY = RankingPolicy()


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
    weights = {term: _weight(term, frequency[term], len(eligible), policy) for term in terms}
    return Statistics(len(eligible), sum(eligible.values()), weights, frequency)


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


def by_keyword(score: Keyword) -> int:
    """The order in which claims are taken into the pool.

    >>> by_keyword(Keyword(ONE, ONE // 2)) > by_keyword(Keyword(ONE, 0)) > by_keyword(Keyword(0, ONE))
    True
    """
    return score.coverage * 700 + score.saturation * 300


# --- what only reading the claim tells ------------------------------------------------------------


def sentence_share(found: Statistics, sentence: Collection[str]) -> int:
    """Share of the query's weight that stands in the claim's own sentence, fixed point.

    >>> found = statistics(("run", "test"), {1: 2}, {"run": [(1, 1)], "test": [(1, 1)]})
    >>> sentence_share(found, ("run", "test")) == ONE, sentence_share(found, ())
    (True, 0)
    """
    present = set(sentence)
    held = sum(weight for term, weight in found.weights.items() if term in present)
    return held * ONE // (found.total or 1)


def phrase_share(
    found: Statistics, sentence: Sequence[str], policy: RankingPolicy = RANKING_POLICY
) -> int:
    """Share of the query's neighbouring words that stand within `near` words in the sentence, fixed point.

    >>> found = statistics(("run", "test", "fast"), {}, {})
    >>> phrase_share(found, ("run", "the", "unit", "test")) == ONE // 2
    True
    >>> phrase_share(found, ("run", "the", "many", "unit", "test"))
    0
    """
    terms = tuple(found.weights)
    if len(terms) < 2:
        return 0
    places = {term: [i for i, word in enumerate(sentence) if word == term] for term in terms}
    close = sum(
        any(abs(i - j) <= policy.near for i in places[one] for j in places[other])
        for one, other in pairwise(terms)
    )
    return close * ONE // (len(terms) - 1)


def names_whole(query: Collection[str], names: Sequence[Sequence[str]]) -> int:
    """Whether the query holds every word of one of the names, fixed point.

    >>> names_whole(("deploy", "billing", "api"), (("billing", "api"), ("shop",))) == ONE
    True
    >>> names_whole(("billing",), (("billing", "api"), ()))
    0
    """
    asked = set(query)
    return ONE if any(name and asked.issuperset(name) for name in names) else 0


def temporal_share(began: int, at: int, policy: RankingPolicy = RANKING_POLICY) -> int:
    """Closeness of two instants (microseconds), fixed point.

    >>> month = RANKING_POLICY.half_life_days * 86_400_000_000
    >>> [share(temporal_share(0, at)) for at in (0, month, -month, 3 * month)]
    [1.0, 0.5, 0.5, 0.25]
    """
    half = policy.half_life_days * 86_400_000_000
    return ONE * half // (half + abs(at - began))


@dataclass(frozen=True, slots=True)
class Relevance:
    """How well one claim answers one query (`A-RELEVANCE`).

    Attributes:
        fixed: Fixed point, for ordering; 0 to `ONE`.
        method: How it was found.
        components: Name to fixed-point value, of those that the method weighs.
    """

    fixed: int
    method: str
    components: tuple[tuple[str, int], ...] = ()

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
        return Relevance(ONE, method, tuple(dict((*exact, *parts)).items()))
    return Relevance(total, method, parts)


def meaning(method: str, policy: RankingPolicy = RANKING_POLICY) -> str:
    """What a relevance of this method means, in words (`A-RANKING`).

    >>> meaning("keyword")
    'share in [0, 1] of what a perfect match of this query earns: 0.70 coverage + 0.30 saturation'
    """
    parts = " + ".join(f"{weight / 1_000:.2f} {name}" for name, weight in policy.weights(method))
    return f"share in [0, 1] of what a perfect match of this query earns: {parts}"


def may_support(score: Keyword, method: str, policy: RankingPolicy = RANKING_POLICY) -> bool:
    """Whether a claim with these keyword scores could be support, if everything else spoke for it.

    The sentence holds no more of the query than the claim does, so its share is at most the coverage.

    >>> may_support(Keyword(ONE, 0), "keyword"), may_support(Keyword(ONE // 5, 0), "hybrid_retrieval")
    (True, False)
    """
    most = {component.name: ONE for component in COMPONENTS}
    most |= {"exact_identifier": 0, "coverage": score.coverage, "sentence": score.coverage}
    best = relevance(most | {"saturation": score.saturation}, method, policy)
    return supports(best, 0.0, policy)


def supports(found: Relevance, threshold: float, policy: RankingPolicy = RANKING_POLICY) -> bool:
    """Whether a relevance is enough: at least the policy's support, and at least the asker's threshold.

    >>> least = -(-RANKING_POLICY.support * ONE // 1_000)
    >>> supports(Relevance(least, "keyword"), 0.0), supports(Relevance(least - 1, "keyword"), 0.0)
    (True, False)
    """
    return found.fixed * 1_000 >= policy.support * ONE and found.fixed >= fixed(threshold)
