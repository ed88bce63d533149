"""Documents from outside are read strictly: a value, or findings with places, never an exception."""

from __future__ import annotations

import json
import math
import time

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from muniment.core.errors import InvalidInput
from muniment.exchange.strict import Loaded, load_document, load_json, load_yaml


def json_values(highest):
    """JSON values with text up to a code point; YAML knows no escaped pairs of surrogates."""
    text = st.text(
        alphabet=st.characters(
            exclude_categories=["Cs"], exclude_characters="\x00", max_codepoint=highest
        )
    )
    scalars = (
        st.none()
        | st.booleans()
        | st.integers(-(2**63), 2**63 - 1)
        | st.floats(allow_nan=False, allow_infinity=False)
        | text
    )
    return st.recursive(
        scalars,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
        max_leaves=12,
    )


JSON_LIKE = st.text(alphabet='[]{}:,"\\u0dDaAeE.+-1 \n tfnNI\x00\ud800', max_size=60)
YAML_LIKE = st.text(alphabet="-?:,[]{}#&*!|>'\"%@` \n\ta1~<.=\x07é\ufeff\ud800", max_size=60)


def codes(loaded):
    return [f.code for f in loaded.findings]


def places(loaded):
    return [f.path for f in loaded.findings]


# --- every format -------------------------------------------------------------------------------


@pytest.mark.parametrize("load", [load_json, load_yaml, load_document])
@pytest.mark.parametrize(
    ("data", "code", "place"),
    [
        (b"", "empty_document", ""),
        (b" \n\t ", "empty_document", ""),
        (b"\xef\xbb\xbf", "empty_document", ""),
        (b'"caf\xe9"', "not_utf8", "1:5"),
        (b'["a",\n"\xff"]', "not_utf8", "2:2"),
        (b"\xff\xfe[\x00]\x00", "not_utf8", "1:1"),
        (b'"\xed\xa0\x80"', "not_utf8", "1:2"),
        ('"a\ud800"', "lone_surrogate", "1:3"),
        (b'["a",\n "\x00"]', "nul_character", "2:3"),
        (b'{"a": 1, "a": 2}', "duplicate_key", "1:10"),
        (b'{"a": 123456789012345678901}', "integer_too_large", "1:7"),
        (b"[1, -9223372036854775809]", "integer_too_large", "1:5"),
        (b"[1e999]", "not_finite", "1:2"),
        (b'["\\ud800"]', None, None),
        (b"[1, 2", None, None),
        (b"x: [", None, None),
        (b"[" * 200_000, "too_deep", None),
        (b'{"a":' * 200_000, "too_deep", None),
        (b"[" + b"9" * 5_000 + b"]", "integer_too_large", "1:2"),
    ],
)
def test_a_bad_document_is_refused_with_code_and_place(load, data, code, place):
    loaded = load(data)
    assert not loaded.ok
    assert loaded.value is None
    assert all(f.fix and f.severity == "error" for f in loaded.findings)
    if code:
        assert code in codes(loaded)
    if place is not None:
        assert place in places(loaded)


@pytest.mark.parametrize("load", [load_json, load_yaml])
def test_the_size_limit_is_inclusive_and_counts_bytes(load):
    data = '"éé"'
    assert load(data, limit_bytes=6).value == "éé"
    assert codes(load(data, limit_bytes=5)) == ["too_large"]
    assert codes(load(data.encode(), limit_bytes=5)) == ["too_large"]


@pytest.mark.parametrize("load", [load_json, load_yaml])
def test_sixty_four_levels_are_read_and_one_more_is_too_deep(load):
    assert load("[" * 64 + "]" * 64).ok
    assert codes(load("[" * 65 + "]" * 65)) == ["too_deep"]


@pytest.mark.parametrize("load", [load_json, load_yaml])
def test_a_byte_order_mark_is_accepted_and_not_part_of_the_value(load):
    assert load(b'\xef\xbb\xbf{"a": 1}').value == {"a": 1}


@given(json_values(0x10FFFF))
def test_what_json_writes_is_read_back_equal(value):
    assert _same(load_json(json.dumps(value)), value)
    assert _same(load_json(json.dumps(value, ensure_ascii=False, indent=1)), value)


@given(json_values(0xFFFF))
def test_json_is_yaml_and_reads_alike(value):
    assert _same(load_yaml(json.dumps(value)), value)


