"""Who acts: the bearer of the token in the `Authorization` header, never of one in an address or a body."""

from __future__ import annotations

from muniment.core.errors import Unauthenticated
from muniment.http.problems import unauthenticated
from muniment.memory import Memory

SCHEME = "bearer"


def presented(header: str | None) -> str:
    """The token in an `Authorization` header; empty where there is none.

    >>> presented("Bearer mun_abc"), presented("Basic YTpi"), presented(None)
    ('mun_abc', '', '')
    """
    scheme, _, text = (header or "").partition(" ")
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
