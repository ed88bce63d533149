"""Every foreign format: what is told of it, what its records say, and that nothing is added."""

from __future__ import annotations

import zipfile

import pytest

from muniment.core.claim import Fact
from muniment.core.errors import Finding, InvalidInput
from muniment.ports.importing import Candidate, Message, Skipped
from tests.exchange.foreign import SAMPLES, candidates, files_of, one_file, written

FORMATS = {
    "memory.jsonl": "mcp-memory",
    "memory-dialects.jsonl": "mcp-memory",
    "mem0.json": "mem0",
    "mem0-history.json": "mem0",
    "openmemory.json": "openmemory",
    "basic-memory.md": "basic-memory",
    "letta.af": "letta",
    "letta-encoded.af": "letta",
    "graphiti.json": "graphiti",
    "langgraph.jsonl": "langgraph",
    "mcp-memory-service.json": "mcp-memory-service",
    "chatgpt.json": "chatgpt",
    "chatgpt-saved.txt": "chatgpt",
    "claude-conversations.json": "claude-ai",
    "claude-memories.json": "claude-ai",
    "claude-code/memory/feedback_scales.md": "claude-code",
    "claude-code/memory/MEMORY.md": "claude-code",
    "codex/memories/MEMORY.md": "codex",
    "AGENTS.md": "agents",
    "rules/scales.mdc": "cursor",
    "rules/tests.instructions.md": "copilot",
    "obsidian.md": "obsidian",
    "okf.md": "okf",
    "own.jsonl": "jsonl",
    "mpf.json": "mpf",
    "shodh.json": "shodh",
    "github.json": "github",
    "docs/0003-use-oak.md": "decisions",
    "docs/0002-use-pine.md": "decisions",
    "docs/stop-the-wheel.md": "runbook",
}


@pytest.mark.parametrize("name", FORMATS)
def test_a_file_is_told_by_itself(name):
    file, _ = one_file(SAMPLES / name)
    assert (file.format, file.findings) == (FORMATS[name], ())


def test_every_sample_has_an_expectation():
    files = {path.relative_to(SAMPLES).as_posix() for path in SAMPLES.rglob("*") if path.is_file()}
    assert files == set(FORMATS)


@pytest.mark.req("E-RECEIPT")
@pytest.mark.parametrize("name", FORMATS)
def test_a_place_is_the_very_bytes_of_the_file(name):
    data = (SAMPLES / name).read_bytes()
    for one in candidates(name):
        place = one.place
        assert data[place.start : place.end].decode() == (place.quote if place.end else "")
        assert place.line == (data.count(b"\n", 0, place.start) + 1 if place.end else 0)


def claims(name, format=""):
    return [one.claim for one in candidates(name, format)]


def left_out(name):
    return [
        (one.what, one.reason) for one in one_file(SAMPLES / name)[1] if isinstance(one, Skipped)
    ]


def test_an_observation_is_a_claim_and_a_relation_is_a_fact():
    first, *_, relation = candidates("memory.jsonl")
    assert (first.claim, first.facts, first.record["entityType"]) == (
        "ledger-api: Runs on port 7070", (), "service",
    )  # fmt: skip
    assert relation.facts == (Fact("ledger-api", "operated_by", "night-shift"),)
    assert ("night-shift", "the entity has no observation") in left_out("memory.jsonl")


def test_two_values_of_one_key_are_two_facts_that_disagree():
    facts = [one.facts for one in candidates("memory.jsonl") if "Priority" in one.claim]
    assert facts == [
        (Fact("ledger-api", "priority", "medium"),),
        (Fact("ledger-api", "priority", "high"),),
    ]


def test_dialects_of_the_memory_server_are_read_and_a_cut_line_loses_nothing_before_it():
    held = one_file(SAMPLES / "memory-dialects.jsonl")[1]
    said = [one.claim for one in held if isinstance(one, Candidate)]
    assert said == ["bakery: Opens at six", "oven: Needs ten minutes", "bakery owns oven"]
    assert [one.code for one in held if isinstance(one, Finding)] == ["json_syntax"]


