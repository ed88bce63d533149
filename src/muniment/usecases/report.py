"""Report: whoever used a memory says that it was wrong, outdated or useful, as a proposal for review.

- Nothing is edited and nothing is ranked by it: `wrong` and `outdated` propose to deprecate, `useful` to reconfirm.
- The reason is the reporter's word, and the source says who observed it, or where.
- A claim that the reporter may not see is not there for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from muniment.core.encode import encode
from muniment.core.errors import Finding, InvalidInput, quoted
from muniment.usecases.propose import Proposed, propose
from muniment.usecases.session import Session
from muniment.usecases.viewing import not_found

VERDICTS: tuple[tuple[str, str], ...] = (
    ("wrong", "it was never so: propose to retire it as invalid"),
    ("outdated", "it was so, and is no longer: propose to deprecate it"),
    (
        "useful",
        "it held when it was used: propose to note that; only its source renews its freshness",
    ),
)


def report(
    session: Session, claim_id: str, verdict: str, reason: str, parts: Mapping[str, Any]
) -> Proposed:
    """Propose what follows from a report.

    Args:
        session: Who reports.
        claim_id: The claim.
        verdict: One of `VERDICTS`.
        reason: What was seen, in a sentence.
        parts: `source`, an address or an object: where it was seen. The reporter's word by default.

    Raises:
        NotFound: Absent, or not visible.
        InvalidInput: No such verdict, no reason, or a rule refuses it; nothing was written.
    """
    _refuse(verdict, reason)
    with session.store.snapshot(session.tenant) as snapshot:
        viewing = session.viewing(snapshot)
        row = viewing.row(claim_id)
        if row is None:
            raise not_found("claim", claim_id)
        scope = viewing.scope_of(row.cls)
    now = encode(session.now())
    change: dict[str, Any] = {
        "id": "change_01",
        "operation": "revalidate" if verdict == "useful" else "deprecate",
        "target_id": claim_id,
        "reason": f"reported {verdict}: {reason.strip()}",
        "source": source_of(session, parts.get("source"), now),
    }
    if verdict == "wrong":
        change["retire"] = "invalid"
    trigger = observed_by(session, now)
    return propose(session, {"scope": encode(scope), "trigger": trigger, "changes": [change]})


def observed_by(session: Session, now: str) -> dict[str, Any]:
    """What makes a reporter propose: it observed something."""
    return {
        "kind": "report",
        "uri": f"principal:{session.principal}",
        "state": "observed",
        "observed_at": now,
    }


def _refuse(verdict: str, reason: str) -> None:
    found = []
    known = [name for name, _ in VERDICTS]
    if verdict not in known:
        fix = f"use one of: {', '.join(known)}"
        message = f"{quoted(verdict)} is nothing that is reported of a memory"
        found.append(Finding("unknown_verdict", message, "/verdict", fix))
    if not reason.strip():
        fix = "say in a sentence what was seen"
        found.append(Finding("no_reason", "a report says why", "/reason", fix))
    if found:
        raise InvalidInput.of(tuple(found))


def source_of(session: Session, given: Any, now: str) -> dict[str, Any]:
    """Where it was seen: an address, an object, or the reporter's own word where nothing is given.

    Raises:
        InvalidInput: It is neither.
    """
    if isinstance(given, Mapping):
        return {"observed_at": now, **given}
    if isinstance(given, str) and given:
        kind = "file" if given.startswith(("file:", "repo:")) else "document"
        return {"kind": kind, "uri": given, "observed_at": now}
    if given not in (None, ""):
        message, fix = "a source is an address or an object", "give an address, or `{kind, uri}`"
        raise InvalidInput.of((Finding("wrong_type", message, "/source", fix, req="B-SOURCE"),))
    user = session.principal.startswith("user:")
    return {
        "kind": "user_statement" if user else "agent_report",
        "uri": f"principal:{session.principal}",
        "observed_at": now,
    }
