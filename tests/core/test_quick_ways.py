"""Where a check has a quick way for the usual case, it finds what the slow way finds."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.core import secret_scan
from muniment.core.canonical import canonical
from muniment.core.check_boundaries import _is_plain
from muniment.core.text import text_findings


@given(st.lists(st.text(max_size=6), max_size=4))
def test_texts_that_are_passed_as_plain_have_no_finding(texts):
    if _is_plain(tuple(("", text) for text in texts)):
        assert [f for text in texts for f in text_findings(text, "")] == []


@pytest.mark.parametrize("character", [chr(c) for c in range(0x3000) if text_findings(chr(c), "")])
def test_no_text_with_a_doubtful_character_is_plain(character):
    assert not _is_plain((("/claim", f"Deploys{character}run"), ("/body", "plain")))


NAMES = ("password", "passwd", "passwort", "passphrase", "pwd", "api_key", "accesskey", "APIKEY")
NAMES += ("secret", "Token", "credential", "encryption-key", "pa\u017f\u017fword", "to\u212aen")


@pytest.mark.parametrize("name", NAMES)
def test_every_name_that_announces_a_secret_is_searched_for(name):
    text = f"{name}: q7Zk2mXw9Lp4Tn8V"
    assert secret_scan._ASSIGNED.search(text)
    assert [match.kind.partition("_")[0] for match in secret_scan.scan(text)] == ["assigned"]


def test_every_alternative_of_the_pattern_holds_a_name_that_is_looked_for():
    written = f"{secret_scan._LOGIN_NAMES}|{secret_scan._KEY_NAMES}"
    plain = re.sub(r"\(\?:.*?\)\[_-\]\?", "", written)
    for name in plain.split("|"):
        assert any(part in name for part in secret_scan._NAMED), name


@given(
    st.dictionaries(
        st.text(st.characters(exclude_categories=["Cs"]), max_size=4),
        st.text("aü\n\U0001f600", max_size=3),
    )
)
def test_keys_sort_by_their_utf_16_code_units(value):
    keys = list(json.loads(canonical(value)))
    assert keys == sorted(value, key=lambda key: key.encode("utf-16-be"))
