"""Find the turns of long conversations that answer a question, on the LoCoMo set.

- The unit is a turn, the scope one conversation; the adversarial category is left out. No language model. A long
  turn is kept in parts, as an imported message is: all that are compared rank the parts, a turn stands where its best
  part stands, and is in a text where that has a part of it.
- A figure is the mean over questions of the share of their evidence found: `recall_at_5`, `recall_at_10`; with
  `ndcg_at_10` and `mrr`. `all_evidence_at_1000_tokens` is the share of questions all of whose evidence stands in the
  compact rendering, whole, within 1,000 o200k tokens that count everything in it.
- Two-fold: weights are chosen on one half of the conversations and reported on the other, both ways, and the two
  are averaged over questions. `shipped` are the weights of the package, which have seen the whole set.
- With `--padded WORDS` every turn stands somewhere in a long message, whose other text was said in other conversations:
  what a long message costs, not what one is like.
- Beside it, in the same run: FTS5 (porter, question words left out), bm25s (its defaults with a stemmer) and the
  embedder alone. What is not installed is named in `left_out`.

    python -m bench.locomo --data ../shared/bench/locomo --json
"""

from __future__ import annotations

import math
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from bench.locomo_data import CATEGORIES, Conversation, Question, load, padded
from bench.locomo_scope import IMAGE, Scope
from bench.report import emit, parser, progress
from muniment.core.dialogue import DIALOGUE_POLICY, NAMES
from muniment.core.words import STOP_WORDS
from muniment.wiring import count_tokens

BUDGET = 1_000
DEEP = 1_000
Order = list[str]
Parts = list[int]
"""Numbers of parts, best first."""


@dataclass(frozen=True)
class Case:
    """A question with its conversation."""

    scope: Scope
    question: Question


def cases(conversations: Sequence[Conversation]) -> list[Case]:
    """Every question that is asked."""
    return [
        Case(scope, question)
        for scope in map(Scope, conversations)
        for question in scope.conversation.questions
        if question.category != "adversarial"
    ]


# --- figures --------------------------------------------------------------------------------------


def figures(found: Sequence[Order], asked: Sequence[Question]) -> dict[str, float]:
    """The means over questions.

    >>> one = Question("?", "temporal", frozenset({"a", "b"}))
    >>> figures([["a", "x", "b"]], [one])["mrr"], figures([["x"]], [one])["recall_at_5"]
    (1.0, 0.0)
    """
    pairs = list(zip(found, asked, strict=True))
    return {
        "recall_at_5": _mean(_recall(order, one.evidence, 5) for order, one in pairs),
        "recall_at_10": _mean(_recall(order, one.evidence, 10) for order, one in pairs),
        "ndcg_at_10": _mean(_gain(order, one.evidence) for order, one in pairs),
        "mrr": _mean(_reciprocal(order, one.evidence) for order, one in pairs),
    }


def _mean(values: Iterator[float]) -> float:
    found = list(values)
    return round(sum(found) / max(len(found), 1), 4)


def _recall(order: Order, evidence: frozenset[str], k: int) -> float:
    return len(evidence.intersection(order[:k])) / len(evidence)


def _gain(order: Order, evidence: frozenset[str]) -> float:
    earned = sum(1 / math.log2(n + 2) for n, one in enumerate(order[:10]) if one in evidence)
    return earned / sum(1 / math.log2(n + 2) for n in range(min(10, len(evidence))))


def _reciprocal(order: Order, evidence: frozenset[str]) -> float:
    return next((1 / n for n, one in enumerate(order, 1) if one in evidence), 0.0)


def by_category(found: Sequence[Order], asked: Sequence[Question]) -> dict[str, Any]:
    """The same for each category."""
    result = {}
    for name in CATEGORIES.values():
        chosen = [(o, q) for o, q in zip(found, asked, strict=True) if q.category == name]
        if chosen:
            orders, questions = zip(*chosen, strict=True)
            result[name] = {"questions": len(chosen), **figures(orders, questions)}
    return result


def told(found: Sequence[Parts], asked: Sequence[Case]) -> dict[str, Any]:
    """All figures of some orders of parts."""
    orders = [case.scope.turns(order) for order, case in zip(found, asked, strict=True)]
    return {**figures(orders, [case.question for case in asked]), **in_budget(found, asked)}


