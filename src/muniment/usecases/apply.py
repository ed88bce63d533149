"""Apply decided changes: one transaction, all of it or nothing.

- Under the writer's lock, base state, conflicts, audiences and tombstones are looked at once more.
- A change that meets a tombstone which its reviewer may not see stays pending: nothing is told.
- Conflicts and tombstones are records of their own, in classes of their own: what is hidden never writes to what is
  not.
- A conflict that an accepted claim states itself is recorded like one that was found, so that both sides show it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from muniment.core.access import NOBODY, Audience, intersect, may_see
from muniment.core.claim import Claim
from muniment.core.codec import micros
from muniment.core.conflict import Conflict
from muniment.core.diff import DECLASSIFICATION, NARROWING, Application, Change, Decided, Pending
from muniment.core.encode import encode
from muniment.core.errors import Conflicted, Finding, InvalidInput, errors_in
from muniment.core.event import Event
from muniment.core.narrowing import Narrowed
from muniment.core.plan import Applied, plan
from muniment.core.source import Reading
from muniment.ports.store import Transaction
from muniment.usecases.embedding import text_of, vectors_of
from muniment.usecases.examine import Examined, examine, inherited, seen_by, settles
from muniment.usecases.narrow import following, record_event
from muniment.usecases.pending import change_doc_id, load
from muniment.usecases.retract import dependents, retraction_events
from muniment.usecases.session import Session
from muniment.usecases.tombstones import meets_hidden, replaced_by, stone_events
from muniment.usecases.viewing import Viewing, token_of


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a review came to.

    Attributes:
        diff_id: The diff.
        decisions: What was recorded, by change id; by `diff/change` where a policy decided over several diffs.
        resulting: Change id (or `diff/change`, as above) to the claim that it made or touched.
        conflicts: Conflicts that were recorded.
        held: Changes that stay pending although they were accepted; another reviewer is needed.
        token: Names the state that recorded it, and tells nothing else.
    """

    diff_id: str
    decisions: Mapping[str, Decided]
    resulting: Mapping[str, str] = field(default_factory=dict)
    conflicts: tuple[Conflict, ...] = ()
    held: tuple[str, ...] = ()
    token: str = ""


def apply_decisions(
    session: Session,
    pending: Pending,
    decisions: Mapping[str, Decided],
    readings: Mapping[str, Reading],
    before: Examined,
    open_values: frozenset[str] = frozenset(),
) -> Outcome:
    """Record decisions and apply the accepted changes.

    Args:
        session: Whose decisions they are.
        pending: The diff as it was shown.
        decisions: Change id to decision.
        readings: Change id to what its source said.
        before: What was noticed when it was shown.
        open_values: Rejected changes that leave no tombstone.

    Raises:
        Conflicted: Something was decided, written or noticed meanwhile; nothing was written.
    """
    space, vectors = _embedded(session, pending, decisions)
    with session.store.transaction(session.tenant) as transaction:
        viewing = session.viewing(transaction)
        examined = _look_again(session, viewing, pending, decisions, before)
        held = tuple(
            c.id
            for c in _changes(pending, decisions, "accepted")
            if c.item and meets_hidden(viewing, c.item, replaced_by(viewing, c))
        )
        work = _Work(session, transaction, viewing, readings, examined)
        for change in _changes(pending, decisions, "accepted"):
            if change.id not in held:
                work.accept(change, decisions[change.id])
        for change in _changes(pending, decisions, "rejected"):
            work.reject(change, decisions[change.id], change.id not in open_values)
        recorded = {name: d for name, d in decisions.items() if name not in held}
        work.decide(pending, recorded)
        revision = transaction.revision
        for events in work.written():
            placed = _placed(events, vectors)
            given = {space: placed} if placed else {}
            revision = transaction.append(events, session.now(), given)
        token = token_of(transaction, revision)
    return Outcome(pending.diff.id, recorded, work.resulting, tuple(work.conflicts), held, token)


def _embedded(
    session: Session, pending: Pending, decisions: Mapping[str, Decided]
) -> tuple[str, dict[str, bytes]]:
    """The space and vectors of what will be written, made before the writer's place is taken."""
    accepted = _changes(pending, decisions, "accepted")
    texts = [text_of(encode(c.item)) for c in accepted if c.item is not None]
    targets = {one for c in accepted for one in (c.target_id, *c.target_ids) if one}
    if targets and session.embedder() is not None:
        with session.store.snapshot(session.tenant) as snapshot:
            viewing = session.viewing(snapshot)
            moving = [c.target_id for c in accepted if c.declares == NARROWING]
            rows = [row for one in moving for row, _ in dependents(viewing, one, NOBODY)]
            seqs = [row.seq for one in sorted(targets) if (row := viewing.row(one))]
            seqs += [row.seq for row in rows]
            texts += [text_of(content) for content in snapshot.contents(seqs).values()]
    return vectors_of(session, texts)


