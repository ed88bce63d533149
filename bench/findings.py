"""What a workload told its callers, and what a check finds of it after a fault.

- What was acknowledged must be there; what was begun may be there, whole, or not at all.
- A check returns counts, and a tally counts images (or kills) by what was found in them.
- A check that raises has found damage: it could not even look.

>>> tally = Tally()
>>> tally.add(CheckResult(), {"index": 1})
False
>>> tally.add(CheckResult(lost=3, detail="rows 4, 5, 6"), {"index": 2})
True
>>> tally.counts()
{'points': 2, 'lost': 1, 'partial': 0, 'damaged': 0, 'lost_writes': 3}
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

_EXAMPLES_OF_A_KIND = 2
_SHARED_MEMORY = Path("/dev/shm")


@dataclass(frozen=True, slots=True)
class Mark:
    """What a workload told about itself: `payload` is whatever its check needs.

    Attributes:
        index: operations or calls that had been issued at that moment.
    """

    label: str
    payload: Any
    index: int


@dataclass(frozen=True, slots=True)
class History:
    """What callers had been told before a fault; iterates over the acknowledged marks.

    Attributes:
        acknowledged: the caller was told "done": must be there.
        in_flight: begun and not acknowledged: may be there, whole, or not at all.
    """

    acknowledged: tuple[Mark, ...] = ()
    in_flight: tuple[Mark, ...] = ()

    def __iter__(self) -> Iterator[Mark]:
        return iter(self.acknowledged)

    def __len__(self) -> int:
        return len(self.acknowledged)

    @classmethod
    def of(cls, begun: Iterable[Mark], acknowledged: Iterable[Mark]) -> History:
        """Pair what was begun with what was acknowledged, by label.

        >>> History.of([Mark("a", 1, 0), Mark("b", 2, 9)], [Mark("a", 1, 7)]).in_flight
        (Mark(label='b', payload=2, index=9),)
        """
        done = tuple(acknowledged)
        labels = {mark.label for mark in done}
        return cls(done, tuple(mark for mark in begun if mark.label not in labels))


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What a check found in one image.

    Attributes:
        lost: acknowledged writes that are not there.
        partial: writes that are there in part.
        damaged: ways in which the store is no longer sound (it cannot be opened, its own
            integrity check fails, it answers differently by two routes, …).
        detail: what a reader needs to understand the finding.
    """

    lost: int = 0
    partial: int = 0
    damaged: int = 0
    detail: str = ""


Check: TypeAlias = Callable[[Path, History], CheckResult]


@dataclass(slots=True)
class Tally:
    """Counts, over images or kills, of what the checks found."""

    points: int = 0
    lost: int = 0
    partial: int = 0
    damaged: int = 0
    lost_writes: int = 0
    images: set[bytes] = field(default_factory=set)
    examples: list[dict[str, Any]] = field(default_factory=list)

    def add(self, result: CheckResult, where: dict[str, Any]) -> bool:
        """Count one result; whether it was taken as an example."""
        self.points += 1
        self.lost += result.lost > 0
        self.partial += result.partial > 0
        self.damaged += result.damaged > 0
        self.lost_writes += result.lost
        if not (result.lost or result.partial or result.damaged):
            return False
        counts = {"lost": result.lost, "partial": result.partial, "damaged": result.damaged}
        return self._exemplify({**where, **counts, "detail": result.detail})

    def merge(self, other: Tally) -> None:
        """Take the counts of another in."""
        self.points += other.points
        self.lost += other.lost
        self.partial += other.partial
        self.damaged += other.damaged
        self.lost_writes += other.lost_writes
        self.images |= other.images
        for example in other.examples:
            self._exemplify(example)

    def counts(self) -> dict[str, Any]:
        """The part of a result that all harnesses share."""
        return {
            "points": self.points,
            "lost": self.lost,
            "partial": self.partial,
            "damaged": self.damaged,
            "lost_writes": self.lost_writes,
        }

    def _exemplify(self, example: dict[str, Any]) -> bool:
        """Keep a few examples of each kind of finding, so that the rare are not crowded out."""
        kind = [example[name] > 0 for name in ("lost", "partial", "damaged")]
        alike = sum(
            [other[name] > 0 for name in ("lost", "partial", "damaged")] == kind
            for other in self.examples
        )
        if alike >= _EXAMPLES_OF_A_KIND:
            return False
        self.examples.append(example)
        return True


def checked(check: Check, path: Path, history: History) -> CheckResult:
    try:
        return check(path, history)
    except Exception as error:  # noqa: BLE001 - the check may meet anything; it is counted and shown
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(last.filename).name}:{last.lineno}"
        return CheckResult(damaged=1, detail=f"{type(error).__name__} at {place}: {error}")


@contextlib.contextmanager
def scratch_directory() -> Iterator[Path]:
    """Make a directory in memory where the system has one, and remove it afterwards."""
    parent = _SHARED_MEMORY if os.access(_SHARED_MEMORY, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="bench-", dir=parent) as name:
        yield Path(name).resolve()
