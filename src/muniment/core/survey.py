"""What a look over memory says of it: values, and the small rules by which claims and proposals are sorted into them.

- A claim *holds* where review let it through and no successor, archive or verdict took it out of use; counts of
  freshness, kinds and scopes are of these, counts of status and review are of all.
- A cause is the first that applies, the gravest first; a claim has one, so that causes add up.
- Ends of ages are exclusive: what was proposed a day ago is no longer of today.

What is looked at, and for whom, is `usecases.survey`'s.

>>> age_of(0, DAY - 1), age_of(0, DAY), age_of(0, 400 * DAY)
('a day', 'a week', 'longer')
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from muniment.core.row import FOREVER, Row
from muniment.core.status import DAY, Fresh, Sees, Status, freshness_at, status_at, window
from muniment.core.vocabulary import Risk

EXPIRES_SOON = 30 * DAY
AGES = (("a day", DAY), ("a week", 7 * DAY), ("a month", 30 * DAY), ("longer", FOREVER))
"""How long a proposal waits: at most so long, exclusive."""
RISKS: tuple[Risk, ...] = ("low", "medium", "high")
CAUSES = (
    ("source_changed", "its source says something else"),
    ("source_missing", "its source is gone"),
    ("basis_retracted", "a claim that it rests on was retracted"),
    ("verified_long_ago", "its verification is older than its kind allows"),
    ("never_verified", "nobody checked it against its source"),
)
"""Why a claim is not known to be fresh, the gravest first, with its words."""
READING_ORDER = ("missing", "changed", "could_not_observe", "", "moved", "match")
"""States of a last reading, the most worrying first; empty where there was none."""
LEAST_DAYS, MOST_DAYS, MOST_WEEKS = 7, 45, 104


@dataclass(frozen=True, slots=True)
class Traits:
    """What a look over memory counts of a claim.

    Attributes:
        status: Computed for the instant.
        freshness: Computed for low-risk uses.
        review: As decided.
        type: Claim type.
        memory_type: Memory type.
        origin: Source origin, empty where that is not certain.
        reading: State of the last reading, empty for none.
        cause: Why it is not known to be fresh (`CAUSES`); empty where it is, or where it expired.
    """

    status: Status
    freshness: Fresh
    review: str
    type: str
    memory_type: str
    origin: str
    reading: str
    cause: str

    @property
    def holds(self) -> bool:
        """Whether it is in use, or would be if it were fresh."""
        in_use = self.status not in ("invalid", "archived", "superseded")
        return in_use and self.review in ("accepted", "needs_review")


def traits_of(row: Row, at: int, sees: Sees) -> Traits:
    """What is counted of a claim's version at an instant.

    >>> row = Row(1, 1, "mem_x", 1, "c", "accepted", verified_at=0, reading="changed")
    >>> traits_of(row, 1, lambda claim_id: True).cause
    'source_changed'
    """
    fresh = freshness_at(row, at)
    status = status_at(row, at, sees)
    return Traits(
        status, fresh, row.review, row.type, row.memory_type, row.origin, row.reading,
        _cause(row, at) if fresh in ("stale", "unknown") else "",
    )  # fmt: skip


def _cause(row: Row, at: int) -> str:
    by_cause = (
        ("source_changed", row.reading == "changed"),
        ("source_missing", row.reading == "missing"),
        ("basis_retracted", bool(row.derived_stale)),
        ("never_verified", row.verified_at == -FOREVER),
        ("verified_long_ago", at - row.verified_at > window(row.type)),
    )
    return next((name for name, applies in by_cause if applies), "")


def among_others(traits: Traits, superseded: bool, disputed: bool) -> Traits:
    """What the claims beside it make of a claim's status, in the order of `core.status`.

    >>> row = Row(1, 1, "mem_x", 1, "c", "accepted", verified_at=0)
    >>> plain = traits_of(row, 1, lambda claim_id: True)
    >>> [among_others(plain, *by).status for by in ((False, False), (False, True), (True, True))]
    ['active', 'disputed', 'superseded']
    """
    if superseded and traits.status not in ("invalid", "archived"):
        return replace(traits, status="superseded")
    if disputed and traits.status not in ("invalid", "archived", "superseded", "expired"):
        return replace(traits, status="disputed")
    return traits


def age_of(since: int, now: int) -> str:
    """How long something waits, by the names of `AGES`."""
    return next(name for name, most in AGES if now - since < most)


# --- growth ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Period:
    """A day or a week.

    Attributes:
        begins: Its first instant, midnight in UTC.
        recorded: Claims that were recorded in it for the first time.
        total: Claims that were recorded until its end.
    """

    begins: datetime
    recorded: int
    total: int


def periods(first: datetime, last: datetime) -> tuple[str, tuple[datetime, ...]]:
    """Days or weeks from one instant to another: their kind, and when each begins.

    A week begins on a Monday. Of a longer time the latest weeks are told; at least seven days are.

    >>> kind, days = periods(datetime(2026, 7, 1, tzinfo=UTC), datetime(2026, 7, 8, 12, tzinfo=UTC))
    >>> kind, len(days), f"{days[-1]:%F}"
    ('day', 8, '2026-07-08')
    >>> kind, weeks = periods(datetime(2020, 1, 1, tzinfo=UTC), datetime(2026, 7, 8, tzinfo=UTC))
    >>> kind, len(weeks), f"{weeks[-1]:%F}"
    ('week', 104, '2026-07-06')
    """
    start, end = (datetime(one.year, one.month, one.day, tzinfo=UTC) for one in (first, last))
    if end - start < timedelta(days=MOST_DAYS):
        days = max((end - start).days, LEAST_DAYS - 1)
        start = end - timedelta(days=days)
        return "day", tuple(start + timedelta(days=n) for n in range(days + 1))
    start, end = (one - timedelta(days=one.weekday()) for one in (start, end))
    weeks = min((end - start).days // 7, MOST_WEEKS - 1)
    return "week", tuple(end - timedelta(weeks=n) for n in range(weeks, -1, -1))


# --- what is told ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Noted:
    """A claim that asks for attention.

    Attributes:
        id: The claim.
        claim: Its statement.
        scope: Where it holds.
        at: When it ends; or when it was last verified, None for never.
        why: For a claim that is not known to be fresh the cause (`CAUSES`).
    """

    id: str
    claim: str
    scope: str
    at: datetime | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A change that waits for a decision.

    Attributes:
        diff: Its diff.
        change: The change.
        operation: What it would do.
        said: The statement that it is about.
        proposed_by: Who proposed it.
        at: When.
        risk: The highest risk among the uses that it is about.
    """

    diff: str
    change: str
    operation: str
    said: str
    proposed_by: str
    at: datetime
    risk: Risk


