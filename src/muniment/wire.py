"""Values to JSON, and errors to exit codes, JSON and HTTP: the same for every interface.

- A value has one JSON form, whatever the door; empty parts are left out as `core.codec.encode` does.
- What acted (principal, scopes, tenant, profile) stands in every answer, so that nothing is implied unseen
  (`E-NOSCOPE`).
- An error is `{"error": {code, message, findings}}`; its exit code is the error's own.

>>> from muniment.core.errors import NotFound
>>> error_json(NotFound("no claim `x` is known here"))["error"]["code"], http_status(NotFound("no"))
('not_found', 404)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from muniment.core.encode import encode, time_text
from muniment.core.errors import (
    Conflicted,
    Finding,
    InvalidInput,
    MunimentError,
    NotFound,
    NotPermitted,
    Refusal,
    StoreBusy,
    StoreError,
    StoreFull,
    Unauthenticated,
)

if TYPE_CHECKING:
    from muniment.core.answered import Answered
    from muniment.core.certificate import Verdict
    from muniment.core.conflict import Conflict
    from muniment.core.consolidation import Group
    from muniment.core.diff import Pending
    from muniment.core.event import Verification
    from muniment.core.survey import Survey
    from muniment.core.token import Token
    from muniment.memory import Memory
    from muniment.usecases.apply import Outcome
    from muniment.usecases.doctor import Diagnosis
    from muniment.usecases.embedding import Embedded
    from muniment.usecases.erase import Erased
    from muniment.usecases.examine import Examined
    from muniment.usecases.keep_conversation import Heard
    from muniment.usecases.learn import Learned
    from muniment.usecases.lifecycle import Lived
    from muniment.usecases.policy import ByPolicy
    from muniment.usecases.propose import Proposed
    from muniment.usecases.recall import Recalled
    from muniment.usecases.reread import Reread
    from muniment.usecases.retain import Retained
    from muniment.usecases.revalidate import Certified
    from muniment.usecases.show import Shown, Version
    from muniment.usecases.show_source import ShownSource

HTTP_STATUS: tuple[tuple[type[MunimentError], int], ...] = (
    (InvalidInput, 422),
    (NotFound, 404),
    (Unauthenticated, 401),
    (NotPermitted, 403),
    (Conflicted, 409),
    (Refusal, 400),
    (StoreBusy, 503),
    (StoreFull, 507),
    (StoreError, 503),
    (MunimentError, 500),
)


# --- errors ---------------------------------------------------------------------------------------


def finding(found: Finding) -> dict[str, Any]:
    """A finding, every key always there.

    >>> finding(Finding("no_scope", "the claim states no scope", "/scope"))["fix"] is None
    True
    """
    return {
        "code": found.code,
        "severity": found.severity,
        "path": found.path,
        "message": found.message,
        "fix": found.fix or None,
        "req": found.req or None,
    }


def error_json(error: MunimentError) -> dict[str, Any]:
    """An error with all its findings."""
    findings = [finding(one) for one in error.findings]
    return {"error": {"code": error.code, "message": error.message, "findings": findings}}


def http_status(error: MunimentError) -> int:
    """The HTTP status of an error."""
    return next(status for kind, status in HTTP_STATUS if isinstance(error, kind))


# --- who acted ------------------------------------------------------------------------------------


def acting(memory: Memory) -> dict[str, Any]:
    """Who acts, where, and where that is declared."""
    session = memory.session
    return {
        "principal": session.principal or None,
        "scopes": [str(scope) for scope in session.scopes],
        "tenant": session.tenant,
        "declared": session.declared or None,
    }


# --- proposals and reviews ------------------------------------------------------------------------


def proposed(value: Proposed) -> dict[str, Any]:
    """What was proposed."""
    return {
        "diff": value.diff.id,
        "changes": [encode(change) for change in value.diff.changes],
        "findings": [finding(one) for one in value.findings],
        "token": value.token,
    }


def pending(value: Pending, examined: Examined | None = None) -> dict[str, Any]:
    """A diff with where its changes stand, and what the checks notice about them."""
    changes = [
        {**encode(change), "state": value.state_of(change.id)} for change in value.diff.changes
    ]
    whole: dict[str, Any] = {**encode(value.diff), "changes": changes}
    whole["decisions"] = {name: encode(one) for name, one in value.decisions.items()}
    whole["application"] = encode(value.applied) if value.applied else None
    if examined is not None:
        whole["findings"] = [finding(one) for one in examined.findings]
        found = examined.conflicts.items()
        whole["conflicts"] = {name: [conflict(one) for one in many] for name, many in found if many}
    return whole


def conflict(value: Conflict) -> dict[str, Any]:
    """Two claims that disagree, in the four views."""
    views = {"views": encode(value.views)} if value.sides else {}
    return {**encode(replace(value, sides=None)), **views}


def outcome(value: Outcome) -> dict[str, Any]:
    """What a review came to."""
    return {
        "diff": value.diff_id,
        "decisions": {name: encode(one) for name, one in value.decisions.items()},
        "resulting": dict(value.resulting),
        "conflicts": [conflict(one) for one in value.conflicts],
        "held": list(value.held),
        "token": value.token,
    }


def consolidations(value: Sequence[Group]) -> dict[str, Any]:
    """The memories that could be one."""
    return {"consolidations": [encode(one) for one in value]}


def learned(value: Learned, by: ByPolicy) -> dict[str, Any]:
    """What a run of learning came to, and what a policy did with it."""
    accepted = by.outcome.decisions if by.outcome else {}
    return {
        "scope": encode(value.scope),
        "files": value.files,
        "statements": value.statements,
        "proposed": proposed(value.proposed) if value.proposed else None,
        "waiting": value.waiting,
        "unchanged": value.unchanged,
        "withdrawn": value.withdrawn,
        "left_out": [encode(one) for one in value.left_out],
        "findings": [finding(one) for one in value.findings],
        "policy": {
            "name": by.policy or None,
            "accepted": sorted(accepted),
            "left": {name: list(reasons) for name, reasons in (by.left or {}).items()},
        },
    }


def reread(value: Reread, by: ByPolicy) -> dict[str, Any]:
    """What going back to the sources found, and what a policy did with it."""
    return {
        "readings": {claim: encode(reading) for claim, reading in value.readings.items()},
        "proposed": [proposed(one) for one in value.proposed],
        "without_source": list(value.without_source),
        "waiting": list(value.waiting),
        "policy": {
            "name": by.policy or None,
            "accepted": sorted(by.outcome.decisions) if by.outcome else [],
        },
    }


# --- reading --------------------------------------------------------------------------------------


def recalled(value: Recalled) -> dict[str, Any]:
    """A packet and the retrieval's identifier."""
    return value.as_json()


