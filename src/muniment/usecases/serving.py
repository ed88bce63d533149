"""The facts that may serve a question: looked up by key, and decided before anything is joined (`B-FILTERFIRST`).

- The store leaves out what is of other classes, not valid then, or replaced by what the asker sees.
- What is left is decided by `core.decide`, once for each standing; where times or other claims matter, row by row.
- A fact that may not serve is never counted, joined or shown, so it changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from muniment.core.decide import Ask, decide
from muniment.core.facts import DERIVED, DISPUTED, FactRow, Wanted, predicate_number, term_number
from muniment.core.patterns import Matching, Pattern
from muniment.core.row import FOREVER, Row
from muniment.core.status import window
from muniment.core.vocabulary import risk_of
from muniment.usecases.viewing import Viewing


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
        self._is_high = ask.use != "" and risk_of(ask.use) == "high"
        self._is_past = state.revision != FOREVER
        self._keys: dict[str, int] = {}
        self._verdicts: dict[object, bool] = {}
        self._examples: dict[int, Row] = {}
        self._looked_at: dict[int, bool] = {}
        self.disputed: set[int] = set()
        self._gone = frozenset() if ask.history else self._replaced_by_erased()
        self._blank = Wanted(
            0,
            state.classes,
            state.revision,
            None if ask.history else ask.at,
            seen=None if ask.history else tuple(viewing.classes),
        )

    def _replaced_by_erased(self) -> frozenset[int]:
        """The events of claims whose successor was erased: a deleted correction revives nothing (`D-CORRECT`)."""
        replaced = {old for olds in self.viewing.erased().values() for old in olds}
        history = self.viewing.snapshot.history
        return frozenset(row.seq for old in replaced for row in history(old))

    # --- what a join asks ---

    def key(self, text: str) -> int:
        """What stands for a term's text."""
        if text not in self._keys:
            self._keys[text] = term_number(text, self.viewing.snapshot.key)
        return self._keys[text]

    def matching(self, pattern: Pattern, limit: int) -> Sequence[Matching]:
        """Facts of a pattern that may serve, with the events that carry them."""
        wanted = self._wanted(pattern)
        asked = limit
        while True:
            refused = tuple(s for s in self._examples if not self._verdicts.get(s, True))
            rows = self.viewing.snapshot.facts(replace(wanted, without=refused, limit=asked))
            found = self._serving(rows)
            if len(found) >= limit or len(rows) < asked:
                return found[:limit]
            asked *= 2  # some were refused that the store could not know of

    def occurs(self, predicate: str) -> bool:
        """Whether a fact that may serve carries a predicate."""
        return bool(self.matching(Pattern(predicate), 1))

    def _wanted(self, pattern: Pattern) -> Wanted:
        name = predicate_number(pattern.predicate, self.viewing.snapshot.key)
        subjects, objects, pairs = pattern.subjects, pattern.objects, pattern.pairs
        return replace(
            self._blank,
            predicate=name,
            subjects=None if subjects is None else tuple(subjects),
            objects=None if objects is None else tuple(objects),
            pairs=None if pairs is None else tuple(pairs),
        )

    # --- which of them may serve ---

    def _serving(self, rows: Sequence[FactRow]) -> list[Matching]:
        self._learn(rows)
        self.disputed.update(row[2] for row in rows if row[4] & DISPUTED)
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

    def _learn(self, rows: Sequence[FactRow]) -> None:
        """Decide standings that were not met before, on one row of each."""
        new = {row[3]: row[2] for row in rows if row[3] not in self._examples}
        if not new:
            return
        examples = self.viewing.snapshot.rows_at(new.values())
        for standing, seq in new.items():
            self._examples[standing] = examples[seq]
            if not self._is_high:
                self._verdicts[standing] = self._decide(examples[seq], over=False, fresh=True)

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
