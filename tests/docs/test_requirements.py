"""A promise that is claimed has a test, and a test's promise is on the list."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.docs.pages import ROOT
from tools.requirements import DOCUMENT, Row, check, parse


def collected(test_file):
    code = (
        "import json, sys; from tools.requirements import collect; "
        "print(json.dumps(collect(sys.argv[1:])))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, str(test_file)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return json.loads(run.stdout) if run.returncode == 0 else run.stderr


@pytest.mark.parametrize(
    ("rows", "tests", "expected", "wrong"),
    [
        ([Row("X-1", "p", "claimed")], {"X-1": ["t"]}, None, []),
        ([Row("X-1", "p", "planned")], {}, None, []),
        ([Row("X-1", "p", "claimed")], {}, None, ["`X-1` is claimed, and no test carries it"]),
        ([Row("X-1", "p", "done")], {}, None, ["`X-1` has the state `done`"]),
        ([Row("X-1", "p", "planned")] * 2, {}, None, ["`X-1` has 2 rows"]),
        ([], {"X-2": ["t"]}, None, ["a marker names `X-2`"]),
        ([], {}, frozenset({"X-3"}), ["`X-3` has no row"]),
        ([Row("X-4", "p", "planned")], {}, frozenset(), ["`X-4` is not on the given list"]),
    ],
)
def test_everything_wrong_is_named(rows, tests, expected, wrong):
    found = check(rows, tests, expected)
    assert [
        text for text, start in zip(found, wrong, strict=True) if not text.startswith(start)
    ] == []


def test_markers_are_counted_as_pytest_collects_them(tmp_path):
    file = tmp_path / "test_sample.py"
    file.write_text(
        "import pytest\npytestmark = pytest.mark.req('B-V1')\n"
        "@pytest.mark.req('B-V2', 'B-V3')\n@pytest.mark.parametrize('n', [1, 2])\n"
        "def test_a(n): pass\n"
    )
    counts = {name: len(tests) for name, tests in collected(file).items()}
    assert counts == {"B-V1": 2, "B-V2": 2, "B-V3": 2}


def test_tests_that_cannot_be_collected_are_an_error(tmp_path):
    file = tmp_path / "test_sample.py"
    file.write_text("import there_is_no_such_module\n")
    assert "there_is_no_such_module" in collected(file)


def test_the_document_has_every_table_row_understood():
    text = DOCUMENT.read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.startswith("| ") and "-" in line[:8]]
    rules = [line for line in lines if not line.startswith("| --- ")]
    assert len(parse(text)) == len(rules) > 100


def test_the_document_has_each_promise_once_and_in_a_known_state():
    rows = parse(DOCUMENT.read_text(encoding="utf-8"))
    assert check(rows, {row.id: ["some test"] for row in rows}, None) == ()
