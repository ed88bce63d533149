"""A folder that a team shares and each member's store are kept together, both ways, through review."""

from __future__ import annotations

import os

import pytest

from muniment.core.errors import InvalidInput
from muniment.exchange import shared
from muniment.exchange.mif.export_files import SYNC_STATE
from muniment.exchange.mif.write import replace_file
from muniment.exchange.shared import entries_of
from tests.usecases.synced import TEAM, Person

FOREIGN = "---\nid: 3b0c8f6e-4b55-4d1e-9a53-0f5f5d9b1a11\ntype: semantic\ncreated: 2026-01-15T10:30:00Z\n---\n\n{}\n"


@pytest.fixture
def ada(tmp_path):
    person = Person("user:ada", tmp_path / "ada.db", tmp_path / "ada" / "memory").open()
    yield person
    person.close()


@pytest.fixture
def bob(tmp_path):
    person = Person("user:bob", tmp_path / "bob.db", tmp_path / "bob" / "memory").open()
    yield person
    person.close()


def everything(person):
    """The folder's bytes and the ledger's head."""
    return person.files(), person.head()


# --- the store's word becomes a file ---------------------------------------------------------------------


@pytest.mark.req("E-IDEMPOTENT")
def test_accepted_claims_become_files_and_a_second_sync_changes_nothing(ada):
    ada.remember("Use pnpm for packages.")
    ada.remember(
        "Deploys happen on Tuesdays.", body="Deploys happen on Tuesdays.\n\nNever on Fridays."
    )
    assert len(ada.sync().written) == 2
    before = everything(ada)
    again = ada.sync()
    assert (again.is_settled, again.is_waiting, again.agreed) == (True, False, 2)
    assert everything(ada) == before


def test_a_successor_goes_into_the_file_of_what_it_replaced(ada):
    old = ada.remember("Use pnpm for packages.")
    ada.sync()
    path = ada.concept("Use pnpm")
    ada.supersede(old, "Use npm for packages.")
    assert ada.sync().written == (path.relative_to(ada.folder).as_posix(),)
    assert "Use npm for packages." in path.read_text()
    assert ada.sync().is_settled


def test_what_is_deprecated_leaves_the_folder_and_what_only_waits_never_enters_it(ada):
    old = ada.remember("Use pnpm for packages.")
    ada.sync()
    ada.agent.remember("The shop uses npm.", source={"kind": "file", "uri": "repo:shop!/a"})
    ada.deprecate(old)
    found = ada.sync()
    assert (len(found.removed), found.written) == (1, ())
    assert [name for name in ada.files() if name.endswith(".md")] == []
    assert ada.sync().is_settled


@pytest.mark.req("C-NAMESPACE")
@pytest.mark.parametrize(
    "space", ["_local/scratch", "acme/_local/x", "_system/keys", "_shared/acme"]
)
def test_a_namespace_that_does_not_leave_is_in_no_file(ada, space):
    ada.remember("Nobody else knows this.", namespace=space)
    found = ada.sync()
    assert (found.written, sum(found.left_out.values())) == ((), 1)
    assert b"Nobody else" not in b"".join(ada.files().values())


def test_a_claim_that_not_all_readers_may_see_is_neither_in_a_file_nor_named_by_one(ada):
    private = {"level": "user-private", "allowed_principals": ["user:ada"]}
    hidden = ada.remember("Ada earns well.", visibility=private)
    ada.remember("Use pnpm.", relationships=[{"type": "relates-to", "target": hidden}])
    found = ada.sync()
    assert (len(found.written), dict(found.left_out)) == (1, {"not all readers may see it": 1})
    written = b"".join(ada.files().values()).decode()
    assert "earns" not in written
    assert hidden not in written
    assert ada.uuid(hidden) not in written


def test_readers_have_to_be_known(ada):
    with pytest.raises(InvalidInput, match="who reads the folder"):
        ada.with_visibility(None).sync(ada.folder)
    assert ada.files() == {}


