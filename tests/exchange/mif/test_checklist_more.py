"""What a conformant implementation does, item by item: level 2, level 3, profile, ontology, security (45 to 101)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from muniment.core.canonical import digest_bytes
from muniment.exchange.mif import namespaces
from muniment.exchange.mif.bundle import of_files, read_path
from muniment.exchange.mif.concept import read_markdown
from muniment.exchange.mif.decay import (
    DAY,
    default_decay,
    may_compress,
    recall_score,
    seconds,
    stated_strength,
    strength,
)
from muniment.exchange.mif.entities import entity_from_jsonld, entity_to_jsonld
from muniment.exchange.mif.ids import parse_address, uuid_for
from muniment.exchange.mif.migrate import migrate
from muniment.exchange.mif.namespaces import agreement_for, inherited, may, may_leave, same_scope
from muniment.exchange.mif.ontology import compose
from muniment.exchange.mif.ontology_use import endpoint_fault, safe_pattern, suggestions
from muniment.exchange.mif.repair import repaired
from muniment.exchange.mif.rules_edges import CORE_RELATIONSHIPS
from muniment.exchange.mif.settings import read_settings
from muniment.exchange.mif.tables import RANGES, source_type_of, trust_of
from muniment.exchange.mif.to_claims import item_of
from muniment.exchange.mif.validate import validate
from muniment.usecases.bundle import collect
from tests.exchange.mif.samples import (
    CONCEPT,
    UUID,
    codes,
    concept_text,
    found,
    problems,
    uuid_of,
    with_edge,
)
from tests.usecases.test_bundle import exported, files_of, filled, restored
from tests.usecases.world import SHOP, World, fact

SHARED = Path(__file__).parents[3] / ".." / "shared" / "mif"
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="needs ../shared/mif")


def one(extra="", body="\nBody text.\n", **files):
    return codes({"a.md": concept_text("a", extra, body), **files})


def read(text):
    concept, issues = read_markdown(text.encode(), "a.md")
    assert concept is not None, issues
    return concept


# --- level 2: namespaces ------------------------------------------------------------------------


@pytest.mark.req("C-NAMESPACE", "C-L2")
def test_item_045_a_namespace_has_a_root_and_scopes():
    assert not problems({**CONCEPT, "namespace": "acme-corp/team_a/x"})
    for bad in ("acme:x", "a/", "/a", "", "a b", "_semantic/кодекс"):
        assert problems({**CONCEPT, "namespace": bad}) == {"/namespace"}
    assert namespaces.root("_semantic/x/y") == "_semantic"


@pytest.mark.req("C-NAMESPACE", "C-L2")
def test_item_046_a_type_prefix_agrees_with_the_type():
    assert one("namespace: _semantic/x\n") == set()
    assert one("namespace: _episodic/x\n") == {"namespace_type"}


@pytest.mark.req("C-NAMESPACE")
def test_item_047_local_never_leaves(tmp_path):
    assert not may_leave("_local/x") and not may_leave("acme/_local/x")
    world = World()
    world.accept(fact("Mine alone.", namespace="_local/notes"))
    assert exported(world, tmp_path).claims == 0
    assert b"Mine alone" not in b"".join(files_of(tmp_path).values())


@pytest.mark.req("C-NAMESPACE")
def test_item_048_shared_needs_an_agreement_and_obeys_its_lists():
    text = concept_text("a", "namespace: _shared/ab/api\n")
    terms = (
        "id: ab\nparties: [a, b]\nnamespaces: [_shared/ab/*]\naccess: {read: parties, write: [a]}\n"
    )
    assert codes({"a.md": text}) == {"no_agreement"}
    assert codes({"a.md": text, ".mif/shared-agreements/ab.yaml": terms}) == set()
    agreements = read_settings({"shared-agreements/ab.yaml": terms.encode()})[0].agreements
    agreement = agreement_for("_shared/ab/api", agreements)
    assert (may(agreement, "b", "read"), may(agreement, "b", "write")) == (True, False)


@pytest.mark.req("C-NAMESPACE")
def test_item_049_public_is_for_everybody_and_system_for_nobody_else():
    assert one("namespace: _public/python\n") == set()
    assert one("namespace: _system/keys\n") == {"system_namespace"}
    assert may_leave("_public/x") and not may_leave("_system/x")


@pytest.mark.req("C-NAMESPACE")
def test_item_050_another_prefix_is_declared_and_its_terms_hold():
    text = concept_text("a", "namespace: _imported/x\n")
    assert codes({"a.md": text}) == {"undeclared_prefix"}
    declared = "reserved_prefixes: {_imported: {provenance_required: true}, _archive: {access: read-only}}\n"
    assert codes({"a.md": text, ".mif/config.yaml": declared}) == {"provenance_required"}
    stated = concept_text("a", "namespace: _imported/x\nprovenance: {agent: x}\n")
    assert codes({"a.md": stated, ".mif/config.yaml": declared}) == set()
    archived = concept_text("a", "namespace: _archive/x\n")
    assert codes({"a.md": archived, ".mif/config.yaml": declared}) == {"read_only"}


@pytest.mark.req("C-NAMESPACE")
def test_item_051_scopes_of_an_organisation_are_peers():
    assert same_scope("acme/jane/x", "acme/x/jane")
    assert not same_scope("acme/jane", "other/jane")


def test_item_052_an_address_names_domain_namespace_and_id():
    address = parse_address("mif://github.com/acme/project-x/550e")
    assert (address.domain, address.namespace, address.id) == (
        "github.com",
        "acme/project-x",
        "550e",
    )
    assert str(address) == "mif://github.com/acme/project-x/550e"
    assert parse_address("https://x/y/z") is None


@pytest.mark.req("C-NAMESPACE")
def test_item_053_a_namespace_inherits_and_overrides():
    spaces = read_settings({
        "namespaces/acme.yaml": b"default_ttl: P365D\ndefault_visibility: private\ndefault_tags: [acme]",
        "namespaces/acme/x.yaml": b"parent: acme\ndefault_tags: [x]\ndefault_ttl: P7D",
    })[0].spaces  # fmt: skip
    taken = inherited("acme/x/deep", spaces)
    assert (taken.ttl, taken.visibility, taken.tags) == ("P7D", "private", ("acme", "x"))


# --- level 2: entities --------------------------------------------------------------------------


@pytest.mark.req("C-ENTITY", "C-L2")
def test_item_054_an_entity_reference_is_closed_and_named_by_a_urn():
    good = {
        "@type": "EntityReference",
        "entity": {"@id": "urn:mif:entity:person:a"},
        "entityType": "Person",
    }
    assert not problems({**CONCEPT, "entities": [good, {**good, "entityType": "grazing-plan"}]})
    for change in (
        {"entity": {"@id": "urn:mif:x"}},
        {"entityType": "Project"},
        {"more": 1},
        {"@type": "X"},
    ):
        assert problems({**CONCEPT, "entities": [{**good, **change}]})


@pytest.mark.req("C-ENTITY")
def test_item_055_an_entity_file_has_its_json_ld():
    text = b"id: jane-doe\ntype: Person\nname: Jane Doe\naliases: [jdoe]\nproperties: {role: Engineer}\n"
    settings, issues = read_settings({"entities/person/jane-doe.yaml": text})
    entity = settings.entities["urn:mif:entity:person:jane-doe"]
    node = entity_to_jsonld(entity)
    assert (
        not issues and node["@id"] == "urn:mif:entity:person:jane-doe" and node["@type"] == "Person"
    )
    assert entity_from_jsonld(node) == entity
    wrong = b"id: other\ntype: Person\naliases: x\n"
    assert {i.code for i in read_settings({"entities/file/jane.yaml": wrong})[1]} == {
        "entity_id", "entity_folder", "entity_name", "entity_aliases",
    }  # fmt: skip


@pytest.mark.req("C-ENTITY")
def test_item_056_custom_entity_types_carry_a_namespace():
    config = "entity_types: [{name: Person}, {name: Animal, namespace: farm}, {name: ram}]\n"
    settings, _ = read_settings({"config.yaml": config.encode()})
    assert settings.entity_types == {"farm:Animal", "ram"}
    entity = {"id": "ram-1", "type": "Animal", "name": "Ram", "namespace": "farm"}
    assert entity_to_jsonld(entity)["@type"] == "farm:Animal"
    text = "entities: [{'@type': EntityReference, entity: {'@id': 'urn:mif:entity:x:y'}, entityType: %s}]\n"
    assert one(text % "ram", **{".mif/config.yaml": config}) == set()
    assert one(text % "ewe", **{".mif/config.yaml": config}) == {"undeclared_entity_type"}


# --- level 2: relationships ---------------------------------------------------------------------


@pytest.mark.req("C-L2")
def test_item_057_a_relationship_is_closed_and_its_strength_a_share():
    good = {"type": "uses", "target": "/a.md", "strength": 1, "metadata": {"x": [1]}}
    assert not problems({**CONCEPT, "relationships": [good]})
    for change in ({"strength": 1.1}, {"strength": True}, {"more": 1}, {"target": {"@id": "x"}}):
        assert problems({**CONCEPT, "relationships": [{**good, **change}]})


@pytest.mark.req("C-L2")
def test_item_058_a_relationship_s_type_is_kebab_case_with_an_optional_prefix():
    for good in ("relates-to", "farm:breeds-with", "9x"):
        assert not problems({**CONCEPT, "relationships": [{"type": good, "target": "x"}]})
    for bad in ("RelatesTo", "relates_to", "a:b:c", "-x", ""):
        assert problems({**CONCEPT, "relationships": [{"type": bad, "target": "x"}]}) == {
            "/relationships/0/type"
        }


def test_item_059_nine_core_types_have_their_inverse():
    inverse = dict(CORE_RELATIONSHIPS)
    assert len(inverse) == 9
    assert {name for name, other in inverse.items() if name == other} == {
        "relates-to",
        "conflicts-with",
    }
    assert inverse["supersedes"] == "superseded-by"


CONFIG = """relationship_types:
  - name: BreedsWith
    namespace: farm
    properties: [{name: success, type: boolean}, {name: score, range: [0.0, 1.0]}, {name: kind, enum: [a, b]}]
