"""What a conformant implementation does, item by item of the checklist: bundle, level 1, projection (1 to 44)."""

from __future__ import annotations

import json

import pytest
from pyld import jsonld

from muniment.exchange.mif import okf
from muniment.exchange.mif.bundle import of_files, read_path
from muniment.exchange.mif.concept import read_jsonld, read_markdown
from muniment.exchange.mif.contexts import loaded, shipped_context
from muniment.exchange.mif.project import CONTEXT_URL, ORDER, from_jsonld, to_jsonld
from muniment.exchange.mif.report import projected
from muniment.exchange.mif.validate import validate
from muniment.exchange.mif.write import jsonld as jsonld_text
from muniment.exchange.mif.write import markdown
from tests.exchange.mif.samples import (
    CONCEPT,
    UUID,
    codes,
    concept_text,
    problems,
    uuid_of,
    with_edge,
)


def read(text):
    concept, issues = read_markdown(text.encode(), "c.md")
    assert concept is not None, issues
    return concept


# --- bundle and OKF -----------------------------------------------------------------------------


@pytest.mark.req("C-OKF")
def test_item_001_every_other_markdown_file_is_a_concept():
    bundle = of_files({n: concept_text(n).encode() for n in ("a.md", "deep/er/b.md", "_x.md")})
    assert [c.file for c in bundle.concepts] == ["_x.md", "a.md", "deep/er/b.md"]
    assert not validate(of_files({"a.md": b"just words"})).okf


def test_item_002_a_concept_needs_frontmatter_with_a_type():
    report = validate(of_files({"a.md": b"---\nid: x\n---\nB"}))
    assert "no_type" in {i.code for i in report.issues} and not report.okf
    assert not validate(of_files({"a.md": b"---\ntype: ''\n---\nB"})).okf


def test_item_003_reserved_names_are_no_concepts_at_any_level():
    files = {n: concept_text(n).encode() for n in ("index.md", "deep/log.md", "a.md")}
    bundle = of_files(files)
    assert [c.file for c in bundle.concepts] == ["a.md"]
    assert codes(files) == {"reserved_name"}


def test_item_004_an_okf_id_is_the_path_without_its_ending():
    assert okf.concept_id("semantic/a.md") == "semantic/a"
    assert okf.concept_id("b.memory.md") == "b"
    assert codes({"b.memory.md": concept_text("b")}) == {"memory_infix"}


def test_item_005_edges_are_plain_links_in_the_body():
    text = concept_text(
        "a",
        "relationships: [{type: uses, target: /b.md}]\n",
        "\n## Relationships\n\n- uses [B](/b.md)\n",
    )
    assert codes({"a.md": text, "b.md": concept_text("b")}) == set()


def test_item_006_a_broken_link_warns_and_a_missing_index_is_fine():
    text = concept_text(
        "a",
        "relationships: [{type: uses, target: /no.md}]\n",
        "\n## Relationships\n\n- uses [B](/no.md)\n",
    )
    report = validate(of_files({"a.md": text.encode()}))
    assert [(i.code, i.severity) for i in report.issues] == [
        ("broken_link", "warning")
    ] and report.okf


def test_item_007_unknown_keys_are_kept():
    meta = read(concept_text("a", "x_vendor: {deep: [1, {y: null}]}\ncompressed_at: z\n")).meta
    assert from_jsonld(json.loads(jsonld_text(to_jsonld(meta, "B"))))[0] == meta


def test_item_008_an_unknown_type_is_no_mif_and_still_okf():
    report = validate(of_files({"a.md": concept_text("a").replace("semantic", "recipe").encode()}))
    assert report.okf and report.accepted == 0
    assert [(i.area, i.pointer) for i in report.issues] == [("schema", "/conceptType")]


