"""The views of the page, a file a subject; each is a function of an `asked.Page`."""

from muniment.http.pages.asked import View
from muniment.http.pages.views import (
    audit,
    bridges,
    conflicts,
    inbox,
    memory,
    overview,
    recall,
    seat,
    sources,
)

VIEWS: tuple[tuple[str, str, View], ...] = (
    *seat.VIEWS,
    *inbox.VIEWS,
    *memory.VIEWS,
    *recall.VIEWS,
    *conflicts.VIEWS,
    *sources.VIEWS,
    *bridges.VIEWS,
    *overview.VIEWS,
    *audit.VIEWS,
)
"""Method, path and view."""
