"""The scripts of examples/ run as they stand, and print what they are meant to show."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from tests.docs.pages import ROOT

EXAMPLES = ROOT / "examples"
SHOWN = {
    "remember_review_recall.py": [
        "before review: no_support",
        "the agent: `agent:codex` may not decide changes: the role `reviewer` is missing",
        "after review: complete ['Orders ship on Fridays.']",
        "to deploy: no_support",
        "somebody else: no_support",
    ],
    "conflict_with_precedence.py": [
        "kept as a conflict: requires python: `>=3.12` or `>=3.11`",
        "may win: The shop requires Python 3.12 or newer. by source_strength",
        "outcome: complete",
    ],
    "policy_on_a_repository.py": [
        "  waits     add  Never commit on Fridays.",
        "  accepted  add  This repository requires Python >=3.11.",
        "  waits     supersede  This repository requires Python >=3.12.",
        "  accepted  supersede  This repository requires Python >=3.12.",
        "reviewed by: policy:manifests",
        "accounts: ['derived']",
    ],
}


def printed(script, folder):
    done = subprocess.run(
        [sys.executable, "-W", "error", str(script)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_every_example_says_here_what_it_shows():
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(SHOWN)


@pytest.mark.parametrize("name", SHOWN)
def test_the_example_runs_and_shows_what_it_is_meant_to(name, tmp_path):
    if name == "policy_on_a_repository.py" and shutil.which("git") is None:
        pytest.skip("needs git")
    lines = printed(EXAMPLES / name, tmp_path)
    assert [line for line in SHOWN[name] if line not in lines] == []
