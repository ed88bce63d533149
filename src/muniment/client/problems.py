"""What a server answered that is no success, as the library's own errors.

>>> error_of(404, {"code": "not_found", "detail": "no claim `x` is known here", "findings": []}).code
'not_found'
>>> type(error_of(502, None)).__name__
'StoreUnavailable'
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from muniment.core.errors import (
    Conflicted,
    EmbedderUnavailable,
    Finding,
    InvalidInput,
    MunimentError,
    NotFound,
    NotPermitted,
    Refusal,
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreNewer,
    StoreUnavailable,
    Unauthenticated,
)

KINDS: tuple[type[MunimentError], ...] = (
    Conflicted, EmbedderUnavailable, InvalidInput, NotFound, NotPermitted, Refusal, StoreBusy, StoreDamaged,
    StoreError, StoreFull, StoreNewer, StoreUnavailable, Unauthenticated,
)  # fmt: skip
BY_CODE = {kind.code: kind for kind in KINDS}
BY_STATUS: Mapping[int, type[MunimentError]] = {
    401: Unauthenticated,
    403: NotPermitted,
    404: NotFound,
    409: Conflicted,
    422: InvalidInput,
    429: StoreBusy,
    502: StoreUnavailable,
    503: StoreBusy,
    504: StoreUnavailable,
    507: StoreFull,
}


def error_of(status: int, body: Any) -> MunimentError:
    """The error that an answer stands for.

    Args:
        status: The HTTP status.
        body: The problem body; anything else where the answer came from something in between.
    """
    kind = BY_STATUS.get(status, Refusal if 400 <= status < 500 else StoreError)
    if not isinstance(body, Mapping) or not isinstance(body.get("detail"), str):
        fix = "check the address, and what stands between"
        return kind(f"the server answered {status}, without saying why", fix=fix)
    kind = BY_CODE.get(str(body.get("code")), kind)
    given = body.get("findings")
    found = (
        tuple(_finding(one) for one in given if isinstance(one, Mapping))
        if isinstance(given, list)
        else ()
    )
    return kind(body["detail"], found)


def _finding(one: Mapping[str, Any]) -> Finding:
    severity = one.get("severity")
    return Finding(
        str(one.get("code", "")),
        str(one.get("message", "")),
        str(one.get("path") or ""),
        str(one.get("fix") or ""),
        severity if severity in ("warning", "notice") else "error",
        str(one.get("req") or ""),
    )


def lost(what: str, host: str) -> StoreUnavailable:
    """The server could not be reached, or went away."""
    fix = "check that it runs and how it is reached, and ask again"
    return StoreUnavailable(f"the server {host} {what}", fix=fix)