def _placed(events: Sequence[Event], vectors: Mapping[str, bytes]) -> dict[int, bytes]:
    """The vectors of claims among some events, by their place."""
    if not vectors:
        return {}
    texts = ((n, text_of(e.content)) for n, e in enumerate(events) if e.kind == "claim")
    return {n: vectors[text] for n, text in texts if text in vectors}


def _changes(
    pending: Pending, decisions: Mapping[str, Decided], decision: str
) -> tuple[Change, ...]:
    chosen = (c for c in pending.diff.changes if c.id in decisions)
    return tuple(c for c in chosen if decisions[c.id].decision == decision)


def _look_again(
    session: Session,
    viewing: Viewing,
    pending: Pending,
    decisions: Mapping[str, Decided],
    before: Examined,
) -> Examined:
    now = load(viewing, pending.diff.id)
    moved = [name for name in decisions if now.state_of(name) != pending.state_of(name)]
    if moved:
        raise Conflicted(
            f"somebody decided on `{moved[0]}` meanwhile", fix="look at the diff again"
        )
    wanted = tuple(
        c
        for c in pending.diff.changes
        if c.id in decisions and decisions[c.id].decision == "accepted"
    )
    examined = examine(viewing, replace(pending.diff, changes=wanted), micros(session.now()))
    number = {change.id: n for n, change in enumerate(pending.diff.changes)}
    places = {f"/changes/{n}": f"/changes/{number[c.id]}" for n, c in enumerate(wanted)}
    findings = tuple(_moved(f, places) for f in examined.findings)
    fresh = _new(before, findings)
    if fresh:
        raise Conflicted(
            str(fresh[0]), fresh, fix="look at the diff again: this was not there before"
        )
    return examined


def _moved(finding: Finding, places: Mapping[str, str]) -> Finding:
    """The finding with its change's place in the whole diff."""
    head = "/".join(finding.path.split("/")[:3])
    return (
        replace(finding, path=places[head] + finding.path[len(head) :])
        if head in places
        else finding
    )


