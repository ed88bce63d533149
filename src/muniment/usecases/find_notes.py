"""Look for notes: one's own, in the scopes in force, by key and by words.

- What has ended is not found, and what somebody else wrote is not there.
- Notes are found in the order that they alone decide; nothing of the ledger ranks them, and they rank nothing.
"""

from __future__ import annotations

from muniment.core.access import Scope
from muniment.core.errors import NotFound, quoted
from muniment.core.note import Note, found_among
from muniment.usecases.note_scope import note_scope, note_scopes
from muniment.usecases.session import Session


def find_notes(
    session: Session, query: str = "", *, prefix: str = "", scope: str | Scope = ""
) -> tuple[Note, ...]:
    """Notes whose key begins with `prefix` and that hold a word of `query`; all of them by default.

    Args:
        session: Who looks, and where.
        query: Words, any of which must be in key or text; those with most of them come first.
        prefix: What their keys begin with.
        scope: One turn, task or conversation of those in force; all by default.

    Raises:
        InvalidInput: Nobody acts, or no such scope is in force.
    """
    scopes = (note_scope(session, scope),) if scope else note_scopes(session)
    with session.store.notes.view(session.tenant, session.principal, session.now()) as view:
        mine = view.all()
    return found_among((note for note in mine if note.scope in scopes), query, prefix)


def read_note(session: Session, key: str, *, scope: str | Scope = "") -> Note:
    """One note.

    Raises:
        NotFound: There is none, or none any more.
        InvalidInput: Nobody acts, or it is not certain which scope is meant.
    """
    place = note_scope(session, scope)
    with session.store.notes.view(session.tenant, session.principal, session.now()) as view:
        found = view.find(place, key)
    if found is None:
        message = f"there is no note {quoted(key)} in {quoted(place)}"
        raise NotFound(message, fix="`muniment note list` names those that are there")
    return found
