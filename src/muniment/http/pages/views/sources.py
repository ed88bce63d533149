"""Sources: what memory rests on, what their last readings said, and reading them again now.

- Reading again proposes; nothing changes before it is reviewed, unless a declared policy accepts it.
- What could not be read is no state of a claim, for it proves nothing: it is told of the last reading from here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from starlette.responses import Response

from muniment.core.authority import allows, role_of
from muniment.core.source import Reading
from muniment.core.survey import READING_ORDER, Place
from muniment.http.pages.asked import Page
from muniment.reviewable.beside import place, reading_said
from muniment.usecases.reread import Reread, kinds

PAGE = 100
NEVER = "never"
SAID = {
    "missing": ("bad", "was gone"),
    "changed": ("bad", "said something else"),
    "could_not_observe": ("unsure", "could not be read"),
    "": ("unsure", "never read again"),
    "moved": ("good", "said so at another place"),
    "match": ("good", "still said so"),
}
"""How good the state of a last reading is, and its words."""


@dataclass(frozen=True, slots=True)
class Read:
    """One claim's source, as it was found when it was read from here.

    Attributes:
        claim: The claim.
        said: Its statement.
        where: Its source's address, as a person reads it.
        how: good, bad or unsure.
        words: What the source says.
        detail: More about that.
    """

    claim: str
    said: str
    where: str
    how: str
    words: str
    detail: str


def sources(page: Page) -> Response:
    """The sources, all or of one state."""
    survey = page.memory.survey()
    counts = dict.fromkeys(READING_ORDER, 0)
    for one in survey.places:
        counts[one.state] += 1
    asked = page.query.get("state", "")
    chosen = asked if asked in (NEVER, *READING_ORDER) else ""
    wanted = "" if chosen == NEVER else chosen
    shown = [one for one in survey.places if not chosen or one.state == wanted]
    return page.answer(
        "sources.html",
        places=shown[:PAGE],
        total=len(shown),
        states=[(name or NEVER, count) for name, count in counts.items() if count],
        chosen=chosen,
        of=survey.places_of,
        holding=survey.holding,
        may_reread=allows(page.memory.session.role, "reread"),
        role=role_of("reread"),
        last=_last(page),
        address=_address,
        said=_said,
        now=survey.at,
    )


def _address(one: Place) -> str:
    return place(one.uri, 0) if one.uri else f"no address ({one.kind.replace('_', ' ')})"


def _said(state: str) -> tuple[str, str]:
    """How good the state of a last reading is, and its words."""
    return SAID[state]


@dataclass(frozen=True, slots=True)
class Last:
    """The last reading from here.

    Attributes:
        at: When.
        kinds: How many readings came out how.
        read: Those that a person should see, the worrying first.
        proposed: Diffs that hold what follows.
        without_source: Claims with nothing that can be read again.
        waiting: Claims for which the same proposal waited already.
    """

    at: datetime
    kinds: tuple[tuple[str, int], ...]
    read: tuple[Read, ...]
    proposed: tuple[str, ...]
    without_source: int
    waiting: int


def _last(page: Page) -> Last | None:
    if page.seat.reread is None:
        return None
    at, found = page.seat.reread
    return Last(
        at,
        tuple(kinds(found)),
        tuple(_read(page, found)),
        tuple(one.diff.id for one in found.proposed),
        len(found.without_source),
        len(found.waiting),
    )


def _read(page: Page, found: Reread) -> Iterator[Read]:
    worrying = {
        name: reading
        for name, reading in found.readings.items()
        if reading.state not in ("match", "moved")
    }
    known = page.memory.claims(worrying)

    def order(one: tuple[str, Reading]) -> tuple[int, str]:
        return READING_ORDER.index(one[1].state), one[0]

    seen = ((name, reading) for name, reading in worrying.items() if name in known)
    for name, reading in sorted(seen, key=order)[:PAGE]:
        how, words = reading_said(reading.state)
        claim = known[name]
        yield Read(name, claim.claim, place(claim.source.uri, 0), how, words, reading.detail)


def reread(page: Page) -> Response:
    """Read sources again now: what is due, or everything."""
    found, by = page.memory.reread(everything=page.form.get("everything") == "yes")
    page.seat.reread = (page.seats.now(), found)
    count = len(found.readings)
    proposed = sum(len(one.diff.changes) for one in found.proposed)
    if by.policy and by.outcome:
        accepted = sum(word.decision == "accepted" for word in by.outcome.decisions.values())
        page.seat.say("good", f"the policy {by.policy} accepted {accepted} of what follows")
    words = f"{count} {'source was' if count == 1 else 'sources were'} read again"
    return page.back("/sources", "good" if count else "unsure", f"{words}, {proposed} proposed")


VIEWS = (("GET", "/sources", sources), ("POST", "/sources/reread", reread))
