"""One row of the index, and the bytes in which it waits in the tail until it is merged.

- A row is one version of a claim, or one passage: its class, both times, length, words and what it replaced.
- What `core.decide` tells rows apart by, times aside, is their `signature`.

>>> entry = Entry(7, 1, 3, "mem_a", 2, 5, terms=((11, 1), (12, 1)))
>>> unpacked(packed(entry)) == entry
True
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from muniment.core.row import FOREVER, Row

MOST_COUNT = 65_535
"""A word that stands more often than this in one text counts as if it stood so often."""

_HEAD = struct.Struct("<qIIIQqqqqqqIqBBHI")
_LONGEST_ID = 255


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of the index.

    Attributes:
        seq: The event that recorded it.
        cls: Number of its class within the tenant.
        revision: First revision in which it holds.
        id: The claim, or the passage.
        length: How many words it has.
        signature: What decides beside its times (`signature_of`).
        special: Whether deciding on it needs its relations to other claims.
        valid_from: Inclusive, microseconds.
        valid_until: Exclusive.
        expires_at: Exclusive.
        verified_at: When its source last agreed.
        began: When it began to hold, or was first recorded.
        until: First revision in which it holds no longer.
        replaced: Class number and event of the version that it replaced; (0, 0) for none.
        supersedes: Claims that it replaced.
        terms: Each word's digest with its count, ascending.
    """

    seq: int
    cls: int
    revision: int
    id: str
    length: int
    signature: int
    special: bool = False
    valid_from: int = -FOREVER
    valid_until: int = FOREVER
    expires_at: int = FOREVER
    verified_at: int = -FOREVER
    began: int = 0
    until: int = FOREVER
    replaced: tuple[int, int] = (0, 0)
    supersedes: tuple[str, ...] = ()
    terms: tuple[tuple[int, int], ...] = ()


def packed(entry: Entry) -> bytes:
    """A row as bytes."""
    ids = [one.encode("utf-8", "surrogatepass") for one in (entry.id, *entry.supersedes)]
    head = _HEAD.pack(
        entry.seq, entry.cls, entry.revision, entry.length, entry.signature,
        entry.valid_from, entry.valid_until, entry.expires_at, entry.verified_at, entry.began, entry.until,
        entry.replaced[0], entry.replaced[1], entry.special, 0, len(ids), len(entry.terms),
    )  # fmt: skip
    named = b"".join(len(one).to_bytes(2, "little") + one for one in ids)
    words = struct.pack(f"<{len(entry.terms)}Q", *(term for term, _ in entry.terms))
    counts = struct.pack(f"<{len(entry.terms)}H", *(count for _, count in entry.terms))
    whole = head + named + words + counts
    return whole + zlib.crc32(whole).to_bytes(4, "little")


def unpacked(data: bytes) -> Entry:
    """A row from its bytes.

    Raises:
        ValueError: They are not a row's.
    """
    if zlib.crc32(data[:-4]) != int.from_bytes(data[-4:], "little"):
        raise ValueError("a row of the index is not readable")
    try:
        (seq, cls, revision, length, signature, valid_from, valid_until, expires_at, verified_at, began, until,
         old_cls, old_seq, special, _, count, size) = _HEAD.unpack_from(data)  # fmt: skip
        place, ids = _HEAD.size, []
        for _n in range(count):
            end = place + 2 + int.from_bytes(data[place : place + 2], "little")
            ids.append(data[place + 2 : end].decode("utf-8", "surrogatepass"))
            place = end
        name, supersedes = ids[0], tuple(ids[1:])
        terms = struct.unpack_from(f"<{size}Q", data, place)
        counts = struct.unpack_from(f"<{size}H", data, place + 8 * size)
    except (struct.error, UnicodeDecodeError, IndexError) as error:
        raise ValueError("a row of the index is not readable") from error
    return Entry(
        seq, cls, revision, name, length, signature, bool(special), valid_from, valid_until, expires_at,
        verified_at, began, until, (old_cls, old_seq), supersedes, tuple(zip(terms, counts, strict=True)),
    )  # fmt: skip


class TermKeys(dict[str, int]):
    """Words to keyed digests of 64 bits, remembered.

    A tenant's words cannot be read from its index, nor compared with another tenant's.
    """

    def __init__(self, key: Callable[..., str], most: int = 200_000) -> None:
        super().__init__()
        self._key = key
        self._most = most

    def __missing__(self, word: str) -> int:
        if len(self) >= self._most:
            self.clear()
        found = self[word] = int(self._key("term", word)[:16], 16)
        return found

    def __call__(self, word: str) -> int:
        """The digest of a word."""
        return self[word]


@lru_cache(maxsize=8192)
def _digest(values: tuple[object, ...]) -> int:
    return int.from_bytes(hashlib.blake2b(repr(values).encode(), digest_size=8).digest(), "little")


def signature_of(row: Row) -> int:
    """A digest of everything by which `core.decide` and filters tell rows apart, times and successors aside."""
    return _digest(
        (
            row.review, row.retired, row.type, row.memory_type, row.origin, row.derivation, row.reading,
            bool(row.derived_stale), row.allowed, row.prohibited, row.version,
            is_special(row),
        )
    )  # fmt: skip


def is_special(row: Row) -> bool:
    """Whether deciding on a row needs its own relations: it was made from others, or records what became of it."""
    return bool(row.derived_from or row.derived_stale or row.superseded_by or row.conflicts)


def hashed(terms: Mapping[str, int], term_key: Callable[[str], int]) -> tuple[tuple[int, int], ...]:
    """Words with their counts as the index keeps them."""
    key = term_key.__getitem__ if isinstance(term_key, TermKeys) else term_key
    counts: Iterable[int] = terms.values()
    if terms and max(counts) > MOST_COUNT:
        counts = [min(n, MOST_COUNT) for n in counts]
    return tuple(sorted(zip(map(key, terms), counts, strict=True)))


def entry_of(
    row: Row,
    terms: Mapping[str, int],
    cls: int,
    term_key: Callable[[str], int],
    replaced: tuple[int, int] = (0, 0),
) -> Entry:
    """The index's row of a claim's version.

    Args:
        row: Its columns.
        terms: Its words with their counts.
        cls: The number of its class.
        term_key: Gives a word's digest.
        replaced: Class number and event of the version that it replaced.
    """
    return Entry(
        row.seq, cls, row.revision, row.claim_id, row.length, signature_of(row), is_special(row), row.valid_from,
        row.valid_until, row.expires_at, row.verified_at,
        row.valid_from if row.valid_from != -FOREVER else row.created_at,
        row.until_revision, replaced, row.supersedes, hashed(terms, term_key),
    )  # fmt: skip
