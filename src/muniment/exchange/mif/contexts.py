"""The format's JSON-LD contexts, shipped, so that a document expands without network (`C-JSONLD`).

- The context of a URL is the published one, followed by what later releases corrected (`extensions` are opaque JSON,
  `accessed` is a date) and by terms for what it forgot, so that expanding and compacting loses nothing but nulls.
- A URL that is not shipped has no context here; nothing is fetched.

A JSON-LD processor asks for contexts through its document loader; `loaded` answers as one has to.

>>> loaded("https://mif-spec.dev/schema/context.jsonld")["documentUrl"], shipped_context("https://example.org/x")
('https://mif-spec.dev/schema/context.jsonld', None)
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any

from muniment.exchange.mif.project import CONTEXT_URL

NAMESPACE = "https://mif-spec.dev/ns/"
CONTAINER_URL = "https://mif-spec.dev/schema/container-context.jsonld"
_TIME = {"@type": "http://www.w3.org/2001/XMLSchema#dateTime"}
CORRECTIONS: Mapping[str, Any] = MappingProxyType(
    {
        "@vocab": NAMESPACE,
        "extensions": {"@id": NAMESPACE + "extensions", "@type": "@json"},
        "properties": {"@id": NAMESPACE + "properties", "@type": "@json"},
        "accessed": {
            "@id": NAMESPACE + "accessed",
            "@type": "http://www.w3.org/2001/XMLSchema#date",
        },
        "summary": NAMESPACE + "summary",
        "description": "http://purl.org/dc/terms/description",
        "timestamp": {"@id": NAMESPACE + "timestamp", **_TIME},
        "compressedAt": {"@id": NAMESPACE + "compressedAt", **_TIME},
    }
)
"""What later releases of the context corrected, and terms that it has none for."""
CONTAINER: Mapping[str, Any] = MappingProxyType(
    {
        "MemoryCorpus": NAMESPACE + "MemoryCorpus",
        "records": {"@id": NAMESPACE + "records", "@container": "@list"},
        "kind": NAMESPACE + "kind",
        "payload": NAMESPACE + "payload",
        "containerProfileVersion": NAMESPACE + "containerProfileVersion",
        "editChain": {"@id": NAMESPACE + "editChain", "@type": "@json"},
    }
)


@cache
def _published() -> Any:
    text = (
        resources.files("muniment.exchange.mif")
        .joinpath("data", "context.jsonld")
        .read_text("utf-8")
    )
    return json.loads(text)["@context"]


def shipped_context(url: str) -> list[Any] | None:
    """The contexts behind a URL, to be applied in order; None for one that is not shipped."""
    if url == CONTEXT_URL:
        return [_published(), dict(CORRECTIONS)]
    if url == CONTAINER_URL:
        return [_published(), dict(CORRECTIONS), dict(CONTAINER)]
    return None


def loaded(url: str, options: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A remote document, as a JSON-LD processor's document loader returns it.

    Args:
        url: The context's address.
        options: The processor's, which change nothing.

    Raises:
        LookupError: The context is not shipped; nothing is fetched.
    """
    context = shipped_context(url)
    if context is None:
        raise LookupError(f"the context `{url}` is not shipped, and nothing is fetched")
    return {
        "contentType": "application/ld+json",
        "contextUrl": None,
        "documentUrl": url,
        "document": {"@context": context},
    }
