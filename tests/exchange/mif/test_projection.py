"""Markdown to JSON-LD and back loses nothing, and what is written has one form (`C-ROUNDTRIP`)."""

from __future__ import annotations

import json

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from muniment.core.errors import InvalidInput
from muniment.exchange.mif.concept import read_markdown
from muniment.exchange.mif.project import AUTHORED, ORDER, from_jsonld, same_value, to_jsonld
from muniment.exchange.mif.write import jsonld, markdown, write_files
from muniment.exchange.mif.yaml_write import written
from muniment.exchange.strict_yaml import load_yaml
from tests.exchange.mif.samples import CONCEPT, UUID, concept_text

TEXT = st.text(
    alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=12
) | st.text("ab: #-'\"\n\t1[]{},&*!|>%@`~?./_=<TZ0", max_size=10)
SCALAR = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | TEXT
SCALAR |= st.floats(allow_nan=False, allow_infinity=False)
VALUE = st.recursive(
    SCALAR, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3), max_leaves=8
)  # fmt: skip
OTHER_KEYS = (
    "@id",
    "@type",
    "@context",
    "conceptType",
    "timestamp",
    "description",
    "content",
    AUTHORED,
)
KEY = st.sampled_from((*ORDER, *OTHER_KEYS)) | TEXT
KNOWN = st.sampled_from([UUID, f"urn:mif:{UUID}", 12, "semantic", "Concept"])
META = st.dictionaries(KEY, VALUE | KNOWN, max_size=8)


@pytest.mark.req("C-ROUNDTRIP")
@given(META, TEXT)
def test_any_frontmatter_and_body_come_back_from_json_ld_the_same(meta, body):
    document = json.loads(jsonld(to_jsonld(meta, body)))
    back, same_body = from_jsonld(document)
    assert same_body == body
    assert same_value(back, meta)


@pytest.mark.req("C-ROUNDTRIP")
@given(META.filter(bool), TEXT)
def test_any_concept_comes_back_from_its_file_the_same_and_in_one_form(meta, body):
    text = markdown(meta, body)
    concept, issues = read_markdown(text.encode(), "c.md")
    assert concept is not None, issues
    assert same_value(concept.meta, meta) and concept.body == body
    again = markdown(*from_jsonld(json.loads(jsonld(to_jsonld(concept.meta, concept.body)))))
    assert again == text


@given(VALUE)
def test_what_is_written_as_yaml_reads_back_the_same_by_every_reader(value):
    text = written(value)
    assert same_value(load_yaml(text).value, value)
    assert same_value(yaml.safe_load(text), value)


@pytest.mark.req("C-ROUNDTRIP")
def test_a_file_keeps_its_spelling_as_long_as_it_says_the_same():
    text = '\ufeff--- \r\ntype:   semantic # why\r\nid: "x"\r\n...\r\n\r\n  Body  \r\n'
    concept, _ = read_markdown(text.encode(), "c.md")
    back = from_jsonld(json.loads(jsonld(to_jsonld(concept.meta, concept.body))))
    assert markdown(*back, concept.parts) == text
    changed = markdown({**back[0], "title": "New"}, back[1], concept.parts)
    assert (
        changed == "\ufeff--- \r\nid: x\r\ntype: semantic\r\ntitle: New\r\n...\r\n\r\n  Body  \r\n"
    )


def test_keys_come_in_canonical_order_and_others_after_them_as_they_came():
    meta = {"zeta": 1, "extensions": {}, "title": "t", "alpha": 2, "type": "semantic", "id": "x"}
    concept, _ = read_markdown(markdown(meta, "B").encode(), "c.md")
    assert list(concept.meta) == ["id", "type", "title", "extensions", "zeta", "alpha"]


@pytest.mark.parametrize(
    ("given_id", "urn"),
    [
        (UUID, f"urn:mif:{UUID}"),
        (f"urn:mif:{UUID}", f"urn:mif:{UUID}"),
        (12345678, "urn:mif:12345678"),
    ],
)
def test_an_id_gets_its_prefix_once_and_comes_back_as_written(given_id, urn):
    document = to_jsonld({"id": given_id, "type": "semantic"}, "B")
    assert document["@id"] == urn
    assert from_jsonld(document)[0]["id"] == given_id


def test_mirrors_are_made_only_of_what_is_there_and_never_over_what_an_author_wrote():
    assert "timestamp" not in to_jsonld({"type": "semantic"}, "B")
    assert to_jsonld({"created": "a", "modified": "b"}, "B")["timestamp"] == "b"
    assert to_jsonld({"created": "a", "summary": "s"}, "B")["description"] == "s"
    own = to_jsonld({"created": "a", "summary": "s", "description": "d", "timestamp": "t"}, "B")
    assert (own["description"], own["timestamp"]) == ("d", "t")
    equal = {"created": "a", "timestamp": "a"}
    assert from_jsonld(to_jsonld(equal, "B"))[0] == equal


def test_json_ld_of_others_comes_back_with_everything_that_it_said():
    document = {
        **CONCEPT,
        "@type": "Memory",
        "@context": ["https://mif-spec.dev/schema/context.jsonld", {"a": "b:"}, {"c": "d:"}],
        "memoryType": "semantic",
        "unknown": {"x": [1, 2.0, None]},
    }
    again = to_jsonld(*from_jsonld(document))
    assert {key: again[key] for key in document} == document


def test_aliases_of_compaction_are_read():
    document = {
        "id": f"urn:mif:{UUID}",
        "type": "Concept",
        "conceptType": "semantic",
        "content": "B",
    }
    assert from_jsonld(document) == ({"id": UUID, "type": "semantic"}, "B")


def test_a_note_that_no_longer_agrees_with_its_document_is_passed_over():
    document = to_jsonld({"id": 12, "type": "semantic"}, "B")
    assert from_jsonld({**document, "@id": "urn:mif:13"})[0]["id"] == "13"


def test_namespaces_of_a_bundle_join_the_context_and_leave_with_it():
    document = to_jsonld({"id": "x"}, "B", {"farm": "https://example.org/farm/"})
    assert document["@context"][1] == {"farm": "https://example.org/farm/"}
    assert from_jsonld(document)[0] == {"id": "x"}


def test_a_file_that_did_not_change_is_not_written(tmp_path):
    files = {"a.md": concept_text("a").encode(), "sub/b.md": b"x"}
    assert write_files(tmp_path, files).changed == ("a.md", "sub/b.md")
    stamp = (tmp_path / "a.md").stat().st_mtime_ns
    second = write_files(tmp_path, {**files, "sub/b.md": b"y"})
    assert (second.changed, second.unchanged) == (("sub/b.md",), ("a.md",))
    assert (tmp_path / "a.md").stat().st_mtime_ns == stamp
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["a.md", "b.md", "sub"]


@pytest.mark.parametrize("name", ["../x", "/x", "a/../../x", "a\\x", "link/x"])
def test_nothing_is_written_outside_the_folder(tmp_path, name):
    root = tmp_path / "root"
    root.mkdir()
    (root / "link").symlink_to(tmp_path)
    with pytest.raises(InvalidInput):
        write_files(root, {"good.md": b"x", name: b"y"})
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["link", "root"]
