"""Figures of interchange: verdicts, samples, speed and fuzzing, as the benchmarks printed them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tools.generators.tables import code, measured, result_of, table


def verdicts(root: Path) -> str:
    """The published suite, and generated documents."""
    suite, made = result_of(root, "mif"), result_of(root, "mif_schema")
    rows = (
        ("files of the suite", suite["files"]),
        ("with the reference's verdict", suite["verdicts_equal"]),
        ("accepted", suite["accepted"]),
        ("of these back from JSON-LD byte for byte", suite["roundtrip_equal"]),
        ("of these expanded offline", suite["expand_ok"]),
        ("of these with an export that conforms to OKF", suite["okf_ok"]),
        ("items of the checklist with a test", f"{suite['checklist_tested']} of {suite['checklist_items']}"),
        ("generated documents", f"{made['examples']:,}"),
        ("with another verdict than the reference's", made["differences"]),
        ("that only the reference accepts: a mark for a digit of a date", made["reference_misreads"]),
    )  # fmt: skip
    counted = table(("documents", "count"), ((name, str(value)) for name, value in rows))
    said = (
        measured(suite, "python -m bench.mif --suite ../shared/mif"),
        measured(made, f"python -m bench.mif_schema --examples {made['examples']}"),
    )
    return "\n\n".join((counted, *said))


def samples(root: Path) -> str:
    """The samples of other memories, by format."""
    result = result_of(root, "imports")
    counted = table(
        ("format", "files", "records", "proposed", "left out"), _by_format(result["by_file"])
    )
    told = (
        f"{result['files']} files: {result['crashes']} crashes, {result['dates_invented']} dates that no file states, "
        f"{result['second_import_new']} proposals when all are imported a second time."
    )
    said = measured(result, "python -m bench.imports --samples ../shared/samples")
    return f"{counted}\n\n{told}\n\n{said}"


def _by_format(by_file: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, ...]]:
    names = sorted({one["format"] for one in by_file.values()}, key=lambda name: (not name, name))
    for name in names:
        files = [one for one in by_file.values() if one["format"] == name]
        counts = [len(files), *(sum(one[key] for one in files) for key in ("records", "proposed"))]
        left = sum(sum(one["refused"].values()) for one in files)
        yield (code(name) or "none: refused with its reason", *map(str, (*counts, left)))


def speeds(root: Path) -> str:
    """Concepts a second."""
    result = result_of(root, "mif_speed")
    rows = (
        ("read and validated", result["validated_per_second"], None),
        ("the same, and made into candidates", result["candidates_per_second"], result["candidates_per_cpu_second"]),
        ("imported as proposals, in one process", result["proposed_per_second"], result["proposed_per_cpu_second"]),
        ("the same, one process reading ahead", result["ahead_per_second"], None),
        ("the reference converter's round trip", result["reference_per_second"], result["reference_per_cpu_second"]),
    )  # fmt: skip
    counted = table(
        ("what is done to a concept", "a second", "a second of processor time"),
        ((name, *("" if one is None else f"{one:,}" for one in pair)) for name, *pair in rows),
    )
    told = (
        f"{result['concepts']:,} concepts are read, {result['proposed']:,} imported; importing them alone held "
        f"{result['peak_mib']:.0f} MiB at most."
    )
    command = (
        f"python -m bench.mif_speed --concepts {result['concepts']} --proposed {result['proposed']}"
    )
    return "\n\n".join((counted, told, measured(result, f"{command} --reference FOLDER")))


def thrown(root: Path) -> str:
    """What fuzzing came to, a parser a row."""
    rows, said = [], []
    for name in ("mif_fuzz", "import_fuzz"):
        result = result_of(root, name)
        rows += [
            (code(parser), f"{one['inputs']:,}", str(one["seeds"]), str(one["raised"]),
             str(one["over_1s"]), f"{one['slowest_s']:.3f} s", f"{one['peak_mib']:.0f} MiB")
            for parser, one in result["by_parser"].items()
        ]  # fmt: skip
        each = result["inputs_a_seed"]
        command = f"python -m bench.{name} --inputs {each} --until 1000000 --record bench/results/{name}.json"
        said.append(measured(result, command))
    heads = ("parser", "inputs", "seeds", "raised", "over 1 s", "slowest", "process at most")
    return "\n\n".join((table(heads, rows), *said))


GENERATORS = {
    "interchange-verdicts": verdicts,
    "interchange-samples": samples,
    "interchange-speeds": speeds,
    "interchange-fuzz": thrown,
}
