"""Exports of Claude: conversations and projects as sources, memories as claims.

- `memories.json` is a list or one object; its texts are Markdown, and each statement is a candidate.
- A project's memories keep the project's whole identifier as whose they are.
- Conversations are messages. A project's instructions and documents are sources, not claims.
- A manifest names archives to download; it holds nothing itself, and says so.

>>> weigh(Shape("m.json", "object", frozenset({"files"}), {"files": frozenset({"name", "url"})}))[1]
'a manifest of archives'
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from muniment.core.errors import Finding
from muniment.exchange.dates import stated
from muniment.exchange.opened import OpenFile
from muniment.exchange.reading import Tools, loaded, mapping_of, objects, text_of, worded
from muniment.exchange.shape import Format, Shape, Weight
from muniment.exchange.spans import Node, records_of
from muniment.ports.importing import Candidate, Message, Record, Skipped, Yielded


def weigh(shape: Shape) -> Weight:
    """By `chat_messages`, `conversations_memory`, or a project's `prompt_template`."""
    if shape.keys & {"conversations_memory", "project_memories"}:
        return 90, "`conversations_memory` or `project_memories`"
    if shape.has("uuid", "chat_messages"):
        return 90, "conversations with `chat_messages`"
    if shape.has("uuid", "prompt_template"):
        return 85, "projects with `prompt_template`"
    if shape.kind == "object" and {"name", "url"} <= shape.inside("files"):
        return 80, "a manifest of archives"
    if shape.has("uuid", "full_name") and shape.keys & {"email_address", "verified_phone_number"}:
        return 80, "a list of users"
    return 0, "no `chat_messages` and no `conversations_memory`"


def read(file: OpenFile, tools: Tools) -> Iterator[Yielded]:
    """Messages of conversations, and candidates of memories."""
    for node in records_of(file):
        keys = dict(node.members())
        if "chat_messages" in keys:
            yield from _conversation(node, keys)
        elif "conversations_memory" in keys or "project_memories" in keys:
            yield from _memories(node, keys, tools)
        else:
            yield Record()
            yield Skipped(
                node.file.place(node.start, node.start, node.pointer), _name(keys), _why_not(keys)
            )


def _why_not(keys: dict[str, Node]) -> str:
    if "files" in keys:
        return "it is a manifest: download the archives that it names, and import those"
    if "prompt_template" in keys or "docs" in keys:
        return "a project's instructions and documents are sources, not memories"
    return "it holds no conversation and no memory"


def _name(keys: dict[str, Node]) -> str:
    found = (text_of(keys[key].value()) for key in ("name", "uuid") if key in keys)
    return next((name for name in found if name), "record")


def _conversation(node: Node, keys: dict[str, Node]) -> Iterator[Yielded]:
    own = text_of(keys["uuid"].value()) if "uuid" in keys else ""
    title = text_of(keys["name"].value()) if "name" in keys else ""
    empty = True
    for found in objects(keys["chat_messages"].items()):
        empty = False
        if isinstance(found, Finding):
            yield found
            continue
        yield Record()
        yield found if isinstance(found, Skipped) else _message(*found, own, title)
    if empty:
        yield Record()
        yield Skipped(
            node.file.place(node.start, node.start, node.pointer),
            title or own or "conversation",
            "it holds no message",
        )


def _message(node: Node, value: dict[str, Any], talk: str, title: str) -> Yielded:
    text = text_of(value.get("text")) or _said(value.get("content"))
    if not text:
        return Skipped(
            node.place, text_of(value.get("sender")) or "message", "it says nothing in words"
        )
    return Message(
        talk, text_of(value.get("uuid")), text_of(value.get("sender")), text, node.place,
        stated("observed", value.get("created_at")), title, text_of(value.get("parent_message_uuid")),
    )  # fmt: skip


def _said(content: Any) -> str:
    parts = content if isinstance(content, list) else []
    return "\n".join(text for part in parts if (text := text_of(mapping_of(part).get("text"))))


def _memories(node: Node, keys: dict[str, Node], tools: Tools) -> Iterator[Yielded]:
    account = text_of(keys["account_uuid"].value()) if "account_uuid" in keys else ""
    if "conversations_memory" in keys:
        yield from _memory(keys["conversations_memory"], account, "", tools)
    if "project_memories" in keys:
        for project, one in keys["project_memories"].members():
            yield from _memory(one, account, project, tools)


def _memory(node: Node, account: str, project: str, tools: Tools) -> Iterator[Yielded]:
    value, findings = loaded(node)
    yield from findings
    text = text_of(value)
    yield Record()
    found, problems = tools.prose(
        f"{node.file.name}{node.pointer}", text.encode("utf-8", "replace")
    )
    yield from problems if text else ()
    kept = [one for one in found if not _is_heading(one.own, text)]
    for one in kept:
        words = worded(one.text)
        yield Candidate(
            claim=words.claim,
            body=words.body,
            place=node.place,
            account=account,
            foreign_id=project,
            type="project_fact" if project else "user_preference",
            memory_type="semantic" if project else "user_specific",
            content_kind="summary",
            foreign={"project": project} if project else {},
            origin="summarisation",
            derivation="summarised",
            doubts=words.doubts,
        )
    if not kept:
        yield Skipped(
            node.file.place(node.start, node.start, node.pointer),
            project or "memory",
            "its text is empty",
        )


def _is_heading(own: str, text: str) -> bool:
    """Whether a statement is a line in bold that stands over others."""
    return f"**{own}**" in text and not own.endswith((".", "!", "?"))


FORMAT = Format("claude-ai", "Claude export (conversations, projects, memories)", weigh, read)
