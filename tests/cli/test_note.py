"""`muniment note`: the same notes on the command line, in a process of its own each time."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from muniment.cli.catalog import GROUPS

TASK = ("--scope", "task:release")
REPO = "repository:local:shop"


@pytest.mark.parametrize("name", GROUPS["note"])
def test_every_command_of_the_group_has_help_with_an_example_and_json(fresh, name):
    ran = fresh.run("note", name, "--help")
    assert (ran.code, "Example: `muniment note" in ran.out, "--json" in ran.out) == (0, True, True)


@pytest.mark.req("A-WORKING", "A-SHORT")
def test_a_note_is_written_listed_read_and_ended(machine):
    ran = machine.run("note", "put", "order", "Tag before\npublishing.", "--for", "2h", *TASK)
    assert ran.code == 0
    assert ran.out.startswith("noted order  working, in task:release until ")
    listed = machine.run("note", "list", "publishing", *TASK)
    assert listed.out.split()[:2] == ["task:release", "order"]
    assert "Tag before⏎publishing." in listed.out
    assert machine.run("note", "get", "order", *TASK).out == "Tag before\npublishing.\n"
    again = machine.run("note", "put", "order", "Anew.", "--for", "2h", *TASK)
    assert again.out.startswith("rewrote order")
    assert (
        machine.run("note", "end", "--all", *TASK).out
        == "ended 1 in task:release; on disk: complete\n"
    )
    assert machine.run("note", "list", *TASK).out == "no note of yours is in these scopes\n"
    assert machine.run("note", "get", "order", *TASK).code == 3


def test_json_has_every_key_and_says_who_acted(machine):
    put = machine.run(
        "--json", "note", "put", "order", "Tag it.", "--until", "2999-01-01T00:00:00Z", *TASK
    )
    assert put.error_codes == ["note_lasts_too_long"]
    put = machine.run("note", "--json", "put", "order", "", "--for", "30m", *TASK)
    assert put.json["acting"]["principal"] == "user:ada"
    (note,) = machine.run("note", "list", "--json", *TASK).json["notes"]
    assert put.json["note"] == note
    assert sorted(note) == sorted(
        "id scope key text memory_type created_at updated_at expires_at".split()
    )
    assert machine.run("note", "get", "order", "--json", *TASK).json["note"] == note
    ended = machine.run("note", "end", "order", "--json", *TASK).json
    assert (ended["notes"], ended["disk"], ended["scope"]) == (1, "complete", "task:release")


@pytest.mark.req("A-SHORT")
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("put", "order", "x"), "note_without_end"),
        (("put", "order", "x", "--for", "2 fortnights"), "bad_duration"),
        (("put", "order", "x", "--for", "2h", "--until", "2026-01-01T00:00:00Z"), "two_ends"),
        (("end",), "no_note_named"),
        (("end", "order", "--all"), "no_note_named"),
    ],
)
def test_what_is_missing_is_named_and_nothing_is_written(machine, arguments, code):
    ran = machine.run("note", *arguments, "--json", *TASK)
    assert (ran.code, ran.error_codes) == (2, [code])
    assert machine.run("note", "list", "--json", *TASK).json["notes"] == []
    assert not machine.place.joinpath("memory.db.notes").exists()


@pytest.mark.req("E-NOSCOPE")
def test_without_a_turn_task_or_conversation_there_is_nowhere_to_note(machine):
    assert machine.run("note", "list", "--json").error_codes == ["no_scope"]


def test_the_group_alone_and_an_unknown_command_of_it_say_what_there_is(machine):
    assert "propose" in machine.run("note", "--help").out
    ran = machine.run("note", "keep", "--json")
    assert (ran.code, ran.error_codes) == (64, ["usage"])


@pytest.mark.req("A-WORKING")
def test_another_principal_sees_nothing(machine):
    machine.run("note", "put", "order", "Tag it.", "--for", "2h", *TASK, "--as", "agent:codex")
    assert machine.run("note", "list", "--json", *TASK).json["notes"] == []
    assert machine.run("note", "get", "order", *TASK).code == 3
    assert (
        len(machine.run("note", "list", "--json", *TASK, "--as", "agent:codex").json["notes"]) == 1
    )


def test_a_text_comes_from_the_standard_input(machine):
    ran = machine.process(
        "note", "put", "order", "-", "--for", "2h", *TASK, stdin=None, input="From a pipe.\n"
    )
    assert ran.code == 0
    assert machine.process("note", "get", "order", *TASK).out == "From a pipe.\n\n"


def test_hostile_text_is_spelled_out(machine):
    machine.run(
        "note", "put", "o\u202e", "Use \u202eevil\u202c [bold]x[/bold]", "--for", "2h", *TASK
    )
    for ran in (machine.run("note", "list", *TASK), machine.run("note", "get", "o\u202e", *TASK)):
        assert not {"\u202e", "\u202c"} & set(ran.out + ran.err)
        assert "⟨U+202E⟩evil" in ran.out


@pytest.mark.req("A-WORKING")
def test_what_a_note_says_is_proposed_reviewed_and_recalled(machine):
    machine.run(
        "note",
        "put",
        "order",
        "The shop is tagged before publishing.",
        "--for",
        "2h",
        *TASK,
        "--as",
        "agent:codex",
    )
    propose = (
        "note",
        "propose",
        "order",
        *TASK,
        "--as",
        "agent:codex",
        "--use",
        "answer_questions",
    )
    first = machine.run(*propose)
    assert "1 proposed, waiting for review" in first.out
    again = machine.run(*propose)
    assert again.out == "waits already: The shop is tagged before publishing.\n"
    (waiting,) = machine.run("inbox", "--json").json["inbox"]
    (change,) = waiting["changes"]
    assert change["item"]["scope"] == {"kind": "repository", "id": "local:shop"}
    assert change["item"]["source"]["kind"] == "note"
    assert machine.signed("review", "--accept", "all").code == 0
    asked = ("recall", "When is the shop tagged?", "--use", "answer_questions", "--json")
    (item,) = machine.run(*asked).json["evidence"]
    known = machine.run(*propose, "--json").json
    assert known["known"] == {"The shop is tagged before publishing.": item["id"]}
    assert (known["proposed"], known["waiting"]) == (None, [])


def test_lines_of_a_note_are_proposed_one_by_one(machine):
    text = "# Release\n\n- Tag before publishing.\n- Sign the tag.\n"
    machine.run("note", "put", "order", text, "--for", "2h", *TASK)
    options = ("--lines", "--use", "answer_questions", "--claim-scope", REPO, "--json", *TASK)
    ran = machine.run("note", "propose", "order", *options)
    said = [change["item"]["claim"] for change in ran.json["proposed"]["changes"]]
    assert said == ["Tag before publishing.", "Sign the tag."]
    machine.run("note", "put", "order", "Now:\n- Sign the tag.\n- Push it.", "--for", "2h", *TASK)
    after = machine.run("note", "propose", "order", *options).json
    assert (after["withdrawn"], after["waiting"]) == (1, ["Sign the tag."])
    assert [change["item"]["claim"] for change in after["proposed"]["changes"]] == [
        "Now:",
        "Push it.",
    ]


def test_a_note_s_command_loads_no_more_than_it_needs(machine):
    code = (
        "import sys, muniment.cli as c; c.main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "note", "list", "--json", *TASK],
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout)["notes"] == []
    assert not {"numpy", "cryptography", "yaml"} & set(done.stderr.split())
