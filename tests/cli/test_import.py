"""`muniment import`: what it says, what it writes, and how it refuses."""

from __future__ import annotations

import json

import pytest

MEMORIES = [
    {"id": "m-1", "memory": "Sacks are weighed twice"},
    {"id": "m-2", "memory": "The gate sticks in winter"},
]


@pytest.fixture
def export(machine):
    path = machine.place / "mem0.json"
    path.write_text(json.dumps(MEMORIES), "utf-8")
    return str(path)


def test_the_summary_says_how_many_are_usable_and_what_comes_next(machine, export):
    ran = machine.run("import", export)
    assert ran.code == 0
    assert "2 proposed into repository:local:shop, 0 usable until they are reviewed" in ran.out
    assert "visible to: user-private (user:ada)" in ran.err
    assert "next: muniment review mdiff_" in ran.err


def test_a_dry_run_writes_nothing_and_names_the_same(machine, export):
    head = machine.head()
    ran = machine.run("import", export, "--dry-run")
    assert "2 would be proposed" in ran.out
    assert "Sacks are weighed twice" in ran.out
    assert machine.head() == head


def test_what_was_imported_and_accepted_is_recalled_by_who_imported_it(machine, export):
    machine.run("import", export)
    machine.signed("review", "--accept", "all")
    ran = machine.run(
        "recall", "how often are sacks weighed?", "--use", "answer_questions", "--json"
    )
    assert [e["claim"] for e in ran.json["evidence"]][:1] == ["Sacks are weighed twice"]


@pytest.mark.req("E-IDEMPOTENT")
def test_a_second_import_proposes_nothing(machine, export):
    machine.run("import", export)
    again = machine.run("import", export, "--json")
    assert (again.json["proposed"], again.json["files"][0]["waiting"]) == (0, 2)


def test_json_says_what_each_file_came_to(machine, export):
    ran = machine.run("import", export, "--json")
    (file,) = ran.json["files"]
    assert (file["format"], file["records"], file["proposed"], ran.json["usable"]) == (
        "mem0",
        2,
        2,
        0,
    )
    assert ran.json["diffs"][0]["changes"] == 2


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("no-such-file.json",), "no_file"),
        (("Makefile", "--format", "mem"), "unknown_format"),
        (("Makefile",), "unknown_format"),
    ],
)
def test_what_cannot_be_read_is_refused_and_nothing_written(machine, arguments, code):
    head = machine.head()
    ran = machine.run("import", *arguments, "--json")
    assert (ran.code, ran.error_codes) == (2, [code])
    assert machine.head() == head


def test_who_may_see_it_can_be_said(machine, export):
    ran = machine.run("import", export, "--visibility", "team-private=group:ada", "--json")
    assert ran.json["visibility"] == [
        {"level": "team-private", "allowed_principals": ["group:ada"]}
    ]


def test_an_export_goes_to_stdout_and_nothing_else_does(machine, export):
    machine.run("import", export, "--visibility", "team-private=group:ada")
    machine.signed("review", "--accept", "all")
    ran = machine.run("export", "--format", "mem0")
    said = {one["memory"] for one in json.loads(ran.out)["results"]}
    assert said == {one["memory"] for one in MEMORIES}


def test_a_block_is_kept_in_a_file_of_ones_own(machine, export):
    machine.run("import", export, "--visibility", "team-private=group:ada")
    machine.signed("review", "--accept", "all")
    before = (machine.repository / "AGENTS.md").read_bytes()
    ran = machine.run("export", "--format", "block", "--out", "AGENTS.md")
    after = (machine.repository / "AGENTS.md").read_bytes()
    assert "2 claims, written" in ran.out
    assert after.startswith(before)
    assert b"- Sacks are weighed twice (mem_" in after
    assert "is as it was" in machine.run("export", "--format", "block", "--out", "AGENTS.md").out


def test_messages_of_an_export_can_be_learned(machine):
    chat = {
        "uuid": "s-1",
        "text": "The mill closes at four",
        "sender": "human",
        "created_at": "2026-05-01T09:00:01Z",
    }
    path = machine.place / "conversations.json"
    path.write_text(json.dumps([{"uuid": "t-1", "name": "", "chat_messages": [chat]}]), "utf-8")
    target = machine.place / "chat.jsonl"
    dry = machine.run("import", str(path), "--messages", str(target), "--dry-run")
    assert (dry.code, target.exists()) == (0, False)
    ran = machine.run("import", str(path), "--messages", str(target))
    assert f"next: muniment learn {target}" in ran.err
    (line,) = map(json.loads, target.read_text("utf-8").splitlines())
    assert (line["text"], line["conversation_id"], line["role"]) == (
        "The mill closes at four",
        "t-1",
        "human",
    )
    learned = machine.run("learn", str(target), "--json")
    assert (learned.code, learned.json["kept"]) == (0, 1)


def test_files_of_a_folder_that_are_none_of_ours_are_counted_in_one_line(machine, export):
    folder = machine.place / "mixed"
    folder.mkdir()
    (folder / "mem0.json").write_text(json.dumps(MEMORIES), "utf-8")
    for n in range(5):
        (folder / f"{n}.bin").write_bytes(bytes([0, n]))
    ran = machine.run("import", str(folder), "--dry-run")
    assert "5  files of no format that is known were passed over" in ran.out
    assert "2 would be proposed" in ran.out
    assert ".bin" not in ran.out + ran.err
