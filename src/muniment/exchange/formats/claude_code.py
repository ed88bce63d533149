"""Claude Code's own memory notes: front matter with a type, a statement, and why.

- Types `user`, `feedback`, `project` and `reference` say what a note is about; other types are kept as they are.
- The statement is the first paragraph; **Why:** and **How to apply:** stay with it as the body.
- `modified` is a date only where it is a whole one. The index `MEMORY.md` only names the notes; one without any
  note is read as prose.
- A link to another note is kept as a relation, whether that note is there or not.

>>> _type({"metadata": {"type": "feedback"}}), _type({"type": "project"})
('feedback', 'project')
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from muniment.core.claim import Relationship
from muniment.exchange.dates import all_stated, stated
from muniment.exchange.notes import Note, note_of
from muniment.exchange.opened import OpenFile
from muniment.exchange.reading import Tools, given, mapping_of, text_of, worded
from muniment.exchange.shape import Format, Shape, Weight
from muniment.exchange.spans import Malformed
from muniment.ports.importing import Candidate, Record, Skipped, Yielded

_TYPES = {
    "feedback": "team_preference",
    "user": "user_preference",
    "project": "project_fact",
    "reference": "integration_capability",
}
_INDEX = re.compile(r"^[ \t]*[-*][ \t]+\[[^\[\]\n]{1,300}\]\([^()\s]{1,300}\.md\)", re.MULTILINE)
_LINK = re.compile(r"\[\[([^\[\]|#]{1,200})")
_PART = re.compile(r"^\*\*(?:Why|How to apply):?\*\*", re.MULTILINE | re.IGNORECASE)


def weigh(shape: Shape) -> Weight:
    """By the folder `memory` of a project, and front matter with a type."""
    if shape.kind != "note":
        return 0, "no note"
    typed = _type(shape.front)
    node = mapping_of(shape.front.get("metadata")).get("node_type") == "memory"
    if node or (typed in _TYPES and {"name", "description"} <= shape.front.keys()):
        return 85, "front matter with `name`, `description` and a type of memory"
    projects = "projects" in shape.folders and "memory" in shape.folders[-1:]
    if projects or (
        shape.name == "MEMORY.md" and _INDEX.search(shape.head) and ".claude" in shape.folders
    ):
        return 75, "a note in the memory of a project"
    if (
        shape.path.endswith((".md", ".txt"))
        and "memories" in shape.folders
        and "codex" not in " ".join(shape.folders)
    ):
        return 60, "a file in the folder `memories` of the memory tool"
    if shape.name == "MEMORY.md" and _INDEX.search(shape.head):
        return 65, "an index of notes"
    return 0, "no type of memory in its front matter"


def read(file: OpenFile, tools: Tools) -> Iterator[Yielded]:
    """One candidate a note; of an index, nothing; of a long note by hand, its statements."""
    note = note_of(file)
    yield from note.findings
    if not note.readable:
        raise Malformed("unreadable_note", "the note cannot be read", file, 0)
    if _type(note.front) or "name" in note.front:
        yield Record()
        yield from _note(note)
        return
    found, findings = note.passages(tools)
    yield from findings
    for one in found:
        yield Record()
        place = file.place(one.start, one.end, "/".join(one.headings))
        if _INDEX.match(f"- {place.quote}") or _INDEX.match(place.quote):
            yield Skipped(
                place, one.own, "it is an index: the note that it names is read by itself"
            )
            continue
        words = worded(one.text)
        yield Candidate(
            claim=words.claim, body=words.body, place=place, steps=one.steps, doubts=words.doubts
        )


def _note(note: Note) -> Iterator[Yielded]:
    text = note.text.strip()
    name, described = text_of(note.front.get("name")), text_of(note.front.get("description"))
    cut = _PART.search(text)
    statement = " ".join((text[: cut.start()] if cut else text).split()) or described
    if not statement:
        yield Skipped(note.whole(), name or "note", "it says nothing")
        return
    words = worded(statement)
    kind = _type(note.front)
    metadata = mapping_of(note.front.get("metadata"))
    modified = text_of(metadata.get("modified")) or text_of(note.front.get("modified"))
    yield Candidate(
        claim=words.claim,
        body=words.body or (text if cut else ""),
        place=note.whole(),
        foreign_id=name,
        is_record=True,
        type=_TYPES.get(kind, "project_fact"),
        title=described,
        tags=(kind,) if kind else (),
        relationships=tuple(
            Relationship("links_to", link.strip()) for link in dict.fromkeys(_LINK.findall(text))
        ),
        dates=all_stated(stated("updated", modified)),
        foreign=given({**metadata, **note.front}, "type", "originSessionId", "node_type"),
        record={"front_matter": note.front},
        doubts=words.doubts,
    )


def _type(front: Any) -> str:
    found = mapping_of(front)
    return text_of(mapping_of(found.get("metadata")).get("type")) or text_of(found.get("type"))


FORMAT = Format(
    "claude-code", "Claude Code memory notes, and files of the memory tool", weigh, read
)
