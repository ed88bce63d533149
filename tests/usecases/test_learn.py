"""Learning from a real git repository: exactly what changed is proposed, and nothing when nothing did."""

from __future__ import annotations

import pytest

from muniment.core.errors import InvalidInput
from muniment.learn.extract import read_file
from muniment.sources.repository import open_repository
from muniment.usecases import learn as learning
from muniment.usecases.learn import PRINCIPAL, learn
from muniment.usecases.review import Choice, review
from tests.usecases.repositories import operations
from tests.usecases.world import signer_of


@pytest.fixture
def learned(checkout):
    """A repository of which everything was accepted."""
    checkout.accept_all(checkout.learn())
    return checkout


def slot_of(checkout, claim_id):
    return checkout.world.show(claim_id).claim.slot


def at_the_same_moment(monkeypatch, module, other):
    """Somebody else does the same after everything was compared and before it is proposed."""
    going_on = module.record

    def record(*given, **more):
        monkeypatch.setattr(module, "record", going_on)
        other()
        return going_on(*given, **more)

    monkeypatch.setattr(module, "record", record)


@pytest.mark.req("E-IDEMPOTENT")
def test_two_runs_at_the_same_moment_propose_everything_once(checkout, monkeypatch):
    first = []
    at_the_same_moment(monkeypatch, learning, lambda: first.append(checkout.learn()))
    late = checkout.learn()
    changes = first[0].proposed.diff.changes
    assert (late.proposed, late.waiting) == (None, len(changes))
    assert sum(len(one.diff.changes) for one in checkout.world.inbox()) == len(changes)


@pytest.mark.req("E-IDEMPOTENT")
def test_of_two_runs_at_the_same_moment_the_later_proposes_what_it_alone_found(
    checkout, monkeypatch
):
    few = []

    def learn_less():
        (checkout.folder / "Makefile").rename(checkout.folder / "Makefile.off")
        few.append(checkout.learn().proposed.diff)
        (checkout.folder / "Makefile.off").rename(checkout.folder / "Makefile")

    at_the_same_moment(monkeypatch, learning, learn_less)
    late = checkout.learn()
    slots = [c.item.slot for d in (few[0], late.proposed.diff) for c in d.changes]
    assert late.proposed.diff.changes and len(slots) == len(set(slots))
    assert late.waiting == len(few[0].changes)


@pytest.mark.req("E-RECEIPT", "B-SOURCE", "A-SOURCE")
def test_every_statement_is_proposed_with_its_bytes(checkout):
    learned = checkout.learn()
    assert {change.operation for change in learned.proposed.diff.changes} == {"add"}
    assert learned.proposed.diff.proposed_by == PRINCIPAL
    for change in learned.proposed.diff.changes:
        evidence = change.item.source.evidence[0]
        path = change.item.source.uri.partition("!/")[2]
        data = (checkout.folder / path).read_bytes()
        assert data[evidence.start : evidence.end].decode() == evidence.quote


@pytest.mark.req("E-IDEMPOTENT")
def test_a_second_run_proposes_nothing_whether_the_first_waits_or_was_accepted(checkout):
    first = checkout.learn()
    again = checkout.learn()
    assert (again.proposed, again.waiting) == (None, len(first.proposed.diff.changes))
    checkout.accept_all(first)
    third = checkout.learn()
    assert (third.proposed, third.waiting, third.unchanged) == (None, 0, again.waiting)


@pytest.mark.req("B-HISTORY", "B-REVERIFY")
def test_one_edited_line_is_one_supersede(learned):
    learned.commit({"pyproject.toml": '[project]\nname = "shop"\nrequires-python = ">=3.12"\n'})
    found = learned.learn()
    assert operations(found) == [("supersede", "pyproject.toml#/project/requires-python")]
    learned.accept_all(found)
    change = found.proposed.diff.changes[0]
    old = learned.world.show(change.target_id)
    assert (old.status, old.superseded_by) == ("superseded", change.item.id)
    assert learned.learn().proposed is None


@pytest.mark.req("B-REVERIFY")
def test_a_line_that_moved_is_checked_again_and_not_replaced(learned):
    learned.commit(
        {"AGENTS.md": "# Rules\n\nRead these.\n\n- Always run the tests before you push.\n"}
    )
    found = learned.learn()
    changes = [c for c in found.proposed.diff.changes if c.operation == "revalidate"]
    assert len(changes) == 1
    assert slot_of(learned, changes[0].target_id).startswith("AGENTS.md#")
    learned.accept_all(found)
    assert learned.learn().proposed is None


