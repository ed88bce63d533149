"""Read the index as a transaction sees it, at the cost of what is new since the last time.

- Segments are read block by block and remembered; the tail is caught up.
- What is remembered is told by a segment's number and generation, so that another process's writes show at once.
- A snapshot that is older than what was caught up reads its own tail: what came later does not show in it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from muniment.core.canonical import keyed
from muniment.store.indexing import FAMILIES, Blocks, SegmentRow, waiting_table

if TYPE_CHECKING:
    from muniment.index.blocks import Segment
    from muniment.index.selection import Part, View
    from muniment.index.table import Table

TAIL_PARTS = 8
"""Pieces of the tail in memory before they become one."""
STATES_KEPT = 8
"""States of which what was worked out is remembered."""


@dataclass(slots=True)
class _Known:
    """What was read of one family."""

    segments: tuple[SegmentRow, ...] = ()
    kept: dict[SegmentRow, dict[str, Any]] = field(default_factory=dict)
    base: tuple[Part, ...] | None = None
    generation: int = -1
    last: int = 0
    tail: tuple[Part, ...] = ()


class Caches:
    """What a process has read and worked out of a store; usable from any thread."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._known: dict[tuple[str, str], _Known] = {}
        self._memos: dict[tuple[str, str], dict[Any, Any]] = {}
        self._kept: dict[str, dict[Any, Any]] = {}
        self._terms: dict[bytes, Callable[[str], int]] = {}

    def memo(self, tenant: str, state: str) -> dict[Any, Any]:
        """What was worked out of one state; the last few states' are kept."""
        with self._lock:
            found = self._memos.pop((tenant, state), {})
            self._memos[tenant, state] = found
            while len(self._memos) > STATES_KEPT:
                del self._memos[next(iter(self._memos))]
            return found

    def kept(self, tenant: str) -> dict[Any, Any]:
        """What stays true of a tenant in every later state."""
        return self._kept.setdefault(tenant, {})

    def term_key(self, key: bytes) -> Callable[[str], int]:
        """Gives a word's digest under a tenant's key."""
        found = self._terms.get(key)
        if found is None:
            from muniment.index.entry import TermKeys

            found = self._terms[key] = TermKeys(lambda *parts: keyed(key, *parts))
        return found

    def view(self, tenant: str, blocks: Blocks, family: str, last: int) -> View:
        """The index as a transaction sees it, whose last event is `last`."""
        with self._lock:
            known = self._known.setdefault((tenant, family), _Known())
            if known.last > last:
                known = _Known(kept=dict(known.kept))
            return _view(known, blocks, family)

    def let_go(self, tenant: str) -> None:
        """Keep nothing that was worked out of a tenant's contents: some of them were erased."""
        with self._lock:
            self._kept.pop(tenant, None)
            for place in [place for place in self._memos if place[0] == tenant]:
                del self._memos[place]

    def forget(self, tenant: str) -> None:
        """Let go of what was read of a tenant."""
        with self._lock:
            for family in FAMILIES:
                self._known.pop((tenant, family), None)


def _view(known: _Known, blocks: Blocks, family: str) -> View:
    from muniment.index.selection import Part, View, assembled, extended

    segments = tuple(blocks.index_segments(family))
    opened = [(_name(family, row), _segment(known, blocks, family, row)) for row in segments]
    generation = blocks.index_generation(family)
    if segments != known.segments or known.base is None:
        known.kept = {row: known.kept[row] for row in segments}
        known.base = assembled(opened)
        known.segments, known.generation = segments, -1
    base = tuple(
        Part(part.name, segment, part.ended, part.ended_in)
        for part, (_, segment) in zip(known.base, opened, strict=True)
    )
    if generation != known.generation:
        known.tail, known.last, known.generation = (), 0, generation
    _catch_up(known, blocks, family)
    return View(extended(base, known.tail) if known.tail else base)


def _name(family: str, row: SegmentRow) -> str:
    return f"{family} {row.number}.{row.generation}"


def _segment(known: _Known, blocks: Blocks, family: str, row: SegmentRow) -> Segment:
    from muniment.index.blocks import Segment

    kept = known.kept.setdefault(row, {})
    return Segment(kept, lambda name: blocks.index_block(family, row.number, name))


def _catch_up(known: _Known, blocks: Blocks, family: str) -> None:
    """Take in what was appended since; many small pieces become one."""
    from muniment.index.selection import assembled, extended
    from muniment.index.table import merged

    waiting = blocks.index_tail(family, known.last)
    if not waiting:
        return
    table = waiting_table(waiting, blocks, known.last)
    after, known.last = known.last, waiting[-1][0]
    tables = [table]
    if len(known.tail) >= TAIL_PARTS:
        tables = [*(part.segment.table() for part in known.tail), table]
        known.tail, after = (), 0
    # INVARIANT: a name says which events of which generation, so that equal names are equal rows in every snapshot.
    name = f"{family} t{known.generation}.{after}-{known.last}"
    segment = _in_memory(merged(tables))
    known.tail = extended(known.tail, assembled([(name, segment)]))


def _in_memory(table: Table) -> Segment:
    from muniment.index.blocks import Segment, written

    return Segment({}, written(table).__getitem__)
