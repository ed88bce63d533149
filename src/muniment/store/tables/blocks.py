"""The index's blocks in one tenant's tables (`store.indexing.Blocks`)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from muniment.store.indexing import SegmentRow
from muniment.store.tables.connection import Connection

_GENERATION = "SELECT generation FROM index_state WHERE tenant = ? AND family = ?"
_RAISE = """
INSERT INTO index_state VALUES (?, ?, 1)
ON CONFLICT (tenant, family) DO UPDATE SET generation = index_state.generation + 1
"""
_SEGMENTS = """
SELECT segment, generation, level, size FROM index_segment WHERE tenant = ? AND family = ? ORDER BY segment
"""
_BLOCK = """
SELECT data FROM index_block WHERE tenant = ? AND family = ? AND segment = ? AND name = ?
"""
_TAIL = "SELECT seq, entry FROM index_tail WHERE tenant = ? AND family = ? AND seq > ? ORDER BY seq"
_TAIL_SIZE = "SELECT count(*) FROM index_tail WHERE tenant = ? AND family = ?"
_VECTORS = "SELECT space, seq, data FROM index_vector WHERE tenant = ? AND seq > ?"
_PUT_SEGMENT = "INSERT INTO index_segment VALUES (?, ?, ?, ?, ?, ?)"
_PUT_BLOCK = "INSERT INTO index_block VALUES (?, ?, ?, ?, ?)"
_DROP_SEGMENT = "DELETE FROM index_segment WHERE tenant = ? AND family = ? AND segment = ?"
_DROP_BLOCKS = "DELETE FROM index_block WHERE tenant = ? AND family = ? AND segment = ?"
_DROP_TAIL = "DELETE FROM index_tail WHERE tenant = ? AND family = ?"
_DROP_FROM_TAIL = """
DELETE FROM index_tail
WHERE tenant = ? AND family = ? AND seq IN (SELECT value FROM numbers(?) j)
"""
_DROP_VECTORS = """
DELETE FROM index_vector WHERE tenant = ? AND seq IN (SELECT value FROM numbers(?) j)
"""
_PUT_TAIL = "INSERT INTO index_tail VALUES (?, ?, ?, ?)"
_PUT_VECTOR = """
INSERT INTO index_vector VALUES (?, ?, ?, ?)
ON CONFLICT (tenant, seq, space) DO UPDATE SET data = excluded.data
"""


class TableBlocks:
    """One tenant's index on a connection in a transaction.

    Args:
        connection: The connection.
        tenant: The tenant's number.
    """

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._connection = connection
        self._tenant = tenant

    def index_generation(self, family: str) -> int:
        """Raised by everything but an append."""
        return self._connection.value(_GENERATION, (self._tenant, family)) or 0

    def index_segments(self, family: str) -> Sequence[SegmentRow]:
        """The segments, by number."""
        rows = self._connection.all(_SEGMENTS, (self._tenant, family))
        return [SegmentRow(*row) for row in rows]

    def index_block(self, family: str, segment: int, name: str) -> bytes:
        """A block.

        Raises:
            StoreDamaged: It is missing.
        """
        found = self._connection.value(_BLOCK, (self._tenant, family, segment, name))
        if not isinstance(found, bytes):
            what = f"block {name} of segment {segment} of the index is missing"
            raise self._connection.damaged(what)
        return found

    def index_tail(self, family: str, after: int) -> Sequence[tuple[int, bytes]]:
        """Events after one, and the rows that wait for them, ascending."""
        rows = self._connection.all(_TAIL, (self._tenant, family, after))
        return [(seq, entry) for seq, entry in rows]

    def index_tail_size(self, family: str) -> int:
        """How many rows wait."""
        return int(self._connection.value(_TAIL_SIZE, (self._tenant, family)))

    def index_vectors(self, after: int) -> Mapping[str, Mapping[int, bytes]]:
        """Vectors that wait in no segment yet, of events after one, by space and event."""
        found: dict[str, dict[int, bytes]] = {}
        for space, seq, data in self._connection.all(_VECTORS, (self._tenant, after)):
            found.setdefault(space, {})[seq] = data
        return found

    # --- in a writing transaction ---

    def put_tail(self, family: str, seq: int, entry: bytes) -> None:
        """Add a row that waits."""
        self._connection.run(_PUT_TAIL, (self._tenant, family, seq, entry))

    def put_vectors(self, space: str, vectors: Mapping[int, bytes]) -> None:
        """Add vectors, by event."""
        rows = [(self._tenant, space, seq, data) for seq, data in vectors.items()]
        self._connection.many(_PUT_VECTOR, rows)

    def put_segment(self, family: str, row: SegmentRow, blocks: Mapping[str, bytes]) -> None:
        """Write a segment."""
        place = (self._tenant, family, row.number)
        self._connection.run(_DROP_BLOCKS, place)  # what damage left there
        self._connection.run(_PUT_SEGMENT, (*place, row.generation, row.level, row.rows))
        self._connection.many(_PUT_BLOCK, [(*place, name, data) for name, data in blocks.items()])

    def drop_segment(self, family: str, number: int) -> None:
        """Remove a segment."""
        place = (self._tenant, family, number)
        self._connection.run(_DROP_BLOCKS, place)
        self._connection.run(_DROP_SEGMENT, place)

    def drop_tail(self, family: str, seqs: Collection[int] | None = None) -> None:
        """Remove rows that wait; all where none are named."""
        place = (self._tenant, family)
        if seqs is None:
            self._connection.run(_DROP_TAIL, place)
        else:
            self._connection.run(_DROP_FROM_TAIL, (*place, self._connection.listed(sorted(seqs))))

    def drop_vectors(self, seqs: Collection[int]) -> None:
        """Remove vectors that wait in no segment."""
        self._connection.run(_DROP_VECTORS, (self._tenant, self._connection.listed(sorted(seqs))))

    def raise_generation(self, family: str) -> None:
        """Say that more changed than what an append adds."""
        self._connection.run(_RAISE, (self._tenant, family))
