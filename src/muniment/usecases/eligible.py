"""What may serve a request: decided on rows alone, before anything is scored, counted or compared (`B-FILTERFIRST`).

- Tenant, scope and visibility come first: rows of other classes are never read.
- Then review, status, both times and use, by `core.decide`; every row that is refused keeps the rules that refused it.
- A revision in the past shows what was recorded then, to whom may see it now.
- Filters narrow what is scored; they change neither what is eligible nor its statistics.

Scores are given in `scoring`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from muniment.core.access import Scope, may_see
from muniment.core.claim import Claim
from muniment.core.codec import micros, read_time
from muniment.core.decide import Ask, decide, superseded_for
from muniment.core.request import Request
from muniment.core.row import Row
from muniment.core.status import status_at
from muniment.usecases.viewing import Viewing


@dataclass(frozen=True, slots=True)
class Own:
    """One of the asker's own open proposals, which no store has indexed."""

    claim: Claim
    terms: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Gathered:
    """The rows that a request may look at, decided.

    Attributes:
        viewing: What the principal sees.
        ask: What the rows were decided for.
        classes: The classes in scope.
        revision: The state to name: how many versions of claims the asker may see in it.
        eligible: Event number to row, of what may serve.
        lifted: Event numbers among them that serve only if their source, read again, still says so.
        refused: Event number to row and rules, of what may be seen and may not serve.
        own: Event number (negative) to the asker's own proposals.
        rows: How many rows were looked at.
    """

    viewing: Viewing
    ask: Ask
    classes: tuple[str, ...]
    revision: int
    eligible: Mapping[int, Row]
    lifted: frozenset[int] = frozenset()
    refused: Mapping[int, tuple[Row, tuple[str, ...]]] = field(default_factory=dict)
    own: Mapping[int, Own] = field(default_factory=dict)
    rows: int = 0

    def scope_of(self, row: Row) -> Scope:
        """The scope of a row."""
        return (
            self.own[row.seq].claim.scope if row.seq in self.own else self.viewing.scope_of(row.cls)
        )


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
        request.history,
        False,
        absolute,
        own_proposals=request.own_proposals,
    )
    classes = viewing.classes_of(scopes)
    upto = _revisions(viewing, request)
    if request.as_of is not None:
        viewing.upto = upto.stored
    own = _own(viewing, scopes) if request.own_proposals else {}
    rows = [*_rows(viewing, classes, request, upto.stored), *_own_rows(viewing, own)]
    eligible: dict[int, Row] = {}
    refused: dict[int, tuple[Row, tuple[str, ...]]] = {}
    lifted = set()
    again = replace(ask, reread_matched=True) if request.reread else None
    known: dict[tuple[object, ...], tuple[str, ...]] = {}
    for row in rows:
        reasons = _reasons(row, ask, viewing, known)
        if not reasons:
            eligible[row.seq] = row
        elif again and not _reasons(row, again, viewing, {}):
            eligible[row.seq] = row
            lifted.add(row.seq)
        else:
            refused[row.seq] = (row, reasons)
    return Gathered(
        viewing, ask, classes, upto.shown, eligible, frozenset(lifted), refused, own, len(rows)
    )


def _reasons(
    row: Row, ask: Ask, viewing: Viewing, known: dict[tuple[object, ...], tuple[str, ...]]
) -> tuple[str, ...]:
    """Every rule that refuses a row; rows that the rules cannot tell apart are decided once."""
    alike = (
        row.review, row.retired, row.type, row.reading, row.derived_stale, row.allowed, row.prohibited,
        row.valid_from, row.valid_until, row.expires_at, row.verified_at,
    )  # fmt: skip
    reasons = known.get(alike)
    if reasons is None:
        reasons = known[alike] = decide(row, ask).reasons
    if not ask.history and superseded_for(row, viewing.sees):
        reasons = (*reasons, "superseded")
    return reasons


# --- revisions ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Revisions:
    """One state of the ledger, named twice.

    Attributes:
        stored: The tenant's own number, which counts what others did too; it never leaves this module.
        shown: How many versions of claims the asker may see in it; hidden writes do not move it.
    """

    stored: int
    shown: int


def _revisions(viewing: Viewing, request: Request) -> Revisions:
    """The state that is read."""
    visible = viewing.classes.values()
    if request.as_of is None:
        latest = max((row.revision for row in visible), default=0)
        return Revisions(latest, sum(row.count for row in visible))
    return _past(viewing, request.as_of)


def _past(viewing: Viewing, as_of: int | datetime) -> Revisions:
    """The last state with so many visible versions of claims, or the state at an instant.

    A transaction is whole: a number that falls inside one names the state after it.
    """
    shown = counted = 0
    for envelope in viewing.snapshot.envelopes():
        visible = envelope.kind == "claim" and envelope.cls in viewing.classes
        if isinstance(as_of, datetime):
            recorded = read_time(envelope.at, "/at", [])
            over = recorded is None or recorded > as_of
        else:
            over = visible and shown >= as_of and envelope.revision != counted
        if over:
            return Revisions(envelope.revision - 1, shown)
        if visible:
            counted, shown = envelope.revision, shown + 1
    return Revisions(viewing.snapshot.revision, shown)


def _rows(
    viewing: Viewing, classes: tuple[str, ...], request: Request, upto: int
) -> tuple[Row, ...]:
    if request.as_of is None:
        return viewing.seen(viewing.snapshot.rows(classes))
    rows = viewing.snapshot.rows(classes, upto)
    return viewing.seen(row for row in rows if viewing.sees(row.claim_id))


# --- the asker's own proposals --------------------------------------------------------------------


def _own(viewing: Viewing, scopes: tuple[Scope, ...]) -> dict[int, Own]:
    """The asker's own claims that nobody decided on yet, under numbers that no event has."""
    from muniment.core.fold import indexed_text
    from muniment.core.words import words
    from muniment.usecases.pending import open_changes, waiting

    name, everything = viewing.principal.name, viewing.principal.everything
    claims = [
        change.item
        for pending in waiting(viewing)
        if pending.diff.proposed_by == name
        for change in open_changes(pending)
        if change.item is not None and change.item.scope in scopes
    ]
    seen = [claim for claim in claims if may_see(claim.visibility.audience, everything)]
    return {-n: Own(c, Counter(words(indexed_text(c)))) for n, c in enumerate(seen, 1)}


def _own_rows(viewing: Viewing, own: Mapping[int, Own]) -> list[Row]:
    from muniment.core.fold import row_of

    return [
        row_of(o.claim, seq, 0, 0, "", sum(o.terms.values()), viewing.snapshot.key)
        for seq, o in own.items()
    ]


# --- filters --------------------------------------------------------------------------------------


def passes(gathered: Gathered, request: Request, row: Row) -> bool:
    """Whether a row passes the filters that its columns can answer; an address needs the content."""
    wanted = (
        (request.ids, row.claim_id),
        (request.memory_types, row.memory_type),
        (request.types, row.type),
        (request.origins, row.origin),
        ((request.version,) if request.version else (), row.version),
    )
    if any(allowed and value not in allowed for allowed, value in wanted):
        return False
    sees = gathered.viewing.sees
    return not request.statuses or status_at(row, gathered.ask.at, sees) in request.statuses
