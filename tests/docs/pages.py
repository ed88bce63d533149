"""The pages that a reader meets, and what of markdown the tests need to know about them."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).resolve().parents[2]
PAGES = (*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")))


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def inline_tokens(text: str) -> list[Token]:
    blocks = MarkdownIt("commonmark").enable("table").parse(text)
    return [token for block in blocks for token in block.children or ()]


def links_of(text: str) -> list[str]:
    """The targets of links and images, without those inside code.

    Targets are given as they were written.
    """
    tokens = inline_tokens(text)
    targets = [t.attrGet("href") for t in tokens if t.type == "link_open"]
    targets += [t.attrGet("src") for t in tokens if t.type == "image"]
    return [str(target) for target in targets]


def anchors_of(text: str) -> set[str]:
    """The anchors of a page's headings as GitHub makes them, and those written as HTML."""
    blocks = MarkdownIt("commonmark").parse(text)
    anchors = set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text))
    seen: Counter[str] = Counter()
    for opening, inline in pairwise(blocks):
        if opening.type == "heading_open":
            words = "".join(
                token.content for token in inline.children or () if token.type != "html_inline"
            )
            slug = re.sub(r"[^\w\- ]", "", words.strip().lower()).replace(" ", "-")
            anchors.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
            seen[slug] += 1
    return anchors
