"""The words of a text: identifiers, stems, scripts without spaces, stop words."""

from __future__ import annotations

import subprocess
import sys
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.core.words import (
    _ASCII_CHUNK,
    _CHUNK,
    LONGEST_WORD,
    STOP_WORDS,
    _classes,
    query_words,
    stem,
    words,
)

ANY_TEXT = st.text(alphabet=st.characters(), max_size=60)
CODE_LIKE = st.text(alphabet="aBc1._-/\\:@+#', 東\u0301é’", max_size=40)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ()),
        ("  --- ... ", ()),
        ("Running the TESTS", ("run", "the", "test")),
        ("runTests", ("runtests", "run", "test")),
        ("XMLHttpRequest", ("xmlhttprequest", "xml", "http", "request")),
        ("MAX_RETRY_COUNT", ("max_retry_count", "max", "retry", "count")),
        ("how-to", ("how-to", "how", "to")),
        ("--use", ("use",)),
        ("__init__", ("init",)),
        ("`src/app/main.py`", ("src/app/main.py", "src", "app", "main.py", "main", "py")),
        (r"C:\logs", (r"c:\logs", "c", "log")),
        ("a.b.c", ("a.b.c", "a", "b", "c")),
        ("Python 3.11.", ("python", "3.11")),
        ("python3.11", ("python3.11", "python", "3.11")),
        ("v1.2.3", ("v1.2.3", "1.2.3")),
        ("1,000 of 12,34", ("1000", "of", "12", "34")),
        ("at 10:30", ("at", "10:30")),
        ("sha256", ("sha256", "sha", "256")),
        ("k8s", ("k8s", "8")),
        ("C++ and C#", ("c++", "and", "c#")),
        (".NET", ("net",)),
        ("don't can’t", ("dont", "cant")),
        ("the user's", ("the", "user")),
        ("github:acme/shop", ("github:acme/shop", "github:acme", "github", "acm", "shop")),
        ("東京都", ("東京", "京都")),
        ("人 に", ("人", "に")),
        ("行くAPIキー", ("行く", "api", "キー")),
        ("ภาษาไทย", ("ภา", "าษ", "ษา", "าไ", "ไท", "ทย")),
        ("हिन्दी में", ("हिन्दी", "में")),
        ("Ⅷ ﬁle ＡＰＩ", ("viii", "file", "api")),
        ("to\u00adken\u200bize", ("tokenize",)),
        ("٣٤", ("34",)),
        ("naïve cafe\u0301", ("naïve", "café")),
    ],
)
def test_a_text_has_these_words(text, expected):
    assert words(text) == tuple(stem(w) if w == "tokenize" else w for w in expected)


@pytest.mark.parametrize(
    "inflections",
    [
        "test tests tested testing",
        "run runs running",
        "use uses used using",
        "policy policies",
        "cache caches cached caching",
        "process processes processed processing",
        "create creates created creating",
        "configure configures configured configuring",
        "install installs installed installing",
        "deploy deploys deployed deploying",
        "name names named naming",
        "commit commits committed committing",
        "match matches matched matching",
        "apply applies applied applying",
        "control controls controlled controlling",
        "status statuses",
        "alias aliases",
        "box boxes",
        "go goes going",
        "embed embeds embedded embedding",
        "add adds added adding",
        "need needs needed needing",
    ],
)
def test_inflections_of_a_word_have_one_stem(inflections):
    assert len({stem(word) for word in inflections.split()}) == 1


@pytest.mark.parametrize(
    "apart",
    ["plan plane", "string str", "https http", "status state", "class cla", "this thi", "need ne"],
)
def test_different_words_keep_different_stems(apart):
    assert len({stem(word) for word in apart.split()}) == 2


@pytest.mark.parametrize(
    ("word", "expected"), [("tests", "test"), ("used", "use"), ("policies", "policy")]
)
def test_common_stems_read_as_words(word, expected):
    assert stem(word) == expected


@given(ANY_TEXT | CODE_LIKE)
def test_words_are_short_folded_and_free_of_space(text):
    for word in words(text):
        assert len(word) > 0
        assert word == unicodedata.normalize("NFKC", word.casefold())
        assert not any(ch.isspace() for ch in word)


@given(st.text(max_size=40) | CODE_LIKE)
def test_composed_and_decomposed_text_have_the_same_words(text):
    assert words(unicodedata.normalize("NFD", text)) == words(unicodedata.normalize("NFC", text))


@given(st.lists(st.sampled_from(["runTests", "東京", "3.11", "a_b", "tests"]), max_size=8))
def test_words_of_a_sentence_are_the_words_of_its_pieces(pieces):
    assert words(" ".join(pieces)) == tuple(w for piece in pieces for w in words(piece))


@given(st.from_regex(r"[a-z]{2,8}(_[a-z]{2,8}){1,4}", fullmatch=True))
def test_an_identifier_is_found_whole_and_by_each_part(identifier):
    found = words(identifier)
    assert identifier in found
    assert {stem(part) for part in identifier.split("_")} <= set(found)


def test_a_word_longer_than_the_limit_is_cut_and_not_kept_whole():
    assert max(map(len, words("x" * 1000 + " " + "a.b" * 500))) <= LONGEST_WORD


def test_a_question_keeps_its_content_words():
    assert query_words("How do I run the tests in this repository?") == (
        "run",
        "test",
        "repository",
    )


def test_a_question_of_stop_words_alone_keeps_them_all():
    assert query_words("What is it?") == ("what", "is", "it")


def test_stop_words_are_stop_words_in_the_form_that_words_gives():
    assert all(w in STOP_WORDS for w in words("doesn't during does having because this"))


@pytest.mark.req("E-DETERMINISM")
def test_words_do_not_depend_on_the_hash_seed():
    program = (
        "from muniment.core.words import *;print(words('runTests 東京 a.b é̖'), sorted(STOP_WORDS))"
    )
    shown = {
        subprocess.run(
            [sys.executable, "-X", "utf8", "-c", program],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(shown) == 1


@pytest.mark.parametrize(
    "shape",
    [
        "a" * 1_000_000,
        "aB" * 500_000,
        "a." * 500_000,
        "1,1" * 300_000,
        "1." * 500_000,
        "a'" * 300_000,
        "東" * 1_000_000,
        "y" * 1_000_000,
        "Aa0_" * 250_000,
        "a\u0301\u0316" * 300_000,
        "/\\@" * 300_000,
        "running " * 125_000,
    ],
    ids=lambda s: repr(s[:6]),
)
def test_a_megabyte_of_any_shape_is_split_in_seconds(shape):
    start = time.perf_counter()
    words(shape)
    assert time.perf_counter() - start < 10  # quadratic time would take minutes


@given(text=st.text(alphabet=st.characters(max_codepoint=127), max_size=60))
def test_the_runs_of_an_ascii_text_are_those_of_its_classes(text):
    runs = [text[found.start() : found.end()] for found in _CHUNK.finditer(_classes(text))]
    assert _ASCII_CHUNK.findall(text) == runs
