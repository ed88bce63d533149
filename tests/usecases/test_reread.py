"""Going back to sources: what follows is proposed, and nothing changes before it is reviewed."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from muniment.core.errors import NotFound
from muniment.sources.router import Router
from muniment.usecases import reread as rereading
from muniment.usecases.reread import PRINCIPAL, kinds, reread
from muniment.usecases.review import Choice, review
from tests.usecases.world import signer_of


@pytest.fixture
def learned(checkout):
    """A repository of which everything was accepted."""
    checkout.accept_all(checkout.learn())
    return checkout


def after(checkout, days, name="user:ana"):
    """A session some days later."""
    session = checkout.session(name)
    return replace(session, clock=lambda: checkout.session().now() + timedelta(days=days))


def operations(found):
    """What was proposed, by operation and claim."""
    return [(c.operation, c.target_id) for p in found.proposed for c in p.diff.changes]


def python_claim(checkout):
    """The claim about Python's version."""
    claims = [checkout.world.show(one).claim for one in checkout.world.accepted()]
    return next(claim.id for claim in claims if "requires Python" in claim.claim)


@pytest.mark.req("B-REVERIFY", "B-FRESHNESS")
def test_nothing_is_due_while_verifications_last(learned):
    assert reread(learned.session()).readings == {}


@pytest.mark.req("B-REVERIFY", "A-STALE")
def test_what_is_due_is_read_again_and_proposed_for_renewal(learned):
    found = reread(after(learned, 100))
    assert found.readings
    assert {operation for operation, _ in operations(found)} == {"revalidate"}
    assert {one.diff.proposed_by for one in found.proposed} == {PRINCIPAL}


@pytest.mark.req("B-REVERIFY")
def test_an_accepted_renewal_makes_a_claim_current_again(learned):
    session = after(learned, 100)
    found = reread(session)
    diff = found.proposed[0].diff
    review(
        session, diff.id, {c.id: Choice("accepted") for c in diff.changes}, signer_of("user:ana")
    )
    assert reread(session).readings == {}


@pytest.mark.req("B-REVERIFY", "E-RECEIPT")
def test_what_a_source_no_longer_says_is_proposed_to_be_deprecated(learned):
    claim_id = python_claim(learned)
    learned.write({"pyproject.toml": '[project]\nname = "shop"\nrequires-python = ">=3.13"\n'})
    found = reread(learned.session(), (claim_id,))
    assert found.readings[claim_id].state == "changed"
    assert operations(found) == [("deprecate", claim_id)]


def test_words_that_moved_are_renewed_at_their_new_place(learned):
    claim_id = python_claim(learned)
    text = '# moved\n[project]\nname = "shop"\nrequires-python = ">=3.11"\n'
    learned.write({"pyproject.toml": text})
    found = reread(learned.session(), (claim_id,))
    evidence = found.proposed[0].diff.changes[0].source.evidence[0]
    assert (found.readings[claim_id].state, evidence.line) == ("moved", 4)


def test_what_cannot_be_reached_proves_nothing(learned):
    claim_id = python_claim(learned)
    blind = replace(learned.session(), sources=Router({}, ()))
    found = reread(blind, (claim_id,))
    assert (list(kinds(found)), found.proposed) == ([("could_not_observe", 1)], ())


@pytest.mark.req("E-IDEMPOTENT")
def test_a_proposal_that_waits_is_not_made_twice(learned):
    first = reread(after(learned, 100))
    again = reread(after(learned, 100))
    assert (again.proposed, len(again.waiting)) == ((), len(operations(first)))


@pytest.mark.req("E-IDEMPOTENT")
def test_two_at_the_same_moment_propose_everything_once(learned, monkeypatch):
    going_on, first = rereading.record, []

    def record(*given, **more):
        monkeypatch.setattr(rereading, "record", going_on)
        first.append(reread(after(learned, 100)))
        return going_on(*given, **more)

    monkeypatch.setattr(rereading, "record", record)
    late = reread(after(learned, 100))
    assert operations(first[0])
    assert (late.proposed, len(late.waiting)) == ((), len(operations(first[0])))
    assert sum(len(one.diff.changes) for one in learned.world.inbox()) == len(late.waiting)


def test_a_claim_that_may_not_be_seen_is_not_found(learned):
    claim_id = python_claim(learned)
    with pytest.raises(NotFound):
        reread(learned.session("user:eve"), (claim_id,))
