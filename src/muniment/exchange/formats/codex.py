"""Codex memories: a summary, a handbook of task groups, and summaries of sessions.

- Each statement is a candidate; lists of files, keywords and the summary's own index are not.
- A task group's `applies_to` and `scope` go with its statements; a session's header gives its thread and its date.
- The older handbook has several blocks of front matter; all of them are read.

>>> _is_reference(("Task 1: fix, success", "rollout_summary_files")), _is_reference(("User preferences",))
(True, False)
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from muniment.core.errors import Finding
from muniment.exchange.dates import all_stated, stated
from muniment.exchange.notes import note_of
from muniment.exchange.opened import OpenFile
from muniment.exchange.reading import Tools, worded
from muniment.exchange.shape import Format, Shape, Weight
from muniment.exchange.spans import Malformed
from muniment.ports.importing import Candidate, Passage, Record, Skipped, Yielded

_REFERENCES = frozenset(
    {"rollout_summary_files", "rollout summary files", "keywords", "what's in memory"}
)
_HEADER = re.compile(
    r"^(?P<key>thread_id|updated_at|cwd|git_branch|scope|applies_to|rollout_path|rollout_summary_files"
    r"|description|keywords):(?P<value>.*)$",
    re.MULTILINE,
)
_GROUP = re.compile(r"^# Task Group\b", re.MULTILINE)


def weigh(shape: Shape) -> Weight:
    """By the folder of Codex, task groups, or the header of a session."""
    if shape.kind != "note":
        return 0, "no note"
    if _GROUP.search(shape.head):
        return 85, "`# Task Group`"
    if re.match(r"\s*v1\s*\n", shape.head) and "## " in shape.head:
        return 80, "a summary of version `v1`"
    if {"thread_id", "updated_at"} <= {
        found["key"] for found in _HEADER.finditer(shape.head[:2_000])
    }:
        return 85, "a header with `thread_id` and `updated_at`"
    if "rollout_summary_files" in shape.front:
        return 85, "front matter with `rollout_summary_files`"
    return 0, "no task groups and no header of a session"


def read(file: OpenFile, tools: Tools) -> Iterator[Yielded]:
    """One candidate a statement."""
    note = note_of(file)
    yield from note.findings
    if not note.readable:
        raise Malformed("unreadable_note", "the note cannot be read", file, 0)
    found, findings = note.passages(tools)
    yield from findings
    headers = [(h.start(), h["key"], h["value"].strip()) for h in _HEADER.finditer(note.text)]
    told = {
        key: value for _, key, value in headers if key not in ("keywords", "rollout_summary_files")
    }
    told.update({k: str(v) for k, v in note.front.items() if isinstance(v, str | int)})
    for one in found:
        yield Record()
        yield _statement(file, one, told)


def _statement(file: OpenFile, one: Passage, told: dict[str, str]) -> Yielded:
    place = file.place(one.start, one.end, "/".join(one.headings))
    if _is_reference(one.headings):
        return Skipped(place, one.own, "it only names files or keywords")
    if _HEADER.match(place.quote) or one.own == "v1":
        return Skipped(place, one.own, "it is a header")
    words = worded(one.text)
    preference = any("preference" in heading.lower() for heading in one.headings)
    doubts: tuple[Finding, ...] = words.doubts
    return Candidate(
        claim=words.claim,
        body=words.body,
        place=place,
        foreign_id=told.get("thread_id", ""),
        type="user_preference" if preference else "project_fact",
        dates=all_stated(stated("updated", told.get("updated_at"))),
        foreign={
            k: v
            for k, v in told.items()
            if k in ("thread_id", "cwd", "git_branch", "applies_to", "scope")
        },
        steps=one.steps,
        memory_type="procedural" if len(one.steps) > 1 else "semantic",
        doubts=doubts,
    )


def _is_reference(headings: tuple[str, ...]) -> bool:
    return any(heading.lower() in _REFERENCES for heading in headings)


FORMAT = Format("codex", "Codex memories", weigh, read)
