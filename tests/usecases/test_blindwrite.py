"""What a writer is told is the same in two worlds that differ only in what it may not see."""

from __future__ import annotations

from dataclasses import replace

import pytest

from muniment.core.encode import encode
from muniment.core.errors import Refusal
from muniment.usecases.show import conflicts, history, why
from tests.usecases.world import (
    BOARD,
    World,
    add,
    deprecate,
    derived,
    fact,
    flag,
    revalidate,
    supersede,
    uses_tool,
)


def hidden_duplicate(world):
    world.accept_hidden(fact("The shop has a status page."))


def hidden_contradiction(world):
    world.accept_hidden(uses_tool("pnpm"))


def hidden_tombstone(world):
    told = world.propose(
        "process:board", add(fact("The shop has a status page.", visibility=BOARD))
    )
    world.review("user:ana", told, change_01="rejected")


def hidden_proposal(world):
    world.propose("process:board", add(uses_tool("yarn", visibility=BOARD)))


def hidden_successor(world):
    known = next(iter(sorted(world.accepted())))
    visibility = {
        "level": "team-private",
        "allowed_principals": ["group:shop"],
        "all_of": [["group:board"]],
    }
    told = world.propose(
        "user:dan", supersede(known, fact("Releases are cut at night.", visibility=visibility))
    )
    world.review("user:ana", told, change_01="accepted")


HIDDEN = (
    hidden_duplicate,
    hidden_contradiction,
    hidden_tombstone,
    hidden_proposal,
    hidden_successor,
)


def told(world: World, known: str, other: str) -> list[object]:
    """Everything that an agent is told for a series of writes and looks, without identifiers that are drawn."""
    answers: list[object] = []
    changes = (
        add(fact("The shop has a status page.")),
        add(uses_tool("npm")),
        supersede(known, fact("Releases are cut on Fridays.")),
        deprecate("mem_hidden_or_absent"),
        revalidate(known),
        flag(known, other),
        add(derived("So be it.", known)),
        add(derived("So be it.", "mem_hidden_or_absent")),
        add({"claim": "Use uv."}),
    )
    for change in changes:
        try:
            proposed = world.propose("agent:codex", change)
            item = proposed.diff.changes[0].item
            plain = replace(item, id="", provenance=type(item.provenance)()) if item else None
            answers.append((proposed.findings, encode(plain), len(proposed.token)))
        except Refusal as refusal:
            answers.append((type(refusal).__name__, refusal.findings))
    session = world.session("agent:codex")
    for id in (known, other):
        shown = world.show(id, "agent:codex")
        answers.append(
            (shown.status, shown.freshness, shown.labels, shown.superseded_by, shown.conflicts)
        )
        versions = history(session, id)
        answers.append([(v.claim.version, v.revision, v.until) for v in versions])
        answers.append(why(session, id)["superseded_by"])
    answers.append(conflicts(session))
    mine = world.inbox("agent:codex")
    answers.append([[(c.operation, p.state_of(c.id)) for c in p.diff.changes] for p in mine])
    return answers


@pytest.mark.parametrize("differ", HIDDEN, ids=lambda differ: differ.__name__)
@pytest.mark.req("E-BLINDWRITE", "B-FILTERFIRST")
def test_what_is_hidden_changes_nothing_in_what_a_writer_is_told(differ):
    answers = []
    for hide in (False, True):
        world = World()
        known = world.accept(fact("Releases are cut on Tuesdays."))
        if hide:
            differ(world)
            world.clock.now = World().clock.now
        other = world.accept(fact("Invoices are kept for ten years."))
        said = told(world, known, other)
        answers.append(str(said).replace(known, "KNOWN").replace(other, "OTHER"))
    assert answers[0] == answers[1]


@pytest.mark.req("E-BLINDWRITE")
def test_the_reviewer_who_sees_it_is_told(world):
    hidden_contradiction(world)
    proposed = world.propose("agent:codex", add(uses_tool("npm")))
    assert proposed.findings == ()
    from muniment.core.codec import micros
    from muniment.usecases.examine import examine
    from muniment.usecases.viewing import Viewing

    with world.store.snapshot("acme") as snapshot:
        found = examine(Viewing(snapshot, "user:ana"), proposed.diff, micros(world.clock()))
    assert [f.code for f in found.findings] == ["contradiction"]


@pytest.mark.req("E-BLINDWRITE", "B-FILTERFIRST")
def test_absent_and_hidden_have_one_answer(world):
    hidden = world.accept_hidden(fact("The board meets on Mondays."))
    said = []
    for id in (hidden, "mem_01kx0sjsgzex6s3tv2a4rt8zk9"):
        for call in (
            lambda id=id: world.show(id, "agent:codex"),
            lambda id=id: why(world.session("agent:codex"), id),
            lambda id=id: world.propose("agent:codex", deprecate(id)),
        ):
            with pytest.raises(Refusal) as refusal:
                call()
            said.append((type(refusal.value), str(refusal.value).replace(id, "ID")))
    assert said[:3] == said[3:]
