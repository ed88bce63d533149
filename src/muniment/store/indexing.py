"""Keep the index in a store's own transactions; written once for every store.

- An append adds one tail row; nothing else of the index is touched by it.
- A long tail becomes a segment, and segments alike become a larger one, in a transaction of their own.
- Erasing writes the segments concerned anew without the erased rows.
- A view costs what is new since the last one: segments are read block by block and remembered, the tail is caught up.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, Protocol

from muniment.core.errors import StoreDamaged
from muniment.core.row import Derived

if TYPE_CHECKING:
    from muniment.index.blocks import Segment
    from muniment.index.entry import Entry
    from muniment.index.table import Table

CLAIMS, PASSAGES = "claim", "passage"
FAMILIES = (CLAIMS, PASSAGES)
"""Claims and passages have statistics of their own: importing a conversation moves no claim's relevance."""

TAIL_ROWS = 1_024
"""A tail of so many rows is merged."""
ALIKE = 8
"""So many segments of one level become one of the next."""
MOST_MERGED = 262_144
"""Rows of a segment at most that a write may leave behind; `doctor --rebuild-index` makes the rest one order."""

NO_VECTORS: Mapping[str, Mapping[int, bytes]] = MappingProxyType({})


class SegmentRow(NamedTuple):
    """A segment as a store lists it: its number, how often it was written anew, its level and its rows."""

    number: int
    generation: int
    level: int
    rows: int


class Blocks(Protocol):
    """What a store keeps of one tenant's index, as one of its transactions sees it."""

    def index_generation(self, family: str) -> int:
        """Raised by everything but an append; 0 where nothing was ever merged or erased."""

    def index_segments(self, family: str) -> Sequence[SegmentRow]:
        """The segments, by number."""

    def index_block(self, family: str, segment: int, name: str) -> bytes:
        """A block."""

    def index_tail(self, family: str, after: int) -> Sequence[tuple[int, bytes]]:
        """Events after one, and the rows that wait for them, ascending."""

    def index_tail_size(self, family: str) -> int:
        """How many rows wait."""

    def index_vectors(self, after: int) -> Mapping[str, Mapping[int, bytes]]:
        """Vectors that wait in no segment yet, of events after one, by space and event."""


class WritableBlocks(Blocks, Protocol):
    """The same in a writing transaction."""

    def put_tail(self, family: str, seq: int, entry: bytes) -> None:
        """Add a row that waits."""

    def put_segment(self, family: str, row: SegmentRow, blocks: Mapping[str, bytes]) -> None:
        """Write a segment, in place of one of that number."""

    def drop_segment(self, family: str, number: int) -> None:
        """Remove a segment."""

    def drop_tail(self, family: str, seqs: Collection[int] | None = None) -> None:
        """Remove rows that wait; all where none are named."""

    def drop_vectors(self, seqs: Collection[int]) -> None:
        """Remove vectors that wait in no segment."""

    def raise_generation(self, family: str) -> None:
        """Say that more changed than what an append adds."""


# --- writing --------------------------------------------------------------------------------------


def tail_row(
    derived: Derived, cls: int, term_key: Callable[[str], int], replaced: tuple[int, int]
) -> tuple[str, Entry] | None:
    """The family and row that an event adds to the index; None where it adds none."""
    from muniment.index.entry import Entry, entry_of, hashed

    if derived.row is not None:
        return CLAIMS, entry_of(derived.row, derived.terms, cls, term_key, replaced)
    if derived.doc is None or not derived.terms:
        return None
    doc, length = derived.doc, sum(derived.terms.values())
    terms = hashed(derived.terms, term_key)
    return PASSAGES, Entry(
        doc.seq, cls, doc.revision, doc.id, length, 0, began=derived.began, replaced=replaced, terms=terms
    )  # fmt: skip


def waiting_table(waiting: Sequence[tuple[int, bytes]], blocks: Blocks, after: int) -> Table:
    """The rows of a tail as columns, with the vectors that wait for them."""
    from muniment.index.table import of_entries, with_vectors

    table = of_entries([_unpacked(data) for _, data in waiting])
    try:
        return with_vectors(table, blocks.index_vectors(after))
    except ValueError as error:
        raise _damaged("a vector that waits for the index has another size") from error