@dataclass(frozen=True, slots=True)
class Place:
    """A source's address with what rests on it.

    Attributes:
        uri: The address; empty where claims name none.
        kind: What it is.
        claims: How many claims that hold rest on it.
        state: The most worrying state of their last readings (`READING_ORDER`); empty for never read.
        read_at: When it was last read; None for never.
        verified_at: When it last said so; None for never.
        oldest: When the claim that was verified longest ago was; None where one never was.
        ids: The claims, at most twenty.
    """

    uri: str
    kind: str
    claims: int
    state: str
    read_at: datetime | None
    verified_at: datetime | None
    oldest: datetime | None
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Survey:
    """A look over what is remembered in some scopes, as one asker may see it.

    Attributes:
        at: The instant.
        claims: How many claims are recorded.
        holding: How many of them hold.
        counts: By status and review of all; by freshness, cause, type, memory type, scope, origin and reading of
            those that hold.
        expiring: Those that end within thirty days, soonest first; the first fifty.
        expiring_count: How many these are.
        doubtful: Those that are not known to be fresh, the gravest cause first; the first fifty.
        doubtful_count: How many these are.
        period: day or week.
        growth: Claims by when they were recorded first.
        waiting: Changes that wait, oldest first; the first fifty.
        waiting_count: How many these are.
        backlog: Age (`AGES`) to risk to how many wait.
        places: Sources, the most worrying first, then those with most claims.
        places_of: Of how many claims the sources were looked up.
    """

    at: datetime
    claims: int
    holding: int
    counts: Mapping[str, Mapping[str, int]]
    expiring: tuple[Noted, ...]
    expiring_count: int
    doubtful: tuple[Noted, ...]
    doubtful_count: int
    period: str
    growth: tuple[Period, ...]
    waiting: tuple[Waiting, ...]
    waiting_count: int
    backlog: Mapping[str, Mapping[str, int]]
    places: tuple[Place, ...]
    places_of: int
