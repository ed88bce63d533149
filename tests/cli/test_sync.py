"""`muniment sync`: what it says, its exit codes, and that nobody loses a word."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def kept(learned):
    """A machine with accepted claims, and the folder that they were synced into."""
    learned.signed("review", "--accept", "all")
    folder = learned.repository / "memory"
    ran = learned.run("sync", str(folder), "--json")
    assert (ran.code, len(ran.json["written"]) > 3) == (0, True)
    return learned, folder


def edited(folder, before, after):
    (path,) = [p for p in folder.rglob("*.md") if before in p.read_text()]
    path.write_text(path.read_text().replace(before, after))
    return path


def test_a_second_sync_says_that_nothing_changed(kept):
    machine, folder = kept
    ran = machine.run("sync", str(folder))
    assert ran.code == 0
    assert "concepts agree" in ran.out
    assert "nothing changed" in ran.err


def test_an_edit_is_proposed_waits_and_is_agreed_once_it_is_accepted(kept):
    machine, folder = kept
    edited(folder, "Use `pnpm` for the web part.", "Use `npm` for the web part.")
    dry = machine.run("sync", str(folder), "--dry-run")
    assert (dry.code, "1  would be proposed" in dry.out) == (6, True)
    ran = machine.run("sync", str(folder))
    assert (ran.code, "edited  " in ran.out, "Use `npm`" in ran.out) == (6, True, True)
    assert "next: muniment review, then this again" in ran.err
    again = machine.run("sync", str(folder), "--json")
    assert (again.code, again.json["proposed"], len(again.json["waiting"])) == (6, [], 1)
    (waiting,) = again.json["waiting"]
    done = machine.signed("review", waiting["diff"], "--accept", "change_001")
    assert done.code == 0, done.err
    machine.run("sync", str(folder))
    assert machine.run("sync", str(folder)).code == 0


def test_a_conflict_shows_both_sides_and_how_to_go_on(kept):
    machine, folder = kept
    path = edited(folder, "Use `pnpm` for the web part.", "Use `npm` for the web part.")
    shown = machine.run(
        "recall", "which tool for the web part?", "--use", "answer_questions", "--json"
    )
    (target,) = [e["id"] for e in shown.json["evidence"] if "pnpm" in e["claim"]]
    change = {
        "operation": "supersede",
        "target_id": target,
        "reason": "it moved",
        "item": {**machine_item(machine, target), "claim": "Use `bun` for the web part."},
    }
    diff = {"trigger": {"kind": "statement", "state": "observed"}, "changes": [change]}
    (machine.place / "diff.json").write_text(json.dumps(diff))
    proposed = machine.run(
        "propose", str(machine.place / "diff.json"), "--json", "--as", "agent:codex"
    )
    assert proposed.code == 0, proposed.out
    done = machine.signed("review", proposed.json["diff"], "--accept", "change_01")
    assert done.code == 0, done.err
    before = path.read_bytes()
    ran = machine.run("sync", str(folder))
    assert ran.code == 6
    assert "was changed in both" in ran.out
    assert "the file:  Use `npm` for the web part." in ran.out
    assert "the claim: Use `bun` for the web part." in ran.out
    assert path.read_bytes() == before
    name = path.relative_to(folder).as_posix()
    assert f"--ours {name}" in ran.err
    assert machine.run("sync", str(folder), "--ours", name).code == 0
    assert "Use `bun`" in path.read_text()


def machine_item(machine, target):
    """A claim as it would be proposed anew."""
    whole = machine.run("show", target, "--json").json["claim"]
    kept = ("scope", "source", "visibility", "type", "allowed_uses", "prohibited_uses")
    item = {name: whole[name] for name in kept if name in whole}
    return {**item, "review": {"status": "proposed"}, "freshness": {"status": "unknown"}}


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(("Makefile",), "no_folder"), (("memory", "--ours", "x.md"), "sync_no_conflict")],
)
def test_what_cannot_be_done_is_refused_and_nothing_written(kept, arguments, code):
    machine, _ = kept
    head = machine.head()
    ran = machine.run("sync", *arguments, "--json")
    assert (ran.code, ran.error_codes) == (2, [code])
    assert machine.head() == head
