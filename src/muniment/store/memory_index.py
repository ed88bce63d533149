"""The index's blocks in a process's memory (`store.indexing.Blocks`)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from muniment.core.errors import StoreDamaged
from muniment.store.indexing import SegmentRow


@dataclass(slots=True)
class MemoryBlocks:
    """One tenant's index; `copy` gives an independent state, since nothing in it is changed in place."""

    generations: dict[str, int] = field(default_factory=dict)
    segments: dict[tuple[str, int], tuple[SegmentRow, Mapping[str, bytes]]] = field(
        default_factory=dict
    )
    tail: dict[tuple[str, int], bytes] = field(default_factory=dict)
    vectors: dict[tuple[str, int], bytes] = field(default_factory=dict)

    def copy(self) -> MemoryBlocks:
        """An independent state with the same entries."""
        return MemoryBlocks(
            dict(self.generations), dict(self.segments), dict(self.tail), dict(self.vectors)
        )

    def index_generation(self, family: str) -> int:
        """Raised by everything but an append."""
        return self.generations.get(family, 0)

    def index_segments(self, family: str) -> Sequence[SegmentRow]:
        """The segments, by number."""
        return [row for (name, _), (row, _) in sorted(self.segments.items()) if name == family]

    def index_block(self, family: str, segment: int, name: str) -> bytes:
        """A block.

        Raises:
            StoreDamaged: It is missing.
        """
        found = self.segments[family, segment][1].get(name)
        if found is None:
            raise StoreDamaged(f"block {name} of segment {segment} of the index is missing")
        return found

    def index_tail(self, family: str, after: int) -> Sequence[tuple[int, bytes]]:
        """Events after one, and the rows that wait for them, ascending."""
        waiting = sorted(self.tail.items())
        return [(seq, data) for (name, seq), data in waiting if name == family and seq > after]

    def index_tail_size(self, family: str) -> int:
        """How many rows wait."""
        return sum(name == family for name, _ in self.tail)

    def index_vectors(self, after: int) -> Mapping[str, Mapping[int, bytes]]:
        """Vectors that wait in no segment yet, of events after one, by space and event."""
        found: dict[str, dict[int, bytes]] = {}
        for (space, seq), data in self.vectors.items():
            if seq > after:
                found.setdefault(space, {})[seq] = data
        return found

    def put_tail(self, family: str, seq: int, entry: bytes) -> None:
        """Add a row that waits."""
        self.tail[family, seq] = entry

    def put_vectors(self, space: str, vectors: Mapping[int, bytes]) -> None:
        """Add vectors, by event."""
        self.vectors.update({(space, seq): data for seq, data in vectors.items()})

    def put_segment(self, family: str, row: SegmentRow, blocks: Mapping[str, bytes]) -> None:
        """Write a segment."""
        self.segments[family, row.number] = (row, dict(blocks))

    def drop_segment(self, family: str, number: int) -> None:
        """Remove a segment."""
        del self.segments[family, number]

    def drop_tail(self, family: str, seqs: Collection[int] | None = None) -> None:
        """Remove rows that wait; all where none are named."""
        gone = None if seqs is None else set(seqs)
        self.tail = {
            (name, seq): data
            for (name, seq), data in self.tail.items()
            if name != family or not (gone is None or seq in gone)
        }

    def drop_vectors(self, seqs: Collection[int]) -> None:
        """Remove vectors that wait in no segment."""
        gone = set(seqs)
        self.vectors = {place: data for place, data in self.vectors.items() if place[1] not in gone}

    def raise_generation(self, family: str) -> None:
        """Say that more changed than what an append adds."""
        self.generations[family] = self.generations.get(family, 0) + 1
