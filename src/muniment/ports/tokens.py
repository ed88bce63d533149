"""How a text's size in tokens is asked for.

- A counter has a name, which the packet shows beside the number (`budget.counter`).
- The same text always has the same count.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable


@runtime_checkable
class TokenCounter(Protocol):
    """Counts the tokens of a text."""

    @property
    def name(self) -> str:
        """What is counted, `o200k_base` or `utf-8 bytes`."""

    def __call__(self, text: str) -> int:
        """The number of tokens of `text`; zero for the empty text."""


@runtime_checkable
class AdditiveCounter(TokenCounter, Protocol):
    """A counter that knows where tokens never cross, so that a text like one counted before costs little."""

    def parts(self, text: str) -> Sequence[str]:
        """Parts of a text, in order, whose counts add up to its own exactly."""

    def divides(self, before: str, after: str) -> bool:
        """Whether no token crosses from one text to the next, so that their counts add up to that of both together."""


def remembering(counter: TokenCounter) -> Callable[[str], int]:
    """The same counts, from parts that are counted once for as long as what is given back is held.

    A counter that does not know its parts is given back as it is.
    """
    if not isinstance(counter, AdditiveCounter):
        return counter
    known: dict[str, int] = {}
    parts = counter.parts

    def count(text: str) -> int:
        total = 0
        for part in parts(text):
            found = known.get(part)
            if found is None:
                found = known[part] = counter(part)
            total += found
        return total

    return count


def in_pieces(counter: TokenCounter) -> Callable[[Sequence[str]], int]:
    """The count of a whole text that is given in pieces; each piece is counted once for as long as this is held.

    The pieces' counts are added up only where no token crosses from one to the next; elsewhere they are counted as one.
    A counter that does not know counts the whole text every time.
    """
    if not isinstance(counter, AdditiveCounter):
        return lambda pieces: counter("".join(pieces))
    known, count, divides = dict[str, int](), remembering(counter), counter.divides

    def one(text: str) -> int:
        found = known.get(text)
        if found is None:
            found = known[text] = count(text)
        return found

    def added(pieces: Sequence[str]) -> int:
        total, waiting = 0, ""
        for piece in pieces:
            if not waiting or not piece or not divides(waiting, piece):
                waiting += piece
            else:
                total += one(waiting)
                waiting = piece
        return total + one(waiting)

    return added
