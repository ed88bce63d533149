"""Bring a file to the newest schema, or say why it is left alone.

- Migrations are numbered SQL files; each is applied in one transaction together with its number and digest, so that
  a process killed at any statement leaves the step done or not begun.
- Before anything is written, the file must be empty or one of ours: another application's, a newer one's and one
  whose migrations are not the known ones are refused, and stay as they are byte for byte. (Where a hot rollback
  journal lies beside a file, SQLite restores what it says first, as at any reading.)
- Two processes that open a new file at once do each step once.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from muniment.core.errors import Finding, StoreDamaged, StoreNewer, StoreUnavailable, quoted
from muniment.store.sqlite.connection import Connection
from muniment.store.tables.migrations import Migration, numbered

_MAGIC = b"SQLite format 3\x00"

_APPLIED = """
CREATE TABLE migration (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    digest TEXT NOT NULL
) STRICT
"""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of file that this package writes.

    Attributes:
        application_id: What SQLite keeps in the file's header.
        mark: The statement that puts it there.
        folder: Where the migrations lie in this package.
    """

    application_id: int
    mark: str
    folder: str


LEDGER = Kind(0x4D554E31, "PRAGMA application_id = 1297436209", "migrations")  # "MUN1"
LOG = Kind(0x4D554E4C, "PRAGMA application_id = 1297436236", "log_migrations")  # "MUNL"
NOTES = Kind(0x4D554E57, "PRAGMA application_id = 1297436247", "note_migrations")  # "MUNW"

_VERSIONS = tuple(f"PRAGMA user_version = {number}" for number in range(1000))


def migrations(kind: Kind) -> tuple[Migration, ...]:
    """The known steps of a kind, in order."""
    return numbered("muniment.store.sqlite", kind.folder)


def refuse_foreign_file(path: Path, kind: Kind) -> None:
    """Refuse by the header alone, before SQLite opens the file and may touch what lies beside it.

    Raises:
        StoreDamaged: It is not a store.
        StoreNewer: A newer version wrote it.
        StoreUnavailable: It cannot be read.
    """
    try:
        with path.open("rb") as file:
            header = file.read(100)
        unsettled = any(_is_filled(path, end) for end in ("-wal", "-journal"))
    except OSError as error:
        raise StoreUnavailable(
            f"the store {quoted(path)} cannot be read: {error.strerror}",
            fix="check that it is a file that you may read and write",
        ) from error
    if not header or unsettled:  # what was cut off while it was made is put right by SQLite first
        return
    if len(header) < 100 or not header.startswith(_MAGIC):
        raise _not_a_store(str(path))
    _refuse(
        str(path),
        kind,
        application=int.from_bytes(header[68:72], "big"),
        version=int.from_bytes(header[60:64], "big"),
    )


def _is_filled(path: Path, end: str) -> bool:
    """Whether a log or journal with something in it lies beside a file."""
    beside = path.with_name(path.name + end)
    return beside.exists() and beside.stat().st_size > 0


def refuse_foreign(connection: Connection, kind: Kind) -> None:
    """Refuse what is another's, newer or altered, as SQLite sees it (its write-ahead log included).

    Raises:
        StoreDamaged: It is not a store, or its migrations are not the known ones.
        StoreNewer: A newer version wrote it.
    """
    connection.begin_reading()  # all of it from one state: another process may be making the store
    try:
        application = connection.value("PRAGMA application_id")
        _refuse(connection.path, kind, application, connection.value("PRAGMA user_version"))
        if application:
            _refuse_altered(connection, kind)
        elif connection.value("SELECT count(*) FROM sqlite_schema"):
            raise _not_a_store(connection.path)
    finally:
        connection.rollback()


def _refuse(path: str, kind: Kind, application: int, version: int) -> None:
    if application not in (0, kind.application_id):
        raise _not_a_store(path)
    known = len(migrations(kind))
    if application and version > known:
        raise StoreNewer(
            f"the store {quoted(path)} was written by a newer version (schema {version}, known to {known})",
            fix="install the newer version; the file was left as it is",
        )


def _refuse_altered(connection: Connection, kind: Kind) -> None:
    known = migrations(kind)
    version = connection.value("PRAGMA user_version")
    applied = connection.all("SELECT number, name, digest FROM migration ORDER BY number")
    if applied != [(step.number, step.name, step.digest) for step in known[:version]]:
        raise connection.damaged("the migrations applied to it are not the known ones")


def migrate(connection: Connection, kind: Kind) -> None:
    """Apply what is missing, each step in its own transaction.

    Raises:
        StoreError: A step failed and was rolled back.
    """
    for step in migrations(kind):
        if connection.value("PRAGMA user_version") < step.number:
            _apply(connection, kind, step)


def _apply(connection: Connection, kind: Kind, step: Migration) -> None:
    connection.begin_writing()
    try:
        if (
            connection.value("PRAGMA user_version") < step.number
        ):  # another process may have been first
            if step.number == 1:
                connection.all(kind.mark)
                connection.run(_APPLIED)
            connection.all(step.text)
            connection.run(
                "INSERT INTO migration VALUES (?, ?, ?)", (step.number, step.name, step.digest)
            )
            connection.all(_VERSIONS[step.number])
        connection.commit()
    except BaseException:
        connection.rollback()
        raise


def _not_a_store(path: str) -> StoreDamaged:
    message = f"{quoted(path)} is not a store of this program"
    fix = "give another path; the file was left as it is"
    return StoreDamaged(message, (Finding("not_a_store", message, fix=fix),))
