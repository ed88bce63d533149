"""Notes to JSON: the same for every interface, as `muniment.wire` does for the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muniment import wire
from muniment.core.encode import encode

if TYPE_CHECKING:
    from muniment.core.note import Note
    from muniment.usecases.end_notes import Ended
    from muniment.usecases.propose_note import NoteProposed
    from muniment.usecases.take_note import Noted


def note(value: Note) -> dict[str, Any]:
    """A note, every key always there."""
    return {
        "id": value.id,
        "scope": str(value.scope),
        "key": value.key,
        "text": value.text,
        "memory_type": value.memory_type,
        "created_at": encode(value.created_at),
        "updated_at": encode(value.updated_at),
        "expires_at": encode(value.expires_at),
    }


def noted(value: Noted) -> dict[str, Any]:
    """What writing a note came to."""
    return {
        "note": note(value.note),
        "replaced": value.replaced,
        "findings": [wire.finding(one) for one in value.findings],
    }


def ended(value: Ended) -> dict[str, Any]:
    """What ending notes came to."""
    return {"scope": str(value.scope), "notes": value.notes, "disk": value.disk}


def note_proposed(value: NoteProposed) -> dict[str, Any]:
    """What proposing a note came to."""
    return {
        "note": value.note.id,
        "proposed": wire.proposed(value.proposed) if value.proposed else None,
        "waiting": list(value.waiting),
        "known": dict(value.known),
        "refused": [wire.finding(one) for one in value.refused],
        "withdrawn": value.withdrawn,
    }
