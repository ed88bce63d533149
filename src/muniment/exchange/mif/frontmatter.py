r"""Split a markdown file into frontmatter and body, in every spelling that is seen in the wild.

- The file is UTF-8, with or without byte order mark; its lines end in LF or CRLF.
- The frontmatter begins with `---` on the first line and ends at the next line that is `---` or `...`; white space
  after either is allowed. What looks like a delimiter but is indented is part of a value.
- The body is everything after the closing line, to the byte: blank lines, trailing spaces, line ends, further `---`.
- A second block right behind the first is noticed, and stays in the body.

What the frontmatter says is read by `concept`.

>>> parts, issues = split(b"--- \r\ntype: semantic\r\n...\r\n\r\nBody  \r\n", "c.md")
>>> parts.yaml, parts.body, issues
('type: semantic\r\n', '\r\nBody  \r\n', ())
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from muniment.exchange.loaded import LIMIT_BYTES, decoded
from muniment.exchange.mif.issue import Issue, of_finding

_OPEN = re.compile(r"---[ \t]*\r?\n")
_CLOSE = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.MULTILINE)
_SECOND = re.compile(r"\s*---[ \t]*\r?\n(?=[A-Za-z_\"'@-])")


@dataclass(frozen=True, slots=True)
class Parts:
    """A markdown file in parts; put together again they are its text.

    Attributes:
        head: The opening line, with a byte order mark where there is one.
        yaml: The frontmatter's text.
        tail: The closing line.
        body: The rest.
    """

    head: str
    yaml: str
    tail: str
    body: str

    @property
    def text(self) -> str:
        """The whole file."""
        return self.head + self.yaml + self.tail + self.body

    @property
    def newline(self) -> str:
        """How its lines end: as the opening line does."""
        return "\r\n" if self.head.endswith("\r\n") else "\n"

    @property
    def body_line(self) -> int:
        """The line on which the body begins, from one."""
        return (self.head + self.yaml + self.tail).count("\n") + 1


def split(
    data: bytes, file: str, limit_bytes: int = LIMIT_BYTES
) -> tuple[Parts | None, tuple[Issue, ...]]:
    """The parts of a file.

    Args:
        data: The file's bytes.
        file: Its name, for issues.
        limit_bytes: Most bytes accepted.

    Returns:
        The parts, or None with an issue: `too_large`, `not_utf8`, `nul_character`, `empty_document`,
        `no_frontmatter`, `open_frontmatter`. Never raises.
    """
    text, findings = decoded(data, file, limit_bytes)
    if findings:
        return None, tuple(of_finding(finding, file) for finding in findings)
    opened = _OPEN.match(text)
    if opened is None:
        fix = "begin with `---`, the metadata, and another `---`"
        return None, (_issue("no_frontmatter", "the file has no frontmatter", fix, file, 1),)
    closed = _CLOSE.search(text, opened.end())
    if closed is None:
        fix = "end it with a line `---`"
        return None, (_issue("open_frontmatter", "the frontmatter has no end", fix, file, 1),)
    mark = "\ufeff" if data.startswith(b"\xef\xbb\xbf") else ""
    parts = Parts(
        mark + opened.group(), text[opened.end() : closed.start()], closed.group(), text[closed.end() :]
    )  # fmt: skip
    return parts, _second_block(parts, file)


def _second_block(parts: Parts, file: str) -> tuple[Issue, ...]:
    second = _SECOND.match(parts.body)
    if second is None or not _CLOSE.search(parts.body, second.end()):
        return ()
    line = parts.body_line + parts.body.count("\n", 0, second.end()) - 1
    message = "a second frontmatter block follows; it is read as part of the body"
    fix = "merge the two into one"
    return (
        Issue("spec", "second_frontmatter", message, fix, "warning", file, line, 1, rule="S5.1"),
    )


def _issue(code: str, message: str, fix: str, file: str, line: int) -> Issue:
    return Issue("file", code, message, fix, "error", file, line, 1, rule="K1.2")