def test_item_009_json_ld_never_ends_in_md(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.md").write_text(concept_text("a"))
    assert projected(tmp_path / "in", tmp_path / "out")["written"] == ["a.jsonld"]


def test_item_010_both_forms_are_told_by_their_ending(tmp_path):
    (tmp_path / "a.md").write_text(concept_text("a"))
    (tmp_path / "b.jsonld").write_text(json.dumps(CONCEPT))
    assert {c.file: c.form for c in read_path(tmp_path).concepts} == {
        "a.md": "markdown",
        "b.jsonld": "jsonld",
    }


@pytest.mark.parametrize("name", [f"{UUID}.md", "semantic/rate-limit-policy.md", "Ünï cødé.md"])
def test_item_011_any_name_will_do_and_identity_is_in_the_file(name):
    (concept,) = of_files({name: concept_text("a").encode()}).concepts
    assert concept.id == uuid_of("a")


def test_item_012_readme_and_configuration_break_nothing():
    files = {
        "README.md": b"# Read me", ".mif/notes.md": b"no concept", ".mif/config.yaml": b"mif_version: '1.0.0'",
        "memories/acme/a.md": concept_text("a").encode(),
    }  # fmt: skip
    report = validate(of_files(files))
    assert (report.issues, report.okf, report.concepts) == ((), True, 1)


def test_item_013_files_are_utf_8():
    (concept,) = of_files({"a.md": concept_text("a", "title: 'é😀'\n").encode()}).concepts
    assert concept.meta["title"] == "é😀"
    assert codes({"a.md": concept_text("a", "title: é\n").encode("latin-1")}) == {"not_utf8"}


def test_item_014_an_index_holds_its_version_alone_and_a_log_has_the_newest_day_first():
    good = {
        "index.md": "---\nokf_version: '0.2'\n---\n# I",
        "log.md": "## 2026-02-01\n## 2026-01-01\n",
    }
    assert codes(good) == set()
    bad = {
        "index.md": "---\ntitle: x\n---\n# I",
        "log.md": "## 2026-01-01\n## 2026-02-01\n## 2026-02-31\n",
    }
    assert codes(bad) == {"index_metadata", "log_order", "log_date"}


def test_item_015_a_bare_verified_is_a_list_of_one_and_no_family_is_needed():
    assert okf.verified({"verified": {"by": "human:ada"}}) == okf.verified(
        {"verified": [{"by": "human:ada"}]}
    )
    assert codes({"a.md": concept_text("a")}) == set()
    assert okf.trust_tier({"verified": [{"by": "bot"}]}) == "machine-confirmed"
    odd = "verified: yes\nstatus: odd\nstale_after: soon\nsources: [{}]\ngenerated: {}\n"
    assert codes({"a.md": concept_text("a", odd)}) == {"okf_shape"}


# --- level 1 ------------------------------------------------------------------------------------


@pytest.mark.req("C-L1")
def test_item_016_an_id_is_there_and_a_uuid():
    assert codes({"a.md": "---\ntype: semantic\ncreated: 2026-01-15T10:30:00Z\n---\nB"}) == {
        "no_id",
        "required",
    }
    assert codes({"a.md": concept_text("a").replace(uuid_of("a"), "slug")}) == {"id_not_uuid"}
    assert codes({"a.md": concept_text("a").replace(uuid_of("a"), uuid_of("a").upper())}) == set()


@pytest.mark.req("C-L1")
@pytest.mark.parametrize("kind", ["semantic", "episodic", "procedural"])
def test_item_017_there_are_three_types(kind):
    assert not problems({**CONCEPT, "conceptType": kind})
    assert problems({**CONCEPT, "conceptType": kind.upper()}) == {"/conceptType"}


@pytest.mark.req("C-L1")
def test_item_018_created_has_an_offset():
    assert problems({**CONCEPT, "created": "2026-01-15T10:30:00"}) == {"/created"}
    assert not problems({**CONCEPT, "created": "2026-01-15T10:30:00.5+05:30"})


@pytest.mark.req("C-L1")
def test_item_019_the_content_is_not_empty():
    assert problems({**CONCEPT, "content": ""}) == {"/content"}
    assert codes({"a.md": concept_text("a", body="\n \n")}) == {"blank_content"}


@pytest.mark.req("C-L1")
def test_item_020_markdown_and_json_ld_are_both_valid():
    files = {"a.md": concept_text("a"), "b.jsonld": json.dumps(CONCEPT)}
    report = validate(of_files({n: t.encode() for n, t in files.items()}))
    assert (report.accepted, report.issues) == (2, ())
    assert codes({"b.jsonld": "{"}) == {"json_syntax"}


@pytest.mark.req("C-L1")
def test_item_021_edges_in_the_body_are_markdown_links():
    assert codes({"a.md": concept_text("a", body="\n## Relationships\n\n- uses [[b]]\n")}) == {
        "wiki_link"
    }


def test_item_022_a_heading_is_optional_and_never_made_up():
    concept = read(concept_text("a", "title: T\n", "\nNo heading.\n"))
    assert "#" not in markdown(concept.meta, concept.body)
    assert codes({"a.md": concept_text("a", body="\n# T\n\nText\n")}) == set()


def test_item_023_there_is_no_flat_category():
    assert codes({"a.md": concept_text("a", "category: fact\n")}) == {"flat_category"}
    assert codes({"a.md": concept_text("a", "namespace: _semantic/facts\n")}) == set()


# --- projection and round trip ------------------------------------------------------------------


@pytest.mark.req("C-JSONLD")
def test_item_024_a_context_is_a_url_a_list_or_an_object():
    assert to_jsonld({"id": "x"}, "B")["@context"] == CONTEXT_URL
    for good in ("https://x.org/c", ["https://x.org/c", {}], {}):
        assert not problems({**CONCEPT, "@context": good})
    for bad in ("no url", 1, [1]):
        assert problems({**CONCEPT, "@context": bad})


def test_item_025_a_type_is_concept_memory_or_a_list_with_concept():
    for good in ("Concept", "Memory", ["Concept", "prov:Entity"]):
        assert not problems({**CONCEPT, "@type": good})
    for bad in ("concept", ["Memory"], None):
        assert problems({**CONCEPT, "@type": bad}) == {"/@type"}


def test_item_026_an_id_becomes_a_urn_once():
    assert (
        to_jsonld({"id": UUID}, "B")["@id"]
        == to_jsonld({"id": f"urn:mif:{UUID}"}, "B")["@id"]
        == f"urn:mif:{UUID}"
    )


def test_item_027_a_concept_s_urn_is_a_uuid_and_reserved_ones_are_no_concepts():
    def targets(target):
        return codes({"a.md": with_edge("a", "uses", target)})

    assert targets("urn:mif:slug") == {"urn_not_uuid"}
    assert targets("urn:mif:entity:person:ada") == set()
    assert targets(f"urn:mif:{UUID.upper()}") == set()


def test_item_028_a_type_becomes_the_concept_type_and_memory_type_is_accepted():
    assert to_jsonld({"type": "episodic"}, "B")["conceptType"] == "episodic"
    both = {"conceptType": "episodic", "memoryType": "episodic"}
    assert from_jsonld(both)[0] == {"type": "episodic", "memoryType": "episodic"}
    assert codes({"a.md": concept_text("a", "memoryType: semantic\n")}) == set()


def test_item_029_a_timestamp_mirrors_modified_or_created_or_is_not_there():
    assert to_jsonld({"created": "a", "modified": "b"}, "")["timestamp"] == "b"
    assert to_jsonld({"created": "a"}, "")["timestamp"] == "a"
    assert "timestamp" not in to_jsonld({}, "")


def test_item_030_a_description_mirrors_the_summary_and_an_authored_one_stays():
    assert to_jsonld({"summary": "s"}, "")["description"] == "s"
    assert to_jsonld({"description": "d"}, "")["description"] == "d"
    assert from_jsonld(to_jsonld({"summary": "s", "description": "d"}, ""))[0] == {
        "summary": "s",
        "description": "d",
    }


def test_item_031_all_other_keys_pass_through():
    meta = {key: {"v": key} for key in (*ORDER[2:], "other")}
    document = to_jsonld(meta, "B")
    assert all(document[key] == meta[key] for key in meta)


@pytest.mark.req("C-ROUNDTRIP")
@pytest.mark.parametrize(
    "body", ["\n    code\n", "two  \n\n\n", "a\n---\nb\n", "\r\nx\r\n", "no end", "\n\n"]
)
def test_item_032_a_body_stays_to_the_byte(body):
    document = json.loads(jsonld_text(to_jsonld({"type": "semantic"}, body)))
    assert document["content"] == body
    assert read(markdown(*from_jsonld(document))).body == body


@pytest.mark.req("C-ROUNDTRIP")
def test_item_033_the_reverse_strips_the_urn_and_restores_the_names():
    assert from_jsonld(CONCEPT) == (
        {"id": UUID, "type": "semantic", "created": CONCEPT["created"]},
        "Body",
    )


@pytest.mark.req("C-ROUNDTRIP")
def test_item_034_markdown_comes_back_from_json_ld_as_it_was():
    text = concept_text(
        "a", "title: no\ncustom: {a: 1.0, b: [true, null]}\n", "\n  Body  \n\n## X\n"
    )
    concept = read(text)
    back = from_jsonld(json.loads(jsonld_text(concept.projected())))
    assert markdown(*back, concept.parts) == text


@pytest.mark.req("C-ROUNDTRIP")
def test_item_035_json_ld_comes_back_from_markdown_as_it_was():
    document = {
        **CONCEPT,
        "@type": ["Concept", "prov:Entity"],
        "timestamp": "t",
        "x": {"y": [1, None]},
    }
    concept = read(markdown(*from_jsonld(document)))
    assert concept.projected() == document


def test_item_036_keys_come_in_the_canonical_order():
    assert len(ORDER) == 22
    shuffled = dict.fromkeys(("zeta", *reversed(ORDER), "alpha"), "x")
    lines = [line.split(":")[0].strip("'") for line in markdown(shuffled, "").splitlines()[1:-1]]
    assert lines == [*ORDER, "zeta", "alpha"]


def test_item_037_no_number_is_lost_and_none_is_not_finite():
    concept = read(concept_text("a", "big: 123456789012345678901234567890\nsmall: 5e-324\n"))
    back = from_jsonld(json.loads(jsonld_text(concept.projected())))[0]
    assert (back["big"], back["small"]) == (123456789012345678901234567890, 5e-324)
    assert codes({"a.md": concept_text("a", "x: .nan\n")}) == {"not_finite"}
    with pytest.raises(ValueError):
        jsonld_text({"x": float("inf")})


def test_item_038_times_keep_their_offset_and_digits():
    written = "2026-01-15T10:30:00.123456789012-08:00"
    text = concept_text("a").replace("2026-01-15T10:30:00Z", written)
    assert from_jsonld(read(text).projected())[0]["created"] == written


def test_item_039_markdown_wins_and_a_projection_that_disagrees_is_told():
    text = concept_text("a")
    stale = {**read(text).projected(), "title": "Old"}
    files = {"a.md": text, "a.jsonld": json.dumps(stale)}
    assert codes(files) == {"stale_projection"}
    assert codes({**files, "a.jsonld": json.dumps(read(text).projected())}) == set()


CITED = """citations:
  - '@type': Citation
    citationType: acme:memo
    citationRole: supports
    title: T
    url: https://x.org
    author: [{'@type': EntityReference, entity: {'@id': 'urn:mif:entity:person:a'}}]
"""


def test_item_040_citations_pass_both_ways_as_they_are():
    concept = read(concept_text("a", CITED))
    assert concept.projected()["citations"] == concept.meta["citations"]
    assert from_jsonld(concept.projected())[0]["citations"] == concept.meta["citations"]


def leaves(value):
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in leaves(item)]
    if isinstance(value, list):
        return [leaf for item in value for leaf in leaves(item)]
    return [] if value is None else [str(value)]


