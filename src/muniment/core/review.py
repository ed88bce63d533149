"""Deciding changes: which decisions may follow which, and what a decision must carry.

- Accepted and rejected are final; a rejected proposal comes back as a new one, on new evidence.
- Nobody decides on its own proposal, unless a declared policy says so.
- A rejection says why.
- What was shown, signed and applied is one digest.

>>> allowed("pending", "accepted"), allowed("accepted", "rejected"), allowed("needs_review", "accepted")
(True, False, True)
"""

from __future__ import annotations

from muniment.core.diff import Change, Decided, Pending, change_digest
from muniment.core.errors import Finding, quoted

TRANSITIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("pending", ("accepted", "rejected", "needs_review")),
    ("needs_review", ("accepted", "rejected")),
    ("accepted", ()),
    ("rejected", ()),
)


def allowed(before: str, after: str) -> bool:
    """Whether a decision may follow a state."""
    return after in dict(TRANSITIONS).get(before, ())


def check_decision(
    pending: Pending, decided: Decided, may_decide_own: bool = False
) -> tuple[Finding, ...]:
    """What is wrong with a decision; nothing, if it may be recorded."""
    change = next((c for c in pending.diff.changes if c.id == decided.change_id), None)
    place = f"/decisions/{decided.change_id}"
    if change is None:
        message = f"the diff has no change {quoted(decided.change_id)} that you may see"
        return (
            Finding("no_change", message, place, "name one of its changes", req="B-DIFFREVIEW"),
        )
    return (
        *_transition(pending, decided, place),
        *_own(pending, decided, place, may_decide_own),
        *_reasoned(decided, place),
        *_same_bytes(change, decided, place),
    )


def _transition(pending: Pending, decided: Decided, place: str) -> tuple[Finding, ...]:
    before = pending.state_of(decided.change_id)
    if allowed(before, decided.decision):
        return ()
    message = f"a change that is {before} cannot become {decided.decision}"
    fix = "propose it again, with new evidence" if before == "rejected" else "decide another change"
    return (Finding("decided_already", message, place, fix, req="B-DIFFREVIEW"),)


def _own(
    pending: Pending, decided: Decided, place: str, may_decide_own: bool
) -> tuple[Finding, ...]:
    if decided.by != pending.diff.proposed_by or may_decide_own:
        return ()
    message = f"{quoted(decided.by)} proposed this and may not decide on it"
    fix = "let somebody else review, or declare a policy that allows it"
    return (Finding("own_proposal", message, place, fix, req="E-APPROVER"),)


def _reasoned(decided: Decided, place: str) -> tuple[Finding, ...]:
    if decided.decision != "rejected" or decided.reason.strip():
        return ()
    return (
        Finding("no_reason", "a rejection says why", place, "give a reason", req="B-DIFFREVIEW"),
    )


def _same_bytes(change: Change, decided: Decided, place: str) -> tuple[Finding, ...]:
    if decided.change_digest == change_digest(change):
        return ()
    message = "what was reviewed is not what is recorded"
    return (Finding("other_bytes", message, place, "look at the change again", req="E-APPROVER"),)
