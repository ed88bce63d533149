"""Bring a database's schema `muniment` to the newest form, or say why it is left alone.

- Migrations are numbered SQL files; each is applied in one transaction together with its number and digest, under one
  advisory lock, so that a process killed at any statement leaves the step done or not begun, and two processes that
  open a new database at once do each step once.
- Before anything is written, the schema must be missing, empty or ours: another application's, a newer one's and one
  whose migrations are not the known ones are refused, and stay as they are.
"""

from __future__ import annotations

from muniment.core.errors import Finding, StoreDamaged, StoreNewer, StoreUnavailable, quoted
from muniment.store.postgres.connection import Connection
from muniment.store.tables.migrations import Migration, numbered

MIGRATING = 0x4D554E315F6D6967
"""The lock under which a step is applied ("MUN1_mig")."""

_TABLES = """
SELECT c.relname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'muniment' ORDER BY c.relname
"""
_APPLIED = "SELECT number, name, digest FROM muniment.migration ORDER BY number"
_BEGIN = """
CREATE SCHEMA IF NOT EXISTS muniment;
CREATE TABLE muniment.migration (
    number integer PRIMARY KEY,
    name text NOT NULL,
    digest text NOT NULL
);
COMMENT ON SCHEMA muniment IS 'muniment 1'
"""
_MARK = """
SELECT pg_catalog.obj_description(oid, 'pg_namespace') FROM pg_catalog.pg_namespace WHERE nspname = 'muniment'
"""
_APPLY = "INSERT INTO muniment.migration VALUES ($1, $2, $3)"


def migrations() -> tuple[Migration, ...]:
    """The known steps, in order."""
    return numbered("muniment.store.postgres", "migrations")


def is_prepared(address: str) -> bool:
    """Whether there is a store in a database.

    Raises:
        StoreError: It cannot be looked at, or the schema is not a store's.
    """
    connection = Connection(address, 1)
    try:
        return _applied(connection) > 0
    finally:
        connection.close()


def prepare(connection: Connection, *, create: bool) -> None:
    """Refuse what is another's, newer or altered; apply what is missing, each step in its own transaction.

    Raises:
        StoreUnavailable: There is no store, and none is to be made.
        StoreDamaged: The schema is not a store's, or its migrations are not the known ones.
        StoreNewer: A newer version wrote it.
    """
    connection.begin_reading()
    try:
        applied = _applied(connection)
    finally:
        connection.rollback()
    if not applied and not create:
        raise StoreUnavailable(
            f"there is no store at {quoted(connection.path)}",
            fix="run `muniment init`, or give the address of an existing store",
        )
    for step in migrations()[applied:]:
        _apply(connection, step)


def _applied(connection: Connection) -> int:
    """How many steps have been applied.

    Raises:
        StoreDamaged: The schema is not a store's, or its migrations are not the known ones.
        StoreNewer: A newer version wrote it.
    """
    tables = [name for (name,) in connection.all(_TABLES)]
    if not tables:
        return 0
    if "migration" not in tables or connection.value(_MARK) != "muniment 1":
        message = (
            f"the schema `muniment` of {quoted(connection.path)} is not a store of this program"
        )
        fix = "give another database; it was left as it is"
        raise StoreDamaged(message, (Finding("not_a_store", message, fix=fix),))
    known, applied = migrations(), connection.all(_APPLIED)
    if len(applied) > len(known):
        raise StoreNewer(
            f"the store {quoted(connection.path)} was written by a newer version"
            f" (schema {len(applied)}, known to {len(known)})",
            fix="install the newer version; the database was left as it is",
        )
    if applied != [(step.number, step.name, step.digest) for step in known[: len(applied)]]:
        raise connection.damaged("the migrations applied to it are not the known ones")
    return len(applied)


def _apply(connection: Connection, step: Migration) -> None:
    connection.begin_writing(MIGRATING, sent=False)  # a step is several statements
    try:
        if _applied(connection) < step.number:  # another process may have been first
            if step.number == 1:
                connection.run(_BEGIN)
            connection.run(step.text)
            connection.run(_APPLY, (step.number, step.name, step.digest))
        connection.commit()
    except BaseException:
        connection.rollback()
        raise
