r"""What a question about a conversation asks for, and which messages hold such a thing.

- A question may name who said it: a speaker by name, the asker (`I`, `my`) or the other side (`you`, `your`).
- It may name a time: a month, a year, a day, a date, or one counted from the instant of asking (`two weeks ago`).
- It may ask for a kind of thing: a time (`when`), a number (`how many`), a place (`where`).
- What a message holds of these is told by its text alone, once, when it is kept (`marks_of`).
- The patterns are English. Where a question or message is in another language nothing is found, and nothing is lost.

How much any of this counts is `dialogue`'s matter.

>>> asked = ask_about("When did Ada move to Leeds in May 2023?")
>>> asked.terms, asked.kinds == TIME, asked.times
(('ada', 'move', 'leed', '2023'), True, (Span(year=2023, month=5, day=0),))
>>> bool(marks_of("We moved last week!") & TIME), bool(marks_of("Shall we?") & ENDS_ASKING)
(True, True)
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType

from muniment.core.words import STOP_WORDS, query_words, words

ASKS, ENDS_ASKING, TIME, NUMBER, PLACE = 1, 2, 4, 8, 16
"""Marks of a message: it asks something, it ends with a question, it tells a time, a number, a place."""
SELF, OTHER = 1, 2
"""Whom a question means by `I` and by `you`."""

SELF_ROLES = frozenset({"user", "human"})
OTHER_ROLES = frozenset({"assistant", "ai", "bot", "model"})

_MONTHS = (
    "january february march april may june july august september october november december".split()
)
_MONTH_NUMBERS = MappingProxyType(
    {form: n for n, name in enumerate(_MONTHS, 1) for form in (name, name[:3], name[:4])}
)
_DAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_COUNTED = MappingProxyType(
    dict(zip("a one two three four five six seven eight nine ten".split(), (1, *range(1, 11)), strict=True))
)  # fmt: skip

_TIME_TOLD = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|last|next|ago|weeks?|weekends?|months?|years?|days?|since"
    rf"|{_DAYS}|recently|just|morning|evening|night|{'|'.join(_MONTHS)}|\d{{4}}|\d+(?:st|nd|rd|th))\b",
    re.IGNORECASE,
)
_NUMBER_TOLD = re.compile(
    r"\b(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|couple|few|several|once|twice|dozen)\b",
    re.IGNORECASE,
)
_PLACE_TOLD = re.compile(r"\b(?:in|at|to|from|near)\s+(?:the\s+)?[A-Z]")
_QUESTION_MARK = re.compile("[?？؟]")
_ENDS_ASKING = re.compile("[?？؟]\\W*$")

_TIME_ASKED = re.compile(
    r"\bwhen\b|\bhow (?:long|recently)\b|\b(?:what|which) (?:date|day|month|year|time)\b"
)
_NUMBER_ASKED = re.compile(r"\bhow (?:many|much|often|old)\b")
_PLACE_ASKED = re.compile(
    r"\bwhere\b|\b(?:what|which) (?:city|country|place|town|state|restaurant|location)\b"
)
_SELF_NAMED = re.compile(r"\b(?:i|i'm|i've|i'd|my|me|mine|myself|we|our)\b")
_OTHER_NAMED = re.compile(
    r"\b(?:you|your|yours)\b(?! (?:tell|help|find|list|show|give|explain))|\bremind me\b"
)

_ISO = re.compile(r"\b(\d{4})-(\d{2})(?:-(\d{2}))?\b")
_MONTH = re.compile(r"\b(" + "|".join(sorted(_MONTH_NUMBERS, key=len, reverse=True)) + r")\b\.?")
_NO_MONTH = re.compile(
    r"(?<!\bin )(?<!\bof )(?<!\d )\b(?:may|march|mar)\b"
)  # the verbs, as they are written
_YEAR = re.compile(r"\b((?:19|20)\d\d)\b")
_DAY = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)?\b")
_AGO = re.compile(
    r"\b(a|one|two|three|four|five|six|seven|eight|nine|ten|\d{1,3}) (day|week|month|year)s? ago\b"
)
_LAST = re.compile(r"\blast (week|month|year)\b")
_UNIT_DAYS = MappingProxyType({"day": 1, "week": 7, "month": 30, "year": 365})


@dataclass(frozen=True, slots=True)
class Span:
    """A time that a question names: parts that it leaves open are 0."""

    year: int = 0
    month: int = 0
    day: int = 0


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, understood.

    Attributes:
        terms: Its words as the index has them, without stop words and repeats.
        words: All its words, for names.
        kinds: Marks of what it asks for.
        persons: `SELF` and `OTHER`, where it means them.
        times: The times that it names.
    """

    terms: tuple[str, ...]
    words: frozenset[str]
    kinds: int = 0
    persons: int = 0
    times: tuple[Span, ...] = ()


def marks_of(text: str) -> int:
    """What a message's text holds, as marks; one pass a mark, linear in the text.

    >>> marks_of("Two of us flew to Oslo on Monday.") == TIME | NUMBER | PLACE
    True
    """
    told = (
        (ASKS, _QUESTION_MARK),
        (TIME, _TIME_TOLD),
        (NUMBER, _NUMBER_TOLD),
        (PLACE, _PLACE_TOLD),
    )
    found = sum(mark for mark, pattern in told if pattern.search(text))
    return found | (ENDS_ASKING if _ENDS_ASKING.search(text[-40:]) else 0)


