"""One thing that is wrong or noteworthy in a bundle, with its file, line, path and rule.

- `schema` issues are the JSON Schema's verdict; `spec` issues are what the specification says beyond it; `okf` issues
  are the Open Knowledge Format's; `repair` issues say what an import mended. They are never mixed (`C-SCHEMA`).
- An issue turns into a `Finding` where a finding is wanted.

>>> issue = Issue("schema", "type", "this is a number", file="c.md", line=3, column=1, pointer="/title")
>>> str(issue.finding())
'c.md:3:1 /title: this is a number (type)'
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from muniment.core.errors import Finding, Severity

Area = Literal["file", "schema", "spec", "okf", "bundle", "repair"]


@dataclass(frozen=True, slots=True)
class Issue:
    """One thing.

    Attributes:
        area: Who says so; `file` where it could not be read at all.
        code: Stable snake_case identifier.
        message: What is there and what is expected.
        fix: What to do.
        severity: `error` is a violation, `warning` a recommendation that is not met, `notice` informs.
        file: Bundle-relative path.
        line: From one; 0 where there is none.
        column: From one; 0 where there is none.
        pointer: JSON pointer into the frontmatter or the JSON-LD document.
        rule: Where the rule stands: the specification's section, `J` for the schema, `K` for the pinned OKF criteria.
    """

    area: Area
    code: str
    message: str
    fix: str = ""
    severity: Severity = "error"
    file: str = ""
    line: int = 0
    column: int = 0
    pointer: str = ""
    rule: str = ""

    @property
    def place(self) -> str:
        """File, line and column, as far as they are known, and the pointer."""
        spot = ":".join(str(part) for part in (self.file, self.line, self.column) if part)
        return f"{spot} {self.pointer}".strip()

    def finding(self) -> Finding:
        """The same as a finding."""
        return Finding(self.code, self.message, self.place, self.fix, self.severity)

    def at(self, file: str, line: int = 0, column: int = 0) -> Issue:
        """The same issue, placed."""
        return replace(self, file=file, line=line or self.line, column=column or self.column)


def of_finding(finding: Finding, file: str, line_offset: int = 0) -> Issue:
    """What a strict loader found, in a file in which the document begins after `line_offset` lines.

    >>> of_finding(Finding("yaml_syntax", "not YAML", "3:7", "mend it"), "c.md", 1).place
    'c.md:4:7'
    """
    line, _, column = finding.path.rpartition("/")[2].rpartition(":")
    head, _, row = line.rpartition(":")
    row = row or head
    spot = (int(row) + line_offset, int(column)) if row.isdigit() and column.isdigit() else (0, 0)
    return Issue("file", finding.code, finding.message, finding.fix, finding.severity, file, *spot)
