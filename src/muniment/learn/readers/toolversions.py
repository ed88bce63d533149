"""Files that pin the version of a tool: .python-version, .nvmrc, .tool-versions, rust-toolchain."""

from __future__ import annotations

import re

from muniment.learn.document import pointer
from muniment.learn.page import Page, Span
from muniment.learn.toml_text import parse_toml

_PINS: dict[str, tuple[str, str]] = {
    "python": ("python_version", "Python"),
    "nodejs": ("node_version", "Node.js"),
    "node": ("node_version", "Node.js"),
    "rust": ("pins_rust", "Rust"),
}
_SINGLE: dict[str, str] = {
    ".python-version": "python",
    ".nvmrc": "node",
    ".node-version": "node",
    "rust-toolchain": "rust",
}
_LINE = re.compile(r"^[ \t]*(?P<code>[^\s#][^#\n]*)", re.MULTILINE)


def matches(path: str) -> bool:
    """The pin files of the usual version managers."""
    name = path.rpartition("/")[2]
    return name in _SINGLE or name in (".tool-versions", "rust-toolchain.toml")


def read(page: Page) -> None:
    """Read one pin file."""
    name = page.path.rpartition("/")[2]
    if name == "rust-toolchain.toml" or (name == "rust-toolchain" and "[toolchain]" in page.text):
        doc = parse_toml(page.text)
        channel = doc.text("toolchain", "channel")
        if channel:
            path = ("toolchain", "channel")
            _pin(page, pointer(*path), "rust", channel, page.lines_of(doc.span(*path)))
        return
    for line in _LINE.finditer(page.text):
        words = line.group("code").split()
        if name in _SINGLE:
            _pin(page, "version", _SINGLE[name], words[0], line.span("code"))
            return
        if len(words) >= 2:
            _pin(page, words[0], words[0], words[1], line.span("code"))


def _pin(page: Page, key: str, tool: str, version: str, span: Span) -> None:
    version = re.sub(r"^v(?=\d)", "", version)
    predicate, shown = _PINS.get(tool, ("pins_tool", tool))
    page.add(
        key,
        f"{page.owner()} pins {shown} {version} for development in {page.path}.",
        predicate=predicate,
        value=version if tool in _PINS else f"{tool} {version}",
        span=span,
        topics=("version", shown, f"{shown} version"),
    )
