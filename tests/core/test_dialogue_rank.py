"""Ranking passages: equal to a short oracle, order-free, and untouched by what is not given."""

from __future__ import annotations

import math
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.core.dialogue import DIALOGUE_POLICY, DialoguePolicy, Passage, Talk
from muniment.core.dialogue_rank import Ranking
from muniment.core.question import ask_about, marks_of
from muniment.core.ranking import ONE
from muniment.core.words import words

DAY = 86_400_000_000
MAY = 1_683_554_160_000_000  # 2023-05-08
VOCABULARY = "lamp aunt leeds oslo boat piano yellow river last two where get".split()


def scope(texts, speakers=("Ada", "Bob"), session_of=lambda n: f"s{n // 4}"):
    """Texts as one-part messages, four to a session, in turn by two speakers, a day apart."""
    place, passages, postings = Counter(), {}, {}
    for n, text in enumerate(texts):
        held = Counter(words(text))
        session = session_of(n)
        passages[n] = Passage(
            session, place[session], 0, speakers[n % 2], MAY + n * DAY, held.total(), marks_of(text)
        )
        place[session] += 1
        for word, count in held.items():
            postings.setdefault(word, []).append((n, count))
    return passages, postings


def ranked(query, texts, similarity=None, policy=DIALOGUE_POLICY, order=None):
    """Everything, with feedback."""
    passages, postings = scope(texts)
    if order is not None:
        passages = {n: passages[n] for n in order}
        postings = {
            word: [p for n in order for p in held if p[0] == n] for word, held in postings.items()
        }
    asked = ask_about(query)
    total = sum(passage.length for passage in passages.values())
    ranking = Ranking(asked, Talk(passages, postings, len(passages), total, similarity), policy)
    fed = ranking.feedback_words({n: words(texts[n]) for n in ranking.best()})
    return ranking.ranked(fed, postings)


# --- the oracle: floating point, no feedback, no similarity, one part a message ---------------------


