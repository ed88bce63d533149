"""What exact packing saves, and how long it takes to the optimum.

    python -m bench.packing --json

- Answers share evidence as they do in practice: a few long documents prove many answers, and each answer has short
  proofs of its own besides. Sets are drawn from a seed.
- `saved` compares the tokens of whole packets: against each answer's own smallest proof, and against the greedy choice.
- Time is measured to the end of the search, at exactly 4,096 and 65,536 combinations, with the default token counter.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections.abc import Sequence
from typing import Any

from bench import report
from muniment.core.packing import (
    COMBINATIONS,
    MOST_COMBINATIONS,
    greedy,
    independent,
    pack_proofs,
)
from muniment.core.proof_text import render_proofs
from muniment.ports.tokens import remembering
from muniment.wiring import count_tokens

WORDS = "the build of this service reads its configuration from a file that every team may change after review".split()


class Case:
    """Answers with proofs over claims of which some are shared."""

    def __init__(self, draw: random.Random, answers: int, proofs: int) -> None:
        self.blocks: dict[str, str] = {}
        shared = [self._claim(draw, f"mem_s{n}", 8, 40) for n in range(max(2, answers // 3))]
        self.answers = []
        for answer in range(answers):
            found = []
            for number in range(proofs):
                own = self._claim(draw, f"mem_{answer}_{number}", 8, 60)
                other = draw.choice(shared)
                found.append((other,) if draw.random() < 0.3 else tuple(sorted((own, other))))
                if draw.random() < 0.3:
                    found[-1] = (own,)
            unique = list(dict.fromkeys(found))
            while len(unique) < proofs:
                own = self._claim(draw, f"mem_{answer}_x{len(unique)}", 8, 60)
                unique.append((own,))
            self.answers.append(unique)

    def _claim(self, draw: random.Random, name: str, least: int, most: int) -> str:
        said = " ".join(draw.choices(WORDS, k=draw.randint(least, most)))
        self.blocks[name] = f"id: {name}\nproject_fact | active | freshness current\n| {said}"
        return name

    def text(self, choice: Sequence[tuple[str, ...]]) -> str:
        """The whole packet of a choice."""
        rows = [(f"?who = answer {n}", proof) for n, proof in enumerate(choice)]
        return render_proofs(("outcome: rows | use: answer_questions",), rows, self.blocks)


def saved(cases: Sequence[Case], count: Any) -> dict[str, Any]:
    """Shares of tokens that the optimum saves."""
    against: dict[str, list[float]] = {"independent": [], "greedy": []}
    for case in cases:
        best = pack_proofs(case.answers, case.text, count, 10**6)
        assert best.optimal
        for name, choose in (("independent", independent), ("greedy", greedy)):
            other = count(case.text(choose(case.answers)))
            against[name].append(1 - best.used / other)
    return {
        name: {"mean": round(statistics.mean(shares), 4), "most": round(max(shares), 4)}
        for name, shares in against.items()
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and print."""
    parser = report.parser(__doc__)
    parser.add_argument("--cases", type=int, default=20)
    parser.add_argument("--most", type=int, default=MOST_COMBINATIONS)
    given = parser.parse_args(arguments)
    draw, count = random.Random(3), count_tokens("")
    cases = [Case(draw, 5, 3) for _ in range(given.cases)]
    result: dict[str, Any] = {"measurement": "packing", "saved": saved(cases, count)}
    seconds = {}
    for answers, combinations in ((6, COMBINATIONS), (8, MOST_COMBINATIONS)):
        if combinations <= given.most:
            case = Case(draw, answers, 4)
            begin = time.perf_counter()
            found = pack_proofs(case.answers, case.text, remembering(count), 10**6, combinations)
            assert found.optimal
            assert found.examined == combinations
            seconds[str(combinations)] = round(time.perf_counter() - begin, 2)
    report.emit({**result, "seconds_to_optimum": seconds, "counter": count.name}, given.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
