"""An embedder is opened by its name, and what cannot be opened says what can."""

from __future__ import annotations

import importlib.util

import pytest

from muniment.core.embedding import Space
from muniment.core.errors import InvalidInput
from muniment.core.similarity import CALIBRATIONS, ONE, QUESTIONS
from muniment.embed.opening import KINDS, open_embedder
from muniment.usecases.embedding import calibration_for


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


class Fixed:
    """Embeds questions in one direction and all else in another."""

    def __init__(self, space):
        self.space = space
        self.asked = []

    def embed(self, texts):
        self.asked += texts
        return [bytes([127, 0]) if text in QUESTIONS else bytes([90, 90]) for text in texts]


def test_a_measured_space_is_not_probed():
    embedder = Fixed(CALIBRATIONS[0].space)
    assert calibration_for(embedder) == CALIBRATIONS[0]
    assert embedder.asked == []


def test_another_space_is_probed_with_texts_of_our_own():
    embedder = Fixed(Space("mini", "1", 2))
    found = calibration_for(embedder)
    assert found.space == embedder.space
    assert found.average == found.noise == round(ONE / 2**0.5)
    assert len(embedder.asked) == 64
