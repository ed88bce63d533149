"""Decision records in Nygard's and the MADR form: status, date, and what was decided.

- Only an accepted decision is stated as what holds; of a proposed, rejected, deprecated or
  superseded one only the status is stated, with that label.
- A record without a status is taken at its word: it states a decision, and no status is invented.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from muniment.learn.markdown import front_matter
from muniment.learn.page import Page, Span
from muniment.learn.prose import clean, words_of
from muniment.learn.statements import statements
from muniment.learn.uses import DECISION_USES

_PATH = re.compile(
    r"(?:^|/)(?:adrs?|decisions|decision-records|architecture-decisions)/"
    r"(?:adr[-_]?)?(?P<number>\d{1,5})[-_][^/]*\.md$",
    re.IGNORECASE,
)
_TITLE = re.compile(
    r"^#[ \t]+(?:(?:ADR[- ]?)?\d+[.:)\s—–-]+)?(?P<title>[^\n\r]*\S)", re.MULTILINE | re.IGNORECASE
)
_FIELD = (
    r"^(?:[ \t]*[-*][ \t]+)?\**{name}\**[ \t]*:\**[ \t]*(?P<value>[^\n\r]*\S)[ \t\r]*$"
    r"|^\#{{1,3}}[ \t]+{name}[ \t\r]*\n\s*(?P<section>[^\s#][^\n\r]*)"
)
_STATUS = re.compile(_FIELD.format(name="status"), re.MULTILINE | re.IGNORECASE)
_DATE = re.compile(_FIELD.format(name="date"), re.MULTILINE | re.IGNORECASE)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_DECISION = re.compile(r"^decision(?: outcome)?$|^the decision$|^decided$", re.IGNORECASE)
_HOLDS = re.compile(r"accept|approved|adopted|active|implemented|decided", re.IGNORECASE)
_ENDED = re.compile(
    r"supersed|deprecat|reject|propos|draft|replaced|withdrawn|obsolete", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class _Record:
    """What all statements of one record share."""

    number: str
    title: str
    topics: tuple[str, ...]

    @property
    def shown(self) -> str:
        return f"Decision {self.number} ({self.title})" if self.title else f"Decision {self.number}"


def matches(path: str) -> bool:
    """Numbered Markdown files in a folder for decisions."""
    return bool(_PATH.search(path)) and not path.lower().endswith("/readme.md")


def read(page: Page) -> None:
    """Read one record."""
    number = _PATH.search(page.path)
    title = _TITLE.search(page.text)
    words = clean(title.group("title")) if title else ""
    topics = ("decision", "why", "architecture", *words_of(words))
    record = _Record(number.group("number") if number else "", words, topics)
    holds = _status(page, record)
    _date(page, record)
    if holds:
        _decision(page, record)


def _field(page: Page, pattern: re.Pattern[str]) -> tuple[str, Span] | None:
    start, end = front_matter(page.text)
    found = pattern.search(page.text, start, end) or pattern.search(page.text, end)
    if not found:
        return None
    name = "value" if found.group("value") is not None else "section"
    return found.group(name), found.span() if name == "value" else found.span(name)


def _status(page: Page, record: _Record) -> bool:
    """State the status; whether the decision holds."""
    found = _field(page, _STATUS)
    if not found:
        return True
    raw, span = found
    status = clean(raw).strip("\"'").rstrip(".")
    ended = bool(_ENDED.search(status))
    label = "" if _HOLDS.search(status) and not ended else ", so it is not current"
    words = f"has the status: {status}{label}."
    _fact(page, record, "status", "decision_status", status, span, words)
    return not ended


def _date(page: Page, record: _Record) -> None:
    found = _field(page, _DATE)
    day = _DAY.search(found[0]) if found else None
    if found and day:
        words = f"is dated {day.group()}."
        _fact(page, record, "date", "decision_date", day.group(), found[1], words)


def _fact(
    page: Page, record: _Record, key: str, predicate: str, value: str, span: Span, words: str
) -> None:
    page.add(
        key,
        f"{record.shown} {words}",
        predicate=predicate,
        value=value,
        span=span,
        subject=page.path,
        claim_type="decision",
        structured=False,
        uses=DECISION_USES,
        topics=record.topics,
    )


def _decision(page: Page, record: _Record) -> None:
    for statement in statements(page.text):
        under = statement.headings[-1:] and _DECISION.match(clean(statement.headings[-1]))
        if under:
            page.add(
                statement.key,
                f"{record.shown}: {statement.own}",
                predicate="decided",
                value=statement.own,
                span=statement.span,
                subject=page.path,
                pointer="/".join(statement.headings),
                claim_type="decision",
                structured=False,
                uses=DECISION_USES,
                topics=record.topics,
                steps=statement.steps,
            )