@pytest.mark.req("E-MISSING")
def test_a_memory_without_dates_has_none_and_an_end_is_taken_at_its_earliest():
    first, second, third = candidates("mem0.json")
    assert [(d.name, d.given) for d in first.dates] == [("created", "2026-02-03T08:15:00.5-08:00")]
    assert [(d.name, d.instant.isoformat()) for d in second.dates] == [
        ("expires", "2026-03-01T00:00:00+00:00")
    ]
    assert (first.content_kind, first.foreign, third.state) == (
        "preference",
        {"user_id": "u-3"},
        "superseded",
    )


def test_of_a_history_only_what_the_last_change_left_is_read():
    assert claims("mem0-history.json") == ["Has two cats"]
    assert ("m-8", "deleted at its source") in left_out("mem0-history.json")


def test_only_active_memories_are_alive_and_a_denial_is_kept():
    bees, goats, secrets = candidates("openmemory.json")
    assert (bees.state, bees.tags, goats.state) == ("", ("animals",), "archived")
    assert [one.code for one in secrets.doubts] == ["access_denied_at_source"]


def test_an_archive_gives_each_memory_once(tmp_path):
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(SAMPLES / "openmemory.json", "memories.json")
        archive.writestr("memories.jsonl.gz", b"")
    found = files_of(path)
    assert [(f.format, len([c for c in held if isinstance(c, Candidate)])) for f, held in found] == [
        ("openmemory", 3), ("", 0),
    ]  # fmt: skip


def test_observations_and_relations_of_a_note():
    assert claims("basic-memory.md") == [
        "Mill notes: Grain arrives on Mondays",
        "Mill notes: only a tag here",
        "Mill notes feeds Bakery",
        "Mill notes links to Stray Target",
    ]
    assert candidates("basic-memory.md")[0].foreign == {"context": "agreed in spring"}


@pytest.mark.parametrize("name", ["letta.af", "letta-encoded.af"])
def test_a_block_gives_its_statements_and_never_a_secret_or_a_persona(name):
    assert claims(name) == ["likes rye bread", "dislikes raisins"]
    assert "never read" not in repr(one_file(SAMPLES / name)[1])
    assert {what for what, _ in left_out(name)} == {"persona", "human"}


def test_an_edge_is_a_fact_with_the_worlds_time_and_its_episodes():
    old, new = candidates("graphiti.json")
    assert (old.state, new.state) == ("superseded", "")
    assert (new.facts, new.cites) == ((Fact("wheel", "made_of", "n-8"),), ("ep-1",))
    assert [m.text for m in one_file(SAMPLES / "graphiti.json")[1] if isinstance(m, Message)] == [
        "user: the wheel was replaced"
    ]


def test_a_namespace_stays_a_list_and_an_empty_key_a_key():
    text, profile = candidates("langgraph.jsonl")
    assert (text.claim, text.foreign["namespace"]) == (
        "Bakes at night",
        ["users", "u.3", "memories"],
    )
    assert (profile.content_kind, profile.foreign["key"], profile.dates[0].instant) == (
        "structured_data",
        "",
        None,
    )


def test_dates_that_disagree_are_doubted_and_filled_in_tags_dropped():
    sure, unsure = candidates("mcp-memory-service.json")
    assert (sure.tags, sure.doubts) == ((), ())
    assert [one.code for one in unsure.doubts] == ["dates_disagree"]
    assert "/attic/somewhere" not in repr(one_file(SAMPLES / "mcp-memory-service.json")[1])


