"""Import every sample file twice into a store of its own, and look for what must not be.

- `crashes`: a file at which anything but a refusal was raised.
- `dates_invented`: instants of proposed claims that no date or number in the file fixes, read by a way of its own.
- `second_import_new`: changes that a second import proposed.
- `by_file`: format detected, records read, changes proposed, and what was refused with its reasons.
"""

from __future__ import annotations

import os
import re
import sys
import traceback
import zipfile
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bench import report
from muniment import Memory
from muniment.core.errors import MunimentError
from muniment.usecases import declare
from muniment.usecases.imported import PRINCIPAL

_DATE = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?\s?(?:[Zz]|[+-]\d\d:?(?:\d\d)?)?)?"
)
_NUMBER = re.compile(r"(?<![\d.])\d{9,13}(?:\.\d+)?(?![\d.])")
_OWN = frozenset({"provenance", "created_at"})
SHARED = {"level": "team-private", "allowed_principals": ["group:shop"]}


def main(arguments: list[str] | None = None) -> int:
    """Run; the exit code is 1 where anything was found."""
    parser = report.parser(__doc__)
    parser.add_argument("--samples", type=Path, required=True, help="a folder of files")
    given = parser.parse_args(arguments)
    result = measure(given.samples)
    report.emit(result, given.json)
    return int(any(result[key] for key in ("crashes", "dates_invented", "second_import_new")))


def measure(samples: Path) -> dict[str, Any]:
    """Every file below a folder."""
    paths = sorted(path for path in samples.rglob("*") if path.is_file())
    by_file = {path.relative_to(samples).as_posix(): tried(path) for path in paths}
    counted = {
        key: sum(found[key] for found in by_file.values())
        for key in ("crashes", "dates_invented", "second_import_new", "records", "proposed")
    }
    return {"files": len(by_file), **counted, "by_file": by_file}


def tried(path: Path) -> dict[str, Any]:
    """One file, imported twice into a store of its own."""
    found: dict[str, Any] = dict.fromkeys(
        ("crashes", "dates_invented", "second_import_new", "records", "proposed"), 0
    )
    memory = Memory.open(None, entropy=os.urandom).acting_as(
        "user:ada", scopes=["project:shop"], visibility=SHARED, uses=["answer_questions"]
    )
    memory.declare(declare.principal("user:ada"), declare.group("group:shop", ("user:ada",)))
    try:
        first = memory.import_(path)
        again = memory.import_(path)
    except MunimentError as refusal:
        codes = [finding.code for finding in refusal.findings]
        return {**found, "format": None, "refused": {refusal.code: 1}, "findings": codes}
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what this looks for
        last = traceback.extract_tb(error.__traceback__)[-1]
        return {
            **found,
            "crashes": 1,
            "detail": f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}",
        }
    known = instants_of(path)
    claims = [c.item for one in _proposed(memory) for c in one.diff.changes if c.item]
    invented = [at for claim in claims for at in _instants(claim) if at not in known]
    formats = [one.file.format for one in first.files if one.file.format]
    refused: dict[str, int] = {}
    for one in first.files:
        for reason, count in one.refused.items():
            refused[reason] = refused.get(reason, 0) + count
    return {
        **found,
        "format": formats[0] if formats else None,
        "why": first.files[0].file.why,
        "records": sum(one.records for one in first.files),
        "statements": sum(one.statements for one in first.files),
        "proposed": first.proposed,
        "needs_review": sum(one.needs_review for one in first.files),
        "messages": sum(one.messages for one in first.files),
        "refused": refused,
        "findings": sorted({f.code for one in first.files for f in one.findings}),
        "dates_invented": len(invented),
        "second_import_new": again.proposed,
    }


def _proposed(memory: Memory) -> Iterator[Any]:
    yield from (one for one in memory.inbox() if one.diff.proposed_by == PRINCIPAL)


def _instants(value: Any) -> Iterator[datetime]:
    """Every instant in a claim, but when its record was made here."""
    if isinstance(value, datetime):
        yield value
    elif is_dataclass(value):
        for one in fields(value):
            if one.name not in _OWN:
                yield from _instants(getattr(value, one.name))
    elif isinstance(value, tuple):
        for one in value:
            yield from _instants(one)


def instants_of(path: Path) -> set[datetime]:
    """Every instant that a text or number in a file fixes, read with the standard library alone.

    A day alone is taken at its first instant in UTC; a time without a zone fixes none.
    """
    found: set[datetime] = set()
    for text in _texts(path):
        for written in _DATE.findall(text):
            try:
                at = datetime.fromisoformat(written.replace(" +", "+").replace("z", "Z"))
            except ValueError:
                continue
            if len(written) == len("2026-01-01"):
                found.add(at.replace(tzinfo=UTC))
            elif at.tzinfo is not None:
                found.add(at.astimezone(UTC))
        for number in map(float, _NUMBER.findall(text)):
            seconds = number / 1000 if number >= 100_000_000_000 else number
            found.add(datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds))
    return found


def _texts(path: Path) -> Iterator[str]:
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                yield archive.read(name).decode("utf-8", "replace")
    else:
        yield path.read_bytes().decode("utf-8", "replace")


if __name__ == "__main__":
    sys.exit(main())