@pytest.mark.req("B-REVERIFY", "B-DIFF")
def test_a_file_that_is_gone_deprecates_what_it_said(learned):
    learned.commit({"Makefile": None})
    found = learned.learn()
    gone = {slot_of(learned, id) for operation, id in operations(found) if operation == "deprecate"}
    assert gone
    assert all(slot.startswith("Makefile#") for slot in gone)
    assert {operation for operation, _ in operations(found)} == {"deprecate"}


@pytest.mark.req("E-IDEMPOTENT")
def test_a_waiting_proposal_goes_on_waiting_when_its_file_is_edited_elsewhere(checkout):
    first = checkout.learn()
    text = (checkout.folder / "Makefile").read_text()
    checkout.commit({"Makefile": f"# first line\n{text}"})
    again = checkout.learn()
    assert (again.proposed, again.withdrawn) == (None, 0)
    checkout.accept_all(first)
    items = [c.item for c in first.proposed.diff.changes if c.item.slot.startswith("Makefile#")]
    assert {checkout.world.show(item.id).claim.reading.state for item in items} == {"moved"}
    assert checkout.learn().proposed is None


@pytest.mark.req("E-IDEMPOTENT", "B-DIFFREVIEW")
def test_a_proposal_that_the_files_no_longer_bear_out_is_withdrawn(checkout):
    first = checkout.learn()
    checkout.commit({"pyproject.toml": '[project]\nname = "shop"\nrequires-python = ">=3.12"\n'})
    second = checkout.learn()
    assert (second.withdrawn, len(second.proposed.diff.changes)) == (1, 1)
    states = {
        change.item.slot: checkout.world.pending(first.proposed.diff.id).state_of(change.id)
        for change in first.proposed.diff.changes
    }
    assert states["pyproject.toml#/project/requires-python"] == "rejected"
    assert set(states.values()) == {"rejected", "pending"}
    checkout.commit({"pyproject.toml": '[project]\nname = "shop"\nrequires-python = ">=3.11"\n'})
    assert checkout.learn().proposed is not None, (
        "a withdrawn value was not rejected, so it may come back"
    )


@pytest.mark.req("B-CONFLICTS", "A-BOUNDARY")
def test_what_is_learned_off_the_default_branch_carries_the_branch(learned):
    learned.git("checkout", "-q", "-b", "next")
    learned.git("config", "init.defaultBranch", "main")
    learned.commit({"pyproject.toml": '[project]\nname = "shop"\nrequires-python = ">=3.13"\n'})
    found = learned.learn()
    items = [c.item for c in found.proposed.diff.changes if c.item]
    assert items
    assert {item.validity.conditions for item in items} == {("branch:next",)}
    learned.accept_all(found)
    learned.git("checkout", "-q", "main")
    assert learned.learn().proposed is None


@pytest.mark.req("E-TOMBSTONE")
def test_a_rejected_statement_is_left_out_and_named(checkout):
    first = checkout.learn()
    slot = "pyproject.toml#/project/requires-python"
    change = next(c for c in first.proposed.diff.changes if c.item.slot == slot)
    session = checkout.session("user:ana")
    review(
        session,
        first.proposed.diff.id,
        {change.id: Choice("rejected", "wrong")},
        signer_of("user:ana"),
    )
    again = checkout.learn()
    assert again.proposed is None
    assert [one.claim for one in again.left_out] == [slot]


@pytest.mark.req("E-SECRET")
def test_a_secret_in_a_file_is_left_out_and_never_stored(checkout):
    checkout.commit({"Makefile": "test:\n\tDB=postgres://app:Zk39fq0Lw7@db.internal/shop pytest\n"})
    checkout.learn()
    assert "Zk39fq0Lw7" not in checkout.world.texts()


@pytest.mark.req("B-V3")
def test_without_a_visibility_nothing_is_learned(checkout):
    session = checkout.world.session("agent:codex", scopes=(checkout.scope,))
    with pytest.raises(InvalidInput) as refusal:
        learn(session, open_repository(checkout.folder), read_file)
    assert refusal.value.findings[0].code == "no_visibility"


def test_a_policy_that_comes_later_moves_structured_facts_to_its_ref_and_leaves_prose_alone(
    learned,
):
    learned.declare_policy()
    later = learned.learn("main")
    moved = {change.source.uri for change in later.proposed.diff.changes}
    assert {change.operation for change in later.proposed.diff.changes} == {"revalidate"}
    assert all("@main!/" in uri and "AGENTS" not in uri for uri in moved)
