"""`recall`: a packet on stdout, exactly as an agent gets it. Loads no command-line library."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

from muniment.cli.call import Call, refusal, scope_from
from muniment.core.codec import read_time
from muniment.core.errors import Finding, InvalidInput, quoted
from muniment.usecases.advice import undeclared_use


def answer(
    call: Call,
    *,
    query: str,
    source: str,
    threshold: float,
    own: bool,
    passages: bool,
    **given: Any,
) -> None:
    """Ask memory, and write the packet; the keywords are those of `flags.RECALL`."""
    options = {
        **_options(given),
        "uri_prefix": source,
        "relevance_threshold": threshold,
        "include_passages": passages,
        "own_proposals": own,
    }
    if given["certify"]:
        _certified(call, query, given["certify"], options)
        return
    recalled = call.memory().recall(query, **options)
    if call.options.json:
        from muniment import wire

        call.result(wire.recalled(recalled))
        return
    call.terminal.out(recalled.packet.text, end="")
    if recalled.packet.items and (said := undeclared_use(given["use"])):
        call.terminal.dim(said)
    if recalled.retrieval_id:
        call.terminal.dim(f"why this answer: muniment why {recalled.retrieval_id}")


def _options(given: dict[str, Any]) -> dict[str, Any]:
    plain = (
        "use",
        "budget",
        "k",
        "history",
        "method",
        "ranking",
        "counter",
        "version",
        "reread",
        "grounded",
    )
    return {
        **{name: given[name] for name in plain},
        **_filters(given),
        "scopes": tuple(scope_from(text, "--within") for text in given["within"]),
        "at": time_from(given["at"], "--at") if given["at"] else None,
        "as_of": revision_or_time(given["as_of"]) if given["as_of"] else None,
        "log": _log(given["log"]),
    }


def _certified(call: Call, query: str, file: str, options: dict[str, Any]) -> None:
    from muniment import wire
    from muniment.cli.certificates import write_certificate

    certified = call.memory().certified_recall(query, **options)
    write_certificate(file, certified.certificate)
    if call.options.json:
        call.result(wire.certified(certified))
        return
    packet: Any = certified.answered
    call.terminal.out(packet.text, end="")
    call.terminal.dim(f"whether it still holds: muniment revalidate {file}")


def _filters(given: dict[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    return {
        name: tuple(given[name]) for name in ("ids", "memory_types", "types", "origins", "statuses")
    }


def _log(given: str) -> Literal["text", "digest", "off"]:
    known: tuple[Literal["text", "digest", "off"], ...] = ("text", "digest", "off")
    for one in known:
        if given == one:
            return one
    fix = "use one of: text, digest, off"
    raise refusal("unknown_value", f"{quoted(given)} is not expected here", "--log", fix)


def time_from(text: str, path: str) -> datetime:
    """An instant with an offset.

    Raises:
        InvalidInput: It is none.
    """
    findings: list[Finding] = []
    found = read_time(text, path, findings)
    if found is None:
        raise InvalidInput.of(tuple(findings))
    return found


def revision_or_time(text: str) -> int | datetime:
    """A revision, or an instant in system time.

    Raises:
        InvalidInput: It is neither.
    """
    plain = text.isascii() and text.isdigit() and len(text) < 19
    return int(text) if plain else time_from(text, "--as-of")
