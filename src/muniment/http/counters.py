"""Counters of requests by route and status, as plain text; no name of a person, a claim or a tenant.

>>> counters = Counters()
>>> counters.count("shop", "POST /v1/recall", 200)
>>> print(counters.text("shop"), end="")
# TYPE muniment_requests_total counter
muniment_requests_total{route="POST /v1/recall",status="200"} 1
>>> counters.text("another")
'# TYPE muniment_requests_total counter\\n'
"""

from __future__ import annotations

from collections import Counter

NOBODY = ""
"""Requests that presented no token that serves; they are about no tenant's memory, and every operator sees them."""


class Counters:
    """What was asked since the process began, tenant by tenant."""

    def __init__(self) -> None:
        """Begin at nothing."""
        self._counts: Counter[tuple[str, str, int]] = Counter()

    def count(self, tenant: str, route: str, status: int) -> None:
        """Count one request."""
        self._counts[tenant, route, status] += 1

    def text(self, tenant: str) -> str:
        """The counters of one tenant and of nobody, in the text format that Prometheus reads."""
        whole: Counter[tuple[str, int]] = Counter()
        for (whose, route, status), count in self._counts.items():
            if whose in (tenant, NOBODY):
                whole[route, status] += count
        lines = [
            f'muniment_requests_total{{route="{route}",status="{status}"}} {count}'
            for (route, status), count in sorted(whole.items())
        ]
        return "\n".join(("# TYPE muniment_requests_total counter", *lines, ""))
