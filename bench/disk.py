"""A model of a disk that loses power: from a log of operations to what is found afterwards.

- A write is cut into sectors of 512 bytes. What was written before the file's last sync is
  durable; of later writes, each sector stands at some earlier or later version of itself,
  independently of every other sector and of every other file.
- A file's size follows its truncations and extensions in their order, and may lag behind them.
  A truncation that took effect leaves none of the older bytes behind it.
- A new or removed name is durable after its directory was synced, not after the file was. Until
  then each name stands at some earlier or later state of itself, independently of other names.
- A crash at index `k` finds operations `0 … k-1` issued, the rest not.

Left out: disks that lie about a sync, bytes that rot, a write that damages its neighbours
(SQLite assumes "powersafe overwrite" unless told otherwise), and directories that are not
durable themselves. A truncation inside a sector does not erase older bytes in that sector.

>>> disk = Disk()
>>> for operation in (
...     Create("a.db", file=1),
...     Write(1, 0, b"first"),
...     Sync(1),
...     SyncDirectory("."),
...     Write(1, 0, b"LATER"),
... ):
...     disk.apply(operation)
>>> disk.image("lost", Random(0))
{'a.db': b'first'}
>>> disk.image("kept", Random(0))
{'a.db': b'LATER'}
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from random import Random
from typing import TypeAlias

SECTOR = 512  # bytes

VARIANTS = ("sectors", "torn", "lost", "garbage", "kept")
"""What a power cut leaves of the unsynced writes.

- `lost`: nothing. `kept`: everything.
- `sectors`: each sector and each name by itself, drawn from the generator.
- `torn`: as `sectors`, and a sector may hold a part of the next version beside the older one.
- `garbage`: as `sectors`, and a sector by which the file grew but that was lost holds noise.
"""

DRAWN = ("sectors", "torn", "garbage")
"""The variants that differ with the generator."""


@dataclass(frozen=True, slots=True)
class Create:
    """The name now leads to a new, empty file with this number."""

    name: str
    file: int


@dataclass(frozen=True, slots=True)
class Delete:
    """The name leads nowhere."""

    name: str


@dataclass(frozen=True, slots=True)
class Write:
    """Bytes at an offset of a file."""

    file: int
    offset: int
    content: bytes


@dataclass(frozen=True, slots=True)
class Truncate:
    """The file now has this many bytes."""

    file: int
    size: int


@dataclass(frozen=True, slots=True)
class Sync:
    """What was written to the file so far is durable."""

    file: int


@dataclass(frozen=True, slots=True)
class SyncDirectory:
    """The names of this directory are durable."""

    directory: str


Operation: TypeAlias = Create | Delete | Write | Truncate | Sync | SyncDirectory


@dataclass(slots=True)
class _Piece:
    """One unsynced write's part of one sector."""

    index: int
    start: int  # within the sector
    content: bytes


@dataclass(slots=True)
class _File:
    """A file: what is durable, and what was done to it since its last sync."""

    durable: bytes = b""
    size: int = 0
    steps: int = 0
    sectors: dict[int, list[_Piece]] = field(default_factory=dict)
    truncations: list[tuple[int, int]] = field(default_factory=list)  # (index, size)
    sizes: list[tuple[int, int]] = field(default_factory=list)  # (index, size), in order

    def write(self, offset: int, content: bytes) -> None:
        self.steps += 1
        position = 0
        while position < len(content):
            sector, start = divmod(offset + position, SECTOR)
            part = content[position : position + SECTOR - start]
            self.sectors.setdefault(sector, []).append(_Piece(self.steps, start, part))
            position += len(part)
        if offset + len(content) > self.size:
            self.size = offset + len(content)
            self.sizes.append((self.steps, self.size))

    def truncate(self, size: int) -> None:
        self.steps += 1
        self.size = size
        self.truncations.append((self.steps, size))
        self.sizes.append((self.steps, size))

    def sync(self) -> None:
        if self.steps:
            self.durable = self.kept()
            self.steps = 0
            self.sectors = {}
            self.truncations = []
            self.sizes = []

    def kept(self) -> bytes:
        """The file as its readers see it."""
        return self._assemble(self.steps, None, "kept")

    def drawn(self, variant: str, rng: Random) -> bytes:
        """The file after a power cut in which the generator decides about each sector."""
        reached = self.steps if not self.sizes or rng.random() < 0.5 else rng.randint(0, self.steps)
        return self._assemble(reached, rng, variant)

    def _assemble(self, reached: int, rng: Random | None, variant: str) -> bytes:
        """Build the file whose size stands where it was after step `reached`."""
        size = next((s for i, s in reversed(self.sizes) if i <= reached), len(self.durable))
        truncations = [(i, s) for i, s in self.truncations if i <= reached]
        grown_from = min([len(self.durable), *(s for _, s in truncations)])
        content = bytearray(self.durable[:grown_from])
        content.extend(bytes(max(0, size - len(content))))
        eagerness = rng.choice((0.1, 0.5, 0.9)) if rng else 1.0
        for sector, written in self.sectors.items():
            at = sector * SECTOR
            pieces = written
            if truncations:
                # INVARIANT: a truncation that took effect leaves none of the older bytes.
                floor = max((i for i, s in truncations if s <= at), default=0)
                pieces = [piece for piece in written if piece.index > floor]
            if at >= size or not pieces:
                continue
            if rng is None:
                _lay(content, at, pieces)
            else:
                noisy = variant == "garbage" and at >= grown_from
                _draw(content, at, pieces, rng, eagerness, torn=variant == "torn", noisy=noisy)
        del content[size:]
        return bytes(content)


