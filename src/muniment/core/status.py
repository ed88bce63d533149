"""Freshness and status, computed for an instant from what is recorded and what the asker may see.

- Nothing here is set by hand (`A-STATUS`); the clock is an argument.
- Ends are exclusive: a claim that expires at noon is expired at noon.
- Current is relative to the use: a high-risk use needs a verification of the last day (`B-FRESHNESS`).
- A conflict or successor that the asker may not see changes nothing (noninterference, DESIGN section 4).
- Stale is not false; not yet valid is `invalid` at that instant only.

>>> row = Row(1, 1, "mem_x", 1, "c", "accepted", valid_until=100, verified_at=90)
>>> everything = lambda claim_id: True
>>> [status_at(row, instant, everything) for instant in (99, 100)]
['active', 'expired']
>>> freshness_at(row, 95), freshness_at(row, 100)
('current', 'expired')
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from muniment.core.row import FOREVER, Row
from muniment.core.vocabulary import Risk

DAY = 86_400_000_000
DEFAULT_WINDOW_DAYS = 180
WINDOW_DAYS = (
    ("project_fact", 90),
    ("team_preference", 365),
    ("user_preference", 365),
    ("decision", 730),
    ("incident_lesson", 730),
    ("runbook_step", 90),
    ("domain_rule", 365),
    ("integration_capability", 90),
    ("known_failure_mode", 180),
)
RISK_WINDOW_DAYS = (("low", None), ("medium", 30), ("high", 1))

Status = Literal["active", "stale", "expired", "superseded", "disputed", "invalid", "archived"]
Fresh = Literal["current", "stale", "expired", "unknown", "needs_review"]
Sees = Callable[[str], bool]


def window(claim_type: str, risk: Risk = "low") -> int:
    """How long a verification lasts, in microseconds: the shorter of its kind's and its use's.

    >>> window("project_fact") // DAY, window("project_fact", "high") // DAY
    (90, 1)
    """
    kind = dict(WINDOW_DAYS).get(claim_type, DEFAULT_WINDOW_DAYS)
    use = dict(RISK_WINDOW_DAYS)[risk]
    return DAY * (kind if use is None else min(kind, use))


def freshness_at(row: Row, at: int, risk: Risk = "low") -> Fresh:
    """How fresh a claim's version is at an instant, for uses of a risk.

    A verification lasts up to and including its window's last microsecond.

    >>> row = Row(1, 1, "mem_x", 1, "c", "accepted", type="project_fact", verified_at=0)
    >>> [freshness_at(row, n * DAY) for n in (90, 91)], freshness_at(row, 2 * DAY, "high")
    (['current', 'stale'], 'stale')
    """
    if row.review == "needs_review":
        return "needs_review"
    if at >= min(row.expires_at, row.valid_until):
        return "expired"
    if row.reading in ("changed", "missing") or row.derived_stale:
        return "stale"
    if row.verified_at == -FOREVER:
        return "unknown"
    return "current" if at - row.verified_at <= window(row.type, risk) else "stale"


def _invalid(row: Row, at: int, sees: Sees) -> bool:
    """Known wrong, not yet valid at the instant, or never valid."""
    return row.retired == "invalid" or row.valid_from > at or row.valid_from >= row.valid_until


def _archived(row: Row, at: int, sees: Sees) -> bool:
    """Kept by retention, out of use."""
    return row.retired == "archived"


def _superseded(row: Row, at: int, sees: Sees) -> bool:
    """Another claim that the asker may see replaced it."""
    return bool(row.superseded_by) and sees(row.superseded_by)


def _expired(row: Row, at: int, sees: Sees) -> bool:
    """Its validity, expiry or time to live is over; ends are exclusive."""
    return at >= min(row.expires_at, row.valid_until)


def _disputed(row: Row, at: int, sees: Sees) -> bool:
    """It is in open conflict with a claim that the asker may see."""
    return any(sees(other) for other in row.conflicts)


def _stale(row: Row, at: int, sees: Sees) -> bool:
    """It was verified too long ago, or its source changed or was retracted."""
    return freshness_at(row, at) == "stale"


StatusRule = tuple[Status, Callable[[Row, int, Sees], bool]]
STATUS_RULES: tuple[StatusRule, ...] = (
    ("invalid", _invalid),
    ("archived", _archived),
    ("superseded", _superseded),
    ("expired", _expired),
    ("disputed", _disputed),
    ("stale", _stale),
)


def status_at(
    row: Row, at: int, sees: Sees, rules: tuple[StatusRule, ...] = STATUS_RULES
) -> Status:
    """The first rule that applies decides; `active` where none does.

    Args:
        row: The claim's version.
        at: Instant in microseconds.
        sees: Whether the asker may see a claim.
        rules: In the order in which they are asked.
    """
    return next((status for status, applies in rules if applies(row, at, sees)), "active")
