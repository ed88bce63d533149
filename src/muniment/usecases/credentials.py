"""By which keys a reviewer is known.

- Public keys only; what opens them never comes here.
- A key that was replaced stays known as long as it is declared, so that old signatures can be checked.
"""

from __future__ import annotations

from muniment.usecases.viewing import Viewing


def registered_keys(viewing: Viewing, name: str) -> tuple[str, ...]:
    """Public keys registered for a reviewer."""
    snapshot = viewing.snapshot
    doc = snapshot.doc("credential", snapshot.key("credential", name))
    content = snapshot.contents([doc.seq]).get(doc.seq) if doc else None
    return tuple(content["public_keys"]) if content else ()
