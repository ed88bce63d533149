"""What an export hands to the writer of a format, and what a format says of itself.

- A writer is handed claims that may leave, in a fixed order; it decides nothing about who may see what.
- It yields files: a path below the target (empty where the target is the one file) and its bytes.
- The same claims give the same bytes; no clock and no identifier of the run is written.

Choosing the claims is the use case's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from muniment.core.claim import Claim

Files = Iterator[tuple[str, bytes]]


@dataclass(frozen=True, slots=True)
class Portable:
    """A claim that may leave.

    Attributes:
        claim: As it is recorded, with no name of a claim that the asker may not see.
        status: Computed for the instant and the asker.
        labels: What must be said beside it.
    """

    claim: Claim
    status: str
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """One format to write.

    Attributes:
        name: As `--format` takes it.
        title: What it is, in a few words.
        write: Claims to files.
        keeps_boundaries: Whether scope, visibility, uses, validity and sources travel in it; a format that drops them
            gets only what is current and serves the use that was named.
        update: For a block in a file that is otherwise somebody else's: the file's bytes (None where there is none)
            and the claims to the new bytes.
        lost: What does not travel, in words.
    """

    name: str
    title: str
    write: Callable[[Sequence[Portable]], Files]
    keeps_boundaries: bool = False
    update: Callable[[bytes | None, Sequence[Portable]], bytes] | None = None
    lost: tuple[str, ...] = ()


class Place(Protocol):
    """Where an export goes."""

    def read(self) -> bytes | None:
        """What stands there; None where nothing does."""
        ...

    def write(self, files: Files) -> tuple[str, ...]:
        """Write; the names of the files that changed."""
        ...