"""


@pytest.mark.req("C-L2")
def test_item_060_custom_types_are_declared_and_their_metadata_fit():
    config = {".mif/config.yaml": CONFIG}
    target = "urn:mif:entity:animal:x"
    assert codes({"a.md": with_edge("a", "farm:breeds-with", target), **config}) == set()
    assert codes({"a.md": with_edge("a", "farm:eats", target), **config}) == {
        "undeclared_relationship"
    }
    assert codes({"a.md": with_edge("a", "farm:eats", target)}) == set()
    for bad in ("success: yes", "score: 5.0", "kind: c", "'farm:success': 1"):
        text = with_edge("a", "farm:breeds-with", target, f", metadata: {{{bad}}}")
        assert codes({"a.md": text, **config}) == {"relationship_property"}


@pytest.mark.req("C-OKF")
def test_item_061_the_frontmatter_decides_and_the_body_shows():
    assert codes({"a.md": with_edge("a", "relates-to", "/a.md")}) == set()
    assert one("relationships: [{type: uses, target: /a.md}]\n") == {"edge_not_mirrored"}
    assert one("", "\n## Relationships\n\n- uses [a](/a.md)\n") == {"edge_not_declared"}
    for odd in ("* uses [a](/a.md)", "+ uses [a](/a.md) — because", "- uses [a \\[1\\]](/a.md)"):
        assert (
            one("relationships: [{type: uses, target: /a.md}]\n", f"\n### Relationships\n\n{odd}\n")
            == set()
        )
    assert one("", "\n```\n## Relationships\n- uses [a](/a.md)\n```\n") == set()


@pytest.mark.req("C-OKF")
def test_item_062_the_mirror_is_counted():
    twice = "relationships: [{type: uses, target: /a.md}, {type: uses, target: /a.md}]\n"
    line = "- uses [a](/a.md)\n"
    assert one(twice, f"\n## Relationships\n\n{line}") == {"edge_not_mirrored"}
    assert one(twice, f"\n## Relationships\n\n{line}{line}") == set()
    (issue,) = found({"a.md": concept_text("a", twice, f"\n## Relationships\n\n{line}")})
    assert "`uses /a.md`" in issue.message and "2 times" in issue.message


def test_item_063_a_target_is_a_path_or_a_urn():
    assert codes({"a.md": with_edge("a", "uses", "a.md")}) == {"relative_target"}
    assert codes({"a.md": with_edge("a", "uses", "https://x.org")}) == {"foreign_target"}
    assert (
        codes({"a.md": with_edge("a", "uses", "/a_(old).md"), "a_(old).md": concept_text("b")})
        == set()
    )


def test_item_064_what_derives_is_not_older_than_its_source():
    late = concept_text("b").replace("2026-01-15", "2026-03-15")
    files = {"a.md": with_edge("a", "derived-from", "/b.md"), "b.md": late}
    assert codes(files) == {"derived_before_source"}
    assert [i.severity for i in found(files)] == ["warning"]
    assert [i.severity for i in found(files, strict_temporal=True)] == ["error"]
    assert codes({**files, "b.md": concept_text("b")}) == set()


@needs_shared
def test_the_reference_bundles_in_and_out_of_time_are_told_apart():
    assert [i.code for i in validate(read_path(SHARED / "test/temporal/good")).issues] == []
    assert [i.code for i in validate(read_path(SHARED / "test/temporal/bad")).issues] == [
        "derived_before_source"
    ]


def test_item_065_a_target_stays_in_the_bundle():
    assert codes({"a.md": with_edge("a", "uses", "/../../etc/passwd.md")}) == {"target_escapes"}


PACK = """ontology: {id: farm, version: 1.2.0}
namespaces: {_semantic: {children: {grants: {type_hint: semantic}}}}
traits: {dated: {fields: {at: {type: string, format: date-time}}}}
entity_types:
  - {name: animal, base: semantic, schema: {required: [breed], properties: {breed: {type: string, enum: [x, y]}}}}
  - {name: ram, base: semantic, subtype_of: [animal], traits: [dated], schema: {required: [breed, horn]}}
