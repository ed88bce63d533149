"""Figures of queries, proofs and packing: tables from the results that the benchmarks printed."""

from __future__ import annotations

from pathlib import Path

from tools.generators.tables import measured, result_of, table

_ENGINES = (("sqlite", "SQLite"), ("duckdb", "DuckDB"), ("oxigraph", "pyoxigraph"))


def joins(root: Path) -> str:
    """What a query costs beside the same by hand."""
    result = result_of(root, "joins")
    every = result["atoms"].values()
    engines = [(e, label) for e, label in _ENGINES if any(one[f"{e}_p50_ms"] for one in every)]
    rows = [
        (
            "cyclic, 3" if name == "cyclic" else name,
            *(_shown(found[key]) for key in ("p50_ms", "p95_ms", "first_p50_ms")),
            *(_shown(found[f"{engine}_p50_ms"]) for engine, _ in engines),
            f"{found['p50_ms'] / found['sqlite_p50_ms']:.1f}",
        )
        for name, found in result["atoms"].items()
    ]
    heads = (
        f"patterns, {result['facts']:,} facts",
        "p50, ms",
        "p95, ms",
        "first time, p50, ms",
        *(f"{label}, ms" for _, label in engines),
        "times SQLite",
    )
    slowest = max(one["ms"] for one in result["bounds_ms"].values())
    bounds = f"A question that is too wide is refused within {slowest:.0f} ms, each by a bound that it met."
    command = f"python -m bench.joins --facts {round(result['facts'], -4)}"
    return "\n\n".join((table(heads, rows), bounds, measured(result, command)))


def packing(root: Path) -> str:
    """What exact packing saves, and how long it takes."""
    result = result_of(root, "packing")
    rows = [
        (f"{int(combinations):,}", f"{seconds:.2f}")
        for combinations, seconds in result["seconds_to_optimum"].items()
    ]
    saved = result["saved"]
    said = (
        f"The optimum has {_percent(saved['independent']['mean'])} fewer tokens than each answer's own smallest proof "
        f"(at most {_percent(saved['independent']['most'])}), and {_percent(saved['greedy']['mean'])} fewer than the "
        f"greedy choice (at most {_percent(saved['greedy']['most'])})."
    )
    made = table(
        ("combinations", "seconds to the optimum, every one written out and counted"), rows
    )
    return "\n\n".join((made, said, measured(result, "python -m bench.packing")))


def packing_order(root: Path) -> str:
    """What becomes of the most relevant claims by how a budget is filled."""
    result = result_of(root, "packing_order")
    names = {
        "relevance": "most relevant first (as it is)",
        "total": "greatest sum of relevance, exact",
        "density": "relevance per token first",
    }
    figures = ("best_kept", "best_three_kept", "evidence", "all_evidence")
    rows = [
        (budget, names[name], *(_percent(found[one]) for one in figures), f"{found['size']:.1f}")
        for budget in ("200", "400", "1000")
        for name, found in result[budget].items()
    ]
    heads = (
        "tokens", "what is kept", "best claim kept", "best three kept", "evidence", "all evidence", "claims",
    )  # fmt: skip
    command = "python -m bench.packing_order --data ../shared/bench/locomo"
    return "\n\n".join((table(heads, rows), measured(result, command)))


def oracles(root: Path) -> str:
    """How often an answer differed from that of a definition that tries everything."""
    result = result_of(root, "oracles")
    rows = [(name.replace("_", " "), f"{count:,}") for name, count in result["compared"].items()]
    said = f"Of all of them {result['differences']:,} differed."
    command = f"python -m bench.oracles --examples {result['examples']}"
    return "\n\n".join((table(("compared", "examples"), rows), said, measured(result, command)))


def certificates(root: Path) -> str:
    """How many changed certificates were taken for valid, and what a certificate costs."""
    result = result_of(root, "certificates")
    rows = [(name.replace("_", " "), f"{count:,}") for name, count in result["verdicts"].items()]
    rows = [("valid", f"{result['accepted']:,}"), *rows]
    said = (
        f"A certified recall takes {result['certify_ratio']:.1f} times a plain one; keeping the digests that "
        f"certificates rest on makes a write {(result['head_ratio'] - 1) * 100:.1f} % dearer."
    )
    command = f"python -m bench.certificates --mutations {result['mutations']}"
    heads = ("what was said", f"of {result['mutations']:,} changed certificates")
    return "\n\n".join((table(heads, rows), said, measured(result, command)))


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _percent(share: float) -> str:
    return f"{share * 100:.1f} %"


GENERATORS = {
    "joins": joins,
    "oracles": oracles,
    "certificates": certificates,
    "packing": packing,
    "packing-order": packing_order,
}
