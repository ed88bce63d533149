"""Markdown to JSON-LD and back, losing nothing (MIF sections 6 and 15).

- `id` becomes `@id` with `urn:mif:` before it, once; `type` becomes `conceptType`; the body becomes `content` as it is.
- Every other key passes through, known or not. Known keys come in the canonical order, others after them as they came.
- `timestamp` mirrors `modified`, else `created`; `description` mirrors `summary`; neither where the author wrote it.
- What the rules alone could not give back (`id: 12345`, `id: urn:mif:…`, metadata in JSON-LD's own spelling) is
  noted in the document under `muniment:authored`, and only then. A note that disagrees with the document is passed
  over.
- Markdown is canonical: where the two disagree, the JSON-LD is made again.

>>> document = to_jsonld({"type": "semantic", "id": "550e8400-e29b-41d4-a716-446655440000", "created": "x"}, "Body")
>>> document["@id"], document["conceptType"], document["timestamp"], document["content"]
('urn:mif:550e8400-e29b-41d4-a716-446655440000', 'semantic', 'x', 'Body')
>>> from_jsonld(document)
({'id': '550e8400-e29b-41d4-a716-446655440000', 'type': 'semantic', 'created': 'x'}, 'Body')
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from muniment.exchange.loaded import Leniency
from muniment.exchange.strict_json import load_json

CONTEXT_URL = "https://mif-spec.dev/schema/context.jsonld"
URN = "urn:mif:"
ORDER = (
    "id", "type", "memoryType", "created", "modified", "namespace", "title", "summary", "properties", "compressedAt",
    "tags", "aliases", "temporal", "provenance", "embedding", "relationships", "citations", "documents", "entities",
    "ontology", "entity", "extensions",
)  # fmt: skip
AUTHORED = "muniment:authored"
FOREIGN = Leniency(alias_nodes=10_000, wide_integers=True, keys_as_text=True)
_FRONT = ("@context", "@type", "@id", "conceptType")
_SPECIAL = (*_FRONT, "timestamp", "description", "content", AUTHORED)
_TYPE_NAMES = ("Concept", "Memory")


def ordered(meta: Mapping[str, Any]) -> dict[str, Any]:
    """Frontmatter in the canonical order of its keys.

    >>> list(ordered({"x": 1, "title": "t", "id": "i"}))
    ['id', 'title', 'x']
    """
    known = {key: meta[key] for key in (*ORDER, *_SPECIAL) if key in meta}
    return known | {key: value for key, value in meta.items() if key not in known}


def urn(given: Any) -> Any:
    """A concept's `@id` for its `id`; what is no text or number stays as it is, for the schema to refuse.

    >>> urn("550e8400"), urn("urn:mif:550e8400"), urn(12), urn(True)
    ('urn:mif:550e8400', 'urn:mif:550e8400', 'urn:mif:12', True)
    """
    if isinstance(given, bool) or not isinstance(given, str | int | float):
        return given
    text = str(given)
    return text if text.startswith(URN) else URN + text


def to_jsonld(
    meta: Mapping[str, Any], body: str, namespaces: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The JSON-LD document of a concept.

    Args:
        meta: The frontmatter.
        body: The body.
        namespaces: The bundle's own prefixes, which join the context.
    """
    document = _projected(meta, body, namespaces)
    kept, same_body = _recovered(document)
    if same_body == body and same_value(kept, dict(meta)):
        return document
    changed = {k: v for k, v in meta.items() if k not in kept or not same_value(kept[k], v)}
    note = {"set": changed, "drop": [key for key in kept if key not in meta]}
    document[AUTHORED] = json.dumps(note, ensure_ascii=False, allow_nan=False)
    return document


def plain_jsonld(meta: Mapping[str, Any], body: str) -> dict[str, Any]:
    """The document without the note of what it could not give back: what the schema looks at, in half the time."""
    return _projected(meta, body, None)


