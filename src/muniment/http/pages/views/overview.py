"""Overview: how fresh memory is, how it grew, what waits, what ends soon and what is in doubt, with where to act on it.

- All of it is one look of the `survey` verb, as who asks; plots are pictures of its numbers, which stand beneath them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from starlette.responses import Response

from muniment.core.survey import CAUSES, RISKS, Survey
from muniment.http.pages.asked import Page
from muniment.http.pages.pictures import Bar, Point, bars, growth

FRESH = (
    ("current", "fill4", "/memory?status=active"),
    ("stale", "fill2", "#doubt"),
    ("unknown", "fill2", "#doubt"),
    ("needs_review", "fill2", "/inbox"),
    ("expired", "fill3", "/memory?status=expired&history=yes"),
)
_KINDS = (
    ("status", "Status, of all"),
    ("review", "Review, of all"),
    ("memory_type", "Memory type"),
    ("type", "Claim type"),
    ("origin", "Origin of the source"),
    ("scope", "Scope"),
)
_FILTERED = {"status": "status", "memory_type": "memory_type", "type": "type", "origin": "origin"}


@dataclass(frozen=True, slots=True)
class Number:
    """A number of a table.

    Attributes:
        name: What is counted.
        count: How many.
        to: Where one acts on it; empty for nowhere.
    """

    name: str
    count: int
    to: str = ""


def overview(page: Page) -> Response:
    """The overview."""
    survey = page.memory.survey(sources=0)
    fresh = [Number(name, survey.counts["freshness"].get(name, 0), to) for name, _, to in FRESH]
    colours = {name: kind for name, kind, _ in FRESH}
    words = dict(CAUSES)
    causes = [Number(words[name], count) for name, count in survey.counts["cause"].items()]
    return page.answer(
        "overview.html",
        survey=survey,
        fresh=fresh,
        fresh_plot=bars(
            "Freshness",
            [Bar(n.name.replace("_", " "), n.count, colours[n.name]) for n in fresh],
        ),
        backlog_plot=bars("Waiting for review, by how long", _waiting(survey.backlog)),
        growth_plot=growth(
            "Claims recorded",
            [Point(one.begins, one.recorded, one.total) for one in survey.growth],
            survey.period,
        )
        if survey.growth
        else "",
        risks=tuple(reversed(RISKS)),
        causes=causes,
        cause_words=words,
        kinds=[(title, _numbers(survey, name)) for name, title in _KINDS],
        now=survey.at,
    )


def _waiting(backlog: Mapping[str, Mapping[str, int]]) -> list[Bar]:
    found = []
    for age, risks in backlog.items():
        high = risks["high"]
        note = f"({high} high risk)" if high else ""
        label = "longer" if age == "longer" else f"less than {age}"
        found.append(Bar(label, sum(risks.values()), "fill3" if high else "fill", note))
    return found


def _numbers(survey: Survey, name: str) -> list[Number]:
    found = []
    for value, count in survey.counts[name].items():
        asked = {_FILTERED[name]: value} if name in _FILTERED and value else {}
        if name == "scope":
            asked = {"scope": value}
        if name == "status":
            asked["history"] = "yes"
        found.append(Number(value, count, f"/memory?{urlencode(asked)}" if asked else ""))
    return found


VIEWS = (("GET", "/overview", overview),)
