"""Generated parts of the documentation are what the generators say, and all of them are shown."""

from __future__ import annotations

import pytest

from tests.docs.pages import ROOT
from tools.gendocs import GendocsError, fill, outdated

RECORDS = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))


def test_no_generated_part_is_out_of_date():
    assert [page.name for page in outdated(ROOT)] == []


def test_decision_records_are_numbered_without_gaps():
    numbers = [int(record.name[:4]) for record in RECORDS]
    assert numbers == list(range(1, len(numbers) + 1))


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.name)
def test_a_decision_record_says_context_options_decision_and_cost(record):
    lines = record.read_text(encoding="utf-8").splitlines()
    headings = [line for line in lines if line.startswith("#")]
    assert headings[0].startswith(f"# {record.name[:4]}. ")
    assert headings[1:] == ["## Context", "## Options", "## Decision", "## What got worse"]


def test_what_is_not_generated_stays_as_it_is():
    page = "a  \n\n<!-- generated: x -->\n<!-- end -->\n\tb"
    assert fill(page, {"x": "new"}) == "a  \n\n<!-- generated: x -->\n\nnew\n\n<!-- end -->\n\tb"


def test_filling_a_filled_page_changes_nothing():
    once = fill("<!-- generated: x -->\n<!-- end -->\n", {"x": "| a |\n| - |"})
    assert fill(once, {"x": "| a |\n| - |"}) == once


@pytest.mark.parametrize(
    ("page", "message"),
    [
        ("<!-- generated: y -->\n<!-- end -->\n", "no generator is called `y`"),
        ("<!-- generated: x -->\nold\n", "no `<!-- end -->`"),
        ("<!-- generated: x -->\n<!-- generated: x -->\n<!-- end -->\n", "no `<!-- end -->`"),
    ],
)
def test_a_block_that_cannot_be_filled_is_an_error(page, message):
    with pytest.raises(GendocsError, match=message):
        fill(page, {"x": "new"})


def test_a_generator_that_no_page_shows_is_an_error(tmp_path):
    (tmp_path / "docs").mkdir()
    with pytest.raises(GendocsError, match="no page shows `"):
        outdated(tmp_path)
