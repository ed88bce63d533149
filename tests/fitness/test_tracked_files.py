"""What is published tells nothing about the machines on which it was made."""

from __future__ import annotations

import re
import subprocess

import pytest

from tests.fitness.tree import ROOT

# Put together here, so that this file does not name them. A made-up person's home is no machine's.
_PERSON = rb"(?!user|alice|bob|example|you|me/)[A-Za-z]\w+"
MACHINE_PATH = re.compile(
    rb"(?<![\w.}*~-])/(?:"
    + b"|".join([b"work", b"root", b"home/" + _PERSON, b"Users/" + _PERSON])
    + rb")/[\w.]"
)


def tracked_files():
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listing.returncode != 0:
        pytest.skip("not a git checkout")
    names = listing.stdout.decode().split("\0")
    return [ROOT / name for name in names if name and (ROOT / name).is_file()]


def test_no_tracked_file_names_a_path_of_some_machine():
    found = {
        file.relative_to(ROOT).as_posix(): match[0]
        for file in tracked_files()
        if (match := MACHINE_PATH.search(file.read_bytes()))
    }
    assert found == {}


@pytest.mark.parametrize("path", ["/work" + "/main", "/root" + "/.cache", "/home" + "/ann/x"])
def test_the_check_finds_a_path(path):
    assert MACHINE_PATH.search(f"see {path}".encode())


@pytest.mark.parametrize(
    "path", ["docs/work/a", "https://example.org/work/x", "~/work/x", "/home" + "/user1/x"]
)
def test_the_check_lets_a_relative_path_an_address_or_an_example_pass(path):
    assert MACHINE_PATH.search(f"see {path}".encode()) is None
