"""The offline embedder: pinned data, the same bytes in whatever company, words close in meaning close in space."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from math import isqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.core.embedding import Space
from muniment.core.errors import InvalidInput
from muniment.embed import static
from muniment.embed.pieces import LONGEST, Pieces, split
from muniment.embed.quantise import mean_of, unit_bytes, whole_numbers
from muniment.embed.static import VOCABULARY, WEIGHTS, StaticEmbedder, open_wordllama
from muniment.ports.embedding import Embedder

WHEEL = importlib.util.find_spec("wordllama")
pytestmark = pytest.mark.skipif(WHEEL is None, reason="the wheel `wordllama` is not installed")

WORDS = (
    "deploys production Friday naïve 東京都庁 한국어 हिन्दी getUserName snake_case don't 3.11 İstanbul ﬁ x "
    "<s> ▁▁ a a a e\u0301 ภาษาไทย العربية \ud800 \U0010ffff ❤️ Ⅷ supercalifragilistic"
).split()
texts = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join) | st.text(max_size=40)


@pytest.fixture(scope="module")
def embedder():
    return open_wordllama()


@pytest.fixture
def copy(tmp_path):
    """A folder with links to the wheel's two files."""
    for pinned in (WEIGHTS, VOCABULARY):
        source = Path(WHEEL.submodule_search_locations[0]) / pinned.folder / pinned.name
        (tmp_path / pinned.name).symlink_to(source)
    return tmp_path


def rows(vectors):
    return np.array([np.frombuffer(vector, np.int8) for vector in vectors]).astype(np.int64)


# --- the same bytes -----------------------------------------------------------------------------


@settings(max_examples=30)
@given(batch=st.lists(texts, max_size=8), seed=st.integers(0, 99))
def test_neither_batch_nor_order_changes_a_vector(embedder, batch, seed):
    alone = {text: embedder.embed([text])[0] for text in batch}
    random.Random(seed).shuffle(batch)
    assert embedder.embed(batch) == [alone[text] for text in batch]


def test_a_batch_longer_than_a_step_keeps_its_order(embedder, monkeypatch):
    many = [f"{word} {number}" for number, word in enumerate(WORDS * 3)]
    whole = embedder.embed(many)
    monkeypatch.setattr(static, "_STEP", 7)
    assert embedder.embed(many) == whole


def test_threads_share_an_embedder(embedder):
    batch = [f"{a} {b}" for a in WORDS for b in WORDS]
    whole = embedder.embed(batch)
    with ThreadPoolExecutor(4) as pool:
        assert [v for [v] in pool.map(lambda text: embedder.embed([text]), batch)] == whole


def test_another_process_with_another_hash_seed_and_locale_gives_the_same_bytes(embedder):
    code = (
        "from muniment.embed.static import open_wordllama; import hashlib; "
        "print(hashlib.sha256(b''.join(open_wordllama().embed(['How do I run the tests?', 'déjà vu']))).hexdigest())"
    )
    here = hashlib.sha256(
        b"".join(embedder.embed(["How do I run the tests?", "déjà vu"]))
    ).hexdigest()
    environment = {**os.environ, "PYTHONHASHSEED": "7", "LC_ALL": "C", "OMP_NUM_THREADS": "1"}
    run = [sys.executable, "-c", code]
    assert subprocess.check_output(run, env=environment, text=True).strip() == here


def test_the_bytes_are_those_of_the_version_that_the_space_names(embedder):
    """A change of pooling, cutting or rounding changes METHOD: what is stored could not be compared."""
    assert embedder.space == Space("wordllama/l2_supercat_256", "2df15569175d.words-1", 256)
    found = b"".join(
        embedder.embed(["How do I run the tests?", "We deploy on Fridays; naïve 東京"])
    )
    assert hashlib.sha256(found).hexdigest()[:16] == "4ca563a2b6d78989"


def test_a_vector_is_what_whole_numbers_make_of_the_table(embedder):
    text = "the tests test the tests of unbelievability"
    total = [0] * 256
    for word in dict.fromkeys(split(text)):
        numbers = embedder._pieces(word)
        exact = [sum(Fraction(float(embedder._table[n, d])) for n in numbers) for d in range(256)]
        scaled = [round(float(each) * (4096 / len(numbers) ** 0.5)) for each in exact]
        weight = isqrt(split(text).count(word) << 16)
        total = [t + weight * s for t, s in zip(total, scaled, strict=True)]
    length = sum(t * t for t in total) ** 0.5
    expected = [round(127 * t / length) for t in total]
    assert rows(embedder.embed([text]))[0].tolist() == expected


