"""`narrow` on a real store: proposed, shown with who would still see it, accepted, and out of the others' sight."""

from __future__ import annotations

import os

import pytest

from tests.cli.test_review_dialogue import SGR, Typist

ASK = ("recall", "how do I run the tests?", "--use", "choose_local_commands", "--json")
WORDS = ("--visibility", "user-private=user:ada", "--reason", "it names a customer")


@pytest.mark.req("B-TRAVEL")
def test_a_claim_is_narrowed_by_review_and_gone_for_the_others(learned):
    one = learned.run(*ASK).json["evidence"][0]["id"]
    assert learned.run("--as", "agent:codex", "show", one).code == 0
    proposed = learned.run("--as", "agent:codex", "narrow", one, *WORDS, "--json").json["diff"]
    shown = learned.run("review", proposed)
    assert "declares narrowing" in shown.out
    done = learned.signed("review", proposed, "--accept", "change_01")
    assert done.code == 0
    assert learned.run("show", one).code == 0
    assert "not_found" in learned.run("--as", "agent:codex", "show", one).err
    assert learned.run("doctor").code == 0


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
def test_a_reviewer_is_shown_who_would_still_see_it(learned):
    one = learned.run(*ASK).json["evidence"][0]["id"]
    proposed = learned.run("--as", "agent:codex", "narrow", one, *WORDS, "--json").json["diff"]
    typist = Typist(learned, "review", proposed)
    shown = SGR.sub("", typist.type("q"))
    assert "declares a narrowing" in shown
    assert "seen by  user:ada of those who see it now" in shown
    typist.end()


def test_a_narrowing_says_who_may_still_see_the_claim(learned):
    assert "no_visibility" in learned.run("narrow", "mem_none", "--json").error_codes
    assert learned.run("narrow", "mem_none", *WORDS).code != 0
