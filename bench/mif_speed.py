"""Measure how fast MIF concepts are read, validated, made into proposals, and proposed.

- `validated_per_second`: read and validated by schema, specification and OKF, as `muniment mif validate` does.
- `candidates_per_second`: read, validated, and made into what an import proposes, without a store.
- `candidates_per_cpu_second`: the same by the processor time of this process, for a machine that others use too.
- `proposed_per_second`: the same through `muniment import` into an SQLite store in one process, every check of a
  proposal included; of the first `--proposed` concepts only.
- `proposed_per_cpu_second`: the same by the processor time of that process.
- `ahead_per_second`: the same as the command does it where there are two processors: one process reads ahead.
- `reference_per_second`: with `--reference FOLDER` that holds the format's own `mif_convert.py`, that program's round
  trip on the same files; it checks no schema and no rule. Without it, null. `reference_per_cpu_second` likewise.
- `peak_mib`: the most memory that the process held which imported alone.

Files are made, one edge each, with statements that differ in more than a number.

python -m bench.mif_speed --concepts 100000 --json
"""

from __future__ import annotations

import importlib.util
import random
import sys
import tempfile
import time
import uuid
from pathlib import Path
from typing import Any
from unittest import mock

from bench.report import emit, parser, peak_mb
from muniment import Memory
from muniment.exchange import ahead
from muniment.exchange.formats.mif import candidate_of
from muniment.exchange.mif.bundle import read_path
from muniment.exchange.mif.validate import validate
from muniment.ports.importing import Place

WORDS = (
    "gateway ledger invoice parcel scanner harbour printer archive beacon courier depot engine forecast garden hangar "
    "index journal kiosk lantern meter notary orchard pipeline quarry register shuttle terminal upload vault warehouse"
).split()


def text(number: int) -> str:
    """One concept's file."""
    chance = random.Random(number)
    what, other, place = chance.sample(WORDS, 3)
    edge = f"/semantic/{number // 1000:03d}/{max(number - 1, 0):06d}.md"
    said = f"The {what} of the {place} hands {chance.randrange(10**6)} {other}s over at night."
    return (
        f"---\nid: {uuid.uuid5(uuid.NAMESPACE_URL, str(number))}\ntype: semantic\n"
        "created: 2026-01-15T10:30:00Z\nmodified: 2026-01-20T09:00:00Z\nnamespace: _semantic/facts\n"
        f"title: {what} {other} {number}\ntags:\n  - {what}\n  - {other}\n"
        f"relationships:\n  - type: relates-to\n    target: {edge}\n---\n\n{said}\n"
        f"\n## Relationships\n\n- relates-to [before]({edge})\n"
    )


def made(folder: Path, count: int) -> None:
    """Write the files."""
    for number in range(count):
        path = folder / "semantic" / f"{number // 1000:03d}" / f"{number:06d}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text(number))


def reference_speed(folder: Path, scripts: Path | None) -> tuple[int | None, int | None]:
    """The reference converter's round trips a second, by the clock and by processor time, where it is at hand."""
    if scripts is None:
        return None, None
    spec = importlib.util.spec_from_file_location("mif_convert", scripts / "mif_convert.py")
    assert spec is not None
    assert spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    files = sorted(folder.rglob("*.md"))
    start, began = time.perf_counter(), time.process_time()
    for path in files:
        module.roundtrip_file(path)
    ended = time.perf_counter(), time.process_time()
    return round(len(files) / (ended[0] - start)), round(len(files) / (ended[1] - began))


def proposed_speed(part: Path, count: int, store: Path) -> tuple[float, float]:
    """Proposals a second, into a store: by the clock, and by this process's time."""
    who = {"level": "user-private", "allowed_principals": ["user:ada"]}
    with Memory.open(store).acting_as(
        "user:ada", scopes=["project:x"], visibility=who, uses=["answer_questions"]
    ) as memory:
        start, began = time.perf_counter(), time.process_time()
        found = memory.import_(part / "semantic")
        ended = time.perf_counter(), time.process_time()
        assert found.proposed == count, found.findings
        return count / (ended[0] - start), count / (ended[1] - began)


def main() -> int:
    """Measure and print."""
    options = parser(__doc__)
    options.add_argument("--concepts", type=int, default=100_000)
    options.add_argument("--proposed", type=int, default=2_000)
    options.add_argument("--reference", type=Path, help="folder of the format's own scripts")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        part = Path(name) / "part"
        made(part, given.proposed)
        with mock.patch.object(ahead, "_processors", return_value=1):
            by_clock, by_cpu = proposed_speed(part, given.proposed, Path(name) / "alone.db")
        peak = peak_mb()
        apart, _ = proposed_speed(part, given.proposed, Path(name) / "ahead.db")
        folder = Path(name) / "bundle"
        made(folder, given.concepts)
        start, began = time.perf_counter(), time.process_time()
        bundle = read_path(folder)
        report = validate(bundle)
        checked = time.perf_counter()
        held = sum(bool(candidate_of(one, Place())) for one in bundle.concepts)
        mapped, ended = time.perf_counter(), time.process_time()
        reference = reference_speed(folder, given.reference)
        result = {
            "concepts": report.concepts,
            "errors": sum(issue.severity == "error" for issue in report.issues),
            "candidates": held,
            "validated_per_second": round(given.concepts / (checked - start)),
            "candidates_per_second": round(given.concepts / (mapped - start)),
            "candidates_per_cpu_second": round(given.concepts / (ended - began)),
            "proposed_per_second": round(by_clock),
            "proposed_per_cpu_second": round(by_cpu),
            "ahead_per_second": round(apart),
            "proposed": given.proposed,
            "reference_per_second": reference[0],
            "reference_per_cpu_second": reference[1],
            "peak_mib": round(peak, 1),
        }
    emit(result, given.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