RICH = """summary: S
title: T
tags: [a/b]
temporal:
  validFrom: 2026-01-15T00:00:00Z
  validUntil: null
  ttl: P7D
  decay: {model: none, strength: 0.5}
  accessCount: 3
provenance:
  sourceType: user_explicit
  confidence: 0.95
  trustLevel: user_stated
  wasDerivedFrom: {'@id': 'urn:mif:conversation:x'}
properties: {a: 1, b: true, c: x}
entity: {name: N, entity_type: grant, budget: 12, nested: {start: x}}
extensions: {vendor: {id: 5, type: [1], deep: {x: y}}}
relationships:
  - {type: uses, target: 'urn:mif:entity:technology:x', strength: 0.5, metadata: {why: z}}
"""


@pytest.mark.req("C-JSONLD")
def test_item_041_expanding_and_compacting_loses_nothing_but_nulls():
    document = read(concept_text("a", RICH + CITED)).projected()
    expanded = jsonld.expand(document, {"documentLoader": loaded})
    context = {"@context": shipped_context(CONTEXT_URL)}
    compact = jsonld.compact(expanded, context, {"documentLoader": loaded})
    del compact["@context"]
    before = leaves({k: v for k, v in document.items() if k != "@context"})
    assert sorted(leaves(compact)) == sorted(before)


