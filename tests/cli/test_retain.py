"""`muniment retain`: say how long claims and retrievals are kept, look at what is due, and do it."""

from __future__ import annotations

import time

import pytest

QUESTION = ("recall", "how do I run the tests?", "--use", "choose_local_commands")


def test_a_rule_is_declared_shown_and_keeps_what_it_does_not_name(machine):
    assert "kept without end" in machine.run("retain").out
    assert machine.signed("retain", "--days", "90", "--yes").code == 0
    told = machine.signed("retain", "--queries", "digest", "--yes")
    assert "kept for 90 days, with the digest of questions" in told.err
    assert "kept for 90 days, with the digest of questions" in machine.run("retain").out
    assert machine.run("retain", "--json").json["retention"]["days"] == 90


def test_what_is_over_is_looked_at_first_and_removed_when_asked(learned):
    made = learned.run("--json", *QUESTION).json["retrieval_id"]
    assert learned.run("why", made).code == 0
    assert learned.signed("retain", "--days", "30", "--yes").code == 0
    kept = learned.run("retain", "--json").json["retention"]
    assert (kept["retrievals"], kept["removed"], kept["queries"]) == (0, False, "text")
    done = learned.run("retain", "--apply")
    assert (done.code, "on disk: complete" in done.out) == (0, True)
    assert learned.run("why", made).code == 0


def test_a_rule_that_means_nothing_is_refused_and_says_what_to_do(machine):
    assert "bad_days" in machine.signed("retain", "--days", "-1", "--yes", "--json").error_codes
    wrong = machine.signed("retain", "--queries", "all", "--yes", "--json")
    assert "unknown_queries" in wrong.error_codes
    both = machine.signed("retain", "--days", "3", "--apply", "--yes", "--json")
    assert "two_acts" in both.error_codes


RULE = ("retain", "old", "--after", "PT1S", "--then")


def test_a_rule_of_claims_is_declared_shown_withdrawn_and_needs_a_period(learned):
    made = learned.signed(*RULE, "archive", "--state", "stale", "--unless-tagged", "hold", "--yes")
    said = "that are stale, unless tagged hold, archive 1 second after a claim was recorded"
    assert (made.code, said in made.err) == (0, True)
    assert said in learned.run("retain").out
    assert "declared so far" in learned.signed(*RULE, "delete", "--yes").err
    assert learned.signed("retain", "old", "--withdraw", "--yes").code == 0
    assert learned.run("retain", "--json").json["retention"]["claims"]["rules"] == []
    for wrong, code in (
        (("retain", "old", "--json"), "no_period"),
        (("retain", "--after", "P1D", "--json"), "no_name"),
        (("retain", "none", "--withdraw", "--json"), "no_rule"),
        ((*RULE, "archive", "--days", "3", "--json"), "two_acts"),
        ((*RULE, "burn", "--yes", "--json"), "unknown_then"),
    ):
        assert code in learned.signed(*wrong).error_codes


@pytest.mark.req("A-RETENTION")
@pytest.mark.parametrize("then", ["archive", "delete"])
def test_what_is_due_is_shown_and_done_when_asked_and_signed(learned, then):
    assert learned.run(*QUESTION).code == 0
    made = learned.signed(*RULE[:3], "PT0S", *RULE[4:], then, "--yes", "--json")
    assert "bad_period" in made.error_codes
    assert learned.signed(*RULE, then, "--yes").code == 0
    time.sleep(1.1)
    looked = learned.run("retain", "--json").json["retention"]["claims"]
    assert {act["act"] for act in looked["acts"]} == {then}
    assert "do it with `muniment retain --apply`" in learned.run("retain").out
    count = len(looked["acts"])
    assert learned.run("retain", "--apply").code != 0
    assert len(learned.run("retain", "--json").json["retention"]["claims"]["acts"]) == count
    done = learned.signed("retain", "--apply", "--yes")
    assert (done.code, f"done: {count} to {then}; on disk: complete" in done.out) == (0, True)
    assert learned.run("retain", "--json").json["retention"]["claims"]["acts"] == []
    assert "no_support" in learned.run(*QUESTION).out
    assert learned.run("doctor").code == 0
