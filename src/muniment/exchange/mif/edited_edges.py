"""What somebody edited among the relationships of a concept that we wrote.

- Targets are compared as concepts, however they are written: by path, by URN, or as a claim of this store.
- An edge that was added is taken with its concept's URN, which every store reads alike; one that was removed is taken
  away. What a claim says elsewhere (supersedes, derived-from, conflicts-with, cites) is no relationship of its own.
- An edge from the body of the text alone is the text's, and no edit.

>>> known = Known({"/b.md": "5d0"}, {})
>>> known.target("/b.md"), known.target("urn:mif:5D0"), known.target("https://example.org/")
('urn:mif:5d0', 'urn:mif:5d0', 'https://example.org/')
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from muniment.core.claim import Claim, Relationship
from muniment.core.ids import is_id
from muniment.exchange.mif.concept import Concept
from muniment.exchange.mif.from_claims import concept_of
from muniment.exchange.mif.mirror import edge_type, uuid_of
from muniment.exchange.mif.rules import mappings, text_of
from muniment.ports.interchange import Outgoing

ELSEWHERE = frozenset({"supersedes", "derived-from", "conflicts-with", "cites"})
URN = "urn:mif:"
Edge = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Known:
    """The concepts of a folder.

    Attributes:
        files: Path with a leading slash, to the concept's identifier.
        claims: Claim that a file says it is, to the concept's identifier.
    """

    files: Mapping[str, str]
    claims: Mapping[str, str]

    def target(self, given: str) -> str:
        """A target as every store reads it."""
        if given in self.files:
            return URN + self.files[given]
        if is_id(given, "mem"):
            return URN + self.claims.get(given, uuid_of(given))
        return given.lower() if given.startswith(URN) else given


def edited_edges(
    concept: Concept, claim: Claim, known: Known
) -> tuple[tuple[Relationship, ...], bool]:
    """A claim's relationships as its file says them now, and whether one is gone that other stores cannot compare.

    Args:
        concept: As it was read.
        claim: Its claim (`own_claim`).
        known: The concepts of its folder.
    """
    before, _ = concept_of(Outgoing(claim), {}, {})
    written = _edges(before.get("relationships"), known)
    now = _edges(concept.meta.get("relationships"), known)
    gone = [one for one in claim.relationships if _is_own(one) and _edge(one, known) not in now]
    kept = tuple(one for one in claim.relationships if one not in gone)
    own = {_edge(one, known) for one in claim.relationships}
    added = tuple(Relationship(*edge) for edge in now if edge not in written and edge not in own)
    return kept + added, any(is_id(one.target, "mem") for one in gone)


def _is_own(one: Relationship) -> bool:
    return edge_type(one.type) not in ELSEWHERE


def _edge(one: Relationship, known: Known) -> Edge:
    return edge_type(one.type), known.target(one.target)


def _edges(declared: object, known: Known) -> dict[Edge, None]:
    """The edges that frontmatter declares, in its order."""
    pairs = (
        (text_of(one.get("type")), text_of(one.get("target"))) for _, one in mappings(declared)
    )
    return {
        (kind, known.target(to)): None
        for kind, to in pairs
        if kind and to and kind not in ELSEWHERE
    }
