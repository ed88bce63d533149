"""Decide whether a claim may serve a use, now.

- Forbid overrides permit, and the default is deny.
- Review decides first: proposed and rejected are not served, needs_review is blocked for action, deprecated is history.
- Every decision names every rule that spoke.
- A prohibited use is refused unless the source was re-read and matched for this very request (`B-USES`).
- An undeclared use is high-risk; high-risk needs a verification of the last day.

Whether the asker may see the claim at all was settled before.

>>> row = Row(
...     1,
...     1,
...     "mem_x",
...     1,
...     "c",
...     "accepted",
...     verified_at=0,
...     allowed=("answer_questions",),
...     prohibited=("deploy",),
... )
>>> decide(row, Ask("answer_questions", at=1)).permitted
True
>>> decide(row, Ask("deploy", at=1)).reasons
('prohibited_use', 'use_not_allowed')
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from muniment.core.row import Row
from muniment.core.status import Sees, freshness_at, status_at
from muniment.core.vocabulary import USE_ALIASES, risk_of


@dataclass(frozen=True, slots=True)
class Ask:
    """What a claim is wanted for.

    Attributes:
        use: Name of the use; empty for looking only, which serves no action.
        at: Instant, microseconds.
        history: Whether historical context is asked for.
        reread_matched: Whether the source was re-read for this request and matched.
        absolute: Uses whose prohibition a re-reading does not lift (a policy's choice).
        own_proposals: Whether the asker's own proposals are shown, labelled.
    """

    use: str
    at: int
    history: bool = False
    reread_matched: bool = False
    absolute: tuple[str, ...] = ()
    own_proposals: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a claim may serve, and every rule that refused."""

    permitted: bool
    reasons: tuple[str, ...] = ()


Rule = Callable[[Row, Ask], bool]


def use_name(use: str) -> str:
    """The declared name of a use."""
    return dict(USE_ALIASES).get(use, use)


def _not_reviewed(row: Row, ask: Ask) -> bool:
    """A proposal is not served, but to its proposer who asks for it."""
    return row.review == "proposed" and not ask.own_proposals


def _rejected(row: Row, ask: Ask) -> bool:
    """What was rejected is never served."""
    return row.review == "rejected"


def _needs_review(row: Row, ask: Ask) -> bool:
    """What needs review is seen, and serves no use."""
    return row.review == "needs_review" and ask.use != ""


def _deprecated(row: Row, ask: Ask) -> bool:
    """What was deprecated is history."""
    return row.review == "deprecated" and not ask.history


def _prohibited(row: Row, ask: Ask) -> bool:
    """A prohibited use needs a re-reading that matched, unless the prohibition is absolute."""
    if use_name(ask.use) not in {use_name(use) for use in row.prohibited}:
        return False
    return not ask.reread_matched or use_name(ask.use) in {use_name(use) for use in ask.absolute}


def _not_allowed(row: Row, ask: Ask) -> bool:
    """A claim serves the uses that it allows."""
    return ask.use != "" and use_name(ask.use) not in {use_name(use) for use in row.allowed}


def _unverified_for_risk(row: Row, ask: Ask) -> bool:
    """A high-risk use needs a verification of the last day, or a re-reading that matched."""
    if ask.use == "" or risk_of(ask.use) != "high" or ask.reread_matched:
        return False
    return freshness_at(row, ask.at, "high") != "current"


def _proposal_for_action(row: Row, ask: Ask) -> bool:
    """A proposal never serves a high-risk use."""
    return row.review == "proposed" and risk_of(ask.use or "answer_questions") == "high"


def _expired(row: Row, ask: Ask) -> bool:
    """What is over is history; its end is exclusive."""
    return ask.at >= min(row.expires_at, row.valid_until) and not ask.history


def _not_yet_valid(row: Row, ask: Ask) -> bool:
    """What is not yet valid does not serve yet; its beginning is inclusive."""
    return row.valid_from > ask.at and not ask.history


def _retired(row: Row, ask: Ask) -> bool:
    """What is invalid or archived is history."""
    return row.retired != "" and not ask.history


USE_RULES: tuple[tuple[str, str, Rule], ...] = (
    ("not_reviewed", "B-REVIEW", _not_reviewed),
    ("rejected", "B-REVIEW", _rejected),
    ("needs_review", "B-REVIEW", _needs_review),
    ("deprecated", "B-REVIEW", _deprecated),
    ("prohibited_use", "B-USES", _prohibited),
    ("use_not_allowed", "B-USES", _not_allowed),
    ("not_verified_for_risk", "B-USES", _unverified_for_risk),
    ("proposal_for_action", "B-REVIEW", _proposal_for_action),
    ("expired", "A-EXPIRED", _expired),
    ("not_yet_valid", "A-EXPIRED", _not_yet_valid),
    ("retired", "A-EXPIRED", _retired),
)


def decide(row: Row, ask: Ask, rules: tuple[tuple[str, str, Rule], ...] = USE_RULES) -> Verdict:
    """Whether a claim's version may serve; a successor needs the asker's view and is `superseded_for`'s."""
    reasons = tuple(name for name, _, applies in rules if applies(row, ask))
    return Verdict(not reasons, reasons)


def superseded_for(row: Row, sees: Sees) -> bool:
    """Whether a successor that the asker may see replaced it."""
    return bool(row.superseded_by) and sees(row.superseded_by)


def labels_of(row: Row, ask: Ask, sees: Sees) -> tuple[str, ...]:
    """What must be said beside a claim that is served (`A-INFERRED`, `A-SUMMARY`, `A-STALE`, `A-NOTFACT`)."""
    status = status_at(row, ask.at, sees)
    fresh = freshness_at(row, ask.at, risk_of(ask.use) if ask.use else "low")
    verified = row.reading in ("match", "moved") and fresh == "current"
    rules = (
        ("inferred", row.derivation == "inferred" or row.origin == "inference"),
        ("summary", row.derivation == "summarised" or row.origin == "summarisation"),
        ("consolidated", row.derivation == "consolidated"),
        ("imported", row.derivation == "imported"),
        ("proposed", row.review == "proposed"),
        ("needs_review", row.review == "needs_review"),
        (status, status != "active"),
        ("freshness_unknown", fresh == "unknown"),
        ("verified", verified and status == "active"),
    )
    return tuple(dict.fromkeys(name for name, applies in rules if applies))