def test_who_syncs_is_a_reader(ada):
    others = {"level": "team-private", "allowed_principals": ["group:others"]}
    ada.folder.mkdir(parents=True)
    (ada.folder / "a.md").write_text(FOREIGN.format("Tests need Docker."))
    before = everything(ada)
    with pytest.raises(InvalidInput, match="is not among the readers"):
        ada.sync(visibility=others)
    assert everything(ada) == before


# --- a file's word becomes a proposal --------------------------------------------------------------------


def test_an_edited_file_is_proposed_and_holds_only_once_it_is_reviewed(ada):
    old = ada.remember("Use pnpm for packages.")
    ada.sync()
    ada.edit("Use pnpm", "Use npm")
    (one,) = ada.sync().proposed
    assert (one.operation, one.target_id, one.claim) == ("supersede", old, "Use npm for packages.")
    assert ada.claims() == {"Use pnpm for packages."}
    before = everything(ada)
    again = ada.sync()
    assert ([w.diff_id for w in again.waiting], again.proposed) == ([one.diff_id], ())
    assert everything(ada) == before
    ada.accept_all()
    assert ada.claims() == {"Use npm for packages."}
    assert ada.sync().agreed == 1
    assert ada.sync().is_settled


def test_a_file_that_was_edited_is_whole_again_once_its_edit_is_accepted(ada):
    ada.remember("Use pnpm for packages.")
    ada.sync()
    path = ada.edit("Use pnpm", "Use npm")
    ada.sync()
    ada.accept_all()
    assert len(ada.sync().written) == 1
    (concept,) = shared.open_folder(ada.folder).read().concepts
    assert (concept.is_whole, concept.not_taken) == (True, ())
    assert "Use npm for packages." in path.read_text()


@pytest.mark.parametrize(
    ("before", "after", "part", "value"),
    [
        ("  - build\ntemporal", "  - build\n  - tools\ntemporal", "tags", ("build", "tools")),
        ("title: Packages", "title: Package manager", "title", "Package manager"),
        ("type: semantic", "type: procedural", "memory_type", "procedural"),
        ("namespace: '_semantic/project_fact'", "namespace: acme/web", "namespace", "acme/web"),
    ],
)  # fmt: skip
def test_an_edit_of_the_frontmatter_is_proposed(ada, before, after, part, value):
    ada.remember("Use pnpm for packages.", title="Packages", tags=["build"])
    ada.sync()
    ada.edit(before, after)
    assert [one.operation for one in ada.sync().proposed] == ["supersede"]
    (pending,) = ada.memory.inbox()
    assert getattr(pending.diff.changes[0].item, part) == value
    ada.accept_all()
    ada.sync()
    assert ada.sync().is_settled


def related(ada):
    """Two concepts, the first of which is said in its file to use the second; its path, and the other's."""
    ada.remember("Use pnpm for packages.")
    ada.remember("Node runs the build.")
    ada.sync()
    files = {path.name: path for path in ada.folder.rglob("*.md")}
    one = next(path for name, path in files.items() if "pnpm" in path.read_text())
    two = next(path for path in files.values() if path != one)
    target = "/" + two.relative_to(ada.folder).as_posix()
    text = one.read_text()
    end = text.index("\n---\n", 4)
    edge = f"\nrelationships:\n  - type: uses\n    target: {target}"
    one.write_text(text[:end] + edge + text[end:])
    return one, target


@pytest.mark.req("C-L2")
def test_a_relationship_that_is_added_to_a_file_is_proposed(ada):
    path, target = related(ada)
    assert [one.operation for one in ada.sync().proposed] == ["supersede"]
    assert (ada.sync().proposed, len(ada.sync().waiting)) == ((), 1)
    (pending,) = ada.memory.inbox()
    item = pending.diff.changes[0].item
    edges = [(one.type, one.target[:8]) for one in item.relationships if one.type != "cites"]
    assert edges == [("uses", "urn:mif:")]
    assert item.claim == "Use pnpm for packages."
    ada.accept_all()
    ada.sync()
    assert target in path.read_text()
    assert ada.sync().is_settled


