"""The views of the page, a file a subject; each is a function of a `asked.Page`."""

from muniment.http.pages.asked import View
from muniment.http.pages.views import inbox, seat

VIEWS: tuple[tuple[str, str, View], ...] = (*seat.VIEWS, *inbox.VIEWS)
"""Method, path and view."""
