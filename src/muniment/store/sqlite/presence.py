"""Notice that a process which wrote to the store did not close it.

- Each process that writes holds a shared lock on `<store>.open`, made at its first write. Who closes last removes it.
- A file that is there and that nobody holds was left by a process that died: the store is then checked.
- The file is never synced, and locks die with their process, so a write costs nothing more.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from muniment.core.errors import StoreUnavailable, quoted


class Presence:
    """This process's mark beside a store.

    Args:
        path: The mark's file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._held: int | None = None

    def was_left(self) -> bool:
        """Whether a process that died left its mark."""
        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
        except OSError:
            return False
        try:
            return _locked(descriptor, fcntl.LOCK_EX)
        finally:
            os.close(descriptor)

    def hold(self) -> None:
        """Leave the mark, once.

        Raises:
            StoreUnavailable: It cannot be made.
        """
        while self._held is None:
            try:
                flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
                descriptor = os.open(self._path, flags, 0o600)
                fcntl.flock(descriptor, fcntl.LOCK_SH)
            except OSError as error:
                raise StoreUnavailable(
                    f"the mark {quoted(self._path)} cannot be made: {error.strerror}",
                    fix="check that the store's folder is yours and writable",
                ) from error
            if self._is_current(descriptor):
                self._held = descriptor
            else:  # whoever closed last has just removed it
                os.close(descriptor)

    def _is_current(self, descriptor: int) -> bool:
        try:
            there = self._path.stat()
        except OSError:
            return False
        mine = os.fstat(descriptor)
        return (there.st_dev, there.st_ino) == (mine.st_dev, mine.st_ino)

    def let_go(self) -> None:
        """Remove the mark if nobody else holds it."""
        if self._held is None:
            return
        if _locked(self._held, fcntl.LOCK_EX):
            self._path.unlink(missing_ok=True)
        os.close(self._held)
        self._held = None


def _locked(descriptor: int, how: int) -> bool:
    try:
        fcntl.flock(descriptor, how | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
