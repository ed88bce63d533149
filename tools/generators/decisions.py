"""The list of decision records, in the order of their numbers.

- A record is `docs/decisions/NNNN-words.md`, its first line is `# NNNN. Title`, and a line
  `Status: word` says whether it holds.
- Title and status are shown as they are written; a record without either is an error.
"""

from __future__ import annotations

import re
from pathlib import Path

_TITLE = re.compile(r"\A# (\d{4})\. (.+)$", re.MULTILINE)
_STATUS = re.compile(r"^Status: (.+)$", re.MULTILINE)


def decisions(root: Path) -> str:
    """A table of number, title and status, linked to the records.

    Raises:
        ValueError: A record has no title or no status line in the form given above.
    """
    rows = ["| no. | decision | status |", "| --- | --- | --- |"]
    for record in sorted((root / "docs" / "decisions").glob("[0-9]*.md")):
        text = record.read_text(encoding="utf-8")
        title, status = _TITLE.search(text), _STATUS.search(text)
        if title is None or status is None:
            raise ValueError(f"{record.name} lacks a `# NNNN. Title` or a `Status:` line")
        rows.append(f"| {title[1]} | [{title[2]}]({record.name}) | {status[1]} |")
    return "\n".join(rows)


GENERATORS = {"decisions": decisions}
