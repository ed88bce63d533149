"""Read the files of a large import in a process of its own, while this one checks and records what it found.

- The same reader runs there, and gives the same files, records and findings in the same order; what it raises is
  raised here.
- A pipe of bounded size lies between the two, so that reading goes ahead only as far as it holds.
- Values are pickled between two processes of this program; nothing else ever writes to that pipe. Where the process
  cannot be started, or there is one processor, the files are read here.

>>> import io
>>> out = io.BytesIO()
>>> send(_Nothing(), out)
>>> list(_received(io.BytesIO(out.getvalue())))
[('end', None)]
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import IO, Any

from muniment.exchange.gather import Gathered, walked
from muniment.ports.importing import Batch, ForeignFile, Yielded

FROM_FILES = 500
FROM_BYTES = 2_000_000
"""An import is large from so many files, or one file of so many bytes."""

_AT_ONCE = 64
_STARTED = (
    "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); "
    "from muniment.exchange.ahead import serve; serve()"
)
Item = tuple[str, Any]
"""What travels: `file` and its description, `one` and what it holds, `raised` and the error, `end`."""


@dataclass(frozen=True, slots=True)
class _Nothing:
    """No files."""

    def files(self) -> Iterator[tuple[ForeignFile, Iterator[Yielded]]]:
        return iter(())


@dataclass(frozen=True, slots=True)
class Ahead:
    """A batch that another process reads; see `ports.importing.Batch`."""

    batch: Gathered

    def files(self) -> Iterator[tuple[ForeignFile, Iterator[Yielded]]]:
        """Each file with what it holds."""
        try:
            child = subprocess.Popen(  # noqa: S603 - this program's own interpreter and code
                [sys.executable, "-c", _STARTED],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        except OSError:
            yield from self.batch.files()
            return
        try:
            assert child.stdin is not None
            assert child.stdout is not None
            with suppress(BrokenPipeError), child.stdin as given:
                pickle.dump(sys.path, given)
                pickle.dump(self.batch, given)
            yield from _files(_received(child.stdout))
        finally:
            child.kill()
            if child.stdout is not None:
                child.stdout.close()
            child.wait()


def _files(items: Iterator[Item]) -> Iterator[tuple[ForeignFile, Iterator[Yielded]]]:
    """Files, each with what follows it."""
    waiting = next(items)
    while waiting[0] != "end":
        kind, file = waiting
        if kind == "raised":
            raise file
        held: list[Item] = []
        yield file, _of_one_file(items, held)
        waiting = held[0] if held else next(one for one in items if one[0] != "one")


def _of_one_file(items: Iterator[Item], after: list[Item]) -> Iterator[Yielded]:
    """What a file holds; the first item that is not its own is put into `after`."""
    for kind, value in items:
        if kind != "one":
            after.append((kind, value))
            return
        yield value


def _received(stream: IO[bytes]) -> Iterator[Item]:
    """What comes through the pipe.

    Raises:
        RuntimeError: It ended before its end: the process was killed.
    """
    while True:
        try:
            items: list[Item] = pickle.load(stream)  # noqa: S301 - written by this program's own process
        except (EOFError, pickle.UnpicklingError) as error:
            raise RuntimeError("the process that reads the files ended early") from error
        yield from items
        if items[-1][0] in ("end", "raised"):
            return


def send(batch: Batch, stream: IO[bytes]) -> None:
    """Read a batch and write what it gives."""
    items = _items(batch)
    while some := list(islice(items, _AT_ONCE)):
        pickle.dump(some, stream, pickle.HIGHEST_PROTOCOL)
    stream.flush()


def _items(batch: Batch) -> Iterator[Item]:
    try:
        for file, held in batch.files():
            yield "file", file
            for one in held:
                yield "one", one
    except Exception as error:  # noqa: BLE001 - whatever it is, it is raised where it is asked for
        yield "raised", _portable(error)
        return
    yield "end", None


def _portable(error: Exception) -> Exception:
    """An error as it can be sent."""
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 - made here
    except Exception:  # noqa: BLE001 - an error may hold anything
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def serve() -> None:
    """Read what is asked for on stdin, and write it to stdout."""
    given, out = sys.stdin.buffer, sys.stdout.buffer
    batch: Batch = pickle.load(given)  # noqa: S301 - written by this program's own process
    sys.stdout = sys.stderr  # what prints does not come into the pipe
    with suppress(BrokenPipeError, KeyboardInterrupt):
        send(batch, out)


def ahead(batch: Gathered) -> Batch:
    """The batch itself, or where it is large and there is a second processor, one that is read ahead."""
    return Ahead(batch) if _processors() > 1 and is_large(batch) else batch


def is_large(batch: Gathered) -> bool:
    """Whether reading it takes much longer than starting a process."""
    files = 0
    for path in batch.paths:
        if path.is_dir():
            files += sum(1 for _ in islice(walked(path), FROM_FILES))
        elif path.is_file():
            files += FROM_FILES if path.stat().st_size >= FROM_BYTES else 1
    return files >= FROM_FILES


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
