"""Where a check has a quick way for the usual case, it finds what the slow way finds."""

from __future__ import annotations

import dataclasses
import json
import re
from datetime import UTC, datetime
from re import _parser as parser

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from muniment.core import secret_formats, secret_scan
from muniment.core.access import Scope, Visibility
from muniment.core.canonical import _is_simple, _render, canonical
from muniment.core.check_boundaries import is_plain
from muniment.core.claim import Claim, Validity
from muniment.core.codec import read
from muniment.core.differences import _taken_apart, differences
from muniment.core.draft_rules import mapping
from muniment.core.encode import _empty, encode, is_required, time_text
from muniment.core.instruction import _SIGNS, instruction_signs
from muniment.core.source import Source
from muniment.core.text import _folded, match_key, text_findings
from muniment.exchange.strict_yaml import (
    _BASED,
    _INTEGER,
    _NOT_FINITE,
    _NULL,
    _REAL,
    _TRUTH,
    resolved,
)
from muniment.usecases.imported import PARTS, with_parts


@given(st.lists(st.text(max_size=6), max_size=4))
def test_texts_that_are_passed_as_plain_have_no_finding(texts):
    if is_plain(tuple(("", text) for text in texts)):
        assert [f for text in texts for f in text_findings(text, "")] == []


@pytest.mark.parametrize("character", [chr(c) for c in range(0x3000) if text_findings(chr(c), "")])
def test_no_text_with_a_doubtful_characteris_plain(character):
    assert not is_plain((("/claim", f"Deploys{character}run"), ("/body", "plain")))


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


# --- secrets: what a quick look passes over holds none -----------------------------------------------


def plainly_scanned(text):
    """Every match of every format, without a quick look."""
    found = []
    for kind, prefix, rest in secret_formats.PREFIXED:
        for start in re.finditer(f"(?={re.escape(prefix)})", text):
            after = start.start() + len(prefix)
            token = rest.match(text, after) if secret_scan._begins(text, start.start()) else None
            if token and not secret_scan._stands_in(token.group()):
                found.append((kind, start.start(), token.end()))
    for kind, _, _, pattern in secret_formats.IN_CONTEXT:
        tokens = pattern.finditer(text)
        found += [(kind, *t.span(1)) for t in tokens if not secret_scan._stands_in(t.group(1))]
    for token in secret_scan._HEADER.finditer(text):
        value, basic = token.group(2), token.group(1).lower() == "basic"
        enough = secret_scan._is_user_and_password if basic else secret_scan._could_be_key
        if not secret_scan._stands_in(value) and enough(value):
            found.append(("basic_authorization" if basic else "bearer_token", *token.span(2)))
    return set(found)


def quickly_scanned(text):
    readers = (secret_scan._prefixed, secret_scan._in_context, secret_scan._in_headers)
    return {(m.kind, m.start, m.end) for reader in readers for m in reader(text)}


PIECES = [prefix for _, prefix, _ in secret_formats.PREFIXED] + [
    *"\n \t.-_:=~/%\u017f\u0131\u212aé;\"'",
    *(
        "aws",
        "AW\u017f",
        "secretAccessKey",
        "acce\u017f\u017f_key",
        "heroku",
        "hero\u212au",
        "Q~",
        "sealed",
    ),
    *(
        "bearer",
        "Basic",
        "ba\u017f\u0131c",
        "private_key_id",
        "sig=",
        "-us",
        "key-",
        ":AA",
        ".atlasv1.",
    ),
]
TOKENS = [
    "q7Zk2mXw9Lp4Tn8VbC3d",
    "A" * 24,
    "0123456789abcdef" * 4,
    "MTIzNDU2Nzg5MDEyMzQ1Njc4",
    "a1B2c3",
]


@settings(max_examples=300)
@given(st.lists(st.sampled_from(PIECES + TOKENS * 12), max_size=14).map("".join))
def test_a_quick_scan_finds_every_match_of_every_format(text):
    whole = plainly_scanned(text)
    quick = quickly_scanned(text)
    assert quick <= whole
    covered = [(start, end) for _, start, end in quick]
    for kind, start, end in whole - quick:  # it stands within one that was found, of the same kind
        assert any(a <= start < b for a, b in covered), (kind, start, end)


def test_no_token_of_a_format_is_shorter_than_the_shortest_or_has_white_space():
    for kind, prefix, rest in secret_formats.PREFIXED:
        least, _ = parser.parse(rest.pattern).getwidth()
        assert len(prefix) + least >= secret_formats.SHORTEST, kind
        assert not re.search(r"\s|\\[sW]|\[\^", prefix + rest.pattern), kind


# --- values and texts ----------------------------------------------------------------------------------

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**54), 2**54) | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_the_quick_canonical_form_is_the_canonical_form(value):
    assume(_is_simple(value))
    assert canonical(value) == _render(value).encode()


