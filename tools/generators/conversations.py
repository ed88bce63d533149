"""What the guide shows of conversations: printed by the commands themselves."""

from __future__ import annotations

import json
from pathlib import Path

from tools.generators.guide import _INIT
from tools.generators.tables import code, measured, result_of, table
from tools.walkthrough import a_walk, console

_SAID = (
    ("Ada", "2026-05-04T09:12:00+02:00", "Which bank do the refunds go through now?"),
    (
        "Bob",
        "2026-05-04T09:13:00+02:00",
        "Through Sparkasse, since Monday. The old account is closed.",
    ),
    ("Ada", "2026-06-17T16:40:00+02:00", "The refund job failed twice last night."),
    ("Bob", "2026-06-17T16:44:00+02:00", "It still had the old account. I changed it by hand."),
)
_CHAT = "".join(
    json.dumps({"id": f"m{n}", "speaker": who, "at": at, "text": text}) + "\n"
    for n, (who, at, text) in enumerate(_SAID, 1)
)
_ASKED = (
    "recall",
    "Why did the refund job fail in June?",
    "--use",
    "answer_questions",
    "--passages",
)


def kept(root: Path) -> str:
    """A conversation is kept, kept again, and asked."""
    del root
    with a_walk() as walk:
        walk.run(*_INIT)
        (walk.shop / "chat.jsonl").write_text(_CHAT + '{"id": "m5", "text": 7}\n', "utf-8")
        return console(
            walk.run("learn", "chat.jsonl"),
            walk.run("learn", "chat.jsonl", quiet=True),
            walk.run(*_ASKED, quiet=True),
            walk.run(
                "recall", "why did the refund job fail?", "--use", "deploy", "--passages", code=2
            ),
        )


_FIGURES = ("recall_at_5", "recall_at_10", "ndcg_at_10", "mrr", "all_evidence_at_1000_tokens")


def locomo(root: Path) -> str:
    """What is found of the evidence in long conversations."""
    result = json.loads((root / "bench" / "results" / "locomo.json").read_text("utf-8"))
    named = (
        ("Muniment, weights two-fold", result),
        ("the same without embedding", result["without_embedding"]),
        ("Muniment, weights as shipped", result["shipped"]),
        ("FTS5, porter, question words left out", result["fts5"]),
        ("bm25s, its defaults with a stemmer", result["bm25s"]),
        ("the embedder alone", result["embedder"]),
    )
    rows = [(name, *(f"{of[one]:.3f}" for one in _FIGURES)) for name, of in named]
    heads = ("", "recall at 5", "recall at 10", "nDCG at 10", "MRR", "all evidence in 1,000 tokens")
    kinds = ", ".join(
        f"{name.replace('_', ' ')} {of['recall_at_10']:.3f} ({of['questions']})"
        for name, of in result["by_category"].items()
    )
    machine = result["machine"]
    said = (
        (
            f"Recall at 10 by category, with the number of questions: {kinds}. The 1,000 tokens hold "
            f"{result['passages_in_1000_tokens']} turns on average; everything around a turn's text costs "
            f"{result['overhead_tokens_per_passage']} tokens."
        ),
        (
            f"{code('python -m bench.locomo --data ../shared/bench/locomo')}, {result['date'][:10]}, {machine['cpu']}, "
            f"{machine['cores']} cores, Python {machine['python']}."
        ),
    )
    return "\n\n".join((table(heads, rows), *said))


def padded(root: Path) -> str:
    """What is found of the same evidence where it stands in long messages."""
    result = result_of(root, "locomo_padded")
    named = (
        ("Muniment, weights two-fold", result),
        ("the same without embedding", result["without_embedding"]),
        ("FTS5", result["fts5"]),
        ("bm25s", result["bm25s"]),
        ("the embedder alone", result["embedder"]),
    )
    rows = [(name, *(f"{of[one]:.3f}" for one in _FIGURES)) for name, of in named]
    heads = ("", "recall at 5", "recall at 10", "nDCG at 10", "MRR", "all evidence in 1,000 tokens")
    held = f"The 1,000 tokens hold {result['passages_in_1000_tokens']} parts on average."
    command = f"python -m bench.locomo --data ../shared/bench/locomo --padded {result['padded']}"
    return "\n\n".join((table(heads, rows), held, measured(result, command)))


GENERATORS = {"conversation": kept, "locomo": locomo, "locomo-padded": padded}
