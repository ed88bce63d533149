"""What leaves a store as a bundle is what the asker may see, conforms, and comes back as it was."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.mif import comes_back, expands
from muniment.core.claim import Claim
from muniment.core.encode import encode
from muniment.core.errors import InvalidInput, NotPermitted
from muniment.exchange.mif.bundle import read_path
from muniment.exchange.mif.coming import coming_from
from muniment.exchange.mif.concept import read_markdown
from muniment.exchange.mif.exporting import write_bundle
from muniment.exchange.mif.from_claims import concept_of
from muniment.exchange.mif.to_claims import own_claim
from muniment.exchange.mif.validate import validate
from muniment.exchange.mif.write import markdown
from muniment.ports.interchange import Outgoing
from muniment.store.memory import MemoryStore
from muniment.usecases.bundle import collect
from muniment.usecases.doctor import diagnose
from muniment.usecases.erase import erase
from muniment.usecases.restore import restore
from muniment.wiring import open_store
from tests.usecases.world import (
    SHOP,
    TEAM,
    WEB,
    World,
    add,
    deprecate,
    derived,
    fact,
    flag,
    private,
    signer_of,
    supersede,
    uses_tool,
)

FULL = fact(
    "The deploy takes two people.",
    type="decision",
    title="Two people deploy",
    summary="Nobody deploys alone.",
    body="# Why\n\nThe outage of May.\n\n---\n\n```markdown\n## Relationships\n- uses [x](/x.md)\n```\n",
    tags=["deploy", "safety/people"],
    aliases=["four eyes"],
    entities=[{"name": "Ana", "type": "Person"}, {"name": "Gradle", "id": "urn:mif:entity:technology:gradle"}],
    facts=[{"subject": "deploy", "predicate": "needs", "object": "two people"}],
    validity={"valid_from": "2026-01-01T00:00:00Z", "valid_until": "2027-01-01T00:00:00Z",
              "conditions": ["branch:main"], "ttl_seconds": 86_400_000,
              "decay": {"model": "exponential", "halfLife": "P30D"}},
    importance={"score": 0.8, "reason": "an outage", "source": "user:ana"},
    prohibited_uses=["deploy"],
    relationships=[
        {"type": "relates_to", "target": "/semantic/other.md", "strength": 0.5},
        {"type": "uses", "target": "urn:mif:entity:technology:gradle"},
    ],
    properties={"team": "shop", "people": 2, "ratio": 0.5, "done": True, "none": None, "nested": {"a": [1]}},
    namespace="acme/shop/deploys",
    extensions={"vendor": {"x": [1, {"y": None}]}},
)  # fmt: skip


def filled() -> World:
    """A store with claims in every state that a claim can be in."""
    world = World()
    world.accept(FULL)
    first = world.accept(uses_tool("npm"))
    newer = world.propose("agent:codex", supersede(first, uses_tool("pnpm")))
    world.review("user:ana", newer, change_01="accepted")
    gone = world.accept(fact("The shop ships on Fridays."))
    ended = world.propose("user:dan", deprecate(gone, retire="archived"))
    world.review("user:ana", ended, change_01="accepted")
    one, other = (
        world.accept(fact("Tests take ten minutes.")),
        world.accept(fact("Tests take an hour.")),
    )
    world.review("user:ana", world.propose("user:dan", flag(one, other)), change_01="accepted")
    world.accept(derived("The shop is slow to test.", one, other))
    world.accept(fact("To look at.", review={"status": "needs_review"}))
    world.accept(fact("For Dan alone.", visibility=private("user:dan", "user:ana")))
    world.accept({**fact("In the other scope."), "scope": encode(WEB)}, declares="promotion")
    world.reject(fact("The shop is written in COBOL."))
    world.propose("agent:codex", add(fact("This only waits.")))
    return world


def exported(world: World, folder: Path, name: str = "user:ana", scopes=(SHOP, WEB)):
    return write_bundle(folder, collect(world.session(name, scopes=scopes)))


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()
    }


def restored(folder: Path, world: World, name: str = "user:ana", scopes=(SHOP, WEB)):
    coming = coming_from(read_path(folder), folder.name)
    return restore(world.session(name, scopes=scopes), coming, signer_of(name))


@pytest.mark.req("C-MAP")
def test_a_store_goes_out_and_comes_back_equal_into_an_empty_one(tmp_path):
    world, other = filled(), World()
    wrote = exported(world, tmp_path)
    assert wrote.claims == 10 and not wrote.left_out
    found = restored(tmp_path, other)
    assert (len(found.claims), found.findings, found.held) == (10, (), ())
    sessions = [w.session("user:ana", scopes=(SHOP, WEB)) for w in (world, other)]
    before, after = map(collect, sessions)
    assert [encode(one.claim) for one in before.claims] == [
        encode(one.claim) for one in after.claims
    ]
    assert before == after
    other.clock.now = world.clock.now
    for one in before.claims:
        shown = [w.show(one.claim.id) for w in (world, other)]
        assert shown[0] == shown[1]


@pytest.mark.req("C-MAP")
def test_four_hops_are_byte_identical(tmp_path):
    world = filled()
    seen = []
    for hop in range(4):
        exported(world, tmp_path / str(hop))
        seen.append(files_of(tmp_path / str(hop)))
        world = World()
        assert not restored(tmp_path / str(hop), world).findings
    assert seen[0] == seen[1] == seen[2] == seen[3]


def test_a_restored_store_is_sound_and_every_acceptance_in_it_is_signed(tmp_path):
    exported(filled(), tmp_path)
    other = World()
    restored(tmp_path, other)
    found = diagnose(other.session("user:ana"), lambda path, data: None)
    assert found.ok, [a for a in found.accounts if not a.is_good]
    assert {account.state for account in found.accounts} == {"signed"}


@pytest.mark.req("C-OKF")
def test_an_export_conforms_to_okf_and_to_the_schema(tmp_path):
    exported(filled(), tmp_path)
    report = validate(read_path(tmp_path))
    errors = [str(i.finding()) for i in report.issues if i.severity == "error"]
    assert not errors
    assert (report.okf, report.accepted, report.level) == (True, report.concepts, 3)


@pytest.mark.req("C-JSONLD", "C-ROUNDTRIP")
def test_every_exported_concept_expands_offline_and_comes_back_from_json_ld(tmp_path):
    exported(filled(), tmp_path)
    concepts = read_path(tmp_path).concepts
    assert len(concepts) == 10
    assert all(map(expands, concepts)) and all(map(comes_back, concepts))


def test_restoring_twice_changes_nothing(tmp_path):
    exported(filled(), tmp_path)
    other = World()
    restored(tmp_path, other)
    revision = other.revision()
    again = restored(tmp_path, other)
    assert (again.claims, len(again.unchanged), other.revision()) == ((), 10, revision)


def test_exporting_twice_writes_nothing_the_second_time(tmp_path):
    world = filled()
    exported(world, tmp_path)
    stamps = {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*.md")}
    world.clock.ahead(days=400)
    again = exported(world, tmp_path)
    assert (again.changed, again.removed) == ((), ())
    assert {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*.md")} == stamps


@pytest.mark.req("B-TRAVEL", "C-NAMESPACE")
def test_what_the_asker_may_not_see_and_what_is_local_leave_no_trace(tmp_path):
    world = filled()
    hidden = world.accept_hidden(fact("The board sells the shop."))
    world.accept_hidden(fact("The shop is worth a fortune."))
    mixed = fact("Mixed.", relationships=[{"type": "uses", "target": hidden}])
    world.review("user:ana", world.propose("process:board", add(mixed)), change_01="accepted")
    local = world.accept(fact("My scratch.", namespace="_local/scratch"))
    world.accept(derived("From my scratch.", local))
    wrote = exported(world, tmp_path, "user:bob", scopes=(SHOP,))
    text = b"\n".join(files_of(tmp_path).values()).decode()
    for word in ("board", "fortune", hidden, local, "scratch.", "Dan alone", "other scope"):
        assert word not in text.replace("From my scratch.", "")
    assert [name for name, _ in wrote.left_out] == [local]
    alone, beside = World(), tmp_path / "beside"
    assert exported(alone, beside, "user:eve").claims == 0


def test_without_a_scope_nothing_leaves(tmp_path):
    with pytest.raises(InvalidInput, match="no scope"):
        exported(filled(), tmp_path, scopes=())
    assert not list(tmp_path.iterdir())


@pytest.mark.req("B-TRAVEL")
def test_into_a_folder_that_others_read_goes_only_what_all_of_them_may_see(tmp_path):
    world = filled()
    readers = (("group:shop",),)
    wrote = write_bundle(tmp_path, collect(world.session("user:ana", scopes=(SHOP, WEB)), readers))
    assert wrote.claims == 9
    assert [why for _, why in wrote.left_out] == ["not all readers may see it"]
    assert b"Dan alone" not in b"".join(files_of(tmp_path).values())


@pytest.mark.req("C-NAMESPACE")
def test_a_shared_namespace_leaves_only_under_an_agreement(tmp_path):
    world = World()
    world.accept(fact("Shared.", namespace="_shared/acme-bigcorp/api"))
    assert exported(world, tmp_path).claims == 0
    agreement = tmp_path / ".mif" / "shared-agreements" / "ab.yaml"
    agreement.parent.mkdir(parents=True)
    agreement.write_text("id: ab\nnamespaces: [_shared/acme-bigcorp/api]\naccess: {read: [a]}\n")
    assert exported(world, tmp_path).claims == 1


def test_a_reserved_prefix_of_the_store_s_own_is_declared_in_the_bundle(tmp_path):
    world = World()
    world.accept(fact("Old.", namespace="_archive/x"))
    exported(world, tmp_path)
    assert not [i for i in validate(read_path(tmp_path)).issues if i.severity == "error"]


# --- who may, and what is proved ----------------------------------------------------------------


@pytest.mark.req("E-APPROVER")
@pytest.mark.parametrize("name", ["agent:codex", "user:dan", "user:eve"])
def test_only_a_reviewer_restores(tmp_path, name):
    exported(filled(), tmp_path)
    other = World()
    with pytest.raises(NotPermitted):
        restored(tmp_path, other, name)
    assert not other.accepted()


@pytest.mark.req("C-HASH")
def test_a_file_that_was_changed_is_not_restored(tmp_path):
    world = World()
    world.accept(fact("One."))
    world.accept(fact("Two."))
    exported(world, tmp_path)
    (path,) = [
        p for p in tmp_path.rglob("*.md") if "Two." in p.read_text() and p.name != "index.md"
    ]
    path.write_text(path.read_text().replace("Two.", "Three."))
    other = World()
    found = restored(tmp_path, other)
    assert len(found.claims) == 1
    assert "restore_changed" in {f.code for f in found.findings}


@pytest.mark.req("C-HASH", "E-APPROVER")
def test_a_made_up_acceptance_without_the_manifest_is_no_restore(tmp_path):
    world = World()
    world.accept(fact("One."))
    exported(world, tmp_path)
    (tmp_path / ".mif" / "muniment.json").unlink()
    found = restored(tmp_path, World())
    assert (found.claims, [f.code for f in found.findings]) == ((), ["not_our_export"])


@pytest.mark.req("C-HASH")
def test_a_manifest_that_was_edited_is_no_manifest(tmp_path):
    world = World()
    world.accept(fact("One."))
    exported(world, tmp_path)
    path = tmp_path / ".mif" / "muniment.json"
    value = json.loads(path.read_text())
    value["scopes"] = ["repository:other"]
    path.write_text(json.dumps(value))
    assert restored(tmp_path, World()).claims == ()


@pytest.mark.req("E-TOMBSTONE")
def test_what_was_rejected_or_erased_does_not_come_back(tmp_path):
    world = World()
    one, two = world.accept(fact("One.")), world.accept(fact("Two."))
    exported(world, tmp_path)
    other = World()
    other.reject(fact("One."))
    found = restored(tmp_path, other)
    assert found.claims == (two,)
    assert [f.path for f in found.findings] == [one]
    erase(world.session("user:ana"), two, signer_of("user:ana"))
    assert restored(tmp_path, world).claims == ()


def test_a_claim_that_says_something_else_here_is_left_as_it_is(tmp_path):
    world = World()
    one = world.accept(fact("One."))
    exported(world, tmp_path)
    world.review("user:ana", world.propose("user:dan", deprecate(one)), change_01="accepted")
    found = restored(tmp_path, world)
    assert (found.claims, [f.code for f in found.findings]) == ((), ["restore_differs"])
    assert world.show(one).claim.review.status == "deprecated"


@pytest.mark.req("E-NOSCOPE")
def test_a_claim_of_a_scope_that_is_not_in_force_does_not_come_back(tmp_path):
    exported(filled(), tmp_path)
    found = restored(tmp_path, World(), scopes=(WEB,))
    assert len(found.claims) == 1
    assert {f.code for f in found.findings} == {"restore_scope"}


# --- the folder ---------------------------------------------------------------------------------


def test_a_file_that_somebody_changed_is_not_overwritten_and_nothing_is_written(tmp_path):
    world = World()
    one = world.accept(fact("One."))
    exported(world, tmp_path)
    (path,) = (tmp_path / "semantic").iterdir()
    path.write_text(path.read_text() + "\nMy own words.\n")
    before = files_of(tmp_path)
    world.review("user:ana", world.propose("user:dan", deprecate(one)), change_01="accepted")
    with pytest.raises(InvalidInput, match="changed since"):
        exported(world, tmp_path)
    assert files_of(tmp_path) == before


def test_the_files_of_others_stay_and_those_of_claims_that_are_gone_leave(tmp_path):
    world = World()
    one = world.accept(fact("One."))
    exported(world, tmp_path)
    (tmp_path / "notes.md").write_text("---\ntype: semantic\n---\nMine\n")
    erase(world.session("user:ana"), one, signer_of("user:ana"))
    wrote = exported(world, tmp_path)
    assert len(wrote.removed) == 1
    assert (tmp_path / "notes.md").exists() and not list((tmp_path / "semantic").iterdir())


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
def test_export_and_restore_work_on_every_store(tmp_path, kind):
    def world():
        draw = World().draw
        store = (
            MemoryStore(draw) if kind == "memory" else open_store(tmp_path / f"{id(draw)}.db", draw)
        )
        return World(store)

    first, second = world(), world()
    first.accept(FULL)
    exported(first, tmp_path / "out")
    restored(tmp_path / "out", second)
    exported(second, tmp_path / "again")
    assert files_of(tmp_path / "out") == files_of(tmp_path / "again")


# --- any claim ----------------------------------------------------------------------------------


TEXT = st.text(
    alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\x00"),
    min_size=1,
    max_size=60,
)
LINES = ["## Relationships", "- uses [x](/y.md)", "---", "```", "", "text ", " code", "# H"]
MARKDOWN = st.lists(st.sampled_from(LINES), max_size=8).map("\n".join)
TARGET = TEXT | st.sampled_from(["/y.md", "/a_(b).md", "/a b.md"])
EDGE = st.fixed_dictionaries({"type": TEXT | st.just("uses"), "target": TARGET})
ENTITY = st.fixed_dictionaries({"name": TEXT}, optional={"type": TEXT, "id": TEXT})


@pytest.mark.req("C-MAP", "C-HASH")
@given(
    st.fixed_dictionaries(
        {"claim": (TEXT | MARKDOWN).filter(str.strip)},
        optional={
            "body": (TEXT | MARKDOWN).filter(str.strip), "title": TEXT, "summary": TEXT,
            "tags": st.lists(TEXT, max_size=3),
            "namespace": TEXT | st.just("acme/x"), "relationships": st.lists(EDGE, max_size=3),
            "ontology": TEXT, "entities": st.lists(ENTITY, max_size=2),
            "properties": st.dictionaries(TEXT, st.integers(-9, 9) | TEXT | st.none(), max_size=2),
            "created_at": st.just("2026-01-15T10:30:00Z"),
        },
    )
)  # fmt: skip
def test_any_claim_comes_back_from_its_file_exactly_and_its_file_conforms(parts):
    from muniment.core.codec import read
    from muniment.exchange.mif.bundle import of_files

    record = {
        "id": "mem_01kx0sjsg0e008000000000000",
        "scope": encode(SHOP),
        "source": {"kind": "import"},
        "visibility": TEAM,
        "created_at": "2026-01-15T10:30:00Z",
        **parts,
    }
    findings: list = []
    claim = read(Claim, record, "", findings)
    assert claim is not None, findings
    name = "semantic/x.md"
    text = markdown(*concept_of(Outgoing(claim), {claim.id: name}, {claim.id: "x"}))
    concept, issues = read_markdown(text.encode(), name)
    assert concept is not None, issues
    back, exact, _ = own_claim(concept)
    assert exact and encode(back) == encode(claim)
    report = validate(of_files({name: text.encode()}))
    left_open = (
        "target_escapes",
        "undeclared_prefix",
        "no_agreement",
    )  # the bundle's to settle, not the file's
    wrong = [i for i in report.issues if i.severity == "error" and i.code not in left_open]
    assert not wrong and report.okf


@pytest.mark.req("C-PROVENANCE", "C-TRUST")
def test_an_exported_confidence_is_in_the_range_of_its_source_type_and_comes_back_as_it_was(
    tmp_path,
):
    world = World()
    for n, score in enumerate((0.05, 0.4, 0.98)):
        world.accept(fact(f"The shop has {n} gates.", confidence={"score": score}))
    exported(world, tmp_path / "out")
    bundle = read_path(tmp_path / "out")
    assert [i for i in validate(bundle).issues if i.code == "confidence_range"] == []
    stated = {one.meta["provenance"].get("confidence") for one in bundle.concepts}
    assert stated == {None, 0.4, 0.7}
    back = [own_claim(concept) for concept in bundle.concepts]
    assert {(claim.confidence.score, exact) for claim, exact, _ in back} == {
        (0.05, True),
        (0.4, True),
        (0.98, True),
    }
