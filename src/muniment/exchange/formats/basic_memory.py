r"""Notes of basic-memory: observations and relations in Markdown lists.

- An observation is `- [category] text #tag (context)`, or an item with a tag; one claim each.
- Not observations: tasks, single marks in brackets, time codes, links.
- A relation is `- type [[Target]] (context)`; a bare `[[Target]]` is `links_to`; words after the target make it prose.
- A note without observations says its statements as prose does.
- Dates are those of the front matter, never the file's.

>>> [_observation(line)[0] for line in ("[fact] Takes 4 minutes #ops (measured)", "has a #tag")]
['fact', '']
>>> [_observation(line) for line in ("[ ] a task", "[00:12:31] said", "[x](https://x.example)")]
[None, None, None]
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from muniment.core.claim import Entity, Fact, Relationship
from muniment.exchange.dates import all_stated, stated
from muniment.exchange.notes import Note, note_of
from muniment.exchange.opened import OpenFile
from muniment.exchange.reading import Tools, text_of, texts_of, without, worded
from muniment.exchange.shape import Format, Shape, Weight
from muniment.exchange.spans import Malformed
from muniment.ports.importing import Candidate, Record, Skipped, Yielded

_ITEM = re.compile(r"(?P<lead>[ \t]*[-*][ \t]+)(?P<text>\S.*)")
_CATEGORY = re.compile(r"\[(?P<category>[^\[\]()]{1,60})\][ \t]+(?P<rest>\S.*)")
_TAG = re.compile(r"(?:^|(?<=\s))#(?P<tag>[\w/-]+)")
_CONTEXT = re.compile(r"\((?P<context>[^()]{0,500})\)$")
_RELATION = re.compile(
    r"(?:(?P<quoted>\"[^\"]{1,80}\")|(?P<type>[\w][\w -]{0,60}?))?[ \t]*"
    r"\[\[(?P<target>[^\[\]]{1,300})\]\][ \t]*(?:\((?P<context>[^()]*)\))?$"
)
_TIME = re.compile(r"\d{1,2}:\d\d(?::\d\d)?")
_TYPES = {
    "decision": "decision",
    "preference": "user_preference",
    "rule": "domain_rule",
    "lesson": "incident_lesson",
}


@dataclass(frozen=True, slots=True)
class _Header:
    """What all statements of a note share."""

    title: str
    permalink: str
    tags: tuple[str, ...]
    dates: tuple[object, ...]
    rest: dict[str, object]


def weigh(shape: Shape) -> Weight:
    """By a permalink, or observations in lists."""
    if shape.kind != "note":
        return 0, "no note"
    if "permalink" in shape.front:
        return 85, "a `permalink` in its front matter"
    for line in shape.head.splitlines():
        found = _ITEM.match(line.rstrip())
        category = _observation(found["text"]) if found else None
        if category and category[0]:
            return 70, "observations such as `- [category] text`"
    return 0, "no observations and no permalink"


def read(file: OpenFile, tools: Tools) -> Iterator[Yielded]:
    """Observations and relations; without any, the statements of the prose."""
    note = note_of(file)
    yield from note.findings
    if not note.readable:
        raise Malformed("unreadable_note", "the note cannot be read", file, 0)
    header = _header(note)
    found = list(_items(note, header))
    for one in found or list(prose(note, tools, header)):
        yield Record()
        yield one


def _header(note: Note) -> _Header:
    front = note.front
    title = text_of(front.get("title")) or text_of(front.get("name"))
    dates = all_stated(
        stated("created", front.get("created")), stated("updated", front.get("modified"))
    )
    rest = without(front, "title", "tags", "permalink", "created", "modified")
    return _Header(title, text_of(front.get("permalink")), texts_of(front.get("tags")), dates, rest)


def _items(note: Note, header: _Header) -> Iterator[Yielded]:
    for start, end, line in note.lines():
        item = _ITEM.match(line.rstrip())
        if not item:
            continue
        at = start + len(item["lead"].encode())
        place = note.place(at, end, header.permalink)
        observed = _observation(item["text"])
        related = None if observed else _RELATION.fullmatch(item["text"])
        if observed and observed[1]:
            category, text, tags, context = observed
            words = worded(f"{header.title}: {text}" if header.title else text)
            yield Candidate(
                claim=words.claim,
                body=words.body,
                place=place,
                foreign_id=header.permalink,
                type=_TYPES.get(category.lower(), "project_fact"),
                tags=tuple(
                    dict.fromkeys((*((category,) if category else ()), *tags, *header.tags))
                ),
                entities=(Entity(header.title),) if header.title else (),
                dates=header.dates,  # type: ignore[arg-type]
                record=header.rest,
                foreign={"context": context} if context else {},
                doubts=words.doubts,
            )
        elif related and header.title:
            yield _relation(related, place, header)
        elif related:
            yield Skipped(place, related["target"], "its note has no title to relate from")


def _relation(found: re.Match[str], place: object, header: _Header) -> Candidate:
    kind = (found["quoted"] or found["type"] or "links_to").strip('" ')
    target = found["target"].strip()
    name = re.sub(r"\W+", "_", kind.lower()).strip("_") or "links_to"
    return Candidate(
        claim=f"{header.title} {kind.replace('_', ' ')} {target}",
        place=place,  # type: ignore[arg-type]
        foreign_id=header.permalink,
        content_kind="relationship",
        entities=(Entity(header.title), Entity(target)),
        facts=(Fact(header.title, name, target),),
        relationships=(Relationship(name, target),),
        dates=header.dates,  # type: ignore[arg-type]
        foreign={"context": found["context"]} if found["context"] else {},
    )


def prose(note: Note, tools: Tools, header: _Header) -> Iterator[Yielded]:
    """A candidate for each statement of a note's prose."""
    found, findings = note.passages(tools)
    yield from findings
    for one in found:
        words = worded(f"{header.title}: {one.text}" if header.title else one.text)
        yield Candidate(
            claim=words.claim,
            body=words.body,
            place=note.file.place(one.start, one.end, "/".join(one.headings)),
            foreign_id=header.permalink,
            tags=header.tags,
            dates=header.dates,  # type: ignore[arg-type]
            steps=one.steps,
            memory_type="procedural" if len(one.steps) > 1 else "semantic",
            record=header.rest,
            doubts=words.doubts,
        )


def _observation(text: str) -> tuple[str, str, tuple[str, ...], str] | None:
    """Category, text, tags and context of an item; None where it is no observation."""
    found = _CATEGORY.match(text)
    category = found["category"].strip() if found else ""
    if found and (len(category) == 1 or not category or _TIME.fullmatch(category)):
        return None
    rest = found["rest"] if found else text
    tags = tuple(tag["tag"] for tag in _TAG.finditer(rest))
    if not found and (not tags or text.startswith("[")):
        return None
    context = _CONTEXT.search(rest)
    rest = rest[: context.start()] if context else rest
    return (
        category,
        " ".join(_TAG.sub("", rest).split()),
        tags,
        context["context"] if context else "",
    )


FORMAT = Format("basic-memory", "basic-memory notes", weigh, read)
