"""Embedders by their names, and what they were measured to do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from muniment.embed.endpoint import OPTIONS
from muniment.embed.opening import KINDS
from tools.generators.tables import code, result_of, table

_LABELS = {
    "1": "all rows, one thread",
    "2": "all rows, two threads",
    "1_tenth": "a contiguous tenth",
    "hundredth": "a contiguous hundredth",
    "scattered_tenth": "a scattered tenth",
    "scattered_hundredth": "a scattered hundredth",
}


def embedders(root: Path) -> str:
    """Every kind of embedder and how it is written."""
    rows = [(", ".join(map(code, kind.forms)), kind.meaning) for kind in KINDS]
    return table(("written", "what it is"), rows)


def endpoint_options(root: Path) -> str:
    """What may stand after an endpoint's `?`."""
    rows = [(code(name), meaning) for name, meaning in OPTIONS.items()]
    return table(("option", "meaning"), rows)


def vectors(root: Path) -> str:
    """How long scoring vectors takes."""
    result = result_of(root, "vectors")

    def both(name: str) -> str:
        return f"{result['median_ms'][name]:.1f} ms ({result['least_ms'][name]:.1f})"

    rows = [
        (label, both(f"simsimd_{name}"), both(f"numpy_{name}")) for name, label in _LABELS.items()
    ]
    rest = (
        f"Medians, and the least in brackets. Similarities of all rows from their products: {both('similarity')}; the "
        f"best ten of them: {both('top_10')}; everything together, as a recall does it: {both('whole')}."
    )
    heads = (f"{result['n']:,} rows of {result['dimension']} dimensions", "simsimd", "NumPy")
    command = f"python -m bench.vectors --n {result['n']} --dimension {result['dimension']}"
    return "\n\n".join((table(heads, rows), rest, _measured(result, command)))


def similarities(root: Path) -> str:
    """How close unrelated texts and answers lie."""
    result = result_of(root, "similarity")
    sets = [
        ("a question and messages of other conversations (LoCoMo)", result["locomo"]["unrelated"]),
        ("a question and its evidence (LoCoMo)", result["locomo"]["answers"]),
        (
            "a question that a repository does not answer, and its claims",
            result["repository"]["unrelated"],
        ),
        ("the nearest claim to such a question", result["repository"]["nearest_of_unanswerable"]),
        ("a question and a claim that answers it", result["repository"]["answers"]),
    ]
    rows = [
        (
            label,
            f"{one['pairs']:,}",
            f"{one['percentiles']['1']}",
            f"{one['percentiles']['50']}",
            f"{one['percentiles']['99.9']}",
            f"{100 * one['supported']:.2f} %",
            f"{100 * one['half_supported']:.2f} %",
        )
        for label, one in sets
    ]
    heads = ("cosines of", "pairs", "1 %", "median", "99.9 %", "any support", "at least half")
    found = (
        f"Opening takes {result['open_ms']} ms with its imports; then {result['embedding']['per_s']:,} short texts a "
        f"second. By the embedding alone {100 * result['repository']['hit_at_1']:.1f} % of the repository's questions "
        f"have an answer first, and recall at ten of LoCoMo's evidence is {result['locomo']['recall_at_10']:.3f}."
    )
    measured = _measured(result, "python -m bench.similarity --locomo ../shared/bench/locomo")
    return "\n\n".join((table(heads, rows), found, measured))


def _measured(result: dict[str, Any], command: str) -> str:
    machine = result["machine"]
    where = f"{machine['cpu']}, {machine['cores']} cores, Python {machine['python']}"
    return f"{code(command)}, {result['date'][:10]}, {where}."


GENERATORS = {
    "embedders": embedders,
    "endpoint-options": endpoint_options,
    "vectors": vectors,
    "similarities": similarities,
}