def _plain_match_key(text):
    key = text
    while (again := _folded(key)) != key:
        key = again
    return key


@given(st.text(max_size=40) | st.text("aB \t\n\x1c\x00\x7f.", max_size=40))
def test_the_quick_match_key_is_the_match_key(text):
    assert match_key(text) == _plain_match_key(text)


def _encoded_plainly(value):
    """`encode` by its definition: a dataclass without its empty fields."""
    if dataclasses.is_dataclass(value):
        kept = ((one, getattr(value, one.name)) for one in dataclasses.fields(value))
        return {
            one.name: _encoded_plainly(item)
            for one, item in kept
            if is_required(one) or not _empty(item)
        }
    if isinstance(value, dict):
        return {key: _encoded_plainly(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_encoded_plainly(item) for item in value]
    return time_text(value) if isinstance(value, datetime) else value


INSTANTS = st.none() | st.datetimes(timezones=st.just(UTC)).map(lambda at: at.replace(fold=0))
CLAIMS = st.builds(
    Claim,
    id=TEXTS,
    claim=TEXTS,
    scope=st.builds(Scope, TEXTS, TEXTS),
    source=st.builds(Source, TEXTS, uri=TEXTS, observed_at=INSTANTS),
    visibility=st.builds(Visibility, TEXTS, st.tuples(TEXTS)),
    summary=TEXTS,
    tags=st.just(()) | st.tuples(TEXTS),
    validity=st.builds(Validity, INSTANTS, INSTANTS),
    extensions=st.dictionaries(TEXTS, JSON, max_size=3),
)


@settings(max_examples=50)
@given(CLAIMS)
def test_the_quick_encoding_is_the_encoding(claim):
    assert repr(encode(claim)) == repr(_encoded_plainly(claim))


PARTS_GIVEN = st.fixed_dictionaries(
    {},
    optional={
        "summary": TEXTS | st.none() | st.integers(),
        "validity": st.fixed_dictionaries({"ttl_seconds": st.integers()}) | st.just("never"),
        "extensions": st.dictionaries(TEXTS, JSON, max_size=3),
        "facts": st.none()
        | st.just([{"predicate": "uses", "object": "x"}])
        | st.just([{"object": "x"}]),
        "aliases": st.lists(TEXTS, max_size=3),
        "prohibited_uses": st.lists(TEXTS, max_size=2) | st.none(),
    },
)


def _with_parts_plainly(claim, parts):
    """A claim with parts by the definition: the whole claim is written, completed and read."""
    record = dict(encode(claim))
    for key in PARTS:
        if key in parts:
            both = {**mapping(record.get(key)), **mapping(parts[key])}
            record[key] = both if key in ("validity", "extensions") else parts[key]
    record["aliases"] = list(dict.fromkeys([*claim.aliases, *(parts.get("aliases") or ())]))
    return read(Claim, record, "", []) or claim


@settings(max_examples=60)
@given(CLAIMS, PARTS_GIVEN)
def test_parts_are_read_as_if_the_whole_claim_were_read(claim, parts):
    assert repr(with_parts(claim, parts)) == repr(_with_parts_plainly(claim, parts))


@given(st.lists(st.sampled_from(["a 1", "A 2.", "not a 1", "b 1", "a 1"]), min_size=2, max_size=2))
def test_a_statement_that_was_compared_before_is_compared_alike(texts):
    _taken_apart.cache_clear()
    first = differences(*texts)
    assert differences(*texts) == first


ORDERS = sorted(
    {w for _, needed, p in _SIGNS for w in (*needed, *re.findall(r"[a-z]{2,}", p.pattern))}
    | {"all", "previous", "instructions", "you", "are", "now", "as", "an", "not", "the", "user"}
    | {"<system>", "[inst]", '"tool_calls":'}
    | {" ", ", ", ": ", ". ", "<", ">", "[", "]", '"', "'", "|", "<|", "|>", "don’t "}
)


@settings(max_examples=150)
@given(st.lists(st.sampled_from(ORDERS), max_size=10), st.sampled_from([" ", ""]))
def test_a_sign_is_found_quickly_where_its_pattern_finds_it(words, between):
    key = match_key(between.join(words))
    assert instruction_signs(key) == tuple(
        name for name, _, pattern in _SIGNS if pattern.search(key)
    )


@given(st.text("0123456789+-.eExXoabtruenly~ :", max_size=8) | st.text(max_size=6))
def test_a_plain_scalar_that_begins_like_no_number_is_text(written):
    whole, fault = resolved(written)
    if written and written not in {*_NULL, *_TRUTH} and not re.match(r"[-+.0-9]", written):
        numbers = (_INTEGER, _BASED, _REAL, _NOT_FINITE)
        assert (whole, fault) == (written, "")
        assert not any(pattern.fullmatch(written) for pattern in numbers)
