"""Open an embedder by what a configuration calls it.

- `none`: nothing embeds. `wordllama` or `wordllama:FOLDER`: the offline default.
- `openai:MODEL@URL?dim=…&key_env=…`: an endpoint that speaks OpenAI's embeddings (`embed.endpoint`).
- `sentence-transformers:FOLDER`: a model of that library in a local folder (`embed.sentence`).
- Each kind's module is imported only when it is opened.

>>> open_embedder("none") is None
True
>>> [form for kind in KINDS for form in kind.forms]  # doctest: +NORMALIZE_WHITESPACE
['none', 'wordllama', 'wordllama:FOLDER', 'openai:MODEL@URL?dim=N&key_env=NAME',
 'sentence-transformers:FOLDER']
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from muniment.core.errors import Finding, InvalidInput, quoted
from muniment.ports.embedding import Embedder

DEFAULT = "wordllama"
"""The embedder of a configuration that names none, where its package is installed."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of embedder.

    Attributes:
        name: What stands before the colon.
        forms: How it can be written.
        meaning: What it is, for the reference.
        open: Opens it from what stands after the colon.
    """

    name: str
    forms: tuple[str, ...]
    meaning: str
    open: Callable[[str], Embedder | None]


def _none(rest: str) -> None:
    if rest:
        raise InvalidInput.of(
            (Finding("unknown_embedder", "`none` takes nothing", fix="write `none`"),)
        )


def _wordllama(rest: str) -> Embedder:
    from muniment.embed.static import open_wordllama

    return open_wordllama(Path(rest) if rest else None)


def _openai(rest: str) -> Embedder:
    from muniment.embed.openai import open_endpoint

    return open_endpoint(rest)


def _sentence(rest: str) -> Embedder:
    from muniment.embed.sentence import open_folder

    return open_folder(rest)


KINDS = (
    Kind("none", ("none",), "nothing embeds; the other signals find", _none),
    Kind(
        "wordllama",
        ("wordllama", "wordllama:FOLDER"),
        "the offline default: 256 dimensions, no network, the same bytes everywhere; its two files come with "
        "`muniment[embeddings]`, or lie in a folder",
        _wordllama,
    ),
    Kind(
        "openai",
        ("openai:MODEL@URL?dim=N&key_env=NAME",),
        "an endpoint that speaks OpenAI's `/v1/embeddings`; without `@URL` it is OpenAI's own",
        _openai,
    ),
    Kind(
        "sentence-transformers",
        ("sentence-transformers:FOLDER",),
        "a model of that library in a local folder, safetensors only; `?sha256=…` pins it; needs "
        "`muniment[sentence-transformers]`",
        _sentence,
    ),
)
"""What can be opened."""


def open_embedder(spec: str) -> Embedder | None:
    """The embedder that a specification names; None for `none`.

    Args:
        spec: A kind, and after a colon what it takes.

    Raises:
        InvalidInput: No such kind, something of it is missing or wrong, or its package is not installed.
    """
    name, _, rest = spec.partition(":")
    kind = next((kind for kind in KINDS if kind.name == name.strip()), None)
    if kind is None:
        known = ", ".join(f"`{form}`" for each in KINDS for form in each.forms)
        message = f"there is no embedder {quoted(spec)}"
        raise InvalidInput.of((Finding("unknown_embedder", message, fix=f"use one of {known}"),))
    return kind.open(rest.strip())
