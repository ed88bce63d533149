"""Notes of an Obsidian vault, and concepts of an OKF bundle.

- Each statement of a note is a candidate; embedded files, callout marks and block names are no part of one.
- A field `key:: value` is a fact of the note. Links are kept as relations, whether their target is there or not.
- OKF: `status`, `verified` and `generated` are evidence of somebody else's review, never acceptance, and an absent
  status means nothing; `stale_after` ends a claim; `sources` are what it cites.
- `index.md` and `log.md` of a bundle are reserved, and hold no concept.
- A concept of MIF is left to MIF.

>>> _state({"x_tool": {"status": "superseded"}}), _state({"status": "stable"})
('superseded', '')
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from muniment.core.claim import Entity, Fact, Relationship
from muniment.exchange.dates import all_stated, stated
from muniment.exchange.notes import Note, note_of
from muniment.exchange.opened import OpenFile
from muniment.exchange.reading import Tools, given, mapping_of, text_of, texts_of, without, worded
from muniment.exchange.shape import Format, Shape, Weight
from muniment.exchange.spans import Malformed
from muniment.ports.importing import (
    DEAD_STATES,
    Candidate,
    Passage,
    Record,
    Skipped,
    Stated,
    Yielded,
)

_WIKI = re.compile(
    r"!?\[\[(?P<target>[^\[\]|#^]{1,200})(?:[#^][^\[\]|]*)?(?:\|(?P<alias>[^\[\]]*))?\]\]"
)
_MARKS = re.compile(
    rb"!\[\[[^\[\]\n]*\]\]|[ \t]\^[\w-]+(?=[ \t\r]*$)|\[![\w-]+\][+-]?"
    rb"|^[ \t]*(?:[-*][ \t]+)?[A-Za-z][\w -]{0,40}::[ \t][^\n]*",
    re.MULTILINE,
)
_INLINE = re.compile(r"[ \t]*(?:[-*][ \t]+)?(?P<key>[A-Za-z][\w -]{0,40})::[ \t]*(?P<value>\S.*)")
_FOOTNOTE = re.compile(r"\[\^[^\[\]]{1,200}\]:?")
_OKF_KEYS = frozenset(
    {
        "generated",
        "verified",
        "stale_after",
        "sources",
        "status",
        "description",
        "resource",
        "timestamp",
    }
)


def is_mif(front: Any) -> bool:
    """Whether front matter is a MIF concept's."""
    keys = set(front)
    return (
        "conceptType" in keys
        or "@id" in keys
        or (
            {"id", "type", "created"} <= keys
            and front.get("type") in ("semantic", "episodic", "procedural")
        )
    )


def weigh_okf(shape: Shape) -> Weight:
    """By a type, and what OKF adds to it."""
    if shape.kind != "note" or is_mif(shape.front):
        return 0, "a concept of MIF" if shape.kind == "note" else "no note"
    if "okf_version" in shape.front:
        return 80, "`okf_version`"
    if (
        "permalink" not in shape.front
        and text_of(shape.front.get("type"))
        and mapping_of(shape.front.get("metadata")).get("node_type") is None
    ):
        more = shape.front.keys() & _OKF_KEYS
        return (80, f"a type and `{min(more)}`") if more else (60, "front matter with a type")
    if shape.name == "log.md" and re.search(r"^## \d{4}-\d\d-\d\d", shape.head, re.MULTILINE):
        return 60, "a log by date"
    return 0, "no type in its front matter"


def weigh_obsidian(shape: Shape) -> Weight:
    """By links between notes, aliases or fields; any other note is merely possible."""
    if shape.kind != "note" or is_mif(shape.front):
        return 0, "a concept of MIF" if shape.kind == "note" else "no note"
    if shape.front.keys() & {"aliases", "cssclasses", "cssclass"}:
        return 70, "`aliases` or `cssclasses`"
    if _WIKI.search(shape.head) or any(_INLINE.match(line) for line in shape.head.splitlines()):
        return 60, "links such as `[[note]]`, or fields such as `key:: value`"
    if shape.path.endswith((".md", ".markdown", ".txt")):
        return 30, "a text, with nothing that tells whose; name a format for it"
    return 0, "no Markdown"


