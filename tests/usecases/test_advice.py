"""What a recall that hands nothing over says to do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from muniment.core.request import Request
from muniment.usecases.recall import recall
from tests.usecases.remembered import Bytes
from tests.usecases.world import BOARD, WEB, World, add, fact


def advice(world, name="user:ana", use="answer_questions", **session):
    request = Request(query="what builds the shop?", use=use)
    asking = replace(world.session(name, **session), counter=lambda _: Bytes())
    return recall(asking, request).packet.advice


@pytest.fixture
def world():
    return World()


def test_what_waits_in_scope_is_counted_until_it_is_decided(world):
    assert "for review" not in advice(world)
    proposed = world.propose(
        "agent:codex", add(fact()), add(fact("The shop builds in Docker."), id="change_02")
    )
    assert "2 changes wait for review in these scopes" in advice(world)
    world.review("user:ana", proposed, change_01="rejected")
    assert "1 change waits for review" in advice(world)
    assert "for review" not in advice(world, scopes=(WEB,))


@pytest.mark.req("E-BLINDWRITE")
def test_what_waits_and_may_not_be_seen_is_not_counted(world):
    before = advice(world, "user:dan")
    world.propose("process:board", add(fact(visibility=BOARD)))
    assert advice(world, "user:dan") == before
    assert "1 change waits" in advice(world, "user:ana")


@pytest.mark.req("B-USES")
def test_a_mistyped_use_is_answered_with_the_nearest_declared_ones(world):
    world.accept(fact())
    assert "did you mean `answer_questions`?" in advice(world, use="answer_question")
    assert "not a declared use" not in advice(world, use="plan_changes")
