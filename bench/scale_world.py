"""A store of a million memories, made in minutes: rows of the tables and segments of the index, written directly.

- What a recall reads is there as the product writes it: versions, contents, classes, segments, vectors. The chain of
  hashes is not: what it costs is measured by `bench.write_cost`.
- A memory is 12 to 24 words (about 146 characters) drawn from 60,000 by Zipf's law; every thousandth part of the
  memories is a scope of its own; its vector is drawn at random, 256 dimensions.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from bench.report import progress
from muniment.core.access import Scope, Visibility
from muniment.core.canonical import canonical
from muniment.core.claim import Claim, Review
from muniment.core.embedding import Space
from muniment.core.encode import encode
from muniment.core.fold import indexed_text
from muniment.core.ids import new_id
from muniment.core.record import strip, with_normal_visibility
from muniment.core.row import Row
from muniment.core.source import Source
from muniment.core.words import words
from muniment.index.blocks import written
from muniment.index.entry import TermKeys, entry_of
from muniment.index.table import merged, of_entries
from muniment.store.indexing import SegmentRow
from muniment.store.sqlite import SqliteStore
from muniment.store.tables.encoding import columns_of

TENANT, ASKER = "bench", "user:ada"
SCOPES = 1_000
SEGMENT = 262_144
AT = datetime(2026, 7, 8, 12, tzinfo=UTC)
SPACE = Space("random", "1", 256)


def scope(number: int) -> Scope:
    """The scope of a number."""
    return Scope("repository", f"github:acme/r{number:04d}")


@dataclass(frozen=True)
class Load:
    """How fast the world was made.

    Attributes:
        analysed: Memories a second of processor time, from text to entries of the index.
        built: The same, from entries to blocks in the file.
        written: The same for the rest: versions and contents.
        index_bytes: Bytes of the index's blocks a memory.
        file_bytes: Bytes of the whole file a memory.
    """

    analysed: float
    built: float
    written: float
    index_bytes: float
    file_bytes: float


def vocabulary(size: int = 60_000) -> list[str]:
    """Plain words: consonants and vowels in turn, all different."""
    heads, tails = "bcdfghjklmnprstvwz", "aeiou"
    made = []
    for n in range(size):
        word, rest = "", n
        for _place in range(3):
            word += heads[rest % 18] + tails[rest // 18 % 5]
            rest //= 90
        made.append(f"{word}{heads[n % 18]}")
    return list(dict.fromkeys(made))


def texts(count: int, seed: int = 7) -> Iterator[str]:
    """Memories' texts, the same for a seed."""
    rng = np.random.default_rng(seed)
    names = np.array(vocabulary())
    weights = 1 / (np.arange(len(names)) + 2.7)
    shares = np.cumsum(weights / weights.sum())
    for start in range(0, count, 10_000):
        size = min(10_000, count - start)
        lengths = rng.integers(12, 25, size)
        chosen = names[np.searchsorted(shares, rng.random(int(lengths.sum())))]
        place = 0
        for length in lengths.tolist():
            yield " ".join(chosen[place : place + length].tolist())
            place += length


def vectors(count: int, seed: int = 11) -> np.ndarray:
    """Unit vectors times 127, as signed bytes."""
    rng = np.random.default_rng(seed)
    whole = rng.standard_normal((count, SPACE.dimension), np.float32)
    whole /= np.linalg.norm(whole, axis=1, keepdims=True)
    return np.round(whole * 127).astype(np.int8)


