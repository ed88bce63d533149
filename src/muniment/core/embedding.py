"""Vector spaces: which vectors may be compared (`A-EMBVERSION`, `A-REJECT-EMBEDDING`).

- A space is a model, its version and its dimension; vectors of two spaces are never compared.
- An embedding is not the memory's content, and its vector never stands in a record.

>>> a, b = EmbeddingReference("mini", "2", 384), EmbeddingReference("mini", "3", 384)
>>> comparable(a, a), comparable(a, b)
(True, False)
"""

from __future__ import annotations

from muniment.core.claim import EmbeddingReference
from muniment.core.errors import InvalidInput, quoted


def comparable(left: EmbeddingReference, right: EmbeddingReference) -> bool:
    """Whether two embeddings lie in one space."""
    return (left.model, left.version, left.dimension) == (
        right.model,
        right.version,
        right.dimension,
    )


def require_one_space(left: EmbeddingReference, right: EmbeddingReference) -> None:
    """Refuse to compare vectors of two spaces.

    Raises:
        InvalidInput: Model, version or dimension differ.
    """
    if not comparable(left, right):
        spaces = " and ".join(
            quoted(f"{e.model} {e.version} ({e.dimension})") for e in (left, right)
        )
        raise InvalidInput(f"vectors of {spaces} lie in different spaces and are not compared")


def reference_problem(reference: EmbeddingReference | None) -> str:
    """What is missing from an embedding's identity; empty where nothing is."""
    if reference is None:
        return ""
    if not reference.model or not reference.version:
        return "the embedding does not name its model and version"
    return "" if reference.dimension > 0 else "the embedding has no dimension"