# --- what a vector is ---------------------------------------------------------------------------


def test_it_is_an_embedder(embedder):
    assert isinstance(embedder, Embedder)


@pytest.mark.parametrize("text", ["", " \n", "!? --", "❤️", "\u200b"])
def test_a_text_without_words_has_no_vector(embedder, text):
    assert embedder.embed([text, "word"])[0] == b""


@settings(max_examples=30)
@given(text=texts)
def test_a_vector_has_length_127_but_for_rounding(embedder, text):
    [vector] = embedder.embed([text])
    length = sum(int(x) ** 2 for x in np.frombuffer(vector, np.int8)) ** 0.5
    assert vector == b"" or abs(length - 127) < 5


def test_case_punctuation_and_joints_do_not_matter(embedder):
    forms = ["parse HTTP header", "Parse, HTTP header!", "parseHTTPHeader", "parse_http-header"]
    assert len(set(embedder.embed(forms))) == 1


def test_what_means_the_same_is_closer_than_what_shares_words(embedder):
    asked, meant, worded = rows(
        embedder.embed(["Where does she live?", "Her home is in Boston.", "Where does she shop?"])
    )
    other = rows(embedder.embed(["The compiler optimises loops."]))[0]
    assert asked @ meant > 3 * (asked @ other)
    assert asked @ worded > asked @ other


def test_every_word_of_a_long_text_counts(embedder):
    filler = "the committee discussed the budget and the schedule at length " * 400
    plain, with_end = embedder.embed([filler, filler + " penguins"])
    assert plain != with_end


def test_a_long_text_without_spaces_takes_no_long_time(embedder):
    assert (
        len(embedder.embed(["".join(random.Random(1).choices("aeinorst東", k=200_000))])[0]) == 256
    )


# --- pieces -------------------------------------------------------------------------------------


def test_pieces_are_those_of_the_tokenizer_that_the_table_was_made_with(embedder):
    tokenizers = pytest.importorskip("tokenizers")
    path = Path(WHEEL.submodule_search_locations[0]) / VOCABULARY.folder / VOCABULARY.name
    reference = tokenizers.Tokenizer.from_file(str(path))
    made = random.Random(3)
    letters = "aabcdeeginorst09éßπшд東京語한국ไทยहि\u0301\U0001f600"
    words = {"".join(made.choices(letters, k=made.randint(1, LONGEST - 1))) for _ in range(2_000)}
    words |= {word for text in (__doc__, static.__doc__, *WORDS) for word in split(text)}
    words = {w.encode("utf-8", "ignore").decode() for w in words} - {""}
    expected = {w: tuple(reference.encode(w, add_special_tokens=False).ids) for w in words}
    assert {word: embedder._pieces(word) for word in words} == expected


def test_remembering_pieces_changes_none(embedder, monkeypatch):
    monkeypatch.setattr("muniment.embed.pieces._REMEMBERED", 2)
    fresh = Pieces(embedder._pieces._vocabulary, embedder._pieces._merges)
    words = [word for text in WORDS for word in split(text)] * 2
    assert [fresh(word) for word in words] == [embedder._pieces(word) for word in words]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("Don't panic—42!", ["don", "t", "panic", "42"]),
        (
            "getHTTPResponse user_id ISO-8601",
            ["get", "http", "response", "user", "id", "iso", "8601"],
        ),
        ("Straße ＰＹＴＨＯＮ ﬁne", ["strasse", "python", "fine"]),
        ("हिन्दी ภาษาไทย 東京", ["हिन्दी", "ภาษาไทย", "東京"]),
    ],
)
def test_words_are_runs_of_letters_marks_and_digits(text, words):
    assert split(text) == words


# --- pinned data --------------------------------------------------------------------------------


