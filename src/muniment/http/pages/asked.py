"""One request to the page: who asks, what the form carries, and how it is answered.

- Every answer says that it may not be framed, sniffed, kept, or run anything that is not the page's own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from muniment.http.pages import render
from muniment.http.pages.seats import Seat, Seats
from muniment.memory import Memory

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
THEMES = ("light", "dark")
NAVIGATION = (
    ("/inbox", "Inbox"),
    ("/memory", "Memory"),
    ("/recall", "Recall"),
    ("/conflicts", "Conflicts"),
    ("/sources", "Sources"),
    ("/bridges", "Bridges"),
    ("/overview", "Overview"),
    ("/audit", "Audit"),
)
SHOWN = frozenset(
    ("/", "/inbox", "/memory", "/claims/{id}", "/recall", "/conflicts", "/sources", "/bridges", "/overview")
)  # fmt: skip
"""The pages of a showcase: those that a reader may look at, and that change nothing."""


@dataclass(frozen=True, slots=True)
class Page:
    """One request to the page.

    Attributes:
        request: As it came.
        seats: Who sits here.
        seat: Who asks.
        form: What a POST carries, the last word of each name.
        several: All words of each name, in order.
    """

    request: Request
    seats: Seats
    seat: Seat
    form: Mapping[str, str]
    several: Mapping[str, tuple[str, ...]]

    @property
    def memory(self) -> Memory:
        """The memory, as who asks."""
        return self.seat.memory

    @property
    def query(self) -> Mapping[str, str]:
        """What the address asks."""
        return dict(self.request.query_params)

    @property
    def wants_part(self) -> bool:
        """Whether a script asks for a part of the page alone."""
        return self.request.headers.get("hx-request") == "true"

    def answer(self, template: str, status: int = 200, **given: Any) -> Response:
        """A page from a template."""
        return answer(self.request, self.seat, template, status, **given)

    def back(self, to: str, how: str = "", words: str = "") -> Response:
        """Go to another page, and say something there."""
        if words:
            self.seat.say(how, words)
        return RedirectResponse(to, HTTPStatus.SEE_OTHER, headers=HEADERS)


View = Callable[[Page], Response]


def answer(
    request: Request, seat: Seat | None, template: str, status: int, **given: Any
) -> Response:
    """A page from a template, for whoever sits at the seat, or for nobody yet."""
    visiting = seat is not None and seat.visiting
    theme = request.cookies.get("muniment_theme", "")
    text = render.page(
        template,
        seat=seat,
        acting=seat.memory.session if seat else None,
        messages=seat.heard() if seat else [],
        path=request.url.path,
        navigation=[one for one in NAVIGATION if one[0] in SHOWN] if visiting else NAVIGATION,
        theme=theme if theme in THEMES else "",
        **given,
    )
    if visiting:
        text = render.without_posts(text)
    return HTMLResponse(text, status, headers=HEADERS)
