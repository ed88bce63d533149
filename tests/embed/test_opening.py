"""An embedder is opened by its name, and what cannot be opened says what can."""

from __future__ import annotations

import importlib.util

import pytest

from muniment.core.errors import InvalidInput
from muniment.embed.opening import KINDS, open_embedder


@pytest.mark.parametrize("spec", ["none", " none", "none:"])
def test_none_embeds_nothing(spec):
    assert open_embedder(spec) is None


@pytest.mark.skipif(
    importlib.util.find_spec("wordllama") is None, reason="the wheel `wordllama` is not installed"
)
def test_the_default_is_opened_by_its_name():
    assert open_embedder("wordllama").space.model == "wordllama/l2_supercat_256"


@pytest.mark.parametrize("spec", ["", "word2vec", "WORDLLAMA", "none:x", "openai", "a\nb:c"])
def test_what_is_unknown_is_refused(spec):
    with pytest.raises(InvalidInput):
        open_embedder(spec)


def test_a_refusal_lists_every_form():
    with pytest.raises(InvalidInput) as refused:
        open_embedder("word2vec")
    [finding] = refused.value.findings
    assert finding.code == "unknown_embedder"
    assert all(f"`{form}`" in finding.fix for kind in KINDS for form in kind.forms)


def test_a_folder_without_the_files_is_refused(tmp_path):
    with pytest.raises(InvalidInput, match="cannot be read in"):
        open_embedder(f"wordllama:{tmp_path}")
