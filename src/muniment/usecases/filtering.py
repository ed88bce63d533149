"""What a request lets through, asked before the best are taken.

- Most filters are answered alike by all rows of a group; one row of it is asked.
- Of a few rows other claims decide the status; these are read.
- A filter narrows what is scored and changes no statistics.
"""

from __future__ import annotations

from dataclasses import replace

from muniment.core.request import Request
from muniment.core.row import Row
from muniment.core.status import status_at
from muniment.usecases.eligible import Gathered
from muniment.usecases.judging import Ref, events_of
from muniment.usecases.searching import Filter


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


def filter_of(gathered: Gathered, request: Request) -> Filter | None:
    """What is let through before the best are taken; None where everything is."""
    by_group = (
        request.memory_types, request.types, request.origins, request.version, request.statuses
    )  # fmt: skip
    if not any(by_group) and not request.ids:
        return None
    plain, apart = replace(request, ids=()), dict[Ref, bool]()
    if request.statuses:
        refs = _related(gathered)
        seqs = dict(zip(events_of(gathered.judged, refs), refs, strict=True))
        apart = {seqs[row.seq]: passes(gathered, plain, row) for row in gathered.read(refs)}
    only = frozenset(gathered.find(request.ids).values()) if request.ids else None
    return Filter(lambda row: passes(gathered, plain, row), repr(by_group), apart, only)


def _related(gathered: Gathered) -> list[Ref]:
    """The rows of which other claims decide the status: replaced, in conflict, or made from others."""
    ids = {*gathered.context.superseded, *gathered.viewing.open_conflicts()}
    refs = dict.fromkeys(gathered.find(ids).values())
    for n, one in enumerate(gathered.judged):
        refs |= dict.fromkeys((n, position) for position in one.run.specials().tolist())
    return list(refs)
