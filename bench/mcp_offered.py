"""What the protocol's conformance suite asks a server to offer: fixed answers, schemas, and rounds of questions."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import struct
import zlib
from collections.abc import Mapping
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError

Answers = Mapping[str, Any]
NOTHING: dict[str, Any] = {"type": "object", "properties": {}}
KEY = b"what a state was sealed with"


def text(said: str) -> types.TextContent:
    """A text."""
    return types.TextContent(type="text", text=said)


def picture() -> str:
    """A red point as a PNG, in base 64."""

    def part(kind: bytes, body: bytes) -> bytes:
        return (
            struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        )

    head = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    parts = (
        part(b"IHDR", head),
        part(b"IDAT", zlib.compress(b"\0\xff\0\0")),
        part(b"IEND", b""),
    )
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"".join(parts)).decode()


def sound() -> str:
    """A sample of silence as a WAV, in base 64."""
    form = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 1, 8000, 8000, 1, 8)
    body = b"WAVE" + form + struct.pack("<4sIB", b"data", 1, 128) + b"\0"
    return base64.b64encode(struct.pack("<4sI", b"RIFF", len(body)) + body).decode()


def embedded(uri: str, said: str, kind: str = "text/plain") -> types.EmbeddedResource:
    """A resource inside an answer."""
    contents = types.TextResourceContents(uri=uri, text=said, mime_type=kind)
    return types.EmbeddedResource(type="resource", resource=contents)


IMAGE = types.ImageContent(type="image", data=picture(), mime_type="image/png")
AUDIO = types.AudioContent(type="audio", data=sound(), mime_type="audio/wav")
MIXED = embedded("test://mixed-content-resource", '{"test":"data","value":123}', "application/json")
SAID: dict[str, list[Any]] = {
    "test_simple_text": [text("This is a simple text response for testing.")],
    "test_image_content": [IMAGE],
    "test_audio_content": [AUDIO],
    "test_embedded_resource": [
        embedded("test://embedded-resource", "This is an embedded resource content.")
    ],
    "test_logging_tool": [text("Nothing is logged to a client.")],
    "test_multiple_content_types": [text("Multiple content types test:"), IMAGE, MIXED],
}
"""What a tool without arguments answers."""

SCHEMAS: dict[str, dict[str, Any]] = {
    "json_schema_2020_12_tool": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            }
        },
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {
            "properties": {"contactMethod": {"const": "phone"}},
            "required": ["contactMethod"],
        },
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": False,
    },
    "test_x_mcp_header": {
        "type": "object",
        "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
        "required": ["region"],
    },
}

# --- what asks its caller -------------------------------------------------------------------------


def form(message: str, **fields: str) -> types.ElicitRequest:
    """A question to the person."""
    schema = {
        "type": "object",
        "properties": {name: {"type": kind} for name, kind in fields.items()},
        "required": list(fields),
    }
    params = types.ElicitRequestFormParams(message=message, requested_schema=schema)
    return types.ElicitRequest(params=params)


def sampled(said: str, most: int) -> types.CreateMessageRequest:
    """A question to the client's model."""
    asked = [types.SamplingMessage(role="user", content=text(said))]
    return types.CreateMessageRequest(
        params=types.CreateMessageRequestParams(messages=asked, max_tokens=most)
    )


NAME = form("What is your name?", name="string")
OK = form("Please confirm", ok="boolean")
ROOTS = types.ListRootsRequest()
ASK = "test_input_required_result_"
ROUNDS: dict[str, tuple[dict[str, Any], ...]] = {
    ASK + "elicitation": ({"user_name": NAME},),
    ASK + "sampling": ({"capital_question": sampled("What is the capital of France?", 100)},),
    ASK + "list_roots": ({"client_roots": ROOTS},),
    ASK + "request_state": ({"confirm": OK},),
    ASK + "tampered_state": ({"confirm": OK},),
    ASK + "multiple_inputs": (
        {"user_name": NAME, "greeting": sampled("Generate a greeting", 50), "client_roots": ROOTS},
    ),
    ASK + "multi_round": (
        {"step1": form("Step 1: What is your name?", name="string")},
        {"step2": form("Step 2: What is your favorite color?", color="string")},
    ),
    "test_streaming_elicitation": ({"user_name": NAME},),
    ASK + "capabilities": ({"by_form": NAME, "by_model": sampled("Say something", 50)},),
}
"""What a tool asks in each of its rounds before it answers."""
PROMPT = {
    "user_context": form("What context should the prompt use?", context="string"),
}
SEALED = (ASK + "request_state", ASK + "tampered_state", ASK + "multiple_inputs", ASK + "multi_round")  # fmt: skip


def seal(name: str, number: int) -> str:
    """The state after a round, which nobody else can make."""
    told = f"{name}.{number}"
    return f"{told}.{hmac.new(KEY, told.encode(), hashlib.sha256).hexdigest()}"


def rounds_of(name: str, params: Any) -> int:
    """How many rounds are behind.

    Raises:
        MCPError: The state was not made here.
    """
    if params.request_state is None:
        return 0
    for number in range(len(ROUNDS[name]) + 1):
        if hmac.compare_digest(params.request_state.encode(), seal(name, number).encode()):
            return number
    raise MCPError(types.INVALID_PARAMS, "this state was not made here, or was changed")


def asking(context: Any, params: Any) -> Any:
    """A round's questions, or the answer at the end."""
    name, given = params.name, params.input_responses or {}
    number = rounds_of(name, params)
    asked = may_ask(context, ROUNDS[name][number])
    if all(key in given for key in asked):
        number += 1
        if number == len(ROUNDS[name]):
            told = {key: one.model_dump(mode="json") for key, one in given.items() if key in asked}
            return types.CallToolResult(content=[text(f"state-ok {json.dumps(told)}")])
        asked = ROUNDS[name][number]
    state = seal(name, number) if name in SEALED else None
    return types.InputRequiredResult(input_requests=asked, request_state=state)


def may_ask(context: Any, asked: dict[str, Any]) -> dict[str, Any]:
    """The questions that the client said it can answer; all where it can answer none of them."""
    known = context.session.client_params
    can = known.capabilities if known else types.ClientCapabilities()
    kinds = {"elicitation/create": can.elicitation, "sampling/createMessage": can.sampling}
    left = {key: one for key, one in asked.items() if kinds.get(one.method, True) is not None}
    return left or asked
