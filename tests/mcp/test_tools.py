"""The eight tools: what a model reads of them, what they give back, and what they refuse."""

from __future__ import annotations

import json

import jsonschema
import pytest
from mcp.shared.exceptions import MCPError

from muniment.core.answered import QUERY_OUTCOMES
from muniment.core.authority import VERBS
from muniment.core.packet import OUTCOMES
from muniment.core.vocabulary import USES
from muniment.mcp import texts
from muniment.mcp.shapes import SHAPES
from muniment.mcp.tools import BY_TOOL, digest, tools_for
from muniment.tokens import counter

ASKED = {"query": "when do orders ship?", "use": "answer_questions"}


def findings(result):
    assert result.is_error
    return json.loads(result.content[0].text)["error"]["findings"]


# --- what a model reads ---------------------------------------------------------------------------


def test_the_tools_are_those_of_the_table_of_authority(team):
    listed = team.converse(lambda client: client.list_tools())
    assert {tool.name for tool in listed.tools} == {verb.tool for verb in VERBS if verb.tool}
    assert len(listed.tools) == 8
    assert set(texts.TOOLS) == set(SHAPES) == set(BY_TOOL)


def test_a_reader_is_offered_no_tool_that_proposes(team):
    listed = team.converse(lambda client: client.list_tools(), role="reader")
    assert {tool.name for tool in listed.tools} == {
        "recall",
        "query",
        "history",
        "why",
        "revalidate",
    }


@pytest.mark.parametrize("tool", tools_for(""), ids=lambda tool: tool.name)
def test_a_tool_says_what_it_is_and_that_it_destroys_nothing(tool):
    hints = tool.annotations
    writes = any(verb.writes for verb in VERBS if verb.tool == tool.name)
    assert (hints.read_only_hint, hints.destructive_hint, hints.open_world_hint) == (
        not writes,
        False,
        False,
    )
    assert hints.idempotent_hint is not writes
    for schema in (tool.input_schema, tool.output_schema):
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"
    assert tool.input_schema["additionalProperties"] is False


def test_descriptions_name_every_outcome_and_every_use():
    for name, outcomes in (("recall", OUTCOMES), ("query", QUERY_OUTCOMES)):
        said = texts.TOOLS[name].description
        assert [word for word, _ in outcomes if f"`{word}`" not in said] == []
        assert [use.name for use in USES if use.name not in said] == []


def test_what_a_model_reads_of_all_tools_is_short():
    read = [
        json.dumps([tool.name, tool.description, tool.input_schema], ensure_ascii=False)
        for tool in tools_for("")
    ]
    assert sum(map(counter(), [*read, texts.INSTRUCTIONS])) < 4_000


def test_the_digest_changes_with_any_word_and_with_nothing_else(monkeypatch):
    before = digest()
    assert digest() == before
    monkeypatch.setattr(texts, "INSTRUCTIONS", texts.INSTRUCTIONS + ".")
    assert digest() != before


# --- what comes back ------------------------------------------------------------------------------


@pytest.mark.req("E-LIMITS", "E-FENCED")
def test_a_recall_gives_the_packet_as_text_in_both_contents_and_little_else(team):
    result = team.call("recall", {**ASKED, "budget": 300})
    found = result.structured_content
    assert result.content[0].text == found["text"]
    assert "| Orders ship on Fridays." in found["text"].splitlines()
    assert counter()(found["text"]) <= 300
    envelope = counter()(json.dumps(found, ensure_ascii=False)) - counter()(found["text"])
    assert envelope < 80


@pytest.mark.req("E-ABSTAIN")
def test_a_recall_that_nothing_supports_says_so_and_what_to_do(team):
    found = team.call(
        "recall", {"query": "who feeds the zebra?", "use": "answer_questions"}
    ).structured_content
    assert found["outcome"] == "no_support"
    assert "advice: " in found["text"]


def test_a_mistyped_use_is_told(team):
    asked = {"query": "when do orders ship?", "use": "answer_question"}
    assert (
        "did you mean `answer_questions`?" in team.call("recall", asked).structured_content["text"]
    )


