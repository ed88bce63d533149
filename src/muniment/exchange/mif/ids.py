"""Identifiers of concepts: UUIDs, the ones that slugs get, URNs and `mif:` addresses.

- A concept's id is a UUID of any version, in either case. One that is none gets the UUIDv5 of its text in the format's
  own namespace, and keeps the text as an alias; the same text always gets the same UUID.
- `urn:mif:entity:`, `agent:`, `activity:`, `conversation:` and `vector:` never name a concept.

>>> is_uuid("550E8400-e29b-41d4-a716-446655440000"), is_uuid("550e8400")
(True, False)
>>> uuid_for("decision-react-over-vue") == uuid_for("urn:mif:decision-react-over-vue")
True
"""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass

RESERVED = ("entity", "agent", "activity", "conversation", "vector")
NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "https://mif-spec.dev")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_SPELLED = re.compile(r"(?:urn:mif:|urn:uuid:)?\{?([^{}]*)\}?")


def is_uuid(text: str) -> bool:
    """Whether this is a UUID in its usual form."""
    return _UUID.fullmatch(text) is not None


def uuid_for(given: str) -> str:
    """The UUID of an id: itself in lower case where it is one in any spelling, else the one its text gets.

    >>> uuid_for("urn:uuid:550E8400-E29B-41D4-A716-446655440000"), uuid_for("{550e8400-e29b-41d4-a716-446655440000}")
    ('550e8400-e29b-41d4-a716-446655440000', '550e8400-e29b-41d4-a716-446655440000')
    """
    spelled = _SPELLED.fullmatch(given.strip())
    bare = spelled[1] if spelled else given.strip()
    return bare.lower() if is_uuid(bare) else str(uuid.uuid5(NAMESPACE, bare))


def urn_kind(target: str) -> str:
    """What a `urn:mif:` names: `concept`, a reserved kind, or `unknown`; empty for anything else.

    >>> [urn_kind(f"urn:mif:{rest}") for rest in ("550e8400-e29b-41d4-a716-446655440000", "entity:person:x", "slug")]
    ['concept', 'entity', 'unknown']
    """
    if not target.startswith("urn:mif:"):
        return ""
    rest = target.removeprefix("urn:mif:")
    if is_uuid(rest):
        return "concept"
    head, colon, _ = rest.partition(":")
    return head if colon and head in RESERVED else "unknown"


@dataclass(frozen=True, slots=True)
class Address:
    """A concept's address across systems: `mif://{domain}/{namespace}/{id}`."""

    domain: str
    namespace: str
    id: str

    def __str__(self) -> str:
        return f"mif://{self.domain}/{self.namespace}/{self.id}"


def parse_address(text: str) -> Address | None:
    """Read a `mif:` address; None where it is none.

    >>> parse_address("mif://local/_local/scratch/memory-123")
    Address(domain='local', namespace='_local/scratch', id='memory-123')
    >>> parse_address("mif://local/x") is None
    True
    """
    if not text.startswith("mif://"):
        return None
    domain, _, rest = text.removeprefix("mif://").partition("/")
    namespace, _, name = rest.rpartition("/")
    return Address(domain, namespace, name) if domain and namespace and name else None
