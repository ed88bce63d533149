"""The blocks of a segment: what rests in a store, and how it is read again.

- A block is a few bytes or a few megabytes, read only when a question needs it and kept as it is.
- A word's list lies whole in one block with its neighbours'; a question of five words reads five blocks a segment.
- A block that is not what was written is refused; of vectors only the size is looked at, until `check`.
- Columns take the narrowest numbers that hold them; a column of one value takes none.
- Of each posting the row and a code are kept: the code names the pair of count and length, so that a word's whole list
  is weighed by one table.

>>> from muniment.index.entry import Entry
>>> from muniment.index.table import merged, of_entries
>>> table = merged([of_entries([Entry(7, 1, 3, "mem_a", 2, 5, terms=((11, 1), (12, 1)))])])
>>> segment = Segment({}, written(table).__getitem__)
>>> [rows.tolist() for rows, _ in (segment.postings(11), segment.postings(13))]
[[0], []]
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator, MutableMapping
from typing import Any

import numpy as np

from muniment.core.errors import StoreDamaged, quoted
from muniment.core.row import FOREVER
from muniment.index.table import COLUMNS, Array, Table
from muniment.index.vectors import norms

POSTINGS_A_BLOCK = 2_048
"""A block of words ends when it holds so many postings: a word that was never asked for costs reading one block."""
_POSTINGS_ONCE = 16_384
"""The same in segments that do not say it."""
VECTORS_A_BLOCK = 65_536
"""Rows whose vectors share a block."""

_PLAIN = tuple(name for name, _ in COLUMNS if name not in ("until", "signature", "special"))
_WIDTHS = (np.uint8, np.uint16, np.uint32)


def narrow(values: Array) -> Array:
    """The same numbers, as narrow as they fit.

    >>> narrow(np.array([1, 300])).dtype.name, narrow(np.array([-1])).dtype.name
    ('uint16', 'int64')
    """
    low, high = (int(values.min()), int(values.max())) if len(values) else (0, 0)
    fitting = (w for w in _WIDTHS if low >= 0 and high <= np.iinfo(w).max)
    return values.astype(next(fitting, np.int64), copy=False)


def written(table: Table, postings: int = POSTINGS_A_BLOCK) -> dict[str, bytes]:
    """A segment's blocks.

    Args:
        table: Sorted by class and event (`merged`).
        postings: A block of words ends when it holds so many.
    """
    blocks: dict[str, bytes] = {}
    arrays: dict[str, str] = {}

    def put(name: str, values: Array) -> None:
        arrays[name] = values.dtype.str
        blocks[name] = values.tobytes()

    constants: dict[str, int] = {}
    for name in _PLAIN:
        column = table.columns[name]
        if len(column) and (column == column[0]).all():
            constants[name] = int(column[0])
        else:
            put(name, narrow(column))
    starts = np.flatnonzero(np.diff(table.cls, prepend=-1))
    put("class", narrow(table.cls[starts]))
    put("start", narrow(np.append(starts, table.size)))
    put("seq", narrow(table.seq))
    put("id", table.id)
    put("by_id", narrow(np.argsort(table.id, kind="stable")))
    ended = np.flatnonzero(table.columns["until"] != FOREVER)
    put("ended", narrow(ended))
    put("ended_in", narrow(table.columns["until"][ended]))
    put("special", narrow(np.flatnonzero(table.columns["special"])))
    signatures, codes = np.unique(table.columns["signature"], return_inverse=True)
    put("signature", signatures)
    put("code", narrow(codes))
    put("closes", table.closes.reshape(-1))
    put("successor", narrow(table.successor))
    put("superseded", table.superseded)
    terms = _put_terms(table, postings, blocks, put)
    spaces = {space: _put_vectors(table, space, blocks, put) for space in sorted(table.vectors)}
    meta = {"rows": table.size, "constants": constants, "arrays": arrays, "terms": terms}
    meta["postings"] = postings
    last = int(table.columns["revision"].max()) if table.size else 0
    sums = {name: zlib.crc32(data) for name, data in blocks.items()}
    described = json.dumps(meta | {"spaces": spaces, "revision": last, "sums": sums}).encode()
    blocks["meta"] = zlib.crc32(described).to_bytes(4, "little") + described
    return blocks


def _put_terms(
    table: Table, size: int, blocks: dict[str, bytes], put: Callable[[str, Array], None]
) -> str:
    """The words' lists, and which words begin which block; the type of their codes."""
    lengths = np.unique(table.columns["length"])
    counts = np.unique(table.count)
    put("lengths", lengths)
    put("counts", counts)
    pairs = len(lengths) * len(counts)
    kind = np.dtype(np.uint16 if pairs <= 1 << 16 else np.uint32)
    words, number = np.unique(table.term, return_inverse=True)
    order = np.argsort((number.astype(np.int64) << 32) | table.row)
    rows = table.row[order].astype(np.uint32)
    length_code = np.searchsorted(lengths, table.columns["length"])
    code = np.searchsorted(counts, table.count[order]) * len(lengths) + length_code[rows]
    codes = code.astype(kind)
    offsets = np.append(0, np.cumsum(np.bincount(number, minlength=len(words)))).astype(np.int64)
    firsts = []
    for first, last in _cuts(offsets, size):
        begin, end = offsets[first], offsets[last]
        firsts.append(words[first])
        head = np.array([last - first], np.uint32)
        places = (offsets[first : last + 1] - begin).astype(np.uint32)
        parts = (head, places, words[first:last], rows[begin:end], codes[begin:end])
        blocks[f"t{len(firsts) - 1}"] = b"".join(part.tobytes() for part in parts)
    put("first", np.array(firsts, np.uint64))
    return kind.str


