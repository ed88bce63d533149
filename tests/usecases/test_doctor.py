"""The doctor finds what came into the store past review, and nothing where all is well."""

from __future__ import annotations

from dataclasses import replace

import pytest

from muniment.core.access import PUBLIC
from muniment.core.canonical import canonical
from muniment.core.claim import Review
from muniment.core.codec import trusted
from muniment.core.diff import Decided, change_digest, signed_statement
from muniment.core.encode import encode
from muniment.core.event import Event
from muniment.core.extract import ReadResult
from muniment.usecases.doctor import diagnose, summary
from muniment.usecases.erase import erase
from muniment.usecases.pending import change_doc_id
from tests.usecases.world import (
    HERE,
    NOON,
    SHOP,
    THERE,
    add,
    deprecate,
    derived,
    fact,
    flag,
    revalidate,
    signer_of,
    supersede,
    uses_tool,
)


def nothing(path, data):
    return ReadResult()


def states(world, tenant=HERE):
    return [(a.state, a.by) for a in diagnose(world.session("user:ana", tenant), nothing).accounts]


def write(world, *events):
    with world.store.transaction(HERE) as transaction:
        transaction.append(list(events), world.clock())


def forged(world, **but):
    """An acceptance that is written into the ledger past review."""
    proposed = world.propose("agent:codex", add(fact()))
    change = proposed.diff.changes[0]
    plain = Decided(
        proposed.diff.id, change.id, "accepted", "user:ana", NOON, "", change_digest(change),
        public_key=signer_of("user:ana").public_key,
    )  # fmt: skip
    decided = replace(plain, **but)
    doc_id = change_doc_id(proposed.diff.id, change.id)
    write(world, Event("decision", doc_id, encode(decided), proposed.diff.id, change.subjects))
    return plain


@pytest.mark.req("E-APPROVER", "E-LEDGER")
def test_all_is_well_after_every_kind_of_change(world):
    one, two = world.accept(uses_tool("npm")), world.accept(fact("Releases are cut on Tuesdays."))
    three = world.accept(derived("Releases need npm.", one, two), by="user:bob")
    world.accept(uses_tool("pnpm"))
    for change in (
        revalidate(two), supersede(two, fact("Releases are cut on Fridays.")), flag(one, three), deprecate(three),
    ):  # fmt: skip
        world.review("user:bob", world.propose("agent:codex", change), change_01="accepted")
    world.reject(fact("The shop is closed."))
    erase(world.session("user:ana"), one, signer_of("user:ana"))
    found = diagnose(world.session("user:ana"), nothing)
    assert [a for a in found.accounts if not a.is_good] == []
    assert found.verification.problems == ()
    assert found.ok
    assert summary(found)["signed"] >= 6


@pytest.mark.req("A-DELETE", "E-APPROVER")
def test_what_replaced_an_erased_claim_is_no_forgery(world):
    old = world.accept(fact())
    proposed = world.propose("agent:codex", supersede(old, fact("It is Gradle 9.")))
    world.review("user:bob", proposed, change_01="accepted")
    erase(world.session("user:ana"), old, signer_of("user:ana"))
    assert diagnose(world.session("user:ana"), nothing).ok


@pytest.mark.req("E-APPROVER")
def test_an_unsigned_acceptance_is_found(world):
    forged(world, signature="")
    assert states(world) == [("unsigned", "user:ana")]


@pytest.mark.req("E-APPROVER")
def test_an_acceptance_signed_by_a_key_that_is_nobodys_is_found(world):
    stranger = signer_of("agent:codex")
    plain = forged(world, public_key=stranger.public_key, signature="x")
    assert plain.by == "user:ana"
    assert states(world) == [("forged", "user:ana")]


@pytest.mark.req("E-APPROVER")
def test_a_signature_over_something_else_is_found(world):
    other = signer_of("user:ana").sign(canonical({"muniment": "review/1"}))
    forged(world, signature=other)
    assert states(world) == [("forged", "user:ana")]


