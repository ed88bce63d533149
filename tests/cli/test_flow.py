"""From a repository to a cited packet, each command a process of its own."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import add

PACKET = {"outcome", "evidence", "conflicts", "omissions", "revision", "budget"}
EVIDENCE = {"id", "claim", "status", "labels", "confidence", "relevance", "citations"}
QUESTION = ("recall", "how do I run the tests?", "--use", "choose_local_commands")


def test_a_repository_is_learned_reviewed_and_asked(fresh):
    with fresh.words.open() as words:
        setup = fresh.process("init", "--user", "ada", "--yes", "--passphrase-fd", "0", stdin=words)
    assert (setup.code, "repository:local:shop" in setup.out) == (0, True), setup.err
    assert "proposed to add" in fresh.process("learn", ".").out
    waiting = fresh.process("review")
    assert (waiting.code, "--accept" in waiting.err) == (6, True)
    done = fresh.process("review", "--accept", "safe", "--passphrase-file", str(fresh.words))
    assert (done.code, "accepted" in done.out) == (0, True), done.err
    assert "proposed" not in fresh.process("learn", ".").out
    answer = fresh.process(*QUESTION, "--budget", "400")
    assert (answer.code, "pytest -q" in answer.out, "Makefile, line 1" in answer.out) == (
        0,
        True,
        True,
    )
    assert "acting as user:ada in repository:local:shop" in answer.err


def test_a_recall_as_json_has_every_part_of_a_packet(learned):
    packet = learned.run("--json", *QUESTION, "--budget", "400").json
    first = packet["evidence"][0]
    assert set(packet) >= PACKET
    assert set(first) >= EVIDENCE
    assert set(first["relevance"]) >= {"value", "meaning", "components"}
    assert set(first["citations"][0]) >= {"uri", "span", "quote", "reading"}
    assert packet["budget"]["used"] <= packet["budget"]["limit"] == 400


def test_json_may_stand_before_or_after_the_command(learned):
    before = learned.run("--json", *QUESTION, "--log", "off").json
    after = learned.run(*QUESTION, "--log", "off", "--json").json
    assert [e["id"] for e in before["evidence"]] == [e["id"] for e in after["evidence"]]


def test_the_text_of_a_recall_is_the_packet_and_nothing_else(learned):
    text = learned.run(*QUESTION, "--at", "2026-12-24T12:00:00Z", "--log", "off")
    packet = learned.run(*QUESTION, "--at", "2026-12-24T12:00:00Z", "--log", "off", "--json").json
    assert text.out == packet["text"]


def test_an_answer_that_is_not_there_is_an_answer(learned):
    nothing = learned.run("recall", "capital of France", "--use", "answer_questions", "--json")
    assert (nothing.code, nothing.json["outcome"]) == (0, "no_support")


@pytest.mark.req("B-SIX")
def test_show_answers_the_six_questions(learned):
    claim = learned.run("--json", *QUESTION).json["evidence"][0]["id"]
    shown = learned.run("show", claim)
    questions = [q["question"] for q in learned.run("show", claim, "--json").json["questions"]]
    assert len(questions) == 6
    assert all(question in shown.out for question in questions)


def test_why_knows_claims_diffs_and_retrievals(learned):
    packet = learned.run("--json", *QUESTION).json
    claim = packet["evidence"][0]["id"]
    about_claim = learned.run("why", claim, "--json").json["why"]
    diff = about_claim["decisions"][0]["diff"]
    assert about_claim["decisions"][0]["decision"]["by"] == "user:ada"
    assert learned.run("why", diff, "--json").json["why"]["states"]["change_01"] == "accepted"
    retrieval = learned.run("why", packet["retrieval_id"], "--json").json["why"]
    assert claim in {one["id"] for one in retrieval["candidates"]}


@pytest.mark.parametrize("command", ["history", "show", "why"])
def test_what_is_absent_has_one_answer(learned, command):
    assert learned.run(command, "mem_01kx0sjsg0e008000000000000").code == 3


def test_an_edit_of_the_repository_is_proposed_as_exactly_that(learned):
    file = learned.repository / "pyproject.toml"
    file.write_text(file.read_text("utf-8").replace("3.11", "3.12"), "utf-8")
    changes = learned.run("learn", "--json").json["proposed"]["changes"]
    assert [change["operation"] for change in changes] == ["supersede"]
    inbox = learned.run("inbox")
    assert "supersede" in inbox.out and "safe" in inbox.out
    learned.signed("review", "--accept", "safe")
    versions = learned.run("history", changes[0]["item"]["id"], "--json").json["versions"]
    said = [one["claim"]["claim"].rpartition(">=")[2] for one in versions]
    assert said == sorted(said)
    assert (said[0], said[-1]) == ("3.11.", "3.12.")


def test_conflicting_claims_are_both_kept_and_listed(machine):
    fact = {"subject": "shop", "predicate": "uses_package_manager"}
    machine.propose(add("The shop uses npm.", facts=[{**fact, "object": "npm"}]))
    machine.run("policy")
    machine.signed("policy", "own", "--may-review-own", "user:ada", "--yes")
    machine.signed("review", "--accept", "all")
    machine.propose(add("The shop uses yarn.", facts=[{**fact, "object": "yarn"}]))
    assert "contradiction" in machine.run("inbox").out
    machine.signed("review", "--accept", "all")
    listed = machine.run("conflicts")
    assert "npm" in listed.out and "yarn" in listed.out


def test_a_head_that_was_kept_shows_another_ledger(learned):
    kept = learned.head()
    assert learned.run("verify", "--head", kept).code == 0
    learned.run("remember", "The shop ships on Fridays.")
    assert learned.run("verify", "--head", kept).code == 0
    assert learned.run("verify", "--head", "0" * 63 + "1").code == 1


def test_doctor_accounts_for_every_acceptance(learned):
    found = learned.run("doctor", "--rebuild-index", "--json")
    assert found.code == 0
    assert set(found.json["diagnosis"]["acceptances"]) == {"signed"}
    assert found.json["diagnosis"]["unaccounted"] == []


def test_an_erased_claim_is_gone_and_the_ledger_sound(learned):
    claim = learned.run("--json", *QUESTION).json["evidence"][0]["id"]
    assert learned.run("erase", claim).code == 6
    erased = learned.signed("erase", claim, "--yes", "--json").json
    assert (erased["claim"], erased["contents"] > 0) == (claim, True)
    assert (learned.run("show", claim).code, learned.run("verify").code) == (3, 0)


@pytest.mark.req("E-TOMBSTONE")
def test_a_rejected_value_stays_out_until_its_tombstone_is_lifted(machine):
    machine.signed("policy", "own", "--may-review-own", "user:ada", "--yes")
    machine.run("remember", "The shop ships on Sundays.")
    assert machine.signed("review", "--reject", "change_01").code == 2
    machine.signed("review", "--reject", "change_01", "--reason", "closed on Sundays")
    again = machine.run("remember", "the shop SHIPS on sundays.", "--json")
    assert again.error_codes == ["tombstoned"]
    stone = again.json["error"]["findings"][0]["fix"].rpartition(" ")[2].strip("`")
    assert machine.signed("review", "--lift", stone, "--reason", "they open now").code == 0
    assert machine.run("remember", "The shop ships on Sundays.").code == 0


def test_an_edit_by_options_is_a_proposal_of_its_own(machine):
    machine.run("learn")
    change = machine.run("inbox", "--json").json["inbox"][0]["changes"][0]
    done = machine.signed(
        "review", "--edit", change["id"], "--set", "claim=It is better said so.",
        "--set", 'validity.conditions:=["branch:next"]', "--reason", "clearer", "--json",
    )  # fmt: skip
    edited = done.json["edited"][0]["changes"][0]["item"]
    assert edited["claim"] == "It is better said so."
    assert edited["validity"]["conditions"] == ["branch:next"]


def test_a_policy_of_a_protected_ref_accepts_by_itself(fresh):
    import subprocess

    for command in (["init", "-qb", "main"], ["add", "-A"], ["commit", "-qm", "x"]):
        subprocess.run(["git", *command], cwd=fresh.repository, check=True, capture_output=True)
    setup = fresh.signed("init", "--user", "ada", "--yes", "--protected-ref", "main")
    assert "accepts by itself" in setup.err
    learned = fresh.run("learn", "--json").json
    assert learned["policy"]["name"] == "manifests-local-shop"
    assert len(learned["policy"]["accepted"]) >= 2
    assert learned["policy"]["left"]
    assert fresh.run("doctor", "--json").json["diagnosis"]["acceptances"]["derived"] >= 2


def test_a_diff_comes_from_yaml_on_stdin(machine, tmp_path):
    file = tmp_path / "diff.yaml"
    file.write_text(
        "trigger: {kind: x, state: observed}\nchanges:\n- " + json.dumps(add()), "utf-8"
    )
    with file.open() as stream:
        done = machine.process("propose", "-", "--json", stdin=stream)
    assert (done.code, len(done.json["changes"])) == (0, 1), done.err


def test_a_kept_source_and_a_passage_are_shown_with_what_stands_around(machine, tmp_path):
    talk = tmp_path / "talk.jsonl"
    said = ("We ship on Fridays.", "And on Mondays?", "Never.")
    talk.write_text("\n".join(json.dumps({"speaker": "Ada", "text": one}) for one in said))
    source = machine.run("learn", str(talk), "--json").json["source"]
    shown = machine.run("show", source)
    assert all(one in shown.out for one in said)
    assert "unreviewed" in shown.out
