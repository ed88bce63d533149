"""Exports of ChatGPT: conversations as sources, and the few places in them that are memories.

- A memory is what the assistant wrote to `bio`, what stands in the editable context, and a pasted list of saved
  memories; everything else that was said is a message, never a claim.
- The branch that the conversation ended on is marked; a memory on another branch waits for a closer look.
- A title, a date, a mapping or children may be missing, and then are.
- An editable context is repeated in every conversation; equal statements are proposed once.

>>> _pasted("[2026-02-11] - Is allergic to walnuts."), _pasted("Prefers tea")
(('2026-02-11', 'Is allergic to walnuts.'), ('', 'Prefers tea'))
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from muniment.core.errors import Finding
from muniment.exchange.dates import all_stated, stated
from muniment.exchange.notes import note_of
from muniment.exchange.opened import OpenFile
from muniment.exchange.reading import Tools, loaded, mapping_of, text_of, worded
from muniment.exchange.shape import Format, Shape, Weight, shape_of
from muniment.exchange.spans import Node, records_of
from muniment.ports.importing import Candidate, Message, Record, Skipped, Yielded

_PASTED = re.compile(r"(?:[-*]\s+)?(?:\[(?P<date>[^\]]{1,40})\]\s*[-–—:]?\s*)?(?P<text>\S.*)")
_TITLES = frozenset({"saved memories", "memories", "memory", "saved memory"})
_OFF_BRANCH = Finding(
    "off_branch", "it was said on a branch that the conversation did not end with", "/source",
    "see whether it was taken back", "warning", "A-INF-AMBIGUOUS",
)  # fmt: skip


def weigh(shape: Shape) -> Weight:
    """By `mapping` and dates of conversations, or a pasted list of saved memories."""
    if shape.kind in ("array", "lines", "object"):
        if shape.has("mapping") and shape.keys & {
            "create_time",
            "current_node",
            "title",
            "conversation_id",
        }:
            return 90, "conversations with `mapping`"
        return 0, "no conversations with `mapping`"
    lines = [line.strip() for line in shape.head.splitlines() if line.strip()]
    titled = bool(lines) and lines[0].lower().rstrip(":") in _TITLES
    dated = sum(
        bool(re.match(r"[-*]?\s*\[(\d{4}-\d\d-\d\d|unknown)\]", line)) for line in lines[:20]
    )
    if shape.kind == "note" and dated and (titled or dated > 1):
        return 80, "lines such as `[2026-02-11] - text`"
    return 0, "no conversations and no dated list of memories"


def read(file: OpenFile, tools: Tools) -> Iterator[Yielded]:
    """Messages of conversations, and candidates of what was kept as memory."""
    if shape_of(file).kind == "note":
        yield from _list(file)
        return
    for node in records_of(file):
        if node.kind == "object":
            yield from _conversation(node, tools)
        else:
            yield Record()
            yield Skipped(node.place, "record", "it is no conversation")


@dataclass(slots=True)
class _Talk:
    """One conversation."""

    id: str
    title: str
    current: frozenset[str] = frozenset()


def _conversation(node: Node, tools: Tools) -> Iterator[Yielded]:
    head: dict[str, Any] = {}
    entries: list[tuple[str, Node, dict[str, Any]]] = []
    for key, member in node.members():
        if key == "mapping":
            for name, one in member.members():
                value, findings = loaded(one)
                yield from findings
                if isinstance(value, dict):
                    entries.append((name, one, value))
        elif key in ("id", "conversation_id", "title", "current_node"):
            head[key] = member.value()
    talk = _Talk(
        text_of(head.get("conversation_id")) or text_of(head.get("id")), text_of(head.get("title"))
    )
    if not any(mapping_of(value.get("message")) for _, _, value in entries):
        yield Record()
        yield Skipped(
            node.file.place(node.start, node.start, node.pointer),
            talk.title or talk.id or "conversation",
            "it holds no message",
        )
        return
    talk.current = _branch(
        {name: text_of(v.get("parent")) for name, _, v in entries},
        text_of(head.get("current_node")),
    )
    for name, one, value in entries:
        message = mapping_of(value.get("message"))
        if message:
            yield Record()
            yield from _message(name, one, value, message, talk, tools)


def _branch(parents: dict[str, str], last: str) -> frozenset[str]:
    """The nodes from the last one up; all, where no last one is named."""
    if last not in parents:
        return frozenset(parents)
    found: set[str] = set()
    while last in parents and last not in found:
        found.add(last)
        last = parents[last]
    return frozenset(found)


def _message(
    name: str, node: Node, value: dict[str, Any], message: dict[str, Any], talk: _Talk, tools: Tools
) -> Iterator[Yielded]:
    content = mapping_of(message.get("content"))
    role = text_of(mapping_of(message.get("author")).get("role"))
    at = stated("observed", message.get("create_time"), number=True)
    own = f"{talk.id}/{text_of(message.get('id')) or name}"
    if content.get("content_type") == "user_editable_context":
        yield from _context(node, content, tools)
        return
    text = _said(content)
    current = name in talk.current
    if not text:
        yield Skipped(node.place, role or "message", "it says nothing in words")
    elif role == "assistant" and message.get("recipient") == "bio":
        words = worded(text)
        yield Candidate(
            claim=words.claim,
            body=words.body,
            place=node.place,
            foreign_id=own,
            is_record=True,
            type="user_preference",
            memory_type="user_specific",
            dates=all_stated(at),
            foreign={"conversation": talk.id, "on_current_branch": current},
            source_kind="conversation",
            origin="conversation",
            doubts=words.doubts + (() if current else (_OFF_BRANCH,)),
        )
    elif role in ("user", "assistant"):
        parent = text_of(value.get("parent"))
        yield Message(talk.id, own, role, text, node.place, at, talk.title, parent, current)
    else:
        yield Skipped(node.place, role or "message", "it is a message of the system or a tool")


def _context(node: Node, content: dict[str, Any], tools: Tools) -> Iterator[Yielded]:
    for key in ("user_profile", "user_instructions"):
        text = text_of(content.get(key))
        found, findings = tools.prose(
            f"{node.file.name}{node.pointer}", text.encode("utf-8", "replace")
        )
        yield from findings if text else ()
        inner = node.get("message", "content", key)
        for one in found:
            words = worded(one.text)
            yield Candidate(
                claim=words.claim,
                body=words.body,
                place=(inner or node).place,
                foreign_id=key,
                type="user_preference",
                memory_type="user_specific",
                tags=(key,),
                source_kind="user_statement",
                origin="user_input",
                doubts=words.doubts,
            )


def _said(content: dict[str, Any]) -> str:
    parts = content.get("parts")
    if isinstance(parts, list):
        texts = (
            part if isinstance(part, str) else text_of(mapping_of(part).get("text"))
            for part in parts
        )
        return "\n".join(text.strip() for text in texts if text.strip())
    return text_of(content.get("text"))


def _list(file: OpenFile) -> Iterator[Yielded]:
    note = note_of(file)
    yield from note.findings
    for start, end, line in note.lines():
        if line.strip().lower().rstrip(":") in _TITLES:
            continue
        yield Record()
        date, text = _pasted(line.strip())
        words = worded(text)
        yield Candidate(
            claim=words.claim,
            body=words.body,
            place=note.place(start, end),
            type="user_preference",
            memory_type="user_specific",
            dates=all_stated(stated("created", date)),
            doubts=words.doubts,
        )


def _pasted(line: str) -> tuple[str, str]:
    found = _PASTED.fullmatch(line)
    return (found["date"] or "", found["text"]) if found else ("", line)


FORMAT = Format("chatgpt", "ChatGPT export, or its saved memories", weigh, read)
