"""What a store keeps of a claim's facts: numbers that stand for their terms, and nothing that can be read.

- A term's number is taken from a keyed digest of its text in the form in which terms are compared (`core.query`).
- A *standing* is the number of everything in a row that decides whether it may serve, but for times: rows of one
  standing are decided alike.
- `Wanted` says which facts are looked for; every store answers it alike.

>>> from muniment.core.canonical import keyed
>>> from functools import partial
>>> key = partial(keyed, b"k")
>>> term_number("ｐｎｐｍ", key) == term_number("pnpm", key), term_number("PNPM", key) == term_number("pnpm", key)
(True, False)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from muniment.core.claim import Fact
from muniment.core.query import facts_in, term_text
from muniment.core.row import FOREVER, Row

KeyOf = Callable[..., str]
Triple = tuple[int, int, int]
"""Predicate, subject and object of a fact, as numbers."""
FactRow = tuple[int, int, int, int, int, int | None, int | None]
"""Subject, object, event, standing, marks (see below), end (exclusive) and last verification."""

FactCount = tuple[int, int, int, int]
"""Of the facts of one standing: it, how many they are, all their marks together, and an event of one of them."""

SUPERSEDED = 1
"""Some claim names this one as replaced; whether the asker sees it is another question."""
DERIVED = 2
"""It was made from other claims."""
DISPUTED = 4
"""It says itself that another claim contradicts it; whether the asker sees that one is another question."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which facts are looked for.

    Attributes:
        predicate: Its number.
        classes: The classes that may serve.
        revision: The state, `FOREVER` for the latest.
        at: Only what is valid and not expired at this instant (microseconds); None for any time.
        subjects: Only these; None for any.
        objects: Only these; None for any.
        pairs: Only these subjects and objects together; the two above are None then.
        seen: The classes whose claims replace others; None where replaced facts are wanted too.
        without: Standings that are not wanted.
        limit: How many at most.
    """

    predicate: int
    classes: tuple[str, ...]
    revision: int = FOREVER
    at: int | None = None
    subjects: tuple[int, ...] | None = None
    objects: tuple[int, ...] | None = None
    pairs: tuple[tuple[int, int], ...] | None = None
    seen: tuple[str, ...] | None = None
    without: tuple[int, ...] = ()
    limit: int = 2**31


def number_of(digest: str) -> int:
    """The first 63 bits of a digest.

    >>> number_of("ffffffffffffffff0000000000000000") == 2**63 - 1
    True
    """
    return int(digest[:16], 16) >> 1


def term_number(text: str, key: KeyOf) -> int:
    """What stands for a term."""
    return number_of(key("term", term_text(text)))


def predicate_number(name: str, key: KeyOf) -> int:
    """What stands for a predicate, by its declared name."""
    return number_of(key("predicate", name))


def fact_numbers(facts: tuple[Fact, ...], key: KeyOf) -> tuple[Triple, ...]:
    """A claim's facts as numbers, each once, from the side of which there is only one."""
    said = [one for fact in facts for one in facts_in(fact.subject, fact.predicate, fact.object)]
    predicates = {name: predicate_number(name, key) for name in {p for _, p, _ in said}}
    terms = {text: term_number(text, key) for text in {end for s, _, o in said for end in (s, o)}}
    return tuple(dict.fromkeys((predicates[p], terms[s], terms[o]) for s, p, o in said))


def standing_of(row: Row, key: KeyOf) -> int:
    """The number of what `core.decide` looks at in a row, times left out."""
    stale = "stale" if row.derived_stale else ""
    plain = (row.review, row.retired, row.type, row.reading, stale)
    uses = (str(len(row.allowed)), *row.allowed, *row.prohibited)
    return number_of(key("standing", *plain, *uses))


def span_of(row: Row) -> tuple[int | None, int | None, int | None]:
    """When a row begins, ends and was verified; None where that is unbounded or unknown.

    >>> span_of(Row(1, 1, "mem_x", 1, "c", "accepted", valid_until=9, expires_at=7))
    (None, 7, None)
    """
    end = min(row.valid_until, row.expires_at)
    return (
        None if row.valid_from == -FOREVER else row.valid_from,
        None if end == FOREVER else end,
        None if row.verified_at == -FOREVER else row.verified_at,
    )
