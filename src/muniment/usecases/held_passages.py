"""The passages of some classes as the index has them: their words, their lengths, and which are worth reading.

- Of a hundred thousand passages a question reads a few hundred: the best by their words are found over columns, with
  the very numbers of `core.dialogue.word_scores`, and ties go by name.
- Of the rest it is known only how many hold a word (`Posted`).
- What is worked out of a state is kept for the next question to it.

How what was read is ranked is `core.dialogue_rank`'s matter.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, overload

import numpy as np

from muniment.core.codec import micros
from muniment.core.dialogue import (
    DIALOGUE_POLICY,
    DialoguePolicy,
    Heard,
    Passage,
    length_share,
    rarity,
)
from muniment.core.dialogue_rank import pool_of
from muniment.core.passage import Said, kept_from, said_from
from muniment.core.question import marks_of
from muniment.core.quote import Quote
from muniment.core.ranking import ONE
from muniment.core.similarity import closeness, support
from muniment.index.selection import Run
from muniment.index.table import Array
from muniment.usecases.embedding import Meaning
from muniment.usecases.viewing import Viewing

KEPT = 20_000
"""Passages that are kept for the next question, at most."""
LISTS_KEPT = 8
"""Sets of classes of which the passages' lengths are kept."""
POOLED_BY_MEANING = 4
"""One in so many of the pool is taken for its meaning, beside those for their words."""


class Posted(Sequence[tuple[int, int]]):
    """The passages that hold a word: those that are read, one by one; its length counts all of them.

    >>> posted = Posted(((7, 1),), 3)
    >>> len(posted), list(posted)
    (3, [(7, 1)])
    """

    def __init__(self, read: Sequence[tuple[int, int]], size: int) -> None:
        self._read, self._size = read, size

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return iter(self._read)

    @overload
    def __getitem__(self, at: int) -> tuple[int, int]: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[tuple[int, int]]: ...
    def __getitem__(self, at: int | slice) -> Any:
        return self._read[at]


