"""Ask the rules of `core.decide` about the rows of the index, a group at a time.

- Rows that no rule can tell apart share a group (`index.selection.groups`); one row of it is read and asked about.
- What was decided of a group holds for every later request that asks the same, until an instant passes at which some
  row's time begins or ends.
- Successors, conflicts and sources are put together for the asker and decide row by row.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from muniment.core.access import Scope, may_see
from muniment.core.claim import Claim
from muniment.core.decide import Ask, decide, superseded_for
from muniment.core.fold import indexed_text, row_of
from muniment.core.row import Row
from muniment.core.status import DAY, DEFAULT_WINDOW_DAYS, RISK_WINDOW_DAYS, WINDOW_DAYS
from muniment.core.words import words
from muniment.index.blocks import Segment, written
from muniment.index.entry import entry_of
from muniment.index.selection import BITS, Groups, Part, Run, View, groups, superseded
from muniment.index.table import Array, merged, named, of_entries
from muniment.usecases.viewing import Viewing, worked_out

WINDOWS = tuple(
    DAY * days
    for days in sorted(
        {DEFAULT_WINDOW_DAYS, *(d for _, d in WINDOW_DAYS), *(d for _, d in RISK_WINDOW_DAYS if d)}
    )
)
"""Every length for which a verification can last, microseconds."""
MASKS_KEPT = 32
ANSWERS_KEPT = 100_000

Reasons = tuple[str, ...]
Ref = tuple[int, int]
"""A row: the number of its run, and its position there."""


@dataclass(frozen=True, slots=True)
class Own:
    """One of the asker's own open proposals, which no store has indexed."""

    claim: Claim
    row: Row


@dataclass(frozen=True, slots=True)
class Context:
    """Who asks what, and what that asker sees beside the index.

    Attributes:
        viewing: What the principal sees.
        ask: What rows are decided for.
        superseded: Claims that a claim in scope replaced, and which did.
        own: Event number (negative) to the asker's own proposals.
    """

    viewing: Viewing
    ask: Ask
    superseded: Mapping[str, str]
    own: Mapping[int, Own]


@dataclass(frozen=True, slots=True)
class Superseded:
    """What was replaced in some runs, as one asker sees it.

    Attributes:
        places: Positions in each run.
        claims: The claims, and what replaced each.
    """

    places: tuple[Array, ...]
    claims: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Judged:
    """The rows of one run, decided.

    Attributes:
        run: The rows.
        groups: Which of them no rule tells apart.
        eligible: Which may serve.
        verdicts: Group to the rules that refuse it.
        replaced: Positions that a successor refuses.
        single: Position to the rules that refuse it, of rows that were decided one by one.
        lifted: Events that serve only if their source, read again, still says so.
        count: How many may serve.
        words: How many words these have.
        looked_at: How many rows there are.
    """

    run: Run
    groups: Groups
    eligible: Array
    verdicts: Mapping[int, Reasons]
    replaced: Array
    single: Mapping[int, Reasons]
    lifted: frozenset[int]
    count: int
    words: int
    looked_at: int

    def reasons_of(self, position: int) -> Reasons:
        """The rules that refuse the row at a position."""
        if position in self.single:
            return self.single[position]
        reasons = self.verdicts[int(self.groups.of[position])]
        return (*reasons, "superseded") if position in self.replaced else reasons


def superseded_in(viewing: Viewing, runs: tuple[Run, ...], upto: int) -> Superseded:
    """What claims in scope, and erased ones, replaced."""

    def found() -> Superseded:
        more = {old: one for one, olds in viewing.erased().items() for old in olds}
        return Superseded(*superseded(runs, more))

    place = ("superseded", viewing.state, upto, tuple(run.key for run in runs))
    return worked_out(viewing.snapshot, place, found)


def judge(
    context: Context, runs: tuple[Run, ...], replaced: Superseded, again: Ask | None
) -> tuple[Judged, ...]:
    """Decide every row.

    Args:
        context: Who asks what.
        runs: The rows in scope.
        replaced: What was replaced among them.
        again: The same question where sources are read again; None where they are not.
    """
    singles = one_by_one(context, runs)
    return tuple(
        _judged(context, run, places, single, again)
        for run, places, single in zip(runs, replaced.places, singles, strict=True)
    )


def _judged(
    context: Context,
    run: Run,
    replaced: Array,
    single: Mapping[int, Row],
    again: Ask | None,
) -> Judged:
    base = _by_groups(context, run, replaced, again)
    if not single:
        return base
    eligible, lifted, ask = base.eligible.copy(), set(base.lifted), context.ask
    reasons_of: dict[int, Reasons] = {}
    for position, row in single.items():
        reasons = _reasons(row, ask, context.viewing)
        lifts = bool(reasons) and again is not None and not _reasons(row, again, context.viewing)
        eligible[position] = not reasons or lifts
        reasons_of[position] = reasons
        (lifted.add if lifts else lifted.discard)(row.seq)
    counted = replace(base, eligible=eligible, single=reasons_of, lifted=frozenset(lifted))
    return _counted(counted)


