"""What is published is the package, whole and alone."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from email.parser import HeaderParser
from zipfile import ZipFile

import pytest

from tests.fitness.tree import ROOT, SOURCE


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def names_in(wheel):
    with ZipFile(wheel) as archive:
        return set(archive.namelist())


def metadata_of(wheel):
    with ZipFile(wheel) as archive:
        name = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return HeaderParser().parsestr(archive.read(name).decode("utf-8"))


def test_the_wheel_has_every_module_and_the_marker_of_types(wheel):
    modules = {f"muniment/{f.relative_to(SOURCE).as_posix()}" for f in SOURCE.rglob("*.py")}
    assert modules | {"muniment/py.typed"} <= names_in(wheel)


def test_the_wheel_has_nothing_but_the_package_and_its_metadata(wheel):
    tops = {name.split("/")[0] for name in names_in(wheel)}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"muniment"}


def test_the_wheel_carries_the_licence(wheel):
    carried = {name.rpartition("/")[2] for name in names_in(wheel) if "/licenses/" in name}
    assert carried == {"LICENSE", "NOTICE"}


def test_the_metadata_says_what_the_project_says(wheel, project):
    metadata = metadata_of(wheel)
    said = (metadata["Name"], metadata["Version"], metadata["Requires-Python"])
    assert said == (project["name"], project["version"], project["requires-python"])


def test_every_dependency_has_a_lower_bound(project):
    assert [name for name in project["dependencies"] if ">=" not in name] == []


def test_the_package_imports_from_the_wheel_alone(wheel):
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); "
        "import muniment.core.errors as errors; print(errors.__file__)"
    )
    run = subprocess.run(
        [sys.executable, "-S", "-E", "-c", code, str(wheel)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stdout.startswith(str(wheel)), run.stderr
