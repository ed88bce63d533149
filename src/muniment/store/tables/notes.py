"""One principal's notes in tables, and the removal of what has ended.

- A note is found by digests of its writer, and of its scope and key: of fixed size, whatever the names.
- What has ended is in no answer, whether it was removed yet or not.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from datetime import datetime
from typing import Any

from muniment.core.access import Scope
from muniment.core.codec import from_micros, micros
from muniment.core.note import Note
from muniment.store.tables.connection import Connection

_COLUMNS = "id, scope_kind, scope_id, key, text, created_at, updated_at, expires_at"
_ALL = f"SELECT {_COLUMNS} FROM note WHERE tenant = ? AND writer = ? AND expires_at > ?"  # noqa: S608 - a constant
_FIND = f"{_ALL} AND place = ?"
_USAGE = """
SELECT count(*), coalesce(sum(characters), 0) FROM note WHERE tenant = ? AND writer = ? AND expires_at > ?
"""
_PUT = """
INSERT INTO note VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (tenant, writer, place) DO UPDATE SET
    id = excluded.id, text = excluded.text, characters = excluded.characters,
    created_at = excluded.created_at, updated_at = excluded.updated_at, expires_at = excluded.expires_at
"""
_REMOVE = "DELETE FROM note WHERE tenant = ? AND writer = ? AND place = ? AND expires_at > ?"
_ENDED = "SELECT 1 FROM note WHERE tenant = ? AND expires_at <= ? LIMIT 1"
_BY_ID = "SELECT writer, place, text FROM note WHERE tenant = ? AND id = ?"
_FORGET = "DELETE FROM note WHERE tenant = ? AND writer = ? AND place = ?"
_SWEEP = "DELETE FROM note WHERE tenant = ? AND expires_at <= ?"


def has_ended(connection: Connection, tenant: int, at: datetime) -> bool:
    """Whether something of a tenant has ended and is still there."""
    return connection.one(_ENDED, (tenant, micros(at))) is not None


def sweep(connection: Connection, tenant: int, at: datetime) -> int:
    """Remove what has ended, of everybody of a tenant; how many notes."""
    return connection.changed(_SWEEP, (tenant, micros(at)))


def forget(connection: Connection, tenant: int, id: str, said: str) -> int:
    """Remove a note by its identifier, if its text holds some words; how many."""
    found = connection.one(_BY_ID, (tenant, id))
    if found is None or said not in found[2]:
        return 0
    return connection.changed(_FORGET, (tenant, *found[:2]))


class NoNotes:
    """What somebody sees where nothing was ever written."""

    def all(self) -> tuple[Note, ...]:
        """Every note: none."""
        return ()

    def find(self, scope: Scope, key: str) -> Note | None:
        """One note: none."""
        return None

    def usage(self) -> tuple[int, int]:
        """How much there is: nothing."""
        return 0, 0


class NoteTables:
    """The notes of one principal of one tenant at an instant; what writes needs a transaction.

    Args:
        connection: In a transaction.
        tenant: The tenant's number.
        principal: Whose notes.
        at: The present.
    """

    def __init__(self, connection: Connection, tenant: int, principal: str, at: datetime) -> None:
        self._connection, self._tenant, self._at = connection, tenant, micros(at)
        self._writer = _digest(principal)
        self.removed = 0

    @property
    def _mine(self) -> tuple[Any, ...]:
        return self._tenant, self._writer, self._at

    def all(self) -> tuple[Note, ...]:
        """Every note, sorted by scope and key."""
        found = self._connection.decoded(_ALL, self._mine, _note_of)
        return tuple(sorted(found, key=lambda note: (note.scope, note.key)))

    def find(self, scope: Scope, key: str) -> Note | None:
        """One note."""
        found = self._connection.decoded(_FIND, (*self._mine, _place(scope, key)), _note_of)
        return found[0] if found else None

    def usage(self) -> tuple[int, int]:
        """How many notes there are, and of how many characters."""
        found = self._connection.one(_USAGE, self._mine)
        return (int(found[0]), int(found[1])) if found else (0, 0)

    def put(self, note: Note) -> None:
        """Write a note, in place of one with the same scope and key."""
        where = (self._tenant, self._writer, _place(note.scope, note.key))
        times = (micros(note.created_at), micros(note.updated_at), micros(note.expires_at))
        scope = (note.scope.kind, note.scope.id)
        said = (note.key, note.text, len(note.text))
        self._connection.run(_PUT, (*where, note.id, *scope, *said, *times))

    def remove(self, notes: Collection[Note]) -> int:
        """Remove notes; how many were there."""
        places = {_place(note.scope, note.key) for note in notes}
        rows = ((self._tenant, self._writer, place, self._at) for place in sorted(places))
        count = sum(self._connection.changed(_REMOVE, row) for row in rows)
        self.removed += count
        return count


def _digest(*parts: str) -> bytes:
    said = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.sha256(said).digest()


def _place(scope: Scope, key: str) -> bytes:
    return _digest(scope.kind, scope.id, key)


def _note_of(columns: tuple[Any, ...]) -> Note:
    id, kind, name, key, text, created, updated, expires = columns
    times = (from_micros(created), from_micros(updated), from_micros(expires))
    return Note(id, Scope(kind, name), key, text, *times)