def test_of_conversations_only_what_was_kept_as_memory_is_a_claim():
    held = one_file(SAMPLES / "chatgpt.json")[1]
    assert claims("chatgpt.json") == ["I run a mill.", "Answer in one line.", "User has goats."]
    assert [(m.text, m.title, m.is_current) for m in held if isinstance(m, Message)] == [
        ("Remember my goats", "", True)
    ]
    assert [d.code for d in candidates("chatgpt.json")[2].doubts] == ["off_branch"]
    assert ("Nothing here", "it holds no message") in left_out("chatgpt.json")


def test_a_pasted_list_keeps_its_dates_as_they_stand():
    assert [
        (c.claim, c.dates[0].given, c.dates[0].instant) for c in candidates("chatgpt-saved.txt")
    ] == [
        ("Is allergic to rye.", "2026-02-11", None),
        ("Has a donkey.", "unknown", None),
    ]


def test_memories_of_a_project_keep_the_projects_whole_identifier():
    assert claims("claude-memories.json") == ["Mira runs a mill.", "Grain prices are watched."]
    assert (
        candidates("claude-memories.json")[1].foreign_id == "0b0b0b0b-0000-4000-8000-000000000001"
    )


def test_a_note_of_claude_code_keeps_why_with_its_statement():
    (note,) = candidates("claude-code/memory/feedback_scales.md")
    assert (note.claim, note.type) == ("Sacks are weighed twice.", "team_preference")
    assert "**Why:** a scale was wrong" in note.body
    assert note.relationships[0].target == "scale-repair"


def test_codex_files_and_keywords_are_no_statements():
    assert claims("codex/memories/MEMORY.md") == ["small changes, each with its test"]


def test_rules_say_which_files_they_are_for():
    assert claims("rules/tests.instructions.md") == [
        "For files matching `**/tests/**`: One scale per test."
    ]
    assert claims("AGENTS.md") == ["Run the scales with `make weigh`."]
    assert candidates("rules/scales.mdc")


def test_a_vaults_field_is_a_fact_and_its_embedded_file_nothing():
    field, statement = candidates("obsidian.md")
    assert (field.facts, statement.claim) == (
        (Fact("obsidian", "state", "open"),), "Decided with M. to grease the wheel.",
    )  # fmt: skip


@pytest.mark.req("C-TRUST")
def test_somebody_elses_verification_is_evidence_only():
    (one,) = candidates("okf.md")
    assert (one.claim, one.state) == ("Refunds are given within a week.", "")
    assert one.foreign["verified"]["by"] == "human:mira"
    assert {d.name for d in one.dates} == {"expires"}


@pytest.mark.req("C-TRUST")
def test_our_own_lines_are_an_import_like_any_other():
    rye, oats = candidates("own.jsonl")
    assert (rye.claim, rye.foreign["review"]["status"], rye.parts["prohibited_uses"]) == (
        "Likes rye", "accepted", ["deploy"],
    )  # fmt: skip
    assert (oats.state, [d.code for d in oats.doubts]) == ("superseded", [])


def test_a_deletion_log_keeps_what_it_names_dead():
    pump, red = candidates("mpf.json")
    assert (pump.facts, red.state) == ((Fact("r-1", "runs_at", "dawn"),), "deleted")
    assert ("r-2", "records of its kind are passed over") in left_out("mpf.json")


def test_a_decision_that_holds_is_a_claim_and_one_that_was_replaced_is_not():
    (held,) = candidates("docs/0003-use-oak.md")
    assert held.foreign == {"review": "accepted"}
    assert [d.given for d in held.dates] == ["2026-01-09"]
    assert candidates("docs/0002-use-pine.md") == []


@pytest.mark.req("A-PROCEDURAL")
def test_a_runbook_is_one_procedure_with_its_steps_in_order():
    (one,) = candidates("docs/stop-the-wheel.md")
    assert one.steps == ("Close the gate.", "Wait. ten minutes", "Lock it.")
    assert (one.dates[0].given, one.dates[0].instant) == ("March 2026", None)


