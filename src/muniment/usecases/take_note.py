"""Take a note: write working or short-term memory, without review, for its writer alone (`A-WORKING`, `A-SHORT`).

- It has an end, or it is refused; secrets are refused as in proposals.
- Writing again under the same key replaces the text and the end, and keeps the note's identity.
- The ledger is not touched, and nobody else is told anything.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from muniment.core.access import Scope
from muniment.core.errors import Finding, InvalidInput, errors_in
from muniment.core.note import Note, end_findings, end_of, note_findings, room_findings
from muniment.usecases.note_scope import note_scope
from muniment.usecases.session import Session


@dataclass(frozen=True, slots=True)
class Noted:
    """What writing a note came to.

    Attributes:
        note: As it was written.
        replaced: Whether there was one under its key.
        findings: Warnings about its text.
    """

    note: Note
    replaced: bool
    findings: tuple[Finding, ...] = ()


def take_note(
    session: Session,
    key: str,
    text: str,
    *,
    lasts: timedelta | float | str | None = None,
    until: datetime | str | None = None,
    scope: str | Scope = "",
) -> Noted:
    """Write a note.

    Args:
        session: Who writes, and where.
        key: Its name in its scope.
        text: What it says.
        lasts: How long: a duration, seconds, or a text such as `2h`.
        until: Or until when.
        scope: The turn, task or conversation, `task:release`; the only one in force by default.

    Raises:
        InvalidInput: A rule refuses it, or it is too much; nothing was written.
    """
    now, place = session.now(), note_scope(session, scope)
    expires_at, findings = end_of(lasts, until, now)
    findings = (*note_findings(place, key, text), *findings)
    if not any(
        found.code in ("two_ends", "bad_duration", "bad_time", "naive_time") for found in findings
    ):
        findings = (*findings, *end_findings(place, expires_at, now))
    if errors_in(findings) or expires_at is None:
        raise InvalidInput.of(findings)
    note = Note(session.fresh_id("wrk"), place, key, text, now, now, expires_at)
    with session.store.notes.book(session.tenant, session.principal, now) as book:
        before = book.find(place, key)
        count, characters = book.usage()
        count += before is None
        crowded = room_findings(count, characters + len(text) - len(before.text if before else ""))
        if crowded:
            raise InvalidInput.of(crowded)
        if before is not None:
            note = replace(note, id=before.id, created_at=before.created_at)
        book.put(note)
    return Noted(note, before is not None, findings)
