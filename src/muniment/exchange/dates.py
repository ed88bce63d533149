"""Dates as other systems write them: kept as given, and an instant only where the text fixes one.

- A time without a zone, a day without a time, and a day written with slashes fix no instant; nothing is guessed.
- An end is taken at its earliest: a day alone ends at its first instant in UTC, so nothing lives longer than stated.
- Numbers are seconds or milliseconds since 1970, and only where the format says that a date is a number.

>>> stated("created", "2026-07-09 10:39:17.281+00").instant.isoformat()
'2026-07-09T10:39:17.281000+00:00'
>>> stated("created", "2026-07-09T10:39:17").instant, stated("created", "09/07/2026").instant
(None, None)
>>> stated("expires", "2026-03-01", ends=True).instant.isoformat()
'2026-03-01T00:00:00+00:00'
>>> stated("created", 1783593557.5, number=True).instant.isoformat(), stated("created", None)
('2026-07-09T10:39:17.500000+00:00', None)
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from muniment.ports.importing import Stated

_LONGEST = 100
_WRITTEN = re.compile(
    r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)"
    r"(?:[Tt ](?P<hour>\d\d):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,](?P<part>\d{1,12}))?)?"
    r"[ ]?(?P<zone>[Zz]|[+-]\d\d(?::?\d\d)?)?)?",
    re.ASCII,
)
_MILLISECONDS_FROM = 100_000_000_000
_LAST_SECOND = 253_402_300_799


def stated(name: str, given: Any, *, number: bool = False, ends: bool = False) -> Stated | None:
    """A date as given, with its instant where it fixes one.

    Args:
        name: What the date says.
        given: Text or number; None, empty text and anything else state nothing.
        number: Whether numbers are dates in this format.
        ends: Whether it is the end of something.
    """
    if isinstance(given, bool) or given in (None, ""):
        return None
    if isinstance(given, int | float):
        return Stated(name, given, _from_number(given)) if number else None
    if not isinstance(given, str) or not given.strip():
        return None
    return Stated(name, given[:_LONGEST], instant(given, ends=ends))


def all_stated(*given: Stated | None) -> tuple[Stated, ...]:
    """Those that state something."""
    return tuple(one for one in given if one is not None)


def instant(text: str, *, ends: bool = False) -> datetime | None:
    """The instant that a text fixes, in UTC; None where it fixes none.

    >>> instant("2026-07-09T10:39:17+0530").isoformat()
    '2026-07-09T05:09:17+00:00'
    >>> instant("2016-12-31T23:59:60Z"), instant("unknown"), instant("2026-02-30T00:00:00Z")
    (None, None, None)
    """
    found = _WRITTEN.fullmatch(text.strip()) if len(text) <= _LONGEST else None
    if found is None or not (found["zone"] or (ends and not found["hour"])):
        return None
    part = (found["part"] or "").ljust(6, "0")[:6]
    numbers = [int(found[n] or 0) for n in ("year", "month", "day", "hour", "minute", "second")]
    try:
        return datetime(*numbers, int(part), tzinfo=_zone(found["zone"])).astimezone(UTC)  # type: ignore[arg-type,misc]
    except (ValueError, OverflowError):
        return None


def _zone(written: str | None) -> timezone:
    if not written or written in "Zz":
        return UTC
    sign = -1 if written[0] == "-" else 1
    digits = written[1:].replace(":", "")
    return timezone(sign * timedelta(hours=int(digits[:2]), minutes=int(digits[2:] or 0)))


def _from_number(given: int | float) -> datetime | None:
    seconds = given / 1000 if abs(given) >= _MILLISECONDS_FROM else given
    if not 0 < seconds <= _LAST_SECOND:
        return None
    whole = datetime.fromtimestamp(int(seconds), UTC)
    return whole + timedelta(microseconds=round((seconds - int(seconds)) * 1_000_000))
