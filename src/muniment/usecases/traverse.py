"""Walk among the claims of a request, from what its query names (`A-METHOD`: graph traversal).

- Only eligible claims are read; what is refused or may not be seen is no step of any walk (`B-FILTERFIRST`).
- A walk begins at the claims that the query names by identifier or alias, or of which it holds a name whole.
- Alone it looks names up in the index; beside other methods it stays among the claims that were read for them.

The walk itself is `core.graph`'s.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from muniment.core.graph import Bounds, Holding, Look, Reached, Vertex, closeness, traverse
from muniment.core.ranking import ONE, RANKING_POLICY
from muniment.core.row import Row
from muniment.core.signals import names_of, whole_names
from muniment.core.text import match_key
from muniment.usecases.eligible import Gathered
from muniment.usecases.judging import Ref
from muniment.usecases.viewing import is_name

BOUNDS = Bounds(
    RANKING_POLICY.graph_steps, RANKING_POLICY.graph_examined, RANKING_POLICY.graph_reached
)
Names = Callable[[Mapping[str, Any]], tuple[str, ...]]
Back = Callable[[str], list[str]]
Contents = Callable[[list[Row]], Mapping[int, Mapping[str, Any]]]


@dataclass(frozen=True, slots=True)
class Walked:
    """What a walk came to.

    Attributes:
        closeness: Claim to its fixed-point closeness to what the query names.
        examined: How many claims were read for it.
        met: The bounds that cut it.
    """

    closeness: Mapping[str, int] = field(default_factory=dict)
    examined: int = 0
    met: tuple[str, ...] = ()

    def counts(self) -> tuple[tuple[str, int], ...]:
        """What the trace says of it; nothing where no walk was made.

        >>> Walked({"mem_a": ONE}, 9, ("reached",)).counts()
        (('graph_examined', 9), ('graph_reached', 1), ('graph_bound_reached', 1))
        """
        if not self.examined:
            return ()
        counts = (("graph_examined", self.examined), ("graph_reached", len(self.closeness)))
        return (*counts, *((f"graph_bound_{name}", 1) for name in self.met))


class Rows(Protocol):
    """Eligible rows by claim."""

    def get(self, claim_id: str, /) -> Row | None:
        """A claim's row; None where it may not serve."""

    def __contains__(self, claim_id: object, /) -> bool: ...


class EligibleRows:
    """All rows that may serve, looked up in the index where a walk comes to them."""

    def __init__(self, gathered: Gathered, read: Callable[[list[Ref]], list[Row]]) -> None:
        """Take what was gathered, and how its rows are read."""
        self._gathered = gathered
        self._read = read
        self._known: dict[str, Row | None] = {}

    def get(self, claim_id: str) -> Row | None:
        """A claim's row; None where it may not serve."""
        if claim_id not in self._known:
            ref = self._gathered.find([claim_id]).get(claim_id)
            serves = ref is not None and self._gathered.serves(ref)
            rows = self._read([ref]) if ref is not None and serves else []
            self._known[claim_id] = rows[0] if rows else None
        return self._known[claim_id]

    def __contains__(self, claim_id: object) -> bool:
        return isinstance(claim_id, str) and is_name(claim_id) and self.get(claim_id) is not None


def back_among(rows: Iterable[Row]) -> Back:
    """What points back at each of a few rows."""
    back: dict[str, list[str]] = {}
    for row in rows:
        for other in (*row.supersedes, *row.derived_from):
            back.setdefault(other, []).append(row.claim_id)
    return lambda claim_id: back.get(claim_id, [])


class Graph:
    """The eligible claims as a graph, read where a walk comes to them."""

    def __init__(self, rows: Rows, back: Back, contents: Contents) -> None:
        """Take the eligible rows, what points back at each, and how to read them."""
        self.rows = rows
        self._back = back
        self._contents = contents

    def content(self, claim_id: str) -> Mapping[str, Any] | None:
        """A claim's content; None where it is not eligible or was erased."""
        row = self.rows.get(claim_id)
        return self._contents([row]).get(row.seq) if row else None

    def look(self, claim_id: str) -> Vertex | None:
        """A claim with its names and links."""
        content = self.content(claim_id)
        if content is None:
            return None
        row = self.rows.get(claim_id)
        assert row is not None
        targets = [one.get("target", "") for one in content.get("relationships", ())]
        names = [*names_of(content), *(one for one in targets if one not in self.rows)]
        links = [*row.supersedes, *row.derived_from, *self._back(claim_id)]
        links += [row.superseded_by, *targets]
        keys = (match_key(name) for name in names)
        return Vertex(
            claim_id,
            tuple(dict.fromkeys(key for key in keys if key)),
            tuple(one for one in dict.fromkeys(links) if one in self.rows),
        )

    def seeds(
        self, named: Collection[str], likely: Iterable[Row], query: str, names: Names = names_of
    ) -> list[str]:
        """Where a walk begins: what is named, then the likely claims of which the query holds a name whole."""
        found = sorted(one for one in named if one in self.rows)
        for row in likely:
            content = self.content(row.claim_id)
            if content is not None and whole_names(query, names(content)):
                found.append(row.claim_id)
        return list(dict.fromkeys(found))

    def among(self, claim_ids: Iterable[str]) -> tuple[Look, Holding]:
        """The same among a few claims only, without the index."""
        vertices = {one: found for one in claim_ids if (found := self.look(one)) is not None}
        holders: dict[str, list[str]] = {}
        for one in vertices.values():
            for name in one.names:
                holders.setdefault(name, []).append(one.id)

        def holding(name: str) -> list[str] | None:
            found = holders.get(name, [])
            return found if len(found) <= RANKING_POLICY.graph_general else None

        return vertices.get, holding


def walked(
    seeds: list[str], look: Look, holding: Holding, spent: int = 0, cut: bool = False
) -> Walked:
    """Walk from the seeds, and weigh what was reached by its distance.

    Args:
        seeds: Where to begin.
        look: A claim by identifier.
        holding: The claims that may hold a name.
        spent: How many further claims were read to find the seeds; they count towards the bound.
        cut: Whether more claims might have been seeds than were read.
    """
    bounds = replace(BOUNDS, examined=BOUNDS.examined - spent)
    found: Reached = traverse(seeds, look, holding, bounds)
    near = {one: closeness(far, BOUNDS.steps, ONE) for one, far in found.distance.items()}
    met = tuple(sorted({*found.met, *(("examined",) if cut else ())}))
    return Walked(near, found.examined + spent, met)
