"""Addresses of sources."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.core.errors import Finding
from muniment.ports.source import ParsedUri, file_uri, parse_uri, path_problem, repo_uri

NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
STEPS = NAMES.filter(lambda s: not path_problem(s) and "/" not in s)
PATHS = st.lists(STEPS, min_size=1, max_size=4).map("/".join)


@given(repo_id=NAMES, path=PATHS, ref=st.none() | NAMES)
def test_an_address_gives_back_its_parts(repo_id, path, ref):
    assert parse_uri(repo_uri(repo_id, path, ref)) == ParsedUri("repo", path, repo_id, ref)


@given(path=PATHS)
def test_a_file_address_gives_back_its_path(path):
    assert parse_uri(file_uri("/" + path)) == ParsedUri("file", "/" + path)


def test_a_name_that_is_not_utf8_can_be_addressed():
    name = b"caf\xe9".decode("utf-8", "surrogateescape")
    assert parse_uri(repo_uri("x", name)) == ParsedUri("repo", name, "x")


@given(uri=st.text(max_size=40) | st.text(max_size=20).map("repo:".__add__))
def test_any_text_is_an_address_or_a_finding(uri):
    assert isinstance(parse_uri(uri), ParsedUri | Finding)


@pytest.mark.parametrize(
    ("uri", "code"),
    [
        ("repo:x!/a/../b", "path_escapes"),
        ("repo:x!/%2e%2e/b", "path_escapes"),
        ("repo:x!/a%2f..%2fb", "path_escapes"),
        ("repo:x!//etc/passwd", "path_escapes"),
        ("repo:x!/", "path_escapes"),
        ("repo:x!/a%00b", "path_escapes"),
        ("file:///a/../etc/passwd", "path_escapes"),
        ("file://host/a", "unknown_uri"),
        ("file:relative", "unknown_uri"),
        ("repo:!/a", "unknown_uri"),
        ("repo:x@!/a", "unknown_uri"),
        ("repo:x", "unknown_uri"),
        ("https://example.org/a", "unknown_uri"),
        ("", "unknown_uri"),
    ],
)
def test_bad_addresses_are_findings(uri, code):
    assert parse_uri(uri).code == code
