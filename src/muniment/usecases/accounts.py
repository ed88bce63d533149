"""Whether each version of each claim comes from an accepted change: planned again, it has to come out the same.

- A version without an accepted change of its own revision was written past review; one that a rule archived has an
  operator's word in place of a change, and one that rests on a claim that was narrowed has that claim's; both say
  nothing else than the one before.
- A version that differs from what its change makes was altered on the way.
- What was erased cannot be checked any more, and what rests on erased sources only in part.

Who accepted a change, and whether rightly, is `doctor`'s.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from muniment.core.claim import Claim
from muniment.core.codec import trusted
from muniment.core.diff import NARROWING, Application, Change, Decided
from muniment.core.encode import encode
from muniment.core.event import Envelope
from muniment.core.lifecycle import Archived, archived
from muniment.core.narrowing import Narrowed, moved
from muniment.core.plan import Applied, plan
from muniment.core.record import claim_from
from muniment.core.source import Reading
from muniment.ports.store import Snapshot
from muniment.usecases.pending import change_doc_id

_KINDS = ("claim", "decision", "application", "archived", "narrowed")


@dataclass(frozen=True, slots=True)
class Account:
    """What stands behind an accepted change.

    Attributes:
        diff_id: The diff.
        change_id: The change.
        by: Who is named.
        state: signed, derived, erased, unsigned, forged, not_derived or could_not_observe.
        detail: What is wrong, if anything is.
    """

    diff_id: str
    change_id: str
    by: str
    state: str
    detail: str = ""

    @property
    def is_good(self) -> bool:
        """Whether it is accounted for (an erased content cannot be checked any more)."""
        return self.state in ("signed", "derived", "erased", "could_not_observe")


def unaccounted(snapshot: Snapshot) -> Iterator[Account]:
    """The claim versions that no accepted change makes, in ledger order."""
    envelopes = list(snapshot.envelopes())
    contents = snapshot.contents([e.seq for e in envelopes if e.kind in _KINDS])
    revisions: dict[int, list[Envelope]] = {}
    for envelope in envelopes:
        revisions.setdefault(envelope.revision, []).append(envelope)
    current: dict[str, Claim | None] = {}
    for events in revisions.values():
        made = [e for e in events if e.kind == "claim"]
        if made:
            accepted = (
                *_accepted(snapshot, events, contents, current),
                *_archived(events, contents, current),
                *_narrowed(snapshot, events, contents, current),
            )
            yield from (a for e in made if (a := _account(e, contents, accepted)) is not None)
            for envelope in made:
                content = contents.get(envelope.seq)
                current[envelope.id] = claim_from(content) if content else None


@dataclass(frozen=True, slots=True)
class _Accepted:
    """An accepted change with what it makes; None where that rests on what was erased, or it was erased itself."""

    decided: Decided | None
    subjects: tuple[str, ...]
    makes: tuple[Claim, ...] | None


def _accepted(
    snapshot: Snapshot,
    events: list[Envelope],
    contents: Mapping[int, Mapping[str, object]],
    current: Mapping[str, Claim | None],
) -> Iterator[_Accepted]:
    applications = {
        e.id: trusted(Application, contents[e.seq])
        for e in events
        if e.kind == "application" and e.seq in contents
    }
    for envelope in events:
        if envelope.kind != "decision":
            continue
        content = contents.get(envelope.seq)
        if (
            content is None
        ):  # erased with a claim that the change names too: it cannot be checked any more
            yield _Accepted(None, envelope.subjects, None)
            continue
        decided = trusted(Decided, content)
        if decided.decision != "accepted":
            continue
        doc = snapshot.doc("change", envelope.id)
        found = snapshot.contents([doc.seq]).get(doc.seq) if doc else None
        change = trusted(Change, found) if found else None
        application = applications.get(envelope.id)
        makes = _planned(change, decided, application, current) if change and application else None
        yield _Accepted(decided, envelope.subjects, makes)


def _archived(
    events: list[Envelope],
    contents: Mapping[int, Mapping[str, object]],
    current: Mapping[str, Claim | None],
) -> Iterator[_Accepted]:
    """What rules archived, as accepted changes with the versions that they make; who said so is `doctor`'s."""
    for envelope in events:
        said = contents.get(envelope.seq) if envelope.kind == "archived" else None
        if said is not None:
            word = trusted(Archived, dict(said))
            before = current.get(envelope.id)
            makes = None if before is None else (archived(before, word.rule, word.by, word.at),)
            decided = Decided("", "", "accepted", word.by, word.at)
            yield _Accepted(decided, envelope.subjects, makes)


