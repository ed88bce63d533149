"""Our verdict on a JSON-LD document is the reference validator's, for every document (`C-SCHEMA`)."""

from __future__ import annotations

import json
import re
from itertools import islice
from pathlib import Path

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.mif_documents import DATES, NOT_DATES, NOT_TIMES, NOT_URIS, TIMES, URIS, documents
from bench.mif_schema import DIGIT_OR_MARK, LAX, compare, reference
from muniment.exchange.mif.formats import is_date, is_date_time, is_uri
from muniment.exchange.mif.schema import (
    CONCEPT_DIGEST,
    ONTOLOGY_DIGEST,
    compiled,
    concept_problems,
    ontology_problems,
    shipped,
)

SHARED = Path(__file__).parents[3] / ".." / "shared" / "mif" / "schema"
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="needs ../shared/mif/schema")
VALID = {
    "@context": "https://mif-spec.dev/schema/context.jsonld",
    "@type": "Concept",
    "@id": "urn:mif:550e8400-e29b-41d4-a716-446655440000",
    "conceptType": "semantic",
    "content": "Body",
    "created": "2026-01-15T10:30:00Z",
}


@pytest.mark.req("C-SCHEMA")
def test_generated_documents_get_the_verdict_of_the_reference():
    result = compare(6_000, seed=11, folder=SHARED)
    assert result["differences"] == 0, result["shown"]
    assert 2_000 < result["accepted"] < 4_500


@needs_shared
def test_what_is_shipped_is_the_published_schema_without_its_prose():
    whole = json.loads((SHARED / "mif.schema.json").read_text())
    part = json.loads((SHARED / "definitions" / "entity-reference.schema.json").read_text())
    bare = without_prose(whole)
    bare["$defs"]["EntityReference"] = without_prose(part)
    assert shipped("concept.schema.json", CONCEPT_DIGEST) == bare
    packs = json.loads((SHARED / "ontology" / "ontology.schema.json").read_text())
    assert shipped("ontology.schema.json", ONTOLOGY_DIGEST) == without_prose(packs)


def without_prose(schema):
    if isinstance(schema, list):
        return [without_prose(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    prose = ("description", "title", "$schema", "$id", "examples", "default")
    return {
        key: {name: without_prose(one) for name, one in value.items()}
        if key in ("properties", "$defs")
        else value
        if key in ("enum", "const", "required")
        else without_prose(value)
        for key, value in schema.items()
        if key not in prose
    }


def test_a_schema_that_is_not_the_pinned_one_is_not_used():
    with pytest.raises(ValueError, match="pinned"):
        shipped("concept.schema.json", ONTOLOGY_DIGEST)


def test_an_unknown_keyword_refuses_to_compile():
    with pytest.raises(ValueError, match="patternProperties"):
        compiled({"type": "object", "patternProperties": {}})


@pytest.mark.req("C-SCHEMA")
@pytest.mark.parametrize(
    ("change", "pointer", "words"),
    [
        ({"tags": ["a", 1]}, "/tags/1", "a number, where text"),
        ({"content": ""}, "/content", "empty"),
        ({"citations": [{"@type": "Citation"}]}, "/citations/0/url", "missing"),
        ({"relationships": [{"type": "A", "target": "x"}]}, "/relationships/0/type", "form"),
        ({"temporal": {"decay": {"modle": "none"}}}, "/temporal/decay/modle", "not expected"),
        ({"documents": [{"@type": "DocumentReference"}]}, "/documents/0", "`url`; or `id`"),
        ({"created": "2026-01-15T10:30:00"}, "/created", "no date-time"),
    ],
)
def test_a_problem_names_its_path_and_what_is_expected(change, pointer, words):
    problems = concept_problems({**VALID, **change})
    found = [p for p in problems if p.pointer == pointer]
    assert found and words in found[0].message
    assert all(p.fix for p in problems)


def test_every_problem_is_given_at_once():
    broken = {**VALID, "tags": [1, 2], "title": 3, "summary": "x" * 501}
    assert {p.pointer for p in concept_problems(broken)} == {
        "/tags/0",
        "/tags/1",
        "/title",
        "/summary",
    }


PACKS = jsonschema_rs.Draft202012Validator(
    dict(shipped("ontology.schema.json", ONTOLOGY_DIGEST)), validate_formats=True
)


def test_ontology_packs_get_the_verdict_of_the_reference():
    whole = {
        "ontology": {"id": "a", "version": "1.0.0", "extends": ["b"]},
        "namespaces": {"_semantic": {"children": {"x": {"type_hint": "semantic"}}}},
        "entity_types": [{"name": "t", "base": "semantic", "subtype_of": ["u", "v"]}],
    }
    assert PACKS.is_valid(whole) and not ontology_problems(whole)
    for broken in (
        {"ontology": {"id": "A", "version": "1.0.0"}},
        {"entity_types": [{"name": "t", "base": "semantic", "subtype_of": ["u", "u"]}]},
        {"entity_types": [{"name": "t", "base": "semantic", "subtype_of": []}]},
        {"namespaces": {"_semantic": {"children": {"x": {"type_hint": "no"}}}}},
        {"discovery": {"confidence_threshold": 2}},
    ):
        assert not PACKS.is_valid(broken)
        assert ontology_problems(broken)


FORMATS = [
    ("date-time", is_date_time, TIMES + NOT_TIMES, "0123456789TZtz:-+. "),
    ("date", is_date, DATES + NOT_DATES, "0123456789-"),
    ("uri", is_uri, URIS + NOT_URIS, "a1:/?#[]@!$&'()*+,;=-._~ %Zf09é\\"),
]


def is_misread(name, text):
    """Whether the reference takes one of `*+,-./` for a digit of a date, as its version 0.60 does."""
    strict = LAX.pattern.replace(DIGIT_OR_MARK, "[0-9]")
    return name != "uri" and bool(LAX.fullmatch(text)) and not re.fullmatch(strict, text)


@pytest.mark.parametrize("mark", "*+,-./")
def test_a_mark_is_no_digit_of_a_date(mark):
    assert not is_date(f"202{mark}-01-15")
    assert not is_date_time(f"{mark}026-01-15T10:30:00Z")


@pytest.mark.req("C-SCHEMA")
@pytest.mark.parametrize(("name", "ours", "pool", "alphabet"), FORMATS)
def test_a_format_is_asserted_as_the_reference_does(name, ours, pool, alphabet):
    oracle = jsonschema_rs.Draft202012Validator({"format": name}, validate_formats=True)

    @given(
        st.sampled_from(pool), st.text(alphabet, max_size=3), st.integers(0, 40), st.integers(0, 2)
    )
    def agree(text, put, place, taken):
        edited = text[:place] + put + text[place + taken :]
        says = oracle.is_valid(edited) and not is_misread(name, edited)
        assert ours(edited) == says, edited

    agree()


def test_generated_documents_exercise_every_keyword():
    oracle = reference()
    seen = set()
    for document in islice(documents(shipped("concept.schema.json", CONCEPT_DIGEST), 5), 6_000):
        seen |= {p.keyword for p in concept_problems(document)}
    assert oracle.is_valid(VALID)
    assert seen >= {
        "type", "required", "enum", "const", "pattern", "format", "minLength", "maxLength", "minimum", "maximum",
        "additionalProperties", "oneOf", "anyOf",
    }  # fmt: skip
