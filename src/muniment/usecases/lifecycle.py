"""Apply declared rules to claims: what is due is archived, deleted or proposed to be one memory (`A-RETENTION`).

- Only what the operator may see is looked at, counted and named; rules reach nobody else's claims through it.
- What would be done is worked out by the same function that the act works it out by, under the writer's lock.
- Archiving and deleting are one transaction, signed; what was derived from the claims is stale from it on, and
  proposed for review, as for an erasure.
- An archived claim stays for history, and comes back by an accepted revalidation, which begins its period anew.
- A deleted claim leaves what an erased one does: its tombstone outlives it, and refuses its value on every path.
- Consolidating only ever proposes: the sources stay, and a reviewer decides. What is proposed already, or was made one
  memory already, is not proposed again.

Which claims a rule is about is `core.lifecycle`'s matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from muniment.core.canonical import canonical
from muniment.core.claim import Claim
from muniment.core.codec import micros, trusted
from muniment.core.consolidation import groups
from muniment.core.encode import encode
from muniment.core.errors import Finding, InvalidInput
from muniment.core.event import Event
from muniment.core.lifecycle import (
    KIND,
    Archived,
    Lifecycle,
    archive_statement,
    archived,
    covers,
    covers_claim,
    due_at,
    finality,
    is_due,
    known_part,
)
from muniment.core.row import Row
from muniment.core.status import status_at
from muniment.ports.credential import Signer
from muniment.ports.store import Snapshot, Transaction
from muniment.usecases.consolidate import diff_of
from muniment.usecases.declare import require_operator
from muniment.usecases.embedding import text_of, vectors_of
from muniment.usecases.erase import erasing_events, on_disk
from muniment.usecases.pending import open_changes, waiting
from muniment.usecases.propose import propose
from muniment.usecases.retract import dependents, retraction_events
from muniment.usecases.session import Session
from muniment.usecases.viewing import Viewing, token_of

PRINCIPAL = "process:retain"


@dataclass(frozen=True, slots=True)
class Act:
    """What is done, or would be.

    Attributes:
        act: archive, delete or consolidate.
        rule: The rule's name.
        ids: The claim; several where they are to be one.
        text: What it says, or what the one memory would say.
        due: Since when, the earliest of them.
        stale: Visible claims that rest on it and are stale by it.
    """

    act: str
    rule: str
    ids: tuple[str, ...]
    text: str
    due: datetime
    stale: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Lived:
    """What rules make of claims.

    Attributes:
        rules: Those in force.
        acts: What is due, or was done, by claim.
        done: Whether it was done.
        proposed: Diffs that propose consolidations.
        refused: Why a consolidation could not be proposed.
        token: Names the state that records what was done; empty where nothing was.
        disk: Whether deleted bytes are gone from the disk too: `complete`, or `pending: …`.
    """

    rules: tuple[Lifecycle, ...] = ()
    acts: tuple[Act, ...] = ()
    done: bool = False
    proposed: tuple[str, ...] = ()
    refused: tuple[Finding, ...] = ()
    token: str = ""
    disk: str = "complete"


@dataclass(frozen=True, slots=True)
class _Case:
    """A claim that is due, and by which rule."""

    rule: Lifecycle
    row: Row
    claim: Claim
    due: datetime


def rules_in_force(snapshot: Snapshot) -> tuple[Lifecycle, ...]:
    """The latest word of every rule that was not withdrawn, in the order in which they were first declared."""
    docs = snapshot.docs(KIND)
    contents = snapshot.contents([doc.seq for doc in docs])
    known = (contents[doc.seq] for doc in docs if doc.seq in contents)
    said = (trusted(Lifecycle, known_part(content)) for content in known)
    return tuple(rule for rule in said if not rule.withdrawn)


def look(viewing: Viewing, now: datetime) -> Lived:
    """What would be done now, as far as the asker may see."""
    rules = rules_in_force(viewing.snapshot)
    cases = _cases(viewing, rules, now)
    return Lived(rules, tuple(_acts(viewing, cases, now)))


def live(session: Session, signer: Signer | None) -> Lived:
    """Do what is due.

    Raises:
        NotPermitted: No operator with its own credential, and something is to be archived or deleted.
    """
    vectors = _embedded(session)
    deleted: list[Claim] = []
    with session.store.transaction(session.tenant) as transaction:
        viewing, now = session.viewing(transaction), session.now()
        rules = rules_in_force(transaction)
        cases = _cases(viewing, rules, now)
        acts = tuple(_acts(viewing, cases, now))
        final = [case for case in cases if case.rule.then != "consolidate"]
        token = ""
        if final:
            signed_by = require_operator(viewing, signer)
            work = _Work(session, transaction, viewing, signed_by, final)
            events = list(work.events(now))
            placed = {
                n: vectors[1][text]
                for n, event in enumerate(events)
                if event.kind == "claim" and (text := text_of(event.content)) in vectors[1]
            }
            given = {vectors[0]: placed} if placed else {}
            token = token_of(transaction, transaction.append(events, now, given))
            deleted = [case.claim for case in final if case.rule.then == "delete"]
            for claim in deleted:
                transaction.erase(claim.id)
    proposed, refused = _consolidated(session, acts)
    disk = on_disk(session, deleted) if deleted else "complete"
    return Lived(rules, acts, bool(acts), proposed, refused, token, disk)


# --- what is due ----------------------------------------------------------------------------------


def _cases(viewing: Viewing, rules: Sequence[Lifecycle], now: datetime) -> tuple[_Case, ...]:
    """Every claim that is due, once, by the most final of its rules; sorted by claim."""
    found: dict[str, _Case] = {}
    for scope in dict.fromkeys(rule.scope for rule in rules):
        mine = sorted((r for r in rules if r.scope == scope), key=finality, reverse=True)
        rows = viewing.seen(viewing.snapshot.rows(viewing.classes_of((scope,))))
        at = micros(now)
        held = [
            (row, [r for r in mine if covers(r, row, status) and is_due(r, row, now)])
            for row in rows
            for status in (status_at(row, at, viewing.sees),)
        ]
        claims = viewing.claims([row for row, over in held if over])
        for row, over in held:
            claim = claims.get(row.seq)
            rule = next((r for r in over if claim and covers_claim(r, claim)), None)
            if rule is not None and claim is not None:
                found[claim.id] = _Case(rule, row, claim, due_at(rule, row) or now)
    return tuple(found[one] for one in sorted(found))


def _acts(viewing: Viewing, cases: Sequence[_Case], now: datetime) -> Iterator[Act]:
    gone = {case.claim.id for case in cases if case.rule.then != "consolidate"}
    for case in cases:
        if case.rule.then != "consolidate":
            audience = viewing.audience_of(case.row.cls)
            below = dependents(viewing, case.claim.id, audience)
            stale = tuple(sorted(r.claim_id for r, _ in below if r.claim_id not in gone))
            name, text = case.rule.name, case.claim.claim
            yield Act(case.rule.then, name, (case.claim.id,), text, case.due, stale)
    yield from _groups(viewing, [c for c in cases if c.rule.then == "consolidate"], gone)


def _groups(viewing: Viewing, cases: Sequence[_Case], gone: set[str]) -> Iterator[Act]:
    """The due claims of one rule and class that could be one, each in one group at most."""
    made = _made(viewing, {case.row.cls for case in cases})
    together: dict[tuple[str, str], list[_Case]] = {}
    for case in cases:
        if case.row.derivation != "consolidated" and not gone.intersection(case.row.derived_from):
            together.setdefault((case.rule.name, case.row.cls), []).append(case)
    for (name, _), several in together.items():
        taken: set[str] = set()
        due = {case.claim.id: case.due for case in several}
        for group in groups([case.claim for case in several]):
            if taken.isdisjoint(group.ids) and not any(set(group.ids) <= one for one in made):
                taken.update(group.ids)
                earliest = min(due[one] for one in group.ids)
                yield Act("consolidate", name, group.ids, group.text, earliest)


def _made(viewing: Viewing, classes: set[str]) -> list[set[str]]:
    """The sources of every consolidation that is in force, or waits for a decision."""
    rows = viewing.snapshot.rows(classes) if classes else ()
    made = [set(row.derived_from) for row in rows if row.derivation == "consolidated"]
    if classes:
        items = [c.item for p in waiting(viewing) for c in open_changes(p) if c.item]
        made += [set(i.source.derived_from) for i in items if i.source.derivation == "consolidated"]
    return made


# --- doing it -------------------------------------------------------------------------------------


def _embedded(session: Session) -> tuple[str, dict[str, bytes]]:
    """The space and vectors of the versions that will be written, made before the writer's place is taken."""
    if session.embedder() is None:
        return vectors_of(session, ())
    with session.store.snapshot(session.tenant) as snapshot:
        viewing = session.viewing(snapshot)
        cases = _cases(viewing, rules_in_force(snapshot), session.now())
        texts = [text_of(encode(c.claim)) for c in cases if c.rule.then == "archive"]
    return vectors_of(session, texts)


