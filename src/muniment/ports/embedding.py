"""How texts become vectors.

- An embedder has one space for its whole life: model, version and dimension (`A-EMBEDDING`). Vectors of two
  spaces are never compared (`A-EMBVERSION`).
- A vector is `dimension` signed bytes: a unit vector times 127, rounded to the nearest, halves to even.
- An embedder whose model runs here gives the same text the same bytes, in any batch, order, thread or process.
- A text longer than the model's window is embedded in pieces, and the vector is the mean of their unit vectors,
  weighted by length; nothing is cut off.
- A text in which the model finds no words (the empty text) has no vector: `b""`.

What is embedded, where vectors are kept and what their closeness means are decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from muniment.core.embedding import Space


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors of one space."""

    @property
    def space(self) -> Space:
        """Where the vectors lie."""

    def embed(self, texts: Sequence[str]) -> Sequence[bytes]:
        """One vector a text, in their order; `b""` for a text without words.

        Raises:
            EmbedderUnavailable: The model cannot be reached or did not answer as it must; the texts are not at
                fault, and the same call may succeed later.
            InvalidInput: The model, or how it was named, is wrong.
        """