def test_what_is_of_no_format_is_refused_with_what_was_considered(tmp_path):
    file, held = one_file(written(tmp_path, "a.json", '[{"t": 1}]'))
    assert (file.format, held) == ("", [])
    assert file.findings[0].code == "unknown_format"
    assert "mem0: no records with `id` and `memory`" in file.findings[0].message
    assert dict(file.considered)["chatgpt"] == "no conversations with `mapping`"


def test_what_two_formats_fit_equally_is_refused_and_can_be_named(tmp_path):
    both = '{"entities": [], "relations": [], "edges": [{"uuid": "e", "fact": "The wheel turns"}]}'
    path = written(tmp_path, "both.json", both)
    file, _ = one_file(path)
    assert file.findings[0].code == "ambiguous_format"
    assert [c.claim for c in candidates(path, "graphiti")] == ["The wheel turns"]


def test_a_format_that_is_not_known_is_refused_with_the_nearest(tmp_path):
    with pytest.raises(InvalidInput, match="did you mean mem0"):
        files_of(written(tmp_path, "a.json", "[]"), format="memo")


@pytest.mark.req("E-MISSING")
@pytest.mark.parametrize(("data", "code"), [("", "empty_file"), (" \n", "empty_file")])
def test_an_empty_file_is_an_error(tmp_path, data, code):
    file, _ = one_file(written(tmp_path, "a.json", data))
    assert [one.code for one in file.findings] == [code]


@pytest.mark.req("E-MISSING")
def test_a_file_of_which_nothing_is_read_is_an_error(tmp_path):
    _, held = one_file(written(tmp_path, "a.json", '{"results": []}'), "mem0")
    assert [one.code for one in held if isinstance(one, Finding)] == ["nothing_read"]


@pytest.mark.req("E-MISSING")
@pytest.mark.parametrize(
    ("rows", "codes"), [(19, []), (20, ["cut_at_origin"]), (21, []), (100, ["cut_at_origin"])]
)
def test_an_export_that_was_cut_at_its_origin_is_warned_of(tmp_path, rows, codes):
    items = ",".join(f'{{"id": "m-{n}", "memory": "Fact {n}"}}' for n in range(rows))
    _, held = one_file(written(tmp_path, "a.json", f"[{items}]"))
    assert [one.code for one in held if isinstance(one, Finding)] == codes


def test_of_an_issue_only_what_says_that_it_is_a_decision_is_a_claim():
    held = one_file(SAMPLES / "github.json")[1]
    said = [
        (c.claim, c.state, [d.code for d in c.doubts]) for c in held if isinstance(c, Candidate)
    ]
    assert said == [
        ("the wheel stops at night.", "", []),
        ("sacks are weighed twice.", "", ["edited_since"]),
        ("the scale is oiled monthly.", "", ["edited_since"]),
        ("close the mill.", "", ["author_outside"]),
        ("gates are made of oak.", "rejected", []),
    ]
    talks = [(m.conversation, m.role) for m in held if isinstance(m, Message)]
    assert talks == [
        ("acme/mill#3", "rosa"), ("acme/mill#3", "tom"), ("acme/mill#3", "stranger"), ("acme/mill#4", "rosa"),
    ]  # fmt: skip
    assert (
        "https://github.com/acme/mill/issues/3#issuecomment-10",
        "it says nothing in words",
    ) in left_out("github.json")


def test_a_decision_names_its_comment_its_project_and_who_was_told():
    first, second, third, *_ = candidates("github.json")
    address = "https://github.com/acme/mill/issues/3#issuecomment-8"
    assert (first.account, first.foreign["author"], first.foreign["mentions"]) == (
        "acme/mill",
        "rosa",
        ["tom"],
    )
    assert (second.foreign_id, third.foreign_id, third.cites) == (
        address,
        f"{address}#1",
        (address,),
    )
    assert (second.type, second.source_kind) == ("decision", "issue")
