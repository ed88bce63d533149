"""How long retrievals stay in the log, and what is kept of their questions, as an operator declares it.

- What is declared is a bound: a request may ask for less to be kept of it, never for more.
- A retrieval is kept for whole days from when it was made; at their end it is gone (half-open).
- Where nothing is declared, retrievals stay, and each keeps of its question what its request says.

>>> noon = datetime(2026, 7, 8, 12, tzinfo=UTC)
>>> rule = Retention(days=30)
>>> [is_over(rule, noon, noon + timedelta(days=30, microseconds=n)) for n in (-1, 0)]
[False, True]
>>> stricter("text", "digest"), stricter("off", "text")
('digest', 'off')
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

_ = UTC  # named by the doctest
RETRIEVALS = "retrievals"
"""What a rule is about; there is one such log."""
QUERIES = ("off", "digest", "text")
"""What is kept of a question: no retrieval at all, a digest, the text; the strictest first."""
LONGEST_DAYS = 36_500


@dataclass(frozen=True, slots=True)
class Retention:
    """One declared rule.

    Attributes:
        name: What it is about.
        days: For how many days; 0 for without end.
        queries: The most that is kept of a question: one of `QUERIES`.
    """

    name: str = RETRIEVALS
    days: int = 0
    queries: str = "text"


def known_part(content: Mapping[str, Any]) -> dict[str, Any]:
    """What of a declaration's content is the rule."""
    return {name: content[name] for name in ("name", "days", "queries") if name in content}


def stricter(asked: str, allowed: str) -> str:
    """What is kept of a question: the less of what the request asks for and what is allowed."""
    return min(asked, allowed, key=QUERIES.index)


def cut(rule: Retention, now: datetime) -> datetime | None:
    """The last instant whose retrievals are over; None where none ever is."""
    if not rule.days:
        return None
    try:
        return now - timedelta(days=rule.days)
    except OverflowError:  # before any retrieval there can be
        return None


def is_over(rule: Retention, made: datetime, now: datetime) -> bool:
    """Whether a retrieval is to be kept no more."""
    end = cut(rule, now)
    return end is not None and made <= end


def retention_text(rule: Retention) -> str:
    """A rule as a person reads it.

    >>> retention_text(Retention(days=30, queries="digest")), retention_text(Retention(days=1, queries="off"))
    ('retrievals: kept for 30 days, with the digest of questions', 'retrievals: none is kept; those before for 1 day')
    """
    days = f"for {rule.days} day{'s' * (rule.days != 1)}" if rule.days else "without end"
    if rule.queries == "off":
        return f"{rule.name}: none is kept; those before {days}"
    return f"{rule.name}: kept {days}, with the {rule.queries} of questions"