@pytest.mark.req("E-APPROVER")
def test_an_acceptance_of_the_other_tenant_counts_for_nothing_here(world):
    proposed = world.propose("agent:codex", add(fact()))
    change = proposed.diff.changes[0]
    plain = Decided(
        proposed.diff.id, change.id, "accepted", "user:ana", NOON, "", change_digest(change),
        public_key=signer_of("user:ana").public_key,
    )  # fmt: skip
    signed = replace(
        plain, signature=signer_of("user:ana").sign(canonical(signed_statement(THERE, plain)))
    )
    write(
        world,
        Event(
            "decision", change_doc_id(proposed.diff.id, change.id), encode(signed), proposed.diff.id
        ),
    )
    assert states(world) == [("forged", "user:ana")]


@pytest.mark.req("E-APPROVER")
def test_a_policy_that_nobody_signed_accepts_nothing(world):
    forged(world, by="policy:mine", policy_digest="sha256:00")
    assert states(world) == [("forged", "policy:mine")]


@pytest.mark.req("E-APPROVER")
def test_a_claim_that_no_decision_stands_behind_is_found(world):
    item = world.propose("agent:codex", add(fact())).diff.changes[0].item
    claim = replace(item, version=1, review=Review("accepted", "user:ana", NOON))
    with world.store.transaction(HERE) as transaction:
        cls = transaction.declare_class(SHOP, claim.visibility.audience)
        transaction.append(
            [Event("claim", claim.id, encode(claim), claim.id, (claim.id,), cls)], NOON
        )
    found = diagnose(world.session("user:ana"), nothing)
    assert [(a.state, a.by) for a in found.accounts] == [("forged", "user:ana")]
    assert not found.ok


@pytest.mark.parametrize(
    "but",
    [
        {"claim": "The shop builds with Bazel."},
        {"allowed_uses": ("answer_questions", "deploy")},
        {"properties": {"note": "smuggled"}},
        {"supersedes": ("mem_other",)},
    ],
    ids=lambda but: next(iter(but)),
)
@pytest.mark.req("E-APPROVER")
def test_a_version_that_was_written_over_an_accepted_one_is_found(world, but):
    id = world.accept(fact())
    claim = world.show(id).claim
    changed = replace(claim, version=2, **but)
    with world.store.transaction(HERE) as transaction:
        cls = transaction.declare_class(SHOP, claim.visibility.audience)
        transaction.append([Event("claim", id, encode(changed), id, (id,), cls)], NOON)
    assert [a.state for a in diagnose(world.session("user:ana"), nothing).accounts] == [
        "signed",
        "forged",
    ]


@pytest.mark.req("E-APPROVER")
def test_an_accepted_version_that_is_not_what_was_signed_is_found(world, monkeypatch):
    import muniment.usecases.apply as module

    kept = module.plan
    monkeypatch.setattr(
        module,
        "plan",
        lambda *given: tuple(replace(c, claim="The shop builds with Bazel.") for c in kept(*given)),
    )
    world.accept(fact())
    assert [a.state for a in diagnose(world.session("user:ana"), nothing).accounts] == [
        "signed",
        "forged",
    ]


@pytest.mark.req("E-APPROVER", "B-TRAVEL")
def test_a_version_with_a_wider_audience_is_found(world):
    id = world.accept(fact())
    claim = world.show(id).claim
    wider = replace(
        claim, version=2, visibility=trusted(type(claim.visibility), {"level": "public"})
    )
    with world.store.transaction(HERE) as transaction:
        cls = transaction.declare_class(SHOP, PUBLIC)
        transaction.append([Event("claim", id, encode(wider), id, (id,), cls)], NOON)
    assert [a.state for a in diagnose(world.session("user:ana"), nothing).accounts] == [
        "signed",
        "forged",
    ]


@pytest.mark.req("E-LEDGER")
def test_the_other_tenant_is_not_looked_over_with_it(world):
    forged(world, signature="")
    assert states(world, THERE) == []
    assert diagnose(world.session("user:ana", THERE), nothing).ok


@pytest.mark.req("E-LEDGER")
def test_a_head_that_was_kept_finds_a_truncated_ledger(world):
    world.accept(fact())
    head = diagnose(world.session("user:ana"), nothing).verification.head
    assert diagnose(world.session("user:ana"), nothing, head).ok
    assert not diagnose(world.session("user:ana", THERE), nothing, head).ok