def answered(value: Answered) -> dict[str, Any]:
    """What a query came to."""
    return {**value.as_json()}


def certified(value: Certified) -> dict[str, Any]:
    """An answer with its certificate."""
    return {**value.answered.as_json(), "certificate": dict(value.certificate)}


def verdict(value: Verdict) -> dict[str, Any]:
    """What revalidating came to."""
    return {**value.as_json()}


def shown(value: Shown) -> dict[str, Any]:
    """A claim with the six questions answered."""
    return {
        "claim": encode(value.claim),
        "status": value.status,
        "freshness": value.freshness,
        "labels": list(value.labels),
        "superseded_by": value.superseded_by or None,
        "conflicts": list(value.conflicts),
        "stale_because": value.stale_because or None,
        "accesses": {"count": value.accesses, "last": value.last_access or None},
        "questions": [{"question": q, "answer": a} for q, a in value.questions()],
    }


def shown_source(value: ShownSource) -> dict[str, Any]:
    """A source, or a passage with what stands around it; nobody has reviewed it."""
    from muniment.core.quote import STANDING, json_of_kept, json_of_said

    kept = value.kept
    return {
        "source": {
            **json_of_kept(kept),
            "size": kept.size,
            "messages": kept.messages,
            "passages": kept.passages,
            "kept_by": kept.kept_by,
            "kept_at": encode(kept.kept_at),
        },
        "scope": encode(value.scope),
        "standing": STANDING,
        "asked": value.asked or None,
        "passages": [json_of_said(id, said) for id, said in value.passages],
    }


