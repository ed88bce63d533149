"""A bundle of another tool becomes proposals that invent nothing, and goes out again with nothing lost (`C-MAP`)."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from muniment.core.canonical import digest_bytes
from muniment.exchange.mif.bundle import read_path
from muniment.exchange.mif.validate import validate
from muniment.usecases.importing import import_batch
from tests.exchange.foreign import gathered
from tests.exchange.mif.samples import concept_text, uuid_of
from tests.usecases.test_bundle import exported
from tests.usecases.world import SHOP, World, fact

SHARED = Path(__file__).parents[2] / ".." / "shared" / "mif"
BODY = "\n# Rate limit\n\nSix hundred a minute.  \n\n## Relationships\n\n- derived-from [S](/episodic/s.md)\n"
RICH = """modified: 2026-01-20T09:00:00.123456789-08:00
namespace: _semantic/policies
title: Rate limit
summary: The gateway allows 600 requests a minute.
tags: [api, gateway/limits]
aliases: [limit]
unknown: {deep: [1.0, null, {x: no}]}
properties: {limit: 600, unit: minute, burst: null, ratio: 1.0}
temporal:
  validFrom: 2026-01-01T00:00:00Z
  validUntil: null
  recordedAt: 2026-01-15T10:30:00Z
  ttl: P365D
  decay: {model: exponential, halfLife: P30D, strength: 0.9}
  accessCount: 7
provenance:
  {sourceType: user_explicit, confidence: 0.98, trustLevel: verified, agent: claude, sourceRef: 'conversation:x'}
citations:
  - {'@type': Citation, citationType: article, citationRole: supports, title: T, url: 'https://example.org/t'}
documents:
  - {'@type': DocumentReference, url: 'https://example.org/d', hash: {algorithm: sha256, value: abc}}
entities:
  - {'@type': EntityReference, entity: {'@id': 'urn:mif:entity:technology:gw'}, entityType: Technology, name: Gateway}
