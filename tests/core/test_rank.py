"""Relevance: what a claim earns of what a perfect match could earn, by statistics of the eligible alone."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.core.rank import (
    Keyword,
    Relevance,
    keyword_scores,
    least_saturation,
    may_support,
    meaning,
    relevance,
    share,
    statistics,
    supports,
)
from muniment.core.ranking import (
    COMPONENTS,
    FILLER_WORDS,
    ONE,
    POLICIES,
    RANKING_POLICY,
    RankingPolicy,
    method_names,
)
from muniment.core.words import words

WORDS = st.sampled_from("alpha beta gamma delta run test".split())
TEXTS = st.lists(st.lists(WORDS, min_size=1, max_size=12), min_size=1, max_size=8)


def indexed(texts):
    postings: dict[str, list[tuple[int, int]]] = {}
    for seq, text in enumerate(texts):
        for word, count in Counter(text).items():
            postings.setdefault(word, []).append((seq, count))
    return postings, {seq: len(text) for seq, text in enumerate(texts)}


def plain_bm25_share(query, text, texts, policy=RANKING_POLICY):
    """Okapi BM25 as in its textbook form, divided by what it tends to when every word fills a claim."""
    terms = list(dict.fromkeys(query))
    size, average = max(len(texts), policy.least_count), sum(map(len, texts)) / len(texts)
    k1, b = policy.k1 / 1000, policy.b / 1000

    def weight(term):
        n = max(1, sum(term in other for other in texts))
        rarity = math.log((size - n + 0.5) / (n + 0.5) + 1)
        return rarity * (policy.filler / 1000 if term in FILLER_WORDS else 1)

    earned = sum(
        weight(t) * text.count(t) * (k1 + 1) / (text.count(t) + k1 * (1 - b + b * len(text) / average))
        for t in terms
    )  # fmt: skip
    most = sum(weight(t) * (k1 + 1) for t in terms)
    held = sum(weight(t) for t in terms if t in text)
    return held / sum(map(weight, terms)), earned / most


@pytest.mark.req("A-RANKING")
@given(texts=TEXTS, query=st.lists(WORDS, min_size=1, max_size=5))
def test_keyword_scores_equal_a_textbook_bm25(texts, query):
    postings, lengths = indexed(texts)
    scores = keyword_scores(statistics(query, lengths, postings), postings, lengths)
    for seq, text in enumerate(texts):
        coverage, saturation = plain_bm25_share(query, text, texts)
        mine = scores.get(seq)
        if mine is None:
            assert not set(query) & set(text)
        else:
            assert mine.coverage / ONE == pytest.approx(coverage, abs=1e-5)
            assert mine.saturation / ONE == pytest.approx(saturation, abs=1e-5)


@pytest.mark.req("E-DETERMINISM")
@given(texts=TEXTS, query=st.lists(WORDS, min_size=1, max_size=5), random=st.randoms())
def test_scores_do_not_depend_on_the_order_of_claims_or_words(texts, query, random):
    postings, lengths = indexed(texts)
    before = keyword_scores(statistics(query, lengths, postings), postings, lengths)
    mixed = {word: random.sample(found, len(found)) for word, found in postings.items()}
    other = random.sample(query, len(query))
    after = keyword_scores(statistics(other, lengths, mixed), mixed, lengths)
    assert after == before


@pytest.mark.req("B-FILTERFIRST")
@given(texts=TEXTS, hidden=TEXTS, query=st.lists(WORDS, min_size=1, max_size=5))
def test_claims_that_are_not_eligible_weigh_nothing(texts, hidden, query):
    postings, lengths = indexed(texts + hidden)
    eligible = {seq: length for seq, length in lengths.items() if seq < len(texts)}
    alone, alone_lengths = indexed(texts)
    among_hidden = keyword_scores(statistics(query, eligible, postings), postings, eligible)
    assert among_hidden == keyword_scores(
        statistics(query, alone_lengths, alone), alone, alone_lengths
    )


@pytest.mark.req("A-RELEVANCE")
@given(
    signals=st.dictionaries(
        st.sampled_from([c.name for c in COMPONENTS]), st.integers(0, ONE), max_size=7
    ),
    method=st.sampled_from([name for name, _ in RANKING_POLICY.methods]),
)
def test_relevance_is_in_the_unit_interval_whatever_the_signals(signals, method):
    assert 0.0 <= relevance(signals, method).value <= 1.0


@pytest.mark.req("A-RANKING")
@pytest.mark.parametrize("method", [name for name, _ in RANKING_POLICY.methods])
def test_the_weights_of_a_method_add_up_and_every_component_says_what_it_means(method):
    weights = RANKING_POLICY.weights(method)
    described = {component.name for component in COMPONENTS if component.meaning}
    assert sum(weight for _, weight in weights) == 1_000
    assert {name for name, _ in weights} <= described
    assert all(name in meaning(method) for name, _ in weights)


@pytest.mark.req("A-RANKING")
def test_the_digest_of_the_policy_changes_with_every_number():
    changed = [
        replace(RANKING_POLICY, **{name: getattr(RANKING_POLICY, name) + 1})
        for name in ("version", "k1", "b", "least_count", "filler", "support", "pool", "near")
    ]
    digests = {policy.digest for policy in (RANKING_POLICY, *changed)}
    assert len(digests) == len(changed) + 1


def test_an_equal_policy_has_an_equal_digest():
    assert RankingPolicy().digest == RANKING_POLICY.digest


@pytest.mark.req("E-ABSTAIN")
def test_support_is_absolute_the_best_of_many_poor_matches_supports_nothing():
    texts = [words("pytest stops a test after a timeout of 120 seconds")] * 5
    postings, lengths = indexed(texts)
    query = words("kubernetes ingress timeout")
    scores = keyword_scores(statistics(query, lengths, postings), postings, lengths)
    signals = {"coverage": scores[0].coverage, "saturation": scores[0].saturation}
    assert not supports(relevance(signals, "keyword"), 0.0)


def test_filler_words_are_in_the_form_that_text_is_split_into():
    forms = words("requires required versions running used everything")
    assert set(forms) <= set(FILLER_WORDS)


@pytest.mark.req("A-RELEVANCE")
def test_a_threshold_is_inclusive():
    found = Relevance(ONE * 3 // 4, "keyword")
    assert (supports(found, 0.75), supports(found, 0.7501)) == (True, False)


def test_shares_have_four_decimals():
    assert share(ONE * 2 // 3) == 0.6667


SHARES = st.one_of(st.integers(0, ONE), st.sampled_from((0, 1, ONE // 2, ONE - 1, ONE)))
BANK = st.sampled_from(POLICIES).flatmap(
    lambda one: st.builds(
        replace, st.just(one), support=st.integers(0, 1_000), meaning=st.integers(0, 1_000)
    )
)
METHODS = st.sampled_from((*method_names(), "no_such_method"))


def supported_at_best(score, method, policy):
    """Score a claim of which everything speaks for it but its words and its meaning."""
    most = {component.name: ONE for component in COMPONENTS}
    most |= dict.fromkeys(("exact_identifier", "closeness", "meaning"), 0)
    within = ("coverage", "sentence", "named_phrase", "named_words", "named")
    most |= dict.fromkeys(within, score.coverage) | {"saturation": score.saturation}
    return supports(relevance(most, method, policy), 0.0, policy)


@given(coverage=SHARES, saturation=SHARES, method=METHODS, policy=BANK)
def test_what_could_be_support_is_told_as_by_scoring_it_at_its_best(
    coverage, saturation, method, policy
):
    score = Keyword(coverage, saturation)
    expected = supported_at_best(score, method, policy)
    assert may_support(score, method, policy) == expected


@given(coverage=SHARES, method=METHODS, policy=BANK)
def test_the_least_saturation_is_enough_and_one_less_is_not(coverage, method, policy):
    least = least_saturation(coverage, method, policy)
    tried = [s for s in (least - 1, least) if 0 <= s <= ONE]
    enough = [supported_at_best(Keyword(coverage, s), method, policy) for s in tried]
    assert enough == [s == least for s in tried]
