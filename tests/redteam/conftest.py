"""One fresh world a test, and a repository to learn from."""

from __future__ import annotations

import pytest

from tests.usecases.repositories import FILES, Checkout
from tests.usecases.world import World


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def checkout(world, tmp_path) -> Checkout:
    """A git repository with one commit on `main`."""
    made = Checkout(world, tmp_path / "shop")
    made.folder.mkdir()
    made.git("init", "-q", "-b", "main")
    made.commit(dict(FILES))
    return made
