"""Approval is outside an agent's reach on the command line."""

from __future__ import annotations

from itertools import chain

import pytest

from muniment.cli.catalog import COMMANDS
from muniment.cli.run import application

SIGNED = (
    ("review", "--accept", "all"),
    ("review", "--reject", "all", "--reason", "x"),
    ("review", "--needs-review", "all"),
    ("review", "--lift", "a" * 12, "--reason", "x"),
    ("principal", "agent:other", "--yes"),
    ("group", "group:ada", "agent:codex", "--yes"),
    ("role", "agent:codex", "reviewer", "operator", "--yes"),
    ("policy", "own", "--may-review-own", "agent:codex", "--yes"),
)


@pytest.mark.req("E-APPROVER")
@pytest.mark.parametrize("arguments", SIGNED, ids=" ".join)
@pytest.mark.parametrize("who", ["agent:codex", "process:learn", "service:ci"])
def test_nobody_but_a_person_signs_even_with_the_passphrase(machine, who, arguments):
    machine.run("learn")
    before = machine.head()
    ran = machine.signed(*arguments, "--as", who, "--json")
    assert (ran.code, ran.json["error"]["code"]) == (4, "not_permitted")
    assert machine.head() == before


@pytest.mark.req("E-APPROVER")
def test_an_agent_cannot_erase(learned):
    claim = learned.run("recall", "tests", "--json").json["evidence"][0]["id"]
    assert learned.signed("erase", claim, "--yes", "--as", "agent:codex").code == 4
    assert learned.run("show", claim).code == 0


@pytest.mark.req("E-APPROVER")
def test_an_agent_cannot_set_up_memory_of_its_own(fresh):
    assert fresh.signed("init", "--as", "agent:codex", "--yes").code == 4
    assert not fresh.store.exists()


@pytest.mark.req("E-APPROVER")
def test_another_person_cannot_use_the_credential(machine):
    machine.run("learn")
    machine.signed("group", "group:ada", "user:ada", "user:eve", "process:learn", "--yes")
    machine.signed("role", "user:eve", "reviewer", "--yes")
    ran = machine.signed("review", "--accept", "all", "--as", "user:eve", "--json")
    assert (ran.code, "belongs to `user:ada`" in ran.json["error"]["message"]) == (4, True)


@pytest.mark.req("E-APPROVER")
def test_nobody_accepts_what_they_proposed_themselves_without_a_policy(machine):
    machine.run("remember", "The shop ships on Fridays.")
    assert machine.signed("review", "--accept", "all", "--json").error_codes == ["own_proposal"]
    machine.signed("policy", "own", "--may-review-own", "user:ada", "--yes")
    assert machine.signed("review", "--accept", "all").code == 0


@pytest.mark.req("E-APPROVER")
def test_a_policy_that_was_withdrawn_lets_nothing_through(machine):
    machine.signed("policy", "own", "--may-review-own", "user:ada", "--yes")
    machine.signed("policy", "own", "--withdraw", "--yes")
    machine.run("remember", "The shop ships on Fridays.")
    assert machine.signed("review", "--accept", "all").code == 2
    assert "withdrawn" in machine.run("policy").out


@pytest.mark.req("E-APPROVER")
def test_no_command_takes_a_passphrase_as_argument_or_from_the_environment(machine, monkeypatch):
    app = application([name for name, _, _ in COMMANDS])
    import typer.main

    outer = typer.main.get_command(app).commands.values()
    commands = [*outer, *chain.from_iterable(getattr(c, "commands", {}).values() for c in outer)]
    parameters = list(chain.from_iterable(command.params for command in commands))
    options = {option for parameter in parameters for option in parameter.opts}
    assert {o for o in options if "passphrase" in o} == {"--passphrase-fd", "--passphrase-file"}
    assert {parameter.envvar for parameter in parameters} == {None}
    machine.run("learn")
    for name in ("MUNIMENT_PASSPHRASE", "PASSPHRASE", "MUNIMENT_PASSPHRASE_FILE"):
        monkeypatch.setenv(name, str(machine.words))
    assert machine.run("review", "--accept", "all", "--json").json["error"]["code"] == "waiting"


def test_credential_and_profile_are_for_their_owner_alone(machine):
    config = machine.place / "config"
    modes = {
        p.name: p.stat().st_mode & 0o077
        for p in (config / "profile.toml", config / "credentials" / "ada.json")
    }
    assert set(modes.values()) == {0}
    assert machine.store.stat().st_mode & 0o077 == 0


def test_the_passphrase_stands_in_no_file_that_is_left(learned):
    files = [p for p in learned.place.rglob("*") if p.is_file() and p != learned.words]
    assert not [p for p in files if b"correct horse battery" in p.read_bytes()]


def test_init_shows_everything_and_does_nothing_without_a_yes(fresh):
    ran = fresh.run("init", "--user", "ada", "--agent", "codex", "--review-own")
    assert ran.code == 6
    declared = "user:ada agent:codex group:ada repository:local:shop reviewer own-local-shop"
    for shown in (*declared.split(), "team-private", "answer_questions"):
        assert shown in ran.err
    assert not fresh.store.exists()
    assert not (fresh.place / "config").exists()


def test_init_in_a_further_repository_adds_it(machine, tmp_path, monkeypatch):
    other = tmp_path / "other"
    other.mkdir()
    monkeypatch.chdir(other)
    assert machine.run("init", "--yes").code == 0
    assert machine.run("inbox", "--json").json["acting"]["scopes"] == ["repository:local:other"]
    monkeypatch.chdir(machine.repository)
    assert machine.run("inbox", "--json").json["acting"]["scopes"] == ["repository:local:shop"]


def test_init_again_changes_nothing(machine):
    before = machine.head()
    ran = machine.run("init", "--json")
    assert (ran.code, ran.json["changed"], machine.head()) == (0, False, before)


def test_init_gives_a_known_store_no_second_reviewer(machine, monkeypatch):
    monkeypatch.setenv("MUNIMENT_CONFIG", str(machine.place / "elsewhere"))
    ran = machine.signed("init", "--user", "eve", "--yes", "--json")
    assert ran.error_codes == ["reviewers_known"]
    assert not (machine.place / "elsewhere" / "profile.toml").exists()


def test_init_that_fails_half_way_can_be_run_again(fresh, monkeypatch):
    with monkeypatch.context() as broken:
        broken.setattr("muniment.memory.Memory.declare", lambda *a, **k: 1 / 0)
        assert fresh.signed("init", "--user", "ada", "--yes").code == 70
    assert fresh.signed("init", "--user", "ada", "--yes").code == 0


def test_a_passphrase_that_is_too_short_leaves_nothing(fresh):
    fresh.words.write_text("short\n", "utf-8")
    ran = fresh.signed("init", "--user", "ada", "--yes", "--json")
    assert ran.error_codes == ["passphrase_too_short"]
    assert not (fresh.place / "config" / "profile.toml").exists()


def test_another_agent_is_added_with_the_credential(machine):
    ran = machine.signed("init", "--agent", "claude", "--yes")
    assert (ran.code, "agent:claude" in machine.run("group").out) == (0, True), ran.err
    assert "agent:codex" in machine.run("group").out
