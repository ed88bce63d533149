"""A report is a proposal: it edits nothing, ranks nothing, and is refused alike for absent and hidden claims."""

from __future__ import annotations

import pytest

from muniment.core.errors import Conflicted, InvalidInput, NotFound
from muniment.usecases.propose import propose
from muniment.usecases.remember import remember
from muniment.usecases.report import VERDICTS, report
from tests.usecases.world import add, diff_of, fact


@pytest.mark.req("B-DIFF")
@pytest.mark.parametrize("verdict", [name for name, _ in VERDICTS])
def test_a_report_waits_and_changes_nothing_until_it_is_accepted(world, verdict):
    claim = world.accept(fact())
    before = world.show(claim)
    proposed = report(world.session("agent:codex"), claim, verdict, "seen in job 18", {})
    assert world.show(claim).status == before.status
    assert world.show(claim).claim == before.claim
    world.review("user:ana", proposed, change_01="accepted")
    after = world.show(claim)
    assert after.status == {"wrong": "invalid", "outdated": "archived", "useful": "active"}[
        verdict
    ] or (after.claim.retired or after.claim.review.status == "deprecated")
    if verdict == "useful":
        assert after.claim.version == before.claim.version + 1
        assert after.claim.freshness == before.claim.freshness


@pytest.mark.req("E-BLINDWRITE")
def test_a_hidden_claim_is_not_there_to_be_reported(world):
    hidden = world.accept_hidden(fact("The board meets on Mondays."))
    said = set()
    for name in (hidden, "mem_unknown"):
        with pytest.raises(NotFound) as refused:
            report(world.session("agent:codex"), name, "wrong", "it is not so", {})
        said.add(str(refused.value).replace(name, "…"))
    assert len(said) == 1


def test_everything_that_is_wrong_is_said_at_once(world):
    with pytest.raises(InvalidInput) as refused:
        report(world.session("agent:codex"), "mem_x", "nonsense", "  ", {})
    assert [f.code for f in refused.value.findings] == ["unknown_verdict", "no_reason"]
    claim = world.accept(fact())
    with pytest.raises(InvalidInput, match="source"):
        report(world.session("agent:codex"), claim, "wrong", "so", {"source": 7})


@pytest.mark.req("E-IDEMPOTENT")
def test_a_named_proposal_is_made_once(world):
    session = world.session("agent:codex", once="job-18")
    first = propose(session, diff_of(add(fact())))
    before = world.revision()
    again = propose(session, diff_of(add(fact())))
    assert again.diff == first.diff
    assert world.revision() == before
    with pytest.raises(Conflicted, match="another proposal"):
        propose(session, diff_of(add(fact("The shop builds with Maven."))))
    other = propose(
        world.session("user:dan", once="job-18"), diff_of(add(fact("It builds with make.")))
    )
    assert other.diff.id != first.diff.id


@pytest.mark.req("E-IDEMPOTENT")
def test_remembering_under_one_name_twice_later_is_the_same_proposal(world):
    parts = {"source": "https://example.org/handbook", "reason": "told", **_shared()}
    first = remember(world.session("agent:codex", once="k"), "The shop ships on Fridays.", parts)
    world.clock.ahead(hours=3)
    again = remember(world.session("agent:codex", once="k"), "The shop ships on Fridays.", parts)
    assert again.diff == first.diff


def _shared():
    whole = fact()
    return {key: whole[key] for key in ("visibility", "allowed_uses", "confidence")}