def _lay(content: bytearray, at: int, pieces: Iterable[_Piece]) -> None:
    for piece in pieces:
        start = at + piece.start
        if start > len(content):
            content.extend(bytes(start - len(content)))
        content[start : start + len(piece.content)] = piece.content


def _draw(
    content: bytearray,
    at: int,
    pieces: list[_Piece],
    rng: Random,
    eagerness: float,
    *,
    torn: bool,
    noisy: bool,
) -> None:
    """Put the sector into some version of itself; `eagerness` is the chance of the latest."""
    count = len(pieces)
    version = count if rng.random() < eagerness else rng.randrange(count)
    if noisy and version == 0:
        content[at : at + SECTOR] = rng.randbytes(SECTOR)
    _lay(content, at, pieces[:version])
    if torn and version < count and len(pieces[version].content) > 1 and rng.random() < 0.5:
        _lay(content, at, (_torn(pieces[version], rng),))


def _torn(piece: _Piece, rng: Random) -> _Piece:
    """Return the first or the last part of the piece."""
    split = rng.randrange(1, len(piece.content))
    if rng.random() < 0.5:
        return _Piece(piece.index, piece.start, piece.content[:split])
    return _Piece(piece.index, piece.start + split, piece.content[split:])


class Disk:
    """Files and names, each with what is durable and what is not yet.

    Args:
        baseline: files that were durable before the first operation: name to (number, content).
    """

    def __init__(self, baseline: dict[str, tuple[int, bytes]] | None = None) -> None:
        self._files: dict[int, _File] = {}
        self._names: dict[str, int] = {}  # durable
        self._renamed: dict[str, list[int | None]] = {}  # later states of a name, in order
        for name, (number, content) in (baseline or {}).items():
            self._files[number] = _File(content, len(content))
            self._names[name] = number

    def apply(self, operation: Operation) -> None:
        """Do the next operation of the log."""
        match operation:
            case Write(file, offset, content):
                self._files[file].write(offset, content)
            case Truncate(file, size):
                self._files[file].truncate(size)
            case Sync(file):
                self._files[file].sync()
            case Create(name, file):
                self._files[file] = _File()
                self._renamed.setdefault(name, []).append(file)
            case Delete(name):
                self._renamed.setdefault(name, []).append(None)
            case SyncDirectory(directory):
                self._sync_directory(directory)

    def image(self, variant: str, rng: Random) -> dict[str, bytes]:
        """Return what is found after a power cut now: name to content.

        Args:
            variant: one of `VARIANTS`.
            rng: decides for the variants in `DRAWN`; the others leave it alone.
        """
        if variant not in VARIANTS:
            raise ValueError(f"unknown variant `{variant}`, expected one of {', '.join(VARIANTS)}")
        image: dict[str, bytes] = {}
        for name in sorted(self._names.keys() | self._renamed.keys()):
            number = self._where(name, variant, rng)
            if number is None:
                continue
            file = self._files[number]
            if variant == "lost":
                image[name] = file.durable
            elif variant == "kept":
                image[name] = file.kept()
            else:
                image[name] = file.drawn(variant, rng)
        return image

    def _where(self, name: str, variant: str, rng: Random) -> int | None:
        states: list[int | None] = [self._names.get(name), *self._renamed.get(name, ())]
        if variant == "lost":
            return states[0]
        if variant == "kept" or len(states) == 1:
            return states[-1]
        return rng.choice(states)

    def _sync_directory(self, directory: str) -> None:
        for name in [n for n in self._renamed if str(PurePosixPath(n).parent) == directory]:
            number = self._renamed.pop(name)[-1]
            if number is None:
                self._names.pop(name, None)
            else:
                self._names[name] = number
        reachable = set(self._names.values()).union(*self._renamed.values())
        # A file without a name may still be written to by those who have it open; it is kept
        # empty of content, so that a long log does not hold every journal that ever was.
        for number, file in self._files.items():
            if number not in reachable and (file.durable or file.steps):
                self._files[number] = _File()
