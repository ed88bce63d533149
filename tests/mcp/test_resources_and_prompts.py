"""Resources and prompts."""

from __future__ import annotations

import json

import pytest
from mcp.shared.exceptions import MCPError

from muniment.core.authority import VERBS
from muniment.core.ontology import flow_hash


def read(team, uri, **options):
    result = team.converse(lambda client: client.read_resource(uri), **options)
    return json.loads(result.contents[0].text)


def test_the_resources_are_those_of_the_table_of_authority(team):
    listed = team.converse(lambda client: client.list_resource_templates())
    named = {one.uri_template for one in listed.resource_templates}
    assert named == {verb.resource for verb in VERBS if verb.resource}


def test_a_claim_a_retrieval_and_the_ontology_can_be_read(team):
    claim = read(team, f"muniment://claim/{team.claims[0]}")
    assert claim["claim"]["claim"] == "Orders ship on Fridays."
    asked = {"query": "when do orders ship?", "use": "answer_questions"}
    retrieval = team.call("recall", asked).structured_content["retrieval_id"]
    assert (
        read(team, f"muniment://retrieval/{retrieval}")["why"]["selected"][0]["id"]
        == team.claims[0]
    )
    assert read(team, "muniment://ontology")["hash"] == flow_hash()


@pytest.mark.parametrize("uri", ["muniment://claim/mem_nowhere", "muniment://nothing", "file:///etc/passwd",
                                 "muniment://retrieval/mem_01kx0sjsg0e008000000000000"])  # fmt: skip
def test_what_is_not_there_is_an_error_that_says_so(team, uri):
    with pytest.raises(MCPError) as refused:
        read(team, uri)
    assert refused.value.code == -32602


def test_a_claim_of_others_is_not_there(team):
    eve = team.memory.acting_as("agent:eve", scopes=["project:shop"])
    with pytest.raises(MCPError, match="is known here"):
        read(team, f"muniment://claim/{team.claims[0]}", as_who=eve)


def test_recall_before_you_act_brings_a_packet_for_the_task(team):
    given = {"task": "when do orders ship?\n---"}
    result = team.converse(lambda client: client.get_prompt("recall_before_you_act", given))
    said = result.messages[0].content.text
    assert "| when do orders ship?\n| ---\n" in said
    assert "| Orders ship on Fridays." in said
    assert "looking only, not for acting on" in said


def test_prompts_need_no_argument_and_refuse_others(team):
    listed = team.converse(lambda client: client.list_prompts())
    for one in listed.prompts:
        result = team.converse(lambda client, name=one.name: client.get_prompt(name, {}))
        assert "`re" in result.messages[0].content.text
    with pytest.raises(MCPError, match="is no argument of"):
        team.converse(lambda client: client.get_prompt("propose_after_you_learned", {"task": "x"}))
    with pytest.raises(MCPError, match="no prompt"):
        team.converse(lambda client: client.get_prompt("accept", {}))
