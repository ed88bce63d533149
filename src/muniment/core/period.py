"""How long something lasts, as ISO 8601 writes it, in the calendar of UTC.

- Years and months are the calendar's: a day that a month does not have becomes its last.
- Everything else is exact: a week has seven days, a day 24 hours.
- Whole numbers only, each part once and in order, and at least one that is not nothing.

>>> start = datetime(2026, 1, 31, 12, tzinfo=UTC)
>>> [ends("P1M", start).isoformat(), ends("P1Y2DT6H", start).isoformat()]
['2026-02-28T12:00:00+00:00', '2027-02-02T18:00:00+00:00']
>>> [period_of(text) for text in ("", "P", "PT", "P0D", "1D", "P1.5D", "P1H")]
[None, None, None, None, None, None, None]
"""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

_ = UTC  # named by the doctest
_PARTS = re.compile(
    r"P(?:([0-9]{1,4})Y)?(?:([0-9]{1,5})M)?(?:([0-9]{1,5})W)?(?:([0-9]{1,6})D)?"
    r"(?:T(?=[0-9])(?:([0-9]{1,7})H)?(?:([0-9]{1,9})M)?(?:([0-9]{1,9})S)?)?"
)


@dataclass(frozen=True, slots=True)
class Period:
    """A length of time: calendar months, and what is exact."""

    months: int
    exact: timedelta


def period_of(text: str) -> Period | None:
    """The length that a text says; None where it says none."""
    found = _PARTS.fullmatch(text)
    if found is None:
        return None
    years, months, weeks, days, hours, minutes, seconds = (int(one or 0) for one in found.groups())
    exact = timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes, seconds=seconds)
    whole = Period(12 * years + months, exact)
    return whole if whole.months or whole.exact else None


def ends(text: str, start: datetime) -> datetime | None:
    """The instant at which a length is over that began at another; None where no calendar reaches it, or it is none."""
    period = period_of(text)
    if period is None:
        return None
    years, month = divmod(start.year * 12 + start.month - 1 + period.months, 12)
    try:
        day = min(start.day, monthrange(years, month + 1)[1])
        return start.replace(year=years, month=month + 1, day=day) + period.exact
    except (ValueError, OverflowError, IndexError):  # later than any date that can be written
        return None