@pytest.mark.req("C-L2")
@pytest.mark.parametrize("shown", [True, False])
def test_a_relationship_that_is_taken_out_of_a_file_is_proposed(ada, shown):
    path, target = related(ada)
    ada.sync()
    ada.accept_all()
    ada.sync()
    text = path.read_text().replace(f"  - type: uses\n    target: {target}\n", "")
    lines = [line for line in text.splitlines(keepends=True) if shown or target not in line]
    path.write_text("".join(lines))
    assert [one.operation for one in ada.sync().proposed] == ["supersede"]
    (pending,) = ada.memory.inbox()
    item = pending.diff.changes[0].item
    assert [one.type for one in item.relationships] == ["cites"]
    assert (item.claim, item.body) == ("Use pnpm for packages.", "")


@pytest.mark.req("C-L2")
def test_a_relationship_to_a_claim_of_one_store_that_is_taken_out_is_told(ada):
    other = ada.remember("Node runs the build.")
    ada.remember("Use pnpm for packages.", relationships=[{"type": "uses", "target": other}])
    ada.sync()
    assert ada.sync().is_settled
    path = next(path for path in ada.folder.rglob("*.md") if "pnpm" in path.name)
    text = path.read_text()
    start = text.index("relationships:")
    path.write_text(text[:start] + text[text.index("\n", text.index("target:", start)) + 1 :])
    found = ada.sync()
    assert [(one.code, "relationships" in one.message) for one in found.findings] == [
        ("sync_not_taken", True)
    ]
    assert found.proposed == ()


def test_an_end_that_is_added_is_proposed_and_invents_no_beginning(ada):
    ada.remember("Use pnpm for packages.")
    ada.sync()
    ada.edit("validUntil: null", "validUntil: '2027-01-01T00:00:00Z'")
    ada.sync()
    (pending,) = ada.memory.inbox()
    validity = pending.diff.changes[0].item.validity
    assert (validity.valid_from, validity.valid_until.year) == (None, 2027)


def test_a_proposal_cites_the_text_where_it_stands_in_its_file(ada):
    ada.remember("Use pnpm for packages.")
    ada.sync()
    data = ada.edit("Use pnpm", "Use bün").read_bytes()
    ada.sync()
    (evidence,) = ada.memory.inbox()[0].diff.changes[0].item.source.evidence
    assert data[evidence.start : evidence.end].decode() == evidence.quote == "Use bün for packages."
    assert data[: evidence.start].count(b"\n") + 1 == evidence.line


def test_a_concept_does_not_grow_with_the_number_of_its_edits(ada):
    ada.remember("Use tool 0 for packages.")
    ada.sync()
    sizes = []
    for n in range(3):
        path = ada.edit(f"Use tool {n} for packages.\n", f"Use tool {n + 1} for packages.\n")
        ada.sync()
        ada.accept_all()
        ada.sync()
        sizes.append(path.stat().st_size)
    assert abs(sizes[2] - sizes[1]) < 20  # places are numbers
    assert path.read_text().count("- cites") == 1


def test_an_edited_text_does_not_pass_for_what_its_old_source_says(ada):
    ada.remember("Use pnpm for packages.")
    ada.sync()
    ada.edit("Use pnpm", "Use npm")
    ada.sync()
    source = ada.memory.inbox()[0].diff.changes[0].item.source
    assert (source.origin, source.derivation, source.observed_at) == (
        "external_data",
        "imported",
        None,
    )


def test_a_new_file_is_proposed_and_a_removed_one_is_a_deprecation(ada):
    old = ada.remember("Use pnpm for packages.")
    ada.sync()
    (ada.folder / "semantic" / "new.md").write_text(FOREIGN.format("Tests need Docker."))
    ada.concept("Use pnpm").unlink()
    found = ada.sync()
    assert {(p.operation, p.target_id) for p in found.proposed} == {("add", ""), ("deprecate", old)}
    assert ada.sync().proposed == ()
    ada.accept_all()
    assert ada.claims() == {"Tests need Docker."}
    bytes_of_new = (ada.folder / "semantic" / "new.md").read_bytes()
    assert ada.sync().is_settled
    assert (
        ada.folder / "semantic" / "new.md"
    ).read_bytes() == bytes_of_new  # whoever wrote it keeps their spelling


