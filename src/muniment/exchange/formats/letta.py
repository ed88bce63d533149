"""Agent files of Letta (`.af`): memory blocks, each statement of one its own claim.

- Some are a JSON text that holds JSON; they are read all the same, without places in bytes.
- A block packs many facts in prose: each is proposed by itself, and the block's label says what it is about.
- A persona is what the agent is to be, not a memory; templates and hidden blocks are left out.
- Messages are a conversation's. Secrets, tools and settings are never read.
- Blocks have no dates, and none is added.

>>> _about("system/human/family"), _about("persona")
('user_preference', '')
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from muniment.core.errors import Finding
from muniment.exchange.dates import stated
from muniment.exchange.opened import OpenFile
from muniment.exchange.reading import Tools, given, objects, text_of, texts_of, worded
from muniment.exchange.shape import Format, Shape, Weight
from muniment.exchange.spans import Node, root_of, unwrapped
from muniment.ports.importing import Candidate, Message, Place, Record, Skipped, Yielded


def weigh(shape: Shape) -> Weight:
    """By agents and blocks, or an older file's `core_memory`."""
    if shape.kind == "object" and shape.has("agents", "blocks"):
        how = " (JSON in a JSON text)" if shape.encoded else ""
        return 90, f"`agents` and `blocks`{how}"
    if shape.kind == "object" and {"label", "value"} <= shape.inside("core_memory"):
        return 85, "`core_memory` with `label` and `value`"
    return 0, "no `agents` and `blocks`"


def read(file: OpenFile, tools: Tools) -> Iterator[Yielded]:
    """One candidate a statement of a block; messages as messages."""
    root = unwrapped(root_of(file))
    for key, node in root.members():
        if key in ("blocks", "core_memory"):
            yield from _blocks(node, tools)
        elif key == "agents":
            for agent in node.items():
                yield from _agent(agent, tools)
        elif key == "messages":
            yield from _messages(node, "")


def _agent(agent: Node, tools: Tools) -> Iterator[Yielded]:
    members = {k: n for k, n in agent.members() if k in ("id", "name", "messages", "memory_blocks")}
    own = text_of(members["id"].value()) if "id" in members else ""
    if "memory_blocks" in members:
        yield from _blocks(members["memory_blocks"], tools)
    if "messages" in members:
        yield from _messages(members["messages"], own)


def _blocks(node: Node, tools: Tools) -> Iterator[Yielded]:
    for found in objects(node.items()):
        if isinstance(found, Finding):
            yield found
            continue
        yield Record()
        yield from (found,) if isinstance(found, Skipped) else _block(*found, tools)


def _block(node: Node, value: dict[str, Any], tools: Tools) -> Iterator[Yielded]:
    label, text = text_of(value.get("label")), text_of(value.get("value"))
    about = _about(label)
    reason = _left_out(value, text, about)
    if reason:
        yield Skipped(node.place, label or "block", reason)
        return
    found, findings = tools.prose(
        f"{node.file.name}{node.pointer}/value", text.encode("utf-8", "replace")
    )
    yield from findings
    place = _value_place(node)
    for one in found:
        words = worded(one.text)
        yield Candidate(
            claim=words.claim,
            body=words.body,
            place=place,
            foreign_id=text_of(value.get("id")),
            type=about,
            memory_type="user_specific" if about == "user_preference" else "semantic",
            tags=(label, *texts_of(value.get("tags"))) if label else (),
            record=given(value, "label", "description", "limit", "read_only", "metadata", "tags"),
            doubts=words.doubts,
        )
    if not found:
        yield Skipped(node.place, label or "block", "it holds no statement")


def _value_place(node: Node) -> Place:
    inner = node.get("value")
    return (inner or node).place


def _left_out(value: dict[str, Any], text: str, about: str) -> str:
    if not text:
        return "it is empty"
    if not about:
        return "a persona says what the agent is to be, and is no memory"
    return (
        "it is a template or hidden"
        if value.get("is_template") is True or value.get("hidden") is True
        else ""
    )


def _about(label: str) -> str:
    """The claim type of a block; empty for what is no memory."""
    steps = label.lower().split("/")
    if "persona" in steps:
        return ""
    return "user_preference" if {"human", "user"} & set(steps) else "project_fact"


def _messages(node: Node, agent: str) -> Iterator[Yielded]:
    for found in objects(node.items()):
        if isinstance(found, Finding):
            yield found
            continue
        yield Record()
        if isinstance(found, Skipped):
            yield found
            continue
        one, value = found
        text = _said(value.get("content"))
        if text:
            yield Message(
                agent, text_of(value.get("id")), text_of(value.get("role")), text, one.place,
                stated("observed", value.get("created_at")),
            )  # fmt: skip
        else:
            yield Skipped(one.place, "message", "it says nothing in words")


def _said(content: Any) -> str:
    if isinstance(content, list):
        parts = (text_of(part.get("text")) for part in content if isinstance(part, dict))
        return "\n".join(part for part in parts if part)
    return text_of(content)


FORMAT = Format("letta", "Letta agent file (.af)", weigh, read)
