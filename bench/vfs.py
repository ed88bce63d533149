"""SQLite file layers (VFS) that record, count, delay or fail what reaches the disk.

- Each is a pass-through over the real files: locks and shared memory are the real ones, so
  WAL mode and several connections in one process work as ever.
- Each registers itself under its own unused name, `vfs_name`, for
  `apsw.Connection(path, vfs=layer.vfs_name)`, and is taken away by `close` (or `with`). Close the
  connections first.
- Only what SQLite does through the layer is seen. Files that a program writes beside SQLite,
  other processes, and memory maps (`PRAGMA mmap_size`, which must be 0) are not.
- Temporary files and shared memory are passed on but neither recorded nor counted: nothing in
  them is meant to outlive a crash.

What a power cut leaves of what was recorded is decided in `bench.disk`.

>>> import tempfile, apsw
>>> with tempfile.TemporaryDirectory() as directory, SyncCounter() as layer:
...     connection = apsw.Connection(f"{directory}/a.db", vfs=layer.vfs_name)
...     _ = connection.execute("PRAGMA journal_mode = WAL; CREATE TABLE t (x)").fetchall()
...     before = layer.total
...     _ = connection.execute("INSERT INTO t VALUES (1)")
...     after = layer.total
...     connection.close()
>>> after - before
1
"""

from __future__ import annotations

import itertools
import os
import threading
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Any, Self, TypeAlias

import apsw

from bench.disk import Create, Delete, Disk, Operation, Sync, SyncDirectory, Truncate, Write
from bench.findings import History, Mark

FileName: TypeAlias = "str | apsw.URIFilename | None"

_DURABLE = (
    apsw.SQLITE_OPEN_MAIN_DB
    | apsw.SQLITE_OPEN_WAL
    | apsw.SQLITE_OPEN_MAIN_JOURNAL
    | apsw.SQLITE_OPEN_SUPER_JOURNAL
)
_JOURNALS = _DURABLE & ~apsw.SQLITE_OPEN_MAIN_DB
_KINDS = (
    (apsw.SQLITE_OPEN_MAIN_DB, "main"),
    (apsw.SQLITE_OPEN_WAL, "wal"),
    (apsw.SQLITE_OPEN_MAIN_JOURNAL, "journal"),
    (apsw.SQLITE_OPEN_SUPER_JOURNAL, "super-journal"),
)
_serial = itertools.count(1)


class Layer(apsw.VFS):
    """A VFS over the platform's own, under a name of its own, to which a workload gives marks."""

    def __init__(self, kind: str, base: str = "") -> None:
        self.vfs_name = f"bench-{kind}-{os.getpid()}-{next(_serial)}"
        self._registered = True
        self._begun: list[Mark] = []
        self._acknowledged: list[Mark] = []
        self._lock = threading.RLock()
        super().__init__(self.vfs_name, base)

    def begin(self, label: str, payload: Any = None) -> None:
        """Say that a write is about to be asked for; labels are unique."""
        with self._lock:
            self._begun.append(Mark(label, payload, self._position()))

    def acknowledge(self, label: str, payload: Any = None) -> None:
        """Say that the caller has now been told "done": from here on, the write must survive."""
        with self._lock:
            self._acknowledged.append(Mark(label, payload, self._position()))

    def history(self, index: int | None = None) -> History:
        """Return what had been begun and acknowledged when `index` operations were issued.

        A mark at exactly `index` counts: the cut came right after it. None means all.
        """
        return History.of(
            (mark for mark in self._begun if index is None or mark.index <= index),
            (mark for mark in self._acknowledged if index is None or mark.index <= index),
        )

    def close(self) -> None:
        """Take the layer away. Connections that use it must have been closed."""
        if self._registered:
            self._registered = False
            self.unregister()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _position(self) -> int:
        """How far the layer has come; stands still in a layer that does not record order."""
        return 0


# --- Recording ------------------------------------------------------------------------------------


