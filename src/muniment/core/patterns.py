"""Fact patterns, and what answers them: the side of a join that knows the facts.

- A pattern names a predicate and the keys that its ends may have; any number of states is asked about at once.
- A source gives each fact that may serve once for each claim that carries it.

>>> Plain([("ana", "maintains", "shop", "mem_1")]).matching(Pattern("maintained_by", objects=frozenset({"ana"})), 9)
[('shop', 'ana', 'mem_1')]
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from muniment.core.proofs import Reference
from muniment.core.query import facts_in

Key = Any
"""A term as the source knows it: a text, or a number that stands for one; hashable."""
Matching = tuple[Key, Key, Reference]
"""A fact: subject, object, and the claim that carries it."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """Which facts are wanted: those of a predicate whose ends are among the given keys.

    Attributes:
        predicate: Its name, seen from its own side (`query.oriented`).
        subjects: The keys allowed; None where any is.
        objects: The keys allowed; None where any is.
        pairs: Subject and object allowed together, where both are bound; the other two are None then.
    """

    predicate: str
    subjects: frozenset[Key] | None = None
    objects: frozenset[Key] | None = None
    pairs: frozenset[tuple[Key, Key]] | None = None


class Facts(Protocol):
    """The facts that may serve."""

    def key(self, text: str) -> Key:
        """What stands for a term's text."""

    def matching(self, pattern: Pattern, limit: int) -> Sequence[Matching]:
        """Facts of a pattern, each once: all of them, or any `limit` of them where there are more."""

    def count(self, pattern: Pattern, limit: int) -> int:
        """How many facts a pattern has; `limit` where they are more."""


class Plain:
    """Facts held in memory, as texts; what tests and documentation join."""

    def __init__(self, facts: Iterable[tuple[str, str, str, Reference]]) -> None:
        """Take (subject, predicate, object, claim) as they are said."""
        said = ((*one, claim) for s, p, o, claim in facts for one in facts_in(s, p, o))
        self.facts = tuple(dict.fromkeys(said))

    def key(self, text: str) -> Key:
        """The text itself."""
        return text

    def matching(self, pattern: Pattern, limit: int) -> Sequence[Matching]:
        """Facts of a pattern, by looking at every one."""
        found = [
            (s, o, claim)
            for s, p, o, claim in self.facts
            if p == pattern.predicate
            and (pattern.subjects is None or s in pattern.subjects)
            and (pattern.objects is None or o in pattern.objects)
            and (pattern.pairs is None or (s, o) in pattern.pairs)
        ]
        return found[:limit]

    def count(self, pattern: Pattern, limit: int) -> int:
        """How many facts a pattern has, by looking at every one."""
        return len(self.matching(pattern, limit))


class Looked:
    """A source of facts that is not asked twice for what it said already."""

    def __init__(self, facts: Facts) -> None:
        """Begin with nothing."""
        self.facts = facts
        self._found: dict[Pattern, tuple[Sequence[Matching], int]] = {}
        self._counted: dict[Pattern, tuple[int, int]] = {}

    def whole(self, pattern: Pattern) -> Sequence[Matching] | None:
        """All facts of a pattern, where they were looked up already."""
        found, limit = self._found.get(pattern, ((), 0))
        return found if len(found) < limit else None

    def matching(self, pattern: Pattern, limit: int) -> Sequence[Matching]:
        """Facts of a pattern, as `Facts.matching` gives them."""
        found, asked = self._found.get(pattern, ((), 0))
        if asked < limit and len(found) == asked:
            found, asked = self.facts.matching(pattern, limit), limit
            self._found[pattern] = found, asked
        return found[:limit]

    def count(self, pattern: Pattern, limit: int) -> int:
        """How many facts a pattern has, as `Facts.count` says."""
        known = self.whole(pattern)
        if known is not None:
            return min(len(known), limit)
        counted, asked = self._counted.get(pattern, (0, 0))
        if asked < limit and counted == asked:
            counted, asked = self.facts.count(pattern, limit), limit
            self._counted[pattern] = counted, asked
        return min(counted, limit)
