"""Notes in a process's memory: the plainest place that keeps the port's promises.

>>> from datetime import UTC, timedelta
>>> noon, task = datetime(2026, 7, 8, 12, tzinfo=UTC), Scope("task", "release")
>>> notes = MemoryNotes()
>>> with notes.book("acme", "agent:codex", noon) as book:
...     book.put(Note("wrk_x", task, "plan", "Tag it.", noon, noon, noon + timedelta(hours=1)))
>>> with notes.view("acme", "agent:codex", noon) as mine, notes.view("acme", "user:ada", noon) as hers:
...     len(mine.all()), len(hers.all())
(1, 0)
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import datetime

from muniment.core.access import Scope
from muniment.core.errors import StoreBusy, StoreUnavailable
from muniment.core.note import Note

Place = tuple[Scope, str]


class MemoryNoteBook:
    """One principal's notes, a copy until the context ends."""

    def __init__(self, kept: dict[Place, Note]) -> None:
        self.kept = dict(kept)

    def all(self) -> tuple[Note, ...]:
        """Every note, sorted by scope and key."""
        return tuple(note for _, note in sorted(self.kept.items(), key=lambda item: item[0]))

    def find(self, scope: Scope, key: str) -> Note | None:
        """One note."""
        return self.kept.get((scope, key))

    def usage(self) -> tuple[int, int]:
        """How many notes there are, and of how many characters."""
        return len(self.kept), sum(len(note.text) for note in self.kept.values())

    def put(self, note: Note) -> None:
        """Write a note, in place of one with the same scope and key."""
        self.kept[note.scope, note.key] = note

    def remove(self, notes: Collection[Note]) -> int:
        """Remove notes; how many were there."""
        places = {(note.scope, note.key) for note in notes}
        return sum(self.kept.pop(place, None) is not None for place in places)


class MemoryNotes:
    """Notes of every tenant and principal.

    Args:
        busy_timeout_ms: How long a writer waits for another.
    """

    def __init__(self, busy_timeout_ms: int = 5000) -> None:
        self._timeout = busy_timeout_ms / 1000
        self._kept: dict[tuple[str, str], dict[Place, Note]] = {}
        self._writer = threading.Lock()
        self._closed = False

    def _mine(self, tenant: str, principal: str, at: datetime) -> dict[Place, Note]:
        if self._closed:
            raise StoreUnavailable("the store is closed", fix="open it again")
        kept = self._kept.get((tenant, principal), {})
        return {place: note for place, note in kept.items() if note.is_there(at)}

    @contextmanager
    def view(self, tenant: str, principal: str, at: datetime) -> Iterator[MemoryNoteBook]:
        """A principal's notes, to read."""
        self.sweep(tenant, at)
        yield MemoryNoteBook(self._mine(tenant, principal, at))

    @contextmanager
    def book(self, tenant: str, principal: str, at: datetime) -> Iterator[MemoryNoteBook]:
        """A principal's notes, to write.

        Raises:
            StoreBusy: Another writer held them longer than the timeout.
        """
        if not self._writer.acquire(timeout=self._timeout):
            told = f"another writer held the notes for more than {self._timeout:g} s"
            raise StoreBusy(told, fix="try again, or end the other writer")
        try:
            book = MemoryNoteBook(self._mine(tenant, principal, at))
            yield book
            self._kept[tenant, principal] = book.kept
        finally:
            self._writer.release()
        self.sweep(tenant, at)

    def sweep(self, tenant: str, at: datetime) -> None:
        """Remove what has ended, of everybody of a tenant; a writer at work does it itself."""
        if not self._writer.acquire(blocking=False):
            return
        try:
            for who, kept in list(self._kept.items()):
                there = {place: note for place, note in kept.items() if note.is_there(at)}
                self._kept[who] = there if who[0] == tenant else kept
        finally:
            self._writer.release()

    def forget(self, tenant: str, id: str, said: str) -> None:
        """Remove a note, whosever it is, if its text still holds what was erased elsewhere."""
        with self._writer:
            for who, kept in list(self._kept.items()):
                stays = {
                    place: note
                    for place, note in kept.items()
                    if who[0] != tenant or note.id != id or said not in note.text
                }
                self._kept[who] = stays

    def settle(self) -> str:
        """Nothing is on disk, so removals are complete."""
        return "complete"

    def close(self) -> None:
        """Let go of everything; calling it again does no harm."""
        self._closed = True
        self._kept = {}