def version(value: Version) -> dict[str, Any]:
    """One version of a claim."""
    return {
        "claim": encode(value.claim),
        "revision": value.revision,
        "until_revision": value.until,
        "recorded_at": value.recorded_at,
        "restored": value.restored or None,
    }


def survey(value: Survey) -> dict[str, Any]:
    """A look over the scopes in force, every key always there."""
    return {field.name: encode(getattr(value, field.name)) for field in fields(value)}


# --- keeping --------------------------------------------------------------------------------------


def verification(value: Verification) -> dict[str, Any]:
    """What checking the ledger found."""
    return {
        "ok": value.ok,
        "events": value.events,
        "head": value.head,
        "problems": list(value.problems),
    }


def diagnosis(value: Diagnosis) -> dict[str, Any]:
    """What looking the store over found: counts, and every acceptance that is not accounted for."""
    counts: dict[str, int] = {}
    for account in value.accounts:
        counts[account.state] = counts.get(account.state, 0) + 1
    return {
        "ok": value.ok,
        "verification": verification(value.verification),
        "acceptances": counts,
        "unaccounted": [encode(one) for one in value.accounts if not one.is_good],
        "notices": list(value.notices),
    }


def embedded(value: Embedded) -> dict[str, Any]:
    """What catching up with embeddings came to."""
    return {
        "space": value.space,
        "embedded": value.embedded,
        "already": value.already,
        "without_words": value.without,
    }


def heard(value: Heard) -> dict[str, Any]:
    """What keeping a conversation came to."""
    return {
        "source": value.source_id or None,
        "scope": encode(value.scope),
        "messages": value.messages,
        "kept": value.kept,
        "passages": value.passages,
        "known": value.known,
        "erased": value.erased,
        "findings": [finding(one) for one in value.findings],
        "token": value.token or None,
    }


def erased(value: Erased) -> dict[str, Any]:
    """What an erasure came to."""
    return {
        "claim": value.claim_id if value.claim_id.startswith("mem_") else None,
        "id": value.claim_id,
        "contents": value.contents,
        "token": value.token,
        "disk": value.disk,
    }


def retained(value: Retained) -> dict[str, Any]:
    """What is kept of retrievals, and what is over."""
    return {
        "days": value.rule.days or None,
        "queries": value.rule.queries,
        "before": time_text(value.before) if value.before else None,
        "retrievals": value.found.retrievals,
        "counts": value.found.counts,
        "removed": value.removed,
        "disk": value.found.disk,
        "claims": lived(value.claims),
    }


def lived(value: Lived) -> dict[str, Any]:
    """What rules make of claims."""
    return {
        "rules": [encode(rule) for rule in value.rules],
        "acts": [
            {
                "act": act.act,
                "rule": act.rule,
                "claims": list(act.ids),
                "text": act.text,
                "due": time_text(act.due),
                "stale": list(act.stale),
            }
            for act in value.acts
        ],
        "done": value.done,
        "proposed": list(value.proposed),
        "refused": [finding(one) for one in value.refused],
        "token": value.token or None,
        "disk": value.disk,
    }


def tuple_free(value: Mapping[str, Any]) -> dict[str, Any]:
    """A mapping of plain values as JSON has it.

    >>> tuple_free({"a": (1, 2)})
    {'a': [1, 2]}
    """
    return {key: encode(item) for key, item in value.items()}


def token(value: Token) -> dict[str, Any]:
    """What a token is bound to; nothing that could be presented."""
    whole = dict(encode(value))
    whole.pop("digest", None)
    return {**whole, "revoked": value.revoked}


# --- restores --------------------------------------------------------------------------------------
