"""Ranking policies: everything that decides an order, as data (`A-RANKING`, `D-POLICIES`).

- A policy is versioned; its digest stands in the record of every retrieval that it ranked.
- Databases, indexes and code are apart from it: the same policy ranks the same on every store.

>>> [f"{policy.name}/{policy.version}" for policy in POLICIES]
['lexical/3', 'fused/1', 'recent/2']
>>> all(sum(weight for _, weight in weights) == 1_000 for policy in POLICIES for _, weights in policy.methods)
True
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from muniment.core.canonical import digest
from muniment.core.encode import encode
from muniment.core.words import words

ONE = 1 << 20
"""The fixed-point form of 1."""


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
    Component("recency", "closeness to the instant of when the claim was first recorded"),
    Component("importance", "the importance that the claim states; 0 where it states none"),
    Component("freshness", "1 where its source agreed lately enough for the use, one half where nobody looked, else 0"),
    Component("decay", "what the decay model that the claim states has left of it; 1 where it states none"),
    Component("closeness", "closeness by embedding: 0 where unrelated texts are on average, 1 for the same words"),
    Component("meaning", "support by embedding: 0 up to what one in a thousand unrelated texts has, 1 well above"),
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
        meaning: Least `meaning` that is support by itself, thousandths; inclusive.
        methods: For each method the weights of its components, thousandths; they add up to 1,000.
    """

    name: str = "lexical"
    version: int = 3
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
    supplementary: tuple[str, ...] = ("named", "graph", "meaning")
    meaning: int = 700
    methods: tuple[tuple[str, tuple[tuple[str, int], ...]], ...] = field(
        hash=False,
        default=(
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
        ),
    )

    @property
    def digest(self) -> str:
        """What a record of a retrieval names, so that it can be told whether it still holds."""
        return _digest(self)

    def weights(self, method: str) -> tuple[tuple[str, int], ...]:
        """The components of a method; empty for one that this policy does not know."""
        return _weights(self, method)

    def compares(self, method: str) -> bool:
        """Whether a method compares by embedding."""
        return any(name in ("closeness", "meaning") for name, _ in self.weights(method))

    def beside(self, method: str) -> tuple[str, ...]:
        """The components of a method that make no support, since others of it do."""
        return _beside(self, method)


@lru_cache(maxsize=256)
def _digest(policy: RankingPolicy) -> str:
    return digest({"policy": encode(policy), "filler_words": list(FILLER_WORDS)})


@lru_cache(maxsize=256)
def _weights(policy: RankingPolicy, method: str) -> tuple[tuple[str, int], ...]:
    return dict(policy.methods).get(method, ())


@lru_cache(maxsize=256)
def _beside(policy: RankingPolicy, method: str) -> tuple[str, ...]:
    names = [name for name, _ in policy.weights(method)]
    found = tuple(name for name in names if name in policy.supplementary)
    return found if len(found) < len(names) else ()


_GENERAL = """
add allow anything best call can code command correct current do done enable everything find get give good have
keep know like look make maximum mean minimum must need new please possible project repo repository require
right run set should something sure thing try use user version want way work write
"""
FILLER_WORDS = tuple(sorted(set(words(_GENERAL))))
"""General words, as `words` gives them: their absence says little about whether a claim answers."""

LEXICAL = RankingPolicy()
"""By words, names, facts and times alone; what ranks where nothing embeds."""

FUSED = RankingPolicy(
    name="fused",
    version=1,
    methods=(
        *(one for one in LEXICAL.methods if one[0] != "hybrid_retrieval"),
        ("embedding_similarity", (("closeness", 1_000),)),
        (
            "hybrid_retrieval",
            (
                ("coverage", 490),
                ("saturation", 76),
                ("sentence", 138),
                ("phrase", 38),
                ("subject", 23),
                ("named", 42),
                ("graph", 43),
                ("meaning", 150),
            ),
        ),
    ),
)
"""The same with what a sentence means by embedding."""

RECENT = RankingPolicy(
    name="recent",
    version=2,
    supplementary=("named", "graph", "meaning", "recency", "importance", "freshness", "decay"),
    methods=(
        *(one for one in FUSED.methods if one[0] != "hybrid_retrieval"),
        (
            "hybrid_retrieval",
            (
                ("coverage", 412),
                ("saturation", 64),
                ("sentence", 116),
                ("phrase", 32),
                ("subject", 20),
                ("named", 35),
                ("graph", 36),
                ("meaning", 125),
                ("recency", 60),
                ("importance", 50),
                ("freshness", 20),
                ("decay", 30),
            ),
        ),
    ),
)
"""The same with when it was recorded, what it says of its own importance and decay, and how fresh it is; asked for by
name."""

POLICIES = (LEXICAL, FUSED, RECENT)
"""The bank: each policy is conventional, versioned, and pinned by its digest (`D-POLICIES`)."""

RANKING_POLICY = LEXICAL


def policy_named(name: str) -> RankingPolicy | None:
    """The policy of the bank with a name; None where there is none."""
    return next((policy for policy in POLICIES if policy.name == name), None)


def method_names() -> tuple[str, ...]:
    """Every method that some policy of the bank knows, in their order."""
    return tuple(dict.fromkeys(name for policy in POLICIES for name, _ in policy.methods))
