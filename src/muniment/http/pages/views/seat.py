"""Signing out, opening and forgetting the credential, and how the page looks."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.responses import RedirectResponse, Response

from muniment.core.errors import MunimentError
from muniment.http.pages.asked import HEADERS, THEMES, Page
from muniment.http.pages.seats import COOKIE


def home(page: Page) -> Response:
    """The first page."""
    return page.back("/inbox")


def sign_out(page: Page) -> Response:
    """End the seat."""
    page.seats.leave(page.seat)
    answer = RedirectResponse("/sign-in", 303, headers=HEADERS)
    answer.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
    return answer


def unlock(page: Page) -> Response:
    """Open the reviewer's credential."""
    to = came_from(page, "/inbox")
    try:
        page.seats.unlock(page.seat, page.form.get("passphrase", ""))
    except MunimentError as error:
        return page.back(to, "bad", f"{error.message}; {error.findings[0].fix}")
    return page.back(to, "good", "your credential is open for a quarter of an hour")


def lock(page: Page) -> Response:
    """Forget the reviewer's credential."""
    page.seats.lock(page.seat)
    return page.back(came_from(page, "/inbox"), "good", "your credential is closed")


def theme(page: Page) -> Response:
    """Light or dark, kept in a cookie."""
    chosen = page.form.get("theme", "")
    answer = page.back(came_from(page, "/inbox"))
    if chosen in THEMES:
        answer.set_cookie(
            "muniment_theme", chosen, max_age=31_536_000, samesite="strict", httponly=True
        )
    else:
        answer.delete_cookie("muniment_theme", samesite="strict", httponly=True)
    return answer


def came_from(page: Page, otherwise: str) -> str:
    """The page's own path that a form was sent from."""
    given = urlsplit(page.form.get("back", ""))
    own = given.path.startswith("/") and not given.path.startswith("//") and not given.netloc
    whole = f"{given.path}?{given.query}" if given.query else given.path
    return whole if own and whole.isprintable() and "\\" not in whole else otherwise


VIEWS = (
    ("GET", "/", home),
    ("POST", "/sign-out", sign_out),
    ("POST", "/unlock", unlock),
    ("POST", "/lock", lock),
    ("POST", "/theme", theme),
)
