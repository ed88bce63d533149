"""What one principal may see of one snapshot: the gate that every read passes first (`B-FILTERFIRST`).

- Groups are resolved with their nesting; roles come from the ledger.
- A claim is seen when its latest version's class is seen. Absent and not visible have one answer.
- Who lost sight of a claim sees no change that speaks of it or was made from it, of its own neither.
- Nothing here scores or counts; what is not visible leaves no trace in what comes after.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from muniment.core.access import Audience, Principal, Scope, groups_of, may_see
from muniment.core.claim import Claim
from muniment.core.diff import Change, says_of
from muniment.core.errors import NotFound, NotPermitted, quoted
from muniment.core.record import claim_from
from muniment.core.row import FOREVER, ClassRow, Doc, Row
from muniment.ports.store import Snapshot

T = TypeVar("T")


def members(snapshot: Snapshot) -> Mapping[str, tuple[str, ...]]:
    """Group name to its direct members."""
    return worked_out(snapshot, ("members",), lambda: _members(snapshot))


def _members(snapshot: Snapshot) -> dict[str, tuple[str, ...]]:
    docs = snapshot.docs("group")
    contents = snapshot.contents([doc.seq for doc in docs])
    return {c["name"]: tuple(c["members"]) for c in contents.values()}


def roles_of(snapshot: Snapshot, name: str) -> frozenset[str]:
    """The roles declared for a principal."""
    return worked_out(snapshot, ("roles", name), lambda: _roles(snapshot, name))


def _roles(snapshot: Snapshot, name: str) -> frozenset[str]:
    doc = snapshot.doc("role", snapshot.key("role", name))
    if doc is None:
        return frozenset()
    content = snapshot.contents([doc.seq]).get(doc.seq)
    return frozenset(content["roles"]) if content else frozenset()


def worked_out(snapshot: Snapshot, place: tuple[Any, ...], make: Callable[[], T]) -> T:
    """What was worked out of this state, once."""
    memo = snapshot.memo
    found: T | None = memo.get(place)
    if found is None:
        found = memo[place] = make()
    return found


def last_erasure(snapshot: Snapshot) -> int:
    """The event of the last erasure, 0 for none: what was read of contents before it is let go of."""

    def found() -> int:
        return max((doc.seq for doc in snapshot.docs("erased")), default=0)

    return worked_out(snapshot, ("last erasure",), found)


def _visible(snapshot: Snapshot, everything: frozenset[str]) -> dict[str, ClassRow]:
    """The classes that some names may see."""

    def found() -> dict[str, ClassRow]:
        return {row.id: row for row in snapshot.classes() if may_see(row.audience, everything)}

    return worked_out(snapshot, ("classes", everything), found)


class Viewing:
    """A snapshot as one principal may see it."""

    def __init__(
        self,
        snapshot: Snapshot,
        principal: str,
        within: Viewing | None = None,
        scopes: Collection[Scope] | None = None,
    ) -> None:
        """Resolve the principal's groups and the classes that it may see.

        Args:
            snapshot: The state.
            principal: Who looks.
            within: Somebody else's view: only what both see is seen.
            scopes: Outside of them nothing is seen; None for no such bound.
        """
        self.snapshot = snapshot
        groups = groups_of(principal, members(snapshot))
        self.principal = Principal(principal, groups, roles_of(snapshot, principal))
        everything = self.principal.everything
        self.classes = _visible(snapshot, everything)
        self._within = within.state if within else ()
        if within is not None:
            both = self.classes.keys() & within.classes.keys()
            self.classes = {name: row for name, row in self.classes.items() if name in both}
        self._scopes = None if scopes is None else frozenset(scopes)
        if self._scopes is not None:
            self._within = (*self._within, "scopes", *sorted(map(str, self._scopes)))
            inside = self.classes_of(self._scopes)
            self.classes = {name: self.classes[name] for name in inside}
        self.upto = FOREVER
        self._rows: dict[str, Row | None] = {}
        self._conflicts: tuple[Mapping[str, Any], ...] | None = None
        self._erased: dict[str, tuple[str, ...]] | None = None
        self._withdrawn: frozenset[str] | None = None
        self._looked_up: dict[str, tuple[Row, ...]] = {}
        self._stones: dict[str, tuple[Doc, ...]] = {}

    @property
    def state(self) -> tuple[Any, ...]:
        """What names this principal's view of this state, for what is kept of it."""
        return (self.principal.name, tuple(sorted(self.principal.everything)), *self._within)

    @property
    def _sight(self) -> tuple[Any, ...]:
        """What names the classes that are seen, whoever sees them."""
        return (self.principal.everything, *self._within)

    def reaches(self, scope: Scope) -> bool:
        """Whether a scope is not outside what the view is bound to."""
        return self._scopes is None or scope in self._scopes

    def classes_of(self, scopes: Iterable[Scope]) -> tuple[str, ...]:
        """Visible classes in these scopes, sorted."""
        wanted = frozenset((scope.kind, scope.id) for scope in scopes)

        def found() -> tuple[str, ...]:
            rows = self.classes.values()
            return tuple(sorted(r.id for r in rows if (r.scope_kind, r.scope_id) in wanted))

        return worked_out(self.snapshot, ("in scope", self._sight, wanted), found)

    def scope_of(self, cls: str) -> Scope:
        """The scope of a visible class."""
        row = self.classes[cls]
        return Scope(row.scope_kind, row.scope_id)

    def audience_of(self, cls: str) -> Audience:
        """The audience of a visible class."""
        return self.classes[cls].audience

    def seen(self, rows: Iterable[Row]) -> tuple[Row, ...]:
        """Rows with what other visible claims make of them: successors, open conflicts, retracted sources.

        Nothing that is recorded about a hidden claim is written into a visible one's row; relations are put
        together here, from what the asker may see alone.

        Args:
            rows: Visible rows, with all visible rows of their scopes among them.
        """
        given = tuple(rows)
        return self._seen(given, self._successors(given))

    def seen_among(self, rows: Iterable[Row], superseded: Mapping[str, str]) -> tuple[Row, ...]:
        """The same for a few rows and the sources of what is derived among them.

        Args:
            rows: Visible rows.
            superseded: Claims that a visible claim in scope replaced, and which did.
        """
        given = tuple(rows)
        replaced = [row.claim_id for row in given if row.claim_id in superseded]
        if self.upto != FOREVER:  # what replaced it then may not say so any more
            return self._seen(given, {one: superseded[one] for one in replaced})
        return self._seen(given, {one: self.successor_of(one) for one in replaced})

    def _seen(self, given: tuple[Row, ...], successors: Mapping[str, str]) -> tuple[Row, ...]:
        disputes = self.open_conflicts()
        plain = self._related(given, successors, disputes)
        return tuple(self._with_sources(row, plain) for row in plain.values())

    def _successors(self, rows: tuple[Row, ...]) -> dict[str, str]:
        found = {old: row.claim_id for row in rows for old in row.supersedes}
        return found | {old: erased for erased, olds in self.erased().items() for old in olds}

    @staticmethod
    def _related(
        rows: tuple[Row, ...],
        successors: Mapping[str, str],
        disputes: Mapping[str, tuple[str, ...]],
    ) -> dict[str, Row]:
        related: dict[str, Row] = {}
        for row in rows:
            successor, others = successors.get(row.claim_id, ""), disputes.get(row.claim_id, ())
            merged = tuple(dict.fromkeys(row.conflicts + others))
            changed = successor != row.superseded_by or merged != row.conflicts
            related[row.claim_id] = (
                replace(row, superseded_by=successor, conflicts=merged) if changed else row
            )
        return related

    def _with_sources(self, row: Row, related: Mapping[str, Row]) -> Row:
        """Stale where a source that the asker may see, near or far, was retracted (`E-RETRACT`)."""
        path = frozenset({row.claim_id})
        for source_id in row.derived_from:
            if self._is_retracted(source_id, related, path):
                return replace(row, derived_stale=source_id)
        return row

    def _is_retracted(
        self, claim_id: str, related: Mapping[str, Row], path: frozenset[str]
    ) -> bool:
        """Whether a claim was superseded, deprecated, disputed or erased, or rests on one that was."""
        source = related.get(claim_id) or self.row(claim_id)
        if source is None or claim_id in path:
            return source is None and claim_id in self.erased()
        others = (*source.conflicts, *self.open_conflicts().get(claim_id, ()))
        replaced = source.superseded_by if claim_id in related else self.successor_of(claim_id)
        if replaced or source.retired or source.review != "accepted":
            return True
        return any(self.sees(other) for other in others) or any(
            self._is_retracted(one, related, path | {claim_id}) for one in source.derived_from
        )

    def successor_of(self, claim_id: str) -> str:
        """The visible claim that replaced a claim, erased ones too; empty where there is none."""
        rows = (row for row in self.snapshot.pointing_at(claim_id) if row.cls in self.classes)
        found = [row.claim_id for row in rows if claim_id in row.supersedes]
        found += [one for one, replaced in self.erased().items() if claim_id in replaced]
        return found[0] if found else ""

    def open_conflicts(self) -> dict[str, tuple[str, ...]]:
        """Claim to the claims that contradict it, where both sides are visible and nobody settled it."""
        found: dict[str, tuple[str, ...]] = {}
        for conflict in self.conflicts():
            if not conflict.get("resolved"):
                for one in conflict["between"]:
                    others = tuple(other for other in conflict["between"] if other != one)
                    found[one] = tuple(dict.fromkeys(found.get(one, ()) + others))
        return found

    def conflicts(self) -> tuple[Mapping[str, Any], ...]:
        """Recorded conflicts of which every side is visible, in ledger order."""
        if self._conflicts is None:
            place = ("conflicts", self._sight, self.upto)
            self._conflicts = worked_out(self.snapshot, place, self._recorded_conflicts)
        return self._conflicts

    def _recorded_conflicts(self) -> tuple[Mapping[str, Any], ...]:
        docs = [doc for doc in self.snapshot.docs("conflict") if self._began(doc) <= self.upto]
        contents = self.snapshot.contents([doc.seq for doc in docs])
        known = (self._as_it_stood(doc, contents[doc.seq]) for doc in docs if doc.seq in contents)
        return tuple(c for c in known if all(self.sees(one) for one in c["between"]))

    def _began(self, doc: Doc) -> int:
        """The revision of a doc's first event."""
        if doc.seq == doc.first_seq or self.upto == FOREVER:
            return 0 if self.upto == FOREVER else doc.revision
        return next(self.snapshot.envelopes(doc.first_seq - 1)).revision

    def _as_it_stood(self, doc: Doc, content: Mapping[str, Any]) -> Mapping[str, Any]:
        """A conflict that was settled only later was open then."""
        return {**content, "resolved": ""} if doc.revision > self.upto else content

    def erased(self) -> dict[str, tuple[str, ...]]:
        """Erased claims whose class is visible, with what they had superseded."""
        if self._erased is None:
            place = ("erased", self._sight)
            self._erased = worked_out(self.snapshot, place, self._erased_claims)
        return self._erased

    def _erased_claims(self) -> dict[str, tuple[str, ...]]:
        docs = [doc for doc in self.snapshot.docs("erased") if doc.cls in self.classes]
        contents = self.snapshot.contents([doc.seq for doc in docs])
        return {doc.id: tuple(contents[doc.seq]["supersedes"]) for doc in docs}

    def withdrawn(self) -> frozenset[str]:
        """Claims that the asker might see until they were narrowed: nothing that speaks of them is shown any more.

        A claim that the asker never saw is none of them, whatever becomes of it.
        """
        if self._withdrawn is None:
            place = ("withdrawn", self._sight)
            self._withdrawn = worked_out(self.snapshot, place, self._withdrawn_claims)
        return self._withdrawn

    def _withdrawn_claims(self) -> frozenset[str]:
        docs = self.snapshot.docs("narrowed")
        mine = {doc.parent for doc in docs if doc.cls in self.classes}
        return frozenset(one for one in mine if not self.sees(one))

    def loses(self, change: Change) -> bool:
        """Whether a change speaks of a claim of which the asker lost sight, or was made from it (`B-TRAVEL`)."""
        return not self.withdrawn().isdisjoint(says_of(change))

    def shown_revisions(self) -> Sequence[int]:
        """The tenant's revisions in which visible claims changed, ascending, one for each version.

        How many of them lie within a state is the number under which that is told: it counts the versions of claims
        that the asker may see, so hidden writes do not move it.
        """
        place = ("shown revisions", self._sight)
        return worked_out(self.snapshot, place, lambda: self.snapshot.claim_revisions(self.classes))

    def row(self, claim_id: str) -> Row | None:
        """A claim's latest version, if it is visible."""
        if not is_name(claim_id):
            return None
        if claim_id not in self._rows:
            found = self.snapshot.row(claim_id)
            self._rows[claim_id] = found if found and found.cls in self.classes else None
        return self._rows[claim_id]

    def sees(self, claim_id: str) -> bool:
        """Whether a claim is there, or was until it was erased, and visible."""
        return self.row(claim_id) is not None or claim_id in self.erased()

    def claim(self, claim_id: str) -> Claim:
        """A claim's latest version.

        Raises:
            NotFound: It is absent or not visible.
        """
        row = self.row(claim_id)
        content = self.snapshot.contents([row.seq]).get(row.seq) if row else None
        if content is None:
            raise not_found("claim", claim_id)
        return claim_from(content)

    def claims(self, rows: Collection[Row]) -> dict[int, Claim]:
        """Claims by event, for visible rows whose content is still there."""
        contents = self.snapshot.contents([row.seq for row in rows if row.cls in self.classes])
        return {seq: claim_from(content) for seq, content in contents.items()}

    def look_ahead(self, keys: Collection[str], values: Collection[str] = ()) -> None:
        """Look up many keys at once, and the tombstones of many values; `lookup` and `stones` then know them.

        Only where nothing is written before they are asked for.
        """
        rows = self.snapshot.lookups(keys)
        docs = self.snapshot.docs_under("tombstone", values) if values else {}
        self._looked_up.update({key: rows.get(key, ()) for key in keys})
        self._stones.update({value: docs.get(value, ()) for value in values})

    def lookup(self, key: str) -> tuple[Row, ...]:
        """Visible latest versions under a lookup key."""
        known = self._looked_up.get(key)
        rows = self.snapshot.lookup(key) if known is None else known
        return tuple(row for row in rows if row.cls in self.classes)

    def stones(self, value: str) -> tuple[Doc, ...]:
        """Visible tombstones of a value."""
        known = self._stones.get(value)
        docs = self.snapshot.docs("tombstone", value) if known is None else known
        return tuple(doc for doc in docs if doc.cls in self.classes)

    def require_role(self, role: str, act: str) -> None:
        """Refuse what the principal's roles do not cover.

        Raises:
            NotPermitted: The role is missing.
        """
        if role not in self.principal.roles:
            name = quoted(self.principal.name)
            message = f"{name} may not {act}: the role {quoted(role)} is missing"
            raise NotPermitted(message, fix=_how_to_get(self.principal.name, role))


def _how_to_get(name: str, role: str) -> str:
    """What to do about a missing role: a person may be given it, an agent or process asks a person."""
    if name.startswith("user:"):
        return f"an operator can run `muniment role {name} {role}`, with all roles of {name}"
    return f"let a person with the role {quoted(role)} do it"


def is_name(given: object) -> bool:
    """Whether something can be the name of anything: text, and text that can be written."""
    return isinstance(given, str) and not any("\ud800" <= c <= "\udfff" for c in given)


def token_of(snapshot: Snapshot, revision: int) -> str:
    """A consistency token: names a committed state to the store, and tells nothing else (`E-BLINDWRITE`).

    The tenant's own revision counts what others wrote too, so it is never told.
    """
    return f"at_{snapshot.key('revision', str(revision))}"


def not_found(kind: str, id: str) -> NotFound:
    """The one answer for absent and for not visible."""
    return NotFound(
        f"no {kind} {quoted(id)} is known here",
        fix="check the id; `muniment inbox` and `muniment recall` list what you may see",
    )
