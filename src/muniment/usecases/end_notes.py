"""End notes: one, or all of a turn, task or conversation that is over (`A-WORKING`).

- What ends is in no answer from then on, and its bytes are removed from the disk; where something holds that up, the
  answer says so.
"""

from __future__ import annotations

from dataclasses import dataclass

from muniment.core.access import Scope
from muniment.core.errors import NotFound, quoted
from muniment.usecases.note_scope import note_scope
from muniment.usecases.session import Session
from muniment.usecases.withdraw import take_back


@dataclass(frozen=True, slots=True)
class Ended:
    """What ending notes came to.

    Attributes:
        scope: Where they were.
        notes: How many ended.
        disk: Whether their bytes are gone: `complete`, or `pending: …`.
    """

    scope: Scope
    notes: int
    disk: str


def end_notes(
    session: Session, *keys: str, scope: str | Scope = "", withdraw: bool = False
) -> Ended:
    """End the named notes of a scope, or all of it where none is named.

    Args:
        session: Whose notes.
        *keys: Which; all of the scope by default.
        scope: The turn, task or conversation; the only one in force by default.
        withdraw: Whether what was proposed from them, and nobody decided yet, is taken back.

    Raises:
        NotFound: A named note is not there; nothing was ended.
        InvalidInput: Nobody acts, or it is not certain which scope is meant.
    """
    place = note_scope(session, scope)
    with session.store.notes.book(session.tenant, session.principal, session.now()) as book:
        mine = {note.key: note for note in book.all() if note.scope == place}
        for key in keys:
            if key not in mine:
                message = f"there is no note {quoted(key)} in {quoted(place)}"
                raise NotFound(message, fix="`muniment note list` names those that are there")
        over = [mine[key] for key in dict.fromkeys(keys or mine)]
        count = book.remove(over)
    if withdraw and over:
        take_back(session, {note.uri for note in over}, "withdrawn: its writer ended the note")
    return Ended(place, count, session.store.notes.settle())