@pytest.mark.req("E-FENCED")
def test_hidden_characters_reach_a_model_spelled_out_in_every_tool(team):
    claim = team.know("Boxes are blue.\u200b\u202e")
    for result in (
        team.call("recall", {"query": "what are boxes?", "use": "answer_questions"}),
        team.call("history", {"id": claim}),
        team.call("why", {"id": claim}),
    ):
        whole = json.dumps(result.structured_content, ensure_ascii=False) + result.content[0].text
        assert "Boxes are blue." in whole
        assert "⟨U+200B⟩" in whole
        assert not {"\u200b", "\u202e"} & set(whole)


def test_a_query_gives_rows_and_the_claims_that_prove_them(team):
    found = team.call(
        "query", {"query": "orders ships_on ?day", "use": "answer_questions"}
    ).structured_content
    assert (found["outcome"], found["rows"]) == ("rows", [{"?day": "Friday"}])
    assert "| Orders ship on Fridays." in found["text"]


def test_a_query_whose_packet_does_not_fit_shows_no_part_of_it(team):
    given = {"query": "orders ships_on ?day", "use": "answer_questions", "budget": 10}
    found = team.call("query", given).structured_content
    assert (found["outcome"], found["rows"]) == ("budget_exceeded", [])
    assert "raise the budget" in found["note"]


def test_a_contradiction_that_stops_a_query_shows_both_sides(team):
    team.know("The shop has one owner, Ana.", [("shop", "owned_by", "Ana")])
    team.know("The shop has one owner, Bo.", [("shop", "owned_by", "Bo")])
    found = team.call(
        "query", {"query": "shop owned_by ?who", "use": "answer_questions"}
    ).structured_content
    if found["outcome"] == "conflict":
        assert all(f"| The shop has one owner, {who}." in found["text"] for who in ("Ana", "Bo"))
    else:  # the predicate may hold many values; then both are answers
        assert [row["?who"] for row in found["rows"]] == ["Ana", "Bo"]


def test_what_is_proposed_waits_and_serves_nobody(team):
    given = {"claim": "Returns go to Basel.", "source": "https://ci.example.org/jobs/18",
             "allowed_uses": ["answer_questions"], "scope": "project:shop"}  # fmt: skip
    found = team.call("remember", given).structured_content
    assert found["state"] == "waits for review"
    assert [one["operation"] for one in found["changes"]] == ["add"]
    asked = {"query": "where do returns go?", "use": "answer_questions"}
    assert team.call("recall", asked).structured_content["outcome"] == "no_support"
    assert (
        "| Returns go to Basel."
        in team.call("recall", {**asked, "use": "", "own_proposals": True}).content[0].text
    )
    assert team.call("why", {"id": found["diff"]}).structured_content["why"]["states"] == {
        "change_01": "pending"
    }


def test_a_diff_and_a_report_are_proposals_too(team):
    source = {"kind": "tool_output", "uri": "https://ci.example.org/jobs/19"}
    change = {"id": "change_01", "operation": "deprecate", "target_id": team.claims[0],
              "reason": "no longer", "source": source}  # fmt: skip
    happened = {"kind": "conversation", "uri": "https://chat.example.org/7", "state": "observed",
                "observed_at": "2026-07-08T12:00:00Z"}  # fmt: skip
    given = {"scope": "project:shop", "trigger": happened, "changes": [change]}
    made = team.call("propose", given)
    assert not made.is_error, made.content[0].text
    reported = team.call(
        "report", {"id": team.claims[1], "verdict": "useful", "reason": "It held."}
    )
    assert [one["operation"] for one in reported.structured_content["changes"]] == ["revalidate"]
    assert len(team.ada.inbox()) == 2


def test_a_certificate_comes_back_and_can_be_asked_again(team):
    result = team.call("recall", {**ASKED, "certify": True})
    given = result.structured_content["certificate"]
    assert json.loads(result.content[1].text) == given
    assert team.call("revalidate", {"certificate": given}).structured_content["verdict"] == "valid"
    team.know("Orders ship on Fridays before noon.")
    assert (
        team.call("revalidate", {"certificate": given}).structured_content["verdict"] == "changed"
    )


