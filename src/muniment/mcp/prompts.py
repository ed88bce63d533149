"""The prompts: what a person hands to an agent at the beginning and at the end of a task.

- Their words are constants (`texts`); what a person gave follows quoted.
- 'Recall before you act' brings a packet for the task along, for looking only: the agent still says for which use it
  wants what it then relies on.

>>> [prompt.name for prompt in PROMPTS]
['recall_before_you_act', 'propose_after_you_learned']
"""

from __future__ import annotations

from collections.abc import Mapping

import mcp_types as types
from mcp.shared.exceptions import MCPError

from muniment.core.errors import MunimentError, quoted
from muniment.core.quoting import quoted_lines
from muniment.mcp import texts
from muniment.memory import Memory

BUDGET = 1_200
LONGEST = 4_000

PROMPTS = [
    types.Prompt(
        name=name,
        title=words.title,
        description=words.description,
        arguments=[
            types.PromptArgument(
                name=words.argument,
                description=words.argument_description,
                required=False,
            )
        ],
    )
    for name, words in texts.PROMPTS.items()
]


def prompt(memory: Memory, name: str, given: Mapping[str, str]) -> types.GetPromptResult:
    """A prompt's messages.

    Args:
        memory: As who acts.
        name: A key of `texts.PROMPTS`.
        given: Its argument, or none.

    Raises:
        MCPError: There is no such prompt or argument.
    """
    words = texts.PROMPTS.get(name)
    if words is None:
        known = ", ".join(texts.PROMPTS)
        raise MCPError(types.INVALID_PARAMS, f"no prompt {quoted(name)}: there are {known}")
    unknown = [key for key in given if key != words.argument]
    if unknown:
        said = f"{quoted(unknown[0])} is no argument of {quoted(name)}"
        raise MCPError(types.INVALID_PARAMS, f"{said}: it takes {quoted(words.argument)}")
    parts = [words.text]
    about = given.get(words.argument, "")[:LONGEST]
    if about.strip():
        parts.append(f"{words.argument}:\n{quoted_lines(about)}")
        if name == "recall_before_you_act":
            parts.append(_packet(memory, about))
    message = types.PromptMessage(
        role="user", content=types.TextContent(type="text", text="\n\n".join(parts))
    )
    return types.GetPromptResult(description=words.description, messages=[message])


def _packet(memory: Memory, task: str) -> str:
    try:
        return memory.recall(task, use="", budget=BUDGET).packet.text
    except MunimentError as error:
        return f"no packet: {error.message}"
