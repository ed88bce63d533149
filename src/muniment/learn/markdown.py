"""The blocks of a Markdown file, with the place of each character of their text.

- Blocks are headings, paragraphs, list items and fenced code; each knows the headings above it.
- Front matter, HTML comments, tables, rules and indented code are passed over.
- A list item knows the items that it is nested in; block quotes are read as what they quote.

What a block says is left to `prose` and the readers.

>>> text = "# T\\n\\n## Setup\\n\\n- one\\n  more\\n  - two\\n\\n```sh\\nmake\\n```\\n"
>>> for b in blocks(text): print(b.kind, b.headings, repr(b.text), b.parents)
paragraph ('Setup',) 'one\\nmore' ()
paragraph ('Setup',) 'two' ('one\\nmore',)
code ('Setup',) 'make' ()
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from muniment.learn.page import Span

_FRONT = re.compile(r"---[ \t]*\r?\n(?P<body>(?:.*\n)*?)(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)")
_LINE = re.compile(r"^[^\n]*", re.MULTILINE)
_QUOTE = re.compile(r"[ \t]{0,3}(?:>[ \t]?)+")
_FENCE = re.compile(r"[ \t]*(?P<fence>`{3,}|~{3,})[ \t]*(?P<lang>[^`\s{]*)[^`]*$")
_HEADING = re.compile(r" {0,3}(?P<marks>#{1,6})(?:[ \t]+(?P<text>.*?))?(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*$")
_BREAK = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$")
_ITEM = re.compile(r"(?P<indent>[ \t]*)(?P<mark>[-*+]|\d{1,9}[.)])(?P<gap>[ \t]+)(?=\S)")
_TABLE_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t:-]*)+$")
_MAX_PARENTS = 6


@dataclass(slots=True)
class Block:
    """One block: its text, and for each line of it where that line's text begins in the file.

    Attributes:
        kind: `paragraph` (list items too) or `code`.
        lines: (start in the file, text) of each line.
        headings: The headings above it, outermost first; a lone title is left out.
        parents: Texts of the list items it is nested in, outermost first.
        item: `-` for a bullet, `1` for a numbered item, `""` otherwise.
        number: Position of a numbered item in its list, from 1.
        language: Language of fenced code, lower case.
        start: First character of the text, or of the opening fence.
        end: Character after the block, the closing fence included.
    """

    kind: Literal["paragraph", "code"]
    lines: list[tuple[int, str]]
    headings: tuple[str, ...]
    start: int
    end: int
    parents: tuple[str, ...] = ()
    item: str = ""
    number: int = 0
    language: str = ""

    @property
    def text(self) -> str:
        """The lines without indentation and marks."""
        return "\n".join(text for _, text in self.lines)

    def place(self, start: int, end: int) -> Span:
        """Characters of the file for a part of `text`."""
        return self._source(start), self._source(max(start, end - 1)) + 1

    def _source(self, offset: int) -> int:
        for begin, text in self.lines:
            if offset <= len(text):
                return begin + offset
            offset -= len(text) + 1
        return self.end


def front_matter(text: str) -> Span:
    """The characters between the `---` lines at the head of a file; empty if there are none."""
    found = _FRONT.match(text)
    return found.span("body") if found else (0, 0)


def blocks(text: str) -> list[Block]:
    """The blocks of a file in order."""
    scan = _Scan()
    front = _FRONT.match(text)
    for match in _LINE.finditer(text, front.end() if front else 0):
        scan.line(match.start(), match.group().rstrip("\r"))
    return scan.finished()


@dataclass(slots=True)
class _Open:
    """A list item that may hold further blocks: its indentation, text block and count."""

    indent: int
    block: Block
    number: int


@dataclass(slots=True)
class _Scan:
    """Reads line after line; `current` is the block that the next line may continue."""

    found: list[Block] = field(default_factory=list)
    heads: list[tuple[int, str]] = field(default_factory=list)
    titles: int = 0
    current: Block | None = None
    fence: str = ""
    comment: bool = False
    table: bool = False
    blank: bool = True
    open_items: list[_Open] = field(default_factory=list)

    def line(self, start: int, raw: str) -> None:
        if self.fence:
            self._code_line(start, raw)
            return
        quote = _QUOTE.match(raw)
        at = quote.end() if quote else 0
        line = raw[at:]
        if self._comment_line(line):
            return
        if not line.strip():
            self.close()
            self.blank, self.table = True, False
            return
        for rule in (self._fence_line, self._heading_line, self._table_line, self._item_line):
            if rule(start + at, line):
                break
        else:
            self._text_line(start + at, line)
        self.blank = False

    def close(self) -> None:
        self.current = None

    def finished(self) -> list[Block]:
        """All blocks; a lone title is no part of the heading paths."""
        if self.titles == 1:
            for block in self.found:
                block.headings = tuple(h[1:] for h in block.headings if not h.startswith("\1"))
        else:
            for block in self.found:
                block.headings = tuple(h[1:] for h in block.headings)
        return [b for b in self.found if b.text.strip()]

    def _code_line(self, start: int, raw: str) -> None:
        block = self.found[-1]
        block.end = start + len(raw)
        bare = raw.lstrip(" \t>")
        if bare.startswith(self.fence) and not bare.strip(self.fence[0] + " \t"):
            self.fence = ""
        else:
            block.lines.append((start, raw))

    def _comment_line(self, line: str) -> bool:
        if self.comment:
            self.comment = "-->" not in line
            return True
        if line.lstrip().startswith("<!--"):
            self.comment = "-->" not in line
            return True
        return False

    def _fence_line(self, start: int, line: str) -> bool:
        match = _FENCE.match(line)
        if not match:
            return False
        self.close()
        self.fence = match.group("fence")
        block = self._block("code", [], start + match.start("fence"), start + len(line))
        block.language = match.group("lang").lower()
        self._leave_items(_width(line[: match.start("fence")]))
        return True

    def _heading_line(self, start: int, line: str) -> bool:
        match = _HEADING.match(line)
        if match:
            self._head(len(match.group("marks")), (match.group("text") or "").strip())
            return True
        under = self.current and len(self.current.lines) == 1 and not self.current.item
        if under and _UNDERLINE.match(line):
            title = self.found.pop().text.strip()
            self._head(1 if "=" in line else 2, title)
            return True
        if _BREAK.match(line):
            self.close()
            return True
        return False

    def _head(self, level: int, text: str) -> None:
        self.close()
        self.open_items.clear()
        self.titles += level == 1
        self.heads = [h for h in self.heads if h[0] < level] + [(level, text)]

    def _table_line(self, start: int, line: str) -> bool:
        if self.table or line.lstrip().startswith("|"):
            self.close()
            return True
        if self.current and "|" in line and _TABLE_RULE.match(line):
            self.found.pop()
            self.close()
            self.table = True
            return True
        return False

    def _item_line(self, start: int, line: str) -> bool:
        match = _ITEM.match(line)
        if not match or (not self.open_items and _width(match.group("indent")) >= 4):
            return False
        indent = _width(match.group("indent"))
        numbered = match.group("mark")[0].isdigit()
        number = 1
        while self.open_items and self.open_items[-1].indent >= indent:
            last = self.open_items.pop()
            if last.indent == indent and last.number and numbered:
                number = last.number + 1
        begin = start + match.end()
        block = self._block("paragraph", [(begin, line[match.end() :])], begin, start + len(line))
        block.item, block.number = ("1", number) if numbered else ("-", 0)
        block.parents = tuple(o.block.text for o in self.open_items[-_MAX_PARENTS:])
        self.open_items.append(_Open(indent, block, block.number))
        self.current = block
        return True

    def _text_line(self, start: int, line: str) -> None:
        begin = start + len(line) - len(line.lstrip())
        if self.current:
            self.current.lines.append((begin, line.strip()))
            self.current.end = start + len(line)
            return
        indent = _width(line[: begin - start])
        self._leave_items(indent)
        if indent >= 4 and not self.open_items:
            return
        self.current = self._block("paragraph", [(begin, line.strip())], begin, start + len(line))

    def _leave_items(self, indent: int) -> None:
        while self.open_items and self.open_items[-1].indent >= indent:
            self.open_items.pop()

    def _block(
        self, kind: Literal["paragraph", "code"], lines: list[tuple[int, str]], start: int, end: int
    ) -> Block:
        headings = tuple(("\1" if level == 1 else "\2") + text for level, text in self.heads)
        block = Block(kind, lines, headings, start, end)
        self.found.append(block)
        return block


def _width(indent: str) -> int:
    return sum(4 if c == "\t" else 1 for c in indent)
