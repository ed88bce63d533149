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

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from muniment.core.codec import micros
from muniment.core.dialogue import (
    DIALOGUE_POLICY,
    DialoguePolicy,
    Heard,
    Passage,
    Talk,
    word_scores,
)
from muniment.core.dialogue_rank import Ranking, pool_of
from muniment.core.passage import Said, kept_from, said_from
from muniment.core.question import ask_about, marks_of
from muniment.core.quote import Quote
from muniment.core.similarity import closeness, support
from muniment.core.words import words
from muniment.index.selection import Run
from muniment.usecases.embedding import Meaning
from muniment.usecases.viewing import Viewing

NEAR = 3
"""Passages on either side of one in the pool that are read to find the messages around it."""
KEPT = 20_000
"""Passages that are kept for the next question, at most."""
NEAREST = 4
"""One in so many of the pool is taken for its meaning, beside those for their words."""


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
    held = _Held(viewing, classes)
    if not held.count:
        return Quotes()
    asked = ask_about(query, at)
    postings = held.postings(asked.terms)
    close, supported = held.compared(meaning)
    whole = held.count <= policy.whole
    read = held.read(held.seqs if whole else _pool(held, postings, close, policy))
    said = {seq: one for seq, (one, _) in read.items()}
    passages = {seq: passage for seq, (_, passage) in read.items()}
    ranking = Ranking(asked, Talk(passages, postings, held.count, held.words, close), policy)
    fed = ranking.feedback_words({seq: words(said[seq].text) for seq in ranking.best()})
    heard = [
        one
        for one in ranking.ranked(fed, held.postings(fed))
        if _bears(one) or one.seq in supported
    ]
    return Quotes(tuple(held.quotes(heard, said)), held.count, len(said))


def _bears(heard: Heard) -> bool:
    """Whether words of the question stand in a passage, around it or in its session."""
    signals = dict(heard.signals)
    return any(signals[name] for name in ("own", "around", "session_best"))


def _passage(said: Said, length: int) -> Passage:
    session = f"{said.thread or said.source}\n{said.session}"
    at = micros(said.at) if said.at else None
    return Passage(session, said.place, said.part, said.speaker, at, length, marks_of(said.text))


def _pool(
    held: _Held,
    postings: Mapping[str, Sequence[tuple[int, int]]],
    close: Mapping[int, int] | None,
    policy: DialoguePolicy,
) -> list[int]:
    """The best by their words and a few of the nearest, with what stands beside them in the ledger."""
    seqs = {seq for found in postings.values() for seq, _ in found}
    rows = {seq: Passage("", 0, length=held.lengths[seq]) for seq in seqs}
    scores = word_scores(postings, Talk(rows, postings, held.count, held.words), policy)
    best = pool_of(scores, held.names(scores), policy.pool)
    if close is not None:
        named = {seq: value for seq, value in close.items() if value}
        best += pool_of(named, held.names(named), policy.pool // NEAREST)
    places = {seq: n for n, seq in enumerate(held.seqs)}
    near = {
        held.seqs[n]
        for seq in best
        for n in range(max(0, places[seq] - NEAR), min(held.count, places[seq] + NEAR + 1))
    }
    return sorted(near)


class _Held:
    """The passages of some classes, as the index has them."""

    def __init__(self, viewing: Viewing, classes: Collection[str]) -> None:
        self.snapshot = viewing.snapshot
        numbers = {viewing.classes[one].number for one in classes}
        self.runs = self.snapshot.index("passage").runs(numbers, viewing.upto)
        self.lengths: dict[int, int] = {}
        for run in self.runs:
            live = np.flatnonzero(run.live)
            sizes = run.take(run.segment.column("length"))[live]
            self.lengths.update(zip(run.seqs(live).tolist(), sizes.tolist(), strict=True))
        self.seqs = sorted(self.lengths)
        self.count, self.words = len(self.seqs), sum(self.lengths.values())

    def postings(self, terms: Iterable[str]) -> dict[str, list[tuple[int, int]]]:
        """For each word the passages that hold it."""
        return {
            term: [one for run in self.runs for one in _posted(run, self.snapshot.term_key(term))]
            for term in terms
        }

    def compared(self, meaning: Meaning | None) -> tuple[dict[int, int] | None, frozenset[int]]:
        """How close each passage is in meaning, and which of them support an answer by it.

        None where nothing is compared, or no passage has a vector in the space; one without a vector has 0.
        """
        if meaning is None or not meaning.vector:
            return None, frozenset()
        from muniment.index.nearness import has_vector, near

        space, scale = str(meaning.space), meaning.calibration
        close: dict[int, int] = {}
        supported: set[int] = set()
        known = False
        for run in self.runs:
            live = np.flatnonzero(run.live)
            known = known or bool(has_vector(run, space)[live].any())
            seqs = run.seqs(live).tolist()
            cosines = near(run, space, meaning.vector).similarity(live).tolist()
            close.update((seq, closeness(c, scale)) for seq, c in zip(seqs, cosines, strict=True))
            supported.update(seq for seq, c in zip(seqs, cosines, strict=True) if support(c, scale))
        return (close, frozenset(supported)) if known else (None, frozenset())

    def names(self, seqs: Iterable[int]) -> dict[int, str]:
        """Identifiers by event, for ties."""
        wanted = np.array(sorted(set(seqs)), np.int64)
        found: dict[int, str] = {}
        for run in self.runs:
            here = run.seqs(np.arange(run.size))
            at = np.flatnonzero(np.isin(here, wanted))
            names = (name.decode("utf-8") for name in run.ids(at).tolist())
            found.update(zip(here[at].tolist(), names, strict=True))
        return found

    def read(self, seqs: Iterable[int]) -> dict[int, tuple[Said, Passage]]:
        """Passages by event, with what ranking reads of them; an erased one is not there.

        They are kept for the next question to the very same state.
        """
        known: dict[int, tuple[Said, Passage]] = self.snapshot.memo.setdefault("passages", {})
        wanted = list(seqs)
        missing = [seq for seq in wanted if seq not in known]
        if len(known) + len(missing) > KEPT:
            known.clear()
            missing = wanted
        for seq, content in self.snapshot.contents(missing).items():
            said = said_from(content)
            known[seq] = (said, _passage(said, self.lengths[seq]))
        return {seq: known[seq] for seq in sorted(wanted) if seq in known}

    def quotes(self, heard: Sequence[Heard], said: Mapping[int, Said]) -> Iterable[Quote]:
        """What was ranked, with sources."""
        names = self.names(one.seq for one in heard)
        docs = {
            source: doc
            for source in {said[one.seq].source for one in heard}
            if (doc := self.snapshot.doc("source", source))
        }
        contents = self.snapshot.contents([doc.seq for doc in docs.values()])
        kept = {
            source: kept_from(contents[doc.seq])
            for source, doc in docs.items()
            if doc.seq in contents
        }
        for one in heard:
            source = said[one.seq].source
            if source in kept:
                yield Quote(names[one.seq], said[one.seq], kept[source], one)


def _posted(run: Run, term: int) -> Iterable[tuple[int, int]]:
    """The passages of one run that hold a word, with how often each does."""
    places, codes = run.cut(*run.segment.postings(term))
    holds = run.live[places]
    places, codes = places[holds], codes[holds]
    sizes, counts = len(run.segment.array("lengths")), run.segment.array("counts")
    return zip(run.seqs(places).tolist(), counts[codes // sizes].tolist(), strict=True)
