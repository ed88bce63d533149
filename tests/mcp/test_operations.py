"""The thirteen operations of the ontology: each by the library, on the command line, and over MCP."""

from __future__ import annotations

import json

import pytest

from muniment import Memory
from muniment.cli.catalog import COMMANDS
from tools.generators.operations import OPERATIONS, doors_of

SOURCE = {"kind": "tool_output", "uri": "https://ci.example.org/jobs/20"}
HAPPENED = {"kind": "conversation", "uri": "https://chat.example.org/7", "state": "observed",
            "observed_at": "2026-07-08T12:00:00Z"}  # fmt: skip


def ask(team, **given):
    return team.call("recall", {"use": "answer_questions", **given}).structured_content


def resource(team, claim):
    read = team.converse(lambda client: client.read_resource(f"muniment://claim/{claim}"))
    return json.loads(read.contents[0].text)


def why(team, name):
    return team.call("why", {"id": name}).structured_content["why"]


def propose(team, *changes):
    numbered = [{"id": f"change_{n:02}", **one} for n, one in enumerate(changes, 1)]
    made = team.call("propose", {"scope": "project:shop", "trigger": HAPPENED, "changes": numbered})
    assert not made.is_error, made.content[0].text
    return made.structured_content


def item(claim, **parts):
    return {
        "claim": claim,
        "scope": {"kind": "project", "id": "shop"},
        "source": SOURCE,
        "allowed_uses": ["answer_questions"],
        "review": {"status": "proposed"},
        "visibility": {"level": "team-private", "allowed_principals": ["group:shop"]},
        **parts,
    }


def identify(team):
    assert resource(team, team.claims[0])["claim"]["id"] == team.claims[0]


def types_and_scope(team):
    asked = {"query": "when do orders ship?"}
    assert (
        ask(team, **asked, memory_types=["semantic"], scopes=["project:shop"])["outcome"]
        == "complete"
    )
    assert ask(team, **asked, memory_types=["procedural"])["outcome"] == "no_support"
    assert ask(team, **asked, scopes=["project:depot"])["outcome"] == "no_support"


def inspect_a_source(team):
    assert why(team, team.claims[0])["claim"]["source"]["uri"] == "https://ci.example.org/jobs/17"


def validity(team):
    past = ask(team, query="when do orders ship?", at="2020-01-01T00:00:00Z", history=True)
    assert resource(team, team.claims[0])["status"] == "active"
    assert past["outcome"] in ("complete", "no_support")


def retrieve(team):
    assert team.claims[0] in ask(team, query="when do orders ship?")["text"]


def rank(team):
    found = why(team, ask(team, query="when do orders ship?")["retrieval_id"])
    assert found["selected"][0]["relevance"]["components"]


def embeddings(team):
    assert resource(team, team.claims[0])["claim"].get("embedding") is None  # none is declared here
    found = team.call("recall", {"query": "orders", "method": "embedding_similarity"})
    assert "embed" in found.content[0].text  # and a search by vectors says so


def detect_conflicts(team):
    found = propose(team, {"operation": "flag_conflict", "target_ids": team.claims, "reason": "both cannot be",
                           "source": SOURCE, "conflict_notes": "the days differ"})  # fmt: skip
    assert found["changes"][0]["operation"] == "flag_conflict"


def update(team):
    other = item("Orders ship on Mondays.")
    found = propose(
        team,
        {"operation": "supersede", "target_id": team.claims[0], "reason": "changed", "item": other},
    )
    assert why(team, found["diff"])["states"] == {"change_01": "pending"}
    assert len(team.call("history", {"id": team.claims[0]}).structured_content["versions"]) == 1


def consolidate(team):
    source = {**SOURCE, "derivation": "consolidated", "derived_from": team.claims}
    assert propose(
        team,
        {
            "operation": "add",
            "reason": "two in one",
            "item": item("Orders leave Bern on Fridays.", source=source),
        },
    )


def retain(team):
    short = item("The sale ends soon.", memory_type="short_term", validity={"ttl_seconds": 3_600})
    old = {"target_id": team.claims[1], "reason": "kept long enough", "source": SOURCE}
    added = {"operation": "add", "reason": "for now", "item": short}
    assert propose(team, added, {"operation": "deprecate", **old})


def provenance(team):
    found = why(team, team.claims[0])["claim"]
    assert found["provenance"]["agent"] == "agent:codex"
    assert found["review"]["reviewed_by"] == "user:ada"


def uncertainty(team):
    text = ask(team, query="when do orders ship?")["text"]
    assert "confidence not stated" in text
    assert "freshness unknown" in text


OVER_MCP = (identify, types_and_scope, inspect_a_source, validity, retrieve, rank, embeddings, detect_conflicts,
            update, consolidate, retain, provenance, uncertainty)  # fmt: skip


@pytest.mark.req("A-OPERATIONS")
@pytest.mark.parametrize(
    ("row", "over_mcp"),
    list(zip(OPERATIONS, OVER_MCP, strict=True)),
    ids=[one[0] for one in OPERATIONS],
)
def test_an_operation_can_be_done_by_library_command_and_mcp(team, row, over_mcp):
    _, methods, commands, _ = row
    assert methods
    assert all(callable(getattr(Memory, name)) for name in methods)
    assert set(commands) <= {name for name, _, _ in COMMANDS}
    assert doors_of(methods)
    over_mcp(team)
