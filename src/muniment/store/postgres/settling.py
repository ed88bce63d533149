"""Make what was removed unreadable on the server, and follow it to the end (`A-DELETE`).

- Tables are written anew (`VACUUM FULL`): an ordinary vacuum leaves the bytes of dead rows in their pages. That waits
  for whoever uses a table, and while it lasts nobody reads it.
- A session that holds an earlier state open keeps dead rows alive; then nothing is rewritten, and it is said who.
- Then the write-ahead log is switched and a checkpoint made. Segments from before are gone, or are renamed to be
  written over; where they were renamed, the answer is `pending` until the log has gone past them.
- What a role may not do or see is said, and never taken for done.
- Copies that the server's operator made (backups, replicas, archived log) are that operator's.

Where a removal stands is kept by the store: `LIVE`, or the segment that the log has to go past.
"""

from __future__ import annotations

from collections.abc import Sequence

from muniment.core.errors import StoreError
from muniment.store.postgres.connection import Connection

LIVE = 1
"""Something was removed, and its tables are not rewritten yet; a greater number is a segment of the log, two more."""

_TABLES = """
SELECT c.relname::text, pg_relation_filenode(c.oid)::bigint
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'muniment' AND c.relkind = 'r' ORDER BY c.relname
"""
_HOLDERS = """
SELECT pid FROM pg_catalog.pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
    AND (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL) AND query NOT LIKE 'autovacuum: VACUUM%'
UNION SELECT pid FROM pg_catalog.pg_stat_replication WHERE backend_xmin IS NOT NULL
ORDER BY pid
"""
_PREPARED = "SELECT count(*) FROM pg_catalog.pg_prepared_xacts WHERE database = current_database()"
_SLOTS = "SELECT count(*) FROM pg_catalog.pg_replication_slots WHERE xmin IS NOT NULL"
_SEGMENT_SIZE = "SELECT pg_size_bytes(current_setting('wal_segment_size'))"
_NOW_AT = "SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint"
_SWITCH = "SELECT pg_switch_wal()::text"
_FILES = "SELECT name FROM pg_ls_waldir() WHERE name ~ '^[0-9A-F]{24}$'"
_RIGHTS = (
    "the tables are rewritten, and whether the server's write-ahead log still holds it cannot be told by this role:"
    " grant it pg_checkpoint, pg_monitor and EXECUTE on pg_switch_wal()"
)


def rewritten(connection: Connection, tables: Sequence[str] = ()) -> str:
    """Write tables anew; what holds it up, empty for nothing.

    Args:
        connection: With no transaction open.
        tables: Their names; all of the store's by default.

    Raises:
        StoreBusy: Somebody used one of them longer than the timeout.
    """
    held_up = _held_up(connection)
    if held_up:
        return held_up
    before: dict[str, int] = dict(connection.all(_TABLES))
    wanted = [name for name in before if not tables or name in tables]
    for name in wanted:
        connection.run(f"VACUUM (FULL) muniment.{name}")
    after: dict[str, int] = dict(connection.all(_TABLES))
    kept = [name for name in wanted if before[name] == after[name]]
    if kept:  # to a role that owns it not the server only gives a warning
        return f"the server did not rewrite {', '.join(kept)}: let the owner of the tables do it"
    return ""


def _held_up(connection: Connection) -> str:
    """Who keeps dead rows alive."""
    pids = [str(pid) for (pid,) in connection.all(_HOLDERS)]
    if pids:
        return f"an earlier state is held open by server process{'es' * (len(pids) > 1)} {', '.join(pids)}"
    for statement, what in ((_PREPARED, "prepared transaction"), (_SLOTS, "replication slot")):
        count = connection.value(statement)
        if count:
            return f"an earlier state is held open by {count} {what}{'s' * (count > 1)}"
    return ""


def log_is_past(connection: Connection, until: int) -> tuple[str, int]:
    """Whether the log holds nothing from before any more.

    Args:
        connection: With no transaction open.
        until: The segment that the log has to go past; 0 where that is not known yet.

    Returns:
        What holds it up, empty for nothing; and the segment.
    """
    try:
        size = int(connection.value(_SEGMENT_SIZE))
        if not until:
            connection.value(_SWITCH)
            connection.run("CHECKPOINT")
        now = int(connection.value(_NOW_AT)) // size
        files = [segment_of(name, size) for (name,) in connection.all(_FILES)]
    except StoreError:
        return _RIGHTS, until
    if not until:
        old = sum(segment < now for segment in files)
        if old:
            kept = f"the server keeps {old} segment{'s' * (old > 1)} of its write-ahead log from before"
            return kept, 0
        until = max((one for one in files if one > now), default=0)
    if now <= until:
        return (
            f"the write-ahead log has to write over {until - now + 1} segments from before",
            until,
        )
    return "", until


def segment_of(name: str, size: int) -> int:
    """The number of a segment of the log, by its file's name.

    >>> segment_of("000000010000000000000003", 16 << 20), segment_of("000000010000000100000000", 16 << 20)
    (3, 256)
    """
    return int(name[8:16], 16) * ((1 << 32) // size) + int(name[16:24], 16)