def _narrowed(
    snapshot: Snapshot,
    events: list[Envelope],
    contents: Mapping[int, Mapping[str, object]],
    current: Mapping[str, Claim | None],
) -> Iterator[_Accepted]:
    """What moved along with a claim that an accepted change of the same revision narrowed."""
    claims = [
        claim_from(contents[e.seq]) for e in events if e.kind == "claim" and e.seq in contents
    ]
    made = {(claim.id, claim.version): claim for claim in claims}
    decided = {e.id: e for e in events if e.kind == "decision"}
    for envelope in events:
        said = contents.get(envelope.seq) if envelope.kind == "narrowed" else None
        record = trusted(Narrowed, dict(said)) if said else None
        if record is None or not record.because:
            continue
        word = decided.get(change_doc_id(record.diff_id, record.change_id))
        if word is None or not _narrows(snapshot, word, record.because):
            continue  # which leaves the version without what stands behind it
        claim_id, version = envelope.parent, int(envelope.id.rpartition("/")[2])
        before = made.get((claim_id, version - 1)) or current.get(claim_id)
        after = made.get((claim_id, version))
        makes = (moved(before, after.visibility.audience, record),) if before and after else None
        where = (record.diff_id, record.change_id)
        yield _Accepted(Decided(*where, "accepted", record.by, record.at), (claim_id,), makes)


def _narrows(snapshot: Snapshot, decision: Envelope, claim_id: str) -> bool:
    """Whether a decision is on a change that narrows a claim, as far as it is still there."""
    doc = snapshot.doc("change", decision.id)
    content = snapshot.contents([doc.seq]).get(doc.seq) if doc else None
    change = trusted(Change, content) if content else None
    return change is None or (change.declares == NARROWING and change.target_id == claim_id)


def _planned(
    change: Change, decided: Decided, application: Application, current: Mapping[str, Claim | None]
) -> tuple[Claim, ...] | None:
    sources = change.item.source.derived_from if change.item else ()
    named = [one for one in (change.target_id, *change.target_ids, *sources) if one]
    known = {one: claim for one in named if (claim := current.get(one)) is not None}
    if len(known) < len(set(named)):
        return None
    kept = application.readings.get(change.id)
    reading = trusted(Reading, kept) if kept else None
    confidences = {one: known[one].confidence.score or 0.0 for one in sources}
    return plan(change, known, Applied(application.at, decided.by, reading, confidences))


def _account(
    envelope: Envelope,
    contents: Mapping[int, Mapping[str, object]],
    accepted: tuple[_Accepted, ...],
) -> Account | None:
    content = contents.get(envelope.seq)
    if content is None:
        return None
    claim = claim_from(content)
    behind = [one for one in accepted if envelope.id in one.subjects]
    by = claim.review.reviewed_by
    if not behind:
        detail = f"no accepted change stands behind version {claim.version} of {claim.id}"
        return Account("", "", by, "forged", detail)
    planned = [made for one in behind if one.makes is not None for made in one.makes]
    unknown = any(one.makes is None for one in behind)
    if unknown or any(_same(claim, made) for made in planned):
        return None
    decided = next(one.decided for one in behind if one.decided is not None)
    detail = f"version {claim.version} of {claim.id} is not what was accepted"
    return Account(decided.diff_id, decided.change_id, by, "forged", detail)


def _same(claim: Claim, made: Claim) -> bool:
    """Whether a version is the planned one; where its reviewer did not see every source, its confidence is lower."""
    score, most = claim.confidence.score, made.confidence.score
    lower = score is not None and most is not None and score <= most
    planned = replace(made, confidence=claim.confidence) if lower else made
    return bool(encode(claim) == encode(planned))
