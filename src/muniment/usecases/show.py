"""Look at what is remembered: a claim with the six questions answered, its history, its conflicts, and why.

- Everything is as the asker may see it; absent and not visible have one answer.
- Status and freshness are computed for the instant asked (`A-STATUS`).
- Relations that other claims made (successors, conflicts, retracted sources) are put together from visible ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from muniment.core.claim import Claim
from muniment.core.codec import from_micros, micros, trusted
from muniment.core.decide import Ask, labels_of
from muniment.core.diff import Change
from muniment.core.encode import encode
from muniment.core.ids import parse_id
from muniment.core.record import claim_from
from muniment.core.row import Row
from muniment.core.status import freshness_at, status_at
from muniment.core.text import match_key
from muniment.usecases.pending import change_doc_id, load
from muniment.usecases.recounted import told_about, why_told
from muniment.usecases.revisions import restored_in, shown_as
from muniment.usecases.session import Session
from muniment.usecases.viewing import Viewing, is_name, not_found


@dataclass(frozen=True, slots=True)
class Shown:
    """A claim as the asker may see it.

    Attributes:
        claim: Its latest version.
        status: Computed for the instant.
        freshness: Computed for low-risk uses.
        labels: What must be said beside it.
        superseded_by: A visible successor.
        conflicts: Visible claims in open conflict.
        stale_because: A visible source that was retracted.
        accesses: How often the asker was handed it.
        last_access: When last, as UTC text.
    """

    claim: Claim
    status: str
    freshness: str
    labels: tuple[str, ...]
    superseded_by: str = ""
    conflicts: tuple[str, ...] = ()
    stale_because: str = ""
    accesses: int = 0
    last_access: str = ""

    def questions(self) -> tuple[tuple[str, str], ...]:
        """The six questions of a claim and their answers (`B-SIX`)."""
        claim = self.claim
        named = (" or ".join(alternative) or "nobody" for alternative in claim.visibility.audience)
        who = " and ".join(named) or "everybody of the tenant"
        verified = encode(claim.freshness.last_verified_at) or "never"
        override = self.superseded_by or ", ".join(self.conflicts) or _overrides(claim)
        review = claim.review
        return (
            ("What is claimed?", claim.claim),
            ("Where did it come from?", _origin(claim)),
            ("Who may use it?", f"{who}; for {', '.join(claim.allowed_uses) or 'no use'}"),
            ("When was it last checked?", f"{verified} ({self.freshness})"),
            ("What can override it?", override),
            (
                "Who accepted it?",
                f"{review.reviewed_by or 'nobody'} {encode(review.reviewed_at) or ''}".strip(),
            ),
        )


def _origin(claim: Claim) -> str:
    source = claim.source
    lines = ", ".join(f"line {e.line}" for e in source.evidence if e.line)
    return f"{source.uri or source.kind} ({source.origin or 'origin not certain'}){', ' + lines if lines else ''}"


def _overrides(claim: Claim) -> str:
    end = claim.validity.valid_until or claim.freshness.expires_at
    until = f"its end at {encode(end)}, or " if end else ""
    return f"{until}a reviewed change on new evidence from {claim.source.kind.replace('_', ' ')} or a stronger source"


def show(session: Session, claim_id: str) -> Shown:
    """A claim by identifier, or by an alias that only one visible claim has.

    Raises:
        NotFound: Absent or not visible.
    """
    with session.store.snapshot(session.tenant) as snapshot:
        viewing = session.viewing(snapshot)
        row = resolve(viewing, claim_id)
        return _shown(session, viewing, row)


def resolve(viewing: Viewing, name: str) -> Row:
    """The row of a claim by identifier or alias.

    Raises:
        NotFound: None, or not visible.
    """
    row = viewing.row(name)
    if row is None and is_name(name):
        aliased = viewing.lookup(viewing.snapshot.key("alias", match_key(name)))
        row = aliased[0] if len(aliased) == 1 else None
    if row is None:
        raise not_found("claim", name)
    return row


def seen_row(viewing: Viewing, row: Row) -> Row:
    """A row with what other visible claims make of it."""
    (seen,) = viewing.seen_among((row,), {row.claim_id: ""})
    return seen


def _shown(session: Session, viewing: Viewing, row: Row) -> Shown:
    at = micros(session.now())
    seen = seen_row(viewing, row)
    count, last = session.store.accesses(session.tenant, row.claim_id, session.principal)
    return Shown(
        claim=viewing.claim(row.claim_id),
        status=status_at(seen, at, viewing.sees),
        freshness=freshness_at(seen, at),
        labels=labels_of(seen, Ask("", at, history=True), viewing.sees),
        superseded_by=seen.superseded_by,
        conflicts=tuple(one for one in seen.conflicts if viewing.sees(one)),
        stale_because=seen.derived_stale,
        accesses=count,
        last_access=encode(last) or "",
    )


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a claim's history.

    Attributes:
        claim: As it was.
        revision: First revision in which it held, as packets name revisions.
        until: First revision in which it held no longer; None for the latest.
        recorded_at: UTC text; of what was restored, when the export's store had recorded it.
        restored: The digest of the export that it was restored from, where it was.
    """

    claim: Claim
    revision: int
    until: int | None
    recorded_at: str
    restored: str = ""


