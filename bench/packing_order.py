"""Which claims a budget should hold: the most relevant first, or those that together are worth most.

    python -m bench.packing_order --data ../shared/bench/locomo --json

- The claims are turns of long conversations (LoCoMo), each with the lines that a packet prints around it; their
  relevance is what the package gives them. The unit of a figure is a question.
- `relevance`: best first, what does not fit is left out, as `core.pack` does. `total`: the choice with the greatest sum
  of relevance, found exactly (every subset, by dynamic programming over tokens). `density`: relevance per token first.
- `best_kept`: the most relevant claim is handed over; `best_three_kept`: the three most relevant are.
  `evidence`: the share of the true evidence that is handed over; `all_evidence`: all of it is.
- `size`: claims handed over, mean.

A claim's tokens are added up here, so that the greatest sum can be found exactly; where the product counts, it counts
the whole text.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

from bench.locomo import Case, cases
from bench.locomo_data import load
from bench.report import emit, parser, progress
from muniment.core.pack import Limits, Unit, pack
from muniment.ports.tokens import remembering
from muniment.wiring import count_tokens

BUDGETS = (200, 400, 1_000)
POOL = 64
"""Most relevant claims that are chosen from."""

Choose = Callable[[Sequence[int], Sequence[int], int], list[int]]
"""Relevance and tokens of each claim, best first, and the budget, to the places of those that are handed over."""


def by_relevance(relevance: Sequence[int], sizes: Sequence[int], budget: int) -> list[int]:
    """Best first, as the package packs.

    >>> by_relevance((9, 5, 5), (8, 5, 5), 10)
    [0]
    """
    units = [Unit((f"{place:03}",), earned) for place, earned in enumerate(relevance)]
    chosen = pack(
        units,
        Limits(len(units), budget),
        len,
        lambda some: "x" * sum(sizes[int(unit.ids[0])] for unit in some),
    ).chosen
    return [int(unit.ids[0]) for unit in chosen]


def by_total(relevance: Sequence[int], sizes: Sequence[int], budget: int) -> list[int]:
    """The greatest sum of relevance that fits, exactly.

    >>> by_total((9, 5, 5), (8, 5, 5), 10)
    [1, 2]
    """
    best = np.zeros(budget + 1, np.int64)
    taken = np.zeros((len(sizes), budget + 1), np.bool_)
    for place, (earned, size) in enumerate(zip(relevance, sizes, strict=True)):
        if size <= budget:
            with_it = best[: budget + 1 - size] + earned
            better = with_it > best[size:]
            taken[place, size:] = better
            best[size:][better] = with_it[better]
    chosen, left = [], budget
    for place in reversed(range(len(sizes))):
        if taken[place, left]:
            chosen.append(place)
            left -= sizes[place]
    return chosen[::-1]


def by_density(relevance: Sequence[int], sizes: Sequence[int], budget: int) -> list[int]:
    """Relevance for each token first.

    >>> by_density((9, 5, 5), (8, 5, 5), 10)
    [0]
    """
    order = sorted(range(len(sizes)), key=lambda place: (-relevance[place] / sizes[place], place))
    chosen, used = [], 0
    for place in order:
        if used + sizes[place] <= budget:
            chosen.append(place)
            used += sizes[place]
    return sorted(chosen)


CHOICES: dict[str, Choose] = {
    "relevance": by_relevance,
    "total": by_total,
    "density": by_density,
}


def claims_of(case: Case, count: Callable[[str], int]) -> tuple[list[str], list[int], list[int]]:
    """The best claims for a question: their names, relevance and tokens."""
    heard = [one for one in case.scope.heard(case.question.text, True) if one.relevance > 0][:POOL]
    said = [case.scope.parts[one.seq] for one in heard]
    blocks = [
        f"--- claim {n} [0123456789ab]\nid: mem_01kx0sjsg0e008000000000000\n"
        f"observation | active | freshness current | confidence not stated | relevance 0.50\n"
        f"| {one.text}\nsource: file:///conversation.jsonl, line {n}\n"
        for n, one in enumerate(said)
    ]
    return (
        [one.message for one in said],
        [one.relevance for one in heard],
        [count(b) for b in blocks],
    )


def figures(found: Sequence[tuple[list[str], list[int], frozenset[str]]]) -> dict[str, float]:
    """Means over questions, of the names, the places that were chosen and the evidence."""
    held = [
        (set(places), {names[n] for n in places} & evidence, evidence)
        for names, places, evidence in found
    ]
    return {
        "best_kept": round(mean(0 in places for places, _, _ in held), 4),
        "best_three_kept": round(mean({0, 1, 2} <= places for places, _, _ in held), 4),
        "evidence": round(mean(len(got) / len(evidence) for _, got, evidence in held), 4),
        "all_evidence": round(mean(got == evidence for _, got, evidence in held), 4),
        "size": round(mean(len(places) for places, _, _ in held), 1),
    }


def measure(asked: Sequence[Case]) -> dict[str, Any]:
    """Every way to choose, at every budget."""
    count = remembering(count_tokens("o200k_base"))
    claims = []
    for number, case in enumerate(asked, 1):
        claims.append(claims_of(case, count))
        progress("questions", number, len(asked))
    result: dict[str, Any] = {"claim_tokens": round(mean(s for _, _, ss in claims for s in ss), 1)}
    for budget in BUDGETS:
        result[str(budget)] = {
            name: figures(
                [
                    (names, choose(relevance, sizes, budget), case.question.evidence)
                    for case, (names, relevance, sizes) in zip(asked, claims, strict=True)
                    if names
                ]
            )
            for name, choose in CHOICES.items()
        }
    return result


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print; 2 where the data are not there."""
    made = parser(__doc__)
    made.add_argument("--data", type=Path, default=Path("../shared/bench/locomo"))
    made.add_argument("--every", type=int, default=3, help="every so many-th question")
    options = made.parse_args(argv)
    if not (options.data / "locomo10.json").is_file():
        print(f"no locomo10.json in {options.data}: name its folder with --data", file=sys.stderr)
        return 2
    asked = cases(load(options.data))[:: options.every]
    result = {"measurement": "packing_order", "questions": len(asked), **measure(asked)}
    emit(result, options.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