def read(file: OpenFile, tools: Tools) -> Iterator[Yielded]:
    """One candidate a statement or field."""
    note = note_of(file)
    yield from note.findings
    if not note.readable:
        raise Malformed("unreadable_note", "the note cannot be read", file, 0)
    if "okf_version" in note.front or (
        file.path.rpartition("/")[2] in ("index.md", "log.md")
        and not text_of(note.front.get("type"))
    ):
        yield Record()
        yield Skipped(
            note.whole(),
            file.path.rpartition("/")[2],
            "an index or log names concepts, and is none",
        )
        return
    masked = replace(note, body=_MARKS.sub(lambda mark: b" " * len(mark.group()), note.body))
    found, findings = masked.passages(tools)
    yield from findings
    stated_here = [_field(note, *one) for one in _fields(note)]
    stated_here += [one for passage in found if (one := _statement(note, passage))]
    for candidate in stated_here:
        yield Record()
        yield candidate
    if not stated_here:
        yield Record()
        yield Skipped(note.whole(), _title(note) or "note", "it states nothing")


def _title(note: Note) -> str:
    return text_of(note.front.get("title")) or note.file.path.rpartition("/")[2].rpartition(".")[0]


def _fields(note: Note) -> Iterator[tuple[int, int, str, str]]:
    for start, end, line in note.lines():
        found = _INLINE.fullmatch(line.rstrip())
        if found:
            yield start, end, found["key"].strip(), found["value"]


def _field(note: Note, start: int, end: int, key: str, value: str) -> Candidate:
    title = _title(note)
    plain = _plain(value)
    words = worded(f"{title}: {key}: {plain}")
    return Candidate(
        claim=words.claim,
        body=words.body,
        place=note.place(start, end),
        content_kind="structured_data",
        facts=(Fact(title, re.sub(r"\W+", "_", key.lower()).strip("_") or "field", plain),),
        entities=(Entity(title),),
        doubts=words.doubts,
        **_shared(note),
    )


def _statement(note: Note, one: Passage) -> Candidate | None:
    raw = note.file.part(one.start, one.end).decode("utf-8", "replace")
    own = _plain(one.text)
    if not any(c.isalnum() for c in own):
        return None
    if _FOOTNOTE.match(raw) and raw.startswith("[^") and "]:" in raw[:80]:
        return None
    links = tuple(dict.fromkeys(found["target"].strip() for found in _WIKI.finditer(raw)))
    words = worded(own)
    return Candidate(
        claim=words.claim,
        body=words.body,
        place=note.file.place(one.start, one.end, "/".join(one.headings)),
        title=text_of(note.front.get("title")),
        relationships=tuple(Relationship("links_to", link) for link in links),
        steps=one.steps,
        memory_type="procedural" if len(one.steps) > 1 else "semantic",
        doubts=words.doubts,
        **_shared(note),
    )


def _plain(text: str) -> str:
    """Links as the words that they show; footnote marks taken out."""
    return _FOOTNOTE.sub("", _WIKI.sub(lambda m: (m["alias"] or m["target"]).strip(), text)).strip()


def _shared(note: Note) -> dict[str, Any]:
    """What every statement of a note carries."""
    front = note.front
    sources = front.get("sources")
    cites = (
        [text_of(mapping_of(one).get("resource")) for one in sources]
        if isinstance(sources, list)
        else []
    )
    return {
        "foreign_id": text_of(front.get("id")),
        "tags": tuple(
            dict.fromkeys((*texts_of(front.get("tags")), *texts_of(front.get("aliases"))))
        ),
        "dates": _dates(front),
        "state": _state(front),
        "foreign": given(front, "type", "status", "verified", "generated", "confidence"),
        "record": {"front_matter": without(front, "title", "tags")} if front else {},
        "cites": tuple(one for one in cites if one),
    }


def _dates(front: dict[str, Any]) -> tuple[Stated, ...]:
    inner = next((mapping_of(v) for k, v in front.items() if k.startswith("x_")), {})
    return all_stated(
        stated("created", front.get("created", front.get("timestamp"))),
        stated("updated", front.get("modified", front.get("updated"))),
        stated("date", front.get("date")),
        stated("expires", front.get("stale_after", inner.get("expires_at")), ends=True),
    )


def _state(front: dict[str, Any]) -> str:
    inner = (mapping_of(value) for key, value in front.items() if key.startswith("x_"))
    words = [text_of(one.get("status")).lower() for one in (front, *inner)]
    return next((word for word in words if word in DEAD_STATES), "")


OBSIDIAN = Format("obsidian", "notes of an Obsidian vault", weigh_obsidian, read)
OKF = Format("okf", "concepts of an OKF bundle", weigh_okf, read)