@pytest.mark.req("D-MODELDATA")
@pytest.mark.parametrize("pinned", [WEIGHTS, VOCABULARY], ids=lambda pinned: pinned.name)
@pytest.mark.parametrize("change", ["one_byte", "longer", "empty"])
def test_a_file_with_other_bytes_is_refused(copy, pinned, change):
    path = copy / pinned.name
    content = bytearray(path.read_bytes())
    path.unlink()
    content[-1] ^= 1
    path.write_bytes({"one_byte": content, "longer": content + b"\0", "empty": b""}[change])
    with pytest.raises(
        InvalidInput, match="is not the file that this version was made for"
    ) as refused:
        open_wordllama(copy)
    assert (refused.value.findings[0].code, pinned.sha256 in refused.value.findings[0].fix) == (
        "embedder_weights_differ",
        True,
    )


def test_files_side_by_side_are_read_too(copy, embedder):
    assert open_wordllama(copy).embed(["the same"]) == embedder.embed(["the same"])


def test_a_missing_file_says_how_to_get_it(tmp_path):
    with pytest.raises(InvalidInput, match="cannot be read in") as refused:
        open_wordllama(tmp_path)
    assert "pip install" in refused.value.findings[0].fix


def test_a_missing_package_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr(static, "find_spec", lambda name: None)
    with pytest.raises(InvalidInput, match=r"`wordllama`.* is not installed") as refused:
        open_wordllama()
    assert "muniment[embeddings]" in refused.value.findings[0].fix


@pytest.mark.req("D-MODELDATA")
def test_nothing_of_the_package_is_run_and_nothing_heavy_is_imported():
    code = (
        "import sys; from muniment.embed.static import open_wordllama; open_wordllama().embed(['hello']); "
        "print(sorted({'wordllama', 'tokenizers', 'safetensors', 'pickle', 'requests', 'huggingface_hub'} "
        "& set(sys.modules)))"
    )
    found = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert [name for name in eval(found) if name != "pickle"] == []  # NumPy itself imports pickle


# --- rounding -----------------------------------------------------------------------------------

sums = st.lists(
    st.lists(st.integers(-(2**52), 2**52), min_size=3, max_size=3), min_size=1, max_size=5
)


@given(numbers=sums)
def test_a_unit_vector_is_within_a_unit_of_the_exact_one_and_alone_in_its_row(numbers):
    found = unit_bytes(np.array(numbers, dtype=np.int64))
    assert found == [unit_bytes(np.array([row], dtype=np.int64))[0] for row in numbers]
    for row, vector in zip(numbers, found, strict=True):
        length = sum(n * n for n in row) ** 0.5
        exact = [127 * n / length for n in row] if length else []
        assert [
            abs(b - e) <= 0.5001 for b, e in zip(np.frombuffer(vector, np.int8), exact, strict=True)
        ].count(False) == 0


def test_a_wide_vector_does_not_overflow():
    wide = np.full((1, 16_384), 2**52, dtype=np.int64)
    assert set(unit_bytes(wide)[0]) == {1}  # 127 / 128, rounded


@pytest.mark.parametrize(("row", "rounded"), [((1, 253, 21, 8, 1), 0), ((3, 253, 20, 7, 7), 2)])
def test_halves_are_rounded_to_even(row, rounded):
    assert sum(n * n for n in row) == 254**2  # so that 127 times the first is a half exactly
    assert unit_bytes(np.array([row]))[0][0] == rounded


def test_numbers_become_whole_by_their_own_row():
    given_rows = np.array([[0.5, -1.0], [0.0, 0.0], [1e-300, 1e-300]])
    assert whole_numbers(given_rows).tolist() == [[1 << 24, -(1 << 25)], [0, 0], [1 << 25, 1 << 25]]


def test_the_mean_leaves_out_what_has_no_vector():
    assert mean_of([b"", bytes([127, 0])], [9, 1]) == bytes([127, 0])
    assert mean_of([b""], [1]) == b""
    assert mean_of([bytes([127, 0]), bytes([0, 127])], [3, 1]) == unit_bytes(np.array([[3, 1]]))[0]


def test_another_table_can_be_embedded_with():
    table = np.array([[1, 0], [0, 1], [1, 1]], dtype=np.float16)
    tiny = StaticEmbedder(
        Space("tiny", "1", 2), table, Pieces({"▁": 0, "a": 1, "▁a": 2}, {"▁ a": 0})
    )
    assert [list(vector) for vector in tiny.embed(["a", "aa"])] == [[90, 90], [57, 114]]
