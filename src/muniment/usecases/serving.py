"""The facts that may serve a question: looked up by key, and decided before anything is joined (`B-FILTERFIRST`).

- The store leaves out what is of other classes, not valid then, or replaced by what the asker sees.
- What is left is decided by `core.decide`, once for each standing; where times or other claims matter, row by row.
- A fact that may not serve is never counted, joined or shown, so it changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from muniment.core.decide import Ask, decide
from muniment.core.facts import DERIVED, DISPUTED, FactRow, Wanted, predicate_number, term_number
from muniment.core.patterns import Matching, Pattern
from muniment.core.row import FOREVER, Row
from muniment.core.status import window
from muniment.core.vocabulary import risk_of
from muniment.usecases.viewing import Viewing

VERDICTS_KEPT = 100_000


@dataclass(frozen=True, slots=True)
class State:
    """Which facts are asked about.

    Attributes:
        classes: The visible classes in scope.
        ask: What a claim is wanted for, and when.
        revision: The state, `FOREVER` for the latest.
    """

    classes: tuple[str, ...]
    ask: Ask
    revision: int = FOREVER


class ServingFacts:
    """The facts of one snapshot that may serve one question of one principal.

    Attributes:
        disputed: Events of claims that say themselves that others contradict them, of those that were looked up.
    """

    def __init__(self, viewing: Viewing, state: State) -> None:
        self.viewing, self.state = viewing, state
        ask = state.ask
        self._question = (ask.use, ask.history, ask.reread_matched, ask.absolute, ask.own_proposals)
        self._is_high = ask.use != "" and risk_of(ask.use) == "high"
        self._is_past = state.revision != FOREVER
        self._keys: dict[str, int] = {}
        self._predicates: dict[str, int] = {}
        self._decided = self._known_verdicts()
        self._verdicts: dict[object, bool] = {}
        self._examples: dict[int, Row] = {}
        self._looked_at: dict[int, bool] = {}
        self.disputed: set[int] = set()
        self._gone = frozenset() if ask.history else self._replaced_by_erased()
        self._at = None if ask.history else ask.at
        self._seen = None if ask.history else tuple(viewing.classes)

    def _known_verdicts(self) -> dict[tuple[object, ...], bool]:
        """What was decided of a standing stays true: it holds all that decides but times."""
        found: dict[tuple[object, ...], bool]
        found = self.viewing.snapshot.kept.setdefault("standings", {})
        if len(found) > VERDICTS_KEPT:
            found.clear()
        return found

    def _replaced_by_erased(self) -> frozenset[int]:
        """The events of claims whose successor was erased: a deleted correction revives nothing (`D-CORRECT`)."""
        replaced = {old for olds in self.viewing.erased().values() for old in olds}
        history = self.viewing.snapshot.history
        return frozenset(row.seq for old in replaced for row in history(old))

    # --- what a join asks ---

    def key(self, text: str) -> int:
        """What stands for a term's text."""
        found = self._keys.get(text)
        if found is None:
            found = self._keys[text] = term_number(text, self.viewing.snapshot.key)
        return found

    def matching(self, pattern: Pattern, limit: int) -> Sequence[Matching]:
        """Facts of a pattern that may serve, with the events that carry them."""
        asked = limit
        while True:
            found, rows = self._found(self._wanted(pattern, asked))
            if len(found) >= limit or len(rows) < asked:
                return found[:limit]
            asked *= 2  # some were refused that the store could not know of

    def _found(self, wanted: Wanted) -> tuple[list[Matching], Sequence[FactRow]]:
        rows = self.viewing.snapshot.facts(wanted)
        return self._serving(rows), rows

    def count(self, pattern: Pattern, limit: int) -> int:
        """How many facts of a pattern may serve; `limit` where they are more."""
        if self._is_past or self._is_high or self._gone:
            return len(self.matching(pattern, limit))
        asked = limit
        while True:
            counts = self.viewing.snapshot.fact_counts(self._wanted(pattern, asked))
            self._learn({standing: event for standing, _, _, event in counts})
            may = sum([n for standing, n, _, _ in counts if self._verdicts[standing]])
            if may >= limit or sum([n for _, n, _, _ in counts]) < asked:
                return min(may, limit)
            asked *= 2

    def occurs(self, predicate: str) -> bool:
        """Whether a fact that may serve carries a predicate."""
        return bool(self.matching(Pattern(predicate), 1))

    def _wanted(self, pattern: Pattern, limit: int) -> Wanted:
        name = self._predicates.get(pattern.predicate)
        if name is None:
            name = predicate_number(pattern.predicate, self.viewing.snapshot.key)
            self._predicates[pattern.predicate] = name
        subjects, objects, pairs = pattern.subjects, pattern.objects, pattern.pairs
        return Wanted(
            name,
            self.state.classes,
            self.state.revision,
            self._at,
            None if subjects is None else tuple(subjects),
            None if objects is None else tuple(objects),
            None if pairs is None else tuple(pairs),
            self._seen,
            tuple([s for s, may in self._verdicts.items() if type(s) is int and not may]),
            limit,
        )

    # --- which of them may serve ---

    def _serving(self, rows: Sequence[FactRow]) -> list[Matching]:
        self._learn({row[3]: row[2] for row in rows})
        self.disputed.update([row[2] for row in rows if row[4] & DISPUTED])
        if self._is_past or self._is_high or self._gone:
            closer = [row for row in rows if self._needs_a_look(row)]
            self._look(closer)
            return [
                (row[0], row[1], row[2])
                for row in rows
                if self._looked_at.get(row[2], True) and self._may(row)
            ]
        verdicts = self._verdicts
        return [(s, o, seq) for s, o, seq, standing, *_ in rows if verdicts[standing]]

    def _learn(self, found: Mapping[int, int]) -> None:
        """Decide standings that were not met before in this question, each on the row of one event."""
        if self._is_high:
            new = {s: seq for s, seq in found.items() if s not in self._examples}
            rows = self.viewing.snapshot.rows_at(new.values())
            self._examples.update({standing: rows[seq] for standing, seq in new.items()})
            return
        new = {}
        for standing, seq in found.items():
            if standing not in self._verdicts:
                known = self._decided.get((*self._question, standing))
                if known is None:
                    new[standing] = seq
                else:
                    self._verdicts[standing] = known
        rows = self.viewing.snapshot.rows_at(new.values())
        for standing, seq in new.items():
            may = self._decide(rows[seq], over=False, fresh=True)
            self._verdicts[standing] = self._decided[*self._question, standing] = may

    def _decide(self, row: Row, over: bool, fresh: bool) -> bool:
        """Whether rows of a standing may serve whose time is over or not, and that were verified lately or not."""
        at = self.state.ask.at
        alike = replace(
            row,
            valid_from=-FOREVER,
            valid_until=FOREVER,
            expires_at=at if over else FOREVER,
            verified_at=at if fresh else -FOREVER,
        )
        return decide(alike, self.state.ask).permitted

    def _may(self, row: FactRow) -> bool:
        """Whether a fact may serve, by its standing and times."""
        *_, standing, _, end, verified = row
        if not self._is_high:
            return self._verdicts[standing]
        at, example = self.state.ask.at, self._examples[standing]
        over = end is not None and at >= end
        fresh = verified is not None and at - verified <= window(example.type, "high")
        place = (standing, over, fresh)
        if place not in self._verdicts:
            self._verdicts[place] = self._decide(example, over, fresh)
        return self._verdicts[place]

    def _needs_a_look(self, row: FactRow) -> bool:
        derived = self._is_high and row[4] & DERIVED
        return self._is_past or bool(derived) or row[2] in self._gone

    def _look(self, rows: Iterable[FactRow]) -> None:
        """Decide what other claims make of some rows."""
        new = [row[2] for row in rows if row[2] not in self._looked_at]
        if not new:
            return
        stored = self.viewing.snapshot.rows_at(new)
        for seq, row in stored.items():
            self._looked_at[seq] = seq not in self._gone and self._stands(row)

    def _stands(self, row: Row) -> bool:
        if self._is_past and not self.viewing.sees(row.claim_id):
            return False
        if not (self._is_high and row.derived_from):
            return True
        (seen,) = self.viewing.seen((row,))
        return decide(seen, self.state.ask).permitted
