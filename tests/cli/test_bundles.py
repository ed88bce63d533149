"""`export --format mif`, `restore`, `mif` on the command line: codes, JSON, nothing written where they refuse."""

from __future__ import annotations

import json

import pytest

from tests.exchange.mif.samples import concept_text


@pytest.fixture
def reviewed(learned):
    """A machine with accepted claims."""
    done = learned.signed("review", "--accept", "all")
    assert done.code in (0, 6), done.err
    return learned


def test_a_store_is_exported_checked_and_restored_into_an_empty_one(reviewed, tmp_path):
    out = tmp_path / "bundle"
    ran = reviewed.run("export", str(out), "--format", "mif", "--json")
    assert ran.code == 0 and ran.json["claims"] > 3
    again = reviewed.run("export", str(out), "--format", "mif", "--json")
    assert again.json["changed"] == []
    report = reviewed.run("mif", "validate", str(out), "--json")
    assert (report.code, report.json["report"]["okf"], report.json["report"]["level"]) == (
        0,
        True,
        3,
    )
    there = reviewed.signed("restore", str(out), "--yes", "--json")
    assert (there.code, there.json["claims"], there.json["unchanged"]) == (
        0,
        [],
        there.json["unchanged"],
    )
    assert len(there.json["unchanged"]) == ran.json["claims"]


def test_an_export_with_history_comes_back_with_it_in_another_store(reviewed, tmp_path):
    out = tmp_path / "bundle"
    ran = reviewed.run("export", str(out), "--format", "mif", "--history", "--json")
    assert ".mif/muniment-history.jsonl" in ran.json["changed"]
    found = reviewed.run("recall", "tests", "--use", "prepare_context", "--json")
    id = found.json["evidence"][0]["id"]

    def asked():
        told = [reviewed.run(verb, id, "--json").json for verb in ("history", "why")]
        return told[0]["versions"], told[1]["why"]["decisions"]

    (old,), (decided,) = asked()
    reviewed.monkeypatch.setenv("MUNIMENT_CONFIG", str(tmp_path / "elsewhere"))
    reviewed.monkeypatch.setenv("MUNIMENT_STORE", str(tmp_path / "elsewhere.db"))
    assert reviewed.signed("init", "--user", "ada", "--agent", "codex", "--yes").code == 0
    done = reviewed.signed("restore", str(out), "--yes", "--json")
    assert (done.code, len(done.json["claims"])) == (0, ran.json["claims"])
    (new,), (told, here) = asked()
    digest = new["restored"]
    assert (new["claim"], new["recorded_at"]) == (old["claim"], old["recorded_at"])
    assert (told, old["restored"]) == ({**decided, "restored": digest}, None)
    assert here["reason"] == f"restored from export {digest}"
    assert f"restored from {digest[:15]}" in reviewed.run("history", id).out
    assert reviewed.run("doctor").code == 0


def test_restoring_asks_and_without_an_answer_nothing_is_done(reviewed, tmp_path):
    out = tmp_path / "bundle"
    reviewed.run("export", str(out), "--format", "mif")
    dry = reviewed.signed("restore", str(out), "--dry-run", "--json")
    assert dry.code == 0 and dry.json["dry_run"] is True


def test_an_agent_does_not_restore(reviewed, tmp_path):
    out = tmp_path / "bundle"
    reviewed.run("export", str(out), "--format", "mif")
    ran = reviewed.signed("restore", str(out), "--yes", "--as", "agent:codex", "--json")
    assert ran.code == 4


def test_a_bundle_of_others_is_no_restore(reviewed, tmp_path):
    (tmp_path / "a.md").write_text(concept_text("a"))
    ran = reviewed.signed("restore", str(tmp_path / "a.md"), "--yes", "--json")
    assert (ran.code, [f["code"] for f in ran.json["findings"]]) == (1, ["not_our_export"])


def test_a_bundle_needs_a_folder_and_a_changed_file_is_not_overwritten(reviewed, tmp_path):
    assert reviewed.run("export", "--format", "mif", "--json").error_codes == ["no_folder"]
    out = tmp_path / "bundle"
    reviewed.run("export", str(out), "--format", "mif")
    path = min((out / "semantic").iterdir())
    path.write_text(path.read_text() + "\nmine\n")
    (out / "index.md").write_text("mine")
    ran = reviewed.run("export", str(out), "--format", "mif", "--json")
    assert (ran.code, set(ran.error_codes)) == (2, {"file_in_the_way"})
    assert (out / "index.md").read_text() == "mine"


def test_validating_says_file_line_and_path(fresh, tmp_path):
    place = tmp_path / "bundle"
    place.mkdir()
    (place / "a.md").write_text(concept_text("a", "tags: [1]\n"))
    ran = fresh.run("mif", "validate", str(place))
    assert ran.code == 1
    assert "a.md:5:8 /tags/0: this is a number, where text is expected (type) [J]" in ran.err
    (issue,) = fresh.run("mif", "validate", str(place), "--json").json["report"]["issues"]
    assert (issue["file"], issue["line"], issue["path"], issue["area"]) == (
        "a.md",
        5,
        "/tags/0",
        "schema",
    )


def test_migrating_and_projecting_write_to_another_folder(fresh, tmp_path):
    old = tmp_path / "old"
    old.mkdir()
    (old / "a.memory.md").write_text(concept_text("a"))
    assert fresh.run("mif", "migrate", str(old)).code == 2
    assert fresh.run("mif", "migrate", str(old), "--to", str(old)).code == 2
    assert fresh.run("mif", "migrate", str(old), "--to", str(tmp_path / "new")).code == 0
    assert (
        fresh.run("mif", "project", str(tmp_path / "new"), "--to", str(tmp_path / "ld")).code == 0
    )
    assert json.loads((tmp_path / "ld" / "a.jsonld").read_text())["@type"] == "Concept"
    assert [p.name for p in old.iterdir()] == ["a.memory.md"]


@pytest.mark.parametrize("arguments", [("mif", "polish", "x"), ("mif", "validate"), ("restore",)])
def test_what_is_no_command_line_is_refused_without_a_traceback(fresh, arguments):
    ran = fresh.run(*arguments)
    assert ran.code in (2, 64) and "Traceback" not in ran.err


def test_a_path_at_which_nothing_stands_is_told(fresh):
    ran = fresh.run("mif", "validate", "/nowhere/at/all", "--json")
    assert (ran.code, ran.json["report"]["issues"][0]["code"]) == (1, "no_file")