def _by_groups(context: Context, run: Run, replaced: Array, again: Ask | None) -> Judged:
    """The rows as their groups, ends and successors decide; remembered until an instant that changes a group."""
    ask = context.ask
    state = (run.ends, run.upto if run.segment.revision > run.upto else None)
    place = (run.key, _question(ask), again is not None, state, replaced.tobytes())
    kept = context.viewing.snapshot.kept.setdefault("judged", {})
    found: Judged | None = kept.pop(place, None)
    if found is not None and found.groups.since <= ask.at < found.groups.before:
        kept[place] = found
        return replace(found, run=run)
    made = _decided(context, run, replaced, again)
    if run.part.name != OWN:
        kept[place] = made
        while len(kept) > MASKS_KEPT:
            kept.pop(next(iter(list(kept)), None), None)  # another thread may have been first
    return made


def _decided(context: Context, run: Run, replaced: Array, again: Ask | None) -> Judged:
    ask = context.ask
    grouped = groups(run, ask.at, WINDOWS)
    verdicts = _verdicts(context, run, grouped, ask)
    eligible = _may(verdicts, grouped) & run.live
    if ask.history:
        replaced = np.empty(0, np.int64)
    lifted: Array = np.empty(0, np.int64)
    if again is not None:
        more = _may(_verdicts(context, run, grouped, again), grouped) & run.live & ~eligible
        more[replaced] = False  # no re-reading brings back what was superseded
        eligible |= more
        lifted = np.flatnonzero(more)
    eligible[replaced] = False
    seqs = frozenset(run.seqs(lifted).tolist()) if len(lifted) else frozenset()
    looked_at = run.size if run.is_whole else int(np.count_nonzero(run.live))
    return _counted(Judged(run, grouped, eligible, verdicts, replaced, {}, seqs, 0, 0, looked_at))


def _counted(judged: Judged) -> Judged:
    """With how many may serve, and how many words these have."""
    lengths = judged.run.take(judged.run.segment.column("length"))
    count = int(np.count_nonzero(judged.eligible))
    served = lengths if count == judged.run.size else lengths[judged.eligible]
    return replace(judged, count=count, words=int(served.sum(dtype=np.int64)))


def _may(verdicts: Mapping[int, Reasons], grouped: Groups) -> Array:
    """Which positions no rule refuses."""
    table = np.zeros(int(grouped.of.max(initial=0)) + 1, np.bool_)
    table[[group for group, reasons in verdicts.items() if not reasons]] = True
    allowed: Array = table[grouped.of]
    return allowed


def _question(ask: Ask) -> tuple[Any, ...]:
    """Everything of a question that decides beside its instant."""
    return (ask.use, ask.history, ask.reread_matched, ask.absolute, ask.own_proposals)


def _verdicts(context: Context, run: Run, grouped: Groups, ask: Ask) -> dict[int, Reasons]:
    """Group to the rules that refuse it; what was asked before is remembered."""
    found = asked_of_groups(
        context, run, grouped, _question(ask), lambda row: decide(row, ask).reasons
    )
    return {group: tuple(reasons) for group, reasons in found.items()}


def asked_of_groups(
    context: Context,
    run: Run,
    grouped: Groups,
    question: tuple[Any, ...],
    answer: Callable[[Row], Any],
) -> dict[int, Any]:
    """Ask something about one row of each group.

    Args:
        context: Who asks what.
        run: The rows.
        grouped: Their groups.
        question: What is asked; the same answer is given to the same question later.
        answer: Answers it for a row.
    """
    known = context.viewing.snapshot.kept.setdefault("verdicts", {})
    signatures = run.segment.array("signature")
    present = np.flatnonzero(np.bincount(grouped.of)).tolist()
    keys = {
        group: (question, int(signatures[group >> (BITS + 1)]), group & ((1 << BITS) - 1))
        for group in present
    }
    if len(known) > ANSWERS_KEPT:
        known.clear()
    answers = {group: known[keys[group]] for group in present if keys[group] in known}
    missing = [group for group in present if group not in answers]
    if missing:
        firsts = np.array([int(np.argmax(grouped.of == group)) for group in missing], np.int64)
        rows = {row.seq: row for row in rows_of(context, run, firsts)}
        for group, seq in zip(missing, run.seqs(firsts).tolist(), strict=True):
            answers[group] = known[keys[group]] = answer(rows[seq])
    return answers


