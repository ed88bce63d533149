"""Every error that a reader can meet has a code of its own form and a place in the reference."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections import Counter

import pytest

import muniment.core
from muniment.core.errors import MunimentError, Refusal, StoreError
from tests.fitness.tree import ROOT

REFERENCE = ROOT / "docs" / "reference" / "errors.md"


def descendants(kind):
    return {kind} | {deep for child in kind.__subclasses__() for deep in descendants(child)}


@pytest.fixture(scope="module")
def errors():
    for module in pkgutil.walk_packages(muniment.core.__path__, "muniment.core."):
        importlib.import_module(module.name)
    found = descendants(MunimentError) - {MunimentError}
    return sorted((e for e in found if e.__module__.startswith("muniment.")), key=str)


def test_every_error_is_a_refusal_or_about_the_store(errors):
    assert [e for e in errors if not issubclass(e, Refusal | StoreError)] == []


def test_an_errors_code_is_a_stable_word(errors):
    assert [e for e in errors if not re.fullmatch(r"[a-z]+(_[a-z]+)*", e.code)] == []


def test_no_two_errors_share_a_code(errors):
    assert max(Counter(error.code for error in errors).values()) == 1


@pytest.mark.skipif(not REFERENCE.is_file(), reason="the reference of errors is not written yet")
def test_the_reference_explains_every_error(errors):
    text = REFERENCE.read_text(encoding="utf-8")
    assert [error.code for error in errors if f"`{error.code}`" not in text] == []
