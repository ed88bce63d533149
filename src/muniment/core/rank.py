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
    Component("named_phrase", "share of the query's words, by rarity, in names of the claim that it holds whole"),
    Component("named_words", "share of the query's words, by rarity, that stand in some name of the claim"),
    Component("named", "the same as named_phrase, without facts' subjects and objects of one word"),
    Component("graph", "closeness to what the query names along facts, entities and relationships; 1 is there"),
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
        graph_steps: Steps of a traversal at most.
        graph_examined: Claims that a traversal reads at most.
        graph_reached: Claims that it reaches at most.
        graph_general: A name that more claims than these may hold is too general to follow.
        supplementary: Components that may order what has support, and make none beside others.
        methods: For each method the weights of its components, thousandths; they add up to 1,000.
    """

    name: str = "lexical"
    version: int = 2
    k1: int = 1_200
    b: int = 400
    least_count: int = 50
    filler: int = 250
    support: int = 450
    pool: int = 100
    near: int = 3
    half_life_days: int = 30
    graph_steps: int = 2
    graph_examined: int = 200
    graph_reached: int = 50
    graph_general: int = 20
    supplementary: tuple[str, ...] = ("named", "graph")
    methods: tuple[tuple[str, tuple[tuple[str, int], ...]], ...] = (
        ("keyword", (("coverage", 700), ("saturation", 300))),
        ("exact_identifier", (("exact_identifier", 1_000),)),
        ("temporal_retrieval", (("temporal", 600), ("coverage", 400))),
        ("semantic_similarity", (("named_phrase", 600), ("named_words", 400))),
        ("graph_traversal", (("graph", 1_000),)),
        (
            "hybrid_retrieval",
            (
                ("coverage", 576),
                ("saturation", 90),
                ("sentence", 162),
                ("phrase", 45),
                ("subject", 27),
                ("named", 50),
                ("graph", 50),
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

    def beside(self, method: str) -> tuple[str, ...]:
        """The components of a method that make no support, since others of it do."""
        names = [name for name, _ in self.weights(method)]
        found = tuple(name for name in names if name in self.supplementary)
        return found if len(found) < len(names) else ()


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


def by_keyword(score: Keyword) -> int:
    """The order in which claims are taken into the pool.

    >>> by_keyword(Keyword(ONE, ONE // 2)) > by_keyword(Keyword(ONE, 0)) > by_keyword(Keyword(0, ONE))
    True
    """
    return score.coverage * 700 + score.saturation * 300


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
    >>> meaning("hybrid_retrieval")[-46:]
    '; named and graph do not count towards support'
    """
    parts = " + ".join(f"{weight / 1_000:.2f} {name}" for name, weight in policy.weights(method))
    said = f"share in [0, 1] of what a perfect match of this query earns: {parts}"
    beside = " and ".join(policy.beside(method))
    return f"{said}; {beside} do not count towards support" if beside else said


_WITHIN_COVERAGE = ("coverage", "sentence", "named_phrase", "named_words", "named")


def may_support(score: Keyword, method: str, policy: RankingPolicy = RANKING_POLICY) -> bool:
    """Whether a claim with these keyword scores could be support, if everything else spoke for it.

    No sentence and no name holds more of the query than the claim does, so their shares are at most the coverage.

    >>> may_support(Keyword(ONE, 0), "keyword"), may_support(Keyword(ONE // 5, 0), "hybrid_retrieval")
    (True, False)
    """
    most = {component.name: ONE for component in COMPONENTS} | {"exact_identifier": 0}
    most |= dict.fromkeys(_WITHIN_COVERAGE, score.coverage)
    best = relevance(most | {"saturation": score.saturation}, method, policy)
    return supports(best, 0.0, policy)


def supports(found: Relevance, threshold: float, policy: RankingPolicy = RANKING_POLICY) -> bool:
    """Whether a relevance is enough: at least the policy's support, and at least the asker's threshold.

    >>> least = -(-RANKING_POLICY.support * ONE // 1_000)
    >>> supports(Relevance(least, "keyword"), 0.0), supports(Relevance(least - 1, "keyword"), 0.0)
    (True, False)
    """
    enough = _supporting(found, policy) * 1_000 >= policy.support * ONE
    return enough and found.fixed >= fixed(threshold)


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
