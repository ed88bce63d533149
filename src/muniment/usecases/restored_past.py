"""What an export tells of the past, as a restore records it: in the same order, one revision for each state.

- A version comes back in the revision of its state, and beside it stands when the export's store had recorded it.
- Proposals that were decided there are recounted, with their proposers, reviewers, reasons and signatures, as told by
  that export: no decision of this store, and nothing that waits.
- A rejected value leaves its tombstone here; an erased claim its name, so that it does not come back.
- Of what names a claim that does not come back, nothing is recorded; nor of what is here already.

Who may restore, and which claims, is `restore`'s.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from muniment.core.access import NOBODY, Audience, Scope, normal
from muniment.core.check import secrets_in
from muniment.core.check_boundaries import texts_of
from muniment.core.claim import Claim
from muniment.core.codec import trusted
from muniment.core.encode import encode
from muniment.core.errors import Finding, errors_in
from muniment.core.event import Event
from muniment.core.record import with_normal_visibility
from muniment.ports.interchange import EXPORT, TOLD, Coming, Past
from muniment.ports.store import Transaction
from muniment.usecases.tombstones import stone_events
from muniment.usecases.viewing import Viewing


@dataclass
class Step:
    """One state that an export tells.

    Attributes:
        at: When it was recorded there; empty where that is not told.
        claims: Versions that come back in it.
        told: The rest that it recorded.
    """

    at: str = ""
    claims: list[Claim] = field(default_factory=list)
    told: list[Past] = field(default_factory=list)


def earlier(past: Sequence[Past]) -> dict[str, tuple[Claim, ...]]:
    """The versions of each claim before its latest, oldest first."""
    found: dict[str, tuple[Claim, ...]] = {}
    for one in past:
        if one.kind == "version" and one.claim is not None and one.claim.id == one.id:
            found[one.id] = (*found.get(one.id, ()), one.claim)
    return found


def steps_of(
    past: Sequence[Past], wanted: Sequence[Claim], versions: Mapping[str, Sequence[Claim]]
) -> list[Step]:
    """The states to record, in order; at least one.

    Args:
        past: What is told.
        wanted: The latest versions of the claims that come back.
        versions: Those of their earlier versions that come back.
    """
    latest = {claim.id: claim for claim in wanted}
    let_in = {id(claim) for some in versions.values() for claim in some}
    steps: dict[int, Step] = {}
    for one in past:
        step = steps.setdefault(one.step, Step(one.at))
        if one.kind != "version":
            step.told.append(one)
        elif one.claim is not None and id(one.claim) in let_in:
            step.claims.append(one.claim)
        elif one.claim is None and one.id in latest:
            step.claims.append(latest.pop(one.id))
    if latest or not steps:
        steps[max(steps, default=0) + 1] = Step("", list(latest.values()))
    return [step for step in steps.values() if step.claims or step.told]


class PastRecords:
    """Makes the events of what is told besides versions.

    Args:
        transaction: Where they go.
        viewing: Who restores.
        coming: The export.
        there: Claims that come back, or are here already.
        scopes: The scopes in force.
        now: When.
    """

    def __init__(
        self,
        transaction: Transaction,
        viewing: Viewing,
        coming: Coming,
        there: Collection[str],
        scopes: Collection[Scope],
        now: datetime,
    ) -> None:
        self.transaction, self.viewing, self.coming = transaction, viewing, coming
        self.there, self.scopes, self.at = frozenset(there), frozenset(scopes), encode(now)
        self._conflicts = {tuple(sorted(one["between"])) for one in viewing.conflicts()}
        self._claims = {claim.id: claim for claim in coming.claims}
        self._told_conflicts: set[tuple[str, ...]] = set()
        self._here = {doc.id for doc in transaction.docs("recounted")}
        self._here |= {doc.id for doc in transaction.docs("change")}
        self._changes = {one.id for one in coming.past if one.kind == "change" and self._comes(one)}
        self._diffs = {name.partition("/")[0] for name in self._changes}

    @property
    def is_new(self) -> bool:
        """Whether anything that was decided there is not here yet."""
        return bool(self._changes)

    def events(self, step: Step) -> Iterator[Event]:
        """What one state recorded, and when that was."""
        makers = {"frame": self._frame, "note": self._note, "change": self._change}
        makers |= {"conflict": self._conflict, "erased": self._erased}
        for one in step.told:
            yield from makers[one.kind](one)
        if step.at:
            place = str(self.transaction.revision + 1)
            told = {"at": step.at, EXPORT: self.coming.digest}
            yield Event("restored", self.transaction.key("restored", place), told)

    def conflicts_left(self) -> Iterator[Event]:
        """The conflicts that the export states and its past does not tell, where they are not recorded yet."""
        for content in self.coming.conflicts:
            sides = tuple(sorted(str(one) for one in content.get("between", ())))
            if sides not in self._told_conflicts:
                yield from self._conflict_of(sides, content)

    def _comes(self, one: Past) -> bool:
        """Whether a change is recounted: everything that it names is here, and nothing of it yet."""
        item = one.claim
        rejected = one.content[TOLD]["decision"]["decision"] == "rejected"
        own = {item.id} if item is not None and rejected else set()
        scope = _class_of(one)[0]
        if one.id in self._here or scope not in self.scopes or (item and secrets_of(item)):
            return False
        return self.there.issuperset(set(one.about) - own)

    def _frame(self, one: Past) -> Iterator[Event]:
        if one.id in self._diffs and one.id not in self._here:
            scope = trusted(Scope, one.where["scope"])
            cls = self.transaction.declare_class(scope, NOBODY)
            yield Event("recounted", one.id, {**one.content, **one.where}, cls=cls)

    def _note(self, one: Past) -> Iterator[Event]:
        name = f"{one.id}#note"
        if one.id in self._diffs and name not in self._here:
            content = {"note": dict(one.content), "about": list(one.about)}
            yield Event("recounted", name, content, one.id, one.about)

    def _change(self, one: Past) -> Iterator[Event]:
        if one.id not in self._changes:
            return
        scope, audience = _class_of(one)
        item = with_normal_visibility(one.claim, audience) if one.claim else None
        cls = self.transaction.declare_class(scope, audience)
        told = {EXPORT: self.coming.digest, **one.content[TOLD]}
        content = {**one.content, TOLD: told, **({"item": encode(item)} if item else {})}
        parent = one.id.partition("/")[0]
        yield Event("recounted", one.id, content, parent, one.about, cls)
        if told.get("stone") and item is not None:
            decided = told["decision"]
            left = {
                "at": decided["at"],
                "by": decided["by"],
                "why": "rejected",
                "diff": decided["diff_id"],
                "change": decided["change_id"],
                EXPORT: told[EXPORT],
            }
            target = self._claims.get(one.content.get("target_id", ""))
            yield from stone_events(self.transaction, item, cls, left, target)

    def _conflict(self, one: Past) -> Iterator[Event]:
        sides = tuple(sorted(one.about))
        self._told_conflicts.add(sides)
        yield from self._conflict_of(sides, one.content)

    def _conflict_of(self, sides: tuple[str, ...], told: Mapping[str, Any]) -> Iterator[Event]:
        if len(sides) > 1 and self.there.issuperset(sides) and sides not in self._conflicts:
            content: Mapping[str, Any] = {**told, "between": list(sides)}
            yield Event(
                "conflict", self.transaction.key("conflict", *sides), content, subjects=sides
            )

    def _erased(self, one: Past) -> Iterator[Event]:
        """The name of an erased claim; a claim that is here is not touched."""
        scope, audience = _class_of(one)
        here = self.transaction.row(one.id) or self.transaction.doc("erased", one.id)
        if scope in self.scopes and not here and one.id not in self.there:
            cls = self.transaction.declare_class(scope, audience)
            yield Event("erased", one.id, {EXPORT: self.coming.digest, **one.content}, cls=cls)


def secrets_of(claim: Claim) -> tuple[Finding, ...]:
    """What in a claim's texts looks like a secret (`E-SECRET`)."""
    return errors_in(tuple(secrets_in(texts_of(claim))))


def _class_of(one: Past) -> tuple[Scope, Audience]:
    scope = trusted(Scope, one.where["scope"])
    return scope, normal(tuple(map(tuple, one.where["audience"])))
