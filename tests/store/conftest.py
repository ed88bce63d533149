"""Assertions of the acceptance suite are shown in full, though it is imported."""

import pytest

pytest.register_assert_rewrite(
    "tests.store.acceptance", "tests.store.acceptance_notes", "tests.store.world"
)