def _same(loaded, value):
    return (loaded.findings, loaded.value, type(loaded.value)) == ((), value, type(value))


@pytest.mark.parametrize("load", [load_json, load_yaml, load_document])
@given(data=st.binary(max_size=80) | JSON_LIKE | YAML_LIKE)
def test_no_input_raises_and_a_value_never_comes_with_findings(load, data):
    loaded = load(data)
    assert loaded.ok or loaded.value is None
    if loaded.ok:
        _only_plain(loaded.value)


def _only_plain(value):
    if isinstance(value, dict):
        assert all(type(key) is str for key in value)
        for item in value.values():
            _only_plain(item)
    elif isinstance(value, list):
        for item in value:
            _only_plain(item)
    elif isinstance(value, str):
        value.encode("utf-8")
        assert "\x00" not in value
    else:
        assert value is None or type(value) in {bool, int, float}
        assert not isinstance(value, float) or math.isfinite(value)


def test_required_gives_the_value_or_raises_all_findings():
    assert load_json("[1]").required() == [1]
    with pytest.raises(InvalidInput) as caught:
        load_json('{"a": 1, "a": 2, "a": 3}').required()
    assert len(caught.value.findings) == 2


def test_null_is_a_value_and_not_a_refusal():
    assert load_json("null") == load_yaml("~") == Loaded(None, ())


# --- JSON ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("[1, NaN]", "not_finite", "d.json:1:5"),
        ("[-Infinity]", "not_finite", "d.json:1:2"),
        ('{"a": "\\u0000"}', "nul_character", "d.json:1:7"),
        ('["x",\n"\\uD83D"]', "lone_surrogate", "d.json:2:1"),
        ("[1,\n 2,,]", "json_syntax", "d.json:2:4"),
        ("{'a': 1}", "json_syntax", "d.json:1:2"),
        ("[1] [2]", "json_syntax", "d.json:1:5"),
        ('"tab\there"', "json_syntax", "d.json:1:5"),
        ("no", "json_syntax", "d.json:1:1"),
    ],
)
def test_json_faults_are_told_with_file_line_and_column(text, code, place):
    assert [(f.code, f.path) for f in load_json(text, name="d.json").findings] == [(code, place)]


def test_a_duplicate_key_names_the_object_it_stands_in():
    (found,) = load_json('{"a": {"b/c": [0, {"x": 1, "x": 2}]}}').findings
    assert found.message == "the key `x` stands more than once in the object at `/a/b~1c/1`"


def test_the_same_key_in_different_objects_and_as_a_value_is_no_duplicate():
    assert load_json('{"a": {"a": "a"}, "b": [{"a": 1}, {"a": 2}], "c": "\\u00e9"}').ok


def test_all_faults_of_a_json_document_are_told_at_once():
    text = '{"a": NaN, "a": 99999999999999999999, "b": "\\ud800", "b": 1e400}'
    assert codes(load_json(text)) == [
        "not_finite",
        "duplicate_key",
        "integer_too_large",
        "lone_surrogate",
        "duplicate_key",
        "not_finite",
    ]


def test_a_paired_surrogate_escape_is_one_character():
    assert load_json('"\\ud83d\\ude00"').value == "😀"


def test_brackets_inside_strings_do_not_count_as_depth():
    assert load_json(json.dumps(["[" * 500 + '\\"' + "{" * 500])).ok


# --- YAML ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("no", "no"),
        ("yes", "yes"),
        ("on", "on"),
        ("Off", "Off"),
        ("y", "y"),
        ("1:30", "1:30"),
        ("012", "012"),
        ("1_000", "1_000"),
        ("2026-07-10", "2026-07-10"),
        ("2026-07-10T12:00:00Z", "2026-07-10T12:00:00Z"),
        ("0b11", "0b11"),
        ("nUlL", "nUlL"),
        ("=", "="),
        ("1.2.3", "1.2.3"),
        ("1e", "1e"),
        ("true", True),
        ("FALSE", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("12", 12),
        ("-0", 0),
        ("+3", 3),
        ("0x1F", 31),
        ("0o17", 15),
        ("1.50", 1.5),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("'true'", "true"),
        ('"12"', "12"),
        ("|\n  12", "12"),
        ("<<", "<<"),
    ],
)
def test_a_yaml_scalar_is_read_by_the_core_rules(written, value):
    loaded = load_yaml(f"k: {written}")
    assert loaded.findings == ()
    assert loaded.value["k"] == value
    assert type(loaded.value["k"]) is type(value)