def _new(before: Examined, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    known = {(f.code, f.path, f.message) for f in before.findings}
    fresh = tuple(f for f in findings if (f.code, f.path, f.message) not in known)
    told = tuple(f for f in fresh if f.code in ("duplicate", "contradiction", "possible"))
    return errors_in(findings) + told


class _Work:
    """The events of one application, put together change by change."""

    def __init__(
        self,
        session: Session,
        transaction: Transaction,
        viewing: Viewing,
        readings: Mapping[str, Reading],
        examined: Examined,
    ) -> None:
        self.session, self.transaction, self.viewing = session, transaction, viewing
        self.readings, self.examined = readings, examined
        self.now = session.now()
        self.events: list[Event] = []
        self.conflicts: list[Conflict] = []
        self.resulting: dict[str, str] = {}
        self._made: dict[str, Audience] = {}
        self._narrowed: dict[str, Narrowed] = {}

    def accept(self, change: Change, decided: Decided) -> None:
        """Add what an accepted change makes."""
        named = [one for one in (change.target_id, *change.target_ids) if one]
        sources = change.item.source.derived_from if change.item else ()
        current = {one: self.viewing.claim(one) for one in named}
        confidences = {
            one: self.viewing.claim(one).confidence.score or 0.0
            for one in sources
            if self.viewing.row(one)
        }
        applied = Applied(self.now, decided.by, self.readings.get(change.id), confidences)
        for claim in plan(change, current, applied):
            if change.declares == NARROWING:
                self._narrows(change, claim, decided)
            self._version(claim)
            self.resulting[change.id] = claim.id
        self._conflicts_of(change)
        self._settle(change)
        if change.operation in ("supersede", "deprecate"):
            seen = intersect(self._audience(change.target_id), seen_by(self.viewing, change))
            self._retract(change.target_id, change.operation, seen)

    def _narrows(self, change: Change, claim: Claim, decided: Decided) -> None:
        """Record that a claim is narrowed.

        Raises:
            InvalidInput: Who decides would not see it any more.
        """
        if not may_see(claim.visibility.audience, self.viewing.principal.everything):
            message = f"you would not see {claim.id} yourself any more"
            fix = "let a reviewer decide who will see it afterwards"
            place = f"/decisions/{change.id}"
            finding = Finding("narrowed_out_of_sight", message, place, fix, req="B-TRAVEL")
            raise InvalidInput.of((finding,))
        row = self.viewing.row(claim.id)
        record = Narrowed(decided.by, self.now, decided.diff_id, change.id)
        before = row.cls if row else ""
        self.events.append(record_event(claim.id, claim.version, before, record))
        self._narrowed[claim.id] = replace(record, because=claim.id)

    def written(self) -> Iterator[Sequence[Event]]:
        """What is appended, in turn: what was decided, and what rests on the claims that it narrowed."""
        if self.events:
            yield self.events
        for claim_id, record in self._narrowed.items():
            events = following(self.transaction, claim_id, record)
            if events:
                yield events

    def _audience(self, claim_id: str) -> Audience:
        """Who sees a claim, of those that are made here too."""
        row = self.viewing.row(claim_id)
        known = self.viewing.audience_of(row.cls) if row else NOBODY
        return self._made.get(claim_id, known)

    def _retract(self, claim_id: str, cause: str, seen: Audience) -> None:
        """Put up for review what rests on a claim, for who sees what became of it."""
        self.events.extend(
            retraction_events(self.session, self.transaction, self.viewing, claim_id, cause, seen)
        )

    def _version(self, claim: Claim) -> None:
        self._made[claim.id] = claim.visibility.audience
        cls = self.transaction.declare_class(claim.scope, claim.visibility.audience)
        subjects = (claim.id,)
        self.events.append(Event("claim", claim.id, encode(claim), claim.id, subjects, cls))

    def _conflicts_of(self, change: Change) -> None:
        if change.operation == "flag_conflict":
            self._conflict(change.target_ids, change.conflict_notes or change.reason, "flagged")
            self.resulting[change.id] = change.target_ids[0]
        for conflict in self.examined.conflicts.get(change.id, ()):
            if conflict.kind == "contradiction" and conflict.right not in change.resolves:
                self.conflicts.append(conflict)
                self._conflict((conflict.left, conflict.right), conflict.note, conflict.kind)
        if change.item is not None:
            self._stated(change.item)

    def _stated(self, item: Claim) -> None:
        """Record the conflicts that a claim states itself, where the other side is seen and nothing was found yet."""
        found = {conflict.right for conflict in self.conflicts if conflict.left == item.id}
        for stated in item.conflicts:
            known = stated.with_id in found or stated.resolved
            if not known and self.viewing.sees(stated.with_id):
                note = stated.note or item.conflict_notes
                self._conflict((item.id, stated.with_id), note, "stated")

    def _conflict(self, between: tuple[str, ...], note: str, kind: str, resolved: str = "") -> None:
        sides = tuple(sorted(set(between)))
        content = {
            "between": list(sides),
            "note": note,
            "kind": kind,
            "since": encode(self.now),
            "resolved": resolved,
        }
        key = self.transaction.key("conflict", *sides)
        self.events.append(Event("conflict", key, content, subjects=sides))
        seen = intersect(*map(self._audience, sides))
        for side in sides:
            self._retract(side, "dispute", seen)

    def _settle(self, change: Change) -> None:
        """Close the recorded conflicts that a change says it settles."""
        for conflict in self.viewing.conflicts():
            sides = set(conflict["between"])
            if settles(change, sides) and not conflict.get("resolved"):
                content = {**conflict, "resolved": change.reason, "resolved_at": encode(self.now)}
                key = self.transaction.key("conflict", *sorted(sides))
                self.events.append(Event("conflict", key, content, subjects=tuple(sorted(sides))))

    def reject(self, change: Change, decided: Decided, leave_tombstone: bool) -> None:
        """Add the tombstones of a rejected value, for who sees what it was made from, as that is seen now."""
        item = change.item
        if item is None or not leave_tombstone:
            return
        declared = change.declares == DECLASSIFICATION
        seen = item.visibility.audience if declared else inherited(self.viewing, item)
        cls = self.transaction.declare_class(item.scope, seen)
        content = {
            "at": encode(decided.at),
            "by": decided.by,
            "why": "rejected",
            "diff": decided.diff_id,
            "change": change.id,
        }
        target = replaced_by(self.viewing, change)
        self.events.extend(stone_events(self.transaction, item, cls, content, target))

    def decide(self, pending: Pending, decisions: Mapping[str, Decided]) -> None:
        """Add the decisions, and the records of what was applied."""
        by_id = {change.id: change for change in pending.diff.changes}
        for name, decided in decisions.items():
            subjects = by_id[name].subjects
            doc_id = change_doc_id(pending.diff.id, name)
            kind = "deferral" if decided.decision == "needs_review" else "decision"
            self.events.append(Event(kind, doc_id, encode(decided), pending.diff.id, subjects))
            if name in self.resulting:
                record = self._application(pending, name, decided)
                self.events.append(Event("application", doc_id, record, pending.diff.id, subjects))

    def _application(self, pending: Pending, name: str, decided: Decided) -> dict[str, Any]:
        """What came of one change: a record of its own, so that it is seen, and erased, with the change."""
        readings = {name: encode(self.readings[name])} if name in self.readings else {}
        made = {name: self.resulting[name]}
        record = Application(pending.diff.id, self.now, decided.by, (name,), made, readings)
        return dict(encode(record))
