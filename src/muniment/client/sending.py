"""One request, and what to make of its answer; nothing here waits or sends.

- What is safe to send twice is sent again after a lost connection, a full server, a passed deadline or a spent share,
  and not before the server said.
- A redirect is not followed: it would carry the token elsewhere.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import httpx

from muniment.client.address import Secret
from muniment.client.problems import error_of
from muniment.core.access import Scope
from muniment.core.encode import encode
from muniment.core.errors import MunimentError, NotPermitted, quoted

Body = dict[str, Any]
LARGEST_ANSWER = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait, and how often to ask again.

    Attributes:
        connect: Seconds to reach the server.
        answer: Seconds until its answer.
        attempts: How often a request is sent at most.
        pause: Seconds before the second attempt; twice as long before each further one.
        longest_pause: Seconds between two attempts at most; who is asked to wait longer asks no more.
    """

    connect: float = 5.0
    answer: float = 60.0
    attempts: int = 4
    pause: float = 0.2
    longest_pause: float = 10.0

    def before(self, attempt: int, asked_for: str = "") -> float | None:
        """Seconds to wait before an attempt, the second being number 2; None where that would be too long.

        Args:
            attempt: Which.
            asked_for: What the server said in `Retry-After`; it is never asked sooner.

        >>> Patience().before(2), Patience().before(4), Patience().before(2, "3"), Patience().before(2, "900")
        (0.2, 0.8, 3.0, None)
        """
        stated = float(asked_for) if asked_for.isascii() and asked_for.isdigit() else 0.0
        if stated > self.longest_pause:
            return None
        own: float = self.pause * 2 ** (attempt - 2)
        return max(stated, min(own, self.longest_pause))


@dataclass(frozen=True, slots=True)
class Asked:
    """One request.

    Attributes:
        method: GET or POST.
        path: Beneath the server's address.
        body: The JSON object of a POST.
        query: The parameters of a GET.
        once: Whether it carries a key, so that sending it twice is sending it once.
    """

    method: str
    path: str
    body: Mapping[str, Any] | None = None
    query: Mapping[str, Any] = field(default_factory=dict)
    once: bool = False

    def headers(self, token: Secret) -> dict[str, str]:
        """The request's headers, with a key of its own where it needs one."""
        found = {"Authorization": f"Bearer {token.text}", "Accept": "application/json"}
        if self.once:
            found["Idempotency-Key"] = secrets.token_hex(16)
        if self.body is not None:
            found["Content-Type"] = "application/json"
        return found

    def content(self) -> bytes | None:
        """The body's bytes."""
        if self.body is None:
            return None
        return json.dumps(plain(self.body), allow_nan=False).encode("ascii")


def plain(value: Any) -> Any:
    """A value as JSON has it; scopes and instants as texts.

    >>> plain({"scopes": (Scope("project", "shop"),)})
    {'scopes': ['project:shop']}
    """
    if isinstance(value, Scope):
        return str(value)
    if isinstance(value, datetime):
        return encode(value)
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, Sequence | set | frozenset) and not isinstance(value, str):
        return [plain(item) for item in value]
    return value


def is_worth_repeating(response: httpx.Response) -> bool:
    """Whether the server asks to come again: it did nothing."""
    return response.status_code in (
        httpx.codes.TOO_MANY_REQUESTS,
        httpx.codes.SERVICE_UNAVAILABLE,
    )


def answer_of(response: httpx.Response) -> Body:
    """The answer's JSON.

    Raises:
        MunimentError: As the server says.
    """
    if response.is_redirect or response.is_informational:
        host = httpx.URL(response.headers.get("location", "")).host
        fix = "name the server's own address"
        raise NotPermitted(
            f"the server leads elsewhere, to {quoted(host or 'another address of its own')}; "
            "a token is not carried there",
            fix=fix,
        )
    body = _json(response)
    if not response.is_success:
        raise error_of(response.status_code, body)
    if not isinstance(body, dict):
        raise MunimentError("the answer is no JSON object", fix="check the server's address")
    return body


def _json(response: httpx.Response) -> Any:
    kind = response.headers.get("content-type", "").partition(";")[0]
    if kind not in ("application/json", "application/problem+json"):
        return None
    try:
        return json.loads(response.content)
    except (ValueError, RecursionError):
        return None
