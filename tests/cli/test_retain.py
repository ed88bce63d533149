"""`muniment retain`: say how long retrievals are kept, look at what is over, and remove it."""

from __future__ import annotations

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
