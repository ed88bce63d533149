"""Find what was said that bears on a question, among the passages that the asker may see.

- Passages are looked at in the classes of the request alone, in their own index: no claim's relevance moves.
- Up to `whole` passages in scope are all read; of more, the best by their words, some of the nearest by embedding, and
  what stands around them.
- A passage that has nothing of the question's words in it, around it or in its session is found only where its
  meaning supports an answer (`core.similarity`).
- Everything is weighed by `core.dialogue_rank`; nothing here depends on how the index lies in a store.

Whether passages are wanted at all, and how many fit, is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from muniment.core.dialogue import (
    DIALOGUE_POLICY,
    DialoguePolicy,
    Heard,
    Talk,
)
from muniment.core.dialogue_rank import Ranking
from muniment.core.question import ask_about
from muniment.core.quote import Quote
from muniment.core.words import words
from muniment.usecases.embedding import Meaning
from muniment.usecases.held_passages import Held
from muniment.usecases.viewing import Viewing

NEAR = 3
"""Passages on either side of one in the pool that are read to find the messages around it."""


@dataclass(frozen=True, slots=True)
class Quotes:
    """What was found.

    Attributes:
        found: Best first.
        looked_at: How many passages are in scope.
        read: How many of them were read.
    """

    found: tuple[Quote, ...] = ()
    looked_at: int = 0
    read: int = 0


def find_passages(
    viewing: Viewing,
    classes: Collection[str],
    query: str,
    at: datetime,
    meaning: Meaning | None = None,
    policy: DialoguePolicy = DIALOGUE_POLICY,
) -> Quotes:
    """Rank the passages of some classes for a question.

    Args:
        viewing: What the asker sees.
        classes: Visible classes in scope.
        query: The question.
        at: The instant from which `last month` is counted.
        meaning: The question's vector; None where nothing is compared by embedding.
        policy: The numbers.
    """
    held = Held(viewing, classes)
    if not held.count:
        return Quotes()
    asked = ask_about(query, at)
    close, supported = held.compared(meaning)
    whole = held.count <= policy.whole
    read = held.read(held.seqs.tolist() if whole else _pool(held, asked.terms, close, policy))
    postings = held.postings(asked.terms, read)
    said = {seq: one for seq, (one, _) in read.items()}
    passages = {seq: passage for seq, (_, passage) in read.items()}
    ranking = Ranking(asked, Talk(passages, postings, held.count, held.words, close), policy)
    fed = ranking.feedback_words({seq: words(said[seq].text) for seq in ranking.best()})
    heard = [
        one
        for one in ranking.ranked(fed, held.postings(fed, read))
        if _bears(one) or one.seq in supported
    ]
    return Quotes(tuple(held.quotes(heard, said)), held.count, len(said))


def _bears(heard: Heard) -> bool:
    """Whether words of the question stand in a passage, around it or in its session."""
    signals = dict(heard.signals)
    return any(signals[name] for name in ("own", "around", "session_best"))


def _pool(
    held: Held, terms: Sequence[str], close: Mapping[int, int] | None, policy: DialoguePolicy
) -> list[int]:
    """The best by their words and a few of the nearest, with what stands beside them in the ledger."""
    best = held.best_by_words(terms, policy)
    if close is not None:
        best += held.best_by_meaning(close, policy)
    return held.around(best, NEAR)
