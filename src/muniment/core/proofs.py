"""All minimal proofs of one answer: which sets of claims carry it, and none that contains another.

- A way is a set of facts that together give the answer; every fact is carried by one claim or several.
- A proof takes one claim for each fact of a way. A claim that carries several facts is taken once.
- Where no claim carries two of the facts, proofs are counted without making them.

>>> supports = {("uses", "shop", "pnpm"): ("mem_1", "mem_2"), ("part_of", "shop", "acme"): ("mem_3",)}
>>> found = proofs_of([frozenset(supports)], supports, most=1, examinations=10)
>>> found.listed, found.count
((('mem_1', 'mem_3'),), 2)
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, islice, product
from math import prod
from typing import Any

Reference = Any
"""What names a claim: ordered and hashable."""
Ground = tuple[str, Any, Any]
"""A fact: predicate, subject, object."""
Proof = tuple[Reference, ...]


@dataclass(frozen=True, slots=True)
class Proofs:
    """The minimal proofs of one answer.

    Attributes:
        listed: The first of them, fewest claims first, each sorted.
        count: How many there are.
        examined: How many sets of claims had to be made to count them.
    """

    listed: tuple[Proof, ...]
    count: int
    examined: int = 0


def proofs_of(
    ways: Collection[frozenset[Ground]],
    supports: Mapping[Ground, tuple[Reference, ...]],
    most: int,
    examinations: int,
) -> Proofs | None:
    """The minimal proofs of an answer; None where counting them takes more examinations than are left.

    Args:
        ways: Sets of facts, each of which gives the answer.
        supports: The claims that carry each fact, sorted.
        most: How many proofs are listed.
        examinations: How many sets of claims may be made.
    """
    if len(ways) == 1 and all(len(supports[fact]) == 1 for way in ways for fact in way):
        return _only(ways, supports, most, examinations)
    facts = {fact for way in ways for fact in way}
    carried = [claim for fact in facts for claim in supports[fact]]
    if len(set(carried)) == len(carried):
        return _apart(ways, supports, most)
    sets: set[frozenset[Reference]] = set()
    examined = 0
    for way in ways:
        for choice in product(*(supports[fact] for fact in way)):
            examined += 1
            if examined > examinations:
                return None
            sets.add(frozenset(choice))
    proofs = sorted((tuple(sorted(one)) for one in minimal(sets)), key=lambda p: (len(p), p))
    return Proofs(tuple(proofs[:most]), len(proofs), examined)


def _only(
    ways: Collection[frozenset[Ground]],
    supports: Mapping[Ground, tuple[Reference, ...]],
    most: int,
    examinations: int,
) -> Proofs | None:
    """The one proof of an answer that is given one way, each fact of it by one claim; mostly it is so."""
    carried = [supports[fact][0] for way in ways for fact in way]
    proof = tuple(sorted(set(carried)))
    examined = int(len(proof) < len(carried))
    return None if examined > examinations else Proofs((proof,)[:most], 1, examined)


def _apart(
    ways: Collection[frozenset[Ground]], supports: Mapping[Ground, tuple[Reference, ...]], most: int
) -> Proofs:
    """Where each claim carries one fact: a way that contains another gives no minimal proof, and the rest all do."""
    least = minimal(set(ways))
    count = sum(prod(len(supports[fact]) for fact in way) for way in least)
    ordered = sorted(least, key=lambda way: (len(way), sorted(supports[fact][0] for fact in way)))
    listed = islice(_listed(ordered, supports), most)
    return Proofs(tuple(listed), count)


def _listed(
    ways: Iterable[frozenset[Ground]], supports: Mapping[Ground, tuple[Reference, ...]]
) -> Iterator[Proof]:
    for way in ways:
        choices = sorted(supports[fact] for fact in way)
        yield from (tuple(sorted(choice)) for choice in product(*choices))


def minimal(sets: set[frozenset[Any]]) -> list[frozenset[Any]]:
    """Those of some sets that contain no other one of them; sets are small.

    >>> sorted(map(sorted, minimal({frozenset("a"), frozenset("ab"), frozenset("bc")})))
    [['a'], ['b', 'c']]
    """
    sizes = {len(one) for one in sets}
    return [one for one in sets if not any(part in sets for part in _parts(one, sizes))]


def _parts(whole: frozenset[Any], sizes: Collection[int]) -> Iterator[frozenset[Any]]:
    for size in sizes:
        if size < len(whole):
            yield from map(frozenset, combinations(whole, size))
