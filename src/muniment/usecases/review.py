"""Review and apply: a reviewer decides change by change, and what was accepted is applied in one transaction.

- Only a principal with the reviewer's role and its own credential decides; every decision is signed over the digest of
  the change as it was shown (`E-APPROVER`).
- Sources are re-read before the transaction; what they no longer say is not applied.
- Under the writer's lock everything is looked at once more: a finding that was not there before returns the diff to
  review, and nothing is written.
- A rejected value leaves a tombstone; an accepted contradiction leaves a conflict, visible to who sees both sides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta

from muniment.core.canonical import canonical
from muniment.core.codec import micros
from muniment.core.diff import Change, Decided, Decision, Pending, change_digest, signed_statement
from muniment.core.encode import encode
from muniment.core.errors import Conflicted, Finding, InvalidInput, NotPermitted, quoted
from muniment.core.review import check_decision
from muniment.core.source import Reading
from muniment.ports.credential import Signer
from muniment.usecases.apply import Outcome, apply_decisions
from muniment.usecases.credentials import registered_keys
from muniment.usecases.examine import Examined, examine
from muniment.usecases.pending import load, open_changes
from muniment.usecases.policy import may_review_own
from muniment.usecases.readings import read_evidence
from muniment.usecases.session import Session
from muniment.usecases.viewing import Viewing, token_of

SIGNED_WITHIN = timedelta(minutes=10)
"""How far the time of a decision that was signed elsewhere may be from the present."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What a reviewer wants for one change.

    Attributes:
        decision: accepted, rejected or needs_review.
        reason: Why; required to reject.
        keep_value_open: Reject without a tombstone: the proposal is bad, the value is not known wrong.
    """

    decision: Decision
    reason: str = ""
    keep_value_open: bool = False


def review(
    session: Session, diff_id: str, choices: Mapping[str, Choice], signer: Signer
) -> Outcome:
    """Decide changes of a diff, and apply what is accepted.

    Args:
        session: The reviewer's session.
        diff_id: The diff.
        choices: Change id to choice.
        signer: The reviewer's opened credential.

    Raises:
        NotPermitted: No reviewer's role, or a credential that is not this principal's registered one.
        NotFound: No such diff, or none of it visible.
        InvalidInput: A decision breaks a rule; nothing was written.
        Conflicted: Something changed since it was shown: a source, the state, a new finding.
    """
    with session.store.snapshot(session.tenant) as snapshot:
        viewing = session.viewing(snapshot)
        require_reviewer(viewing, signer)
        pending = load(viewing, diff_id)
        own = may_review_own(session, viewing, pending.diff.scope)
        decisions = sign(session, pending, choices, signer, own)
        before = examine(viewing, pending.diff, micros(session.now()))
    return _applied(session, pending, decisions, before, _open_values(choices))


def review_signed(
    session: Session, diff_id: str, signed: Mapping[str, Decided], keep_open: frozenset[str]
) -> Outcome:
    """Decide changes by decisions that were signed where the credential is: it and its passphrase never come here.

    Args:
        session: The reviewer's session.
        diff_id: The diff.
        signed: Change id to the signed decision.
        keep_open: Changes that are rejected without a tombstone.

    Raises:
        NotPermitted: No reviewer's role, another's decision, or a signature of no registered credential.
        NotFound: No such diff, or none of it visible.
        InvalidInput: A decision breaks a rule; nothing was written.
        Conflicted: Something changed since it was shown.
    """
    with session.store.snapshot(session.tenant) as snapshot:
        viewing = session.viewing(snapshot)
        viewing.require_role("reviewer", "decide changes")
        pending = load(viewing, diff_id)
        own = may_review_own(session, viewing, pending.diff.scope)
        _refuse_unsigned(session, viewing, diff_id, signed)
        if signed and all(pending.decisions.get(name) == one for name, one in signed.items()):
            return _recorded(viewing, pending, signed)  # sent twice: nothing is to be done
        refuse_broken(pending, signed, own)
        before = examine(viewing, pending.diff, micros(session.now()))
    return _applied(session, pending, signed, before, keep_open)


def _recorded(viewing: Viewing, pending: Pending, signed: Mapping[str, Decided]) -> Outcome:
    """What decisions came to that were recorded before (`E-IDEMPOTENT`)."""
    snapshot, applied = viewing.snapshot, pending.applied
    known = applied.resulting if applied else {}
    resulting = {name: one for name, one in known.items() if name in signed}
    docs = [doc for doc in snapshot.docs("decision", pending.diff.id) if doc.cls in viewing.classes]
    revision = max((doc.revision for doc in docs), default=snapshot.revision)
    return Outcome(pending.diff.id, dict(signed), resulting, token=token_of(snapshot, revision))


def _refuse_unsigned(
    session: Session, viewing: Viewing, diff_id: str, signed: Mapping[str, Decided]
) -> None:
    keys = registered_keys(viewing, session.principal)
    for name, one in signed.items():
        place = f"/decisions/{name}"
        if (one.diff_id, one.change_id, one.by) != (diff_id, name, session.principal):
            message, fix = "the decision is of another change or person", "sign this one yourself"
            raise NotPermitted(
                message, (Finding("other_decision", message, place, fix, req="E-APPROVER"),)
            )
        if abs(one.at - session.now()) > SIGNED_WITHIN:
            message = f"the decision was signed at {encode(one.at)}, not within ten minutes"
            fix = "look at the change again, set the clock right, and sign anew"
            raise NotPermitted(
                message, (Finding("signed_too_long_ago", message, place, fix, req="E-APPROVER"),)
            )
        statement = canonical(signed_statement(session.tenant, one))
        if one.public_key not in keys or not session.verify(
            one.public_key, statement, one.signature
        ):
            message = (
                f"no registered credential of {quoted(session.principal)} signed this decision"
            )
            fix = "sign with your own credential, over the change as it was shown"
            raise NotPermitted(
                message, (Finding("not_signed", message, place, fix, req="E-APPROVER"),)
            )


def _applied(
    session: Session,
    pending: Pending,
    decisions: Mapping[str, Decided],
    before: Examined,
    keep_open: frozenset[str],
) -> Outcome:
    accepted = [c for c in pending.diff.changes if _is(decisions, c.id, "accepted")]
    readings = {
        change.id: reading for change in accepted if (reading := read_evidence(session, change))
    }
    refuse_unsupported(pending, readings)
    return apply_decisions(session, pending, decisions, readings, before, keep_open)


def _is(decisions: Mapping[str, Decided], change_id: str, decision: str) -> bool:
    return change_id in decisions and decisions[change_id].decision == decision


def _open_values(choices: Mapping[str, Choice]) -> frozenset[str]:
    return frozenset(name for name, choice in choices.items() if choice.keep_value_open)


def require_reviewer(viewing: Viewing, signer: Signer) -> None:
    """Refuse whoever is not a reviewer with its own registered credential.

    Raises:
        NotPermitted: The role is missing, or the credential is another's or not registered.
    """
    viewing.require_role("reviewer", "decide changes")
    name = viewing.principal.name
    if signer.principal != name:
        message = f"the credential belongs to {quoted(signer.principal)}, not to {quoted(name)}"
        raise NotPermitted(message, fix="use your own credential, or act as its owner")
    if signer.public_key not in registered_keys(viewing, name):
        message = f"the credential of {quoted(name)} is not registered in this store"
        raise NotPermitted(
            message, fix="an operator registers it with `muniment init` or `muniment role`"
        )


def sign(
    session: Session,
    pending: Pending,
    choices: Mapping[str, Choice],
    signer: Signer,
    may_decide_own: bool,
) -> dict[str, Decided]:
    """Signed decisions.

    Raises:
        InvalidInput: A decision breaks a rule.
    """
    by_id = {change.id: change for change in pending.diff.changes}
    decisions = {
        name: _signed(session, pending, by_id.get(name), name, choice, signer)
        for name, choice in choices.items()
    }
    refuse_broken(pending, decisions, may_decide_own)
    return decisions


def refuse_broken(pending: Pending, decisions: Mapping[str, Decided], may_decide_own: bool) -> None:
    """Refuse decisions that break a rule, and none at all.

    Raises:
        InvalidInput: With every finding.
    """
    if not decisions:
        waiting = ", ".join(c.id for c in open_changes(pending)) or "none"
        fix = f"decide one of: {waiting}"
        finding = Finding("no_decisions", "no decision was given", "/decisions", fix)
        raise InvalidInput.of((finding,))
    findings = tuple(
        f
        for decided in decisions.values()
        for f in check_decision(pending, decided, may_decide_own)
    )
    if findings:
        raise InvalidInput.of(findings)


def _signed(
    session: Session,
    pending: Pending,
    change: Change | None,
    name: str,
    choice: Choice,
    signer: Signer,
) -> Decided:
    plain = Decided(
        diff_id=pending.diff.id,
        change_id=name,
        decision=choice.decision,
        by=session.principal,
        at=session.now(),
        reason=choice.reason,
        change_digest=change_digest(change) if change else "",
        public_key=signer.public_key,
    )
    return replace(plain, signature=signer.sign(canonical(signed_statement(session.tenant, plain))))


def refuse_unsupported(pending: Pending, readings: Mapping[str, Reading]) -> None:
    """Refuse to apply what its source no longer says.

    Raises:
        Conflicted: A source changed or is gone.
    """
    findings = tuple(
        _unsupported(index, change, readings[change.id])
        for index, change in enumerate(pending.diff.changes)
        if change.id in readings
        and change.operation in ("add", "supersede", "revalidate")
        and readings[change.id].state in ("changed", "missing")
    )
    if findings:
        raise Conflicted(str(findings[0]), findings)


def _unsupported(index: int, change: Change, reading: Reading) -> Finding:
    said = "no longer says this" if reading.state == "changed" else "is gone"
    uri = change.item.source.uri if change.item else change.source.uri if change.source else ""
    fix = "reject the change, and learn from the source again"
    return Finding(
        "source_changed",
        f"the source {quoted(uri)} {said}",
        f"/changes/{index}/item/source",
        fix,
        req="B-DIFFREVIEW",
    )
