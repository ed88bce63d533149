"""Whatever the bytes are, reading answers: with findings, in time, and with evidence that verifies."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.learn.extract import MAX_BYTES, READERS, read_file, reader_for

REPOS = Path(__file__).parent.parent / "data" / "repos"
FILES = [
    (p.relative_to(root).as_posix(), p.read_bytes())
    for root in sorted(REPOS.iterdir())
    if root.is_dir()
    for p in sorted(root.rglob("*"))
    if p.is_file() and reader_for(p.relative_to(root).as_posix())
]
PIECES = [
    b"\r", b"\n", b"\t", b'"', b"'", b"`", b"```", b"[", b"{", b"}", b"#", b"\\", b"&a ", b"*a",
    b"---\n", b"\xef\xbb\xbf", "é—".encode(), b"<!--", b"- ", b"| ", b"\\ud800",
]  # fmt: skip
PATHS = sorted({path for path, _ in FILES})


def verify(path: str, data: bytes) -> None:
    """Read, and check what holds for every answer."""
    result = read_file(path, data)
    for e in result.extracts:
        assert 0 <= e.start < e.end <= len(data)
        data[e.start : e.end].decode("utf-8", "strict")
        assert e.line == data.count(b"\n", 0, e.start) + 1
        "".join((e.slot, e.claim, e.value, *e.steps, *e.topics)).encode()
    slots = [e.slot for e in result.extracts]
    assert len(slots) == len(set(slots))
    assert read_file(path, data) == result


def test_every_reader_is_tried_on_a_real_file():
    assert {reader_for(path).name for path in PATHS} == {reader.name for reader in READERS}


@given(path=st.sampled_from(PATHS), data=st.binary(max_size=400))
@settings(max_examples=150)
def test_random_bytes_never_raise(path, data):
    verify(path, data)


@given(path=st.sampled_from(PATHS), text=st.text(max_size=400))
@settings(max_examples=150)
def test_random_text_never_raises(path, text):
    verify(path, text.encode("utf-8", "replace"))


@given(
    file=st.sampled_from(FILES),
    at=st.floats(0, 1),
    length=st.integers(0, 40),
    put=st.one_of(st.binary(max_size=12), st.sampled_from(PIECES)),
)
@settings(max_examples=400)
def test_mutated_real_files_never_raise_and_their_spans_verify(file, at, length, put):
    path, data = file
    start = int(at * len(data))
    verify(path, data[:start] + put + data[start + length :])


@pytest.mark.parametrize(
    ("path", "data", "code", "place"),
    [
        ("Makefile", b"a:\n\t\xff\n", "not_utf8", "Makefile"),
        ("AGENTS.md", "Läufe".encode("utf-16"), "not_utf8", "AGENTS.md"),
        ("AGENTS.md", b"Use this.\nAnd\0 that.\n", "not_text", "AGENTS.md"),
        ("pyproject.toml", b"[project]\nname = \n", "bad_toml", "pyproject.toml:2"),
        ("pyproject.toml", b"[a]\nb = 1\nb = 2\n", "bad_toml", "pyproject.toml:3"),
        ("package.json", b'{\n  "a": 1,\n  b\n}\n', "bad_json", "package.json:3"),
        ("package.json", b"", "bad_json", "package.json"),
        (".github/workflows/a.yml", b"a: b\nc: [d\n", "bad_yaml", ".github/workflows/a.yml:2"),
        (".github/workflows/a.yml", b"a: *nowhere\n", "bad_yaml", ".github/workflows/a.yml"),
        (".github/workflows/a.yml", b"a: &a\n  b: *a\n", "bad_yaml", ".github/workflows/a.yml:2"),
        ("package.json", b"[" * 100_000, "too_deep", "package.json:1"),
        ("package.json", b'{"a":' * 100_000, "too_deep", "package.json:1"),
        ("pyproject.toml", b"a = " + b"[" * 100_000, "too_deep", "pyproject.toml:1"),
        ("pyproject.toml", b"a." * 100_000 + b"b = 1", "too_deep", "pyproject.toml:1"),
        (".gitlab-ci.yml", b"[" * 100_000, "too_deep", ".gitlab-ci.yml:1"),
        (".gitlab-ci.yml", b"- " * 100_000, "too_deep", ".gitlab-ci.yml:1"),
        (".gitlab-ci.yml", b"a: &x [1]\nb: [" + b"*x, " * 300 + b"]", "too_many_aliases", ".gitlab-ci.yml:2"),
        ("AGENTS.md", b"Use it. " * 300_000, "too_large", "AGENTS.md"),
        ("yarn.lock", b"nothing\n", "unknown_lock_format", "yarn.lock"),
    ],
)  # fmt: skip
def test_bad_files_give_a_finding_with_code_and_place(path, data, code, place):
    result = read_file(path, data)
    assert [(f.code, f.path) for f in result.findings if f.path.startswith(place)] == [
        (code, result.findings[0].path)
    ]
    assert result.extracts == ()


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("AGENTS.md", b"`" * 200_000),
        ("AGENTS.md", b"[" * 200_000),
        ("AGENTS.md", b"*" * 200_000),
        ("AGENTS.md", b"<!--" * 50_000),
        ("AGENTS.md", b"- a\n" * 50_000),
        ("AGENTS.md", b"".join(b" " * (i % 300) + b"- item\n" for i in range(5_000))),
        ("AGENTS.md", b"word " * 100_000),
        ("AGENTS.md", b"A b. " * 50_000),
        ("AGENTS.md", b"> " * 100_000),
        ("AGENTS.md", b"a | b\n" * 50_000),
        ("AGENTS.md", b"---\n" * 100_000),
        ("AGENTS.md", b"[a](" * 50_000),
        ("AGENTS.md", b"a `b` " * 50_000),
        ("README.md", b"```\n" * 100_000),
        ("Makefile", b"a: b\n\tc\n" * 50_000),
        ("Makefile", b"a b c " * 100_000),
        ("Makefile", b"\\\n" * 200_000),
        ("Makefile", b"# c\n" * 200_000),
        ("justfile", b"a b: c\n  d\n" * 50_000),
        ("CODEOWNERS", b"a @b\n" * 100_000),
        ("CODEOWNERS", b"\\ " * 200_000),
        ("go.mod", b"require (\n" * 50_000),
        ("Dockerfile", b"FROM a AS b\n" * 50_000),
        ("Dockerfile", b"FROM --a " * 50_000),
        ("pyproject.toml", b"[[a.b]]\nc = 1\n" * 20_000),
        ("pyproject.toml", b"a = '''" + b"''x" * 200_000),
        (
            "package.json",
            b'{"scripts": {' + b",".join(b'"s%d": "x"' % i for i in range(20_000)) + b"}}",
        ),
        ("docs/adr/0001-a.md", b"## Decision\n" * 50_000),
        ("docs/adr/0001-a.md", b"status " * 100_000),
        ("docs/adr/0001-a.md", b"# 1." + b" -" * 200_000),
        ("yarn.lock", b"#" * 1_000_000),
        (".gitlab-ci.yml", b"a:\n  script: [x]\n" * 10_000),
        (".github/workflows/a.yml", b"&a " * 50_000),
    ],
)
def test_files_made_to_be_slow_are_read_in_time(path, data):
    begin = time.process_time()
    read_file(path, data)
    assert time.process_time() - begin < 2.0


def test_a_billion_laughs_costs_nothing():
    rows = [b"a0: &a0 [x, x]"]
    rows += [b"a%d: &a%d [*a%d, *a%d, *a%d]" % (i, i, i - 1, i - 1, i - 1) for i in range(1, 60)]
    rows += [b"jobs: {j: {runs-on: x, steps: *a59}}"]
    begin = time.process_time()
    result = read_file(".github/workflows/bomb.yml", b"\n".join(rows))
    assert len(result.extracts) <= 1
    assert time.process_time() - begin < 1.0


def test_too_many_statements_are_cut_off_with_a_finding():
    data = b"\n".join(b"- Rule number %d holds." % i for i in range(6_000))
    result = read_file("AGENTS.md", data)
    assert len(result.extracts) == 5_000
    assert [f.code for f in result.findings] == ["too_many_statements"]


def test_a_lone_surrogate_in_json_is_a_finding_and_the_rest_is_read():
    result = read_file("package.json", b'{"name": "\\ud800", "version": "1.0.0"}')
    assert [f.code for f in result.findings] == ["lone_surrogate"]
    assert [e.value for e in result.extracts] == ["1.0.0"]


def test_a_large_lock_file_is_read_by_its_head():
    data = b"lockfileVersion: '9.0'\n" + b"# x\n" * MAX_BYTES
    assert [e.value for e in read_file("pnpm-lock.yaml", data).extracts] == ["pnpm", "9.0"]
