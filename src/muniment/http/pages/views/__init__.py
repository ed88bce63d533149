"""The views of the page, a file a subject; each is a function of an `asked.Page`."""

from muniment.http.pages.asked import View
from muniment.http.pages.views import inbox, memory, recall, seat

VIEWS: tuple[tuple[str, str, View], ...] = (
    *seat.VIEWS,
    *inbox.VIEWS,
    *memory.VIEWS,
    *recall.VIEWS,
)
"""Method, path and view."""
