"""One fresh world a test."""

from __future__ import annotations

import pytest

from tests.usecases.world import World


@pytest.fixture
def world() -> World:
    return World()
