"""Remember: the short way to propose one claim, with what the profile declares filled in.

- A person's word is a source (`user_statement`); an agent has to name where it has something from.
- A quote is looked up in its source and kept as evidence with its bytes; a quote that is not there is refused.
- What the profile does not declare must be said: nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from muniment.core.encode import encode
from muniment.core.errors import Finding, InvalidInput, quoted
from muniment.core.source import evidence_of
from muniment.usecases.propose import Proposed, propose
from muniment.usecases.session import Session


def remember(session: Session, claim: str, given: Mapping[str, Any]) -> Proposed:
    """Propose one claim.

    Args:
        session: Who remembers.
        claim: The statement.
        given: Further parts of the claim in wire form; `source` may be an address, and `quote` the words in it.

    Raises:
        InvalidInput: A rule refuses it; nothing was written.
    """
    parts = {
        key: value
        for key, value in given.items()
        if key not in ("quote", "reason") and value not in (None, "", [], {})
    }
    item: dict[str, Any] = {"claim": claim, **_defaults(session), **parts}
    source = _source(session, parts.get("source"), str(given.get("quote") or ""))
    if source is not None:
        item["source"] = source
    if session.principal.startswith("user:") or (source or {}).get("evidence"):
        method = "stated" if not (source or {}).get("evidence") else "read_source"
        item.setdefault(
            "freshness",
            {
                "status": "current",
                "last_verified_at": encode(session.now()),
                "verification_method": method,
            },
        )
    reason = str(given.get("reason") or "") or "remembered by hand"
    trigger = {
        "kind": "statement",
        "uri": f"principal:{session.principal}",
        "state": "observed",
        "observed_at": encode(session.now()),
    }
    change = {"id": "change_01", "operation": "add", "reason": reason, "item": item}
    scope = item.get("scope")
    return propose(
        session,
        {"scope": scope, "trigger": trigger, "changes": [change]}
        if scope
        else {"trigger": trigger, "changes": [change]},
    )


def _defaults(session: Session) -> dict[str, Any]:
    defaults: dict[str, Any] = {
        "review": {"status": "proposed"},
        "provenance": {"activity": "remember", "agent": session.principal},
    }
    if len(session.scopes) == 1:
        defaults["scope"] = encode(session.scopes[0])
    if session.visibility is not None:
        defaults["visibility"] = encode(session.visibility)
    if session.uses:
        defaults["allowed_uses"] = list(session.uses)
    return defaults


def _source(session: Session, given: Any, quote: str) -> dict[str, Any] | None:
    now = encode(session.now())
    if given is None:
        if not session.principal.startswith("user:"):
            return None
        return {
            "kind": "user_statement",
            "origin": "user_input",
            "uri": f"principal:{session.principal}",
            "observed_at": now,
        }
    if not isinstance(given, str | Mapping):
        message = "a source is an address or an object"
        fix = "give an address, or `{kind, uri, observed_at}`"
        raise InvalidInput.of((Finding("wrong_type", message, "/source", fix, req="B-SOURCE"),))
    source = (
        {"kind": "file" if str(given).startswith(("file:", "repo:")) else "document", "uri": given}
        if isinstance(given, str)
        else dict(given)
    )
    source.setdefault("observed_at", now)
    if quote:
        source["evidence"] = [_evidence(session, str(source.get("uri", "")), quote)]
    return source


def _evidence(session: Session, uri: str, quote: str) -> dict[str, Any]:
    fetched = session.sources.fetch(uri)
    if fetched.data is None:
        here = next((s.id for s in session.scopes if s.kind == "repository"), "<id>")
        message = f"the source {quoted(uri)} cannot be read: {fetched.detail or fetched.state}"
        raise InvalidInput.of(
            (
                Finding(
                    "source_unreadable",
                    message,
                    "/source/uri",
                    f"give an address that can be read: `repo:{here}!/<path>` or `file:///<path>`",
                    req="B-SOURCE",
                ),
            )
        )
    raw = quote.encode("utf-8", "surrogatepass")
    start = fetched.data.find(raw)
    if start < 0:
        message = f"{quoted(quote)} does not stand in {quoted(uri)}"
        raise InvalidInput.of(
            (
                Finding(
                    "quote_not_found",
                    message,
                    "/source/evidence",
                    "quote it word for word",
                    req="E-RECEIPT",
                ),
            )
        )
    return dict(encode(evidence_of(fetched.data, start, start + len(raw), commit=fetched.commit)))