def test_a_file_that_says_that_it_is_deprecated_is_a_deprecation(ada):
    old = ada.remember("Use pnpm for packages.")
    ada.sync()
    ada.edit("status: stable", "status: deprecated")
    assert [(p.operation, p.target_id) for p in ada.sync().proposed] == [("deprecate", old)]
    ada.accept_all()
    ada.sync()
    assert ada.sync().is_settled


@pytest.mark.req("C-TRUST")
def test_a_file_raises_no_trust_and_widens_nothing(ada):
    ada.remember("Use pnpm for packages.")
    ada.sync()
    path = ada.concept("Use pnpm")
    text = path.read_text()
    for before, after in (
        ("level: team-private", "level: public"),
        ("- answer_questions", "- deploy"),
        ("trustLevel: uncertain", "trustLevel: verified"),
        ("Use pnpm for", "Use npm for"),
    ):
        text = text.replace(before, after)
    path.write_text(text)
    ada.sync()
    (pending,) = ada.memory.inbox()
    item = pending.diff.changes[0].item
    assert (item.visibility.level, item.allowed_uses) == ("team-private", ("answer_questions",))
    assert (item.review.status, item.confidence.score, item.freshness.status) == (
        "proposed",
        None,
        "unknown",
    )
    assert ada.claims() == {"Use pnpm for packages."}


@pytest.mark.req("C-TRUST")
@pytest.mark.parametrize(
    ("uses", "kept"),
    [([], ()), (["plan_changes"], ("plan_changes",))],
)
def test_a_successor_serves_no_use_that_the_claim_before_did_not(ada, uses, kept):
    ada.remember("Use pnpm for packages.", allowed_uses=uses)
    ada.sync()
    ada.edit("Use pnpm", "Use npm")
    ada.sync()
    assert ada.memory.inbox()[0].diff.changes[0].item.allowed_uses == kept


def test_an_edit_that_is_not_taken_is_told_and_left(ada):
    ada.remember("Use pnpm for packages.")
    ada.sync()
    path = ada.edit("- answer_questions", "- deploy")
    before = path.read_bytes()
    found = ada.sync()
    assert [f.code for f in found.findings] == ["sync_not_taken"]
    assert found.is_settled
    assert path.read_bytes() == before


@pytest.mark.req("E-TOMBSTONE")
def test_a_rejected_edit_is_not_proposed_again_and_its_file_is_left(ada):
    ada.remember("Use pnpm for packages.")
    ada.sync()
    path = ada.edit("Use pnpm", "Use npm")
    ada.sync()
    ada.reject_all()
    before = path.read_bytes()
    found = ada.sync()
    assert [one.reason for one in found.refused] == ["it was rejected before"]
    assert (found.is_waiting, found.is_settled, ada.memory.inbox()) == (True, True, ())
    assert path.read_bytes() == before
    ada.edit("Use npm", "Use pnpm")
    assert not ada.sync().is_waiting


@pytest.mark.req("E-TOMBSTONE")
def test_a_rejected_title_is_not_proposed_again_and_keeps_no_other_edit_out(ada):
    ada.remember("Use pnpm for packages.", title="Packages")
    ada.sync()
    path = ada.edit("title: Packages", "title: Parcels")
    ada.sync()
    ada.reject_all()
    found = ada.sync()
    assert [one.reason for one in found.refused] == ["it was rejected before"]
    path.write_text(path.read_text().replace("title: Parcels", "title: Package manager"))
    assert [one.operation for one in ada.sync().proposed] == ["supersede"]
    ada.accept_all()
    assert "Package manager" in {c.title for c in ada.memory.claims(ada.ids()).values()}
    assert ada.sync().is_settled


