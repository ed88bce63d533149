r"""Which messages of conversations answer a question: words, and what stands around them.

- A message is read in its conversation: the messages before and after it, and its session, count beside its own words.
- Who said it, when, and whether it holds the kind of thing that is asked for, count too (`question`).
- Words of the best messages that the question does not hold count a little (pseudo-relevance feedback).
- A long message is kept in parts: it counts by the part and as a whole, and is represented by its best part.
- Length counts more the longer the texts are that are stored, and neighbours count less.
- Signals are shares in [0, 1], in fixed point, added with weights: order-free, the same in every process.
- Statistics come from the passages that may be seen; what may not be seen has no weight (`B-FILTERFIRST`).

Which passages may be seen is settled before; how the signals are read from them is `dialogue_rank`'s matter.

>>> passages = {n: Passage("s", n, length=size) for n, size in enumerate((4, 4, 40))}
>>> talk = Talk(passages, {"leed": [(0, 1), (2, 1)]}, 3, 48)
>>> scores = word_scores(("leed", "oslo"), talk)
>>> scores[0] > scores[2], 1 in scores
(True, False)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from muniment.core.canonical import digest
from muniment.core.encode import encode
from muniment.core.ranking import ONE, Component

Postings = Mapping[str, Sequence[tuple[int, int]]]

SIGNALS = (
    Component("own", "BM25's share of the question's words, by rarity, in the passage and in its whole message"),
    Component("around", "the same of the two messages before and the two after, nearest first"),
    Component("session_best", "the same of the best message of its session"),
    Component("session", "the same of its session, taken as one text"),
    Component("speaker", "1 where the question names who said it"),
    Component("date", "how well its time fits a time that the question names"),
    Component("kind", "1 where it tells a time or place that is asked for; less for a number"),
    Component("statement", "1 where it does not end with a question"),
    Component("feedback", "share of the words, by weight, that the best messages hold beside the question's"),
    Component("similarity", "embedding similarity of the message and of those around it, nearest first"),
)  # fmt: skip
NAMES = tuple(signal.name for signal in SIGNALS)


@dataclass(frozen=True, slots=True)
class DialoguePolicy:
    """Everything that decides an order of passages, as data.

    Attributes:
        name: What the policy is called.
        version: Raised with every change of a number below or of the patterns behind a signal.
        weights: For each signal its weight, thousandths.
        k1: BM25's saturation, thousandths.
        b_short: BM25's length normalisation where texts have `short` words on average, thousandths.
        b_long: The same where they have `long` words; between, it rises with the logarithm.
        short: Words.
        long: Words.
        before: Weights of the message before and of the one before that, thousandths.
        after: Weights of the message after and of the one after that, thousandths.
        answers: Factor on the message before where that asks, thousandths.
        asks: Factor on the message after where the message itself asks, thousandths.
        nearby: Weights of similarity one and two messages away, thousandths.
        number: What holding a number that is asked for counts, thousandths.
        feedback_from: How many of the best messages feed back.
        feedback_words: How many of their words count.
        feedback_tried: How many of their words are looked up at most, to find those.
        feedback_share: A word that more than one in so many passages hold does not count.
        repeat: What another part of a message keeps of its relevance, thousandths.
        whole: Up to so many passages in scope are all scored; of more, those in the pool.
        pool: So many of the best by their words make the pool, with the messages around them.
    """

    name: str = "dialogue"
    version: int = 1
    weights: tuple[tuple[str, int], ...] = (
        ("own", 1_000),
        ("around", 1_300),
        ("session_best", 600),
        ("session", 300),
        ("speaker", 400),
        ("date", 800),
        ("kind", 200),
        ("statement", 100),
        ("feedback", 500),
        ("similarity", 1_000),
    )
    k1: int = 900
    b_short: int = 400
    b_long: int = 900
    short: int = 25
    long: int = 425
    before: tuple[int, int] = (450, 400)
    after: tuple[int, int] = (400, 200)
    answers: int = 1_500
    asks: int = 400
    nearby: tuple[int, int] = (700, 490)
    number: int = 600
    feedback_from: int = 15
    feedback_words: int = 15
    feedback_share: int = 10
    feedback_tried: int = 120
    repeat: int = 500
    whole: int = 2_000
    pool: int = 200

    @property
    def digest(self) -> str:
        """What a record of a retrieval names, so that it can be told whether it still holds."""
        return digest({"policy": encode(self), "signals": list(NAMES)})


DIALOGUE_POLICY = DialoguePolicy()


@dataclass(frozen=True, slots=True)
class Passage:
    """What ranking reads of one passage.

    Attributes:
        session: Key of the session that it stands in.
        place: Number of its message in the session.
        part: Number of the part in the message.
        speaker: Who said it; empty where that is not known.
        at: When, microseconds; None where that is not known.
        length: Its words.
        marks: What its text holds (`question.marks_of`).
    """

    session: str
    place: int
    part: int = 0
    speaker: str = ""
    at: int | None = None
    length: int = 0
    marks: int = 0


@dataclass(frozen=True, slots=True)
class Talk:
    """What may be seen in scope, as far as it is read.

    Attributes:
        passages: Event number to passage: all, or the pool (`pool_of`) with what stands around it.
        postings: Word of the question to (event number, count) of the passages that hold it.
        count: How many passages may be seen.
        words: How many words they have together.
        similarity: Event number to embedding similarity, fixed point; None where no embedding was asked.
    """

    passages: Mapping[int, Passage]
    postings: Postings
    count: int
    words: int
    similarity: Mapping[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Heard:
    """A passage with its relevance.

    Attributes:
        seq: Its event number.
        relevance: Fixed point, 0 to `ONE`: the share of what a perfect match would earn.
        signals: Name to fixed-point value.
    """

    seq: int
    relevance: int
    signals: tuple[tuple[str, int], ...] = ()


# --- words ----------------------------------------------------------------------------------------


def rarity(count: int, frequency: int) -> int:
    """The weight of a word (Robertson and Sparck Jones, never negative), fixed point.

    >>> rarity(100, 1) > rarity(100, 50) > rarity(100, 100) > 0
    True
    """
    held = max(frequency, 1)
    return math.floor(math.log1p((max(count, held) - held + 0.5) / (held + 0.5)) * ONE + 0.5)


def length_share(average: float, policy: DialoguePolicy = DIALOGUE_POLICY) -> float:
    """BM25's b for texts of so many words on average.

    >>> [round(length_share(words), 2) for words in (5, 25, 100, 425, 9_000)]
    [0.4, 0.4, 0.64, 0.9, 0.9]
    """
    reach = math.log(max(average, 1.0) / policy.short) / math.log(policy.long / policy.short)
    return (policy.b_short + (policy.b_long - policy.b_short) * min(1.0, max(0.0, reach))) / 1_000


def closeness(average: float, policy: DialoguePolicy = DIALOGUE_POLICY) -> int:
    """How much what stands around a message counts, fixed point: less where messages are long.

    >>> [round(closeness(words) / ONE, 2) for words in (10, 25, 100, 400)]
    [1.0, 1.0, 0.5, 0.25]
    """
    return math.floor(min(1.0, math.sqrt(policy.short / max(average, 1.0))) * ONE + 0.5)


def saturated(
    weights: Mapping[str, int],
    counts: Mapping[str, Mapping[int, int]],
    lengths: Mapping[int, int],
    average: float,
    policy: DialoguePolicy = DIALOGUE_POLICY,
) -> dict[int, int]:
    """BM25 as a share of the most that it can earn, fixed point, of every text that holds a word.

    Args:
        weights: Word to its weight.
        counts: Word to text to how often the text holds it.
        lengths: Text to its words; others are not scored.
        average: Mean words of a text.
        policy: The numbers.
    """
    k1, b, total = policy.k1 / 1_000, length_share(average, policy), sum(weights.values()) or 1
    found: dict[int, int] = {}
    for word, weight in weights.items():
        for text, count in counts.get(word, {}).items():
            if text in lengths:
                slack = k1 * (1 - b + b * lengths[text] / max(average, 1.0))
                earned = math.floor(weight * (count / (count + slack)) + 0.5)
                found[text] = found.get(text, 0) + earned
    return {text: earned * ONE // total for text, earned in found.items()}


def word_scores(
    terms: Iterable[str], talk: Talk, policy: DialoguePolicy = DIALOGUE_POLICY
) -> dict[int, int]:
    """The words' share of every passage that holds one, whether or not it has been read."""
    weights = {term: rarity(talk.count, len(talk.postings.get(term, ()))) for term in terms}
    counts = {term: dict(talk.postings.get(term, ())) for term in weights}
    lengths = {seq: passage.length for seq, passage in talk.passages.items()}
    return saturated(weights, counts, lengths, talk.words / max(talk.count, 1), policy)