def in_budget(found: Sequence[Parts], asked: Sequence[Case]) -> dict[str, Any]:
    """What the compact rendering holds within the budget, and what it costs beside the texts."""
    count = count_tokens("o200k_base")
    whole, held, overhead = 0, 0, 0.0
    for order, case in zip(found, asked, strict=True):
        chosen, used = case.scope.packed(order, BUDGET, count)
        whole += case.question.evidence <= set(case.scope.turns(chosen))
        held += len(chosen)
        texts = sum(case.scope.tokens_of(one, count) for one in chosen)
        overhead += (used - texts) / max(len(chosen), 1)
    return {
        "all_evidence_at_1000_tokens": round(whole / len(asked), 4),
        "passages_in_1000_tokens": round(held / len(asked), 1),
        "overhead_tokens_per_passage": round(overhead / len(asked), 1),
    }


# --- what it is compared with ---------------------------------------------------------------------


def by_fts5(asked: Sequence[Case]) -> list[Parts]:
    """SQLite's FTS5 with its porter stemmer, on what was said."""
    import apsw

    found, connections = [], {}
    for case in asked:
        scope = case.scope
        if id(scope) not in connections:
            made = connections[id(scope)] = apsw.Connection(":memory:")
            made.execute("CREATE VIRTUAL TABLE turn USING fts5(text, tokenize='porter unicode61')")
            for one in scope.parts:
                said = one.text.split(IMAGE)[0]
                made.execute("INSERT INTO turn(text) VALUES (?)", (said,))
        terms = [w for w in re.findall(r"\w+", case.question.text) if w.lower() not in STOP_WORDS]
        query = " OR ".join(f'"{term}"' for term in terms)
        sql = "SELECT rowid FROM turn WHERE turn MATCH ? ORDER BY bm25(turn), rowid LIMIT ?"
        rows = connections[id(scope)].execute(sql, (query, DEEP)) if terms else ()
        found.append([row[0] - 1 for row in rows])
    return found


def by_bm25s(asked: Sequence[Case]) -> list[Parts]:
    """The library bm25s with its defaults, a stemmer, and speaker and caption in the text."""
    import bm25s
    import Stemmer

    def split(texts: list[str]) -> Any:
        return bm25s.tokenize(texts, stemmer=stemmer, stopwords="en", show_progress=False)

    stemmer, made, found = Stemmer.Stemmer("english"), {}, []
    for case in asked:
        parts = case.scope.parts
        if id(case.scope) not in made:
            index = made[id(case.scope)] = bm25s.BM25()
            index.index(split([f"{one.speaker}: {one.text}" for one in parts]), show_progress=False)
        many = min(DEEP, len(parts))
        rows, _ = made[id(case.scope)].retrieve(
            split([case.question.text]), k=many, show_progress=False
        )
        found.append(rows[0].tolist())
    return found


def by_embedding(asked: Sequence[Case]) -> list[Parts]:
    """The embedder alone, on the texts as passages hold them."""
    found = []
    for case in asked:
        alike = case.scope.similarity(case.question.text)
        found.append(sorted(alike, key=lambda n: (-alike[n], n))[:DEEP])
    return found


COMPARED: tuple[tuple[str, tuple[str, ...], Callable[[Sequence[Case]], list[Parts]]], ...] = (
    ("fts5", ("apsw",), by_fts5),
    ("bm25s", ("bm25s", "Stemmer"), by_bm25s),
    ("embedder", ("wordllama",), by_embedding),
)


# --- weights --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Signals:
    """The signals of every part for one question, where each turn begins, and which turns are its evidence."""

    values: np.ndarray
    starts: np.ndarray
    evidence: np.ndarray

    def best(self, weights: np.ndarray) -> np.ndarray:
        """The score of each turn: that of its best part."""
        return np.maximum.reduceat(self.values @ weights, self.starts)


def signals_of(asked: Sequence[Case], embedded: bool) -> list[Signals]:
    """What ranking reads, before it is weighed."""
    found = []
    for number, case in enumerate(asked, 1):
        heard = case.scope.heard(case.question.text, embedded)
        values = np.zeros((len(case.scope.parts), len(NAMES)), np.float32)
        for hit in heard:
            held = dict(hit.signals)
            values[hit.seq] = [held.get(name, 0) / (1 << 20) for name in NAMES]
        places = [case.scope.numbers[one] for one in case.question.evidence]
        starts = np.flatnonzero([one.part == 0 for one in case.scope.parts])
        found.append(Signals(values, starts, np.array(sorted(places))))
        progress("ranked", number, len(asked))
    return found


def _places(signals: Signals, weights: np.ndarray) -> np.ndarray:
    """The rank of each piece of evidence, ties by number."""
    scores, at = signals.best(weights), signals.evidence
    better = (scores[None, :] > scores[at][:, None]).sum(1)
    level = scores[None, :] == scores[at][:, None]
    return better + (level & (np.arange(len(scores))[None, :] < at[:, None])).sum(1)