def oracle(query, texts):
    """The own words, those around, the session's best and the session, who and what: straight from the definitions."""
    asked, p = ask_about(query), DIALOGUE_POLICY
    held = [Counter(words(text)) for text in texts]
    names = {word for name in ("Ada", "Bob")[: len(texts)] for word in words(name)}
    terms = [term for term in asked.terms if term not in names] or list(asked.terms)

    def bm25(bags):
        sizes = [bag.total() for bag in bags]
        mean = sum(sizes) / len(bags)
        reach = math.log(max(mean, 1) / p.short) / math.log(p.long / p.short)
        b = 0.4 + 0.5 * min(1, max(0, reach))
        weigh = {}
        for term in terms:
            frequency = max(1, sum(term in bag for bag in bags))
            weigh[term] = math.log1p((len(bags) - frequency + 0.5) / (frequency + 0.5))
        total = sum(weigh.values())
        return [
            sum(
                w * bag[t] / (bag[t] + 0.9 * (1 - b + b * size / max(mean, 1)))
                for t, w in weigh.items()
            )
            / total
            for bag, size in zip(bags, sizes, strict=True)
        ]

    own = bm25(held)
    sessions = [sum(held[n : n + 4], Counter()) for n in range(0, len(texts), 4)]
    whole = bm25(sessions)
    mean = sum(bag.total() for bag in held) / len(held)
    close = min(1, math.sqrt(p.short / max(mean, 1)))

    def at(n, by):
        return own[n + by] if n // 4 == (n + by) // 4 and 0 <= n + by < len(texts) else 0

    found = {}
    for n, text in enumerate(texts):
        asks = "?" in text
        before_asks = n % 4 > 0 and "?" in texts[n - 1]
        around = at(n, -1) * (0.675 if before_asks else 0.45) + at(n, -2) * 0.4
        around += at(n, 1) * (0.16 if asks else 0.4) + at(n, 2) * 0.2
        best = max(own[n // 4 * 4 : n // 4 * 4 + 4])
        told = marks_of(text) & asked.kinds
        values = {
            "own": own[n], "around": around / 1.675 * close, "session_best": best * (1 + close) / 2,
            "session": whole[n // 4] * (1 + close) / 2,
            "speaker": float(bool(set(words(("Ada", "Bob")[n % 2])) & asked.words)),
            "kind": 1.0 if told & (4 | 16) else 0.6 if told else 0.0,
            "statement": float(not text.rstrip().endswith("?")),
        }  # fmt: skip
        weights = {name: weight for name, weight in p.weights if name != "similarity"}
        found[n] = sum(weights[k] * v for k, v in values.items()) / sum(weights.values())
    return found


sentences = st.lists(st.sampled_from([*VOCABULARY, "where?", "Ada"]), min_size=1, max_size=12).map(
    " ".join
)
conversations = st.lists(sentences, min_size=1, max_size=13)
questions = st.lists(st.sampled_from([*VOCABULARY, "Ada", "Bob"]), min_size=1, max_size=5).map(
    " ".join
)


@settings(max_examples=150)
@given(questions, conversations)
def test_relevance_is_the_weighted_mean_of_the_signals_as_defined(query, texts):
    no_feedback = DialoguePolicy(feedback_from=0)
    expected = oracle(query, texts)
    for hit in ranked(query, texts, policy=no_feedback):
        assert abs(hit.relevance / ONE - expected[hit.seq]) < 1e-4


@settings(max_examples=60)
@given(questions, conversations, st.randoms(use_true_random=False))
def test_the_order_in_which_things_are_held_moves_nothing(query, texts, random):
    order = list(range(len(texts)))
    random.shuffle(order)
    alike = {n: (n * 77_773) % ONE for n in order}
    assert ranked(query, texts, alike) == ranked(query, texts, alike, order=order)


@settings(max_examples=60)
@given(questions, conversations)
def test_every_signal_and_relevance_is_a_share(query, texts):
    alike = {n: ONE if n % 2 else -ONE for n in range(len(texts))}
    for hit in ranked(query, texts, alike):
        assert 0 <= hit.relevance <= ONE
        assert all(0 <= value <= ONE for _, value in hit.signals)


def first(query, texts, **options):
    return ranked(query, texts, **options)[0].seq


def test_the_answer_after_a_question_is_found_by_the_words_of_the_question():
    texts = ["Where did you get that lamp?", "My aunt gave it to me in Leeds.", "Nice.", "Yes."]
    order = [hit.seq for hit in ranked("Where did Bob get the lamp?", texts)]
    assert order.index(1) < order.index(2)


def test_who_is_named_in_the_question_is_preferred_to_who_is_spoken_to():
    texts = ["I love the piano.", "I love the piano.", "ok", "ok"]
    assert (first("What does Ada love?", texts), first("What does Bob love?", texts)) == (0, 1)


def test_a_month_in_the_question_prefers_what_was_said_in_it():
    texts = ["We had a boat."] + ["Nothing."] * 27 + ["We had a boat."]
    assert (
        first("Which boat did we have in May?", texts),
        first("Which boat did we have in June?", texts),
    ) == (
        0,
        28,
    )


def test_other_parts_of_a_message_follow_its_best_part():
    passages = {
        0: Passage("s", 0, 0, "Ada", None, 4), 1: Passage("s", 0, 1, "Ada", None, 4),
        2: Passage("s", 1, 0, "Bob", None, 4),
    }  # fmt: skip
    postings = {"lamp": [(0, 2), (1, 1)], "leed": [(2, 1)]}
    found = Ranking(ask_about("lamp leeds"), Talk(passages, postings, 3, 12)).ranked()
    assert {hit.seq: n for n, hit in enumerate(found)}[1] == 2


def test_b_rises_and_neighbours_fall_with_length():
    from muniment.core.dialogue import closeness, length_share

    lengths = (10, 25, 60, 150, 425, 1_000)
    assert [length_share(n) for n in lengths] == sorted(length_share(n) for n in lengths)
    assert [closeness(n) for n in lengths] == sorted((closeness(n) for n in lengths), reverse=True)


def test_the_digest_names_the_weights():
    assert DialoguePolicy().digest == DIALOGUE_POLICY.digest != DialoguePolicy(k1=901).digest
