"""A proposed claim as a text that a reviewer edits, and what the edit changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from muniment import wiring
from muniment.core.claim import Claim
from muniment.core.encode import encode
from muniment.core.errors import InvalidInput

EDITABLE = (
    "claim", "title", "summary", "body", "type", "memory_type", "facts", "steps", "tags", "aliases",
    "allowed_uses", "prohibited_uses", "validity", "visibility", "confidence",
)  # fmt: skip


def editable_text(item: Claim) -> str:
    """The parts of a claim that may be edited, as YAML."""
    import yaml

    whole = encode(item)
    parts = {name: whole[name] for name in EDITABLE if name in whole}
    return str(yaml.safe_dump(parts, sort_keys=False, allow_unicode=True, width=96))


def changed_parts(item: Claim, edited: bytes) -> dict[str, Any]:
    """The parts that differ from the claim's; what was taken out is None.

    Raises:
        InvalidInput: It cannot be read.
    """
    value, findings = wiring.read_document(edited, "claim.yaml")
    if not isinstance(value, Mapping):
        raise InvalidInput.of(findings)
    whole = encode(item)
    before = {name: whole[name] for name in EDITABLE if name in whole}
    gone: dict[str, Any] = dict.fromkeys(name for name in before if name not in value)
    return gone | {name: new for name, new in value.items() if before.get(name) != new}
