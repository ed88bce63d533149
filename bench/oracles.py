"""Compare joins, bridge search and packing with brute force, on many small random instances.

    python -m bench.oracles --examples 100000 --json

- A join is compared in every row and every minimal proof, a search over bridges in its outcome and in every text with
  its least number of steps, a packing in the tokens of the optimum over all combinations, up to 4,096 of them.
- The oracles are those of the tests (`tests/core`): every fact tried for every pattern, every phrase at every text,
  every combination written out.
- Examples are shared out evenly, drawn from a seed, the same in every run.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Sequence
from itertools import product

from bench import report
from muniment.core.bridge import Mapping, expand
from muniment.core.join import join
from muniment.core.packing import COMBINATIONS, pack_proofs
from muniment.core.patterns import Plain
from muniment.core.query import Atom, Query, Variable
from tests.core.bridges import WORDS, level_by_level
from tests.core.joins import CLAIMS, NAMES, PREDICATES, VARIABLES, brute_force


def joins(draw: random.Random) -> bool:
    """Whether a join is what trying everything gives."""
    terms = (*VARIABLES, *VARIABLES, *NAMES)
    atoms = draw.randint(1, 4)
    where = tuple(
        Atom(draw.choice(terms), draw.choice(PREDICATES), draw.choice(terms)) for _ in range(atoms)
    )
    bound = list(dict.fromkeys(t for a in where for t in a.terms if isinstance(t, Variable)))
    query = Query(where, tuple(draw.sample(bound, draw.randint(0, len(bound)))))
    facts = [
        (draw.choice(NAMES), draw.choice(PREDICATES), draw.choice(NAMES), draw.choice(CLAIMS))
        for _ in range(draw.randint(0, 7 if atoms < 4 else 5))
    ]
    found = join(query, Plain(facts))
    answers = {a.values: {frozenset(p) for p in a.proofs} for a in found.answers}
    counted = all(a.count == len(a.proofs) for a in found.answers)
    return found.exceeded == "" and counted and answers == brute_force(query, facts)


def bridges(draw: random.Random) -> bool:
    """Whether a search over bridges is what going level by level gives."""

    def phrase(most: int) -> str:
        return " ".join(draw.choices(WORDS, k=draw.randint(1, most)))

    mappings = [
        Mapping(phrase(2), phrase(2), f"m{draw.randint(1, 4)}", draw.random() < 0.1)
        for _ in range(draw.randint(0, 5))
    ]
    query, most, far = phrase(5), draw.randint(1, 16), draw.randint(0, 4)
    found = expand(query, mappings, most, far)
    outcome, steps = level_by_level(query, mappings, most, far)
    texts = {variant.text: len(variant.steps) for variant in found.variants}
    return (found.outcome, texts) == (outcome, steps)


def packings(draw: random.Random) -> bool:
    """Whether a packing is the smallest that fits of all combinations."""
    claims = "abcdefgh"
    sizes = {one: draw.randint(1, 9) for one in claims}
    answers = [
        [tuple(sorted(draw.sample(claims, draw.randint(1, 3)))) for _ in range(draw.randint(1, 3))]
        for _ in range(draw.randint(1, 5))
    ]

    def text_of(choice: Sequence[tuple[str, ...]]) -> str:
        return "|".join(c * sizes[c] for c in sorted({c for proof in choice for c in proof}))

    def count(text: str) -> int:
        return len(text) - text.count("a|b") - text.count("b|c") + text.count("|f")

    budget = draw.randint(0, 60)
    found = pack_proofs(answers, text_of, count, budget)
    fitting = [n for choice in product(*answers) if (n := count(text_of(choice))) <= budget]
    assert found.combinations <= COMBINATIONS
    if not fitting:
        return found.outcome == "budget_exceeded" and not found.choice
    return found.optimal and found.used == min(fitting) == count(text_of(found.choice))


PARTS: tuple[tuple[str, Callable[[random.Random], bool]], ...] = (
    ("joins", joins),
    ("bridges", bridges),
    ("packings", packings),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and print."""
    parser = report.parser(__doc__)
    parser.add_argument("--examples", type=int, default=3_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    differences, compared, seconds = 0, {}, {}
    for place, (name, agrees) in enumerate(PARTS):
        share = given.examples // len(PARTS) + (place < given.examples % len(PARTS))
        draw, begin = random.Random(f"{given.seed}/{name}"), time.perf_counter()
        wrong = sum(not agrees(draw) for _ in range(share))
        differences, compared[name] = differences + wrong, share
        seconds[name] = round(time.perf_counter() - begin, 1)
    result = {"measurement": "oracles", "examples": given.examples, "differences": differences}
    report.emit({**result, "compared": compared, "seconds": seconds}, given.json)
    return int(differences > 0)


if __name__ == "__main__":
    sys.exit(main())
