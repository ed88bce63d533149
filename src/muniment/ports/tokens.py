"""How a text's size in tokens is asked for.

- A counter has a name, which the packet shows beside the number (`budget.counter`).
- The same text always has the same count.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable


@runtime_checkable
class TokenCounter(Protocol):
    """Counts the tokens of a text."""

    @property
    def name(self) -> str:
        """What is counted, `o200k_base` or `utf-8 bytes`."""

    def __call__(self, text: str) -> int:
        """The number of tokens of `text`; zero for the empty text."""
