"""Embed at an endpoint that speaks OpenAI's `/v1/embeddings` (OpenAI, vLLM, Ollama, llama.cpp, LM Studio …).

- Plain HTTPS through the standard library: no package is needed, and what is sent is in sight here.
- A text longer than the window is cut at white space, and its vector is the mean of its pieces' unit vectors by
  their length; nothing is left out.
- The answer is checked: one vector a text, each of the declared dimension and of finite numbers. A server that
  answers otherwise is refused and nothing of the batch is used.
- The key is read from its environment variable for each request and kept nowhere.

Where may be sent to, and how often it is tried, is `endpoint`'s and `post`'s matter.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from muniment.core.embedding import Space
from muniment.core.errors import EmbedderUnavailable, Finding, InvalidInput, quoted
from muniment.embed.endpoint import Endpoint, parse_endpoint
from muniment.embed.post import TRIES, TRIES_OF_ONE, Poster

BATCH = 64
"""Pieces in one request at most."""

BATCH_BYTES = 128_000
"""Bytes of text in one request, one long piece apart."""

_NUMBER_BYTES = 40  # of a number as JSON, with its comma and indentation
_ENVELOPE_BYTES = 1 << 16

Post = Callable[[Any, str, int, int], Any]


class OpenAIEmbedder:
    """Embeds at an endpoint. Safe from several threads.

    Args:
        endpoint: Where.
        post: Sends a value with a key, and gives an answer of so many bytes at most after so many tries at most.
        environment: Where the key is looked up.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        post: Post | None = None,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        self._endpoint = endpoint
        self._post = post or Poster(endpoint.url, endpoint.timeout)
        self._environment = environment

    @property
    def space(self) -> Space:
        """Where the vectors lie."""
        return self._endpoint.space

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """One vector a text, in their order; `b""` for a text of white space.

        Raises:
            EmbedderUnavailable: The endpoint does not answer, or not as it must.
            InvalidInput: It refuses the request, its dimension is another, or the key is missing.
        """
        from muniment.embed.quantise import mean_of

        pieces = [cut(text, self._endpoint.window) for text in texts]
        flat = [piece for each in pieces for piece in each]
        tries = TRIES_OF_ONE if len(texts) == 1 else TRIES
        vectors = iter([unit for batch in batches(flat) for unit in self._request(batch, tries)])
        found = []
        for each in pieces:
            units = [next(vectors) for _ in each]
            weights = [_bytes(piece) for piece in each]
            found.append(units[0] if len(units) == 1 else mean_of(units, weights))
        return found

    def _request(self, batch: list[str], tries: int) -> list[bytes]:
        """The vectors of one request's pieces."""
        import numpy as np

        from muniment.embed.quantise import unit_bytes, whole_numbers

        asked: dict[str, Any] = {
            "model": self._endpoint.model,
            "input": batch,
            "encoding_format": "float",
        }
        if self._endpoint.shortened:
            asked["dimensions"] = self._endpoint.dimension
        largest = _ENVELOPE_BYTES + len(batch) * self._endpoint.dimension * _NUMBER_BYTES
        rows = self._checked(self._post(asked, self._key(), largest, tries), len(batch))
        return unit_bytes(whole_numbers(np.array(rows, dtype=np.float64)))

    def _key(self) -> str:
        name = self._endpoint.key_env
        if not name:
            return ""
        key = self._environment.get(name, "").strip()
        if not key:
            message = f"the environment variable {quoted(name)} holds no key"
            fix = f"set `{name}`, or name another variable with `key_env=NAME`"
            raise InvalidInput.of((Finding("key_missing", message, fix=fix),))
        if not key.isascii() or not key.isprintable() or " " in key:
            message = f"what the environment variable {quoted(name)} holds is no key"
            raise InvalidInput.of((Finding("key_missing", message, fix=f"set `{name}` anew"),))
        return key

    def _checked(self, answer: Any, count: int) -> list[list[float]]:
        """The vectors of an answer in the order of what was asked.

        Raises:
            EmbedderUnavailable: It is not what an endpoint of embeddings answers.
            InvalidInput: The vectors have another dimension.
        """
        entries = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(entries, list) or len(entries) != count:
            raise self._unusable(f"not {count} vectors")
        rows: dict[int, list[float]] = {}
        for place, entry in enumerate(entries):
            index = entry.get("index", place) if isinstance(entry, dict) else None
            if type(index) is not int or not 0 <= index < count or index in rows:
                raise self._unusable("vectors without an order")
            rows[index] = self._vector(entry.get("embedding"))
        return [rows[index] for index in range(count)]

    def _vector(self, given: Any) -> list[float]:
        if not isinstance(given, list) or not all(type(n) in (int, float) for n in given):
            raise self._unusable("a vector that is no list of numbers")
        if len(given) != self._endpoint.dimension:
            message = (
                f"{quoted(self._endpoint.model)} answers with {len(given)} dimensions, "
                f"where {self._endpoint.dimension} are declared"
            )
            fix = f"declare `dim={len(given)}` if that is the model that you mean"
            raise InvalidInput.of((Finding("dimension_differs", message, fix=fix),))
        try:
            row = [float(number) for number in given]
        except OverflowError:
            row = [math.inf]
        if not all(map(math.isfinite, row)):
            raise self._unusable("a vector of numbers that are not finite")
        return row

    def _unusable(self, what: str) -> EmbedderUnavailable:
        message = f"the embedding endpoint {quoted(self._endpoint.url)} answered with {what}"
        fix = "check that the address is one of embeddings (`…/v1`)"
        return EmbedderUnavailable(message, (Finding("embedder_unavailable", message, fix=fix),))


def open_endpoint(spec: str) -> OpenAIEmbedder:
    """An embedder at the endpoint of a specification (`embed.endpoint`); nothing is sent yet.

    Raises:
        InvalidInput: The specification is wrong.
    """
    return OpenAIEmbedder(parse_endpoint(spec))


# --- pieces and batches ---------------------------------------------------------------------------


def _bytes(text: str) -> int:
    return len(text.encode("utf-8"))


def cut(text: str, window: int) -> list[str]:
    """Pieces of at most `window` bytes, cut at white space where there is some in their second half.

    Nothing but white space at their edges is left out; a half of a surrogate pair becomes U+FFFD.

    >>> cut("one two three four", 9), cut("日本語", 6), cut("  ", 5)
    (['one two', 'three', 'four'], ['日本', '語'], [])
    """
    rest = "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text).strip()
    pieces = []
    while rest:
        if len(rest) <= window and _bytes(rest) <= window:
            pieces.append(rest)
            break
        head = rest[: window + 1].encode("utf-8")[:window].decode("utf-8", "ignore") or rest[0]
        at = max(head.rfind(space) for space in " \n\t")
        if rest[len(head) : len(head) + 1].isspace() or at < len(head) // 2:
            at = len(head)
        pieces.append(rest[:at].rstrip())
        rest = rest[at:].lstrip()
    return pieces


def batches(pieces: Sequence[str]) -> Iterator[list[str]]:
    """Pieces in requests, in their order."""
    batch: list[str] = []
    size = 0
    for piece in pieces:
        length = _bytes(piece)
        if batch and (len(batch) == BATCH or size + length > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(piece)
        size += length
    if batch:
        yield batch
