"""Narrow what is scored to what a request filters for; eligibility and statistics stay as they are.

- Rows that no rule can tell apart pass a filter together; those whose relations decide their status one by one.
- An address is known only when a claim is read, so that filter comes after reading.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from muniment.core.request import Request
from muniment.core.row import Row
from muniment.core.status import status_at
from muniment.index.table import Array, named
from muniment.usecases.eligible import Gathered
from muniment.usecases.judging import asked_of_groups


def passes(gathered: Gathered, request: Request, row: Row) -> bool:
    """Whether a row passes the filters that its columns can answer."""
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


class Filter:
    """A request's filters over what was gathered."""

    def __init__(self, gathered: Gathered, request: Request) -> None:
        """Take what was gathered and what is asked."""
        self._gathered = gathered
        self._request = request
        self._masks: dict[int, Array] = {}
        by_group = (
            request.memory_types, request.types, request.origins, request.version, request.statuses,
        )  # fmt: skip
        self._by_group = repr(by_group) if any(by_group) else ""
        self.narrows = bool(self._by_group or request.ids)

    def mask(self, run: int) -> Array:
        """Which positions of a run pass."""
        if run not in self._masks:
            self._masks[run] = self._made(run)
        return self._masks[run]

    def _made(self, number: int) -> Array:
        judged = self._gathered.judged[number]
        mask = np.ones(judged.run.size, np.bool_)
        if self._by_group:
            mask = self._groups(number)
        if self._request.ids:
            meant = np.zeros(judged.run.size, np.bool_)
            meant[judged.run.of_ids(named(sorted(set(self._request.ids))))[0]] = True
            mask &= meant
        return mask

    def _groups(self, number: int) -> Array:
        gathered, judged = self._gathered, self._gathered.judged[number]
        plain = replace(self._request, ids=())
        answers = asked_of_groups(
            gathered.context,
            judged.run,
            judged.groups,
            ("filter", self._by_group),
            lambda row: passes(gathered, plain, row),
        )
        table = np.zeros(int(judged.groups.of.max(initial=0)) + 1, np.bool_)
        table[[group for group, answer in answers.items() if answer]] = True
        mask: Array = table[judged.groups.of]
        if self._request.statuses:
            for position, row in self._related(number):
                mask[position] = passes(gathered, plain, row)
        return mask

    def _related(self, number: int) -> list[tuple[int, Row]]:
        """Positions and rows whose status their relations decide."""
        gathered, judged = self._gathered, self._gathered.judged[number]
        names = {*gathered.context.superseded, *gathered.viewing.open_conflicts()}
        places = set(judged.single)
        if names:
            places |= set(judged.run.of_ids(named(sorted(names)))[0].tolist())
        refs = [(number, place) for place in sorted(places)]
        return [(gathered.place(row)[1], row) for row in gathered.read(refs)]
