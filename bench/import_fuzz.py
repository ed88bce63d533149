"""Throw broken files at every reader of a foreign format: nothing but findings may come out, and soon.

- Inputs are the small samples of `tests/data/imports`, changed at some places: bytes flipped, cut, doubled, spliced
  with another sample, or with what breaks parsers (deep nesting, huge numbers, odd escapes, NUL, half a surrogate).
- Each input is told its format as any file is, and read as the one format under test whatever it is; every candidate
  becomes a claim, whose digest is taken.
- `slowest_s` and `peak_mib` are of this process; an exception is counted and its first places are shown.
- With `--record FILE --until N` it goes on, seed after seed, until every reader has had so many (`bench.fuzz_record`).

    python -m bench.import_fuzz --inputs 1000000 --parser mem0 --json
    python -m bench.import_fuzz --inputs 10000 --until 1000000 --record bench/results/import_fuzz.json
"""

from __future__ import annotations

import random
import sys
import time
import traceback
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench import report
from bench.fuzz_record import keep_on, summed
from muniment.core.access import Scope, Visibility
from muniment.core.draft import draft_digest
from muniment.exchange.detect import FORMATS, detected, named
from muniment.exchange.gather import contents
from muniment.exchange.opened import opened_bytes
from muniment.exchange.reading import Tools
from muniment.exchange.shape import Format
from muniment.learn.extract import read_file
from muniment.learn.passages import passages
from muniment.ports.importing import Candidate, ForeignFile
from muniment.usecases.imported import Importer, claim_of

SAMPLES = Path(__file__).resolve().parents[1] / "tests" / "data" / "imports"
TOOLS = Tools(read_file, passages)
NOW = datetime(2026, 7, 8, 12, tzinfo=UTC)
IMPORTER = Importer(Scope("project", "x"), Visibility("user-private", ("user:x",)), (), NOW)
BREAKERS = (
    b"[" * 70, b"{" * 70, b'{"a":' * 70, b"]" * 9, b"}" * 9, b'"', b"\\", b"\\u0000", b"\\ud800",
    b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"1e999", b"-0", b"9" * 40, b"NaN", b"null", b"true",
    b"[]", b"{}", b'""', b"\r\n", b"\r", b"---\n", b"---\na: &x [*x]\n---\n", b"- [x] ", b"[[",
    b"]]", b"::", b"#", b"```\n", b"2026-99-99", b"1e20", b"\xe2\x80\xae", b"\t", b",", b":", b"/",
    b"\xf0\x9f\x90\xbb", b"<!--", b"%" * 50, b"(" * 60, b"*" * 60, b"a" * 5000, b"\n" * 200,
)  # fmt: skip


def main(arguments: list[str] | None = None) -> int:
    """Run; the exit code is 1 where an input raised, took over a second, or memory went over 512 MiB."""
    parser = report.parser(__doc__)
    parser.add_argument("--inputs", type=int, default=2_000, help="inputs a parser")
    parser.add_argument("--parser", default="", help="one format; all by default")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--record", type=Path, help="keep on, and add up in this file")
    parser.add_argument(
        "--until", type=int, default=1_000_000, help="inputs a parser in the record"
    )
    given = parser.parse_args(arguments)
    formats = (named(given.parser),) if given.parser else FORMATS
    names = [one.name for one in formats]
    if given.record:
        result = keep_on(given.record, names, of_parser, given.inputs, given.until)
    else:
        runs = {name: of_parser(name, given.inputs, given.seed) for name in names}
        result = summed({name: {**run, "peak_mib": report.peak_mb()} for name, run in runs.items()})
    report.emit(result, given.json)
    return int(bool(result["raised"] or result["over_1s"] or result["peak_mib"] > 512))


def of_parser(name: str, inputs: int, seed: int) -> dict[str, Any]:
    """Many inputs at the reader of a name."""
    return thrown(named(name), inputs, seed)


def thrown(known: Format, inputs: int, seed: int) -> dict[str, Any]:
    """Many inputs at one reader."""
    draw = random.Random(f"{known.name}/{seed}")
    samples = [
        (path.as_posix(), path.read_bytes())
        for path in sorted(SAMPLES.rglob("*"))
        if path.is_file()
    ]
    own = [
        one for one in samples if detected(opened_bytes(*_named(one))).format is known
    ] or samples
    slow, over, claims = 0.0, 0, 0
    raised: Counter[str] = Counter()
    began = time.perf_counter()
    for number in range(inputs):
        path, data = draw.choice(own if draw.random() < 0.9 else samples)
        broken = changed(draw, data, samples)
        start = time.process_time()
        try:
            claims += tried(known, path, broken)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what this looks for
            last = traceback.extract_tb(error.__traceback__)[-1]
            raised[f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}"] += 1
        took = time.process_time() - start
        slow, over = max(slow, took), over + (took > 1)
        if number % 1000 == 999:
            report.progress(known.name, number + 1, inputs)
    return {
        "inputs": inputs, "raised": sum(raised.values()), "over_1s": over, "slowest_s": round(slow, 4),
        "claims": claims, "inputs_a_second": round(inputs / (time.perf_counter() - began)),
        **({"places": dict(raised.most_common(10))} if raised else {}),
    }  # fmt: skip


def _named(sample: tuple[str, bytes]) -> tuple[str, str, bytes]:
    return sample[0], "", sample[1]


def changed(draw: random.Random, data: bytes, samples: list[tuple[str, bytes]]) -> bytes:
    """A sample with up to six changes."""
    made = bytearray(data)
    for _ in range(draw.randint(1, 6)):
        at, kind = draw.randrange(len(made) + 1), draw.randrange(7)
        end = min(len(made), at + draw.choice((1, 2, 5, 20, 200)))
        if kind == 0:
            del made[at:end]
        elif kind == 1:
            made[at:at] = made[at:end]
        elif kind == 2:
            made[at:at] = draw.choice(BREAKERS)
        elif kind == 3:
            made[at:end] = draw.choice(BREAKERS)
        elif kind == 4 and at < len(made):
            made[at] = draw.randrange(256)
        elif kind == 5:
            other = draw.choice(samples)[1]
            begin = draw.randrange(len(other))
            made[at:at] = other[begin : begin + draw.choice((3, 30, 300))]
        elif draw.random() < 0.2:
            del made[at:]
    return bytes(made[:200_000])


def tried(known: Format, path: str, data: bytes) -> int:
    """One input at one reader; how many claims came of it."""
    file = opened_bytes(path, "file:///x", data)
    detected(file)
    told = ForeignFile(path, "file:///x", file.digest, file.size, known.name, shared=known.shared)
    count = 0
    for one in contents(file, known, TOOLS):
        if isinstance(one, Candidate):
            claim = claim_of(one, told, IMPORTER, "mem_01m8p74mxdfngb91patfcfft5m")
            draft_digest(claim)
            place = one.place
            if place.end and data[place.start : place.end] != place.quote.encode():
                raise AssertionError("a place is not what stands there")
            count += 1
    return count


if __name__ == "__main__":
    sys.exit(main())