@pytest.mark.req("C-JSONLD")
def test_item_042_the_context_is_named_not_copied_and_needs_no_network():
    document = read(concept_text("a")).projected()
    assert document["@context"] == CONTEXT_URL
    (node,) = jsonld.expand(document, {"documentLoader": loaded})
    assert node["https://mif-spec.dev/ns/conceptType"] == [
        {"@id": "https://mif-spec.dev/ns/SemanticType"}
    ]
    assert "http://purl.org/dc/terms/created" in node
    with pytest.raises(LookupError):
        loaded("https://example.org/other")


def test_item_043_frontmatter_in_json_ld_s_spelling_is_accepted():
    text = f"---\n'@id': urn:mif:{UUID}\n'@type': Concept\nconceptType: semantic\ncreated: 2026-01-15T10:30:00Z\n---\nB"
    assert codes({"a.md": text}) == set()
    concept = read(text)
    assert from_jsonld(json.loads(jsonld_text(concept.projected())))[0] == concept.meta


def test_item_044_aliases_that_compaction_writes_are_accepted():
    plain = {k: v for k, v in CONCEPT.items() if k not in ("@id", "@type")}
    compacted = {**plain, "id": CONCEPT["@id"], "type": "Concept"}
    concept, _ = read_jsonld(json.dumps(compacted).encode(), "c.jsonld")
    assert (concept.id, concept.meta["type"]) == (UUID, "semantic")
