"""Which passages of many are read is what scoring each of them by itself would choose."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.core.dialogue import DIALOGUE_POLICY, Passage, Talk, word_scores
from muniment.core.dialogue_rank import pool_of
from muniment.core.passage import said_from
from muniment.core.words import words
from muniment.usecases.held_passages import Held
from muniment.usecases.viewing import Viewing
from tests.index.layouts import layout
from tests.usecases.test_conversations import BOARD, TEAM, keep, lines
from tests.usecases.world import HERE, SHOP, WEB, World

VOCABULARY = [f"{a}{b}" for a in ("lamp", "boat", "piano", "oslo", "leeds") for b in "abcd"]
TERMS = st.lists(st.sampled_from([*VOCABULARY, "nowhere"]), min_size=1, max_size=6)


@pytest.fixture(scope="module", params=[7, 1_000])
def kept(request):
    """A store of some conversations, in pieces of the index of some size; what its passages say, by event."""
    world, drawn = World(), random.Random(5)
    with layout(request.param, 2, 2):
        for n in range(6):
            talk = [
                ("Ada", " ".join(drawn.choices(VOCABULARY, k=drawn.randrange(1, 30))))
                for _ in range(40)
            ]
            data = lines(talk, f"s{n}")
            keep(world, data=data, name=f"{n}.jsonl", scope=(SHOP, WEB)[n % 2], visibility=TEAM)
        keep(world, "user:ana", data=lines(talk, "hidden"), visibility=BOARD)
        with world.store.snapshot(HERE) as snapshot:
            viewing = Viewing(snapshot, "user:dan")
            classes = viewing.classes_of((SHOP,))
            docs = [doc for doc in snapshot.docs("passage") if doc.cls in classes]
            contents = snapshot.contents([doc.seq for doc in docs])
            texts = {doc.seq: (doc.id, words(said_from(contents[doc.seq]).text)) for doc in docs}
            yield Held(viewing, classes), texts


def talk_of(texts, terms):
    """All of it, as ranking reads it."""
    counts = {seq: Counter(text) for seq, (_, text) in texts.items()}
    postings = {
        term: [(seq, count[term]) for seq, count in counts.items() if count[term]] for term in terms
    }
    rows = {seq: Passage("", 0, length=len(text)) for seq, (_, text) in texts.items()}
    return Talk(rows, postings, len(texts), sum(len(text) for _, text in texts.values()))


@settings(max_examples=150)
@given(terms=TERMS, pool=st.integers(1, 200))
def test_the_pool_is_what_scoring_every_passage_by_itself_gives(kept, terms, pool):
    held, texts = kept
    policy = replace(DIALOGUE_POLICY, pool=pool)
    scores = word_scores(dict.fromkeys(terms), talk_of(texts, terms), policy)
    names = {seq: name for seq, (name, _) in texts.items()}
    assert held.best_by_words(terms, policy) == pool_of(scores, names, pool)


@given(terms=TERMS, some=st.integers(0, 120))
def test_of_what_is_not_read_it_is_known_how_many_hold_a_word(kept, terms, some):
    held, texts = kept
    read = sorted(texts)[:some]
    talk = talk_of(texts, terms)
    for term, posted in held.postings(terms, read).items():
        assert len(posted) == len(talk.postings[term])
        assert sorted(posted) == sorted(one for one in talk.postings[term] if one[0] in read)


@given(place=st.integers(0, 119), near=st.integers(0, 4))
def test_what_stands_beside_a_passage_in_the_ledger_is_read_with_it(kept, place, near):
    held, texts = kept
    every = sorted(texts)
    expected = every[max(0, place - near) : place + near + 1]
    assert held.around([every[place]], near) == expected


def test_nothing_is_near_no_passage(kept):
    assert kept[0].around([], 3) == []
