"""The measurements of MIF find no difference, and the checklist's table names tests that are there."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.mif import ITEMS, checklist, comes_back, expands, exported, verdicts

SUITE = Path(__file__).parents[3] / ".." / "shared" / "mif"
TABLE = Path(__file__).parent / "checklist.tsv"


def test_every_item_of_the_checklist_names_tests_that_are_there():
    assert checklist(TABLE) == ITEMS


def test_an_item_whose_test_is_gone_does_not_count(tmp_path):
    (tmp_path / "test_x.py").write_text("def test_a(): pass\n")
    (tmp_path / "t.tsv").write_text(
        "item\ttests\n1\ttest_x.py::test_a\n2\ttest_x.py::test_b\n3\t\n"
    )
    assert checklist(tmp_path / "t.tsv") == 1


@pytest.mark.skipif(not SUITE.is_dir(), reason="needs ../shared/mif")
@pytest.mark.req("C-SCHEMA", "C-ROUNDTRIP", "C-JSONLD", "C-OKF")
def test_the_reference_suite_is_judged_round_tripped_expanded_and_exported_as_it_should():
    accepted, result = verdicts(SUITE)
    assert (result["differ"], result["files"] > 60, len(accepted) > 40) == ([], True, True)
    assert all(map(comes_back, accepted))
    assert all(map(expands, accepted))
    assert exported(accepted) == (len(accepted), [])
