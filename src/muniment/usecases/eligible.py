"""What may serve a request: decided before anything is scored, counted or compared (`B-FILTERFIRST`).

- Tenant, scope and visibility come first: rows of other classes are never looked at.
- Then review, status, both times and use, by `core.decide`: asked once for all rows that no rule can tell apart.
- Rows whose relations to other claims decide are asked one by one.
- A revision in the past shows what was recorded then, to whom may see it now.
- Filters narrow what is scored; they change neither what is eligible nor its statistics.

Scores are given in `scoring`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

import numpy as np

from muniment.core.access import Scope
from muniment.core.codec import micros
from muniment.core.decide import Ask
from muniment.core.request import Request
from muniment.core.row import FOREVER, Row
from muniment.index.selection import Run
from muniment.usecases.judging import (
    Context,
    Judged,
    Own,
    Ref,
    events_of,
    find,
    judge,
    own_view,
    sources_of,
    superseded_in,
)
from muniment.usecases.revisions import revisions
from muniment.usecases.viewing import Viewing


@dataclass(frozen=True, slots=True)
class Gathered:
    """The rows that a request may look at, decided.

    Attributes:
        context: Who asks what.
        classes: The classes in scope.
        revision: The state to name: how many versions of claims the asker may see in it.
        judged: The rows, part by part.
        known: Rows that were put together with their relations already, by event.
        places: Where these are.
    """

    context: Context
    classes: tuple[str, ...]
    revision: int
    judged: tuple[Judged, ...] = ()
    known: dict[int, Row] = field(default_factory=dict)
    places: dict[int, Ref] = field(default_factory=dict)

    @property
    def viewing(self) -> Viewing:
        """What the principal sees."""
        return self.context.viewing

    @property
    def ask(self) -> Ask:
        """What the rows were decided for."""
        return self.context.ask

    @property
    def own(self) -> Mapping[int, Own]:
        """Event number (negative) to the asker's own proposals."""
        return self.context.own

    @property
    def eligible(self) -> int:
        """How many rows may serve."""
        return sum(one.count for one in self.judged)

    @property
    def words(self) -> int:
        """How many words these have together."""
        return sum(one.words for one in self.judged)

    @property
    def rows(self) -> int:
        """How many rows were looked at."""
        return sum(one.looked_at for one in self.judged)

    def scope_of(self, row: Row) -> Scope:
        """The scope of a row."""
        return (
            self.own[row.seq].claim.scope if row.seq in self.own else self.viewing.scope_of(row.cls)
        )

    def is_lifted(self, seq: int) -> bool:
        """Whether a row serves only if its source, read again, still says so."""
        return any(seq in one.lifted for one in self.judged)

    def read(self, refs: Collection[Ref]) -> list[Row]:
        """Rows with what other visible claims make of them, in the order asked for."""
        wanted = list(refs)
        seqs = events_of(self.judged, wanted)
        self.places.update(zip(seqs, wanted, strict=True))
        missing = [seq for seq in seqs if seq not in self.known]
        stored = self.viewing.snapshot.rows_at([seq for seq in missing if seq not in self.own])
        found = [stored[seq] for seq in missing if seq in stored]
        found += [self.own[seq].row for seq in missing if seq in self.own]
        sources = sources_of(self.context, [one.run for one in self.judged], found)
        seen = self.viewing.seen_among([*found, *sources], self.context.superseded)
        self.known.update((row.seq, row) for row in seen)
        return [self.known[seq] for seq in seqs if seq in self.known]

    def place(self, row: Row) -> Ref:
        """Where a row that was read is."""
        return self.places[row.seq]

    def find(self, claim_ids: Collection[str]) -> dict[str, Ref]:
        """Where the rows in scope of some claims are."""
        return find(self.judged, claim_ids)

    def serves(self, ref: Ref) -> bool:
        """Whether a row may serve."""
        run, position = ref
        return bool(self.judged[run].eligible[position])

    def reasons(self, ref: Ref) -> tuple[str, ...]:
        """The rules that refuse a row."""
        run, position = ref
        return self.judged[run].reasons_of(position)


def gather(
    viewing: Viewing,
    request: Request,
    scopes: tuple[Scope, ...],
    at: datetime,
    absolute: tuple[str, ...] = (),
) -> Gathered:
    """Decide every row in scope.

    Args:
        viewing: What the principal sees.
        request: What is asked.
        scopes: The scopes in force for it.
        at: The instant in valid time.
        absolute: Uses whose prohibition no re-reading lifts.
    """
    ask = Ask(
        request.use,
        micros(at),
        bool(request.history),
        False,
        absolute,
        own_proposals=bool(request.own_proposals),
    )
    classes = viewing.classes_of(scopes)
    upto = revisions(viewing, request.as_of)
    if request.as_of is not None:
        viewing.upto = upto.stored
    view, own = viewing.snapshot.index("claim"), dict[int, Own]()
    numbers = {viewing.classes[cls].number for cls in classes}
    if request.own_proposals:
        view, own = own_view(viewing, view, scopes)
        numbers |= {0}
    runs = view.runs(numbers, FOREVER if request.as_of is None else upto.stored)
    if request.as_of is not None:
        runs = tuple(_seen_now(viewing, run) for run in runs)
    replaced = superseded_in(viewing, runs, upto.stored)
    context = Context(viewing, ask, replaced.claims, own)
    again = replace(ask, reread_matched=True) if request.reread else None
    return Gathered(context, classes, upto.shown, judge(context, runs, replaced, again))


def _seen_now(viewing: Viewing, run: Run) -> Run:
    """A past state without claims of which a later version is hidden from the asker."""
    positions = run.outlived()
    names = [name.decode("utf-8", "surrogatepass") for name in run.ids(positions).tolist()]
    seen = np.array([viewing.sees(name) for name in names], np.bool_)
    return run if seen.all() else run.without(positions[~seen])