class _Work:
    """The events that archive and delete."""

    def __init__(
        self,
        session: Session,
        transaction: Transaction,
        viewing: Viewing,
        signer: Signer,
        cases: Sequence[_Case],
    ) -> None:
        self.session, self.transaction, self.viewing = session, transaction, viewing
        self.signer, self.cases = signer, cases

    def events(self, now: datetime) -> Iterator[Event]:
        """What is appended, claim by claim; one proposal for who sees a derived claim and what it rested on."""
        spared: set[object] = {case.claim.id for case in self.cases}
        for case in self.cases:
            cause = "erase" if case.rule.then == "delete" else "archive"
            audience = self.viewing.audience_of(case.row.cls)
            given = (self.session, self.transaction, self.viewing, case.claim.id)
            yield from retraction_events(*given, cause, audience, spared)  # type: ignore[arg-type]
            below = dependents(self.viewing, case.claim.id, audience)
            spared.update((row.claim_id, seen_by) for row, seen_by in below)
            if cause == "erase":
                left = (case.claim, case.row.cls, case.row.supersedes)
                yield from erasing_events(self.session, self.transaction, *left)
            else:
                yield from self._archived(case, now)

    def _archived(self, case: _Case, now: datetime) -> Iterator[Event]:
        claim, by = case.claim, self.session.principal
        said = Archived(case.rule.name, by, now, self.signer.public_key)
        statement = canonical(archive_statement(self.session.tenant, claim.id, said))
        said = replace(said, signature=self.signer.sign(statement))
        subjects = (claim.id,)
        yield Event("archived", claim.id, encode(said), subjects=subjects, cls=case.row.cls)
        made = encode(archived(claim, case.rule.name, by, now))
        yield Event("claim", claim.id, made, claim.id, (claim.id,), case.row.cls)


def _consolidated(
    session: Session, acts: Iterable[Act]
) -> tuple[tuple[str, ...], tuple[Finding, ...]]:
    """Propose what could be one memory; a refusal stops no other."""
    proposer = replace(session, principal=PRINCIPAL, once="", asked="")
    proposed: list[str] = []
    refused: list[Finding] = []
    for act in acts:
        if act.act != "consolidate":
            continue
        with session.store.snapshot(session.tenant) as snapshot:
            viewing = session.viewing(snapshot)
            claims = [viewing.claim(one) for one in act.ids if viewing.row(one)]
        if len(claims) < len(act.ids):  # somebody erased one meanwhile
            continue
        reason = f"{len(claims)} memories about one thing are due by the rule {act.rule}"
        given = diff_of(claims, "", PRINCIPAL, session.now(), reason)
        try:
            proposed.append(propose(proposer, given, seen_as=session.principal).diff.id)
        except InvalidInput as error:
            refused.extend(error.findings)
    return tuple(proposed), tuple(refused)
