"""What a store has to say in a shared folder: the claims of one scope, and which of them replaced which.

- Only what the asker may see is looked at; only what all readers may see, and what may leave, goes into the folder.
- Claims that replaced one another are one line: the last one speaks, the others tell what was said before.
- A concept belongs to the line of the claim that it was written from, or that was proposed from it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from muniment.core.access import Audience, Scope, within
from muniment.core.claim import Claim
from muniment.core.ids import parse_id
from muniment.core.namespace import may_leave, root
from muniment.core.row import Row
from muniment.core.threeway import said
from muniment.ports.interchange import Outgoing, without_names
from muniment.usecases.viewing import Viewing

IN_USE = ("accepted", "needs_review")


@dataclass(frozen=True, slots=True)
class Line:
    """Claims that replaced one another.

    Attributes:
        head: The one in use, as it may go into the folder; None where none is.
        out: The head with what is said beside it.
        before: What the others said, oldest first; of a line of which none is in use, all.
        withheld: Why the claim in use does not go into the folder; empty where it does, and where none is in use.
        names: Identifiers of concepts that belong to it.
    """

    head: Claim | None
    out: Outgoing | None
    before: tuple[str, ...]
    withheld: str
    names: frozenset[str]


class Lines:
    """The lines of a scope."""

    def __init__(
        self, viewing: Viewing, scope: Scope, readers: Audience, agreed: Callable[[str], bool]
    ) -> None:
        """Read the claims of a scope."""
        rows = viewing.seen(viewing.snapshot.rows(viewing.classes_of((scope,))))
        contents = viewing.claims(rows)
        self._rows = {row.claim_id: row for row in rows if row.seq in contents}
        self._claims = {
            row.claim_id: without_names(contents[row.seq], viewing.sees)
            for row in self._rows.values()
        }
        self._readers, self._agreed = readers, agreed
        self.all = tuple(self._line(members) for members in self._members())
        self._by_name: dict[str, list[Line]] = {}
        for line in self.all:
            for name in line.names:
                self._by_name.setdefault(name, []).append(line)

    def of(self, name: str) -> tuple[Line, ...]:
        """The lines in use that a concept may belong to; where none is in use, one that tells what all of them said."""
        found = self._by_name.get(name, [])
        live = tuple(one for one in found if one.head)
        if live or len(found) < 2:
            return live or tuple(found)
        withheld = next((one.withheld for one in found if one.withheld), "")
        names = frozenset(each for one in found for each in one.names)
        return (Line(None, None, tuple(b for one in found for b in one.before), withheld, names),)

    @property
    def withheld(self) -> Counter[str]:
        """How many claims in use do not go into the folder, by reason."""
        return Counter(line.withheld for line in self.all if line.withheld)

    def _members(self) -> Iterator[list[Row]]:
        lines: dict[str, list[Row]] = {}
        for row in sorted(self._rows.values(), key=lambda row: row.seq):
            lines.setdefault(self._last(row.claim_id), []).append(row)
        yield from lines.values()

    def _last(self, claim_id: str) -> str:
        """The last claim that replaced a claim, directly or through others."""
        seen = {claim_id}
        while (successor := self._rows[claim_id].superseded_by) in self._rows:
            if successor in seen:
                break
            seen.add(successor)
            claim_id = successor
        return claim_id

    def _line(self, members: list[Row]) -> Line:
        last = next(row for row in members if self._last(row.claim_id) == row.claim_id)
        claims = [self._claims[row.claim_id] for row in members]
        names = frozenset(name for claim in claims for name in _names(claim))
        head = self._claims[last.claim_id]
        live = last.review in IN_USE and not last.retired and not last.superseded_by
        withheld = self._why_not(head) if live else ""
        others = [claim for claim in claims if claim.id != head.id]
        if not live or withheld:
            return Line(None, None, tuple(map(said, (*others, head))), withheld, names)
        inside = {claim.id for claim in others}
        alone = without_names(head, lambda name: name not in inside)
        shown = tuple(one for one in last.conflicts if one not in inside)
        return Line(head, Outgoing(alone, "", shown), tuple(map(said, others)), "", names)

    def _why_not(self, claim: Claim) -> str:
        """Why a claim does not go into the folder; empty where it does."""
        if not may_leave(claim.namespace):
            return "its namespace does not leave"
        if root(claim.namespace) == "_shared" and not self._agreed(claim.namespace):
            return "no agreement names its shared namespace"
        if not within(self._readers, claim.visibility.audience):
            return "not all readers may see it"
        return ""


def _names(claim: Claim) -> Iterator[str]:
    """The concepts that a claim may belong to: its own, and the one that it was proposed from."""
    own = parse_id(claim.id)
    if own is not None:
        yield own.uuid
    if claim.provenance.foreign_id:
        yield claim.provenance.foreign_id.lower()


def for_folder(line: Line, among: frozenset[str]) -> Outgoing:
    """What goes into the folder of a line in use, without names of claims that are not in it themselves."""
    assert line.out is not None
    kept = tuple(one for one in line.out.conflicts if one in among)
    return replace(
        line.out, claim=without_names(line.out.claim, among.__contains__), conflicts=kept
    )
