"""The quick reading of plain frontmatter answers what the whole parser answers, or nothing."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.mif_fuzz import PARSERS, YAML, fuzz
from muniment.exchange.loaded import STRICT
from muniment.exchange.mif.project import FOREIGN, same_value
from muniment.exchange.plain_yaml import plain_yaml
from muniment.exchange.strict_yaml import load_yaml

PIECES = (
    *YAML, "a", "b: ", "k:", "\n", "\n  ", "\n- ", "\n  - ", "x: y", "'q'", "no", "true", "1.5", "012", "[a, b]",
    "[]", "a #b", "::", "- - a", "\n    ", "1:30", "key: value\n", "list:\n", "  - i: 1\n    j: 2\n", "- i: 1\n",
    "'@id': ", "k:  v", "(x)", "/p", "'it''s'",
    "null: ", "true:", "'true':", "yes: 1", "~: ", "99999999999999999999", "- 123456789012345678901", "[a, null, true]",
)  # fmt: skip


def agrees(text: str) -> bool:
    return _agrees(text, True) and _agrees(text, False)


def _agrees(text: str, wide: bool) -> bool:
    quick = plain_yaml(text, wide)
    if quick is None:
        return True
    whole = load_yaml(text, leniency=FOREIGN if wide else STRICT)
    return whole.ok and same_value(whole.value, quick)


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_pieces_of_yaml_are_read_alike_or_left_to_the_parser(text):
    assert agrees(text)


def test_many_pieces_of_yaml_are_read_alike():
    chance = random.Random(7)
    texts = (
        "".join(chance.choice(PIECES) for _ in range(chance.randrange(1, 14)))
        for _ in range(20_000)
    )
    answered = [text for text in texts if plain_yaml(text) is not None]
    assert len(answered) > 100
    assert all(map(agrees, answered))


def test_what_only_a_lenient_reading_takes_is_left_to_the_strict_parser():
    for text in ("true: 1\n", "a:\n  null: 1\n", "a: 99999999999999999999\n"):
        assert plain_yaml(text) is None
        assert plain_yaml(text, wide=True) == load_yaml(text, leniency=FOREIGN).value


def test_usual_frontmatter_is_read_quickly():
    text = "id: x\ntags:\n  - a\nrelationships:\n- type: uses\n  target: /b.md\ntemporal:\n  decay:\n    model: none\n"
    assert plain_yaml(text) == load_yaml(text).value


@pytest.mark.parametrize("label", PARSERS)
def test_no_input_brings_a_parser_down_or_takes_long(label):
    result = fuzz(label, 300, 3)
    assert (result["raised"], result["over_1s"]) == (0, 0), result
