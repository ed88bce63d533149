"""Rank the passages of conversations for a question, by themselves and by what stands around them.

- Every signal is an integer share of `ONE`; their weighted mean is the relevance (`dialogue.SIGNALS`).
- A word of the question that names a speaker of the conversation tells who is meant, and is no word to look for.
- Words of the best passages feed back once, and only words that few passages hold.
- A message of several parts stands in the order by its best part; its other parts follow at a part of that.
- Ties go by session, message and part, never by the order in which a store holds things.

The numbers are `dialogue`'s, what a question asks for is `question`'s matter.

>>> said = ("Where did you get the lamp?", "In Leeds, from my aunt.", "Nice weather today.")
>>> passages = {n: Passage("s", n, 0, "ab"[n % 2], None, 5, marks_of(t)) for n, t in enumerate(said)}
>>> talk = Talk(passages, {"get": [(0, 1)], "lamp": [(0, 1)]}, 3, 15)
>>> [hit.seq for hit in Ranking(ask_about("Where did b get the lamp?"), talk).ranked()]
[1, 0, 2]
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from muniment.core.codec import from_micros
from muniment.core.dialogue import (
    DIALOGUE_POLICY,
    DialoguePolicy,
    Heard,
    Passage,
    Postings,
    Talk,
    closeness,
    rarity,
    saturated,
    word_scores,
)
from muniment.core.question import (
    ASKS,
    ENDS_ASKING,
    NUMBER,
    PLACE,
    TIME,
    Asked,
    ask_about,
    is_meant,
    marks_of,
    name_words,
    nearness,
)
from muniment.core.ranking import ONE
from muniment.core.words import STOP_WORDS

_ = (ask_about, marks_of, Passage)  # named by the doctest

Key = tuple[str, int]


class Ranking:
    """One question over what may be seen of some conversations."""

    def __init__(self, asked: Asked, talk: Talk, policy: DialoguePolicy = DIALOGUE_POLICY) -> None:
        """Score words; nothing else is read yet.

        Args:
            asked: The question.
            talk: What may be seen; `passages` must hold all parts of a message or none.
            policy: The numbers.
        """
        self.asked, self.talk, self.policy = asked, talk, policy
        self.parts: dict[Key, list[int]] = {}
        for seq in sorted(talk.passages):
            passage = talk.passages[seq]
            self.parts.setdefault((passage.session, passage.place), []).append(seq)
        self.lengths = {
            key: sum(talk.passages[seq].length for seq in parts)
            for key, parts in self.parts.items()
        }
        self.average = sum(self.lengths.values()) / max(len(self.lengths), 1)
        self.close = closeness(self.average, policy)
        self.speakers = {passage.speaker for passage in talk.passages.values()}
        self.meant = {speaker for speaker in self.speakers if is_meant(asked, speaker)}
        self.names = frozenset(word for s in self.speakers for word in name_words(s))
        terms = tuple(term for term in asked.terms if term not in self.names)
        self.terms = terms or asked.terms
        self.messages = self._messages()
        self.own = self._own()
        self.around = {key: self._around(key) for key in self.parts}

    # --- words ---

    def _messages(self) -> dict[Key, int]:
        """The words' share of every whole message."""
        weights = {
            term: rarity(self.talk.count, len(self.talk.postings.get(term, ())))
            for term in self.terms
        }
        keys = {seq: key for key, parts in self.parts.items() for seq in parts}
        first = {key: parts[0] for key, parts in self.parts.items()}
        counts = _summed(self.terms, self.talk.postings, {s: first[k] for s, k in keys.items()})
        lengths = {first[key]: length for key, length in self.lengths.items()}
        found = saturated(weights, counts, lengths, self.average, self.policy)
        return {key: found.get(seq, 0) for key, seq in first.items()}

    def _own(self) -> dict[int, int]:
        """A passage by itself, and in equal measure its whole message where it is a part of one."""
        alone = word_scores(self.terms, self.talk, self.policy)
        found = {}
        for key, parts in self.parts.items():
            for seq in parts:
                part = alone.get(seq, 0)
                found[seq] = part if len(parts) == 1 else (part + self.messages[key]) // 2
        return found

    def _around(self, key: Key) -> int:
        """The words of the messages before and after."""
        (session, place), policy = key, self.policy
        before, after = list(policy.before), list(policy.after)
        most = before[0] * policy.answers // 1_000 + before[1] + sum(after)
        if self._asks((session, place - 1)):
            before[0] = before[0] * policy.answers // 1_000
        if self._asks(key):
            after[0] = after[0] * policy.asks // 1_000
        places = ((-1, before[0]), (-2, before[1]), (1, after[0]), (2, after[1]))
        found = sum(self.messages.get((session, place + by), 0) * w for by, w in places)
        return min(ONE, found // most) * self.close // ONE

    def _asks(self, key: Key) -> bool:
        return any(self.talk.passages[seq].marks & ASKS for seq in self.parts.get(key, ()))

    def _sessions(self) -> dict[str, tuple[int, int]]:
        """Of every session the best message, and the words' share of the whole."""
        numbers: dict[str, int] = {}
        best: dict[str, int] = {}
        lengths: dict[int, int] = {}
        for key, share in self.messages.items():
            number = numbers.setdefault(key[0], len(numbers))
            best[key[0]] = max(best.get(key[0], 0), share)
            lengths[number] = lengths.get(number, 0) + self.lengths[key]
        of = {seq: numbers[key[0]] for key, parts in self.parts.items() for seq in parts}
        counts = _summed(self.terms, self.talk.postings, of)
        weights = {term: rarity(len(numbers), len(counts[term])) for term in self.terms}
        average = sum(lengths.values()) / max(len(lengths), 1)
        whole = saturated(weights, counts, lengths, average, self.policy)
        some = (ONE + self.close) // 2
        return {
            session: (best[session] * some // ONE, whole.get(number, 0) * some // ONE)
            for session, number in numbers.items()
        }

    # --- feedback ---

    def best(self) -> tuple[int, ...]:
        """The passages whose words feed back."""
        near = {seq: self.around[key] for key, parts in self.parts.items() for seq in parts}
        order = sorted(
            (seq for seq, share in self.own.items() if share),
            key=lambda seq: (-self.own[seq] - near[seq] // 2, self._place(seq)),
        )
        return tuple(order[: self.policy.feedback_from])

    def feedback_words(self, texts: Mapping[int, Sequence[str]]) -> dict[str, int]:
        """The words that may feed back, with the relevance of the passages that hold them.

        Args:
            texts: The words of each of `best`.
        """
        held: dict[str, int] = {}
        not_these = STOP_WORDS | self.asked.words | self.names
        for seq, text in texts.items():
            for word in set(text) - not_these:
                held[word] = held.get(word, 0) + self.own[seq]
        order = sorted(held, key=lambda word: (-held[word], word))
        return {word: held[word] for word in order[: self.policy.feedback_tried]}

    def _fed_back(self, words: Mapping[str, int], postings: Postings) -> dict[int, int]:
        frequency = {word: len(postings.get(word, ())) for word in words}
        weights = {
            word: held * rarity(self.talk.count, frequency[word]) // ONE
            for word, held in words.items()
            if frequency[word] * self.policy.feedback_share < self.talk.count
        }
        kept = sorted(weights, key=lambda word: (-weights[word], word))
        kept = kept[: self.policy.feedback_words]
        counts = {word: dict(postings.get(word, ())) for word in kept}
        lengths = {seq: passage.length for seq, passage in self.talk.passages.items()}
        average = self.talk.words / max(self.talk.count, 1)
        chosen = {word: weights[word] for word in kept}
        return saturated(chosen, counts, lengths, average, self.policy)

    # --- all signals ---

    def ranked(
        self, words: Mapping[str, int] | None = None, postings: Postings | None = None
    ) -> tuple[Heard, ...]:
        """Every passage that was read, best first.

        Args:
            words: What `feedback_words` gave; None for no feedback.
            postings: Their postings, of what may be seen.
        """
        fed = self._fed_back(words or {}, postings or {})
        sessions, alike = self._sessions(), self._alike()
        found: list[Heard] = []
        for key, parts in self.parts.items():
            best, whole = sessions[key[0]]
            shared = {"around": self.around[key], "session_best": best, "session": whole}
            heard = [self._heard(seq, shared, fed, alike) for seq in parts]
            found += self._represented(heard)
        return tuple(sorted(found, key=lambda hit: (-hit.relevance, self._place(hit.seq))))

    def _heard(
        self,
        seq: int,
        shared: Mapping[str, int],
        fed: Mapping[int, int],
        alike: Mapping[int, int] | None,
    ) -> Heard:
        passage = self.talk.passages[seq]
        signals = {
            "own": self.own[seq],
            **shared,
            "speaker": ONE if passage.speaker in self.meant else 0,
            "date": self._date(passage),
            "kind": self._kind(passage),
            "statement": 0 if passage.marks & ENDS_ASKING else ONE,
            "feedback": fed.get(seq, 0),
        }
        if alike is not None:
            signals["similarity"] = alike[seq]
        weights = [(name, weight) for name, weight in self.policy.weights if name in signals]
        total = sum(weight * signals[name] for name, weight in weights)
        share = total // sum(weight for _, weight in weights)
        return Heard(seq, share, tuple((name, signals[name]) for name, _ in weights))

    def _represented(self, parts: list[Heard]) -> Iterable[Heard]:
        """The parts of one message: the best as it is, the others lower."""
        order = sorted(parts, key=lambda hit: (-hit.relevance, self._place(hit.seq)))
        yield order[0]
        for hit in order[1:]:
            lower = hit.relevance * self.policy.repeat // 1_000
            yield Heard(hit.seq, lower, hit.signals)

    def _date(self, passage: Passage) -> int:
        if passage.at is None or not self.asked.times:
            return 0
        told = from_micros(passage.at)
        return max(nearness(span, told) for span in self.asked.times) * ONE // 4

    def _kind(self, passage: Passage) -> int:
        told = passage.marks & self.asked.kinds
        if told & (TIME | PLACE):
            return ONE
        return ONE * self.policy.number // 1_000 if told & NUMBER else 0

    def _alike(self) -> dict[int, int] | None:
        """Embedding similarity of each passage and of the messages around it."""
        given = self.talk.similarity
        if given is None:
            return None
        whole = {
            key: sum(max(0, given.get(seq, 0)) for seq in parts) // len(parts)
            for key, parts in self.parts.items()
        }
        found = {}
        for (session, place), parts in self.parts.items():
            total, weight = 0, 1_000
            for step, share in enumerate(self.policy.nearby, 1):
                for other in ((session, place - step), (session, place + step)):
                    if other in whole:
                        part = share * self.close // ONE
                        total, weight = total + whole[other] * part, weight + part
            for seq in parts:
                one = (max(0, given.get(seq, 0)) + whole[session, place]) // 2
                found[seq] = min(ONE, (one * 1_000 + total) // weight)
        return found

    def _place(self, seq: int) -> tuple[str, int, int]:
        passage = self.talk.passages[seq]
        return passage.session, passage.place, passage.part


def _summed(
    terms: Iterable[str], postings: Postings, into: Mapping[int, int]
) -> dict[str, dict[int, int]]:
    """Counts of words, added up over the texts that several passages make."""
    found: dict[str, dict[int, int]] = {}
    for term in terms:
        counts = found.setdefault(term, {})
        for seq, count in postings.get(term, ()):
            if seq in into:
                counts[into[seq]] = counts.get(into[seq], 0) + count
    return found


def pool_of(scores: Mapping[int, int], names: Mapping[int, str], count: int) -> tuple[int, ...]:
    """The best of some passages, where there are too many to read all; ties go by name.

    >>> pool_of({1: 5, 2: 9, 3: 9}, {1: "a", 2: "c", 3: "b"}, 2)
    (3, 2)
    """
    return tuple(sorted(scores, key=lambda seq: (-scores[seq], names[seq]))[:count])
