"""From an event to what rests of it, and back: envelope, salt and body.

- A body rests without the scope and principals that its class holds; with an empty class it rests as it was given.
- What is read back equals what was given: an event whose scope or visibility is not that of its class, or not in
  normal form (`core.record`), is refused before anything is written.
- A commitment is over exactly the bytes that rest.

>>> from datetime import UTC
>>> event = Event("principal", "k1", {"name": "user:a"})
>>> sealed = seal(event, Place(1, 1, datetime(2026, 7, 8, tzinfo=UTC), GENESIS), b"salt", None)
>>> sealed.envelope.at, sealed.body, is_committed(sealed.envelope, b"salt", sealed.body)
('2026-07-08T00:00:00Z', b'{"name":"user:a"}', True)
>>> is_committed(sealed.envelope, b"salt", b'{"name":"user:b"}')
False
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from muniment.core.access import Audience, Scope
from muniment.core.canonical import canonical, commitment
from muniment.core.codec import micros
from muniment.core.encode import time_text
from muniment.core.errors import quoted
from muniment.core.event import GENESIS, KINDS, Envelope, Event, chain
from muniment.core.record import WITH_ITEM, restore_content, strip_content

SALT_BYTES = 16
KEY_BYTES = 32

Where = tuple[Scope, Audience]
"""What a class holds of the bodies in it."""

UNREADABLE = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)
"""What reading a body that this program did not write can raise."""

_KINDS = frozenset(kind for kind, _ in KINDS)
_ = GENESIS  # named by the doctest


@dataclass(frozen=True, slots=True)
class Place:
    """Where an event goes: position, commit, time, and the hash of the event before it."""

    seq: int
    revision: int
    at: datetime
    previous: str


@dataclass(frozen=True, slots=True)
class Sealed:
    """What rests of an event: the chained envelope and the bytes that it commits to."""

    envelope: Envelope
    body: bytes


def seal(event: Event, place: Place, salt: bytes, where: Where | None) -> Sealed:
    """Strip, commit to and chain one event.

    Args:
        event: What is appended, its content whole.
        place: Where it goes.
        salt: Fresh random bytes.
        where: The scope and audience of the event's class; None where it names no class.

    Raises:
        ValueError: The event cannot be kept as it is: an unknown kind, a claim without a class, a scope or visibility
            that is not its class's, content without a canonical form, a time without an offset.
    """
    if event.kind not in _KINDS:
        raise ValueError(f"{quoted(event.kind)} is not a kind of event")
    if place.at.tzinfo is None:
        raise ValueError(f"the time {quoted(place.at)} has no offset from UTC")
    body = _body(event, where)
    envelope = Envelope(
        seq=place.seq,
        revision=place.revision,
        at=time_text(place.at),
        kind=event.kind,
        id=event.id,
        parent=event.parent,
        subjects=tuple(event.subjects),
        cls=event.cls,
        commitment=commitment(salt, body),
        previous=place.previous,
    )
    return Sealed(chain(envelope), body)


def _body(event: Event, where: Where | None) -> bytes:
    holds_scope = event.kind in ("claim", "source", "passage") or (
        event.kind in WITH_ITEM and bool(event.content.get("item"))
    )
    if where is None:
        if event.cls:
            raise ValueError(f"the class {quoted(event.cls)} was not declared")
        if holds_scope:
            raise ValueError(f"the {event.kind} {quoted(event.id)} names no class")
        return canonical(event.content)
    if event.kind == "claim" and event.content.get("id") not in (event.id, event.parent):
        raise ValueError(f"the event {quoted(event.id)} names another claim than its content")
    stripped = strip_content(event.kind, event.content)
    restored = restore_content(event.kind, stripped, *where)
    if not _same(_placed(event.kind, restored), _placed(event.kind, event.content)):
        raise ValueError(
            f"the scope or visibility of the {event.kind} {quoted(event.id)} is not its class's in normal form"
        )
    return canonical(stripped)


def _placed(kind: str, content: Mapping[str, Any]) -> list[Any]:
    """What stripping takes away."""
    record = content.get("item") or {} if kind in WITH_ITEM else content
    return [record.get("scope"), record.get("visibility")]


def _same(restored: list[Any], given: list[Any]) -> bool:
    """Whether both have one canonical form; what was restored is text throughout, which equals nothing but itself."""
    return restored == given or canonical(restored) == canonical(given)


def unseal(kind: str, body: bytes, where: Where | None) -> dict[str, Any]:
    """The whole content again.

    Raises:
        ValueError (or another of `UNREADABLE`): The bytes are not what this program wrote.
    """
    content: Mapping[str, Any] = json.loads(body)
    if not isinstance(content, dict):
        raise ValueError("the content is not an object")
    return dict(content) if where is None else restore_content(kind, content, *where)


def event_of(envelope: Envelope, body: bytes, where: Where | None) -> Event:
    """The event that was appended, from what rests of it."""
    content = unseal(envelope.kind, body, where)
    return Event(
        envelope.kind, envelope.id, content, envelope.parent, envelope.subjects, envelope.cls
    )


def is_committed(envelope: Envelope, salt: Any, body: Any) -> bool:
    """Whether these bytes are the ones that the envelope commits to."""
    readable = isinstance(salt, bytes) and isinstance(body, bytes)  # a damaged schema gives text
    return readable and commitment(salt, body) == envelope.commitment


def recorded_at(envelope: Envelope) -> int:
    """When it was appended, microseconds."""
    return micros(datetime.fromisoformat(envelope.at))
