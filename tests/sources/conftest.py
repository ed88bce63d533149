"""Repositories made in temporary folders."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

REPOS = Path(__file__).parent.parent / "data" / "repos"


def git(folder: Path, *arguments: str) -> str:
    """Run git in a test's own folder."""
    done = subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)
    return done.stdout.decode().strip()


@pytest.fixture
def shop(tmp_path):
    """A copy of the Python repository under git, with one commit."""
    root = tmp_path / "shop"
    shutil.copytree(REPOS / "python-shop", root)
    git(root, "init", "-q", "-b", "main")
    git(root, "config", "core.autocrlf", "false")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "First")
    return root