@pytest.mark.req("E-SECRET")
def test_a_secret_in_a_file_is_not_proposed_and_does_not_keep_the_others_out(ada):
    ada.folder.mkdir(parents=True)
    key = "AKIA" + "QWERTYUIOPASDFGH"
    (ada.folder / "bad.md").write_text(FOREIGN.format(f"The key is {key}."))
    other = FOREIGN.replace("3b0c8f6e", "3b0c8f6f").format("Tests need Docker.")
    (ada.folder / "good.md").write_text(other)
    found = ada.sync()
    assert [p.claim for p in found.proposed] == ["Tests need Docker."]
    assert [one.reason for one in found.refused] == ["it looks like a secret"]


def test_two_claims_that_came_from_one_record_get_a_file_each(ada, tmp_path):
    for text in ("Tests need Docker.", "Tests need Podman."):
        (tmp_path / "a.md").write_text(FOREIGN.format(text))
        ada.memory.import_(tmp_path / "a.md", visibility=TEAM)
    ada.accept_all()
    assert len(ada.ids()) == 2
    assert len(ada.sync().written) == 2
    assert (ada.sync().is_settled, ada.sync().agreed) == (True, 2)


def test_a_concept_that_two_claims_in_use_say_they_are_is_told_and_left(ada):
    ada.folder.mkdir(parents=True)
    path = ada.folder / "a.md"
    for text in ("Tests need Docker.", "Tests need Podman."):
        path.write_text(FOREIGN.format(text))
        ada.sync()
    ada.accept_all()
    before = everything(ada)
    found = ada.sync()
    assert [f.code for f in found.findings] == ["sync_several_claims"]
    assert found.is_settled
    assert everything(ada) == before


def test_a_concept_that_was_ended_twice_can_come_a_third_time(ada):
    ada.folder.mkdir(parents=True)
    path = ada.folder / "a.md"
    for text in ("Tests need Docker.", "Tests need Podman.", "Tests need neither."):
        path.write_text(FOREIGN.format(text))
        assert [p.operation for p in ada.sync().proposed] == ["add"]
        ada.accept_all()
        ada.sync()
        assert ada.claims() == {text}
        path.unlink()
        ada.sync()
        ada.accept_all()
        assert ada.sync().findings == ()
    assert ada.claims() == set()


# --- conflicts -------------------------------------------------------------------------------------------


@pytest.fixture
def clash(ada):
    old = ada.remember("Use pnpm for packages.")
    ada.sync()
    path = ada.edit("Use pnpm", "Use yarn")
    ada.supersede(old, "Use npm for packages.")
    return path.relative_to(ada.folder).as_posix()


def test_what_both_changed_is_shown_with_both_sides_and_nothing_is_written(ada, clash):
    before = everything(ada)
    found = ada.sync()
    (one,) = found.clashes
    assert one.differs == (("claim", "Use yarn for packages.", "Use npm for packages."),)
    assert (one.file, found.is_waiting, found.is_settled) == (clash, True, True)
    assert everything(ada) == before


def test_a_conflict_is_settled_by_saying_that_the_store_is_meant(ada, clash):
    assert ada.sync(ours=[clash]).written == (clash,)
    assert "Use npm" in (ada.folder / clash).read_text()
    assert ada.sync().is_settled


def test_a_conflict_is_settled_by_proposing_the_file(ada, clash):
    assert [p.claim for p in ada.sync(theirs=[clash]).proposed] == ["Use yarn for packages."]
    assert [w.claim for w in ada.sync().waiting] == ["Use yarn for packages."]
    ada.accept_all()
    ada.sync()
    assert ada.claims() == {"Use yarn for packages."}
    assert ada.sync().is_settled


def test_a_conflict_is_settled_by_editing_the_file(ada, clash):
    ada.edit("Use yarn", "Use npm")
    assert not ada.sync().is_waiting


def test_only_a_file_in_conflict_can_be_named(ada, clash):
    before = everything(ada)
    with pytest.raises(InvalidInput, match="is in no conflict"):
        ada.sync(ours=[clash, "other.md"])
    assert everything(ada) == before


def test_a_file_that_was_removed_while_its_claim_changed_is_a_conflict(ada, clash):
    (ada.folder / clash).unlink()
    (one,) = ada.sync().clashes
    assert (one.file, one.theirs, one.ours.claim) == (clash, None, "Use npm for packages.")