def test_the_history_of_a_claim_is_a_line_or_two_a_version(team):
    (version,) = team.call("history", {"id": team.claims[0]}).structured_content["versions"]
    assert (version["claim"], version["review"]) == ("Orders ship on Fridays.", "accepted")


# --- what is refused ------------------------------------------------------------------------------


def test_every_fault_of_a_call_is_a_finding_with_its_place_and_what_to_do(team):
    found = findings(
        team.call(
            "recall", {"query": "x", "budjet": 3, "k": 0, "as_of": "yesterday", "scopes": "x"}
        )
    )
    assert {(one["path"], one["code"]) for one in found} == {
        ("/budjet", "unknown_key"),
        ("/k", "out_of_range"),
        ("/as_of", "wrong_type"),
        ("/scopes", "wrong_type"),
    }
    assert all(one["fix"] for one in found)
    said = json.dumps(found).lower()
    assert "pydantic" not in said
    assert "traceback" not in said
    assert "input should" not in said


def test_absent_and_forbidden_have_one_answer(team):
    eve = team.memory.acting_as("agent:eve", scopes=["project:shop"])
    hidden = findings(team.call("why", {"id": team.claims[0]}, as_who=eve))
    absent = findings(team.call("why", {"id": "mem_01kx0sjsg0e008000000000000"}, as_who=eve))
    shapes = [[{**one, "message": ""} for one in found] for found in (hidden, absent)]
    assert shapes[0] == shapes[1]


def test_arguments_narrow_scopes_and_never_widen_them(team):
    depot = team.know("The depot is in Chur.", scope="project:depot")
    asked = {"query": "where is the depot?", "use": "answer_questions"}
    assert depot in team.call("recall", asked).content[0].text
    narrow = team.call("recall", {**asked, "scopes": ["project:shop"]})
    assert narrow.structured_content["outcome"] == "no_support"
    (found,) = findings(team.call("recall", {**asked, "scopes": ["project:other"]}))
    assert found["code"] == "not_permitted"


@pytest.mark.parametrize(
    ("tool", "given", "path"),
    [
        ("recall", {"query": "x", "use": "deploy"}, "/use"),
        ("query", {"query": "?a uses ?b", "use": "deploy"}, "/use"),
        (
            "remember",
            {"claim": "x", "allowed_uses": ["answer_questions", "deploy"]},
            "/allowed_uses/1",
        ),
        (
            "propose",
            {"changes": [{"item": {"allowed_uses": ["deploy"]}}]},
            "/changes/0/item/allowed_uses/0",
        ),
    ],
)
def test_uses_beyond_those_that_the_server_was_started_for_are_refused(team, tool, given, path):
    (found,) = findings(team.call(tool, given, uses=("answer_questions",)))
    assert found["code"] == "not_permitted"
    assert path in found["message"]


@pytest.mark.req("E-APPROVER", "E-ONEGATE")
def test_a_reader_cannot_propose_though_it_knows_the_tools_name(team):
    found = findings(team.call("remember", {"claim": "x"}, role="reader"))
    assert "role" in found[0]["message"]
    assert team.ada.inbox() == ()


@pytest.mark.req("E-APPROVER")
@pytest.mark.parametrize(
    "tool", ["review", "review_signed", "edit", "erase", "declare", "create_token"]
)
def test_no_tool_decides(team, tool):
    with pytest.raises(MCPError, match="there is no tool"):
        team.call(tool, {})


def test_a_fault_of_our_own_is_said_without_its_words_and_the_server_goes_on(
    team, monkeypatch, caplog
):
    from muniment.mcp import tools

    def fail(*given):
        raise RuntimeError("a secret of the stack")

    async def twice(client):
        monkeypatch.setattr(tools, "perform", fail)
        first = await client.call_tool("recall", ASKED)
        monkeypatch.undo()
        return first, await client.call_tool("recall", ASKED)

    first, second = team.converse(twice)
    assert [one["code"] for one in findings(first)] == ["fault"]
    assert "secret" not in first.content[0].text
    assert "a secret of the stack" in caplog.text
    assert not second.is_error
