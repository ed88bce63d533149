r"""What a run of `learn` leaves out, named so that the name itself gives nothing away.

- A statement is named by its slot, which a file's author words: a target, a heading, the statement's own words.
- One that holds a secret, or whose slot may not be kept, is named by its file and line; where the file's path may
  not be kept either, it has no name.

>>> named("Makefile#target/test", 3), named("AGENTS.md#use-akiaq3egribpxkz5tbnm", 3, is_secret=True)
('Makefile#target/test', 'AGENTS.md:3')
>>> named("Makefile#target/AKIAQ3EGRIBPXKZ5TBNM", 7), named("a\x1b/Makefile#default", 1)
('Makefile:7', 'a statement whose name cannot be kept')
"""

from __future__ import annotations

from muniment.core.diff import Change, Ignored
from muniment.core.errors import Finding, errors_in
from muniment.core.secret_scan import secret_findings
from muniment.core.text import text_findings

_A_SECRET = "it looks like a secret"  # noqa: S105 - says so, and is none


def left_out(slot: str, line: int, refusal: Finding) -> Ignored:
    """A statement that a rule refuses, with why."""
    is_secret = refusal.code == "secret"
    return Ignored(named(slot, line, is_secret), _A_SECRET if is_secret else refusal.message)


def named(slot: str, line: int, is_secret: bool = False) -> str:
    """What a statement is called where it is left out."""
    if not is_secret and is_fit(slot):
        return slot
    file = slot.partition("#")[0]
    return f"{file}:{line}" if is_fit(file) else "a statement whose name cannot be kept"


def is_fit(name: str) -> bool:
    """Whether a name may be kept: no secret, no forbidden character."""
    return not errors_in(text_findings(name, "")) and not secret_findings(name, "")


def without_refused(
    changes: tuple[Change, ...], findings: tuple[Finding, ...]
) -> tuple[tuple[Change, ...], tuple[Ignored, ...]]:
    """One statement that a rule refuses does not keep the others out; it is named as left out."""
    refused = {
        f.path.split("/")[2]: f for f in errors_in(findings) if f.path.startswith("/changes/")
    }
    left = tuple(
        _left(change, refused[str(i)]) for i, change in enumerate(changes) if str(i) in refused
    )
    return tuple(c for i, c in enumerate(changes) if str(i) not in refused), left


def _left(change: Change, refusal: Finding) -> Ignored:
    if change.item is None:
        return Ignored(change.target_id, refusal.code)
    line = change.item.source.evidence[0].line if change.item.source.evidence else 0
    is_secret = refusal.code == "secret"
    reason = _A_SECRET if is_secret else refusal.code
    return Ignored(named(change.item.slot, line, is_secret), reason)