relationships: {breeds: {from: [animal], to: [animal]}}
discovery:
  enabled: true
  patterns: [{content_pattern: '(?i)\\bram\\b', suggest_entity: ram, suggest_namespace: _semantic/animals}]
"""
PACKS = {".mif/ontologies/farm.ontology.yaml": PACK}


@pytest.mark.req("C-ONTOLOGY")
def test_item_066_an_ontology_reference_matches_its_definition():
    assert one("ontology: {id: farm, version: 1.2.0}\n", **PACKS) == set()
    assert one("ontology: {id: other}\n", **PACKS) == {"unknown_ontology"}
    assert one("ontology: {id: farm, version: 1.0.0}\n", **PACKS) == {"ontology_version"}
    assert problems({**CONCEPT, "ontology": {"id": "A", "version": "1", "uri": "x"}}) == {
        "/ontology/id", "/ontology/version", "/ontology/uri",
    }  # fmt: skip


@pytest.mark.req("C-ONTOLOGY")
def test_item_067_an_entity_has_a_name_and_what_its_type_declares():
    assert not problems({**CONCEPT, "entity": {"name": "x", "more": [1]}})
    assert problems({**CONCEPT, "entity": {}}) == {"/entity/name"}
    assert one("entity: {name: x, entity_type: animal, breed: x}\n", **PACKS) == set()
    assert one("entity: {name: x, entity_type: animal}\n", **PACKS) == {"entity_field"}
    assert one("entity: {name: x, entity_type: animal, breed: z}\n", **PACKS) == {"entity_value"}


def test_item_068_properties_are_scalars():
    assert not problems({**CONCEPT, "properties": {"a": 1, "b": "x", "c": True, "d": None}})
    assert problems({**CONCEPT, "properties": {"a": [1], "b": {}}}) == {
        "/properties/a",
        "/properties/b",
    }


def test_item_069_tags_and_aliases_are_lists_of_text():
    assert not problems({**CONCEPT, "tags": ["a/b", "é"], "aliases": []})
    assert problems({**CONCEPT, "tags": "a", "aliases": [1]}) == {"/tags", "/aliases/0"}


# --- level 3 ------------------------------------------------------------------------------------


@pytest.mark.req("C-L3")
def test_item_070_valid_time_and_recorded_time_are_two():
    assert not problems(
        {
            **CONCEPT,
            "temporal": {"validFrom": None, "validUntil": None, "recordedAt": CONCEPT["created"]},
        }
    )
    assert problems({**CONCEPT, "temporal": {"recordedAt": None}}) == {"/temporal/recordedAt"}
    assert one(
        "temporal: {validFrom: 2026-02-01T00:00:00Z, validUntil: 2026-01-01T00:00:00Z}\n"
    ) == {"times_out_of_order"}
    item = item_of(
        read(
            concept_text(
                "a",
                "temporal: {validFrom: 2020-01-01T00:00:00Z, recordedAt: 2026-01-01T00:00:00Z}\n",
            )
        )
    )
    assert item["validity"] == {"valid_from": "2020-01-01T00:00:00Z"}


@pytest.mark.req("C-L3")
def test_item_071_a_time_to_live_is_really_a_duration():
    assert one("temporal: {ttl: P1.5D}\n") == set()
    assert one("temporal: {ttl: P3X}\n") == {"bad_duration"}
    assert one("temporal: {ttl: P, decay: {model: exponential, halfLife: PX}}\n") == {
        "bad_duration"
    }
    assert [seconds(d) for d in ("PT1H", "P2W", "P1M", "7D", None)] == [
        3600,
        14 * DAY,
        30 * DAY,
        None,
        None,
    ]


@pytest.mark.req("C-L3")
def test_item_072_four_models_decay_by_their_formulas():
    def at(model, days):
        return strength({"model": model, "halfLife": "P10D"}, "P10D", days * DAY)

    assert [at("none", d) for d in (0, 10, 99)] == [1, 1, 1]
    assert [at("linear", d) for d in (0, 5, 10, 99)] == [1, 0.5, 0, 0]
    assert [round(at("exponential", d), 4) for d in (0, 10, 20)] == [1, 0.3679, 0.1353]
    assert [at("step", d) for d in (0, 9.9, 10)] == [1, 1, 0]
    assert one("temporal: {decay: {model: exponential}}\n") == {"decay_parameter"}


@pytest.mark.req("C-L3")
def test_item_073_strength_has_two_names():
    assert stated_strength({"strength": 0.5}) == stated_strength({"currentStrength": 0.5}) == 0.5
    assert one("temporal: {decay: {model: none, strength: 0.5, currentStrength: 0.6}}\n") == {
        "two_strengths"
    }


@pytest.mark.req("C-L3")
def test_item_074_accesses_and_reinforcements_have_their_shape():
    event = {
        "timestamp": CONCEPT["created"],
        "event": "recall",
        "strengthDelta": 0.1,
        "context": "x",
    }
    assert not problems(
        {
            **CONCEPT,
            "temporal": {
                "accessCount": 3,
                "lastAccessed": CONCEPT["created"],
                "reinforcementHistory": [event],
            },
        }
    )
    assert problems({**CONCEPT, "temporal": {"accessCount": -1}}) == {"/temporal/accessCount"}
    assert problems({**CONCEPT, "temporal": {"reinforcementHistory": [{"event": "x"}]}})


@pytest.mark.req("C-L3", "C-PROVENANCE")
def test_item_075_source_types_and_trust_are_named_and_have_their_range():
    for name, low, high in RANGES:
        for value, wrong in ((low, set()), (high, set()), (low - 0.01, {"confidence_range"})):
            assert one(f"provenance: {{sourceType: {name}, confidence: {value}}}\n") == wrong
    assert problems({**CONCEPT, "provenance": {"sourceType": "chat", "trustLevel": "x", "confidence": 1.1}}) == {
        "/provenance/sourceType", "/provenance/trustLevel", "/provenance/confidence",
    }  # fmt: skip


@pytest.mark.req("C-L3")
def test_item_076_a_prov_node_is_text_or_an_object_with_an_id():
    for good in ("x", {"@id": "x", "more": 1}, {"id": "x"}):
        assert not problems(
            {**CONCEPT, "provenance": {"wasGeneratedBy": good, "wasDerivedFrom": [good]}}
        )
    for bad in ({}, 1, ["x"]):
        assert problems({**CONCEPT, "provenance": {"wasAttributedTo": bad}})


@pytest.mark.req("C-L3")
def test_item_077_an_embedding_is_described_and_never_the_vector():
    assert not problems(
        {**CONCEPT, "embedding": {"model": "m", "dimensions": 3, "sourceText": "t"}}
    )
    assert problems({**CONCEPT, "embedding": {"vector": [1.0]}}) == {"/embedding/vector"}
    assert one("embedding: {model: m}\n") == {"no_source_text"}


CITATION = {
    "@type": "Citation",
    "citationType": "article",
    "citationRole": "supports",
    "title": "T",
    "url": "https://x.org",
}


@pytest.mark.req("C-L3")
def test_item_078_a_citation_has_five_fields_and_may_have_types_of_its_own():
    own = {"citationType": "acme:memo", "citationRole": "legal:precedent"}
    assert not problems({**CONCEPT, "citations": [CITATION, {**CITATION, **own}]})
    for key in CITATION:
        without = {k: v for k, v in CITATION.items() if k != key}
        assert problems({**CONCEPT, "citations": [without]}) == {f"/citations/0/{key}"}
    assert problems({**CONCEPT, "citations": [{**CITATION, "citationType": "my-org:memo"}]})


@pytest.mark.req("C-L3")
def test_item_079_dates_relevance_and_notes_are_bounded():
    good = {"date": "2024-02-29", "accessed": "2026-01-01", "relevance": 0, "note": "x" * 1000}
    assert not problems({**CONCEPT, "citations": [{**CITATION, **good}]})
    bad = {"date": "2026-02-29", "accessed": "today", "relevance": 1.01, "note": "x" * 1001}
    assert problems({**CONCEPT, "citations": [{**CITATION, **bad}]}) == {
        f"/citations/0/{key}" for key in bad
    }


def test_item_080_an_import_follows_the_error_table_and_says_what_it_did():
    given = [
        {
            **CITATION,
            "citationType": "memo",
            "citationRole": "odd",
            "relevance": 7,
            "date": "last May",
        },
        {**CITATION, "url": "no url"},
        {"url": "https://x.org"},
    ]
    meta, notes = repaired({"id": UUID, "citations": given})
    assert meta["citations"] == [
        {
            **CITATION,
            "citationType": "other",
            "citationRole": "background",
            "relevance": 1.0,
            "note": "date: last May",
        }
    ]
    assert [(n.code, n.severity) for n in notes] == [
        ("citation_fallback", "warning"), ("citation_fallback", "warning"), ("citation_clamped", "warning"),
        ("citation_date", "warning"), ("citation_left_out", "error"), ("citation_left_out", "error"),
    ]  # fmt: skip


def test_item_081_a_citation_of_the_body_stands_in_the_frontmatter():
    body = "\n## Citations\n\n- [T](https://x.org) by X (2024)\n  - **Type**: article\n"
    assert one("", body) == {"citation_not_declared"}
    assert one(f"citations: [{json.dumps(CITATION)}]\n", body) == set()


@pytest.mark.req("C-ENTITY")
def test_item_082_an_author_is_text_or_entities():
    ref = {"@type": "EntityReference", "entity": {"@id": "urn:mif:entity:person:a"}}
    for good in ("Ada", ref, [ref, ref], []):
        assert not problems({**CONCEPT, "citations": [{**CITATION, "author": good}]})
    for bad in (1, ["Ada"], {}):
        assert problems({**CONCEPT, "citations": [{**CITATION, "author": bad}]})


def test_item_083_compression_keeps_a_short_summary_and_everything_else():
    assert problems({**CONCEPT, "summary": "x" * 501}) == {"/summary"}
    assert one("compressedAt: 2026-01-24T10:00:00Z\n") == {"no_summary"}
    assert one("summary: s\ncompressedAt: 2026-01-24T10:00:00Z\n") == set()
    assert one("summary: s\ncompressed_at: 2026-01-24T10:00:00Z\n") == {"other_spelling"}
    assert repaired({"id": UUID, "compressed_at": "t"})[0]["compressedAt"] == "t"
    assert (
        may_compress(31, 101, 0.9) and may_compress(1, 101, 0.2) and not may_compress(31, 100, 0.2)
    )


def test_item_084_a_document_is_closed_located_and_hashed():
    good = {
        "@type": "DocumentReference",
        "id": "x",
        "hash": {"algorithm": "sha256", "value": "a" * 64},
    }
    assert not problems({**CONCEPT, "documents": [good]})
    for change in ({"id": ""}, {"hash": {"algorithm": "sha256"}}, {"more": 1}, {"byteLength": -1}):
        assert problems({**CONCEPT, "documents": [{**good, **change}]})
    assert problems({**CONCEPT, "documents": [{"@type": "DocumentReference"}]}) == {"/documents/0"}
    short = json.dumps({**good, "hash": {"algorithm": "sha256", "value": "abc"}})
    assert one(f"documents: [{short}]\n") == {"bad_hash"}


def test_item_085_extensions_are_opaque():
    assert not problems({**CONCEPT, "extensions": {"a": [{"@id": 1, "type": None}], "b": 1}})
    assert problems({**CONCEPT, "extensions": []}) == {"/extensions"}


def test_item_086_a_configuration_states_version_level_and_extensions():
    settings, issues = read_settings(
        {"config.yaml": b"mif_version: '1.0.0'\nconformance_level: 3\nextensions: [a]"}
    )
    assert (settings.version, settings.level, issues) == ("1.0.0", 3, ())
    odd = read_settings({"config.yaml": b"conformance_level: 7\nextensions: x\nnamespaces: 1"})[1]
    assert {i.pointer for i in odd} == {"/conformance_level", "/extensions", "/namespaces"}
    assert one(**{".mif/config.yaml": "conformance_level: 3\n"}) == {"level_not_reached"}


# --- profile ------------------------------------------------------------------------------------


def test_item_087_every_memory_is_of_the_triad(tmp_path):
    exported(filled(), tmp_path)
    kinds = {concept.meta["type"] for concept in read_path(tmp_path).concepts}
    assert kinds <= {"semantic", "episodic", "procedural"}


def test_item_088_the_profile_assumes_a_decay_and_writes_none():
    assert default_decay("episodic") == {"model": "exponential", "halfLife": "P7D"}
    assert default_decay("semantic") == {"model": "exponential", "halfLife": "P30D"}
    assert "decay" not in item_of(read(concept_text("a"))).get("validity", {})


def test_item_089_a_recall_is_counted_and_changes_no_file(tmp_path):
    from muniment.core.codec import micros
    from muniment.ports.store import Access

    world = World()
    claim = world.accept(fact("Counted."))
    exported(world, tmp_path)
    before = files_of(tmp_path)
    world.store.log("acme", Access("ret_1", "user:ana", world.clock(), {}, (claim,), (claim,)))
    assert world.show(claim).accesses == 1 and micros(world.clock()) > 0
    assert exported(world, tmp_path).changed == () and files_of(tmp_path) == before


def test_item_090_a_recall_s_score_is_similarity_times_strength():
    assert recall_score(0.8, 0.5) == 0.4


@needs_shared
@pytest.mark.req("C-ONTOLOGY")
def test_item_091_sessions_and_their_relationships_are_checked():
    pack = (SHARED / "ai-memory.ontology.yaml").read_text()
    files = {".mif/ontologies/ai-memory.ontology.yaml": pack}
    session = concept_text(
        "s", "entity: {name: S, entity_type: session, session_type: debug, summary: x}\n"
    ).replace("semantic", "episodic")
    learned = with_edge("a", "learned-in", "/s.md").replace(
        "relationships",
        "entity: {name: O, entity_type: observation, statement: x}\nrelationships",
        1,
    )
    assert codes({"a.md": learned, "s.md": session, **files}) == set()
    wrong = session.replace("debug", "party")
    assert codes({"a.md": learned, "s.md": wrong, **files}) == {"entity_value"}
    turned = (
        with_edge("s", "learned-in", "/a.md")
        .replace(
            "relationships",
            "entity: {name: S, entity_type: session, session_type: debug, summary: x}\nrelationships",
            1,
        )
        .replace("semantic", "episodic")
    )
    other = concept_text("a", "entity: {name: O, entity_type: observation, statement: x}\n")
    assert codes({"s.md": turned, "a.md": other, **files}) == {"relationship_end"}


# --- ontology -----------------------------------------------------------------------------------


@pytest.mark.req("C-ONTOLOGY")
def test_item_092_later_packs_override_earlier_ones_and_the_base_is_first():
    first = {"entity_types": [{"name": "t", "base": "semantic"}]}
    second = {"entity_types": [{"name": "t", "base": "episodic"}]}
    composed = compose([("user.yaml", first), ("project.yaml", second)])
    assert composed.types["t"].base == "episodic"
    assert composed.namespaces["_procedural"] == "procedural" and "mif-base" in composed.ids
    found_for = suggestions(
        compose(
            [
                (
                    "p",
                    json.loads(
                        json.dumps(
                            read_settings({"ontologies/farm.ontology.yaml": PACK.encode()})[
                                0
                            ].ontologies[".mif/ontologies/farm.ontology.yaml"]
                        )
                    ),
                )
            ]
        ),
        "The ram is old.",
    )
    assert [(s.entity, s.namespace) for s in found_for] == [("ram", "_semantic/animals")]


@pytest.mark.req("C-ONTOLOGY")
def test_item_093_traits_inherit_and_an_independent_clash_names_both():
    def faults(traits, own=None):
        kind = {
            "name": "t",
            "base": "semantic",
            "traits": ["a", "b"],
            "schema": {"properties": own or {}},
        }
        return [
            f.message for f in compose([("p", {"traits": traits, "entity_types": [kind]})]).faults
        ]

    text, number = {"s": {"type": "string"}}, {"s": {"type": "number"}}
    diamond = {"root": {"fields": text}, "a": {"extends": ["root"]}, "b": {"extends": ["root"]}}
    assert faults(diamond) == []
    (message,) = faults({"a": {"fields": text}, "b": {"fields": number}})
    assert "`a`" in message and "`b`" in message
    assert faults({"a": {"fields": text}, "b": {"fields": number}}, own=text) == []
    assert faults({"a": {"extends": ["b"]}, "b": {"extends": ["a"]}}) == []


@pytest.mark.req("C-ONTOLOGY")
def test_item_094_subtypes_resolve_require_as_much_and_have_no_cycle():
    def fault(**types):
        listed = [{"name": n, "base": "semantic", **t} for n, t in types.items()]
        return {f.code for f in compose([("p", {"entity_types": listed})]).faults}

    assert fault(a={}, b={"subtype_of": ["a"]}) == set()
    assert fault(a={"subtype_of": ["a"]}) == {"subtype_cycle"}
    assert fault(a={"subtype_of": ["b"]}, b={"subtype_of": ["a"]}) == {"subtype_cycle"}
    assert fault(a={"subtype_of": ["nowhere"]}) == {"unknown_parent"}
    assert fault(a={"schema": {"required": ["x"]}}, b={"subtype_of": ["a"]}) == {
        "subtype_requires_less"
    }
    composed = compose(
        [
            (
                "p",
                {
                    "entity_types": [
                        {"name": "a", "base": "semantic"},
                        {"name": "b", "base": "semantic", "subtype_of": ["a"]},
                    ],
                    "relationships": {"r": {"from": ["a"], "to": ["a"]}},
                },
            )
        ]
    )
    assert not endpoint_fault(composed, "r", "b", "b")


def test_a_pattern_that_could_take_long_is_not_run():
    assert (
        safe_pattern("(a+)+b") is None
        and safe_pattern("(x*)*") is None
        and safe_pattern("a" * 400) is None
    )


# --- migration and security ---------------------------------------------------------------------


OLD = "---\nid: {0}\ntype: semantic\ncreated: 2026-01-10 09:00:00+00:00\n{2}---\n\n# T\n\n## Relationships\n\n{1}\n"


@pytest.mark.req("C-MIGRATE")
def test_item_095_version_0_1_is_migrated_without_losing_an_edge():
    lines = "- Supersedes [[b]] (why)\n- relates_to [[Sub Plan#part|Z]]\n- [[nowhere]]\n"
    files = {
        "a.memory.md": OLD.format("a", lines, "").encode(), "b.memory.md": OLD.format("b", "", "").encode(),
        "c.md": OLD.format("c", "", "title: Sub Plan\n").encode(), "notes.md": b"plain", "x.bin": b"\0",
    }  # fmt: skip
    made, issues = migrate(files)
    assert sorted(made) == ["a.md", "b.md", "c.md", "notes.md", "x.bin"]
    assert (made["notes.md"], made["x.bin"]) == (b"plain", b"\0")
    concept, _ = read_markdown(made["a.md"], "a.md")
    assert concept.meta["id"] == uuid_for("a") and concept.meta["aliases"] == ["a"]
    assert concept.meta["created"] == "2026-01-10T09:00:00Z"
    edges = [(r["type"], r["target"]) for r in concept.meta["relationships"]]
    assert edges == [
        ("supersedes", "/b.md"),
        ("relates-to", "/c.md#part"),
        ("relates-to", "/nowhere.md"),
    ]
    assert "- supersedes [b](/b.md) (why)\n- relates-to [Z](/c.md#part)\n" in concept.body
    assert "edge_unresolved" in {i.code for i in issues}
    assert "edge_not_mirrored" not in codes(made)
    assert migrate(made)[0] == made


@pytest.mark.req("C-MIGRATE")
def test_item_096_an_id_of_any_spelling_becomes_one_uuid():
    assert uuid_for(UUID.upper()) == uuid_for(f"urn:mif:{UUID}") == uuid_for(f"{{{UUID}}}") == UUID
    assert uuid_for("urn:mif:slug") == uuid_for("slug") != uuid_for("Slug")
    meta, _ = repaired({"id": "slug"})
    assert (meta["id"], meta["aliases"]) == (uuid_for("slug"), ["slug"])


def test_item_097_ids_are_unique_in_a_bundle():
    same = concept_text("a")
    issues = found({"a.md": same, "b.md": same.replace(uuid_of("a"), uuid_of("a").upper())})
    assert [(i.code, i.file, i.severity) for i in issues] == [("duplicate_id", "b.md", "error")]


@pytest.mark.req("B-TRAVEL")
def test_item_098_an_export_holds_what_the_asker_may_see_alone(tmp_path):
    world = World()
    hidden = world.accept_hidden(fact("Hidden."))
    world.accept(fact("Seen."))
    export = collect(world.session("user:bob"))
    assert [o.claim.claim for o in export.claims] == ["Seen."]
    exported(world, tmp_path, "user:bob", scopes=(SHOP,))
    assert hidden not in b"".join(files_of(tmp_path).values()).decode()


@pytest.mark.req("C-HASH")
def test_item_099_hashes_are_made_and_checked(tmp_path):
    world = World()
    world.accept(fact("Hashed."))
    exported(world, tmp_path)
    (concept,) = read_path(tmp_path).concepts
    assert concept.meta["extensions"]["hash"] == digest_bytes(concept.body.encode())
    path = tmp_path / concept.file
    path.write_text(path.read_text().replace("Hashed.", "Hushed."))
    assert "hash_mismatch" in {i.code for i in validate(read_path(tmp_path)).issues}
    assert restored(tmp_path, World()).claims == ()


@pytest.mark.req("C-TRUST", "C-PROVENANCE")
def test_item_100_trust_is_never_raised_and_what_comes_from_outside_is_marked():
    boast = "provenance: {sourceType: user_explicit, confidence: 1.0, trustLevel: verified}\n"
    boast += "verified: {by: human:x}\nstatus: stable\n"
    item = item_of(read(concept_text("a", boast)))
    assert "confidence" not in item and item["review"] == {"status": "proposed"}
    assert item["freshness"] == {"status": "unknown"}
    assert item["source"]["derivation"] == "imported"
    assert "trustLevel verified" in item["provenance"]["foreign_review"]
    assert source_type_of("user_input", "imported") == "external_import"
    assert {
        trust_of(level, kind) for level in ("high", "medium", "low", "") for kind, _, _ in RANGES
    } & {"verified"} == set()


def test_item_101_a_container_is_closed_and_checked_record_by_record():
    envelope = {
        "@context": "https://mif-spec.dev/schema/container-context.jsonld", "@type": "MemoryCorpus",
        "containerProfileVersion": "0.1.0",
        "records": [{"kind": "memory", "payload": CONCEPT}, {"kind": "vendor", "payload": {}}],
    }  # fmt: skip
    assert codes({"x.corpus.json": json.dumps(envelope)}) == {"unknown_kind"}
    assert codes({"x.corpus.json": json.dumps({**envelope, "records": [], "more": 1})}) == {
        "additionalProperties"
    }
    broken = {**envelope, "records": [{"kind": "memory", "payload": {**CONCEPT, "content": ""}}]}
    report = validate(of_files({"x.corpus.json": json.dumps(broken).encode()}))
    assert [(i.area, i.pointer) for i in report.issues if i.area == "schema"] == [
        ("schema", "/content")
    ]