def _projected(
    meta: Mapping[str, Any], body: str, namespaces: Mapping[str, Any] | None
) -> dict[str, Any]:
    context: Any = [CONTEXT_URL, dict(namespaces)] if namespaces else CONTEXT_URL
    document: dict[str, Any] = {
        "@context": meta.get("@context", context),
        "@type": meta.get("@type", "Concept"),
    }
    if "@id" in meta:
        document["@id"] = meta["@id"]
    elif "id" in meta:
        document["@id"] = urn(meta["id"])
    if "conceptType" in meta:
        document["conceptType"] = meta["conceptType"]
    elif "type" in meta:
        document["conceptType"] = meta["type"]
    apart = {"id", "type", "content", AUTHORED, *_FRONT}
    document |= {key: value for key, value in ordered(meta).items() if key not in apart}
    document |= {key: value for key, value in mirrors(meta).items() if key not in meta}
    document["content"] = body
    return document


def mirrors(meta: Mapping[str, Any]) -> dict[str, Any]:
    """The two derived keys, as far as there is something to mirror.

    >>> mirrors({"created": "a", "modified": None, "summary": "s"}), mirrors({})
    ({'timestamp': 'a', 'description': 's'}, {})
    """
    found = {}
    moment = meta.get("modified") if meta.get("modified") is not None else meta.get("created")
    if moment is not None:
        found["timestamp"] = moment
    if meta.get("summary") is not None:
        found["description"] = meta["summary"]
    return found


def from_jsonld(document: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """Frontmatter, in canonical order, and body of a JSON-LD document.

    What a document says that the rules would not make again (another `@type`, an `@id` that is no URN, a context of its
    own) stays in the frontmatter under its JSON-LD name.
    """
    meta, body = _recovered(document)
    note = _note(document.get(AUTHORED))
    if note is not None:
        drop = note["drop"]
        authored = ordered({k: v for k, v in meta.items() if k not in drop} | note["set"])
        plain = {key: value for key, value in document.items() if key != AUTHORED}
        made = _projected(authored, body, _own_namespaces(document))
        if same_value(made, plain):
            return authored, body
    return ordered(meta), body


def _own_namespaces(document: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The prefixes that a projection put into the context, where it has that form."""
    context = document.get("@context")
    if isinstance(context, list) and len(context) == 2 and context[0] == CONTEXT_URL:
        return context[1] if isinstance(context[1], Mapping) else None
    return None


def _recovered(document: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    meta: dict[str, Any] = {}
    rest = {key: value for key, value in document.items() if key not in (AUTHORED, "content")}
    _identity(rest, meta)
    if rest.get("@context") == CONTEXT_URL or _own_namespaces(document) is not None:
        rest.pop("@context")
    if rest.get("@type") == "Concept":
        rest.pop("@type")
    elif "@type" not in rest and _names_a_concept(rest.get("type")):
        rest.pop("type")  # compaction writes the alias
    if "conceptType" in rest and "type" not in rest:
        meta["type"] = rest.pop("conceptType")
    meta |= rest
    for key, value in mirrors(meta).items():
        if key in meta and same_value(meta[key], value):
            del meta[key]
    body = document.get("content", "")
    return meta, body if isinstance(body, str) else ""


def _identity(rest: dict[str, Any], meta: dict[str, Any]) -> None:
    name = "@id" if "@id" in rest else "id"
    given = rest.get(name)
    if isinstance(given, str) and given.startswith(URN):
        bare = given.removeprefix(URN)
        if urn(bare) == given and not ("@id" in rest and "id" in rest):
            meta["id"] = bare
            rest.pop(name)


def _names_a_concept(given: Any) -> bool:
    return given in _TYPE_NAMES or (
        isinstance(given, list) and any(g in _TYPE_NAMES for g in given)
    )


def _note(given: Any) -> Mapping[str, Any] | None:
    """What a projection noted; None where there is nothing, or nothing of that form."""
    loaded = load_json(given, leniency=FOREIGN).value if isinstance(given, str) else None
    if not isinstance(loaded, Mapping) or not isinstance(loaded.get("set"), Mapping):
        return None
    drop = loaded.get("drop")
    return loaded if isinstance(drop, list) and all(isinstance(one, str) for one in drop) else None


def same_value(left: Any, right: Any) -> bool:
    """Equality that tells `1` from `1.0` and `true`; the order of keys does not matter.

    >>> same_value({"a": [1]}, {"a": [1.0]}), same_value({"a": 1, "b": 2}, {"b": 2, "a": 1})
    (False, True)
    """
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(same_value(left[k], right[k]) for k in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same_value, left, right))
    return type(left) is type(right) and (left == right)