def test_yaml_keys_that_other_readers_take_for_booleans_stay_text():
    assert load_yaml("on: push\nno: Norway\n").value == {"on": "push", "no": "Norway"}


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("a: &x 1", "yaml_anchor", "d.yaml:1:4"),
        ("a: 1\n<<: {b: 1}", "yaml_merge", "d.yaml:2:1"),
        ("a: !!python/object:os.system x", "yaml_tag", "d.yaml:1:4"),
        ("a: !!str 1", "yaml_tag", "d.yaml:1:4"),
        ("a: ! x", "yaml_tag", "d.yaml:1:4"),
        ("- !x [1]", "yaml_tag", "d.yaml:1:3"),
        ("1: one", "key_not_text", "d.yaml:1:1"),
        ("true: one", "key_not_text", "d.yaml:1:1"),
        ("? [a]\n: b", "key_not_text", "d.yaml:1:3"),
        ("a: 1\nb: 2\na: 3", "duplicate_key", "d.yaml:3:1"),
        ("a: 1\n---\nb: 2", "several_documents", "d.yaml:2:1"),
        ("a: .inf", "not_finite", "d.yaml:1:4"),
        ("a: -.INF", "not_finite", "d.yaml:1:4"),
        ("a: .nan", "not_finite", "d.yaml:1:4"),
        ('a: "\\0"', "nul_character", "d.yaml:1:4"),
        ("a: [1,\n", "yaml_syntax", "d.yaml:2:1"),
        ("a: b: c", "yaml_syntax", "d.yaml:1:5"),
        ("a:\n\t- 1", "yaml_syntax", "d.yaml:2:1"),
        ("a: \x07", "yaml_syntax", "d.yaml:1:4"),
        ("é: \x07", "yaml_syntax", "d.yaml:1:4"),
        ("# nothing\n", "empty_document", "d.yaml"),
    ],
)
def test_yaml_faults_are_told_with_file_line_and_column(text, code, place):
    assert [(f.code, f.path) for f in load_yaml(text, name="d.yaml").findings] == [(code, place)]


def test_an_alias_bomb_is_refused_without_being_expanded():
    bomb = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 40))
    assert set(codes(load_yaml(bomb))) == {"yaml_anchor", "yaml_alias"}


def test_documents_without_libyaml_are_read_alike(monkeypatch):
    monkeypatch.delattr(yaml, "CSafeLoader")
    assert load_yaml("a: [no, 1, {b: 2026-07-10}]").value == {"a": ["no", 1, {"b": "2026-07-10"}]}
    assert codes(load_yaml("é: \x07")) == ["yaml_syntax"]
    assert codes(load_yaml("[" * 300)) == ["too_deep"]


# --- choosing, and time -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "data", "value"),
    [
        ("a.json", "[1]", [1]),
        ("a.YML", "[no]", ["no"]),
        ("a.yaml", "{a: b}", {"a": "b"}),
        ("", '  {"a": 1}', {"a": 1}),
        ("", "a: 1", {"a": 1}),
        ("-", b"\xef\xbb\xbf[1]", [1]),
        ("diff.txt", "- no", ["no"]),
    ],
)
def test_the_suffix_or_else_the_beginning_chooses_the_format(name, data, value):
    assert load_document(data, name).value == value


@pytest.mark.parametrize(
    "shape",
    [
        "[" * 1_900_000,
        '"' + '\\"' * 900_000,
        '"' * 1_900_000,
        "[" + "1e999," * 250_000 + "1]",
        "9" * 1_900_000,
        "{" + '"a":1,' * 270_000 + '"a":1}',
        "- " * 900_000,
        "? " * 900_000,
        "{" * 900_000,
        "{" + "a," * 400_000 + "}",
        "\n".join(" " * n + "- a:" for n in range(1_900)),
        "&a " * 600_000,
        "*" * 900_000,
    ],
    ids=lambda s: repr(s[:8]),
)
@pytest.mark.parametrize("load", [load_json, load_yaml])
def test_two_megabytes_of_any_shape_are_answered_in_seconds(load, shape):
    start = time.process_time()
    load(shape)
    assert time.process_time() - start < 10  # quadratic time would take minutes