relationships: [{type: derived-from, target: /episodic/s.md, strength: 0.9, metadata: {why: x}}]
ontology: {id: mif-base, version: 1.0.0}
embedding: {model: m, sourceText: t, dimensions: 3}
extensions: {vendor: {big: 123456789012345678901234567890, f: 1.0}}
"""


def bundle(folder: Path) -> Path:
    files = {
        "semantic/limit.md": concept_text("limit", RICH, BODY),
        "episodic/s.md": concept_text("s", body="\nThe gateway was flooded.\n").replace("semantic", "episodic"),
        "index.md": "# Index\n",
        ".mif/config.yaml": "mif_version: '1.0.0'\n",
    }  # fmt: skip
    for name, text in files.items():
        path = folder / "theirs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return folder / "theirs"


def brought_in(world: World, *paths: Path):
    session = world.session("user:ana", visibility=None)
    return import_batch(session, gathered(*paths))


def accepted(world: World) -> None:
    for pending in world.inbox():
        world.files.held |= {c.item.source.uri: None for c in pending.diff.changes if c.item}
        choices = {c.id: "accepted" for c in pending.diff.changes}
        world.review("user:ana", pending.diff.id, **choices)


def claims(world: World):
    return {
        c.title or c.claim: c for p in world.inbox() for c in (x.item for x in p.diff.changes) if c
    }


@pytest.mark.req("C-TRUST", "C-PROVENANCE", "E-MISSING")
def test_a_foreign_concept_waits_for_review_with_unknown_freshness_and_no_trust(tmp_path):
    world = World()
    found = brought_in(world, bundle(tmp_path))
    assert found.proposed == 2
    claim = claims(world)["Rate limit"]
    assert claim.claim == "The gateway allows 600 requests a minute."
    assert (claim.freshness.status, claim.freshness.last_verified_at) == ("unknown", None)
    assert (claim.confidence.score, claim.review.status) == (None, "proposed")
    assert claim.extensions["import"]["foreign"]["trustLevel"] == "verified"
    assert (claim.source.origin, claim.source.derivation) == ("user_input", "imported")
    assert claim.validity.ttl_seconds == 365 * 86_400
    assert claim.visibility.allowed_principals == ("user:ana",)


@pytest.mark.req("C-MAP", "C-TRUST")
def test_a_foreign_concept_goes_out_again_with_its_id_its_place_its_body_and_every_key(tmp_path):
    world = World()
    theirs = bundle(tmp_path)
    brought_in(world, theirs)
    accepted(world)
    out = tmp_path / "out"
    exported(world, out, scopes=(SHOP,))
    before = {c.file: c for c in read_path(theirs).concepts}
    after = {c.file: c for c in read_path(out).concepts}
    assert sorted(after) == sorted(before)
    for name, was in before.items():
        now = after[name]
        assert now.body == was.body
        for key, value in was.meta.items():
            if key == "extensions":
                assert value.items() <= now.meta[key].items()
            elif key == "provenance":
                assert now.meta[key] == {
                    **value,
                    "sourceType": "external_import",
                    "confidence": 0.7,
                }
            else:
                assert now.meta[key] == value, key
    report = validate(read_path(out))
    assert report.okf and not [i for i in report.issues if i.severity == "error"]


@pytest.mark.req("E-IDEMPOTENT")
def test_a_second_import_proposes_nothing_and_a_changed_concept_proposes_to_supersede(tmp_path):
    world = World()
    theirs = bundle(tmp_path)
    brought_in(world, theirs)
    assert brought_in(world, theirs).proposed == 0
    accepted(world)
    assert brought_in(world, theirs).proposed == 0
    path = theirs / "semantic" / "limit.md"
    path.write_text(path.read_text().replace("tags: [api,", "tags: [http,"))
    assert brought_in(world, theirs).proposed == 1
    (pending,) = world.inbox()
    assert [c.operation for c in pending.diff.changes] == ["supersede"]


def test_every_form_is_detected_and_read(tmp_path):
    theirs = bundle(tmp_path)
    document = {**read_path(theirs).concepts[1].projected()}
    (tmp_path / "a.jsonld").write_text(
        json.dumps({**document, "@id": f"urn:mif:{uuid_of('x')}", "title": "J"})
    )
    envelope = {
        "@context": "https://mif-spec.dev/schema/container-context.jsonld", "@type": "MemoryCorpus",
        "containerProfileVersion": "0.1.0",
        "records": [{"kind": "memory", "payload": {**document, "@id": f"urn:mif:{uuid_of('y')}", "title": "C"}}],
    }  # fmt: skip
    (tmp_path / "b.corpus.json").write_text(json.dumps(envelope))
    world = World()
    found = brought_in(world, tmp_path / "a.jsonld", tmp_path / "b.corpus.json")
    assert [report.file.format for report in found.files] == ["mif", "mif"]
    assert sorted(claims(world)) == ["C", "J"]


def test_what_is_local_deprecated_or_over_at_its_source_is_not_proposed_as_something_that_holds(
    tmp_path,
):
    texts = {
        "local.md": concept_text("l", "namespace: _local/x\n"),
        "gone.md": concept_text("g", "status: deprecated\n"),
        "over.md": concept_text("o", "temporal: {validUntil: 2020-01-01T00:00:00Z}\n"),
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    world = World()
    found = brought_in(world, tmp_path)
    held = list(claims(world).values())
    assert [c.allowed_uses for c in held] == [()] and found.proposed == 1


def test_a_concept_that_the_schema_refuses_is_mended_and_needs_a_closer_look(tmp_path):
    text = concept_text(
        "d", "temporal: {valid_from: 2026-01-01T00:00:00Z}\nprovenance: {source_type: inferred}\n"
    )
    (tmp_path / "d.md").write_text(text.replace(uuid_of("d"), "my-slug"))
    world = World()
    brought_in(world, tmp_path / "d.md")
    (claim,) = claims(world).values()
    assert claim.review.status == "needs_review"
    assert claim.source.derivation == "inferred"
    assert claim.validity.valid_from is not None
    accepted(world)
    exported(world, tmp_path / "out", scopes=(SHOP,))
    assert not [i for i in validate(read_path(tmp_path / "out")).issues if i.area == "schema"]


@pytest.mark.req("C-MAP", "E-APPROVER")
def test_our_own_export_comes_in_with_its_limits_and_without_its_acceptance(tmp_path):
    world = World()
    checked = {"status": "current", "last_verified_at": "2026-07-08T12:00:00Z"}
    item = fact(
        "Deploys take two.",
        prohibited_uses=["deploy"],
        validity={"valid_until": "2027-01-01T00:00:00Z", "conditions": ["branch:main"]},
        freshness={**checked, "expires_at": "2026-12-01T00:00:00Z", "verification_method": "read"},
    )
    world.accept(item)
    exported(world, tmp_path / "out")
    other = World()
    brought_in(other, tmp_path / "out")
    (claim,) = claims(other).values()
    assert claim.review.status == "proposed"
    assert claim.prohibited_uses == ("deploy",)
    assert claim.validity.conditions == ("branch:main",)
    assert claim.validity.valid_until.year == 2027 and claim.freshness.expires_at.month == 12
    assert claim.freshness.last_verified_at is None
    assert not other.accepted()


@pytest.mark.req("C-HASH")
def test_a_concept_that_is_not_what_its_hash_says_needs_a_closer_look(tmp_path):
    world = World()
    good = digest_bytes(b"\nBody text.\n")
    (tmp_path / "good.md").write_text(concept_text("good", f"extensions: {{hash: '{good}'}}\n"))
    (tmp_path / "bad.md").write_text(
        concept_text("bad", f"extensions: {{hash: '{good}'}}\n", "\nOther.\n")
    )
    brought_in(world, tmp_path)
    states = {name: claim.review.status for name, claim in claims(world).items()}
    assert states == {"Body text.": "proposed", "Other.": "needs_review"}


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs ../shared/mif")
def test_the_reference_examples_come_in_and_go_out_conformant(tmp_path):
    world = World()
    for name in ("examples", "profile-examples", "domain-examples"):
        brought_in(world, SHARED / name)
    accepted(world)
    exported(world, tmp_path, scopes=(SHOP,))
    report = validate(read_path(tmp_path))
    assert (report.concepts, report.okf) == (13, True)
    assert not [str(i.finding()) for i in report.issues if i.severity == "error"]


# --- what the bundle says of its concepts --------------------------------------------------------------


def placed(folder, **files):
    """A folder of concepts, by name, with further frontmatter; `mif_…` are files under `.mif/`."""
    for name, text in files.items():
        path = (
            folder
            / "b"
            / (
                f".mif/{name[4:]}.yaml".replace("__", "/")
                if name.startswith("mif_")
                else f"{name}.md"
            )
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            text if name.startswith("mif_") else concept_text(name, text, f"\nIt is {name}.\n")
        )
    return folder / "b"


def packed(folder: Path, how: str) -> Path:
    """A bundle as a folder, in an archive, or in an archive that wraps it in a folder."""
    if how == "folder":
        return folder
    path = folder.with_suffix(".zip")
    with zipfile.ZipFile(path, "w") as archive:
        for one in folder.rglob("*"):
            inner = one.relative_to(folder if how == "zip" else folder.parent)
            archive.write(one, inner.as_posix())
    return path


in_every_form = pytest.mark.parametrize("how", ["folder", "zip", "wrapped"])
SPACE = "default_ttl: P10D\ndefault_tags: [acme]\ndefault_visibility: private\n"


@pytest.mark.req("C-NAMESPACE")
@in_every_form
def test_a_concept_takes_over_what_its_namespace_declares_where_it_states_nothing_itself(
    tmp_path, how
):
    folder = placed(
        tmp_path,
        mif_config="mif_version: '1.0.0'\n",
        mif_namespaces__acme=SPACE,
        a="namespace: acme/web\ntags: [own]\n",
        b="namespace: acme/web\ntemporal: {ttl: P1D}\n",
        c="namespace: other\n",
    )
    world = World()
    brought_in(world, packed(folder, how))
    by_text = {claim.claim: claim for claim in claims(world).values()}
    a, b, c = (by_text[f"It is {name}."] for name in "abc")
    assert (a.tags, a.validity.ttl_seconds) == (("acme", "own"), 864_000)
    assert (b.tags, b.validity.ttl_seconds) == (("acme",), 86_400)
    assert (c.tags, c.validity.ttl_seconds) == ((), 0)
    assert a.extensions["import"]["foreign"]["namespace_visibility"] == "private"
    assert a.visibility == c.visibility  # who sees a claim is the importer's to say


@pytest.mark.req("C-NAMESPACE")
@in_every_form
@pytest.mark.parametrize(
    ("space", "config", "code"),
    [
        ("_episodic/x", "mif_version: '1.0.0'\n", "namespace_type"),
        ("_shared/acme", "mif_version: '1.0.0'\n", "no_agreement"),
        ("_own/x", "mif_version: '1.0.0'\n", "undeclared_prefix"),
        ("_own/x", "mif_version: '1.0.0'\nreserved_prefixes: {_own: {description: ours}}\n", ""),
        ("_semantic/x", "mif_version: '1.0.0'\n", ""),
        ("_public/x", "mif_version: '1.0.0'\n", ""),
    ],
)
def test_a_reserved_prefix_that_says_something_else_needs_a_closer_look(
    tmp_path, space, config, code, how
):
    world = World()
    folder = placed(tmp_path, mif_config=config, a=f"namespace: {space}\n")
    brought_in(world, packed(folder, how))
    (claim,) = claims(world).values()
    wanted = "needs_review" if code else "proposed"
    assert (claim.review.status, claim.extensions["import"].get("doubts", [])) == (
        wanted,
        [code] if code else [],
    )


@pytest.mark.req("C-NAMESPACE")
@pytest.mark.parametrize("space", ["_local/x", "acme/_local", "_system/keys"])
def test_what_does_not_leave_does_not_come_in_whatever_the_format(tmp_path, space):
    (tmp_path / "a.md").write_text(concept_text("a", f"namespace: {space}\n"))
    world = World()
    found = brought_in(world, tmp_path)
    assert (found.proposed, claims(world)) == (0, {})
    assert any("does not leave" in one.reason for one in found.left_out)


@in_every_form
def test_what_another_concept_of_the_bundle_supersedes_does_not_come_alive(tmp_path, how):
    folder = placed(
        tmp_path,
        old="",
        older="",
        new=(
            "relationships:\n  - {type: supersedes, target: /old.md}\n"
            f"  - {{type: supersedes, target: 'urn:mif:{uuid_of('older')}'}}\n"
        ),
    )
    world = World()
    found = brought_in(world, packed(folder, how))
    assert [claim.claim for claim in claims(world).values()] == ["It is new."]
    assert [one.reason for one in found.left_out] == ["it is superseded at its source"] * 2


def test_a_concept_keeps_its_path_in_the_archive(tmp_path):
    folder = placed(tmp_path, mif_config="mif_version: '1.0.0'\n")
    (folder / "semantic").mkdir()
    (folder / "semantic" / "a.md").write_text(concept_text("a", "", "\nIt is a.\n"))
    for how in ("zip", "wrapped"):
        world = World()
        brought_in(world, packed(folder, how))
        (claim,) = claims(world).values()
        assert claim.extensions["mif"]["path"] == "semantic/a.md"


def test_what_another_record_of_a_container_supersedes_does_not_come_alive(tmp_path):
    def record(name, **more):
        payload = {
            "@context": "https://mif-spec.dev/schema/context.jsonld", "@type": "Concept",
            "@id": f"urn:mif:{uuid_of(name)}", "conceptType": "semantic", "content": f"It is {name}.",
            "created": "2026-01-15T10:30:00Z", **more,
        }  # fmt: skip
        return {"@type": "MemoryRecord", "kind": "memory", "payload": payload}

    replaces = [{"type": "supersedes", "target": f"urn:mif:{uuid_of('old')}"}]
    records = [record("old"), record("new", relationships=replaces)]
    path = tmp_path / "all.corpus.json"
    path.write_text(json.dumps({"containerProfileVersion": "0.1.0", "records": records}))
    world = World()
    found = brought_in(world, path)
    assert [claim.claim for claim in claims(world).values()] == ["It is new."]
    assert [one.reason for one in found.left_out] == ["it is superseded at its source"]
