r"""Runbooks: each ordered list is one procedure, with its steps in order.

- A step keeps what is nested in it; steps are never split into claims of their own.
- `Owner` and `Last tested` go with the procedure as they are given; only a whole date is a date.

>>> [p.steps for p in procedures("# R\n\n## Steps\n\n1. Find it.\n   - wait\n2. Stop it.\n")]
[('Find it. wait', 'Stop it.')]
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from muniment.exchange.dates import all_stated, stated
from muniment.exchange.notes import note_of
from muniment.exchange.opened import OpenFile
from muniment.exchange.reading import Tools, worded
from muniment.exchange.shape import Format, Shape, Weight
from muniment.exchange.spans import Malformed
from muniment.ports.importing import Candidate, Record, Yielded

_STEP = re.compile(r"(?P<indent> {0,3})\d{1,4}[.)][ \t]+(?P<text>\S.*)")
_NESTED = re.compile(r"[ \t]+(?:[-*+]|\d{1,4}[.)])?[ \t]*(?P<text>\S.*)")
_HEADING = re.compile(r"#{1,6}[ \t]+(?P<text>\S.*)")
_FIELD = re.compile(
    r"^(?P<key>Owner|Last tested|Last verified|Service|Severity)[ \t]*:[ \t]*(?P<value>\S.*)",
    re.MULTILINE | re.IGNORECASE,
)
_HEADS = re.compile(
    r"^#{1,4}[ \t]+(?:Steps|Procedure|Rollback|Recovery|Remediation|Mitigation)\b",
    re.MULTILINE | re.IGNORECASE,
)


@dataclass(slots=True)
class Procedure:
    """One ordered list: which bytes of the text it has, under which headings, and its steps."""

    headings: tuple[str, ...]
    start: int
    end: int
    parts: list[list[str]] = field(default_factory=list)

    @property
    def steps(self) -> tuple[str, ...]:
        """Each step with what is nested in it."""
        return tuple(" ".join(part) for part in self.parts)


def weigh(shape: Shape) -> Weight:
    """By its name, or headings such as Steps and Rollback over ordered lists."""
    if shape.kind != "note":
        return 0, "no note"
    ordered = re.search(r"^ {0,3}\d{1,4}[.)][ \t]+\S", shape.head, re.MULTILINE)
    if ordered and (_HEADS.search(shape.head) or "runbook" in shape.path.lower()):
        return 75, "ordered steps under a heading of a runbook"
    return 0, "no ordered steps under a heading of a runbook"


def read(file: OpenFile, tools: Tools) -> Iterator[Yielded]:
    """One candidate an ordered list."""
    note = note_of(file)
    yield from note.findings
    if not note.readable:
        raise Malformed("unreadable_note", "the note cannot be read", file, 0)
    told = {
        found["key"].lower().replace(" ", "_"): found["value"].strip()
        for found in _FIELD.finditer(note.text)
    }
    for one in procedures(note.text):
        yield Record()
        named = ": ".join(one.headings) or file.name
        words = worded(f"{named}: {'; '.join(one.steps)}")
        yield Candidate(
            claim=words.claim,
            body=words.body,
            place=note.place(one.start, one.end, "/".join(one.headings)),
            type="runbook_step",
            memory_type="procedural",
            title=named,
            steps=one.steps,
            dates=all_stated(
                stated("verified", told.get("last_tested") or told.get("last_verified"))
            ),
            foreign={k: v for k, v in told.items() if k in ("owner", "service", "severity")},
            source_kind="runbook",
            origin="human_annotation",
            derivation="direct",
            doubts=words.doubts,
        )


def procedures(text: str) -> list[Procedure]:
    """The ordered lists of a text."""
    found: list[Procedure] = []
    heads: list[tuple[int, str]] = []
    current: Procedure | None = None
    at = 0
    for raw in text.splitlines(keepends=True):
        line = raw.rstrip("\r\n")
        heading, step = _HEADING.fullmatch(line), _STEP.fullmatch(line)
        nested = _NESTED.fullmatch(line) if current and line.strip() else None
        if heading:
            level = len(line) - len(line.lstrip("#"))
            heads = [h for h in heads if h[0] < level] + [(level, heading["text"].rstrip(" \t#"))]
            current = None
        elif step:
            if current is None:
                current = Procedure(tuple(text for _, text in heads), at, at)
                found.append(current)
            current.parts.append([step["text"].strip()])
            current.end = at + len(line.encode())
        elif current and nested:
            current.parts[-1].append(nested["text"].strip())
            current.end = at + len(line.encode())
        elif line.strip():
            current = None
        at += len(raw.encode())
    return found


FORMAT = Format("runbook", "runbooks", weigh, read, shared=True)
