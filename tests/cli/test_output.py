"""What every command has in common: help with an example, JSON, colours, who acted, quiet pipes, no load."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from muniment.cli.catalog import COMMANDS
from tests.cli.conftest import add

NAMES = [name for name, _, _ in COMMANDS]
CAPTURED = {"capture_output": True, "text": True}
HIDDEN = set("\x1b\x07\x9b\u202e\u2066\u200b\u202c")
READING = ("inbox", "verify", "doctor", "conflicts", "principal", "group", "role", "policy")


@pytest.mark.parametrize("name", NAMES)
def test_every_command_has_help_with_an_example_and_json(fresh, name):
    ran = fresh.run(name, "--help")
    assert ran.code == 0
    assert "Example: `muniment" in ran.out
    assert "--json" in ran.out


def test_help_names_every_command(fresh):
    assert all(f"  {name} " in fresh.run("--help").out for name in NAMES)
    assert fresh.run().out == fresh.run("--help").out


@pytest.mark.parametrize("command", READING)
def test_every_listing_is_json_that_says_who_acted(learned, command):
    ran = learned.run(command, "--json")
    assert (ran.code, ran.json["acting"]["principal"]) == (0, "user:ada")
    assert ran.json["acting"]["scopes"] == ["repository:local:shop"]
    assert ran.json["acting"]["declared"].endswith("profile.toml")


@pytest.mark.req("E-NOSCOPE")
@pytest.mark.parametrize("command", READING)
def test_every_listing_says_on_stderr_who_acted(learned, command):
    said = learned.run(command)
    assert "acting as user:ada in repository:local:shop (profile " in said.err
    assert "acting as" not in said.out


def test_options_on_the_command_line_are_said_to_be_in_force(learned):
    ran = learned.run("--as", "agent:codex", "recall", "tests", "--scope", "repository:local:shop")
    assert "acting as agent:codex" in ran.err
    assert "options --as --scope" in ran.err


@pytest.mark.parametrize("command", ["inbox", "show", "why", "history", "recall"])
def test_hostile_claims_are_spelled_out_everywhere(machine, command):
    hostile = "Use \u202eevil\u202c \u200b[bold]x[/bold] \u2066now."
    machine.signed("policy", "own", "--may-review-own", "user:ada", "--yes")
    machine.propose(add(hostile, title="\u202etitle"))
    if command == "inbox":
        ran = machine.run("inbox")
    else:
        machine.signed("review", "--accept", "all")
        packet = machine.run("recall", "evil now", "--use", "answer_questions", "--json").json
        what = packet["evidence"][0]["id"]
        ran = machine.run(command, "evil now" if command == "recall" else what)
    assert not HIDDEN & set(ran.out + ran.err)
    assert "⟨U+202E⟩" in ran.out


def test_json_holds_hidden_characters_as_escapes_only(machine):
    machine.propose(add("Use \u202eevil\u202c."))
    ran = machine.run("inbox", "--json")
    assert ran.out.isascii()
    assert "\u202eevil" in json.dumps(ran.json, ensure_ascii=False)


def test_an_error_spells_out_what_was_typed(machine):
    ran = machine.run("show", "\x1b[2J\u202e")
    assert (ran.code, HIDDEN & set(ran.err)) == (3, set())


def test_nothing_is_coloured_where_there_is_no_terminal(learned):
    for command in READING:
        ran = learned.run(command)
        assert "\x1b" not in ran.out + ran.err


def test_a_pipe_that_breaks_is_quiet(learned):
    command = (
        f"{sys.executable} -m muniment ontology | head -c 1 >/dev/null; echo ${{PIPESTATUS[0]}}"
    )
    ran = subprocess.run(["bash", "-c", command], check=False, **CAPTURED, cwd=learned.repository)
    assert ran.stderr == ""
    assert ran.stdout.strip() in ("0", "141")


def test_a_packet_that_nobody_reads_is_quiet(learned):
    command = f"{sys.executable} -m muniment inbox --json >&- 2>&1; true"
    ran = subprocess.run(["bash", "-c", command], check=False, **CAPTURED, cwd=learned.repository)
    assert "Traceback" not in ran.stderr


@pytest.mark.req("A-FLOWHASH")
def test_the_ontology_and_its_hash_are_shown(fresh):
    shown = fresh.run("ontology", "hash").out.strip()
    whole = fresh.run("ontology", "--json").json
    assert whole["hash"] == shown
    assert {"memory_type", "use", "relation", "distinction"} <= set(whole["ontology"])
    assert "semantic" in fresh.run("ontology", "memory_type").out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_a_script_that_asks_us(fresh, shell):
    assert "_MUNIMENT_COMPLETE" in fresh.run("completion", shell).out


def test_completion_answers_with_commands(fresh):
    environment = {
        "_MUNIMENT_COMPLETE": "complete_bash",
        "COMP_WORDS": "muniment re",
        "COMP_CWORD": "1",
    }
    ran = subprocess.run(
        [sys.executable, "-m", "muniment"], env={**__import__("os").environ, **environment},
        check=False, **CAPTURED,
    )  # fmt: skip
    assert {"recall", "review", "remember"} <= set(ran.stdout.split())


def test_the_version_is_printed(fresh):
    import muniment

    for arguments in (["version"], ["--version"]):
        assert fresh.run(*arguments).out == f"muniment {muniment.__version__}\n"


def test_a_recall_loads_no_other_command_and_no_library_for_them(learned):
    code = (
        "import sys; from muniment.cli import main; main(['recall', 'tests']); "
        "print(*sys.modules, file=sys.stderr)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], check=False, **CAPTURED, cwd=learned.repository
    )
    loaded = set(ran.stderr.split())
    assert "muniment.cli.asking" in loaded
    heavy = {"typer", "click", "pydantic", "rich", "yaml", "cryptography"}
    assert not loaded & {*heavy, "muniment.cli.commands.init"}


def test_importing_the_command_line_loads_nothing():
    code = "import sys, muniment.cli; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    ).stdout.split()
    assert not set(loaded) & {"typer", "click", "rich", "muniment.core", "muniment.memory"}