def test_a_claim_that_was_deprecated_while_its_file_was_edited_is_a_conflict(ada):
    old = ada.remember("Use pnpm for packages.")
    ada.sync()
    path = ada.edit("Use pnpm", "Use yarn")
    ada.deprecate(old)
    (one,) = ada.sync().clashes
    assert (one.theirs.claim, one.ours) == ("Use yarn for packages.", None)
    assert path.exists()


# --- files that cannot be read, and what is remembered -------------------------------------------------


@pytest.mark.parametrize(
    "text", ["<<<<<<< HEAD\n---\nid: x\n", "---\nid: [\n---\n", "no frontmatter"]
)
def test_a_file_that_cannot_be_read_is_told_and_is_not_gone(ada, text):
    ada.remember("Use pnpm for packages.")
    ada.sync()
    path = ada.concept("Use pnpm")
    path.write_text(text)
    before = everything(ada)
    found = ada.sync()
    assert any(f.severity == "error" for f in found.findings)
    assert (found.proposed, found.written, found.clashes) == ((), (), ())
    assert everything(ada) == before


def test_concepts_without_an_identifier_of_their_own_are_told_and_left(ada):
    ada.remember("Use pnpm for packages.")
    ada.sync()
    path = ada.concept("Use pnpm")
    (ada.folder / "copy.md").write_bytes(path.read_bytes())
    (ada.folder / "none.md").write_text(
        "---\ntype: semantic\ncreated: 2026-01-15T10:30:00Z\n---\n\nA.\n"
    )
    found = ada.sync()
    assert sorted(f.code for f in found.findings) == ["sync_no_id", "sync_same_id", "sync_same_id"]
    assert (found.proposed, found.written) == ((), ())


def test_a_moved_file_stays_the_same_concept(ada):
    ada.remember("Use pnpm for packages.")
    ada.sync()
    path = ada.concept("Use pnpm")
    (ada.folder / "semantic" / "elsewhere.md").write_bytes(path.read_bytes())
    path.unlink()
    found = ada.sync()
    assert (found.proposed, found.written, found.agreed) == ((), (), 1)
    assert b"elsewhere.md" in ada.files()[SYNC_STATE]
    assert ada.sync().is_settled


def test_a_lost_memory_of_the_last_sync_is_made_good_from_the_store_itself(ada):
    old = ada.remember("Use pnpm for packages.")
    ada.remember("Tests need Docker.")
    ada.sync()
    (ada.folder / SYNC_STATE).unlink()
    assert ada.sync().agreed == 2
    (ada.folder / SYNC_STATE).unlink()
    ada.supersede(old, "Use npm for packages.")
    assert len(ada.sync().written) == 1


def test_what_two_branches_remember_is_put_together():
    lines = (
        b'{"format": "muniment-sync/1"}\n<<<<<<< HEAD\n{"id": "X", "file": "x.md", "said": ["a", "b"]}\n=======\n'
        b'{"id": "x", "file": "x.md", "said": ["a"]}\n>>>>>>> main\n{"id": "y", "file": "../y.md", "said": ["a"]}\n'
        b'{"id": "z", "file": "z.md", "said": 1}\nnot json\n'
    )
    assert {name: (e.file, e.said) for name, e in entries_of(lines).items()} == {
        "x": ("x.md", ("a", "b"))
    }


def test_what_is_remembered_names_no_machine_and_no_time(ada):
    ada.remember("Use pnpm for packages.")
    ada.sync()
    state = ada.files()[SYNC_STATE].decode()
    assert str(ada.folder) not in state
    assert "2026" not in state
    assert "pnpm for packages" not in state


def test_a_dry_run_tells_what_a_sync_does_and_writes_nothing(ada):
    old = ada.remember("Use pnpm for packages.")
    ada.remember("Deploys happen on Tuesdays.")
    ada.sync()
    ada.supersede(old, "Use npm for packages.")
    ada.edit("on Tuesdays", "on Mondays")
    before = everything(ada)
    dry = ada.sync(dry_run=True)
    assert everything(ada) == before
    wet = ada.sync()
    assert (dry.written, dry.removed) == (wet.written, wet.removed)
    assert [p.claim for p in dry.proposed] == [p.claim for p in wet.proposed]


