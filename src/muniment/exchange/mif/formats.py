"""The three string formats of the schema: `date`, `date-time` and `uri`.

- `date-time` is RFC 3339, section 5.6: an offset is required, a 60th second only where it can be one in UTC.
- `date` is the full date of RFC 3339; the year 0000 is one, as a leap year.
- `uri` is RFC 3986 with a scheme: no character outside the grammar, no zone in an IPv6 address.

Only syntax is looked at; nothing is resolved. ASCII digits alone are digits.

>>> is_date_time("2026-01-15T10:30:00Z"), is_date_time("2026-01-15 10:30:00Z"), is_date_time("2026-01-15T10:30:00")
(True, False, False)
>>> is_uri("urn:mif:x"), is_uri("https://exa mple.com"), is_uri("//host")
(True, False, False)
"""

from __future__ import annotations

import re

_DATE = r"([0-9]{4})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
_FULL_DATE = re.compile(_DATE)
_DATE_TIME = re.compile(
    _DATE + r"[Tt]([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9]|60)(?:\.[0-9]+)?"
    r"(?:[Zz]|([+-])([01][0-9]|2[0-3]):([0-5][0-9]))"
)

_PCT = "%[0-9A-Fa-f]{2}"
_UNRESERVED = r"A-Za-z0-9._~\-"
_SUB = "!$&'()*+,;="
_PCHAR = f"(?:[{_UNRESERVED}{_SUB}:@]|{_PCT})"
_URI = re.compile(
    r"[A-Za-z][A-Za-z0-9+.\-]*:"
    f"(?://(?:(?:[{_UNRESERVED}{_SUB}:]|{_PCT})*@)?"
    f"(?P<host>\\[[^\\]]*\\]|(?:[{_UNRESERVED}{_SUB}]|{_PCT})*)(?::[0-9]*)?(?:/{_PCHAR}*)*"
    f"|/?(?:{_PCHAR}+(?:/{_PCHAR}*)*)?)"
    f"(?:\\?(?:{_PCHAR}|[/?])*)?(?:#(?:{_PCHAR}|[/?])*)?"
)
_IP_FUTURE = re.compile(f"[vV][0-9A-Fa-f]+\\.[{_UNRESERVED}{_SUB}:]+")
_IP_4 = re.compile(r"(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(?:\.(?!\Z)|\Z)){4}")
_HEX_16 = re.compile("[0-9A-Fa-f]{1,4}")


def is_date(text: str) -> bool:
    """Whether this is a full date.

    >>> [is_date(text) for text in ("2024-02-29", "2026-02-29", "0000-02-29", "2026-1-5")]
    [True, False, True, False]
    """
    found = _FULL_DATE.fullmatch(text)
    return found is not None and _day_exists(found[1], found[2], found[3])


def is_date_time(text: str) -> bool:
    """Whether this is a date and time with an offset.

    >>> [is_date_time(f"2016-12-31T{clock}") for clock in ("23:59:60Z", "22:59:60Z", "15:59:60-08:00")]
    [True, False, True]
    """
    found = _DATE_TIME.fullmatch(text)
    if found is None or not _day_exists(found[1], found[2], found[3]):
        return False
    if found[6] != "60":
        return True
    offset = int(found[8]) * 60 + int(found[9]) if found[7] else 0
    minutes = int(found[4]) * 60 + int(found[5]) - (offset if found[7] != "-" else -offset)
    return minutes % (24 * 60) == 24 * 60 - 1


def _day_exists(year: str, month: str, day: str) -> bool:
    if day <= "28":
        return True
    if month == "02":
        number = int(year)
        leap = number % 4 == 0 and (number % 100 != 0 or number % 400 == 0)
        return day == "29" and leap
    return day != "31" or month in ("01", "03", "05", "07", "08", "10", "12")


def is_uri(text: str) -> bool:
    """Whether this is a URI with a scheme.

    >>> [is_uri(text) for text in ("http://[::1]:80/a?b#c", "http://[1::2::3]", "a:", "http://h:x", "a:%zz")]
    [True, False, True, False, False]
    """
    found = _URI.fullmatch(text)
    if found is None:
        return False
    host = found["host"]
    return not host or host[0] != "[" or _is_literal(host[1:-1])


def _is_literal(host: str) -> bool:
    """Whether an address in brackets is IPv6 or of a later version."""
    if _IP_FUTURE.fullmatch(host):
        return True
    before, double, after = host.partition("::")
    left, right = _groups(before, not double), _groups(after, True) if double else 0
    if left is None or right is None:
        return False
    return left + right <= 7 if double else left == 8


def _groups(part: str, may_end_in_ipv4: bool) -> int | None:
    """How many 16-bit groups a half of an IPv6 address has; None where it is none."""
    if not part:
        return 0
    *heads, last = part.split(":")
    if not all(map(_HEX_16.fullmatch, heads)):
        return None
    if _HEX_16.fullmatch(last):
        return len(heads) + 1
    return len(heads) + 2 if may_end_in_ipv4 and _IP_4.fullmatch(last) else None