def _unpacked(data: bytes) -> Entry:
    """A row that waits.

    Raises:
        StoreDamaged: It is not what was written.
    """
    from muniment.index.entry import unpacked

    try:
        return unpacked(data)
    except ValueError as error:
        raise _damaged("a row that waits for the index is not what was written") from error


def _damaged(what: str) -> StoreDamaged:
    fix = "keep a copy of the store, then run `muniment doctor --rebuild-index`"
    return StoreDamaged(what, fix=fix)


def merge(blocks: WritableBlocks, family: str) -> bool:
    """Make a segment of a long tail, and larger segments of many alike; whether anything was done.

    Args:
        blocks: In a writing transaction of its own.
        family: Which.
    """
    if blocks.index_tail_size(family) < TAIL_ROWS:
        return False
    from muniment.index.table import merged

    waiting = blocks.index_tail(family, 0)
    table = merged([waiting_table(waiting, blocks, 0)])
    _put(blocks, family, 0, table)
    blocks.drop_tail(family)
    blocks.drop_vectors(table.seq.tolist())
    while (alike := _alike(blocks, family)) is not None:
        tables = [_read(blocks, family, row).table() for row in alike]
        for row in alike:
            blocks.drop_segment(family, row.number)
        _put(blocks, family, alike[0].level + 1, merged(tables))
    blocks.raise_generation(family)
    return True


def _alike(blocks: Blocks, family: str) -> Sequence[SegmentRow] | None:
    levels: dict[int, list[SegmentRow]] = {}
    for row in blocks.index_segments(family):
        levels.setdefault(row.level, []).append(row)
    for level in sorted(levels):
        rows = levels[level]
        if len(rows) >= ALIKE and sum(row.rows for row in rows) <= MOST_MERGED:
            return rows
    return None


def _put(blocks: WritableBlocks, family: str, level: int, table: Table) -> None:
    from muniment.index.blocks import written

    number = max((row.number for row in blocks.index_segments(family)), default=0) + 1
    row = SegmentRow(number, blocks.index_generation(family) + 1, level, table.size)
    blocks.put_segment(family, row, written(table))


def _read(blocks: Blocks, family: str, row: SegmentRow) -> Segment:
    from muniment.index.blocks import Segment

    return Segment({}, lambda name: blocks.index_block(family, row.number, name))


def erase(blocks: WritableBlocks, seqs: Collection[int]) -> None:
    """Write everything anew that holds rows of some events."""
    import numpy as np

    from muniment.index.table import without

    wanted = np.array(sorted(seqs), np.int64)
    for family in FAMILIES:
        _erase_waiting(blocks, family, set(seqs))
        for row in list(blocks.index_segments(family)):
            segment = _read(blocks, family, row)
            if not np.isin(segment.array("seq").astype(np.int64), wanted).any():
                continue
            rest = without(segment.table(), seqs)
            blocks.drop_segment(family, row.number)
            if rest.size or len(rest.closes):  # that its rows ended others' versions stays true
                _put(blocks, family, row.level, rest)
        blocks.raise_generation(family)
    blocks.drop_vectors(seqs)


def _erase_waiting(blocks: WritableBlocks, family: str, seqs: set[int]) -> None:
    """Take rows from the tail; that they ended others' versions stays true."""
    from muniment.index.entry import Entry, packed

    gone = [_unpacked(data) for seq, data in blocks.index_tail(family, 0) if seq in seqs]
    blocks.drop_tail(family, seqs)
    for old in gone:
        if old.replaced != (0, 0):
            bare = Entry(old.seq, old.cls, old.revision, "", 0, 0, replaced=old.replaced)
            blocks.put_tail(family, old.seq, packed(bare))