def _cuts(offsets: Array, size: int) -> Iterator[tuple[int, int]]:
    """Which words share a block: until it has enough, and a long list by itself."""
    first, words = 0, len(offsets) - 1
    while first < words:
        enough = offsets[first] + size
        last = max(int(np.searchsorted(offsets, enough, side="right")) - 1, first + 1)
        yield first, min(last, words)
        first = min(last, words)


def _put_vectors(
    table: Table, space: str, blocks: dict[str, bytes], put: Callable[[str, Array], None]
) -> int:
    """A space's vectors, one a row; a row without one has zeros. Their dimension."""
    rows, data = table.vectors[space]
    dimension = int(data.shape[1])
    whole = np.zeros((table.size, dimension), np.int8)
    whole[rows] = data
    put(f"q {space}", narrow(norms(whole)))
    for n in range(0, table.size, VECTORS_A_BLOCK):
        blocks[f"v{n // VECTORS_A_BLOCK} {space}"] = whole[n : n + VECTORS_A_BLOCK].tobytes()
    return dimension


class Segment:
    """A segment, read block by block as questions need it.

    Args:
        kept: What was read already; shared by all who read the segment.
        read: Gives a block by name.
    """

    def __init__(self, kept: MutableMapping[str, Any], read: Callable[[str], bytes]) -> None:
        self._kept = kept
        self._raw = read
        meta = self._once("meta", lambda: _described(read("meta")))
        self.rows: int = meta["rows"]
        self.revision: int = meta["revision"]
        self.spaces: dict[str, int] = meta["spaces"]
        self._constants: dict[str, int] = meta["constants"]
        self._arrays: dict[str, str] = meta["arrays"]
        self._terms = np.dtype(meta["terms"])
        self._postings: int = meta.get("postings", _POSTINGS_ONCE)
        self._sums: dict[str, int] = meta["sums"]

    def _read(self, name: str) -> bytes:
        data = self._raw(name)
        if zlib.crc32(data) != self._sums.get(name):
            raise _damaged(name)
        return data

    def check(self) -> None:
        """Read every block, vectors too, and compare with what its rows would be written as.

        Raises:
            StoreDamaged: One is missing, or is not what was written.
        """
        for name in self._sums:
            self._read(name)
        fresh = written(self.table(), self._postings)
        for name in sorted(self._sums.keys() | fresh):
            if name != "meta" and fresh.get(name) != self._raw(name):
                raise _damaged(name)

    def _once(self, name: str, make: Callable[[], Any]) -> Any:
        found = self._kept.get(name)
        if found is None:
            found = self._kept[name] = make()
        return found

    @property
    def kept(self) -> MutableMapping[str, Any]:
        """What was worked out of this segment; it never changes, so whatever is put here stays true."""
        return self._kept

    def array(self, name: str) -> Array:
        """An array by name."""
        kind = self._arrays[name]
        found: Array = self._once(name, lambda: np.frombuffer(self._read(name), kind))
        return found

    def constant(self, name: str) -> int | None:
        """A column's one value; None where it has several."""
        return self._constants.get(name)

    def column(self, name: str) -> Array:
        """A column of `COLUMNS` other than those that are kept sparse."""
        one = self._constants.get(name)
        if one is None:
            return self.array(name)
        whole: Array = self._once(f"= {name}", lambda: np.full(self.rows, one, np.int64))
        return whole

    def closes(self) -> Array:
        """Class, event and revision of versions in other segments that rows of this one replaced."""
        return self.array("closes").reshape(-1, 3)

    def rows_of_ids(self, ids: Array) -> Array:
        """Each (row, number of the name) whose row is of one of some names, as two lines."""
        names, order = self.array("id"), self.array("by_id")
        low = np.searchsorted(names, ids, side="left", sorter=order)
        high = np.searchsorted(names, ids, side="right", sorter=order)
        which = np.repeat(np.arange(len(ids)), high - low)
        offset = np.arange(len(which)) - np.repeat(np.cumsum(high - low) - (high - low), high - low)
        return np.stack([order[np.repeat(low, high - low) + offset].astype(np.int64), which])

    def postings(self, term: int) -> tuple[Array, Array]:
        """Rows that hold a word, ascending, and the code of each one's count and length."""
        word = np.uint64(term)
        block = int(self.array("first").searchsorted(word, side="right")) - 1
        if block < 0:
            return _NO_ROWS, _NO_ROWS
        places, words, rows, codes = self._once(f"t{block}", lambda: self._block(block))
        at = int(words.searchsorted(word))
        if at == len(words) or words[at] != word:
            return _NO_ROWS, _NO_ROWS
        return rows[places[at] : places[at + 1]], codes[places[at] : places[at + 1]]

    def _block(self, number: int) -> tuple[Array, Array, Array, Array]:
        data = self._read(f"t{number}")
        count = int(np.frombuffer(data, np.uint32, 1)[0])
        places = np.frombuffer(data, np.uint32, count + 1, 4)
        size, at = int(places[-1]), 4 + 4 * (count + 1)
        words = np.frombuffer(data, np.uint64, count, at)
        rows = np.frombuffer(data, np.uint32, size, at + 8 * count)
        codes = np.frombuffer(data, self._terms, size, at + 8 * count + 4 * size)
        return places, words, rows, codes

    def squares(self, space: str) -> Array:
        """Each row's own dot product in a space; 0 where it has no vector."""
        return self.array(f"q {space}")

    def vectors(self, space: str) -> Iterator[tuple[int, Array]]:
        """The space's vectors, block by block, each with its first row."""
        for n in range(0, self.rows if space in self.spaces else 0, VECTORS_A_BLOCK):
            yield n, self.vector_block(space, n // VECTORS_A_BLOCK)

    def vector_block(self, space: str, number: int) -> Array:
        """The vectors of one block of rows."""
        name = f"v{number} {space}"
        dimension = self.spaces[space]
        size = min(VECTORS_A_BLOCK, self.rows - number * VECTORS_A_BLOCK)

        def read() -> Array:
            data = self._raw(name)
            if len(data) != size * dimension:
                raise _damaged(name)
            return np.frombuffer(data, np.int8).reshape(size, dimension)

        block: Array = self._once(name, read)
        return block

    def table(self) -> Table:
        """Everything of it as columns."""
        columns = {name: self.column(name).astype(kind) for name, kind in COLUMNS if name in _PLAIN}
        columns["until"] = np.full(self.rows, FOREVER, np.int64)
        columns["until"][self.array("ended")] = self.array("ended_in")
        columns["special"] = np.zeros(self.rows, np.bool_)
        columns["special"][self.array("special")] = True
        columns["signature"] = self.array("signature")[self.array("code")]
        terms, rows, codes = self._all_postings()
        counts = self.array("counts")[codes // max(len(self.array("lengths")), 1)]
        return Table(
            np.repeat(
                self.array("class").astype(np.int64), np.diff(self.array("start").astype(int))
            ),
            self.array("seq").astype(np.int64),
            self.array("id"),
            columns,
            terms,
            rows.astype(np.int64),
            counts.astype(np.int64),
            self.closes(),
            self.array("successor").astype(np.int64),
            self.array("superseded"),
            {space: self._all_vectors(space) for space in self.spaces},
        )

    def _all_postings(self) -> tuple[Array, Array, Array]:
        parts = [self._block(n) for n in range(len(self.array("first")))]
        if not parts:
            return np.empty(0, np.uint64), np.empty(0, np.int64), np.empty(0, np.int64)
        terms = [np.repeat(words, np.diff(places)) for places, words, _, _ in parts]
        rows = np.concatenate([rows for _, _, rows, _ in parts])
        return np.concatenate(terms), rows, np.concatenate([codes for _, _, _, codes in parts])

    def _all_vectors(self, space: str) -> tuple[Array, Array]:
        none = np.empty((0, self.spaces[space]), np.int8)
        whole = np.concatenate([none, *(block for _, block in self.vectors(space))])
        rows = np.flatnonzero(whole.any(axis=1))
        return rows, whole[rows]


def _described(data: bytes) -> dict[str, Any]:
    if int.from_bytes(data[:4], "little") != zlib.crc32(data[4:]) or len(data) < 5:
        raise _damaged("meta")
    found: dict[str, Any] = json.loads(data[4:])
    return found


def _damaged(name: str) -> StoreDamaged:
    return StoreDamaged(
        f"the block {quoted(name)} of the index is not what was written",
        fix="keep a copy of the store, then run `muniment doctor --rebuild-index`",
    )


_NO_ROWS = np.empty(0, np.uint32)
