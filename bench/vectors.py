"""How long scoring int8 vectors takes: NumPy against simsimd, one thread against two, blocks against scattered rows.

python -m bench.vectors --n 1000000 --dimension 256 --json

- Every arrangement gives the same numbers; the run fails where one does not.
- `whole` is products, similarities and the best ten of all rows: what a recall pays for its embedding signal.
- Milliseconds over interleaved rounds. Other work on the machine shows in the median, hardly in the least.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from bench import report
from muniment.index.vectors import (
    dots,
    dots_at,
    norms,
    numpy_kernel,
    similarity,
    simsimd_kernel,
    top,
)


def timed(works: Mapping[str, Callable[[], Any]], rounds: int) -> dict[str, dict[str, float]]:
    """Median and least milliseconds of each, over rounds in which each runs once; the first is not counted."""
    taken: dict[str, list[float]] = {name: [] for name in works}
    for number in range(rounds + 1):
        report.progress("rounds", number, rounds)
        for name, work in works.items():
            started = time.perf_counter()
            work()
            if number:
                taken[name].append(time.perf_counter() - started)
    return {
        kind: {name: round(of(found) * 1_000, 3) for name, found in taken.items()}
        for kind, of in (("median_ms", statistics.median), ("least_ms", min))
    }


def arrangements(matrix: Any, query: Any, rng: Any) -> dict[str, Callable[[], Any]]:
    """What is timed, by name."""
    count = len(matrix)
    simsimd = simsimd_kernel()
    kernels = {"numpy": numpy_kernel} | ({"simsimd": simsimd} if simsimd else {})
    lengths, ids = norms(matrix), np.arange(count)
    length = int(norms(query[None])[0])
    scattered = {share: np.sort(rng.permutation(count)[: count // share]) for share in (100, 10)}
    works: dict[str, Callable[[], Any]] = {}
    for name, kernel in kernels.items():
        for threads in (1, 2):
            works[f"{name}_{threads}"] = lambda k=kernel, t=threads: dots(matrix, query, t, k)
            works[f"{name}_{threads}_tenth"] = lambda k=kernel, t=threads: dots(
                matrix[: count // 10], query, t, k
            )
        works[f"{name}_hundredth"] = lambda k=kernel: dots(matrix[: count // 100], query, 1, k)
        for share, rows in scattered.items():
            works[f"{name}_scattered_{'tenth' if share == 10 else 'hundredth'}"] = (
                lambda k=kernel, r=rows: dots_at(matrix, r, query, k)
            )
    products = dots(matrix, query)
    scores = similarity(products, lengths, length)
    works["similarity"] = lambda: similarity(products, lengths, length)
    works["top_10"] = lambda: top(scores, 10, ids)
    works["whole"] = lambda: top(similarity(dots(matrix, query), lengths, length), 10, ids)
    return works


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and print."""
    parser = report.parser(__doc__)
    parser.add_argument("--n", type=int, default=1_000_000)
    parser.add_argument("--dimension", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=15)
    given = parser.parse_args(arguments)
    rng = np.random.default_rng(7)
    matrix = rng.integers(-40, 41, (given.n, given.dimension), dtype=np.int8)
    query = rng.integers(-40, 41, given.dimension, dtype=np.int8)
    works = arrangements(matrix, query, rng)
    expected = dots(matrix, query, 1, numpy_kernel)
    same = all(
        np.array_equal(works[name](), expected) for name in works if name[-2:] in ("_1", "_2")
    )
    found = timed(works, given.rounds)
    result = {
        "measurement": "vectors",
        "n": given.n,
        "dimension": given.dimension,
        "same_bits": same,
    }
    report.emit({**result, **found}, given.json)
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
