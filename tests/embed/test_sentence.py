"""A sentence-transformers model is loaded from a folder that is data alone; the library itself is optional."""

from __future__ import annotations

import importlib.util
import json
import sys

import numpy as np
import pytest

from muniment.core.errors import InvalidInput
from muniment.embed import sentence
from muniment.embed.opening import open_embedder
from muniment.embed.sentence import SentenceEmbedder, digest_of, open_folder, require_data

needs_library = pytest.mark.skipif(
    importlib.util.find_spec("sentence_transformers") is None,
    reason="the package `sentence-transformers` is not installed",
)
OWN = "sentence_transformers.models.Transformer"


@pytest.fixture
def folder(tmp_path):
    """A folder that looks like a model."""
    model = tmp_path / "mini"
    (model / "1_Pooling").mkdir(parents=True)
    (model / "modules.json").write_text(
        json.dumps([{"idx": 0, "name": "0", "path": "", "type": OWN}])
    )
    (model / "model.safetensors").write_bytes(b"weights")
    (model / "1_Pooling" / "config.json").write_text("{}")
    return model


class Words:
    """A tokenizer of words, each one token, as the fast ones of the library answer."""

    def num_special_tokens_to_add(self):
        return 2

    def __call__(self, text, **_):
        places, at = [], 0
        for word in text.split(" "):
            places.append((at, at + len(word)))
            at += len(word) + 1
        return {"offset_mapping": places}


class Model:
    """Stands in for a loaded model: the vector counts letters, of at most `max_seq_length` tokens."""

    def __init__(self, max_seq_length=6):
        self.max_seq_length = max_seq_length
        self.tokenizer = Words()
        self.seen = []

    def get_embedding_dimension(self):
        return 2

    def encode(self, texts, **_):
        self.seen += texts
        return np.array([[text.count("a"), text.count("b")] for text in texts], dtype=np.float32)


def test_a_long_text_is_the_mean_of_its_windows_by_their_tokens():
    model = Model()
    [found] = SentenceEmbedder(model, "mini", "0" * 64).embed(["a a a a b b"])
    assert model.seen == ["a a a a ", "b b"]
    assert list(found) == [round(127 * n / 20**0.5) for n in (4, 2)]


def test_a_text_of_white_space_has_no_vector_and_surrogates_are_replaced():
    model = Model()
    assert SentenceEmbedder(model, "mini", "0" * 64).embed([" ", "a\ud800"])[0] == b""
    assert model.seen == ["a\ufffd"]


def test_a_model_without_a_window_reads_a_text_whole():
    model = Model(max_seq_length=None)
    SentenceEmbedder(model, "mini", "0" * 64).embed(["a " * 50 + "b"])
    assert model.seen == ["a " * 50 + "b"]


@pytest.mark.req("D-MODELDATA", "A-EMBVERSION")
def test_other_weights_are_another_version(folder):
    before = digest_of(folder)
    (folder / "README.md").write_text("a model card is no weight")
    assert digest_of(folder) == before
    (folder / "model.safetensors").write_bytes(b"Weights")
    assert digest_of(folder) != before


@pytest.mark.req("D-MODELDATA")
@pytest.mark.parametrize(
    "name", ["pytorch_model.bin", "x.PT", "modeling.py", "1_Pooling/x.pkl", "a/b.so"]
)
def test_a_file_that_would_be_run_is_refused(folder, name):
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_bytes(b"")
    with pytest.raises(InvalidInput, match="would be run") as refused:
        open_folder(str(folder))
    assert refused.value.findings[0].code == "model_runs_code"


@pytest.mark.req("D-MODELDATA")
def test_a_module_of_somebody_else_is_refused(folder):
    (folder / "modules.json").write_text(json.dumps([{"type": "evil.Module"}]))
    with pytest.raises(InvalidInput, match=r"`evil\.Module`"):
        require_data(folder)


@pytest.mark.parametrize("content", ["", "[1]", "{", '[{"name": "x"}]', "null"])
def test_a_folder_that_is_no_model_is_refused(folder, content):
    (folder / "modules.json").write_text(content)
    with pytest.raises(InvalidInput, match="holds no sentence-transformers model"):
        require_data(folder)


@pytest.mark.req("D-MODELDATA")
def test_a_pinned_digest_is_held_to(folder):
    with pytest.raises(InvalidInput, match="not the pinned one"):
        open_folder(f"{folder}?sha256={'0' * 64}")
    with pytest.raises(InvalidInput, match="is no option"):
        open_folder(f"{folder}?md5=1")


def test_without_the_library_the_refusal_says_what_to_install(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(InvalidInput, match="`sentence-transformers` is not installed") as refused:
        open_embedder(f"sentence-transformers:{folder}")
    assert refused.value.findings[0].fix == sentence.INSTALL


@needs_library
@pytest.mark.filterwarnings("default")  # the library's own warnings are its own matter
def test_a_real_model_of_random_weights_is_loaded_and_read(tmp_path):
    place = tmp_path / "random"
    make_model(place)
    embedder = open_embedder(f"sentence-transformers:{place}?sha256={digest_of(place)}")
    texts = ["one two three", "", "one two three " * 40, "three"]
    found = embedder.embed(texts)
    assert [len(vector) for vector in found] == [16, 0, 16, 16]
    assert embedder.embed(texts[::-1]) == found[::-1]
    assert embedder.space.dimension == 16


def make_model(place):
    """A model of two tiny layers with random weights, saved as safetensors; nothing is downloaded."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "one", "two", "three"]
    tokenizer = Tokenizer(WordLevel({name: n for n, name in enumerate(names)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
        model_max_length=32,
    )
    config = BertConfig(
        vocab_size=len(names),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=64,
    )
    base = place.with_name("base")
    BertModel(config).save_pretrained(base, safe_serialization=True)
    fast.save_pretrained(base)
    word = Transformer(str(base), max_seq_length=32)
    pooling = Pooling(word.get_embedding_dimension())
    SentenceTransformer(modules=[word, pooling], device="cpu").save(
        str(place), safe_serialization=True
    )
