"""What somebody edited in a concept that we wrote, beside its text.

- A concept of our own keeps its claim under `extensions.muniment`; what the frontmatter says otherwise was edited.
- Title, summary, tags, entities, times, properties, type and namespace are taken from the frontmatter then.
- Other edits (provenance, confidence, status, citations, our own part) are not taken; they are named.

>>> sorted(TAKEN)[:3]
['entities', 'namespace', 'properties']
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from muniment.core.canonical import digest_bytes
from muniment.core.claim import Claim
from muniment.exchange.mif.concept import Concept
from muniment.exchange.mif.from_claims import concept_of
from muniment.exchange.mif.project import same_value
from muniment.exchange.mif.to_claims import OWN, item_of, own_claim
from muniment.ports.interchange import Outgoing

TAKEN: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "title": ("title",),
        "summary": ("summary",),
        "tags": ("tags",),
        "entities": ("entities",),
        "properties": ("properties",),
        "temporal": ("validity",),
        "type": ("memory_type", "concept_type"),
        "namespace": ("namespace",),
    }
)
"""Keys of the frontmatter that are taken where they were edited, with the parts of a claim that they give."""

_OF_THE_BUNDLE = frozenset({"id", "relationships", "extensions"})
"""Keys that depend on what else is in the bundle."""


def edited_keys(concept: Concept, claim: Claim) -> tuple[str, ...]:
    """The keys of a concept of our own that say something else than when it was written.

    Args:
        concept: As it was read.
        claim: Its claim (`own_claim`).
    """
    meta, _ = concept_of(Outgoing(claim), {}, {})
    names = [*meta, *(name for name in concept.meta if name not in meta)]
    return tuple(
        name
        for name in names
        if name not in _OF_THE_BUNDLE and not same_value(meta.get(name), concept.meta.get(name))
    )


def with_edits(concept: Concept, item: dict[str, Any]) -> dict[str, Any]:
    """The claim of a concept of our own in wire form, with what its frontmatter says otherwise now."""
    claim = own_claim(concept)[0]
    keys = edited_keys(concept, claim) if claim is not None else ()
    if claim is None or not any(key in TAKEN for key in keys):
        return item
    given = item_of(concept)
    changed = dict(item)
    for part in (part for key in keys for part in TAKEN.get(key, ())):
        changed[part] = _times(concept, claim, item) if part == "validity" else given.get(part)
    return {key: value for key, value in changed.items() if value not in (None, "", [], {})}


def _times(concept: Concept, claim: Claim, item: Mapping[str, Any]) -> dict[str, Any]:
    """The validity with those of its times that were edited; a time that only mirrors another stays as it was."""
    before = concept_of(Outgoing(claim), {}, {})[0].get("temporal", {})
    now = concept.meta.get("temporal")
    now, given = now if isinstance(now, Mapping) else {}, item_of(concept).get("validity", {})
    found = dict(item.get("validity", {}))
    for key, part in _TIMES:
        if not same_value(before.get(key), now.get(key)):
            found.pop(part, None)
            found |= {part: given[part]} if part in given else {}
    return found


_TIMES = (("validFrom", "valid_from"), ("validUntil", "valid_until"), ("ttl", "ttl_seconds"))


def not_taken(concept: Concept) -> tuple[str, ...]:
    """What was edited in a concept of our own and is not taken: keys, and `extensions.muniment` itself."""
    claim, exact, _ = own_claim(concept)
    if claim is None:
        return ()
    keys = edited_keys(concept, claim)
    named = [key for key in keys if key not in TAKEN]
    own = not (exact or keys or _has_other_text(concept))
    return (*named, f"extensions.{OWN}") if own else tuple(named)


def _has_other_text(concept: Concept) -> bool:
    """Whether the text was edited: the hash beside it is another text's."""
    extensions = concept.meta.get("extensions")
    stated = extensions.get("hash") if isinstance(extensions, Mapping) else None
    return stated != digest_bytes(concept.body.encode("utf-8"))
