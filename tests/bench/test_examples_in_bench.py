"""The examples in the harness's docstrings run."""

import doctest
import importlib

import pytest


@pytest.mark.parametrize("name", ["disk", "faults", "findings", "report", "syscalls", "vfs"])
def test_examples_run(name):
    outcome = doctest.testmod(importlib.import_module(f"bench.{name}"))
    assert outcome.attempted > 0
    assert outcome.failed == 0
