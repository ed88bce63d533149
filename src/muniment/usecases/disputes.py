"""Which of the found claims contradict one another: every side comes along, and none is picked in silence.

- A dispute is made of claims that are linked by open conflicts and may all serve; it is packed whole or not at all.
- A side that may be seen and may not serve is named with the rules that refused it, never shown.
- What may win, and by which rule, is `core.precedence`'s.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from muniment.core.packet import Disagreement
from muniment.core.precedence import Ruling
from muniment.core.row import Row
from muniment.usecases.eligible import Gathered


def linked(rows: Collection[Row]) -> dict[str, set[str]]:
    """Claim to the claims among `rows` with which it is in open conflict, both ways."""
    names = {row.claim_id for row in rows}
    links: dict[str, set[str]] = {}
    for row in rows:
        for other in row.conflicts:
            if other in names:
                links.setdefault(row.claim_id, set()).add(other)
                links.setdefault(other, set()).add(row.claim_id)
    return links


def group_of(claim_id: str, links: Mapping[str, Collection[str]]) -> tuple[str, ...]:
    """A claim with everything that contradicts it, directly or through others, sorted."""
    found, frontier = {claim_id}, {claim_id}
    while frontier:
        frontier = {other for one in frontier for other in links.get(one, ())} - found
        found |= frontier
    return tuple(sorted(found))


def disagreement(
    group: tuple[str, ...], rows: Mapping[str, Row], ruling: Ruling, gathered: Gathered
) -> Disagreement | None:
    """What is to be said of a group of claims; None where nothing contradicts any of them.

    Args:
        group: The claims that are handed over together.
        rows: Claim to row, of these.
        ruling: Which of them may win.
        gathered: What may be seen.
    """
    viewing = gathered.viewing
    others = {o for one in group for o in rows[one].conflicts if o not in rows or o not in group}
    unserved = tuple((o, _why_not(o, gathered)) for o in sorted(others) if viewing.sees(o))
    if len(group) < 2 and not unserved:
        return None
    between = set(group) | {name for name, _ in unserved}
    notes = [
        str(conflict.get("note", ""))
        for conflict in viewing.conflicts()
        if not conflict.get("resolved") and between.issuperset(conflict["between"])
    ]
    return Disagreement(group, tuple(dict.fromkeys(filter(None, notes))), ruling, unserved)


def _why_not(claim_id: str, gathered: Gathered) -> tuple[str, ...]:
    place = gathered.find([claim_id]).get(claim_id)
    if place is None:
        return ("out_of_scope",)
    return ("not_verified_now",) if gathered.serves(place) else gathered.reasons(place)
