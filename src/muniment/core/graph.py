"""Walk from claim to claim along what they name and what they point at: bounded, and the same each time.

- Two claims are neighbours where one points at the other, or where both hold one name.
- Names are compared in their match form (`text.match_key`); a name that too many may hold joins nothing.
- Steps, claims read and claims reached are bounded; which bound was met is part of the answer (`E-LIMITS`).
- The order is by identifier and name, never by the order in which a store holds things (`E-DETERMINISM`).

Which claims may be looked at is decided before; here a claim that may not be is `None`.

>>> ring = {"a": Vertex("a", ("pnpm",)), "b": Vertex("b", ("pnpm", "node")), "c": Vertex("c", ("node",))}
>>> holding = lambda name: [one for one in ring if name in ring[one].names]
>>> traverse(("a",), ring.get, holding, Bounds(steps=2)).distance
{'a': 0, 'b': 1, 'c': 2}
>>> traverse(("a",), ring.get, holding, Bounds(steps=2, reached=2)).met
('reached',)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Vertex:
    """A claim as a traversal sees it.

    Attributes:
        id: The claim.
        names: What it names, in match form.
        links: The claims that it points at or that point at it.
    """

    id: str
    names: tuple[str, ...] = ()
    links: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Bounds:
    """Hard limits, all inclusive: steps from a start, claims read, claims reached."""

    steps: int = 2
    examined: int = 200
    reached: int = 50


@dataclass(frozen=True, slots=True)
class Reached:
    """What a traversal came to.

    Attributes:
        distance: Claim to its steps from the nearest start, in the order of reaching.
        examined: How many claims were read.
        met: Names of the bounds that cut it, sorted; `general_name` where a name joined too many.
    """

    distance: Mapping[str, int]
    examined: int = 0
    met: tuple[str, ...] = ()


Look = Callable[[str], Vertex | None]
Holding = Callable[[str], Sequence[str] | None]


@dataclass(slots=True)
class _Walk:
    look: Look
    holding: Holding
    bounds: Bounds
    seen: dict[str, Vertex | None] = field(default_factory=dict)
    followed: set[str] = field(default_factory=set)
    met: set[str] = field(default_factory=set)

    def at(self, claim_id: str) -> Vertex | None:
        """A claim, read once; none where the bound is met."""
        if claim_id not in self.seen:
            if len(self.seen) >= self.bounds.examined:
                self.met.add("examined")
                return None
            self.seen[claim_id] = self.look(claim_id)
        return self.seen[claim_id]

    def beyond(self, claim_id: str) -> list[str]:
        """The neighbours of a claim, those that it is linked with first."""
        vertex = self.at(claim_id)
        if vertex is None:
            return []
        found = [other for other in sorted(set(vertex.links)) if self.at(other)]
        for name in sorted(set(vertex.names) - self.followed):
            self.followed.add(name)
            holders = self.holding(name)
            if holders is None:
                self.met.add("general_name")
                continue
            vertices = (self.at(other) for other in sorted(holders))
            found += [other.id for other in vertices if other and name in other.names]
        return found


def traverse(seeds: Sequence[str], look: Look, holding: Holding, bounds: Bounds) -> Reached:
    """Walk from some claims to those within reach.

    Args:
        seeds: Where to begin; the first of them where the bound does not let all through.
        look: A claim by identifier; None for one that may not be looked at.
        holding: The claims that may hold a name; None where they are too many to follow.
        bounds: The limits.
    """
    walk, distance = _Walk(look, holding, bounds), dict[str, int]()
    frontier = _arrive(walk, seeds, 0, distance)
    for step in range(1, bounds.steps + 1):
        found = [other for one in sorted(frontier) for other in walk.beyond(one)]
        frontier = _arrive(walk, found, step, distance)
    return Reached(distance, len(walk.seen), tuple(sorted(walk.met)))


def _arrive(walk: _Walk, ids: Sequence[str], step: int, distance: dict[str, int]) -> list[str]:
    arrived = []
    for one in dict.fromkeys(ids):
        if one in distance or walk.at(one) is None:
            continue
        if len(distance) >= walk.bounds.reached:
            walk.met.add("reached")
            break
        distance[one] = step
        arrived.append(one)
    return arrived


def closeness(distance: int, steps: int, whole: int) -> int:
    """How much a distance is worth: `whole` at the start, half of it after all steps.

    >>> [closeness(distance, 2, 100) for distance in (0, 1, 2)]
    [100, 75, 50]
    """
    return whole * (2 * steps - distance) // (2 * steps)
