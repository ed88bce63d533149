"""Open a store's file: make it where it is wanted, refuse what is not ours, bring it to the newest schema.

- A new file is readable by its owner alone from its first moment on, and so is a new folder.
- What is refused is left as it was, with whatever lies beside it.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path

from muniment.core.errors import StoreError, StoreUnavailable, quoted
from muniment.store.sqlite.connection import Connection
from muniment.store.sqlite.schema import Kind, migrate, refuse_foreign, refuse_foreign_file


@dataclass(frozen=True, slots=True)
class File:
    """How a file of a store is opened.

    Attributes:
        path: As it was given.
        kind: What it must be.
        vfs: The name of SQLite's file layer; None for the platform's.
        busy_timeout_ms: How long a lock is waited for.
        durable: Whether a commit waits for the disk.
    """

    path: str
    kind: Kind
    vfs: str | None
    busy_timeout_ms: int
    durable: bool = True

    def prepare(self, *, create: bool) -> Connection:
        """Make the file if it is wanted and missing, check it, migrate it, and give the first connection.

        Raises:
            StoreUnavailable: It is missing and not to be made, or cannot be opened.
            StoreDamaged: It is not a store.
            StoreNewer: A newer version wrote it.
        """
        path = Path(self.path)
        if create:
            _make(path)
        elif not _is_there(path):
            raise StoreUnavailable(
                f"there is no store at {quoted(self.path)}",
                fix="run `muniment init`, or give the path of an existing store",
            )
        refuse_foreign_file(path, self.kind)
        connection = self._connection()
        try:
            connection.patiently(lambda: refuse_foreign(connection, self.kind))
        except BaseException:
            with contextlib.suppress(StoreError):
                connection.close(untouched=True)
            raise
        try:
            connection.configure()
            connection.patiently(lambda: migrate(connection, self.kind))
        except BaseException:
            connection.close()
            raise
        return connection

    def again(self) -> Connection:
        """A further connection to a prepared file."""
        connection = self._connection()
        try:
            connection.configure()
        except BaseException:
            connection.close()
            raise
        return connection

    def _connection(self) -> Connection:
        return Connection(self.path, self.vfs, self.busy_timeout_ms, durable=self.durable)


def _is_there(path: Path) -> bool:
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise _unavailable(path, error) from error
    return True


def _make(path: Path) -> None:
    """Make the file and its folder, unless they are there."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        if path.parent.is_dir():
            return
        raise StoreUnavailable(
            f"the folder of the store {quoted(path)} is a file", fix="give another path"
        ) from None
    except OSError as error:
        raise _unavailable(path, error) from error
    os.close(descriptor)
    with contextlib.suppress(
        OSError
    ):  # some file systems refuse to sync a folder; SQLite syncs it too
        folder = os.open(path.parent, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _unavailable(path: Path, error: OSError) -> StoreUnavailable:
    return StoreUnavailable(
        f"the store {quoted(path)} cannot be opened: {error.strerror}",
        fix="check that its folder exists, is yours and writable",
    )
