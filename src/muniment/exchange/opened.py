r"""A file from outside while it is being read: its bytes, digest and lines, in bounded memory.

- Up to `IN_MEMORY` bytes are held; what is larger is copied into an unnamed temporary file and mapped, so that a
  change by somebody else neither tears nor ends the reading.
- The digest is of exactly the bytes that are read.
- Text that was encoded inside another text has a pointer, and no place in bytes.

>>> file = opened_bytes("a.jsonl", "file:///a.jsonl", b"one\ntwo\n")
>>> file.place(4, 7).line, file.place(4, 7).quote
(2, 'two')
"""

from __future__ import annotations

import hashlib
import mmap
import os
import stat
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any

from muniment.core.errors import Finding, quoted
from muniment.ports.importing import Place

IN_MEMORY = 64_000_000
LARGEST = 4_000_000_000
LONGEST_QUOTE = 65_536
_CHUNK = 1 << 20
_STRIDE = 1 << 13


class Unopened(Exception):
    """A file cannot be read; carries the finding."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


@dataclass(slots=True)
class OpenFile:
    """One file's bytes.

    Attributes:
        name: As it is shown.
        uri: Its address.
        path: POSIX path by which formats know it (folders and name), never opened.
        data: The bytes.
        digest: `sha256:…` of them.
        size: Their number.
        whole: Whether places in `data` are places in the file.
        front: Text of the front matter and what it was found to hold, once it was read as plain YAML; else None.
        bundle: What the folder that it stands in says of concepts (`exchange.mif.spaces`); None where it stands alone.
    """

    name: str
    uri: str
    path: str
    data: Any
    digest: str
    size: int
    whole: bool = True
    front: tuple[str, dict[str, Any]] | None = None
    bundle: Any = None
    _marks: list[int] = field(default_factory=lambda: [0])
    _spool: IO[bytes] | None = None

    def part(self, start: int, end: int) -> bytes:
        """Some of the bytes."""
        return bytes(self.data[start:end])

    def line(self, position: int) -> int:
        """1-based line of a byte."""
        block = position // _STRIDE
        while len(self._marks) <= block:
            at = (len(self._marks) - 1) * _STRIDE
            self._marks.append(self._marks[-1] + self.part(at, at + _STRIDE).count(b"\n"))
        return self._marks[block] + self.part(block * _STRIDE, position).count(b"\n") + 1

    def place(self, start: int, end: int, pointer: str = "") -> Place:
        """A place with its quote; an over-long quote is left out, and its bytes are still named."""
        if not self.whole:
            text = self.part(start, min(end, start + LONGEST_QUOTE)).decode("utf-8", "replace")
            return Place(pointer=pointer, quote=text if end - start <= LONGEST_QUOTE else "")
        if end - start > LONGEST_QUOTE:
            return Place(self.line(start), pointer=pointer)
        try:
            quote = self.part(start, end).decode("utf-8")
        except UnicodeDecodeError:
            return Place(self.line(start), pointer=pointer)
        return Place(self.line(start), start, end, pointer, quote)

    def inside(self, text: str) -> OpenFile:
        """A text that was encoded in this file, as a file of its own with this one's name and digest."""
        data = text.encode("utf-8", "replace")
        return replace(
            self, data=data, size=len(data), whole=False, front=None, _marks=[0], _spool=None
        )

    def close(self) -> None:
        """Let go of the bytes."""
        if isinstance(self.data, mmap.mmap):
            self.data.close()
        if self._spool is not None:
            self._spool.close()
        self.data = b""


def opened_bytes(name: str, uri: str, data: bytes, path: str = "") -> OpenFile:
    """Bytes that are held already."""
    digest = "sha256:" + hashlib.sha256(data).hexdigest()
    return OpenFile(name, uri, path or name, data, digest, len(data))


def opened_path(name: str, uri: str, path: Path, unless: tuple[bytes, ...] = ()) -> OpenFile | None:
    """A regular file.

    Args:
        name: As it is shown.
        uri: Its address.
        path: Where it is.
        unless: Beginnings of four bytes; what begins so is somebody else's to open, and None.

    Raises:
        Unopened: It is not there, no regular file, too large, or may not be read.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        handle = os.open(path, flags)
        with os.fdopen(handle, "rb") as stream:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise Unopened(_unreadable(name, "it is no regular file"))
            if unless and stream.peek(4)[:4] in unless:
                return None
            return opened_stream(name, uri, stream.read, path.as_posix())
    except (OSError, ValueError) as error:
        why = (getattr(error, "strerror", "") or "it is no file's name").lower()
        raise Unopened(_unreadable(name, why)) from error


def opened_stream(
    name: str, uri: str, read: Callable[[int], bytes], path: str, most: int = LARGEST
) -> OpenFile:
    """What a stream gives, held in memory while it is small, else in an unnamed temporary file.

    Args:
        name: As it is shown.
        uri: Its address.
        read: Gives at most that many bytes, and none at the end.
        path: By which formats know it.
        most: Bytes at most.

    Raises:
        Unopened: It has more bytes.
    """
    first = read(_CHUNK)
    rest = read(_CHUNK) if first else b""
    if not rest and len(first) <= min(most, IN_MEMORY):
        return opened_bytes(name, uri, first, path)
    waiting = iter((first, rest))
    hashed, size = hashlib.sha256(), 0
    with tempfile.SpooledTemporaryFile(max_size=IN_MEMORY) as kept:
        while chunk := next(waiting, None) or read(_CHUNK):
            size += len(chunk)
            if size > most:
                message = f"{quoted(name)} has more than the {most:,} bytes that are read"
                raise Unopened(Finding("too_large", message, name, "split it"))
            hashed.update(chunk)
            kept.write(chunk)
        digest = "sha256:" + hashed.hexdigest()
        if size <= IN_MEMORY:
            kept.seek(0)
            return OpenFile(name, uri, path, kept.read(), digest, size)
        kept.flush()
        spool = os.fdopen(os.dup(kept.fileno()), "rb")
    mapped = mmap.mmap(spool.fileno(), 0, access=mmap.ACCESS_READ)
    return OpenFile(name, uri, path, mapped, digest, size, _spool=spool)


def _unreadable(name: str, why: str) -> Finding:
    message = f"{quoted(name)} cannot be read: {why}"
    return Finding("unreadable_file", message, name, "name a file that you may read")