def ask_about(query: str, at: datetime | None = None) -> Asked:
    """Understand a question.

    Args:
        query: The question.
        at: The instant from which `last month` is counted; where there is none, such times are not understood.

    >>> ask_about("What did I tell you?").persons == SELF | OTHER
    True
    >>> ask_about("What may we march for?").times, len(ask_about("Who came in may?").times)
    ((), 1)
    """
    lowered = query.lower().replace("’", "'")
    asked = ((TIME, _TIME_ASKED), (NUMBER, _NUMBER_ASKED), (PLACE, _PLACE_ASKED))
    kinds = sum(mark for mark, pattern in asked if pattern.search(lowered))
    persons = (SELF if _SELF_NAMED.search(lowered) else 0) | (
        OTHER if _OTHER_NAMED.search(lowered) else 0
    )
    terms = tuple(dict.fromkeys(query_words(query)))
    return Asked(
        terms,
        frozenset(words(query)),
        kinds,
        persons,
        _times(_NO_MONTH.sub(" ", query).lower(), at),
    )


# --- who ------------------------------------------------------------------------------------------


def name_words(speaker: str) -> frozenset[str]:
    """The words by which a speaker can be named.

    >>> sorted(name_words("Ada Lovelace")), name_words("user")
    (['ada', 'lovelac'], frozenset())
    """
    found = frozenset(words(speaker))
    if found & (SELF_ROLES | OTHER_ROLES):
        return frozenset()
    return found - STOP_WORDS


def is_meant(asked: Asked, speaker: str) -> bool:
    """Whether a question names a speaker; one that means both sides means neither.

    >>> is_meant(ask_about("What does Ada like?"), "Ada"), is_meant(
    ...     ask_about("What do I like?"), "user"
    ... )
    (True, True)
    >>> is_meant(ask_about("What did I tell you?"), "user")
    False
    """
    if name_words(speaker) & asked.words:
        return True
    role = speaker.casefold()
    if asked.persons == SELF:
        return role in SELF_ROLES
    return asked.persons == OTHER and role in OTHER_ROLES


# --- when -----------------------------------------------------------------------------------------


def _times(lowered: str, at: datetime | None) -> tuple[Span, ...]:
    found = [Span(int(y), int(m), int(d or 0)) for y, m, d in _ISO.findall(lowered)]
    rest = _ISO.sub(" ", lowered)
    months = [_MONTH_NUMBERS[name] for name in _MONTH.findall(rest)]
    years = [int(year) for year in _YEAR.findall(rest)] or [0]
    days = [int(day) for day in _DAY.findall(rest) if 1 <= int(day) <= 31] if months else []
    found += [Span(y, m, d) for m in months for y in years for d in days or [0]]
    if not months and years != [0]:
        found += [Span(year) for year in years]
    return tuple(dict.fromkeys([*found, *_counted(lowered, at)]))


def _counted(lowered: str, at: datetime | None) -> Iterable[Span]:
    """Times counted from the instant of asking."""
    if at is None:
        return
    if "yesterday" in lowered:
        yield _back(at, 1, "day")
    for count, unit in _AGO.findall(lowered):
        yield _back(at, int(count) if count.isdigit() else _COUNTED[count], unit)
    for unit in _LAST.findall(lowered):
        yield _back(at, 1, unit)


def _back(at: datetime, count: int, unit: str) -> Span:
    """So many units before an instant, as exact as the unit.

    >>> from datetime import UTC
    >>> _back(datetime(2026, 3, 10, tzinfo=UTC), 2, "month"), _back(
    ...     datetime(2026, 3, 10, tzinfo=UTC), 1, "week"
    ... )
    (Span(year=2026, month=1, day=0), Span(year=2026, month=3, day=3))
    """
    if unit == "year":
        return Span(max(1, at.year - count))
    if unit == "month":
        months = max(12, at.year * 12 + at.month - 1 - count)
        return Span(months // 12, months % 12 + 1)
    then = at - timedelta(days=min(count * _UNIT_DAYS[unit], at.toordinal() - 1))
    return Span(then.year, then.month, then.day)


def nearness(span: Span, told: datetime) -> int:
    """How well a message's time fits a time that the question names, in quarters: 0 to 4.

    A month alone makes two; the day four, and up to a week after it three, since people tell of a day soon after it.
    A year makes one, and spoils the rest where it is another.

    >>> from datetime import UTC
    >>> day = datetime(2023, 5, 10, tzinfo=UTC)
    >>> [
    ...     nearness(s, day)
    ...     for s in (Span(0, 5), Span(0, 5, 10), Span(0, 5, 8), Span(2023), Span(2022, 5))
    ... ]
    [2, 4, 3, 1, 0]
    """
    if span.year and span.year != told.year:
        return 0
    if not span.month:
        return 1
    if span.month != told.month:
        return 0
    if span.day and 0 <= told.day - span.day <= 7:
        return 4 if told.day == span.day else 3
    return 3 if span.year and not span.day else 2