def make(path: Path, count: int, *, seed: int = 7) -> Load:
    """Make the store's file.

    Args:
        path: Where; nothing stands there yet.
        count: How many memories, a multiple of `SCOPES` is best.
        seed: Of the texts.
    """
    store = SqliteStore.open(path, entropy=os.urandom, create=True)
    shared = Visibility("public")
    with store.transaction(TENANT) as transaction:
        for n in range(SCOPES):
            transaction.declare_class(
                scope(n),
                with_normal_visibility(_claim("", 0, scope(n), shared)).visibility.audience,
            )
        key = transaction.key
        numbers = {row.scope_id: (row.number, row.id) for row in transaction.classes()}
    store.close()
    database = sqlite3.connect(path)
    for pragma in ("synchronous = OFF", "journal_mode = WAL", "cache_size = -200000"):
        database.execute(f"PRAGMA {pragma}")
    (tenant,) = database.execute("SELECT id FROM tenant WHERE name = ?", (TENANT,)).fetchone()
    spent, index_bytes, done = Counter[str](), 0, 0
    term_key = TermKeys(key)
    per_scope = max(count // SCOPES, 1)
    waiting: list[tuple[Claim, int, str]] = []
    for seq, text in enumerate(texts(count, seed), 1):
        where = scope(min((seq - 1) // per_scope, SCOPES - 1))
        number, cls = numbers[where.id]
        waiting.append((_claim(text, seq, where, shared), number, cls))
        if len(waiting) == min(SEGMENT, 65_536) or seq == count:
            first = seq - len(waiting) + 1
            rows, entries = _analysed(waiting, first, term_key, spent)
            begin = time.process_time()
            _insert(database, tenant, waiting, rows)
            spent["written"] += time.process_time() - begin
            index_bytes += _segments(database, tenant, entries, spent, seq == count)
            done += len(waiting)
            waiting = []
            progress("memories", done, count)
    heads = [(tenant, number, b"\0" * 32, per_scope, count) for number, _ in numbers.values()]
    database.executemany("INSERT INTO class_head VALUES (?,?,?,?,?)", heads)
    database.commit()
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    size = path.stat().st_size
    return Load(
        count / spent["analysed"], count / spent["built"], count / spent["written"],
        index_bytes / count, size / count,
    )  # fmt: skip


_pieces: list = []


def _analysed(waiting, first: int, term_key, spent) -> tuple[list[Row], list]:
    """The rows and index entries of some memories."""
    rows, entries = [], []
    begin = time.process_time()
    for seq, (claim, number, cls) in enumerate(waiting, first):
        counts = Counter(words(indexed_text(claim)))
        row = Row(
            seq, seq, claim.id, 1, cls, "accepted",
            recorded_at=1_751_976_000_000_000 + seq, created_at=1_751_976_000_000_000 + seq,
            type=claim.type, memory_type=claim.memory_type, origin=claim.source.origin,
            allowed=claim.allowed_uses, length=sum(counts.values()),
        )  # fmt: skip
        rows.append(row)
        entries.append(entry_of(row, counts, number, term_key))
    spent["analysed"] += time.process_time() - begin
    return rows, entries


def _segments(database, tenant, entries, spent, last) -> int:
    """Turn entries into a piece; write a segment when there are enough."""
    begin = time.process_time()
    table = merged([of_entries(entries)])
    spent["built"] += time.process_time() - begin
    data = vectors(table.size, seed=int(table.seq.min()))
    _pieces.append(replace(table, vectors={str(SPACE): (np.arange(table.size), data)}))
    size = 0
    begin = time.process_time()
    if last or sum(piece.size for piece in _pieces) >= SEGMENT:
        whole = merged(_pieces)
        blocks = written(whole)
        number = database.execute(
            "SELECT coalesce(max(segment), 0) + 1 FROM index_segment"
        ).fetchone()[0]
        row = SegmentRow(number, 1, 9, whole.size)
        database.execute(
            "INSERT INTO index_segment VALUES (?,?,?,?,?,?)",
            (tenant, "claim", row.number, row.generation, row.level, row.rows),
        )
        database.executemany(
            "INSERT INTO index_block VALUES (?,?,?,?,?)",
            [(tenant, "claim", number, name, block) for name, block in blocks.items()],
        )
        database.commit()
        size = sum(map(len, blocks.values()))
        _pieces.clear()
    spent["built"] += time.process_time() - begin
    return size


def _claim(text: str, n: int, where: Scope, shared: Visibility) -> Claim:
    made = Claim(
        id=new_id("mem", 1_751_976_000_000 + n, n.to_bytes(10, "big")),
        claim=text,
        scope=where,
        source=Source("file", uri="repo:github:acme/shop!/notes.md"),
        visibility=shared,
        version=1,
        created_at=AT + timedelta(seconds=n),
        review=Review("accepted"),
        allowed_uses=("answer_questions",),
        type="project_fact",
        memory_type="semantic",
    )
    return with_normal_visibility(made)


def _insert(database, tenant: int, waiting, made: Sequence[Row]) -> None:
    zero = b"\0" * 32
    events = [
        (
            tenant,
            r.seq,
            r.seq,
            "2026-07-08T12:00:00Z",
            "claim",
            c.id,
            c.id,
            c.id,
            n,
            zero,
            zero,
            zero,
        )
        for (c, n, _), r in zip(waiting, made, strict=True)
    ]
    contents = []
    for (claim, _, _), row in zip(waiting, made, strict=True):
        contents.append((tenant, row.seq, b"salt", canonical(strip(encode(claim))[0])))
    database.executemany(f"INSERT INTO event VALUES ({','.join('?' * 12)})", events)
    database.executemany("INSERT INTO content VALUES (?,?,?,?)", contents)
    rows = [columns_of(tenant, n, row) for (_, n, _), row in zip(waiting, made, strict=True)]
    database.executemany(f"INSERT INTO version VALUES ({','.join('?' * len(rows[0]))})", rows)
    database.commit()
