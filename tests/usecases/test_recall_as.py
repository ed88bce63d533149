"""An operator sees what another would be handed, as far as it sees it itself; nothing hints at the rest."""

from __future__ import annotations

from dataclasses import replace

import pytest

from muniment.core.errors import InvalidInput, NotPermitted
from muniment.core.request import Request
from muniment.usecases.recall import recall
from muniment.usecases.recall_as import recall_as
from tests.usecases.remembered import Bytes
from tests.usecases.world import World, fact, private

QUESTION = Request("what does the shop build with?", "answer_questions", counter="")


def looking(world, name):
    return replace(world.session(name), counter=lambda name: Bytes())


@pytest.mark.req("B-FILTERFIRST")
def test_it_is_what_the_other_would_be_handed(world):
    world.accept(fact())
    theirs = recall(looking(world, "agent:codex"), QUESTION).packet
    mine = recall_as(looking(world, "user:ana"), "agent:codex", QUESTION)
    assert [item.claim for item in mine.items] == [item.claim for item in theirs.items]
    assert mine.request["principal"] == "agent:codex"
    assert recall_as(looking(world, "user:ana"), "user:eve", QUESTION).outcome == "no_support"


@pytest.mark.req("B-FILTERFIRST", "E-BLINDWRITE")
def test_what_the_other_sees_alone_changes_nothing():
    answers = []
    for hidden in (False, True):
        world = World()
        world.accept(fact())
        world.accept_hidden(fact("The board builds castles."))
        if hidden:
            theirs = private("user:bob", "user:dan")
            world.accept(fact("The shop builds with Maven.", visibility=theirs), by="user:bob")
        packet = recall_as(looking(world, "user:ana"), "user:dan", QUESTION)
        shown = [(item.claim.claim, item.relevance) for item in packet.items]
        answers.append((shown, packet.trace, packet.omissions, packet.unlisted, packet.revision))
    assert answers[0] == answers[1]


@pytest.mark.req("B-FILTERFIRST")
def test_the_board_shows_to_who_sees_it_alone(world):
    world.accept_hidden(fact("The shop builds castles with Gradle."))
    assert recall(looking(world, "user:ana"), QUESTION).packet.items
    assert not recall_as(looking(world, "user:ana"), "agent:codex", QUESTION).items
    assert recall_as(looking(world, "user:ana"), "user:ana", QUESTION).items


def test_only_an_operator_may_and_bad_requests_are_refused(world):
    with pytest.raises(NotPermitted):
        recall_as(looking(world, "user:bob"), "agent:codex", QUESTION)
    with pytest.raises(InvalidInput):
        recall_as(looking(world, "user:ana"), "agent:codex", Request("x", k=0))
