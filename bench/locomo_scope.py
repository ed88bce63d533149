"""One conversation of the LoCoMo set as passages: indexed, ranked and rendered with the package's own code.

- A turn's text is its own and, on a line of its own, the caption of its picture; a long one is kept in parts, as an
  imported message is. A turn stands where its best part stands.
- Session, speaker and time stand beside the text, as an imported message has them.
- The rendering is the packet's, with all of its lines; what is counted is the whole text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import numpy as np

from bench.locomo_data import Conversation, Turn
from muniment.core.codec import micros
from muniment.core.dialogue import Heard, Passage, Talk
from muniment.core.dialogue_rank import Ranking
from muniment.core.passage import Kept, Said, parts_of
from muniment.core.question import ask_about, marks_of
from muniment.core.render import Heading, render
from muniment.core.similarity import calibration_of, closeness
from muniment.core.words import words
from muniment.index.vectors import dots, norms, similarity

NOW = datetime(2026, 7, 8, 12, tzinfo=UTC)
SOURCE = "src_01kx0sjsg0e008000000000000"
MISSES = 16
IMAGE = "\n[image: "


def text_of(turn: Turn) -> str:
    """A turn's text as a passage holds it."""
    return f"{turn.text}{IMAGE}{turn.caption}]" if turn.caption else turn.text


class Scope:
    """One conversation, ready to be asked."""

    def __init__(self, conversation: Conversation) -> None:
        self.conversation = conversation
        self.numbers = {turn.id: n for n, turn in enumerate(conversation.turns)}
        self.parts = self._parts()
        self.words = [words(one.text) for one in self.parts]
        self.postings: dict[str, list[tuple[int, int]]] = {}
        for number, held in enumerate(self.words):
            for word, count in Counter(held).items():
                self.postings.setdefault(word, []).append((number, count))
        self.passages = {n: self._passage(n, one) for n, one in enumerate(self.parts)}
        self._vectors: np.ndarray | None = None
        self._tokens: dict[int, int] = {}

    def _parts(self) -> list[Said]:
        places: Counter[int] = Counter()
        found: list[Said] = []
        for number, turn in enumerate(self.conversation.turns):
            text = text_of(turn)
            spans = parts_of(text) or ((0, len(text)),)
            for part, (first, last) in enumerate(spans):
                start = len(found)
                found.append(
                    Said(SOURCE, turn.id, places[turn.session], text[first:last], number + 1, start, start + 1, "",
                         f"session_{turn.session}", turn.speaker, turn.at, part, len(spans))
                )  # fmt: skip
            places[turn.session] += 1
        return found

    def _passage(self, number: int, said: Said) -> Passage:
        at = micros(said.at) if said.at else None
        size, marks = len(self.words[number]), marks_of(said.text)
        return Passage(said.session, said.place, said.part, said.speaker, at, size, marks)

    def similarity(self, query: str) -> dict[int, int]:
        """Closeness by embedding of every part, fixed point."""
        from muniment.embed.static import open_wordllama

        embedder = open_wordllama()
        scale = calibration_of(embedder.space)
        assert scale is not None
        if self._vectors is None:
            texts = [one.text for one in self.parts]
            self._vectors = np.stack([_vector(v) for v in embedder.embed(texts)])
        asked = _vector(embedder.embed([query])[0])
        square = int((asked.astype(np.int64) ** 2).sum())
        cosines = similarity(dots(self._vectors, asked), norms(self._vectors), square)
        return {n: closeness(c, scale) for n, c in enumerate(cosines.tolist())}

    def heard(self, query: str, embedded: bool) -> tuple[Heard, ...]:
        """The parts, ranked."""
        asked = ask_about(query)
        held = {term: self.postings.get(term, ()) for term in asked.terms}
        alike = self.similarity(query) if embedded else None
        total = sum(map(len, self.words))
        ranking = Ranking(asked, Talk(self.passages, held, len(self.words), total, alike))
        fed = ranking.feedback_words({n: self.words[n] for n in ranking.best()})
        return ranking.ranked(fed, {word: self.postings.get(word, ()) for word in fed})

    def turns(self, order: Sequence[int]) -> list[str]:
        """The turns of some parts, each where its best part stands."""
        return list(dict.fromkeys(self.parts[number].message for number in order))

    def packed(
        self, order: Sequence[int], budget: int, count: Callable[[str], int]
    ) -> tuple[list[int], int]:
        """The best parts that fit whole, and the tokens of their rendering.

        Tokens are never added up: the longest beginning of the order that fits is found by halving, then the next
        ones are tried one by one.
        """
        low, high = 0, min(len(order), budget // 10)
        while low < high:
            middle = (low + high + 1) // 2
            if count(self.rendered(order[:middle])) <= budget:
                low = middle
            else:
                high = middle - 1
        chosen = list(order[:low])
        used = count(self.rendered(chosen))
        for one in order[low + 1 : low + 1 + MISSES]:
            if self.tokens_of(one, count) > budget - used:  # its text alone does not fit
                continue
            tried = count(self.rendered([*chosen, one]))
            if tried <= budget:
                chosen, used = [*chosen, one], tried
        return chosen, used

    def rendered(self, chosen: Sequence[int]) -> str:
        """The packet's text with these parts."""
        kept = Kept(SOURCE, "conversation", "conversation.jsonl", "", 0, 0, 0, "user:ada", NOW)
        heading = Heading(
            "answer_questions", "2026-07-08T12:00:00Z", 0, "user:ada", ("conversation:c1",)
        )
        said = [self.parts[one] for one in chosen]
        return render(heading, "no_support", (), (), (), said, {SOURCE: kept})

    def tokens_of(self, number: int, count: Callable[[str], int]) -> int:
        """The tokens of a part's text alone."""
        if number not in self._tokens:
            self._tokens[number] = count(self.parts[number].text)
        return self._tokens[number]


def _vector(given: bytes) -> np.ndarray:
    return np.frombuffer(given, np.int8) if given else np.zeros(256, np.int8)
