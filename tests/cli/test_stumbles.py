"""What a newcomer stumbled over: each refusal and hint says the next step."""

from __future__ import annotations

import pytest

from tests.cli.conftest import add


def first_fix(ran):
    """The way out of the first finding."""
    return ran.json["error"]["findings"][0]["fix"]


@pytest.mark.req("E-APPROVER")
def test_an_agent_is_sent_to_a_person_and_not_to_a_role(machine):
    ran = machine.run("verify", "--as", "agent:codex", "--json")
    assert first_fix(ran) == "let a person with the role `operator` do it"


def test_a_policy_on_a_ref_that_is_not_there_is_refused(machine):
    ran = machine.signed("policy", "manifests", "--protected-ref", "nowhere", "--yes", "--json")
    assert ran.error_codes == ["no_ref"]


def test_a_file_of_the_repository_is_a_source(machine):
    (machine.repository / "RULES.md").write_text("Ship on Fridays only.\n", encoding="utf-8")
    ran = machine.run(
        "remember",
        "The shop ships on Fridays.",
        "--source",
        "RULES.md",
        "--quote",
        "Ship on Fridays",
        "--json",
    )
    source = ran.json["changes"][0]["item"]["source"]
    assert source["uri"].endswith("!/RULES.md")
    assert source["evidence"][0]["quote"] == "Ship on Fridays"


def test_a_file_of_no_known_repository_is_refused_with_what_is_known(machine):
    ran = machine.run("remember", "It ships.", "--source", "/etc/hosts", "--json")
    assert ran.error_codes == ["unknown_place"]
    assert f"local:shop in {machine.repository}" in first_fix(ran)
    assert "`repo:local:shop!/<path>`" in first_fix(ran)


def test_a_path_may_be_absolute_or_climb_within_the_repository(machine):
    for path in (str(machine.repository / "AGENTS.md"), "none/../AGENTS.md"):
        ran = machine.run("remember", "It uses pnpm.", "--source", path, "--json")
        assert ran.json["changes"][0]["item"]["source"]["uri"] == "repo:local:shop!/AGENTS.md"


def test_a_path_at_which_nothing_stands_is_refused(machine):
    ran = machine.run("remember", "It uses pnpm.", "--source", "AGENT.md", "--json")
    assert ran.error_codes == ["no_file"]


def test_a_quote_from_an_address_that_cannot_be_read_names_the_forms(machine):
    source = ("--source", "repo:shop!/AGENTS.md", "--quote", "pnpm")
    ran = machine.run("remember", "It uses pnpm.", *source, "--json")
    assert ran.error_codes == ["source_unreadable"]
    assert "`repo:local:shop!/<path>`" in first_fix(ran)


def test_a_mistyped_use_is_pointed_out(machine):
    ran = machine.run("recall", "tests", "--use", "choose_test_command")
    assert "did you mean `choose_test_commands`?" in ran.out


def test_an_empty_answer_names_what_waits_for_review(machine):
    machine.run("remember", "The shop ships on Fridays.")
    ran = machine.run("recall", "when does the shop ship?", "--use", "answer_questions")
    assert "1 change waits for review in these scopes" in ran.out


def test_the_refusal_of_an_own_proposal_names_the_policy(machine):
    machine.run("remember", "The shop ships on Fridays.")
    ran = machine.signed("review", "--accept", "all", "--json")
    assert "muniment policy own --may-review-own user:" in first_fix(ran)


@pytest.mark.req("E-APPROVER")
def test_all_sets_an_own_proposal_aside_and_names_it(machine):
    diff = machine.run("remember", "The shop ships on Fridays.", "--json").json["diff"]
    machine.run("learn")
    ran = machine.signed("review", "--accept", "all")
    assert (ran.code, f"{diff}/change_01" in ran.err, "own_proposal" in ran.err) == (6, True, True)
    assert machine.run("inbox").out.count("waiting") == 1


def test_what_was_named_is_refused_and_not_set_aside(machine):
    diff = machine.run("remember", "The shop ships on Fridays.", "--json").json["diff"]
    machine.run("learn")
    before = machine.head()
    ran = machine.signed("review", "--accept", f"{diff}/change_01", "--json")
    assert (ran.code, ran.error_codes, machine.head()) == (2, ["own_proposal"], before)
    assert machine.signed("review", "--accept", f"all,{diff}/change_01", "--json").code == 2


def test_an_own_proposal_is_labelled_yours_until_a_policy_allows_it(machine):
    machine.run("remember", "It uses pnpm.", "--source", "AGENTS.md", "--quote", "pnpm")
    assert "yours" in machine.run("inbox").out
    machine.signed("policy", "own", "--may-review-own", "user:ada", "--yes")
    assert "safe" in machine.run("inbox").out


def test_where_nothing_is_safe_it_says_why(machine):
    machine.run("remember", "The shop ships on Fridays.")
    ran = machine.signed("review", "--accept", "safe", "--json")
    assert (ran.code, ran.error_codes) == (6, ["waiting"])
    assert "yours 1, nothing to check 1" in ran.json["error"]["message"]


def test_where_several_diffs_wait_a_change_is_named_with_its_diff(machine):
    one, other = (machine.propose(add(text)).json["diff"] for text in ("It ships.", "It sails."))
    assert f"{one}/change_01" in machine.run("inbox").out
    ran = machine.run("review", "--accept", "change_01", "--json")
    assert ran.error_codes == ["ambiguous_change"]
    machine.signed("policy", "own", "--may-review-own", "user:ada", "--yes")
    named = f"{other}/change_01"
    ran = machine.signed("review", "--reject", named, "--reason", "it sinks", "--json")
    assert ran.json["outcomes"][0]["diff"] == other


def test_a_rejection_without_a_reason_names_the_option(machine):
    machine.propose(add())
    ran = machine.run("review", "--reject", "all", "--json")
    assert (ran.error_codes, first_fix(ran)) == (["no_reason"], "give it with `--reason TEXT`")
