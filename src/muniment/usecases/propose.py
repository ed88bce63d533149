"""Propose: check a diff, compare it with what the proposer may see, and let it wait for review.

- A bad diff is refused whole, with all findings at once; nothing is written.
- What the proposer may not see neither refuses nor shows; it is looked at when a reviewer decides.
- Claims that derive from others are narrowed to their sources' audiences, unless a declassification is declared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from muniment.core.access import NOBODY
from muniment.core.canonical import digest
from muniment.core.check import Known, check_claim
from muniment.core.check_boundaries import LONGEST_BODY
from muniment.core.codec import micros
from muniment.core.diff import Change, Diff
from muniment.core.draft import read_diff
from muniment.core.encode import encode
from muniment.core.errors import (
    Conflicted,
    Finding,
    InvalidInput,
    NotPermitted,
    errors_in,
    quoted,
)
from muniment.core.event import Event
from muniment.core.ids import keyed_id
from muniment.core.record import with_normal_visibility
from muniment.ports.store import Transaction
from muniment.usecases.examine import examine, inherited, seen_by
from muniment.usecases.pending import ASKED, TRIGGER_URI, change_doc_id, load
from muniment.usecases.session import Session
from muniment.usecases.viewing import Viewing, token_of

LONGEST_DIFF = 10_000_000
DEEPEST = 64
_FILLED_IN = frozenset(("created_at", "observed_at", "last_verified_at"))
"""What a proposal gets where it says nothing, and gets another time when it is made again."""
_FREE_TEXT = ("summary", "basis", "ignored_candidates", "extensions")


def _nothing(viewing: Viewing) -> None:
    """Nothing more is looked at."""


@dataclass(frozen=True, slots=True)
class Proposed:
    """What a proposal came to.

    Attributes:
        diff: As it was recorded.
        findings: Warnings and notices that a reviewer should see too.
        token: Names the state that recorded it, and tells nothing else.
    """

    diff: Diff
    findings: tuple[Finding, ...]
    token: str


def propose(
    session: Session, given: Mapping[str, Any], is_import: bool = False, seen_as: str = ""
) -> Proposed:
    """Read, check and record a diff in its wire form.

    Args:
        session: Who proposes, and where.
        given: The diff as JSON.
        is_import: Whether it comes from another memory.
        seen_as: Whose view it is compared with, where a process proposes for somebody.

    Raises:
        InvalidInput: Findings of severity error; nothing was written.
    """
    if not isinstance(given, Mapping):
        raise InvalidInput.of(read_diff(given, {})[1])
    refuse_oversized(given)
    count = len(given["changes"]) if isinstance(given.get("changes"), list) else 0
    ids = {f"item:{index}": session.fresh_id("mem") for index in range(count)}
    ids["diff"] = proposal_id(session)
    defaults = {"created_at": encode(session.now()), "proposed_by": session.principal}
    stated = {**given, **defaults}
    if "scope" not in given and len(session.scopes) == 1:
        stated["scope"] = encode(session.scopes[0])
    diff, findings = read_diff(stated, ids)
    if diff is None or errors_in(findings):
        raise InvalidInput.of(findings + _further(diff, findings, micros(session.now())))
    return record(session, diff, findings, is_import, seen_as)


def refuse_oversized(given: Mapping[str, Any]) -> None:
    """Refuse what is far too large or too deep before it is read closely.

    Raises:
        InvalidInput: A text is over a million characters, the whole over ten million, or it nests over 64 levels.
    """
    total = 0
    waiting: list[tuple[str, Any, int]] = [("", given, 0)]
    while waiting:
        path, value, depth = waiting.pop()
        if depth > DEEPEST:
            raise _too_much("too_deep", f"the diff nests over {DEEPEST} levels", path[:80])
        if isinstance(value, str):
            total += len(value)
        elif isinstance(value, Mapping):
            waiting.extend((f"{path}/{key}", item, depth + 1) for key, item in value.items())
        elif isinstance(value, list | tuple):
            waiting.extend((f"{path}/{n}", item, depth + 1) for n, item in enumerate(value))
        if isinstance(value, str) and len(value) > LONGEST_BODY:
            what = f"this text has {len(value):,} characters, over {LONGEST_BODY:,}"
            raise _too_much("too_long", what, path)
        if total > LONGEST_DIFF:
            raise _too_much("too_long", f"the diff has over {LONGEST_DIFF:,} characters", path)


def _too_much(code: str, message: str, path: str) -> InvalidInput:
    fix = "keep the document at its source, and propose the facts in it"
    return InvalidInput.of((Finding(code, message, path, fix, req="B-CLAIM"),))


def _further(diff: Diff | None, found: tuple[Finding, ...], now: int) -> tuple[Finding, ...]:
    """What else is wrong with items that could be read in part, where nothing was found at that place yet."""
    places = tuple(finding.path for finding in found)
    items = ((i, c.item) for i, c in enumerate(diff.changes if diff else ()) if c.item)
    more = (
        f.under(f"/changes/{i}/item") for i, item in items for f in check_claim(item, Known(now))
    )
    return tuple(f for f in more if not any(f.path.startswith(place) for place in places))


def record(
    session: Session,
    diff: Diff,
    found: tuple[Finding, ...] = (),
    is_import: bool = False,
    seen_as: str = "",
    locked: Callable[[Viewing], None] = _nothing,
) -> Proposed:
    """Check and record a diff that was read.

    Args:
        session: Who proposes.
        diff: The diff.
        found: What reading it found.
        is_import: Whether it comes from another memory.
        seen_as: Whose view it is compared with, where a process proposes for somebody; the proposer's by default.
        locked: Looks at the state under the lock, before anything is compared; what it raises ends it.

    Raises:
        InvalidInput: Findings of severity error; nothing was written.
    """
    refuse_outside(session, diff)
    now = session.now()
    with session.store.transaction(session.tenant) as transaction:
        viewing = session.viewing(transaction, seen_as)
        locked(viewing)
        diff = replace(diff, changes=tuple(narrowed(viewing, change) for change in diff.changes))
        if session.once and (made := _made_before(transaction, viewing, diff, session.asked)):
            return made
        examined = examine(viewing, diff, micros(now), is_import)
        findings = found + examined.findings
        if errors_in(findings):
            raise InvalidInput.of(findings)
        events = events_of(transaction, viewing, diff, examined.records, session.asked)
        revision = transaction.append(events, now)
        token = token_of(transaction, revision)
    return Proposed(diff, findings, token)


def refuse_outside(session: Session, diff: Diff) -> None:
    """Refuse what lies outside the scopes that a session is bound to (`D-API`).

    Raises:
        NotPermitted: With every place.
    """
    if not session.bound:
        return
    items = (
        (f"/changes/{n}/item/scope", c.item.scope) for n, c in enumerate(diff.changes) if c.item
    )
    known = ", ".join(map(str, session.scopes)) or "none"
    findings = tuple(
        Finding(
            "scope_not_in_force",
            f"the scope {quoted(scope)} is not in force here",
            place,
            f"propose in one of those in force: {known}",
            req="D-API",
        )
        for place, scope in (("/scope", diff.scope), *items)
        if scope not in session.scopes
    )
    if findings:
        raise NotPermitted(str(findings[0]), findings)


def proposal_id(session: Session) -> str:
    """The identifier of a new proposal; of one that is named, always the same."""
    if not session.once:
        return session.fresh_id("mdiff")
    named = digest(["once/1", session.tenant, session.principal, session.once])
    return keyed_id("mdiff", named.rpartition(":")[2])


def _made_before(
    transaction: Transaction, viewing: Viewing, diff: Diff, asked: str
) -> Proposed | None:
    """The proposal that was made under this name; None where it is the first.

    It is the same if the request was; where either request is not known, if both propose the same.

    Raises:
        Conflicted: It proposes something else.
    """
    doc = transaction.doc("diff", diff.id)
    if doc is None:
        return None
    made = load(viewing, diff.id).diff
    before = _asked(transaction, diff.id)
    same = before == asked if before and asked else _substance(made) == _substance(diff)
    if not same:
        message = "this idempotency key has made another proposal before"
        fix = "give every proposal a key of its own, and repeat one only word for word"
        raise Conflicted(message, (Finding("key_reused", message, "", fix, req="E-IDEMPOTENT"),))
    return Proposed(made, (), token_of(transaction, doc.revision))


def _asked(transaction: Transaction, diff_id: str) -> str:
    """Digest of the request that made a proposal; empty where it is not known, or was erased."""
    doc = transaction.doc("note", diff_id)
    note = transaction.contents([doc.seq]).get(doc.seq, {}) if doc else {}
    return str(note.get(ASKED, ""))


def _substance(diff: Diff) -> Mapping[str, Any]:
    """What a proposal says, without the times and identifiers that were filled in."""
    whole = encode(diff)
    items = {change.item.id for change in diff.changes if change.item}
    return dict(_without(whole, items))


def _without(value: Any, made: set[str]) -> Any:
    if isinstance(value, Mapping):
        kept = {k: _without(v, made) for k, v in value.items() if k not in _FILLED_IN}
        return {k: v for k, v in kept.items() if not (k == "id" and v in made)}
    return [_without(one, made) for one in value] if isinstance(value, list | tuple) else value


def narrowed(viewing: Viewing, change: Change) -> Change:
    """The change with its item's visibility in normal form, and no wider than its sources'."""
    if change.item is None:
        return change
    own = change.declares == "declassification"
    audience = change.item.visibility.audience if own else inherited(viewing, change.item)
    item = with_normal_visibility(change.item, audience)
    return change if item is change.item else replace(change, item=item)


def events_of(
    transaction: Transaction,
    viewing: Viewing,
    diff: Diff,
    records: Sequence[Mapping[str, Any]] = (),
    asked: str = "",
) -> Sequence[Event]:
    """The events that record a proposal: its frame, and every change by itself, so that each can be erased alone.

    Args:
        transaction: Where classes are declared.
        viewing: The proposer's.
        diff: What is proposed.
        records: Its changes in wire form, where they are at hand.
        asked: Digest of the request that made it, where a proposal of its name may be made again.
    """
    whole = encode(replace(diff, changes=()))
    note = {key: whole.pop(key) for key in _FREE_TEXT if key in whole}
    if diff.trigger.uri != f"principal:{diff.proposed_by}":  # that tells no more than the frame
        note[TRIGGER_URI] = diff.trigger.uri
        whole["trigger"] = encode(replace(diff.trigger, uri=""))
    if asked:
        note[ASKED] = asked
    subjects = tuple(dict.fromkeys(s for change in diff.changes for s in change.subjects))
    events = [Event("diff", diff.id, whole, cls=transaction.declare_class(diff.scope, NOBODY))]
    if note:
        events.append(Event("note", diff.id, note, diff.id, subjects))
    for change, record in zip(diff.changes, records or map(encode, diff.changes), strict=True):
        where = _class_of(transaction, viewing, change)
        doc_id = change_doc_id(diff.id, change.id)
        events.append(Event("change", doc_id, record, diff.id, change.subjects, where))
    return events


def _class_of(transaction: Transaction, viewing: Viewing, change: Change) -> str:
    audience = seen_by(viewing, change)
    if change.item is not None:
        return transaction.declare_class(change.item.scope, audience)
    for target in (change.target_id, *change.target_ids):
        row = viewing.row(target)
        if row is not None:
            return transaction.declare_class(viewing.scope_of(row.cls), audience)
    return ""
