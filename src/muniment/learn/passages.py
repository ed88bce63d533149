"""The statements of any Markdown text with their bytes, for readers of other memories' notes.

- A text is split as instruction files are: one statement a list item or sentence.
- What is too large, not UTF-8 or no text is a finding, never an exception.

>>> found, _ = passages("a.md", b"Ships on Fridays. Never on Mondays.")
>>> [(p.own, p.start, p.end) for p in found]
[('Ships on Fridays.', 0, 17), ('Never on Mondays.', 18, 35)]
"""

from __future__ import annotations

from muniment.core.errors import Finding
from muniment.learn.page import Page, Unreadable, encodable
from muniment.learn.statements import statements
from muniment.ports.importing import Passage

MAX_BYTES = 500_000


def passages(name: str, data: bytes) -> tuple[tuple[Passage, ...], tuple[Finding, ...]]:
    """The statements of a text in order, and why it cannot be read."""
    if len(data) > MAX_BYTES:
        message = f"{len(data)} bytes are more than the {MAX_BYTES} of prose that are read"
        return (), (Finding("too_large", message, name, "split the file", "warning"),)
    try:
        page = Page(name, data)
    except Unreadable as problem:
        return (), (Finding(problem.code, str(problem), name, "save it as UTF-8 text", "warning"),)
    found = []
    for one in statements(page.text):
        span = page.trimmed(one.span)
        if span[0] < span[1] and encodable(one.text, one.own, *one.steps):
            start, end = page.bytes_of(span)
            line = page.line_number(span[0])
            found.append(Passage(one.text, one.own, start, end, line, one.headings, one.steps))
    return tuple(found), ()
