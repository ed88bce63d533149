"""The Anthropic SDK's memory tool: its six methods, called as the SDK calls them."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("anthropic", reason="anthropic is not installed")

from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError

from muniment.adapters.anthropic import AsyncMunimentMemoryTool, MunimentMemoryTool
from tests.adapters.world import SECRET

A = "/memories/a.md"
CALLS = (
    ({"command": "create", "path": A, "file_text": "The shop ships on Fridays.\nAsk Bob.\n"}, "created successfully"),
    ({"command": "view", "path": "/memories"}, "/memories/a.md"),
    ({"command": "view", "path": A}, "     2\tAsk Bob."),
    ({"command": "view", "path": A, "view_range": [2, 2]}, "     2\tAsk Bob."),
    ({"command": "str_replace", "path": A, "old_str": "Bob", "new_str": "Eve"}, "     2\tAsk Eve."),
    ({"command": "insert", "path": A, "insert_line": 0, "insert_text": "# Shop"}, "has been edited"),
    ({"command": "rename", "old_path": A, "new_path": "/memories/b.md"}, "Successfully renamed"),
    ({"command": "view", "path": "/memories/b.md"}, "     1\t# Shop"),
    ({"command": "view", "path": "/memories/reviewed/when does the shop ship?"}, "no_support"),
    ({"command": "delete", "path": "/memories/b.md"}, "Successfully deleted"),
)  # fmt: skip


def test_the_tool_is_what_the_sdk_sends(world):
    tool = MunimentMemoryTool(world.agent)
    assert isinstance(tool, BetaAbstractMemoryTool)
    assert tool.to_dict() == {"type": "memory_20250818", "name": "memory"}
    assert tool.name == "memory"


@pytest.mark.req("A-WORKING")
def test_every_command_is_done_as_the_sdk_dispatches_it(world):
    tool = MunimentMemoryTool(world.agent)
    for call, said in CALLS:
        assert said in tool.call(call), call
    assert world.agent.notes() == ()


def test_the_asynchronous_tool_does_the_same(world):
    tool = AsyncMunimentMemoryTool(world.agent)
    assert isinstance(tool, BetaAsyncAbstractMemoryTool)

    async def act():
        return [await tool.call(call) for call, _ in CALLS]

    assert all(said in told for told, (_, said) in zip(asyncio.run(act()), CALLS, strict=True))


def test_edits_of_one_file_at_once_are_all_kept(world):
    tool = AsyncMunimentMemoryTool(world.agent, propose=False)

    async def act():
        await tool.call({"command": "create", "path": A, "file_text": ""})
        inserts = (
            {"command": "insert", "path": A, "insert_line": 0, "insert_text": f"line {n}"}
            for n in range(12)
        )
        await asyncio.gather(*map(tool.call, inserts))

    asyncio.run(act())
    assert sorted(world.agent.read_note("memories/a.md").text.split("\n")) == sorted(
        ["", *(f"line {n}" for n in range(12))]
    )


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ({"command": "view", "path": "/etc/passwd"}, "is no path under /memories"),
        ({"command": "view", "path": "/memories/missing"}, "does not exist"),
        ({"command": "create", "path": A, "file_text": f"key {SECRET}"}, "looks like a secret"),
        ({"command": "create", "path": "/memories/reviewed/a", "file_text": "x"}, "is read only"),
        ({"command": "create", "path": A, "file_text": "x" * 100_001}, "(too_long)"),
    ],
)
def test_what_goes_wrong_is_told_to_the_model(world, call, said):
    with pytest.raises(ToolError) as error:
        MunimentMemoryTool(world.agent).call(call)
    assert said in str(error.value.content)
    assert SECRET not in str(error.value.content)
    assert world.agent.notes() == ()


@pytest.mark.req("A-WORKING")
def test_what_was_written_is_proposed_and_everything_can_be_cleared(world):
    tool = MunimentMemoryTool(world.agent)
    for call, _ in CALLS[:2]:
        tool.call(call)
    assert world.open_claims() == ["The shop ships on Fridays."]
    world.accept_all()
    assert tool.clear_all_memory() == "All memory cleared"
    assert world.agent.notes() == ()
    assert "Fridays" in tool.call(
        {"command": "view", "path": "/memories/reviewed/when does the shop ship?"}
    )


def test_the_store_s_own_troubles_are_told_and_not_raised_as_they_are(world):
    tool = MunimentMemoryTool(world.agent)
    world.opened.close()
    with pytest.raises(ToolError, match="closed"):
        tool.call({"command": "view", "path": "/memories"})