def rows_of(context: Context, run: Run, positions: Array) -> list[Row]:
    """Rows as they were recorded."""
    seqs = run.seqs(positions).tolist()
    if run.part.name == OWN:
        return [context.own[seq].row for seq in seqs]
    stored = context.viewing.snapshot.rows_at(seqs)
    return [stored[seq] for seq in seqs]


def _reasons(row: Row, ask: Ask, viewing: Viewing) -> Reasons:
    """Every rule that refuses a row that was put together with its relations."""
    reasons = decide(row, ask).reasons
    if not ask.history and superseded_for(row, viewing.sees):
        return (*reasons, "superseded")
    return reasons


# --- rows whose relations decide ------------------------------------------------------------------


def one_by_one(context: Context, runs: tuple[Run, ...]) -> list[dict[int, Row]]:
    """Position to row, with its relations, of the rows of each run that are decided one by one."""
    viewing = context.viewing
    place = ("singles", viewing.state, viewing.upto, tuple(run.key for run in runs))
    found: list[dict[int, Row]] | None = viewing.snapshot.memo.get(place)
    if found is not None:
        return found
    places = [run.specials() for run in runs]
    rows = [rows_of(context, run, at) for run, at in zip(runs, places, strict=True)]
    sources = sources_of(context, runs, [row for some in rows for row in some])
    every = {row.seq: row for row in (*sources, *(row for some in rows for row in some))}
    seen = {row.seq: row for row in viewing.seen_among(every.values(), context.superseded)}
    found = [
        {position: seen[row.seq] for position, row in zip(at.tolist(), some, strict=True)}
        for at, some in zip(places, rows, strict=True)
    ]
    if not context.own:
        viewing.snapshot.memo[place] = found
    return found


def sources_of(context: Context, runs: Sequence[Run], rows: Sequence[Row]) -> list[Row]:
    """What some rows were made from, near or far, as far as it is in scope."""
    found: list[Row] = []
    asked = {row.claim_id for row in rows}
    wanted = {one for row in rows for one in row.derived_from} - asked
    while wanted:
        asked |= wanted
        ids = named(sorted(wanted))
        more = [row for run in runs for row in rows_of(context, run, run.of_ids(ids)[0])]
        found += more
        wanted = {one for row in more for one in row.derived_from} - asked
    return found


# --- finding --------------------------------------------------------------------------------------


def find(judged: Sequence[Judged], claim_ids: Collection[str]) -> dict[str, Ref]:
    """Where the rows in scope of some claims are."""
    if not claim_ids:
        return {}
    names = sorted(claim_ids)
    ids = named(names)
    found: dict[str, Ref] = {}
    for n, one in enumerate(judged):
        places, which = one.run.of_ids(ids)
        for position, name in zip(places.tolist(), which.tolist(), strict=True):
            found[names[name]] = (n, position)
    return found


def events_of(judged: Sequence[Judged], refs: Sequence[Ref]) -> list[int]:
    """The events of some rows, in order."""
    by_run: dict[int, list[int]] = {}
    for n, (run, _) in enumerate(refs):
        by_run.setdefault(run, []).append(n)
    seqs = [0] * len(refs)
    for run, numbers in by_run.items():
        positions = np.array([refs[n][1] for n in numbers], np.int64)
        for n, seq in zip(numbers, judged[run].run.seqs(positions).tolist(), strict=True):
            seqs[n] = seq
    return seqs


# --- the asker's own proposals --------------------------------------------------------------------

OWN = "own"
"""The part of the asker's own proposals."""


def own_view(
    viewing: Viewing, view: View, scopes: tuple[Scope, ...]
) -> tuple[View, dict[int, Own]]:
    """The index with the asker's own proposals in it, under class 0 and numbers that no event has."""
    own = _own(viewing, scopes)
    if not own:
        return view, own
    key = viewing.snapshot.term_key
    entries = [replace(entry_of(one.row, _terms(one), 0, key), seq=seq) for seq, one in own.items()]
    segment = Segment({}, written(merged([of_entries(entries)])).__getitem__)
    return view.with_part(Part(OWN, segment)), own


def _terms(own: Own) -> dict[str, int]:
    counts: dict[str, int] = {}
    for word in words(indexed_text(own.claim)):
        counts[word] = counts.get(word, 0) + 1
    return counts


def _own(viewing: Viewing, scopes: tuple[Scope, ...]) -> dict[int, Own]:
    """The asker's own claims that nobody decided on yet."""
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
    own = {}
    for n, claim in enumerate(seen, 1):
        length = len(words(indexed_text(claim)))
        own[-n] = Own(claim, row_of(claim, -n, 0, 0, "", length, viewing.snapshot.key))
    return own
