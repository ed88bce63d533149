"""Compare our verdict on generated MIF documents with that of the reference schema.

The reference is the published schema run by `jsonschema-rs` (Draft 2020-12, formats asserted). Documents are valid by
construction, or changed at one or two places (`bench.mif_documents`). `differences` counts documents on which the two
disagree, and must be 0; the first few are shown.

`reference_misreads` counts apart documents that the reference accepts because it takes one of `*+,-./` for a digit of
a date (`201+-12-31`), as its version 0.60 does: all that we refuse in them are such dates, and `jsonschema` with its
format extra refuses each of these too.

python -m bench.mif_schema --examples 200000 --json
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from bench.mif_documents import documents
from bench.report import emit, parser
from muniment.exchange.mif.keywords import Problem
from muniment.exchange.mif.schema import CONCEPT_DIGEST, concept_problems, shipped

SHARED = Path(__file__).parents[1] / ".." / "shared" / "mif" / "schema"


def reference(folder: Path | None = None) -> Any:
    """The reference validator, from the published files, or from the shipped schema where they are not there."""
    import jsonschema_rs

    if folder is None or not folder.is_dir():
        schema: Mapping[str, Any] = shipped("concept.schema.json", CONCEPT_DIGEST)
        return jsonschema_rs.Draft202012Validator(dict(schema), validate_formats=True)
    whole = json.loads((folder / "mif.schema.json").read_text("utf-8"))
    part = json.loads((folder / "definitions" / "entity-reference.schema.json").read_text("utf-8"))
    registry = jsonschema_rs.Registry([(part["$id"], part)])
    return jsonschema_rs.Draft202012Validator(whole, validate_formats=True, registry=registry)


DIGIT_OR_MARK = r"[0-9*+,\-./]"
_FORM = r"DDDD-DD-DD(?:[Tt]DD:DD:DD(?:\.D+)?(?:[Zz]|[+-]DD:DD))?"
LAX = re.compile(_FORM.replace("D", DIGIT_OR_MARK))
"""A date, and time, with one of `*+,-./` for any digit."""


def is_misread(document: Any, problems: Sequence[Problem]) -> bool:
    """Whether nothing is wrong with a document but dates in which a mark stands for a digit."""
    import jsonschema

    formats = jsonschema.FormatChecker()
    for problem in problems:
        value: Any = document
        for step in problem.path:
            value = value[step]
        dated = problem.keyword == "format" and isinstance(value, str)
        if not dated or not LAX.fullmatch(value):
            return False
        if formats.conforms(value, "date") or formats.conforms(value, "date-time"):
            return False
    return bool(problems)


def compare(examples: int, seed: int, folder: Path | None) -> dict[str, Any]:
    """Both verdicts on as many documents."""
    oracle = reference(folder)
    schema = shipped("concept.schema.json", CONCEPT_DIGEST)
    accepted, shown, differences, misread, ours, theirs = 0, [], 0, 0, 0.0, 0.0
    for document in islice(documents(schema, seed), examples):
        start = time.perf_counter()
        problems = concept_problems(document)
        mine = not problems
        middle = time.perf_counter()
        reference_says = oracle.is_valid(document)
        theirs += time.perf_counter() - middle
        ours += middle - start
        accepted += mine
        if reference_says and is_misread(document, problems):
            misread += 1
        elif mine != reference_says:
            differences += 1
            if len(shown) < 5:
                shown.append({"document": document, "ours": mine, "reference": reference_says})
    return {
        "examples": examples,
        "seed": seed,
        "reference_files": folder is not None and folder.is_dir(),
        "accepted": accepted,
        "differences": differences,
        "reference_misreads": misread,
        "shown": shown,
        "ours_per_second": round(examples / ours),
        "reference_per_second": round(examples / theirs),
    }


def main() -> int:
    """Compare and print; the exit code is 1 where they differ."""
    options = parser(__doc__)
    options.add_argument("--examples", type=int, default=200_000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument(
        "--schema", type=Path, default=SHARED, help="folder of the published schema"
    )
    given = options.parse_args()
    result = compare(given.examples, given.seed, given.schema)
    emit(result, given.json)
    return 1 if result["differences"] else 0


if __name__ == "__main__":
    sys.exit(main())
