"""Deciding changes: which decisions may follow which, and what a decision must carry.

- Accepted and rejected are final; a rejected proposal comes back as a new one, on new evidence.
- Nobody decides on its own proposal, unless a declared policy says so.
- A rejection says why.
- What was shown, signed and applied is one digest.

>>> allowed("pending", "accepted"), allowed("accepted", "rejected"), allowed("needs_review", "accepted")
(True, False, True)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from muniment.core.diff import NARROWING, Change, Decided, Pending, change_digest
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


@dataclass(frozen=True, slots=True)
class Asked:
    """One decision with what it is about.

    Attributes:
        pending: The diff as it was shown.
        change: The change.
        decided: The decision.
        may_decide_own: Whether a declared policy lets a proposer decide on its own proposals.
    """

    pending: Pending
    change: Change
    decided: Decided
    may_decide_own: bool = False

    @property
    def place(self) -> str:
        """Where the decision stands."""
        return f"/decisions/{self.decided.change_id}"


Rule = Callable[[Asked], Iterator[Finding]]


def follows(asked: Asked) -> Iterator[Finding]:
    """A decision follows what came before: accepted and rejected are final."""
    before = asked.pending.state_of(asked.decided.change_id)
    if not allowed(before, asked.decided.decision):
        message = f"a change that is {before} cannot become {asked.decided.decision}"
        fix = (
            "propose it again, with new evidence"
            if before == "rejected"
            else "decide another change"
        )
        yield Finding("decided_already", message, asked.place, fix, req="B-DIFFREVIEW")


def is_not_own(asked: Asked) -> Iterator[Finding]:
    """Nobody decides on its own proposal, unless a declared policy says so."""
    by = asked.decided.by
    if by != asked.pending.diff.proposed_by:
        return
    if asked.change.declares not in ("", NARROWING) and asked.may_decide_own:
        message = f"{quoted(by)} proposed this {asked.change.declares} and may not decide on it"
        fix = "let somebody else review: no policy widens who sees a claim, or where it holds"
        yield Finding("own_proposal", message, asked.place, fix, req="E-APPROVER")
    elif not asked.may_decide_own:
        message = f"{quoted(by)} proposed this and may not decide on it"
        fix = f"let somebody else review, or allow it: `muniment policy own --may-review-own {by}`"
        yield Finding("own_proposal", message, asked.place, fix, req="E-APPROVER")


def says_why(asked: Asked) -> Iterator[Finding]:
    """A rejection says why."""
    if asked.decided.decision == "rejected" and not asked.decided.reason.strip():
        fix = "give a reason"
        yield Finding("no_reason", "a rejection says why", asked.place, fix, req="B-DIFFREVIEW")


def is_of_the_same_bytes(asked: Asked) -> Iterator[Finding]:
    """What was shown is what is recorded, and what will be applied."""
    if asked.decided.change_digest != change_digest(asked.change):
        message = "what was reviewed is not what is recorded"
        fix = "look at the change again"
        yield Finding("other_bytes", message, asked.place, fix, req="E-APPROVER")


REVIEW_RULES: tuple[tuple[str, Rule], ...] = (
    ("B-DIFFREVIEW", follows),
    ("E-APPROVER", is_not_own),
    ("B-DIFFREVIEW", says_why),
    ("E-APPROVER", is_of_the_same_bytes),
)


def check_decision(
    pending: Pending,
    decided: Decided,
    may_decide_own: bool = False,
    rules: tuple[tuple[str, Rule], ...] = REVIEW_RULES,
) -> tuple[Finding, ...]:
    """What is wrong with a decision; nothing, if it may be recorded."""
    change = next((c for c in pending.diff.changes if c.id == decided.change_id), None)
    if change is None:
        message = f"the diff has no change {quoted(decided.change_id)} that you may see"
        place, fix = f"/decisions/{decided.change_id}", "name one of its changes"
        return (Finding("no_change", message, place, fix, req="B-DIFFREVIEW"),)
    asked = Asked(pending, change, decided, may_decide_own)
    return tuple(finding for _, rule in rules for finding in rule(asked))
