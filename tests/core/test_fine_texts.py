"""What is looked at as one and found fine holds nothing that a closer look at each text would find."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.core.check_boundaries import are_fine, secrets_in, strings_in
from muniment.core.text import text_findings

RANDOM = "q7Zk2mXw9Lp4Tn8V"
ODD = (
    "gh" + "p_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0hJ3lM6",
    f"password: {RANDOM}",
    f"Authorization: Bearer {RANDOM}{RANDOM}",
    f"https://ada:{RANDOM}@db.example.net/x",
    "-----BEGIN PRIVATE KEY-----\n" + "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n" * 3,
    RANDOM,
    "a\u200bb",
    "a\x07b",
    "a" * 100_001,
)
TEXTS = st.one_of(st.sampled_from(ODD), st.text(max_size=12), st.sampled_from(["Tests", "key", ""]))
KEYS = st.one_of(
    st.sampled_from(["claim", "api_key", "password", "note", ODD[0]]), st.text(max_size=4)
)
VALUES = st.recursive(
    TEXTS | st.none() | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)


def looked_at_closely(values):
    texts = [text for value in values for text in strings_in(value, "")]
    found = [one for path, text in texts for one in text_findings(text, path)]
    return found + [one for value in values for one in secrets_in(strings_in(value, ""))]


@given(st.lists(VALUES, max_size=3))
def test_fine_values_have_no_finding(values):
    if are_fine(values):
        assert looked_at_closely(values) == []


@pytest.mark.req("E-SECRET")
@pytest.mark.parametrize("text", ODD[:5])
def test_a_secret_among_many_texts_is_not_fine(text):
    assert are_fine([{"claim": "Tests need Docker"}] * 3)
    assert not are_fine([{"claim": "Tests need Docker"}] * 3 + [{"tags": ["a", text]}])


def test_a_name_counts_with_its_value():
    assert are_fine([{"note": RANDOM}])
    assert not are_fine([{"api_key": RANDOM}])


@pytest.mark.parametrize("text", ["naïve – “quoted”", "tab\tand\nline", "日本語"])
def test_usual_writing_is_fine(text):
    assert are_fine([{"claim": text}])
