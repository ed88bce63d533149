"""Small concepts for the tests of MIF, as documents and as files."""

from __future__ import annotations

UUID = "550e8400-e29b-41d4-a716-446655440000"
CONCEPT = {
    "@context": "https://mif-spec.dev/schema/context.jsonld",
    "@type": "Concept",
    "@id": f"urn:mif:{UUID}",
    "conceptType": "semantic",
    "created": "2026-01-15T10:30:00Z",
    "content": "Body",
}


def uuid_of(name: str) -> str:
    """A UUID for a name."""
    import uuid

    return str(uuid.uuid5(uuid.NAMESPACE_URL, name))


def concept_text(name: str, extra: str = "", body: str = "\nBody text.\n") -> str:
    """A concept's file."""
    return f"---\nid: {uuid_of(name)}\ntype: semantic\ncreated: 2026-01-15T10:30:00Z\n{extra}---\n{body}"
