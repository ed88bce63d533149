"""Every example that the documentation shows is run.

- Python blocks of README.md, the other pages and docs/**/*.md run from top to bottom, in one
  namespace a page and in an empty folder; only `<!-- skip: next -->` before a block leaves it out.
- Examples in docstrings of the package and the tools run as doctests.
"""

from __future__ import annotations

import doctest
import importlib

import pytest
from sybil import Sybil
from sybil.example import SybilFailure
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser

from tests.docs.pages import PAGES, ROOT, name_of

SYBIL = Sybil(parsers=[PythonCodeBlockParser(), SkipParser()], pattern="*.md")
MODULES = {
    ".".join(file.relative_to(base).with_suffix("").parts).removesuffix(".__init__"): file
    for base, folder in ((ROOT / "src", "muniment"), (ROOT, "tools"))
    for file in sorted((base / folder).rglob("*.py"))
    if ">>> " in file.read_text(encoding="utf-8")
}


def run_page(page):
    for example in SYBIL.parse(page).examples():
        example.evaluate()


@pytest.mark.parametrize(
    "page", [page for page in PAGES if "```python" in page.read_text("utf-8")], ids=name_of
)
def test_the_examples_of_the_page_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_page(page)


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_of_the_docstrings_run(module):
    finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner(verbose=False)
    report = []
    for case in finder.find(importlib.import_module(module), module):
        runner.run(case, out=report.append)
    assert runner.failures == 0, "".join(report)


def test_an_example_that_does_not_hold_fails(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```python\nassert 1 + 1 == 3\n```\n")
    with pytest.raises((SybilFailure, AssertionError)):
        run_page(page)


def test_an_example_that_shows_output_is_compared(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```python\n>>> 1 + 1\n3\n```\n")
    with pytest.raises(SybilFailure):
        run_page(page)


def test_only_a_marked_example_is_left_out(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("<!-- skip: next -->\n\n```python\nx = 1 / 0\n```\n\n```python\ny = 1\n```\n")
    run_page(page)
