"""Vector spaces: which vectors may be compared (`A-EMBVERSION`, `A-REJECT-EMBEDDING`).

- A space is a model, its version and its dimension; vectors of two spaces are never compared.
- A version says everything that changes a vector: the weights' digest, and how text is cut and quantised.
- An embedding is not the memory's content, and its vector never stands in a record.
- Where a store holds several spaces, a query uses the one that matches and says so: a `Coverage`.

>>> a, b = Space("mini", "2", 384), Space("mini", "3", 384)
>>> comparable(a, a), comparable(a, b)
(True, False)
>>> print(coverage(a, {a: 90, b: 8, None: 2}).sentence)
compared in the space `mini 2 (384)`: 90 of 100; 10 wait for their embedding there
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from muniment.core.claim import EmbeddingReference
from muniment.core.errors import InvalidInput, quoted


@dataclass(frozen=True, slots=True, order=True)
class Space:
    """Where vectors may be compared with one another.

    Attributes:
        model: The model's name.
        version: Everything else that decides a vector's bits.
        dimension: How many numbers a vector has, at least 1.
    """

    model: str
    version: str
    dimension: int

    @classmethod
    def of(cls, reference: EmbeddingReference) -> Space:
        """The space that a claim's reference names."""
        return cls(reference.model, reference.version, reference.dimension)

    def reference(self, created_at: datetime | None) -> EmbeddingReference:
        """What a claim that was embedded here says of it (`A-EMBEDDING`)."""
        return EmbeddingReference(self.model, self.version, self.dimension, created_at)

    def __str__(self) -> str:
        return f"{self.model} {self.version} ({self.dimension})"


def comparable(left: Space | EmbeddingReference, right: Space | EmbeddingReference) -> bool:
    """Whether two embeddings lie in one space."""
    return _space(left) == _space(right)


def require_one_space(left: Space | EmbeddingReference, right: Space | EmbeddingReference) -> None:
    """Refuse to compare vectors of two spaces.

    Raises:
        InvalidInput: Model, version or dimension differ.
    """
    if not comparable(left, right):
        spaces = " and ".join(quoted(_space(space)) for space in (left, right))
        raise InvalidInput(f"vectors of {spaces} lie in different spaces and are not compared")


def _space(given: Space | EmbeddingReference) -> Space:
    return given if isinstance(given, Space) else Space.of(given)


def reference_problem(reference: EmbeddingReference | None) -> str:
    """What is missing from an embedding's identity; empty where nothing is."""
    if reference is None:
        return ""
    if not reference.model or not reference.version:
        return "the embedding does not name its model and version"
    return "" if reference.dimension > 0 else "the embedding has no dimension"


# --- stores of several spaces ---------------------------------------------------------------------

State = Literal["whole", "degraded", "none"]


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of what is eligible a query could be compared with by embedding.

    Attributes:
        space: The query's space; None where nothing embeds.
        matching: Rows embedded there, those included whose text gives no vector.
        elsewhere: Rows embedded in other spaces only; not compared.
        never: Rows without any embedding.
    """

    space: Space | None
    matching: int = 0
    elsewhere: int = 0
    never: int = 0

    @property
    def pending(self) -> int:
        """Rows that wait to be embedded in the query's space; other signals still find them."""
        return self.elsewhere + self.never

    @property
    def state(self) -> State:
        """`whole`, `degraded` while rows are pending, `none` without a space or a matching row.

        >>> Coverage(Space("m", "1", 2), 3).state, Coverage(Space("m", "1", 2), 3, 1).state, Coverage(None).state
        ('whole', 'degraded', 'none')
        >>> Coverage(Space("m", "1", 2), never=4).state, Coverage(Space("m", "1", 2)).state
        ('none', 'whole')
        """
        if self.space is None or (self.pending and not self.matching):
            return "none"
        return "degraded" if self.pending else "whole"

    @property
    def sentence(self) -> str:
        """The same for a reader."""
        if self.space is None:
            return "nothing is compared by embedding: no embedder is configured"
        said = f"compared in the space {quoted(self.space)}: {self.matching} of {self.matching + self.pending}"
        waits = "waits" if self.pending == 1 else "wait"
        whose = "its" if self.pending == 1 else "their"
        return said + (
            f"; {self.pending} {waits} for {whose} embedding there" if self.pending else ""
        )


def coverage(space: Space | None, rows: Mapping[Space | None, int]) -> Coverage:
    """Count what a query in `space` is compared with.

    Args:
        space: The query's space, or None where there is no embedder.
        rows: How many of the eligible rows, and of no others, each space holds; None for those that no space
            holds. A row in several spaces counts once, in `space` where that is among them.

    >>> coverage(None, {None: 3}).pending
    3
    """
    whole = sum(rows.values())
    matching = rows.get(space, 0) if space is not None else 0
    never = rows.get(None, 0)
    return Coverage(space, matching, whole - matching - never, never)
