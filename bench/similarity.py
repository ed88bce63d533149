"""How close unrelated texts and answers lie in the default embedding's space, and how well it finds answers.

python -m bench.similarity --locomo ../shared/bench/locomo --json

- `unrelated` are pairs of a question and a text that has nothing to do with it: questions of one conversation and
  messages of the others (LoCoMo), questions that a repository does not answer and its claims (tests/data), the
  probes of `core.similarity`. Their 99.9th percentile is where support by embedding begins.
- `answers` are pairs of a question and what answers it.
- Limits: one model, English, short texts. LoCoMo is not part of the project (CC BY-NC 4.0); without it the
  repository's own questions are measured alone.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from bench import report
from muniment.core.similarity import (
    ONE,
    QUESTIONS,
    STATEMENTS,
    Calibration,
    calibrated,
    calibration_of,
    support,
)
from muniment.embed.opening import open_embedder
from muniment.index.vectors import dots, norms, similarity, top
from muniment.ports.embedding import Embedder

DATA = Path(__file__).resolve().parents[1] / "tests" / "data" / "recall_questions.yaml"
PERCENTILES = (1, 25, 50, 75, 99, 99.9, 99.99)


def matrix(embedder: Embedder, texts: Sequence[str]) -> Any:
    """Vectors as rows; zeros for a text without one."""
    width = embedder.space.dimension
    joined = b"".join(vector or bytes(width) for vector in embedder.embed(texts))
    return np.frombuffer(joined, np.int8).reshape(-1, width)


def cosines(questions: Any, texts: Any) -> Any:
    """Fixed-point cosines, a row a question."""
    lengths = norms(texts)
    each = [similarity(dots(texts, q), lengths, int(norms(q[None])[0])) for q in questions]
    return np.array(each)


def spread(values: Iterable[Any], calibration: Calibration) -> dict[str, Any]:
    """What a set of cosines looks like."""
    found = np.concatenate([np.ravel(value) for value in values])
    return {
        "pairs": len(found),
        "mean": round(float(found.mean()) / ONE, 4),
        "deviation": round(float(found.std()) / ONE, 4),
        "percentiles": {
            str(p): round(float(np.percentile(found, p)) / ONE, 3) for p in PERCENTILES
        },
        "supported": round(float(np.mean(found > calibration.noise)), 6),
        "half_supported": round(
            float(np.mean(found >= (calibration.noise + calibration.sure) // 2)), 6
        ),
    }


def repository(embedder: Embedder, calibration: Calibration) -> dict[str, Any]:
    """The claims and questions of one repository."""
    given = yaml.safe_load(DATA.read_text(encoding="utf-8"))
    names, questions = list(given["claims"]), given["questions"]
    found = cosines(
        matrix(embedder, [question["ask"] for question in questions]),
        matrix(embedder, [given["claims"][name]["text"] for name in names]),
    )
    places = [[names.index(answer) for answer in question["answers"]] for question in questions]
    asked = [(row, place) for row, place in zip(found, places, strict=True) if place]
    first = [set(top(row, 1, np.arange(len(row))).tolist()) & set(place) for row, place in asked]
    nothing = [row for row, place in zip(found, places, strict=True) if not place]
    return {
        "answers": spread([row[place] for row, place in asked], calibration),
        "unrelated": spread(nothing, calibration),
        "nearest_of_unanswerable": spread([row.max() for row in nothing], calibration),
        "hit_at_1": round(sum(map(bool, first)) / len(first), 4),
    }


def conversations(folder: Path) -> list[tuple[list[str], list[str], list[tuple[str, list[int]]]]]:
    """LoCoMo's conversations: names and texts of their messages, questions with the places of their evidence."""
    found = []
    for each in json.loads((folder / "locomo10.json").read_text(encoding="utf-8")):
        sessions = {
            k: v for k, v in each["conversation"].items() if re.fullmatch(r"session_\d+", k)
        }
        turns = [turn for session in sessions.values() for turn in session]
        names = [turn["dia_id"] for turn in turns]
        texts = [f"{t['speaker']}: {t['text']} {t.get('blip_caption', '')}" for t in turns]
        questions = []
        for question in each["qa"]:
            named = re.findall(r"D\d+:\d+", " ".join(question["evidence"]).replace("D:", "D"))
            places = sorted({names.index(name) for name in named if name in names})
            if places and question["category"] != 5:
                questions.append((question["question"], places))
        found.append((names, texts, questions))
    return found


def locomo(embedder: Embedder, calibration: Calibration, folder: Path) -> dict[str, Any]:
    """Turn-level evidence recall of the embedding alone, and pairs across conversations."""
    given = conversations(folder)
    texts = [matrix(embedder, turns) for _, turns, _ in given]
    asked = [matrix(embedder, [question for question, _ in questions]) for *_, questions in given]
    recalled, ranks, evidence, unrelated = [], [], [], []
    for own, (_, turns, questions) in enumerate(given):
        for row, (_, places) in zip(cosines(asked[own], texts[own]), questions, strict=True):
            order = top(row, len(turns), np.arange(len(turns))).tolist()
            recalled.append([len(set(order[:k]) & set(places)) / len(places) for k in (5, 10)])
            ranks.append(1 / (1 + min(map(order.index, places))))
            evidence.append(row[places])
        unrelated += [
            cosines(asked[own], texts[other]) for other in range(len(given)) if other != own
        ]
    return {
        "questions": len(ranks),
        "recall_at_5": round(float(np.mean([r[0] for r in recalled])), 4),
        "recall_at_10": round(float(np.mean([r[1] for r in recalled])), 4),
        "mrr": round(float(np.mean(ranks)), 4),
        "answers": spread(evidence, calibration),
        "unrelated": spread(unrelated, calibration),
    }


def speed(embedder: Embedder) -> dict[str, Any]:
    """Texts a second, of the statements repeated with a number each so that no text is the same."""
    texts = [f"{text} {number}" for number in range(100) for text in STATEMENTS]
    started = time.perf_counter()
    embedder.embed(texts)
    return {"texts": len(texts), "per_s": round(len(texts) / (time.perf_counter() - started))}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and print."""
    parser = report.parser(__doc__)
    parser.add_argument("--embedder", default="wordllama", help="what to measure")
    parser.add_argument("--locomo", type=Path, help="the folder of locomo10.json")
    given = parser.parse_args(arguments)
    started = time.perf_counter()
    embedder = open_embedder(given.embedder)
    if embedder is None:
        parser.error("nothing embeds")
    opened = time.perf_counter() - started
    probed = calibrated(embedder.space, embedder.embed(QUESTIONS), embedder.embed(STATEMENTS))
    calibration = calibration_of(embedder.space) or probed
    result: dict[str, Any] = {
        "measurement": "similarity",
        "space": str(embedder.space),
        "open_ms": round(opened * 1_000, 1),
        "embedding": speed(embedder),
        "calibration": {
            "average": round(calibration.average / ONE, 3),
            "noise": round(calibration.noise / ONE, 3),
            "sure": round(calibration.sure / ONE, 3),
            "support_at_noise_and_sure": [
                support(calibration.noise, calibration) / ONE,
                support(calibration.sure, calibration) / ONE,
            ],
        },
        "probes": {
            "average": round(probed.average / ONE, 3),
            "noise": round(probed.noise / ONE, 3),
        },
        "repository": repository(embedder, calibration),
    }
    if given.locomo:
        result["locomo"] = locomo(embedder, calibration, given.locomo)
    report.emit(result, given.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