class CrashRecorder(Layer):
    """Records each write, truncation, sync, creation and removal under `root`, in order.

    Syncs are recorded and not carried out, so that recording is fast. Removal of a name and
    creation of a journal are as on Unix: a journal or WAL has its directory synced at its first
    sync, a removal only if SQLite asks for it.

    Args:
        root: the directory of the database. What it holds is durable from the start. Opening a
            durable file elsewhere fails, since it would silently be missing from the images.
    """

    def __init__(self, root: Path) -> None:
        super().__init__("crash")
        self.root = root.resolve()
        self.operations: list[Operation] = []
        self._baseline: dict[str, tuple[int, bytes]] = {}
        self._files: dict[str, int] = {}
        self._numbers = itertools.count(1)
        for path in sorted(self.root.rglob("*")):
            if path.is_file() and not path.name.endswith("-shm"):
                relative = path.relative_to(self.root).as_posix()
                number = self._files[relative] = next(self._numbers)
                self._baseline[relative] = (number, path.read_bytes())

    def _position(self) -> int:
        return len(self.operations)

    def disk(self) -> Disk:
        """Return the disk as it was before the first operation."""
        return Disk(self._baseline)

    def xOpen(self, name: FileName, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        if name is None or not flags[0] & _DURABLE:
            return apsw.VFSFile("", name, flags)
        path = Path(name if isinstance(name, str) else name.filename())
        with self._lock:
            relative = self._relative(path)
            existed = path.exists()
            journal = bool(flags[0] & _JOURNALS and flags[0] & apsw.SQLITE_OPEN_CREATE)
            opened = _RecordedFile(self, name, flags)
            opened.number = self._number(relative, path, existed)
            opened.directory = str(PurePosixPath(relative).parent) if journal else None
            return opened

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        path = Path(filename)
        with self._lock:
            relative = self._relative(path)
            if path.exists():
                self._number(relative, path, existed=True)
            super().xDelete(filename, syncdir)
            self._files.pop(relative, None)
            self.record(Delete(relative))
            if syncdir:
                self.record(SyncDirectory(str(PurePosixPath(relative).parent)))

    def record(self, operation: Operation) -> None:
        """Append to the log."""
        with self._lock:
            self.operations.append(operation)

    def _relative(self, path: Path) -> str:
        resolved = path.parent.resolve() / path.name
        if not resolved.is_relative_to(self.root):
            raise apsw.CantOpenError(f"`{path}` is outside the recorded directory")
        return resolved.relative_to(self.root).as_posix()

    def _number(self, relative: str, path: Path, existed: bool) -> int:
        """Return the file's number; what came to be unseen counts as durable when first seen."""
        if relative not in self._files:
            number = self._files[relative] = next(self._numbers)
            self.record(Create(relative, number))
            if existed:
                self.record(Write(number, 0, path.read_bytes()))
                self.record(Sync(number))
                self.record(SyncDirectory(str(PurePosixPath(relative).parent)))
        return self._files[relative]


class _RecordedFile(apsw.VFSFile):
    def __init__(self, recorder: CrashRecorder, name: FileName, flags: list[int]) -> None:
        super().__init__("", name, flags)
        self._recorder = recorder
        self.number = 0
        self.directory: str | None = None  # to be synced with the first sync

    def xWrite(self, data: Any, offset: int) -> None:  # noqa: N802
        with self._recorder._lock:
            super().xWrite(data, offset)
            self._recorder.record(Write(self.number, offset, bytes(data)))

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        with self._recorder._lock:
            super().xTruncate(newsize)
            self._recorder.record(Truncate(self.number, newsize))

    def xSync(self, flags: int) -> None:  # noqa: N802
        with self._recorder._lock:
            self._recorder.record(Sync(self.number))
            if self.directory is not None:
                self._recorder.record(SyncDirectory(self.directory))
                self.directory = None


# --- Counting -------------------------------------------------------------------------------------


class SyncCounter(Layer):
    """Counts syncs, and may make each of them slower.

    Args:
        delay: seconds added to each sync, to stand for a disk with a known cost.
        real: whether the sync is also carried out.
    """

    def __init__(self, delay: float = 0.0, *, real: bool = True) -> None:
        super().__init__("syncs")
        self.delay = delay
        self.real = real
        self.counts: Counter[str] = Counter()

    @property
    def total(self) -> int:
        """Syncs of all files since the start or the last `reset`."""
        return sum(self.counts.values())

    def reset(self) -> None:
        """Count from zero."""
        with self._lock:
            self.counts.clear()

    def counted(self, kind: str) -> None:
        """Note one sync of a `main`, `wal`, `journal` or `super-journal` file, and wait."""
        with self._lock:
            self.counts[kind] += 1
        if self.delay:
            time.sleep(self.delay)

    def xOpen(self, name: FileName, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        kind = next((word for bit, word in _KINDS if flags[0] & bit), None)
        if name is None or kind is None:
            return apsw.VFSFile("", name, flags)
        return _CountedFile(self, kind, name, flags)


class _CountedFile(apsw.VFSFile):
    def __init__(self, counter: SyncCounter, kind: str, name: FileName, flags: list[int]) -> None:
        super().__init__("", name, flags)
        self._counter = counter
        self._kind = kind

    def xSync(self, flags: int) -> None:  # noqa: N802
        self._counter.counted(self._kind)
        if self._counter.real:
            super().xSync(flags)


# --- Failing --------------------------------------------------------------------------------------

CALLS = ("open", "delete", "read", "write", "truncate", "sync", "size")
FAILURES = ("ioerr", "full", "short")

_IOERR = {
    "open": apsw.SQLITE_CANTOPEN,
    "delete": apsw.SQLITE_IOERR_DELETE,
    "read": apsw.SQLITE_IOERR_READ,
    "write": apsw.SQLITE_IOERR_WRITE,
    "truncate": apsw.SQLITE_IOERR_TRUNCATE,
    "sync": apsw.SQLITE_IOERR_FSYNC,
    "size": apsw.SQLITE_IOERR_FSTAT,
}


class Failing(Layer):
    """Decides which call fails: the n-th of those that count.

    - `ioerr`: the call is not done, the disk reports an error of that call's kind.
    - `full`: the call is not done, no space left.
    - `short`: a write puts down its first half only; other calls as `full`.

    Args:
        at: number of the call that fails, from 1; None fails nothing and only counts.
        how: one of `FAILURES`.
        calls: which calls count, out of `CALLS`.
        lasting: whether all later calls fail too (the disk stays broken or full).
        base: name of the VFS below.

    Attributes:
        count: calls since the start or since `arm`.
        fired: names of the calls that were made to fail.
    """

    def __init__(
        self,
        at: int | None = None,
        how: str = "ioerr",
        *,
        calls: Iterable[str] = CALLS,
        lasting: bool = False,
        base: str = "",
    ) -> None:
        self._counted = frozenset(calls)
        if how not in FAILURES or not self._counted <= set(CALLS):
            raise ValueError(f"unknown failure `{how}` or call among {sorted(self._counted)}")
        super().__init__("failing", base)
        self.how = how
        self.lasting = lasting
        self.arm(at)

    def arm(self, at: int | None) -> None:
        """Count from zero and fail at the given call; None lets all succeed."""
        with self._lock:
            self.at = at
            self.count = 0
            self.fired: list[str] = []

    def fails(self, call: str) -> bool:
        """Count the call; whether this one must fail."""
        if call not in self._counted:
            return False
        with self._lock:
            self.count += 1
            due = self.at is not None and (
                self.count == self.at or (self.lasting and self.count > self.at)
            )
            if due:
                self.fired.append(call)
            return due

    def _position(self) -> int:
        return self.count


class FailingVFS(Failing):
    """Fails calls that SQLite makes to the VFS.

    apsw hands every error of a layer to the caller, also one that SQLite itself would pass over
    (a checkpoint after a commit, say): a caller may be told "failed" of a write that is there.
    `bench.syscalls` fails below SQLite and is true in this, but cannot fail a sync.
    """

    def error(self, call: str) -> Exception:
        """Return what the disk reports when that call fails."""
        return apsw.exception_for(_IOERR[call] if self.how == "ioerr" else apsw.SQLITE_FULL)

    def xOpen(self, name: FileName, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        if name is None or not flags[0] & _DURABLE:
            return apsw.VFSFile("", name, flags)
        if self.fails("open"):
            raise self.error("open")
        return _FailingFile(self, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        if self.fails("delete"):
            raise self.error("delete")
        super().xDelete(filename, syncdir)


class _FailingFile(apsw.VFSFile):
    def __init__(self, layer: FailingVFS, name: FileName, flags: list[int]) -> None:
        super().__init__("", name, flags)
        self._layer = layer

    def _call(self, call: str) -> None:
        if self._layer.fails(call):
            raise self._layer.error(call)

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802
        self._call("read")
        return super().xRead(amount, offset)

    def xWrite(self, data: Any, offset: int) -> None:  # noqa: N802
        if self._layer.fails("write"):
            if self._layer.how == "short":
                super().xWrite(bytes(data)[: len(data) // 2], offset)
            raise self._layer.error("write")
        super().xWrite(data, offset)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        self._call("truncate")
        super().xTruncate(newsize)

    def xSync(self, flags: int) -> None:  # noqa: N802
        self._call("sync")
        super().xSync(flags)

    def xFileSize(self) -> int:  # noqa: N802
        self._call("size")
        return super().xFileSize()
