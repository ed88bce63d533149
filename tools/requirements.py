r"""Compare what `docs/requirements.md` promises with the tests that show it.

- The document is one table: `id | what we promise | state`; a state is `claimed` or `planned`.
- A test carries a requirement by `@pytest.mark.req("B-V1")`; markers are read from pytest's own
  collection, so a parametrised or inherited marker counts as pytest counts it.
- Wrong are: a `claimed` requirement without a test, a marker that names no row, a row twice, an
  unknown state. Everything wrong is said at once, and the exit code is then 1.
- Where a list of the expected ids lies beside the project, the rows must be exactly those.

A marker alone proves little: that a test fails once its rule is switched off is shown by the suite.

>>> rows = parse(
...     "| id | what we promise | state |\n| --- | --- | --- |\n| X-1 | be kind | claimed |"
... )
>>> [finding for finding in check(rows, {}, None)]
['`X-1` is claimed, and no test carries it: mark one, or set its state to `planned`']
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOCUMENT = ROOT / "docs" / "requirements.md"
EXPECTED = ROOT.parent / "shared" / "requirements.tsv"
STATES = ("claimed", "planned")
_ROW = re.compile(r"^\|\s*([A-Z]-[A-Z0-9-]+)\s*\|\s*(.+?)\s*\|\s*(\w*)\s*\|\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Row:
    """One promise of the document.

    Attributes:
        id: The requirement's identifier, `B-V1`.
        promise: What is promised, in one line.
        state: One of `STATES`; anything else is reported by `check`.
    """

    id: str
    promise: str
    state: str


class _Markers:
    """Pytest plugin that keeps the `req` markers of what was collected."""

    def __init__(self) -> None:
        self.found: dict[str, list[str]] = {}

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for item in session.items:
            ids = {str(arg) for marker in item.iter_markers("req") for arg in marker.args}
            for requirement in ids:
                self.found.setdefault(requirement, []).append(item.nodeid)


def parse(text: str) -> tuple[Row, ...]:
    """The rows of the document's table, in its order.

    >>> parse("| A-X | one promise | planned |")
    (Row(id='A-X', promise='one promise', state='planned'),)
    """
    return tuple(Row(*match) for match in _ROW.findall(text))


def check(
    rows: Sequence[Row], tests: Mapping[str, Sequence[str]], expected: frozenset[str] | None
) -> tuple[str, ...]:
    """Everything that is wrong, each with what to do; empty where all is well.

    Args:
        rows: The document's table.
        tests: The tests of each id that some marker names.
        expected: The ids that the table must hold, or None where no list is given.
    """
    known = {row.id for row in rows}
    wrong = [
        f"`{row.id}` is claimed, and no test carries it: mark one, or set its state to `planned`"
        for row in rows
        if row.state == "claimed" and not tests.get(row.id)
    ]
    wrong += [
        f"`{row.id}` has the state `{row.state}`: it is one of {', '.join(STATES)}"
        for row in rows
        if row.state not in STATES
    ]
    wrong += [
        f"`{name}` has {count} rows: keep one"
        for name, count in Counter(row.id for row in rows).items()
        if count > 1
    ]
    wrong += [
        f"a marker names `{name}`, which is no row of docs/requirements.md ({tests[name][0]})"
        for name in sorted(set(tests) - known)
    ]
    if expected is not None:
        wrong += [f"`{name}` has no row: add one" for name in sorted(expected - known)]
        wrong += [f"`{name}` is not on the given list" for name in sorted(known - expected)]
    return tuple(wrong)


def collect(arguments: Sequence[str] = ("tests",)) -> dict[str, tuple[str, ...]]:
    """The tests that carry each requirement, as pytest collects them.

    Args:
        arguments: What pytest collects.

    Raises:
        RuntimeError: Pytest could not collect; its output is the message.
    """
    plugin = _Markers()
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        code = pytest.main(
            [
                "-c",
                str(ROOT / "pyproject.toml"),
                "--collect-only",
                "-qp",
                "no:cacheprovider",
                *arguments,
            ],
            plugins=[plugin],
        )
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        raise RuntimeError(output.getvalue())
    return {name: tuple(items) for name, items in sorted(plugin.found.items())}


def _expected(path: Path) -> frozenset[str] | None:
    if not path.is_file():
        return None
    lines = path.read_text(encoding="utf-8").splitlines()[1:]
    return frozenset(line.split("\t", 1)[0] for line in lines if line.strip())


def _print_table(rows: Sequence[Row], tests: Mapping[str, Sequence[str]]) -> None:
    for row in rows:
        carried = tests.get(row.id, ())
        print(f"{row.id:24} {row.state:8} {len(carried):4}  {row.promise}")
        for name in carried:
            print(f"{'':38}  {name}")


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.requirements", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    parser.add_argument("--quiet", action="store_true", help="print the summary only")
    parser.add_argument(
        "--suggest", action="store_true", help="print the planned ids that have tests, one a line"
    )
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the comparison; 0 where nothing is wrong, 1 otherwise."""
    options = _options(arguments)
    rows = parse(DOCUMENT.read_text(encoding="utf-8"))
    try:
        tests = collect()
    except RuntimeError as failure:
        print(f"the tests could not be collected:\n{failure}", file=sys.stderr)
        return 1
    wrong = check(rows, tests, _expected(EXPECTED))
    claimed = sum(row.state == "claimed" for row in rows)
    if options.suggest:
        print("\n".join(row.id for row in rows if row.state == "planned" and tests.get(row.id)))
    elif options.json:
        listed = [
            {"id": r.id, "promise": r.promise, "state": r.state, "tests": tests.get(r.id, ())}
            for r in rows
        ]
        print(json.dumps({"requirements": listed, "wrong": wrong}, indent=2, ensure_ascii=False))
    else:
        if not options.quiet:
            _print_table(rows, tests)
        print(
            f"requirements: {len(rows)} in all, {claimed} claimed, {len(rows) - claimed} planned, "
            f"{sum(1 for row in rows if tests.get(row.id))} with tests"
        )
    for finding in wrong:
        print(f"wrong: {finding}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
