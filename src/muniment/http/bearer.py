"""Who acts: the bearer of the token in the `Authorization` header, never of one in an address or a body."""

from __future__ import annotations

from muniment.core.errors import Unauthenticated
from muniment.http.problems import unauthenticated
from muniment.memory import Memory

SCHEME = "bearer"


def presented(headers: list[str]) -> str:
    """The token in the `Authorization` headers; empty where there is none, or more than one.

    >>> presented(["Bearer mun_abc"]), presented(["Basic YTpi"]), presented([]), presented(["Bearer a", "Bearer b"])
    ('mun_abc', '', '', '')
    """
    scheme, _, text = (headers[0] if len(headers) == 1 else "").partition(" ")
    return text.strip() if scheme.lower() == SCHEME else ""


def bearing(memory: Memory, text: str, ceiling: str) -> Memory:
    """Memory as the bearer of a token may use it.

    Args:
        memory: Acting as nobody.
        text: What was presented.
        ceiling: The server's own.

    Raises:
        Unauthenticated: It serves nothing, for whatever reason.
    """
    try:
        return memory.with_token(text, role=ceiling)
    except Unauthenticated:
        raise unauthenticated() from None
