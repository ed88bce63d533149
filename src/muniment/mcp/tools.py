"""The tools as the protocol has them, made of the calls that name one; and doing one.

- Input schemas are those of `muniment.calls.requests`, without what only a reader of code wants.
- What goes wrong is a tool error with its findings as JSON, so that a model can mend its call; never a traceback.
- A model's arguments narrow: scopes to some of those in force, uses to those that the server was started for.

>>> [tool.name for tool in tools_for("reader")]
['recall', 'query', 'revalidate', 'history', 'why']
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import mcp_types as types

from muniment.calls.perform import CALLS, Call, perform
from muniment.core.authority import allows
from muniment.core.canonical import canonical
from muniment.core.errors import Finding, InvalidInput, MunimentError, NotPermitted, quoted
from muniment.mcp import texts
from muniment.mcp.shapes import SHAPES, compact, spelled_out
from muniment.memory import Memory

PACKET_OF_ROWS = 2_000
"""Tokens of a query's packet where none are said: a model gets its rows with their claims, or is told to ask again."""

BY_TOOL: Mapping[str, Call] = {call.tool: call for call in CALLS if call.tool}

_LOG = logging.getLogger(__name__)


def tools_for(role: str) -> list[types.Tool]:
    """The tools that a ceiling allows; the empty ceiling allows all."""
    return [_tool(name) for name, call in BY_TOOL.items() if allows(role, call.verbs[0])]


@cache
def _tool(name: str) -> types.Tool:
    call, words = BY_TOOL[name], texts.TOOLS[name]
    return types.Tool(
        name=name,
        title=words.title,
        description=words.description,
        input_schema=_input_schema(call),
        output_schema=plain(SHAPES[name][0].model_json_schema()),
        annotations=types.ToolAnnotations(
            title=words.title,
            read_only_hint=not call.writes,
            destructive_hint=False,
            idempotent_hint=not call.writes,
            open_world_hint=False,
        ),
    )


def _input_schema(call: Call) -> dict[str, Any]:
    schema = _without_null(plain(call.request.model_json_schema()))
    del schema["description"]
    if call.name == "query":
        schema["properties"]["budget"]["default"] = PACKET_OF_ROWS
    return schema


_UNSAID = ("title", "maxLength", "minLength", "maxItems", "minItems", "pattern")


def plain(schema: dict[str, Any]) -> dict[str, Any]:
    """A JSON schema as a model needs it: without names that pydantic gives, lengths and patterns.

    What breaks one of those is refused with a finding; a third of the tokens are spared.

    >>> plain({"title": "A", "properties": {"title": {"maxLength": 9, "type": "string", "default": ""}}})
    {'properties': {'title': {'type': 'string'}}}
    """
    kept: dict[str, Any] = {}
    for key, value in schema.items():
        if key in ("properties", "$defs"):
            kept[key] = {name: plain(one) for name, one in value.items()}
        elif key == "anyOf":
            kept[key] = [plain(one) for one in value]
        elif key == "items":
            kept[key] = {k: v for k, v in plain(value).items() if k != "examples"}
        elif key not in _UNSAID and not (key == "default" and value in (None, "", [])):
            kept[key] = value
    return kept


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """A model leaves out what it does not give; `null` for it need not be offered."""
    for one in schema["properties"].values():
        options = [option for option in one.get("anyOf", ()) if option.get("type") != "null"]
        if len(options) == 1:
            del one["anyOf"]
            one.update({**options[0], **one})
        elif options:
            one["anyOf"] = options
    return schema


def digest() -> str:
    """SHA-256 of everything that a model reads of this server before it calls anything."""
    tools = [
        tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools_for("")
    ]
    prompts = {name: [one.title, one.description, one.argument, one.argument_description, one.text]
               for name, one in texts.PROMPTS.items()}  # fmt: skip
    whole = {"instructions": texts.INSTRUCTIONS, "tools": tools, "prompts": prompts}
    return "sha256:" + hashlib.sha256(canonical(whole)).hexdigest()


# --- doing one ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Limits:
    """What the server was started for.

    Attributes:
        uses: The uses that may be named; none for no limit.
    """

    uses: tuple[str, ...] = ()


def run_tool(
    memory: Memory, name: str, given: Mapping[str, Any], limits: Limits
) -> types.CallToolResult:
    """Do a tool's call; whatever goes wrong is in the result.

    Args:
        memory: As who acts.
        name: A key of `BY_TOOL`.
        given: The model's arguments.
        limits: What the server was started for.
    """
    try:
        refuse_uses_beyond(limits.uses, given)
        return _answer(memory, name, {**_defaults(name), **given})
    except MunimentError as error:
        return refused(error)
    except BaseException as fault:  # noqa: BLE001 - the server outlives whatever a call comes to, an exit too
        return _fault(fault)


def _defaults(name: str) -> dict[str, Any]:
    return {"budget": PACKET_OF_ROWS} if name == "query" else {}


def _answer(memory: Memory, name: str, given: dict[str, Any]) -> types.CallToolResult:
    short = SHAPES[name][1](perform(BY_TOOL[name], memory, given), given)
    said = [short["text"]] if "text" in short else [compact(short)]
    if "certificate" in short:
        said.append(compact(short["certificate"]))
    content: list[Any] = [types.TextContent(type="text", text=text) for text in said]
    return types.CallToolResult(content=content, structured_content=short)


def refused(error: MunimentError) -> types.CallToolResult:
    """An error as a model can use it: every finding with its place and what to do."""
    whole = {"error": {"code": error.code, "findings": [_short(one) for one in error.findings]}}
    text = compact(spelled_out(whole))
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=True)


def _short(found: Finding) -> dict[str, str]:
    said = {"code": found.code, "path": found.path, "message": found.message, "fix": found.fix}
    return {key: text for key, text in said.items() if text}


def _fault(fault: BaseException) -> types.CallToolResult:
    _LOG.error("a fault in Muniment itself", exc_info=fault)
    message = f"a fault in Muniment itself: {type(fault).__name__}"
    fix = "its traceback is on the server's stderr; report it to the project"
    return refused(MunimentError(message, (Finding("fault", message, "", fix),)))


def refuse_uses_beyond(uses: Sequence[str], given: Mapping[str, Any]) -> None:
    """Refuse uses that the server was not started for, wherever a call names one.

    Raises:
        NotPermitted: A use is beyond them.
    """
    if not uses:
        return
    beyond = [(path, use) for path, use in _uses_in(given) if use not in uses]
    if beyond:
        path, use = beyond[0]
        known = ", ".join(uses)
        fix = f"use one of those that this server was started for: {known}"
        message = f"{quoted(use)} at {path} is not among them"
        raise NotPermitted(message, fix=fix)


def _uses_in(given: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, str]]:
    for key, value in given.items():
        here = f"{path}/{key}"
        if key == "use" and isinstance(value, str) and value:
            yield here, value
        elif key == "allowed_uses" and isinstance(value, list):
            yield from ((f"{here}/{place}", str(use)) for place, use in enumerate(value))
        elif key == "item" and isinstance(value, Mapping):
            yield from _uses_in(value, here)
        elif key == "changes" and isinstance(value, list):
            for place, one in enumerate(value):
                if isinstance(one, Mapping):
                    yield from _uses_in(one, f"{here}/{place}")


def unknown_tool(name: str) -> InvalidInput:
    """A tool that is not there."""
    fix = f"use one of: {', '.join(BY_TOOL)}"
    return InvalidInput.of(
        (Finding("unknown_tool", f"there is no tool {quoted(name)}", "/name", fix),)
    )
