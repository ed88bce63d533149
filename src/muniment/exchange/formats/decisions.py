"""Decision records in Nygard's and the MADR form.

- What was decided is a candidate; the record's status and date go with it, as they are given.
- A status of the record's own is evidence, never acceptance.
- What is superseded, deprecated, rejected or only proposed there does not come alive here.

>>> _state("superseded by [ADR-0012](0012.md)"), _state("Accepted"), _state("proposed")
('superseded', '', 'undecided')
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from muniment.exchange.dates import all_stated, stated
from muniment.exchange.extracts import candidate_of, extracts_of
from muniment.exchange.notes import note_of
from muniment.exchange.opened import OpenFile
from muniment.exchange.reading import Tools
from muniment.exchange.shape import Format, Shape, Weight
from muniment.ports.importing import Record, Skipped, Stated, Yielded

_NUMBER = re.compile(r"(?P<number>\d{1,5})[-_]")
_STATUS = re.compile(
    r"^#{2,3}[ \t]+Status[ \t]*\r?$(?P<text>(?:\r?\n(?!#).*)*)", re.MULTILINE | re.IGNORECASE
)
_FIELD = re.compile(
    r"^[ \t]*(?:[-*][ \t]+)?\**Date\**[ \t]*:\**[ \t]*(?P<date>\S[^\r\n]*)",
    re.MULTILINE | re.IGNORECASE,
)
_DECISION = re.compile(
    r"^#{2,3}[ \t]+(?:Decision(?: Outcome)?|The decision)[ \t]*\r?$", re.MULTILINE | re.IGNORECASE
)
_STATES = (
    ("supersed", "superseded"),
    ("replaced", "superseded"),
    ("deprecat", "deprecated"),
    ("reject", "rejected"),
    ("withdrawn", "rejected"),
    ("obsolete", "deprecated"),
    ("propos", "undecided"),
    ("draft", "undecided"),
)


def weigh(shape: Shape) -> Weight:
    """By the headings for status and decision, or the front matter of MADR."""
    if shape.kind != "note":
        return 0, "no note"
    decided = _DECISION.search(shape.head)
    if decided and (shape.front.keys() & {"decision-makers", "deciders", "consulted", "informed"}):
        return 90, "`Decision Outcome` and the people who decided"
    if decided and (_STATUS.search(shape.head) or "status" in shape.front):
        return 85, "headings for status and decision"
    if decided and re.search(r"^#{2,3}[ \t]+Context", shape.head, re.MULTILINE):
        return 65, "headings for context and decision"
    return 0, "no heading for a decision"


def read(file: OpenFile, tools: Tools) -> Iterator[Yielded]:
    """What was decided, with status and date."""
    note = note_of(file)
    found, findings = extracts_of(file, tools, _known_path(file.path))
    yield from findings
    status = _status(note.text, note.front.get("status"))
    state = _state(status)
    dates = _dates(note.text, note.front.get("date"))
    decided = [one for one in found if one.predicate == "decided"]
    yield Record()
    if not decided:
        title = next(
            (line.lstrip("# ") for _, _, line in note.lines() if line.startswith("# ")), file.name
        )
        reason = "its status says that it does not hold" if state else "it states no decision"
        yield Skipped(note.whole(), title, reason)
    for one in decided:
        candidate = candidate_of(file, one)
        yield replace(
            candidate, state=state, dates=dates, foreign={"review": status} if status else {}
        )


def _known_path(path: str) -> str:
    name = path.rpartition("/")[2]
    number = _NUMBER.search(name)
    rest = name[number.end() :] if number else name
    return f"docs/decisions/{number['number'] if number else '0'}-{rest}"


def _status(text: str, stated_status: object) -> str:
    if isinstance(stated_status, str) and stated_status.strip():
        return stated_status.strip()
    found = _STATUS.search(text)
    lines = [line.strip() for line in found["text"].splitlines() if line.strip()] if found else []
    return "; ".join(lines)[:300]


def _state(status: str) -> str:
    """What the last word on a record makes of it."""
    folded = status.lower()
    return next((state for word, state in _STATES if word in folded), "")


def _dates(text: str, given: object) -> tuple[Stated, ...]:
    found = _FIELD.search(text)
    return all_stated(stated("date", given or (found["date"].strip() if found else None)))


FORMAT = Format("decisions", "decision records (Nygard, MADR)", weigh, read, shared=True)
