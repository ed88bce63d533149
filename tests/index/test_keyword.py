"""Keyword scores are those of BM25 over the eligible rows alone, whatever else is in the index."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.core.rank import Keyword, least_saturation, may_support, weighed
from muniment.core.ranking import FILLER_WORDS, LEXICAL, ONE, RankingPolicy
from muniment.index.blocks import Segment, written
from muniment.index.entry import MOST_COUNT, Entry
from muniment.index.keyword import held, scored
from muniment.index.selection import Part, View, assembled
from muniment.index.table import merged, of_entries

VOCABULARY = [f"w{n}" for n in range(40)] + list(FILLER_WORDS[:5])
COUNTS = st.one_of(
    st.integers(1, 4), st.sampled_from((255, 256, MOST_COUNT, MOST_COUNT + 1, 10**9))
)
LENGTHS = st.one_of(st.integers(0, 40), st.sampled_from((255, 256, 65_535, 65_536, 2**31)))  # fmt: skip
texts = st.tuples(
    LENGTHS, st.dictionaries(st.sampled_from(VOCABULARY), COUNTS, max_size=6), st.booleans(), st.booleans()
)  # fmt: skip


FEW = st.lists(st.sampled_from(VOCABULARY[:11]), min_size=1, max_size=11)
MANY = st.lists(texts, max_size=40)
OTHERS = st.sampled_from((0, 900)).map(lambda count: [(7, {}, True, True)] * count)
"""Rows without any of the words: among many such, words are looked for another way."""


# --- the oracle -----------------------------------------------------------------------------------


def bm25(rows, query, policy):
    """Coverage and saturation of every row that holds a word, by definition; `rows` are (length, counts, eligible)."""
    served = [(length, counts) for length, counts, eligible in rows if eligible]
    total_length = sum(length for length, _ in served)
    average = total_length / len(served) if total_length else 1.0
    weight = {}
    for word in dict.fromkeys(query):
        frequency = max(1, sum(word in counts for _, counts in served))
        size = max(len(served), policy.least_count)
        rarity = math.log1p((size - frequency + 0.5) / (frequency + 0.5))
        scale = policy.filler / 1_000 if word in FILLER_WORDS else 1.0
        weight[word] = math.floor(rarity * scale * ONE + 0.5)
    best = sum(weight.values()) or 1
    found = {}
    for n, (length, counts, _) in enumerate(rows):
        words = [word for word in weight if word in counts]
        earned = 0
        for word in words:
            count = min(counts[word], MOST_COUNT)
            k1, b = policy.k1 / 1_000, policy.b / 1_000
            slack = k1 * (1 - b + b * length / average)
            earned += math.floor(weight[word] * (count / (count + slack)) + 0.5)
        if words:
            held_weight = sum(weight[word] for word in words)
            found[n] = Keyword(held_weight * ONE // best, earned * ONE // best)
    return found


# --- the index ------------------------------------------------------------------------------------


def number(word):
    return VOCABULARY.index(word) + 1


def view_of(rows, cuts):
    """Rows in some segments; the class says whether the asker sees it."""
    entries = [
        Entry(n + 1, 1 if seen else 2, 1, f"mem_{n:04}", length, 5,
              terms=tuple(sorted((number(w), min(c, MOST_COUNT)) for w, c in counts.items())))
        for n, (length, counts, _, seen) in enumerate(rows)
    ]  # fmt: skip
    edges = sorted({0, len(entries), *(cut % (len(entries) + 1) for cut in cuts)})
    pieces = [entries[a:b] for a, b in pairwise(edges)]
    segments = [Segment({}, written(merged([of_entries(one)])).__getitem__) for one in pieces]
    return View(assembled([(f"s{n}", one) for n, one in enumerate(segments)]))


def scores_of(rows, query, cuts, policy):
    runs = view_of(rows, cuts).runs({1})
    words = list(dict.fromkeys(query))
    seqs = [run.seqs(np.arange(run.size)).tolist() for run in runs]
    masks = [np.array([rows[seq - 1][2] for seq in some], np.bool_) for some in seqs]
    numbers = [number(w) for w in words]
    looked_up = [held(run, mask, numbers) for run, mask in zip(runs, masks, strict=True)]
    frequency = dict.fromkeys(words, 0)
    for one in looked_up:
        for word, count in zip(words, one.frequency(), strict=True):
            frequency[word] += count
    lengths = [rows[seq - 1][0] for some in seqs for seq in some if rows[seq - 1][2]]
    found = weighed(frequency, len(lengths), sum(lengths), policy)
    weights = list(found.weights.values())
    return [scored(one, weights, found.average, policy) for one in looked_up]


def told(scores):
    found = {}
    for one in scores:
        for position, seq in zip(one.places.tolist(), one.run.seqs(one.places), strict=True):
            found[int(seq) - 1] = one.at(position)
    return found


def expected(rows, query, policy):
    """The oracle on what is seen alone."""
    seen = [n for n, row in enumerate(rows) if row[3]]
    return {seen[n]: score for n, score in bm25([rows[n][:3] for n in seen], query, policy).items()}


@pytest.mark.req("B-FILTERFIRST", "E-DETERMINISM")
@settings(max_examples=200)
@given(
    rows=st.lists(texts, max_size=30),
    others=st.integers(0, 300),
    query=st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=40),
    cuts=st.lists(st.integers(0, 1_000), max_size=3),
    k1=st.sampled_from((1_200, 1, 5_000)),
    b=st.sampled_from((400, 0, 1_000)),
)
def test_scores_are_those_of_the_definition(rows, others, query, cuts, k1, b):
    policy = RankingPolicy(k1=k1, b=b)
    rows = (
        rows + [(7, {}, True, True)] * others
    )  # few words among many rows take the other way of adding up
    assert told(scores_of(rows, query, cuts, policy)) == expected(rows, query, policy)


@pytest.mark.parametrize("words", [1, 16, 17, 40])
@pytest.mark.parametrize("holding", [1.0, 0.02])
def test_either_way_of_adding_up_gives_the_same(words, holding):
    query = VOCABULARY[:words]
    some = int(400 * holding)
    rows = [
        (n % 50, dict.fromkeys(query[n % 3 :], n % 7 + 1), n % 5 != 0, n % 11 != 0)
        for n in range(some)
    ]
    rows += [(9, {}, True, True)] * (400 - some)
    policy = RankingPolicy()
    assert told(scores_of(rows, query, (100, 300), policy)) == expected(rows, query, policy)


@pytest.mark.parametrize("words", [3, 20])
@pytest.mark.parametrize("rows", [9, 500])
def test_a_word_that_weighs_nothing_is_held_all_the_same(words, rows):
    view = view_of([(3, {"w0": 1}, True, True)] * 9 + [(3, {}, True, True)] * (rows - 9), ())
    [run] = view.runs({1})
    found = held(run, np.ones(run.size, np.bool_), range(1, words + 1))
    assert scored(found, [0] * words, 3.0).places.tolist() == list(range(9))


@settings(max_examples=100)
@given(rows=MANY, others=OTHERS, query=FEW, count=st.integers(1, 5))
def test_the_best_are_those_of_the_whole_order_with_all_ties(rows, others, query, count):
    for one in scores_of(rows + others, query, (13,), RankingPolicy()):
        for wanted in (one.touched, one.touched & (np.arange(one.run.size) % 3 > 0)):
            among = np.flatnonzero(wanted)
            found = [one.at(position) for position in among.tolist()]
            order = [score.coverage * 700 + score.saturation * 300 for score in found]
            assert one.order(among).tolist() == order
            least = sorted(order, reverse=True)[:count][-1] if order else 0
            kept = sorted(one.best(wanted, count).tolist())
            whole = len(order) <= count
            assert kept == [
                p for p, n in zip(among.tolist(), order, strict=True) if whole or n >= least
            ]


@settings(max_examples=100)
@given(rows=MANY, others=OTHERS, query=FEW)
@pytest.mark.parametrize("method", ["keyword", "hybrid_retrieval", "semantic_similarity"])
def test_which_could_be_support_is_found_as_one_by_one(rows, others, query, method):
    for one in scores_of(rows + others, query, (), RankingPolicy()):
        able = one.able(one.touched, lambda coverage: least_saturation(coverage, method, LEXICAL))
        among = one.places.tolist()
        assert np.flatnonzero(able).tolist() == [
            place for place in among if may_support(one.at(place), method)
        ]


def test_a_view_of_nothing_finds_nothing():
    assert scores_of([], ["w1"], (), RankingPolicy()) == []
    assert View((Part("a", Segment({}, written(merged([of_entries([])])).__getitem__)),)).runs({1}) == ()  # fmt: skip
