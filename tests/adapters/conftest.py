"""One fresh world a test."""

from __future__ import annotations

import pytest

from tests.adapters.world import World


@pytest.fixture
def world():
    world = World()
    yield world
    world.opened.close()