class Held:
    """The passages of some classes.

    Attributes:
        seqs: Their events, ascending.
        lengths: The words of each.
        count: How many there are.
        words: How many words they have together.
    """

    def __init__(self, viewing: Viewing, classes: Collection[str]) -> None:
        self.snapshot = viewing.snapshot
        numbers = {viewing.classes[one].number for one in classes}
        self.runs = self.snapshot.index("passage").runs(numbers, viewing.upto)
        self.seqs, self.lengths = self._listed((frozenset(numbers), viewing.upto))
        self.count, self.words = len(self.seqs), int(self.lengths.sum())
        self._found: dict[str, tuple[Array, Array]] = {}

    def _listed(self, place: tuple[Any, ...]) -> tuple[Array, Array]:
        """Events and lengths; the same for every question to this state."""
        kept: dict[Any, tuple[Array, Array]] = self.snapshot.memo.setdefault("passages held", {})
        found = kept.get(place)
        if found is None:
            live = [np.flatnonzero(run.live) for run in self.runs]
            seqs = [run.seqs(at) for run, at in zip(self.runs, live, strict=True)]
            sizes = [
                run.take(run.segment.column("length"))[at].astype(np.int64)
                for run, at in zip(self.runs, live, strict=True)
            ]
            every = np.concatenate([np.empty(0, np.int64), *seqs])
            order = np.argsort(every, kind="stable")
            lengths = np.concatenate([np.empty(0, np.int64), *sizes])
            found = kept[place] = (every[order], lengths[order])
            while len(kept) > LISTS_KEPT:
                kept.pop(next(iter(list(kept)), None), None)  # another thread may have been first
        return found

    def _holding(self, term: str) -> tuple[Array, Array]:
        """The passages that hold a word, and how often each does."""
        found = self._found.get(term)
        if found is None:
            key = self.snapshot.term_key(term)
            parts = [_posted(run, key) for run in self.runs]
            none = np.empty(0, np.int64)
            found = self._found[term] = (
                np.concatenate([none, *(seqs for seqs, _ in parts)]),
                np.concatenate([none, *(counts for _, counts in parts)]),
            )
        return found

    def postings(self, terms: Iterable[str], among: Iterable[int]) -> dict[str, Posted]:
        """For each word the passages that hold it, among those that are read."""
        read = np.array(sorted(among), np.int64)
        found = {}
        for term in terms:
            seqs, counts = self._holding(term)
            here = _among(seqs, read)
            pairs = zip(seqs[here].tolist(), counts[here].tolist(), strict=True)
            found[term] = Posted(tuple(pairs), len(seqs))
        return found

    # --- which are worth reading ---

    def best_by_words(
        self, terms: Sequence[str], policy: DialoguePolicy = DIALOGUE_POLICY
    ) -> tuple[int, ...]:
        """The pool of the best by their words, best first, ties by name: as `word_scores` and `pool_of` find it."""
        held = {term: self._holding(term) for term in dict.fromkeys(terms)}
        weights = {term: rarity(self.count, len(seqs)) for term, (seqs, _) in held.items()}
        average = max(self.words / max(self.count, 1), 1.0)
        k1, b = policy.k1 / 1_000, length_share(self.words / max(self.count, 1), policy)
        earned, touched = np.zeros(self.count, np.int64), np.zeros(self.count, np.bool_)
        for term, (seqs, counts) in held.items():
            at = np.searchsorted(self.seqs, seqs)
            slack = k1 * (1 - b + b * self.lengths[at].astype(np.float64) / average)
            share = counts / (counts + slack)
            earned[at] += np.floor(weights[term] * share + 0.5).astype(np.int64)
            touched[at] = True
        scores = earned * ONE // (sum(weights.values()) or 1)
        return self._best(np.flatnonzero(touched), scores, policy.pool)

    def best_by_meaning(
        self, close: Mapping[int, int], policy: DialoguePolicy = DIALOGUE_POLICY
    ) -> tuple[int, ...]:
        """Some of the nearest by embedding."""
        scores = np.zeros(self.count, np.int64)
        scores[np.searchsorted(self.seqs, np.array(list(close), np.int64))] = list(close.values())
        return self._best(np.flatnonzero(scores), scores, policy.pool // POOLED_BY_MEANING)

    def _best(self, among: Array, scores: Array, count: int) -> tuple[int, ...]:
        if len(among) > count > 0:
            chosen = scores[among]
            among = among[chosen >= np.partition(chosen, len(chosen) - count)[len(chosen) - count]]
        named = dict(zip(self.seqs[among].tolist(), scores[among].tolist(), strict=True))
        return pool_of(named, self.names(named), count)

    def around(self, seqs: Iterable[int], near: int) -> list[int]:
        """Some passages and those that stand beside them in the ledger."""
        at = np.searchsorted(self.seqs, np.array(sorted(seqs), np.int64))
        places = (at[:, None] + np.arange(-near, near + 1)).reshape(-1)
        inside = places[(places >= 0) & (places < self.count)]
        return [int(one) for one in self.seqs[np.unique(inside)]]

    # --- meaning ---

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

    # --- reading ---

    def names(self, seqs: Iterable[int]) -> dict[int, str]:
        """Identifiers by event, for ties."""
        wanted = np.array(sorted(set(seqs)), np.int64)
        found: dict[int, str] = {}
        for run in self.runs:
            here = run.seqs(np.arange(run.size))
            at = np.flatnonzero(_among(here, wanted))
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
            known[seq] = (said, _passage(said, self._length(seq)))
        return {seq: known[seq] for seq in sorted(wanted) if seq in known}

    def _length(self, seq: int) -> int:
        return int(self.lengths[np.searchsorted(self.seqs, seq)])

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


def _passage(said: Said, length: int) -> Passage:
    session = f"{said.thread or said.source}\n{said.session}"
    at = micros(said.at) if said.at else None
    return Passage(session, said.place, said.part, said.speaker, at, length, marks_of(said.text))


def _posted(run: Run, term: int) -> tuple[Array, Array]:
    """The passages of one run that hold a word, with how often each does."""
    places, codes = run.cut(*run.segment.postings(term))
    if not run.is_whole:
        holds = run.live[places]
        places, codes = places[holds], codes[holds]
    sizes, counts = len(run.segment.array("lengths")), run.segment.array("counts")
    return run.seqs(places), counts[codes // sizes].astype(np.int64)


def _among(values: Array, wanted: Array) -> Array:
    """Which values are among some ascending ones."""
    if not len(wanted):
        return np.zeros(len(values), np.bool_)
    at = np.minimum(wanted.searchsorted(values), len(wanted) - 1)
    found: Array = wanted[at] == values
    return found
