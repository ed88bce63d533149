"""Which claims are handed over: whole, best first, within hard limits counted on the text itself (`E-LIMITS`).

- A unit is one claim, or all claims of one conflict: it is packed whole or not at all.
- Before a unit is kept, the whole text with it is laid out in pieces and counted as a whole. Whether counts of pieces
  may be added up is the counter's matter; here they never are.
- A unit that does not fit is left out; smaller ones after it are still tried, for a declared number of misses.
- The order in which units are given does not matter: best relevance first, ties by identifier.
- What is kept is, of all choices that fit, the one that comes first when choices are compared by their best unit, then
  by the next, and so on: more of what is less relevant never displaces what is more relevant. That is
  exact as long as a text with more units has no fewer tokens, and no unit was left untried (`Packed.untried`).

>>> units = (Unit(("mem_b",), 5), Unit(("mem_a", "mem_c"), 9), Unit(("mem_d",), 1))
>>> text = lambda chosen: " ".join(name for unit in chosen for name in unit.ids)
>>> packed = pack(units, Limits(k=3, budget=11), len, text)
>>> packed.text, packed.left
('mem_a mem_c', ((('mem_b',), 'over_budget'), (('mem_d',), 'over_budget')))
>>> pack(units, Limits(k=2, budget=99), len, text).left[0]
(('mem_b',), 'over_k')
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")

MISSES = 16
"""Units that do not fit the budget before packing stops looking for smaller ones."""


@dataclass(frozen=True, slots=True)
class Unit:
    """What is packed whole.

    Attributes:
        ids: The claims, sorted.
        relevance: The best of them, fixed point.
    """

    ids: tuple[str, ...]
    relevance: int


@dataclass(frozen=True, slots=True)
class Limits:
    """Hard limits: at most `k` claims, at most `budget` tokens; both inclusive."""

    k: int
    budget: int


@dataclass(frozen=True, slots=True)
class Packed:
    """What fits.

    Attributes:
        chosen: The units, best first.
        text: The whole text with exactly these units.
        used: Its tokens.
        left: The claims of each unit that was left out, with `over_k` or `over_budget`.
        untried: How many units were left out without a try, after too many that did not fit.
    """

    chosen: tuple[Unit, ...]
    text: str
    used: int
    left: tuple[tuple[tuple[str, ...], str], ...]
    untried: int = 0


def pack(
    units: Sequence[Unit],
    limits: Limits,
    count: Callable[[Sequence[str]], int],
    text_of: Callable[[tuple[Unit, ...]], Sequence[str]],
) -> Packed:
    """Choose units within the limits.

    Args:
        units: Everything that supports an answer.
        limits: The limits.
        count: Tokens of a whole text, given in pieces.
        text_of: The pieces of the whole text that would be handed over with exactly these units, best first.
    """
    chosen: tuple[Unit, ...] = ()
    text: Sequence[str] = ()
    used = 0
    left: list[tuple[tuple[str, ...], str]] = []
    claims = misses = untried = 0
    for unit in sorted(units, key=lambda unit: (-unit.relevance, unit.ids)):
        if claims + len(unit.ids) > limits.k:
            left.append((unit.ids, "over_k"))
            continue
        if misses >= MISSES:
            left.append((unit.ids, "over_budget"))
            untried += 1
            continue
        trial = text_of((*chosen, unit))
        tokens = count(trial)
        # INVARIANT: `text` is at all times exactly the text of `chosen`, and `used` its own count.
        if tokens <= limits.budget:
            chosen, text, used = (*chosen, unit), trial, tokens
            claims += len(unit.ids)
        else:
            left.append((unit.ids, "over_budget"))
            misses += 1
    return Packed(chosen, "".join(text), used, tuple(left), untried)


def prefix_that_fits(
    order: Sequence[T],
    limits: Limits,
    count: Callable[[Sequence[str]], int],
    text_of: Callable[[tuple[T, ...]], Sequence[str]],
) -> tuple[tuple[T, ...], str, int]:
    """The best things that fit, the whole text with exactly them, and its tokens; each of them whole.

    The longest beginning that fits is found by halving, so that few texts are made; then the next ones are tried one
    by one, for a declared number of misses. Token counts are never added up.

    Args:
        order: Best first.
        limits: At most `k` things, at most `budget` tokens of text.
        count: Tokens of a whole text, given in pieces.
        text_of: The pieces of the whole text that would be handed over with some of them.

    >>> prefix_that_fits(("aa", "bbbb", "c"), Limits(9, 4), len, "".join)
    (('aa', 'c'), 'aac', 3)
    >>> prefix_that_fits(("aaaaa",), Limits(9, 4), len, "".join)
    ((), '', 0)
    """
    chosen: tuple[T, ...] = ()
    text: Sequence[str] = ()
    used = 0
    low, high = 0, min(len(order), limits.k)
    while low < high:
        middle = (low + high + 1) // 2
        trial = text_of(tuple(order[:middle]))
        tokens = count(trial)
        if tokens <= limits.budget:
            low, chosen, text, used = middle, tuple(order[:middle]), trial, tokens
        else:
            high = middle - 1
    for one in order[low + 1 : low + 1 + MISSES]:
        if len(chosen) >= limits.k:
            break
        trial = text_of((*chosen, one))
        tokens = count(trial)
        if tokens <= limits.budget:
            chosen, text, used = (*chosen, one), trial, tokens
    return chosen, "".join(text), used


def shortest_that_fits(
    texts: Sequence[str], budget: int, count: Callable[[str], int]
) -> tuple[str, int]:
    """The first text within the budget; the empty text where none is.

    >>> shortest_that_fits(("nothing supports an answer", "no_support"), 12, len)
    ('no_support', 10)
    >>> shortest_that_fits(("no_support",), 3, len)
    ('', 0)
    """
    for text in texts:
        tokens = count(text)
        if tokens <= budget:
            return text, tokens
    return "", 0
