r"""Everything that leaves the program goes through here: spelled out, then coloured.

- Text is shown with control, invisible and direction-changing characters spelled out; nothing that a claim holds
  reaches the terminal raw, and no markup is read from text.
- Colours are for terminals, and not where `NO_COLOR`, `--no-color` or `TERM=dumb` says so.
- JSON is ASCII: what is hidden in a text is an escape there.

>>> import io
>>> screen = Terminal(io.StringIO(), io.StringIO(), io.StringIO(), {}, colour=True)
>>> screen.out("a\x1b[2J", Styled("[red]b[/red]", "bold"))
>>> screen.stdout.getvalue()
'a⟨U+001B⟩[2J\x1b[1m[red]b[/red]\x1b[0m\n'
"""

from __future__ import annotations

import json
import shutil
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TextIO

from muniment.core.errors import Finding
from muniment.core.text import visible

STYLES = {
    "bold": "1",
    "dim": "2",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "blue": "34",
    "cyan": "36",
    "gone": "9;31",
    "new": "1;32",
    "marked": "1;4",
}
SEVERITY_STYLE = {"error": "red", "warning": "yellow", "notice": "dim"}
WIDEST = 100


@dataclass(frozen=True, slots=True)
class Styled:
    """A piece of text with a style."""

    text: str
    style: str


Piece = str | Styled


class Terminal:
    """Three streams and how to write to them."""

    def __init__(
        self,
        stdin: TextIO,
        stdout: TextIO,
        stderr: TextIO,
        environment: Mapping[str, str],
        colour: bool | None = None,
    ) -> None:
        """Take the streams.

        Args:
            stdin: Where answers come from.
            stdout: Where the result goes.
            stderr: Where everything else goes.
            environment: For `NO_COLOR` and `TERM`.
            colour: Whether to colour; None decides by stream.
        """
        self.stdin, self.stdout, self.stderr = stdin, stdout, stderr
        plain = bool(environment.get("NO_COLOR")) or environment.get("TERM") == "dumb"
        self._colour = False if plain and colour is None else colour

    @property
    def is_dialogue(self) -> bool:
        """Whether somebody sits there who can see and answer."""
        return self.stdin.isatty() and self.stdout.isatty()

    @property
    def width(self) -> int:
        """Columns to fill."""
        return max(40, min(WIDEST, shutil.get_terminal_size((80, 24)).columns))

    def coloured(self, stream: TextIO) -> bool:
        """Whether colours go to a stream."""
        return stream.isatty() if self._colour is None else self._colour

    def out(self, *pieces: Piece, end: str = "\n") -> None:
        """Write to stdout."""
        self._write(self.stdout, pieces, end)

    def err(self, *pieces: Piece, end: str = "\n") -> None:
        """Write to stderr, after everything that went to stdout before."""
        self.stdout.flush()
        self._write(self.stderr, pieces, end)

    def _write(self, stream: TextIO, pieces: Sequence[Piece], end: str) -> None:
        coloured = self.coloured(stream)
        stream.write("".join(self._shown(piece, coloured) for piece in pieces) + end)

    def _shown(self, piece: Piece, coloured: bool) -> str:
        # INVARIANT: every text passes `visible` here, whoever wrote it.
        if isinstance(piece, str):
            return visible(piece)
        text = visible(piece.text)
        code = STYLES[piece.style] if piece.style and coloured and text else ""
        return f"\x1b[{code}m{text}\x1b[0m" if code else text

    def json(self, value: Any) -> None:
        """Write a JSON document to stdout."""
        self.stdout.write(json.dumps(value, indent=2, ensure_ascii=True, allow_nan=False) + "\n")

    def dim(self, text: str) -> None:
        """A remark, on stderr."""
        self.err(Styled(text, "dim"))

    def findings(self, findings: Sequence[Finding]) -> None:
        """Findings on stderr, one a line."""
        for found in findings:
            self.err(*finding_pieces(found))

    def findings_here(self, findings: Sequence[Finding]) -> None:
        """Findings on stdout, as part of what is shown."""
        for found in findings:
            self.out(*finding_pieces(found))

    def paragraph(self, text: str, indent: str = "") -> None:
        """Text on stdout, wrapped to the terminal where there is one."""
        for line in visible(text).split("\n"):
            wrapped = textwrap.wrap(line, self.width - len(indent)) if self._wraps else [line]
            for one in wrapped or [""]:
                self.out(indent + one)

    @property
    def _wraps(self) -> bool:
        return self.stdout.isatty()

    def table(self, rows: Sequence[Sequence[Piece]], indent: str = "") -> None:
        """Rows in columns, on stdout; the last column is as long as it is."""
        widths = [
            max((len(one_line(row[i])) for row in rows if i < len(row) - 1), default=0)
            for i in range(max(map(len, rows), default=0))
        ]
        for row in rows:
            pieces: list[Piece] = [indent]
            for i, cell in enumerate(row):
                last = i == len(row) - 1
                text = one_line(cell)
                gap = "" if last else " " * (widths[i] - len(text) + 2)
                pieces += [
                    Styled(text, cell.style) if isinstance(cell, Styled) else text,
                    gap,
                ]
            self.out(*pieces)


def one_line(piece: Piece) -> str:
    r"""Text on one line, everything spelled out.

    >>> one_line("a\nb\tc")
    'a⏎b c'
    """
    text = piece.text if isinstance(piece, Styled) else piece
    return visible(text).replace("\n", "⏎").replace("\t", " ")


def brief(text: str, limit: int = 80) -> str:
    """Text on one line, cut to `limit` characters.

    >>> brief("abcdef", 4), brief("abcd", 4)
    ('abc…', 'abcd')
    """
    line = one_line(text)
    return line if len(line) <= limit else line[: limit - 1] + "…"


def finding_pieces(found: Finding) -> tuple[Piece, ...]:
    """A finding on one line: place, what, code, what to do."""
    style = SEVERITY_STYLE[found.severity]
    place = f"{one_line(found.path)}: " if found.path else ""
    fix = f"; {one_line(found.fix)}" if found.fix else ""
    return (
        Styled(found.severity, style),
        f": {place}{one_line(found.message)} ",
        Styled(f"({found.code})", "dim"),
        fix,
    )