def test_a_file_that_changes_while_a_sync_runs_is_left_alone(ada, monkeypatch):
    old = ada.remember("Use pnpm for packages.")
    ada.sync()
    path = ada.concept("Use pnpm")
    ada.supersede(old, "Use npm for packages.")
    read = shared.BundleFolder.read

    def read_and_edit(self):
        found = read(self)
        path.write_text(path.read_text().replace("Use pnpm", "Use yarn"))
        return found

    monkeypatch.setattr(shared.BundleFolder, "read", read_and_edit)
    found = ada.sync()
    monkeypatch.undo()
    assert (found.written, found.changed_meanwhile) == (
        (),
        (path.relative_to(ada.folder).as_posix(),),
    )
    assert "Use yarn" in path.read_text()
    assert [c.theirs.claim for c in ada.sync().clashes] == ["Use yarn for packages."]


def test_an_exported_folder_can_be_synced_and_a_synced_one_is_not_exported_over(ada):
    ada.remember("Use pnpm for packages.")
    ada.memory.export("mif", ada.folder)
    assert (ada.sync().agreed, ada.sync().is_settled) == (1, True)
    with pytest.raises(InvalidInput, match="is synced"):
        ada.memory.export("mif", ada.folder)


@pytest.mark.req("C-MAP")
def test_a_folder_that_was_exported_and_then_synced_is_still_restored(ada, bob):
    old = ada.remember("Use pnpm for packages.")
    ada.memory.export("mif", ada.folder)
    ada.sync()
    new = ada.supersede(old, "Use npm for packages.")
    ada.sync()
    assert bob.memory.restore(ada.folder, bob.signer).claims == (new,)
    assert bob.claims() == {"Use npm for packages."}


def test_no_path_that_is_remembered_leads_out_of_the_folder(ada):
    ada.remember("Use pnpm for packages.")
    ada.sync()
    state = ada.folder / SYNC_STATE
    state.write_text(state.read_text().replace('"semantic/', '"../../'))
    ada.sync()
    assert not list(ada.folder.parent.parent.glob("*.md"))


# --- killed midway ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("point", range(5))
def test_a_sync_that_is_killed_loses_nothing_and_the_next_one_goes_on(ada, point):
    first = ada.remember("Use pnpm for packages.")
    second = ada.remember("Deploys happen on Tuesdays.")
    ada.remember("Tests need Docker.")
    ada.sync()
    ada.supersede(first, "Use npm for packages.")
    ada.deprecate(second)
    ada.remember("Lint with ruff.")
    ada.edit("Tests need Docker", "Tests need Podman")
    ada.close()
    child = os.fork()
    if child == 0:
        _sync_and_die(ada, point)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    ada.reopen()
    found = ada.sync()
    assert found.clashes == ()
    assert len(ada.memory.inbox()) == 1
    assert not [name for name in ada.files() if ".muniment-" in name]
    text = b"".join(ada.files().values()).decode()
    for said, there in (
        ("Use npm", 1),
        ("Use pnpm", 0),
        ("Tuesdays", 0),
        ("Lint with ruff", 1),
        ("Tests need Podman", 1),
    ):
        assert (said in text) == bool(there), said
    assert ada.sync().is_settled
    ada.accept_all()
    ada.sync()
    assert ada.claims() == {"Use npm for packages.", "Tests need Podman.", "Lint with ruff."}


def _sync_and_die(person, point):
    """Sync in a process that ends at the nth change of the folder, without any cleaning up."""
    count = iter(range(1_000))

    def dying(act):
        def at_point(*given):
            if next(count) == point:
                os._exit(9)
            return act(*given)

        return at_point

    try:
        shared.replace_file = dying(replace_file)
        shared.BundleFolder._drop = dying(shared.BundleFolder._drop)
        person.reopen()
        person.sync()
    finally:
        os._exit(9)
