"""Erasing leaves no content and keeps the record that something was erased."""

from __future__ import annotations

import pytest

from muniment.core.errors import InvalidInput, NotFound, NotPermitted
from muniment.usecases.erase import erase
from muniment.usecases.show import history, why
from tests.usecases.world import (
    HERE,
    THERE,
    add,
    deprecate,
    derived,
    fact,
    flag,
    signer_of,
    supersede,
)

SECRET_WORD = "Xanthippe"


def erased(world, id):
    return erase(world.session("user:ana"), id, signer_of("user:ana"))


def marked(**but):
    return fact(f"The customer {SECRET_WORD} pays late.", tags=[SECRET_WORD], **but)


@pytest.mark.req("A-DELETE", "E-LEDGER")
def test_nothing_of_an_erased_claim_can_be_read_and_the_ledger_still_verifies(world):
    proposed = world.propose(
        "agent:codex", add(marked(), reason=f"{SECRET_WORD} said so"), summary=SECRET_WORD
    )
    id = world.review("user:ana", proposed, change_01="accepted").resulting["change_01"]
    head = world.store.verify(HERE).head
    assert SECRET_WORD in world.texts()
    outcome = erased(world, id)
    assert (outcome.claim_id, outcome.contents > 0, outcome.disk) == (id, True, "complete")
    assert SECRET_WORD not in world.texts()
    checked = world.store.verify(HERE, head)
    assert (checked.ok, checked.problems) == (True, ())


@pytest.mark.req("A-DELETE")
def test_the_record_says_that_by_whom_and_when_something_was_erased(world):
    id = world.accept(marked())
    erased(world, id)
    with world.store.snapshot(HERE) as snapshot:
        left = [snapshot.contents([d.seq])[d.seq] for d in snapshot.docs("erased")]
    assert [(one["by"], bool(one["at"])) for one in left] == [("user:ana", True)]
    assert [e.kind for e in snapshot_envelopes(world) if id in (e.id, *e.subjects)].count(
        "claim"
    ) == 1


def snapshot_envelopes(world):
    with world.store.snapshot(HERE) as snapshot:
        return list(snapshot.envelopes())


@pytest.mark.req("A-DELETE")
def test_whoever_asks_for_an_erased_claim_is_told_what_is_told_of_an_absent_one(world):
    id = world.accept(marked())
    erased(world, id)
    for call in (
        world.show,
        lambda id: history(world.session("user:ana"), id),
        lambda id: why(world.session("user:ana"), id),
    ):
        with pytest.raises(NotFound):
            call(id)


@pytest.mark.req("A-DELETE")
def test_every_version_and_every_proposal_of_it_goes(world):
    id = world.accept(marked())
    world.propose("agent:codex", deprecate(id, reason=f"{SECRET_WORD} left"))
    successor = world.propose("agent:codex", supersede(id, fact("The customer pays now.")))
    made = world.review("user:bob", successor, change_01="accepted").resulting["change_01"]
    other = world.accept(fact("Invoices are kept."))
    world.review(
        "user:bob",
        world.propose("agent:codex", flag(id, other, conflict_notes=SECRET_WORD)),
        change_01="accepted",
    )
    erased(world, id)
    assert SECRET_WORD not in world.texts()
    assert [v.claim.id for v in history(world.session("user:ana"), made)] == [made]
    assert world.show(other).status == "active"


@pytest.mark.req("A-DELETE", "E-TOMBSTONE")
def test_the_same_value_is_refused_from_then_on_and_the_refusal_does_not_repeat_it(world):
    erased(world, world.accept(marked()))
    with pytest.raises(InvalidInput) as refusal:
        world.propose("agent:codex", add(marked()))
    assert [f.code for f in refusal.value.findings] == ["tombstoned"]
    assert SECRET_WORD not in str(refusal.value)


@pytest.mark.req("A-DELETE", "E-RETRACT")
def test_what_was_derived_from_it_is_stale(world):
    id = world.accept(marked())
    made = world.accept(derived("Some customers pay late.", id), by="user:bob")
    erased(world, id)
    assert (world.show(made).status, world.show(made).stale_because) == ("stale", id)


@pytest.mark.req("A-DELETE")
def test_what_it_had_superseded_does_not_come_back(world):
    old = world.accept(fact("The shop builds with Gradle 7."))
    told = world.propose("agent:codex", supersede(old, marked()))
    id = world.review("user:bob", told, change_01="accepted").resulting["change_01"]
    erased(world, id)
    assert world.show(old).status == "superseded"


@pytest.mark.req("A-DELETE", "E-REBUILD")
def test_rebuilding_after_an_erasure_gives_the_same(world):
    id = world.accept(marked())
    kept = world.accept(fact("Invoices are kept."))
    erased(world, id)
    before = world.show(kept)
    world.store.rebuild(HERE)
    assert world.show(kept) == before
    with pytest.raises(NotFound):
        world.show(id)


@pytest.mark.parametrize("who", ["agent:codex", "user:bob", "user:eve"])
@pytest.mark.req("A-DELETE", "E-APPROVER")
def test_only_an_operator_with_its_own_credential_erases(world, who):
    id = world.accept(marked(visibility={"level": "public"}))
    with pytest.raises(NotPermitted):
        erase(world.session(who), id, signer_of(who))
    with pytest.raises(NotPermitted):
        erase(world.session("user:ana"), id, None)
    with pytest.raises(NotPermitted):
        erase(world.session("user:ana"), id, signer_of("user:bob"))
    assert world.show(id).claim.claim


@pytest.mark.req("A-DELETE")
def test_the_other_tenant_erases_nothing_here(world):
    id = world.accept(marked())
    with pytest.raises(NotFound):
        erase(world.session("user:ana", THERE), id, signer_of("user:ana"))
    assert SECRET_WORD in world.texts()


@pytest.mark.req("A-DELETE")
@pytest.mark.parametrize("decision", [None, "rejected"])
def test_what_was_only_proposed_or_was_rejected_is_erased_too(world, decision):
    proposed = world.propose("agent:codex", add(marked(), reason=f"{SECRET_WORD} said so"))
    if decision:
        world.review("user:ana", proposed, change_01=decision)
    id = proposed.diff.changes[0].item.id
    assert SECRET_WORD in world.texts()
    assert erased(world, id).contents > 0
    assert SECRET_WORD not in world.texts()
    assert world.store.verify(HERE).ok
    with pytest.raises(InvalidInput):
        world.propose("agent:codex", add(marked()))