def quality(signals: Sequence[Signals], weights: np.ndarray) -> float:
    """What weights are chosen by: recall at 5, 10 and 20."""
    places = [_places(one, weights) for one in signals]
    return float(
        np.mean([0.2 * (p < 5).mean() + 0.5 * (p < 10).mean() + 0.3 * (p < 20).mean() for p in places])
    )  # fmt: skip


def chosen(signals: Sequence[Signals], start: np.ndarray) -> np.ndarray:
    """Weights by coordinate ascent; the first stays as it is, none becomes negative."""
    weights, best = start.copy(), quality(signals, start)
    for step in (0.4, 0.2, 0.1, 0.05):
        for _ in range(2):
            moved = False
            for column in range(1, len(weights)):
                for by in (step, -step):
                    tried = weights.copy()
                    tried[column] = max(0.0, tried[column] + by)
                    found = quality(signals, tried)
                    if found > best + 1e-5:
                        weights, best, moved = tried, found, True
            if not moved:
                break
    return weights


def two_fold(
    asked: Sequence[Case], signals: Sequence[Signals], embedded: bool
) -> tuple[list[Parts], list[dict[str, float]]]:
    """The order of parts for every question, by weights that its half of the conversations has not seen."""
    names = sorted({case.scope.conversation.name for case in asked})
    half = {name: number % 2 for number, name in enumerate(names)}
    start = np.ones(len(NAMES))
    start[-1] = float(embedded)
    orders: list[Parts] = [[] for _ in asked]
    used = []
    for side in (0, 1):
        here = [n for n, case in enumerate(asked) if half[case.scope.conversation.name] != side]
        weights = chosen([signals[n] for n in here], start)
        if not embedded:
            weights[-1] = 0
        used.append({name: round(float(w), 2) for name, w in zip(NAMES, weights, strict=True)})
        for n in set(range(len(asked))) - set(here):
            orders[n] = _order(signals[n], weights)
    return orders, used


def _order(signals: Signals, weights: np.ndarray) -> Parts:
    """Best parts first; of a turn's other parts a share counts, as in `dialogue_rank`."""
    scores = signals.values @ weights
    turns = np.cumsum(np.isin(np.arange(len(scores)), signals.starts)) - 1
    best = np.lexsort((np.arange(len(scores)), -scores, turns))[signals.starts]
    lower = scores * DIALOGUE_POLICY.repeat / 1_000
    lower[best] = scores[best]
    return np.lexsort((np.arange(len(scores)), -lower))[:DEEP].tolist()


def shipped(signals: Sequence[Signals], embedded: bool) -> list[Parts]:
    """The order by the package's weights."""
    weights = np.array([w / 1_000 for _, w in DIALOGUE_POLICY.weights], np.float32)
    weights[-1] *= embedded
    return [_order(one, weights) for one in signals]


def measure(data: Path, words: int) -> dict[str, Any]:
    """Everything, as one JSON value."""
    said = load(data)
    asked = cases(padded(said, words) if words else said)
    embeds = find_spec("wordllama") is not None
    left_out = [name for name, needs, _ in COMPARED if not all(map(find_spec, needs))]
    began = time.perf_counter()
    signals = signals_of(asked, embeds)
    taken = (time.perf_counter() - began) / len(asked)
    found, weights = two_fold(asked, signals, embeds)
    plain, _ = two_fold(asked, signals, False)
    own = shipped(signals, embeds)
    orders = [case.scope.turns(order) for order, case in zip(found, asked, strict=True)]
    result: dict[str, Any] = {
        "questions": len(asked),
        **told(found, asked),
        "by_category": by_category(orders, [case.question for case in asked]),
        "weights": weights,
        "ms_per_question": round(taken * 1_000, 1),
        "without_embedding": told(plain, asked),
        "shipped": told(own, asked),
        "left_out": left_out,
    }
    for name, _, order in COMPARED:
        if name not in left_out:
            result[name] = told(order(asked), asked)
    return result


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print; 2 where the data are not there."""
    made = parser(__doc__)
    made.add_argument("--data", type=Path, default=Path("../shared/bench/locomo"))
    made.add_argument("--padded", type=int, default=0, metavar="WORDS", help="long messages")
    options = made.parse_args(argv)
    if not (options.data / "locomo10.json").is_file():
        print(f"no locomo10.json in {options.data}: name its folder with --data", file=sys.stderr)
        return 2
    frame = {"measurement": "locomo", "padded": options.padded}
    emit({**frame, **measure(options.data, options.padded)}, options.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
