r"""Links, edges and citations that a concept's markdown body holds.

- An edge is a list item of a `Relationships` section: `- <type> [Text](<target>)`, whatever the bullet, the level of
  the heading, or what follows the link. A citation is an item of a `Citations` section.
- Code blocks and comments hold examples, not links. Brackets may be escaped, parentheses in a target balanced.
- Positions are lines of the body, from one.

>>> edges("## Relationships\n\n* farm:breeds-with [A \\[1\\]](/a_(old).md) because\n")
(Edge(type='farm:breeds-with', text='A [1]', target='/a_(old).md', line=3),)
>>> edges("```\n## Relationships\n- uses [A](/a.md)\n```\n")
()
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*")
_ITEM = re.compile(r" {0,3}[-*+][ \t]+(?:([A-Za-z0-9][\w:.-]*)[ \t]+)?(?=\[)")
_WIKI = re.compile(
    r" {0,3}[-*+][ \t]+(?:([A-Za-z][\w:-]*)[ \t]+)?\[\[([^\[\]|#]+)(#[^\[\]|]*)?(?:\|([^\[\]]*))?\]\]"
)
MOST_LINE = 10_000
"""Characters of a line that are looked at; a longer one holds no edge."""


@dataclass(frozen=True, slots=True)
class Edge:
    """One edge or link as the body shows it.

    Attributes:
        type: The word before the link; empty where there is none.
        text: The link's text.
        target: The link's target.
        line: Line of the body, from one.
    """

    type: str
    text: str
    target: str
    line: int


def plain_lines(body: str) -> Iterator[tuple[int, str]]:
    """The lines of a body that are neither in a code block nor in a comment."""
    yield from _Lines().plain(body)


def unclosed(body: str) -> str:
    """The line that ends the code block or comment which a body leaves open; empty where it leaves none.

    >>> unclosed("~~~~\\ncode"), unclosed("<!-- x"), unclosed("```\\ncode\\n```")
    ('~~~~', '-->', '')
    """
    lines = _Lines()
    for _ in lines.plain(body):
        pass
    return lines.fence or ("-->" if lines.in_comment else "")


class _Lines:
    """Reads lines, and knows in what it is."""

    def __init__(self) -> None:
        self.fence = ""
        self.in_comment = False

    def plain(self, body: str) -> Iterator[tuple[int, str]]:
        for number, whole in enumerate(body.split("\n"), 1):
            line = whole[:MOST_LINE].rstrip("\r")
            if not self._is_hidden(line):
                yield number, line

    def _is_hidden(self, line: str) -> bool:
        found = _FENCE.match(line)
        if self.fence:
            if found and found[1].startswith(self.fence) and not line[found.end() :].strip():
                self.fence = ""
            return True
        if self.in_comment:
            self.in_comment = "-->" not in line
            return True
        if found:
            self.fence = found[1]
        elif line.lstrip().startswith("<!--"):
            self.in_comment = "-->" not in line
        else:
            return False
        return True


def section(body: str, name: str) -> Iterator[tuple[int, str]]:
    """The plain lines under a heading of this name (of any level, case ignored), to the next one as high."""
    level = 0
    if name.casefold() not in body.casefold():
        return
    for number, line in plain_lines(body):
        heading = _HEADING.fullmatch(line)
        if heading and heading[2].strip().casefold() == name.casefold():
            level = len(heading[1])
        elif heading and level and len(heading[1]) <= level:
            level = 0
        elif level:
            yield number, line


def edges(body: str) -> tuple[Edge, ...]:
    """The edges of the `Relationships` section, in order."""
    found = (_item(number, line) for number, line in section(body, "relationships"))
    return tuple(edge for edge in found if edge is not None)


def citations(body: str) -> tuple[Edge, ...]:
    """The entries of the `Citations` section, in order."""
    found = (_item(number, line) for number, line in section(body, "citations"))
    return tuple(edge for edge in found if edge is not None and not edge.type)


def wiki_edges(body: str) -> tuple[Edge, ...]:
    r"""Edges in the spelling of version 0.1: `- <type> [[name#part|Text]]`; the part stays with the target.

    >>> wiki_edges("## Relationships\n- supersedes [[old plan|Old]] (why)\n")
    (Edge(type='supersedes', text='Old', target='old plan', line=2),)
    """
    if "[[" not in body:
        return ()
    return tuple(
        Edge(found[1] or "", (found[4] or found[2]).strip(), found[2].strip() + (found[3] or ""), number)
        for number, line in section(body, "relationships")
        if (found := _WIKI.match(line))
    )  # fmt: skip


def links(body: str) -> tuple[Edge, ...]:
    """Every inline link of a body, edges included; code spans hold none.

    >>> [edge.target for edge in links("see [a](/a.md), `[b](/b.md)`, ![c](c.png)")]
    ['/a.md', 'c.png']
    """
    found = []
    for number, line in plain_lines(body):
        if "](" in line:
            shown = _without_code(line)
            brackets, parentheses = _pairs(shown, "[", "]"), _pairs(shown, "(", ")")
            pairs = (_link(shown, at, brackets, parentheses) for at in sorted(brackets))
            found += [Edge("", link[0], link[1], number) for link in pairs if link]
    return tuple(found)


def _without_code(line: str) -> str:
    """The line with its code spans blanked out: a run of backticks to the next run as long."""
    runs = [(found.start(), found.end()) for found in re.finditer("`+", line)]
    if len(runs) < 2:
        return line
    later: dict[int, list[int]] = {}
    for number, (start, end) in enumerate(runs):
        later.setdefault(end - start, []).append(number)
    blanked, place, number = [], 0, 0
    while number < len(runs):
        start, end = runs[number]
        same = later[end - start]
        same.pop(0) if same and same[0] == number else None
        while same and same[0] < number:
            same.pop(0)
        if same:
            closing = runs[same[0]][1]
            blanked += [line[place:start], " " * (closing - start)]
            place, number = closing, same[0]
        number += 1
    return "".join([*blanked, line[place:]])


def _item(number: int, line: str) -> Edge | None:
    start = _ITEM.match(line)
    if start is None:
        return None
    link = _link(line, start.end(), _pairs(line, "[", "]"), _pairs(line, "(", ")"))
    return Edge(start[1] or "", link[0], link[1], number) if link else None


def _link(
    line: str, at: int, brackets: dict[int, int], parentheses: dict[int, int]
) -> tuple[str, str] | None:
    """Text and target of the link that opens at a bracket; None where it is none."""
    close = brackets.get(at, -1)
    if close < 0 or line[close : close + 1] != "(":
        return None
    text = re.sub(r"\\([\[\]\\])", r"\1", line[at + 1 : close - 1])
    if line[close + 1 : close + 2] == "<":
        end = line.find(">", close)
        return (text, line[close + 2 : end]) if end > 0 and line[end + 1 : end + 2] == ")" else None
    end = parentheses.get(close, -1)
    if end < 0:
        return None
    target = line[close + 1 : end - 1].strip()
    head, space, title = target.partition(" ")
    if space and title.strip()[:1] in ("'", '"'):
        target = head
    return text, re.sub(r"\\([()\\])", r"\1", target)


def _pairs(line: str, opens: str, closes: str) -> dict[int, int]:
    """Each opening bracket that is closed: its position, and the position after the one that closes it."""
    found: dict[int, int] = {}
    waiting: list[int] = []
    escaped = False
    for place, character in enumerate(line):
        if escaped:
            escaped = False
        elif character == "\\":
            escaped = True
        elif character == opens:
            waiting.append(place)
        elif character == closes and waiting:
            found[waiting.pop()] = place + 1
    return found


def as_link(text: str, target: str) -> str:
    r"""A link that reads back as this text and target.

    >>> as_link("A [1]", "/a b.md"), as_link("x", "/a_(old).md")
    ('[A \\[1\\]](</a b.md>)', '[x](/a_(old).md)')
    """
    shown = " ".join(text.split()).replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
    plain = re.fullmatch(r"[^\s()<>\\]*(?:\([^\s()<>\\]*\)[^\s()<>\\]*)*", target)
    return f"[{shown}]({target})" if plain else f"[{shown}](<{target}>)"
