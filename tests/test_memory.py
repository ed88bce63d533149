"""The front object: what its verbs imply, and what they never do."""

from __future__ import annotations

import pytest

from muniment import Memory

VISIBILITY = {"level": "user-private", "allowed_principals": ["user:ada"]}


def acting(memory: Memory, *scopes: str) -> Memory:
    return memory.acting_as(
        "user:ada", scopes=scopes, visibility=VISIBILITY, uses=["answer_questions"]
    )


@pytest.mark.req("E-NOSCOPE")
def test_the_inbox_shows_the_scopes_in_force_and_none_without_a_scope():
    memory = Memory.open(None)
    shop, bakery = acting(memory, "project:shop"), acting(memory, "project:bakery")
    shop.remember("The shop ships on Fridays.")
    bakery.remember("The bakery opens at five.")
    both = acting(memory, "project:shop", "project:bakery")
    counted = [len(one.inbox()) for one in (shop, bakery, both, acting(memory))]
    assert counted == [1, 1, 2, 0]


def test_a_store_is_governed_once_a_credential_is_registered():
    from muniment.usecases import declare

    memory = acting(Memory.open(None), "project:shop")
    before = memory.is_governed()
    memory.declare(declare.credential("user:ada", ("key",)))
    assert (before, memory.is_governed()) == (False, True)