def join_vectors(blocks: WritableBlocks) -> None:
    """Put waiting vectors into the segments that hold their rows."""
    import numpy as np

    from muniment.index.table import with_vectors

    vectors = blocks.index_vectors(0)
    for family in FAMILIES:
        changed = False
        for row in list(blocks.index_segments(family)):
            segment = _read(blocks, family, row)
            seqs = segment.array("seq").astype(np.int64)
            mine = {
                space: {seq: by_event[seq] for seq in seqs.tolist() if seq in by_event}
                for space, by_event in vectors.items()
            }
            if not any(mine.values()):
                continue
            table = with_vectors(segment.table(), mine)  # read whole before it goes
            blocks.drop_segment(family, row.number)
            _put(blocks, family, row.level, table)
            blocks.drop_vectors([seq for by_event in mine.values() for seq in by_event])
            changed = True
        if changed or vectors:
            blocks.raise_generation(family)


def rebuild(blocks: WritableBlocks, rows: Iterable[tuple[str, Entry]]) -> None:
    """Write the whole index anew; vectors are carried over, for what they were made with may be gone.

    Args:
        blocks: In a writing transaction.
        rows: Every row with its family.
    """
    vectors = {family: _vectors_of(blocks, family) for family in FAMILIES}
    for family in FAMILIES:
        for row in list(blocks.index_segments(family)):
            blocks.drop_segment(family, row.number)
        blocks.drop_tail(family)
    waiting: dict[str, list[Entry]] = {family: [] for family in FAMILIES}
    for family, entry in rows:
        waiting[family].append(entry)
        if len(waiting[family]) >= MOST_MERGED:
            _put_rebuilt(blocks, family, waiting.pop(family), vectors[family])
            waiting[family] = []
    for family, entries in waiting.items():
        if entries:
            _put_rebuilt(blocks, family, entries, vectors[family])
        blocks.raise_generation(family)


def _put_rebuilt(
    blocks: WritableBlocks,
    family: str,
    entries: list[Entry],
    vectors: Mapping[str, Mapping[int, bytes]],
) -> None:
    from muniment.index.table import merged, of_entries, with_vectors

    table = merged([with_vectors(of_entries(entries), vectors)])
    level = 0
    while TAIL_ROWS * ALIKE**level < table.size:
        level += 1
    _put(blocks, family, level, table)
    blocks.drop_vectors(table.seq.tolist())


def _vectors_of(blocks: Blocks, family: str) -> dict[str, dict[int, bytes]]:
    """All vectors by space and event."""
    found = {space: dict(held) for space, held in blocks.index_vectors(0).items()}
    for row in blocks.index_segments(family):
        try:
            held = _vectors_in(_read(blocks, family, row))
        except StoreDamaged:  # they wait to be made anew
            continue
        for space, by_event in held.items():
            found.setdefault(space, {}).update(by_event)
    return {space: _of_one_size(held) for space, held in found.items()}


def _vectors_in(segment: Segment) -> dict[str, dict[int, bytes]]:
    if not segment.spaces:
        return {}
    segment.check()
    table = segment.table()
    return {
        space: dict(zip(table.seq[rows].tolist(), (one.tobytes() for one in data), strict=True))
        for space, (rows, data) in table.vectors.items()
    }


def _of_one_size(held: Mapping[int, bytes]) -> dict[int, bytes]:
    """Vectors without those of another size than most."""
    sizes = [len(data) for data in held.values()]
    usual = max(set(sizes), key=lambda size: (sizes.count(size), size), default=0)
    return {seq: data for seq, data in held.items() if len(data) == usual}


def entries(blocks: Blocks, family: str) -> Iterator[Entry]:
    """Every row of the index with the end of its version, for comparing it with a fresh fold."""
    from muniment.index.table import entries_of, merged

    tables = [_read(blocks, family, row).table() for row in blocks.index_segments(family)]
    waiting = blocks.index_tail(family, 0)
    if waiting:
        tables.append(waiting_table(waiting, blocks, 0))
    yield from entries_of(merged(tables)) if tables else ()


def every_entry(blocks: Blocks) -> Iterator[tuple[str, Entry]]:
    """Every row of every family's index, with its family."""
    for family in FAMILIES:
        for row in blocks.index_segments(family):
            _read(blocks, family, row).check()
        for entry in entries(blocks, family):
            yield family, entry
