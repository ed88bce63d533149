"""Where notes are kept: a short-lived store beside the ledger, and no part of it (`A-WORKING`, `A-SHORT`).

- A note is its writer's alone: every call names a tenant and a principal, and nothing of another is read or counted.
- Every call names the present. What ended by then is not there, whether its bytes are still on the disk or not; they
  are removed as soon as notes of the tenant are looked at or written again, whoever looks.
- A write is durable when its context ends without an exception, and leaves nothing when one is raised.
- Infrastructure errors are `StoreError`s.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol

from muniment.core.access import Scope
from muniment.core.note import Note


class NoteView(Protocol):
    """One principal's notes, as they are at one instant."""

    def all(self) -> tuple[Note, ...]:
        """Every note, sorted by scope and key."""

    def find(self, scope: Scope, key: str) -> Note | None:
        """One note."""

    def usage(self) -> tuple[int, int]:
        """How many notes there are, and of how many characters their texts."""


class NoteBook(NoteView, Protocol):
    """The same in the writer's place: nobody else changes them meanwhile."""

    def put(self, note: Note) -> None:
        """Write a note, in place of one with the same scope and key."""

    def remove(self, notes: Collection[Note]) -> int:
        """Remove notes; how many were there."""


class NoteStore(Protocol):
    """A place where principals keep notes."""

    def view(self, tenant: str, principal: str, at: datetime) -> AbstractContextManager[NoteView]:
        """A principal's notes, to read."""

    def book(self, tenant: str, principal: str, at: datetime) -> AbstractContextManager[NoteBook]:
        """A principal's notes, to write; waits for another writer, then refuses with `StoreBusy`."""

    def sweep(self, tenant: str, at: datetime) -> None:
        """Remove what has ended, of everybody of a tenant."""

    def forget(self, tenant: str, id: str, said: str) -> None:
        """Remove a note, whosever it is, if its text still holds what was erased elsewhere; nobody is told."""

    def settle(self) -> str:
        """Make what was removed unreadable on disk: `complete`, or `pending: …` naming what holds it up."""

    def close(self) -> None:
        """Release everything; calling it again does no harm."""
