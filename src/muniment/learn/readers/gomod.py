"""go.mod: module path, Go version, toolchain and the direct requirements.

- Requirements marked `// indirect` are left out; the comment must be the line's own.
- `replace`, `exclude` and `retract` say nothing that is asked for and are passed over.
"""

from __future__ import annotations

import re

from muniment.learn.page import Page, Span

_LINE = re.compile(r"^[^\n]*$", re.MULTILINE)
_COMMENT = re.compile(r"//.*$")
_FACTS: dict[str, tuple[str, str]] = {
    "module": ("module_path", "is the Go module `{}`"),
    "go": ("requires_go", "requires Go {}"),
    "toolchain": ("go_toolchain", "suggests the Go toolchain {}"),
}


def matches(path: str) -> bool:
    """Any go.mod."""
    return path.rpartition("/")[2] == "go.mod"


def read(page: Page) -> None:
    """Read one go.mod."""
    block = ""
    for line in _LINE.finditer(page.text):
        code = _COMMENT.sub("", line.group()).strip()
        indirect = "// indirect" in line.group()
        words = code.split()
        if not words:
            continue
        if block:
            if code == ")":
                block = ""
            elif block == "require" and not indirect:
                _require(page, words, line.span())
        elif words[-1] == "(":
            block = words[0]
        elif words[0] == "require" and not indirect:
            _require(page, words[1:], line.span())
        elif words[0] in _FACTS and len(words) == 2:
            _fact(page, words[0], words[1].strip('"`'), line.span())


def _fact(page: Page, word: str, value: str, span: Span) -> None:
    predicate, words = _FACTS[word]
    claim = f"{page.owner()} {words.format(value)}."
    topics = ("Go version", "golang") if word == "go" else ("golang",)
    page.add(f"/{word}", claim, predicate=predicate, value=value, span=span, topics=topics)


def _require(page: Page, words: list[str], span: Span) -> None:
    if len(words) == 2:
        name, version = words[0].strip('"'), words[1]
        page.add(
            f"/require/{name}",
            f"{page.owner()} depends on the Go module `{name}` {version}.",
            predicate="depends_on",
            value=f"{name} {version}",
            span=span,
            topics=("dependency",),
        )
