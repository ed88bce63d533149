"""What can go wrong, and what the reader of the message should do.

- Bad *data* is a value: a `Finding` with a code, the place, what is wrong and what to do. All of them
  are given at once.
- A refused *request* raises a `Refusal`; it carries its findings and nothing has been written.
- A broken *store* raises a `StoreError`, which has its own tree: it is about the machine, not the request.
- Reached bounds, no matches and conflicts are outcomes, not errors, and do not live here.

Messages are one lower-case sentence without a final period, with the reader's input in backticks.

>>> print(
...     Finding(
...         "no_scope", "the claim states no scope", path="/scope", fix="add `scope: {kind, id}`"
...     )
... )
/scope: the claim states no scope (no_scope); add `scope: {kind, id}`
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "notice"]


def quoted(value: object, limit: int = 80) -> str:
    """Show a reader's input in backticks, cut to `limit` characters, control characters escaped.

    >>> quoted("a" * 100, limit=5)
    '`aaaaa…`'
    """
    huge = isinstance(value, int) and value.bit_length() > 1_000
    text = f"a number of {value.bit_length()} bits" if huge else str(value)  # type: ignore[attr-defined]
    cut = text if len(text) <= limit else text[:limit] + "…"
    return "`" + cut.encode("unicode_escape").decode("ascii").replace("\\u2026", "…") + "`"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong (or noteworthy) at one place.

    Attributes:
        code: Stable snake_case identifier, listed in the reference.
        message: What was given and what is expected.
        path: JSON pointer into what was given (`/changes/0/item/scope`), or `file:line` text; empty for the whole.
        fix: What to do next, an imperative clause.
        severity: `error` refuses, `warning` needs a reviewer's eye, `notice` informs.
        req: Requirement id of the rule, where one rule made it.
    """

    code: str
    message: str
    path: str = ""
    fix: str = ""
    severity: Severity = "error"
    req: str = ""

    def __str__(self) -> str:
        place = f"{self.path}: " if self.path else ""
        way_out = f"; {self.fix}" if self.fix else ""
        return f"{place}{self.message} ({self.code}){way_out}"

    def under(self, prefix: str) -> Finding:
        """The same finding seen from an enclosing value.

        >>> Finding("x", "y", path="/scope").under("/item").path
        '/item/scope'
        """
        return Finding(
            self.code, self.message, prefix + self.path, self.fix, self.severity, self.req
        )


def errors_in(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """The findings that refuse."""
    return tuple(f for f in findings if f.severity == "error")


class MunimentError(Exception):
    """Root of everything that this package raises on purpose.

    Attributes:
        code: Stable snake_case identifier.
        findings: What was found, at least one.
    """

    code = "error"
    exit_code = 1

    def __init__(self, message: str, findings: tuple[Finding, ...] = (), fix: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.findings = findings or (Finding(self.code, message, fix=fix),)


class Refusal(MunimentError):
    """The request is refused; nothing was written."""

    code = "refused"
    exit_code = 2


class InvalidInput(Refusal):
    """What was given breaks a rule; every finding is carried."""

    code = "invalid_input"
    exit_code = 2

    @classmethod
    def of(cls, findings: tuple[Finding, ...]) -> InvalidInput:
        """Raise-able from findings, worded for one or many."""
        bad = errors_in(findings) or findings
        first = str(bad[0])
        more = f" (and {len(bad) - 1} more)" if len(bad) > 1 else ""
        return cls(first + more, findings)


class NotFound(Refusal):
    """Absent, or not visible to the asker: the two have one answer (DESIGN section 4)."""

    code = "not_found"
    exit_code = 3


class NotPermitted(Refusal):
    """The asker's role or use does not allow it."""

    code = "not_permitted"
    exit_code = 4


class Unauthenticated(NotPermitted):
    """No token that serves was presented; absent, wrong, revoked and expired have one answer."""

    code = "unauthenticated"


class Conflicted(Refusal):
    """The state moved on, or what was asked contradicts what is recorded."""

    code = "conflicted"
    exit_code = 5


class StoreError(MunimentError):
    """The store cannot do its work; about the machine, not the request."""

    code = "store_error"
    exit_code = 10


class StoreBusy(StoreError):
    """Another process held the store longer than the timeout."""

    code = "store_busy"


class StoreFull(StoreError):
    """No space, or the quota is reached; nothing was written."""

    code = "store_full"


class StoreDamaged(StoreError):
    """The file is not a store, or its content contradicts itself."""

    code = "store_damaged"


class StoreNewer(StoreError):
    """The file was written by a newer version; it is left as it is."""

    code = "store_newer"


class StoreUnavailable(StoreError):
    """The file or its folder cannot be opened (rights, missing folder, read-only)."""

    code = "store_unavailable"


class EmbedderUnavailable(StoreError):
    """The embedding model cannot be reached, or did not answer as it must; memory is searchable without it."""

    code = "embedder_unavailable"
