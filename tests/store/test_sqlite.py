"""The SQLite store keeps the port's promises."""

from __future__ import annotations

import itertools

import pytest

from muniment.store.sqlite import SqliteStore
from tests.store.acceptance import *  # noqa: F403
from tests.store.acceptance_facts import *  # noqa: F403
from tests.store.acceptance_notes import *  # noqa: F403
from tests.store.harm import Damage
from tests.store.world import numbers


@pytest.fixture
def make_store(tmp_path):
    count = itertools.count()

    def make(**options):
        path = tmp_path / "folder" / f"memory{next(count)}.db"
        return SqliteStore.open(path, entropy=numbers(), create=True, **options)

    return make


@pytest.fixture
def damage():
    return Damage