def history(session: Session, claim_id: str) -> tuple[Version, ...]:
    """Every version of a claim, and of the claims that it superseded, oldest first.

    Raises:
        NotFound: Absent or not visible.
    """
    with session.store.snapshot(session.tenant) as snapshot:
        viewing = session.viewing(snapshot)
        row = resolve(viewing, claim_id)
        return tuple(_versions(viewing, row.claim_id, viewing.shown_revisions(), set()))


def _versions(
    viewing: Viewing, claim_id: str, shown: Sequence[int], seen: set[str]
) -> list[Version]:
    if claim_id in seen or viewing.row(claim_id) is None:
        return []
    seen.add(claim_id)
    rows = [r for r in viewing.snapshot.history(claim_id) if r.cls in viewing.classes]
    contents = viewing.snapshot.contents([r.seq for r in rows])
    told = restored_in(viewing.snapshot)
    own = [
        Version(
            claim_from(contents[r.seq]),
            shown_as(shown, r.revision) or 0,
            shown_as(shown, r.until_revision),
            told.get(r.revision, {}).get("at") or encode(from_micros(r.recorded_at)),
            told.get(r.revision, {}).get("export", ""),
        )
        for r in rows
        if r.seq in contents
    ]
    olds = rows[0].supersedes if rows else ()
    before = [v for old in olds for v in _versions(viewing, old, shown, seen)]
    return before + own


def conflicts(session: Session) -> tuple[Mapping[str, Any], ...]:
    """Recorded conflicts in the session's scopes of which every side is visible, with their claims."""
    with session.store.snapshot(session.tenant) as snapshot:
        viewing = session.viewing(snapshot)
        classes = set(viewing.classes_of(session.scopes))
        found = []
        for conflict in viewing.conflicts():
            rows = [row for one in conflict["between"] if (row := viewing.row(one))]
            if rows and all(row.cls in classes for row in rows):
                claims = viewing.claims(rows)
                sides = [encode(claims[row.seq]) for row in rows if row.seq in claims]
                found.append({**conflict, "claims": sides})
        return tuple(found)


def why(session: Session, id: str) -> Mapping[str, Any]:
    """Why a claim is there, or what became of a diff (`A-PROVENANCE`).

    Raises:
        NotFound: Absent or not visible.
    """
    with session.store.snapshot(session.tenant) as snapshot:
        viewing = session.viewing(snapshot)
        parsed = parse_id(id)
        if parsed is not None and parsed.prefix == "mdiff":
            here = snapshot.doc("diff", id) is not None
            return _why_diff(viewing, id) if here else why_told(viewing, id)
        return _why_claim(session, viewing, resolve(viewing, id))


def _why_diff(viewing: Viewing, diff_id: str) -> Mapping[str, Any]:
    pending = load(viewing, diff_id)
    states = {change.id: pending.state_of(change.id) for change in pending.diff.changes}
    return {
        "diff": encode(pending.diff),
        "states": states,
        "decisions": {name: encode(decided) for name, decided in pending.decisions.items()},
        "application": encode(pending.applied) if pending.applied else None,
        "restored": None,
    }


def _why_claim(session: Session, viewing: Viewing, row: Row) -> Mapping[str, Any]:
    shown = _shown(session, viewing, row)
    claim = shown.claim
    return {
        "claim": encode(claim),
        "status": shown.status,
        "questions": dict(shown.questions()),
        "provenance": encode(claim.provenance),
        "source": encode(claim.source),
        "reading": encode(claim.reading) if claim.reading else None,
        "decisions": _decisions_about(viewing, claim.id),
        "derived_from": [one for one in claim.source.derived_from if viewing.sees(one)],
        "derived": [
            r.claim_id
            for r in viewing.snapshot.pointing_at(claim.id)
            if _derives(viewing, r, claim.id)
        ],
        "supersedes": [one for one in claim.supersedes if viewing.sees(one)],
        "superseded_by": shown.superseded_by or None,
        "conflicts": list(shown.conflicts),
        "accesses": {"count": shown.accesses, "last": shown.last_access or None},
    }


def _derives(viewing: Viewing, row: Row, claim_id: str) -> bool:
    return row.cls in viewing.classes and claim_id in row.derived_from


def _decisions_about(viewing: Viewing, claim_id: str) -> list[Mapping[str, Any]]:
    """Proposals of this claim and what was decided about them, in ledger order; what an export told comes first."""
    found = list(told_about(viewing, claim_id))
    for envelope in viewing.snapshot.envelopes_about(claim_id):
        if envelope.kind == "change" and envelope.cls in viewing.classes:
            contents = viewing.snapshot.contents([envelope.seq])
            change = contents.get(envelope.seq, {})
            if change and viewing.loses(trusted(Change, change)):
                continue
            doc = viewing.snapshot.doc(
                "decision", change_doc_id(envelope.parent, str(change.get("id", "")))
            )
            decided = viewing.snapshot.contents([doc.seq]).get(doc.seq) if doc else None
            found.append(
                {
                    "diff": envelope.parent,
                    "change": change.get("id"),
                    "operation": change.get("operation"),
                    "reason": change.get("reason"),
                    "decision": dict(decided) if decided else None,
                    "restored": None,
                }
            )
    return found
