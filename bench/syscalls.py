"""Fail system calls below SQLite, so that SQLite itself decides what a failure means.

- The Unix VFS lets its system calls be replaced. `FailingSystem` puts counters in their place and
  has the n-th call return an error code, as a broken disk would.
- A failure that SQLite tolerates (a checkpoint that can be done again later, a journal that could
  not be removed) stays unseen by the caller; with `bench.vfs.FailingVFS` it does not.
- The replacement holds for every connection of the process that uses the Unix VFS, while the
  layer is open. One layer at a time.
- Syncs cannot be replaced so; `FailingVFS` fails those.

>>> import tempfile, apsw
>>> with (
...     tempfile.TemporaryDirectory() as directory,
...     FailingSystem(1, "full", calls=("write",)) as layer,
... ):
...     connection = apsw.Connection(f"{directory}/a.db", vfs=layer.vfs_name)
...     try:
...         _ = connection.execute("CREATE TABLE t (x)")
...     except apsw.FullError:
...         print("full:", layer.fired)
...     connection.close()
full: ['write']
"""

from __future__ import annotations

import ctypes
import errno
from collections.abc import Callable, Iterable
from ctypes import CFUNCTYPE, c_char_p, c_int, c_longlong, c_size_t, c_ssize_t, c_void_p
from typing import Any

from bench.vfs import CALLS, Failing

_CALLS = tuple(name for name in CALLS if name != "sync")
_POSITIONED = CFUNCTYPE(c_ssize_t, c_int, c_void_p, c_size_t, c_longlong, use_errno=True)
_OPEN = CFUNCTYPE(c_int, c_char_p, c_int, c_int, use_errno=True)
_UNLINK = CFUNCTYPE(c_int, c_char_p, use_errno=True)
_FTRUNCATE = CFUNCTYPE(c_int, c_int, c_longlong, use_errno=True)
_FSTAT = CFUNCTYPE(c_int, c_int, c_void_p, use_errno=True)

# Of the two names for a positioned read or write, SQLite uses that which it was built with.
_REPLACED: tuple[tuple[str, str, Any], ...] = (
    ("open", "open", _OPEN),
    ("unlink", "delete", _UNLINK),
    ("pread", "read", _POSITIONED),
    ("pread64", "read", _POSITIONED),
    ("pwrite", "write", _POSITIONED),
    ("pwrite64", "write", _POSITIONED),
    ("ftruncate", "truncate", _FTRUNCATE),
    ("fstat", "size", _FSTAT),
)


class FailingSystem(Failing):
    """Fails the n-th system call that SQLite makes; arguments as for `bench.vfs.Failing`.

    `calls` may name all but `sync`. A write that is `short` is not an error to the system: SQLite
    goes on with the rest.
    """

    def __init__(
        self,
        at: int | None = None,
        how: str = "ioerr",
        *,
        calls: Iterable[str] = _CALLS,
        lasting: bool = False,
    ) -> None:
        super().__init__(at, how, calls=calls, lasting=lasting, base="unix")
        self.vfs_name = "unix"
        self._replacements: dict[str, Any] = {}  # kept alive as long as SQLite may call them
        for name, call, prototype in _REPLACED:
            address = self.xGetSystemCall(name)
            if address:
                replacement = prototype(self._replacing(prototype(address), call))
                self._replacements[name] = replacement
                pointer = ctypes.cast(replacement, c_void_p).value
                assert pointer is not None
                self.xSetSystemCall(name, pointer)

    def close(self) -> None:
        """Put the system's own calls back."""
        for name in self._replacements:
            self.xSetSystemCall(name, 0)
        self._replacements = {}
        super().close()

    def _replacing(self, real: Callable[..., int], call: str) -> Callable[..., int]:
        def replacement(*arguments: Any) -> int:
            if not self.fails(call):
                return real(*arguments)
            if self.how == "short" and call == "write":
                descriptor, content, size, offset = arguments
                return real(descriptor, content, max(1, size // 2), offset)
            ctypes.set_errno(errno.EIO if self.how == "ioerr" else errno.ENOSPC)
            return -1

        return replacement
