"""How often a token is served: so many requests a minute, and none of another token's.

- A token that rested may ask as often at once as in a minute; after that it is served as fast as its share comes back.
- Whoever asks too often is told in how many seconds a request is there again, and nothing was done.
- A bearer is counted once it is known: what presents no token that serves costs nobody his share.

>>> now = [0.0]
>>> rates = Rates(2, lambda: now[0])
>>> [rates.wait("tok_a"), rates.wait("tok_a"), rates.wait("tok_a"), rates.wait("tok_b")]
[0, 0, 30, 0]
>>> now[0] = 30.0
>>> rates.wait("tok_a"), rates.wait("tok_a")
(0, 30)
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable

from muniment.http.problems import Refused

MOST = 10_000
"""Tokens that are remembered; of more, those that rested longest begin anew."""


class Rates:
    """The shares of the tokens. Threads may share it."""

    def __init__(self, a_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin with whole shares.

        Args:
            a_minute: Requests a minute; 0 for no limit.
            clock: Seconds that only go forward.
        """
        self._most, self._clock = a_minute, clock
        self._lock = threading.Lock()
        self._left: dict[str, tuple[float, float]] = {}

    def wait(self, token: str) -> int:
        """Take one request; 0, or the whole seconds until there is one again."""
        if not self._most:
            return 0
        now = self._clock()
        with self._lock:
            left, since = self._left.pop(token, (float(self._most), now))
            left = min(self._most, left + (now - since) * self._most / 60)
            served = left >= 1
            self._left[token] = (left - served, now)  # the last in order is who asked last
            if len(self._left) > MOST:
                del self._left[next(iter(self._left))]
        return 0 if served else max(1, math.ceil((1 - left) * 60 / self._most))

    def refuse_beyond(self, token: str) -> None:
        """Take one request.

        Raises:
            Refused: There is none left.
        """
        seconds = self.wait(token)
        if seconds:
            message = f"this token asks more than {self._most} times a minute"
            fix = f"come again in {seconds} s; who serves it sets the limit: `muniment serve --rate N`"
            raise Refused(429, "too_many_requests", message, fix, seconds)
