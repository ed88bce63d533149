"""Rename notes and move their ends, in one step, without writing them anew.

- A renamed note stays the same note: what was proposed from it still comes from it.
- Renewing is writing an end: it is bounded as for a new note (`A-SHORT`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

from muniment.core.access import Scope
from muniment.core.errors import Finding, InvalidInput, NotFound, errors_in, quoted
from muniment.core.note import Note, end_findings, end_of, note_findings
from muniment.ports.working import NoteBook
from muniment.usecases.note_scope import note_scope
from muniment.usecases.session import Session


def rename_notes(
    session: Session, names: Mapping[str, str], *, scope: str | Scope = ""
) -> tuple[Note, ...]:
    """Give notes other keys, all or none.

    Args:
        session: Whose notes.
        names: Key to new key.
        scope: The turn, task or conversation; the only one in force by default.

    Raises:
        NotFound: A note is not there.
        InvalidInput: A new key is none, is used already, or is given twice.
    """
    place = note_scope(session, scope)
    with session.store.notes.book(session.tenant, session.principal, session.now()) as book:
        notes = {old: _there(book, place, old) for old in names}
        findings = [f for new in names.values() for f in note_findings(place, new, "")]
        for new in dict.fromkeys(names.values()):
            taken = new not in names and book.find(place, new) is not None
            if taken or list(names.values()).count(new) > 1:
                message = f"there would be two notes {quoted(new)}"
                findings.append(Finding("note_key_taken", message, "/key", "choose another key"))
        if errors_in(tuple(findings)):
            raise InvalidInput.of(tuple(findings))
        book.remove(list(notes.values()))
        renamed = tuple(replace(notes[old], key=new) for old, new in names.items())
        for note in renamed:
            book.put(note)
    return renamed


def renew_notes(
    session: Session, lasts: Mapping[str, timedelta | float | str], *, scope: str | Scope = ""
) -> tuple[Note, ...]:
    """Move the ends of notes; those that are not there any more are left out.

    Args:
        session: Whose notes.
        lasts: Key to how long from now.
        scope: The turn, task or conversation; the only one in force by default.

    Raises:
        InvalidInput: An end is none, or too far; nothing was changed.
    """
    now, place = session.now(), note_scope(session, scope)
    renewed = []
    with session.store.notes.book(session.tenant, session.principal, now) as book:
        for key, length in lasts.items():
            expires_at, findings = end_of(length, None, now)
            findings = findings or end_findings(place, expires_at, now)
            if expires_at is None or findings:
                raise InvalidInput.of(findings)
            note = book.find(place, key)
            if note is not None:
                renewed.append(replace(note, expires_at=expires_at))
                book.put(renewed[-1])
    return tuple(renewed)


def _there(book: NoteBook, place: Scope, key: str) -> Note:
    found = book.find(place, key)
    if found is None:
        message = f"there is no note {quoted(key)} in {quoted(place)}"
        raise NotFound(message, fix="`muniment note list` names those that are there")
    return found
