"""Entities: files that define them, references to them, and their JSON-LD.

- A file `.mif/entities/<type>/<slug>.yaml` defines `urn:mif:entity:<type>:<slug>`; its id is the slug.
- Five core types; a custom one is declared, and may carry a namespace prefix.

>>> entity_to_jsonld({"id": "jane-doe", "type": "Person", "name": "Jane Doe"})["@id"]
'urn:mif:entity:person:jane-doe'
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from muniment.core.errors import Severity, quoted

CORE_ENTITY_TYPES = ("Person", "Organization", "Technology", "Concept", "File")
_FIELDS = ("id", "type", "name", "aliases", "properties", "namespace", "description")
Fault = tuple[str, str, str, Severity, str]


def slug(text: str) -> str:
    """A name as part of a URN.

    >>> slug("Jane Doe"), slug("farm:Animal"), slug("Ünï (x)")
    ('jane-doe', 'animal', 'ünï-x')
    """
    bare = text.rpartition(":")[2]
    return "-".join(re.findall(r"\w+", bare.casefold())) or "x"


def entity_urn(kind: str, name: str) -> str:
    """The identifier of an entity."""
    return f"urn:mif:entity:{slug(kind)}:{slug(name)}"


def entity_to_jsonld(entity: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON-LD node of an entity file."""
    kind = str(entity.get("type", ""))
    named = f"{entity['namespace']}:{kind}" if entity.get("namespace") else kind
    node = {
        "@context": "https://mif-spec.dev/schema/context.jsonld",
        "@type": named,
        "@id": f"urn:mif:entity:{slug(kind)}:{entity.get('id', '')}",
    }
    return node | {
        key: value for key, value in entity.items() if key not in ("id", "type", "namespace")
    }


def entity_from_jsonld(node: Mapping[str, Any]) -> dict[str, Any]:
    """The entity file of a JSON-LD node; the inverse of `entity_to_jsonld`.

    >>> entity = {"id": "ram-1", "type": "Animal", "name": "Ram", "namespace": "farm", "properties": {"breed": "x"}}
    >>> entity_from_jsonld(entity_to_jsonld(entity)) == entity
    True
    """
    prefix, colon, kind = str(node.get("@type", "")).rpartition(":")
    entity = {"id": str(node.get("@id", "")).rpartition(":")[2], "type": kind}
    kept = {key: value for key, value in node.items() if key not in ("@context", "@type", "@id")}
    return entity | kept | ({"namespace": prefix} if colon else {})


def entity_issues(entity: Mapping[str, Any], folder: str, stem: str) -> Iterator[Fault]:
    """What is wrong with an entity file, by where it stands."""
    if entity.get("id") != stem:
        message = f"the id {quoted(entity.get('id'))} is not the file's name {quoted(stem)}"
        yield "entity_id", message, "make them the same", "error", "/id"
    kind = entity.get("type")
    if not isinstance(kind, str) or not kind:
        yield (
            "entity_type",
            "the entity has no type",
            f"add one, such as {CORE_ENTITY_TYPES[0]}",
            "error",
            "/type",
        )
    elif slug(kind) != folder.casefold():
        message = f"the type {quoted(kind)} stands in the folder {quoted(folder)}"
        yield "entity_folder", message, f"move it to {quoted(slug(kind))}", "warning", "/type"
    if not isinstance(entity.get("name"), str) or not entity["name"]:
        yield "entity_name", "the entity has no name", "add `name`", "error", "/name"
    aliases = entity.get("aliases", [])
    if not isinstance(aliases, list) or not all(isinstance(one, str) for one in aliases):
        yield (
            "entity_aliases",
            "the aliases are no list of texts",
            "write `aliases: [a, b]`",
            "error",
            "/aliases",
        )
    if not isinstance(entity.get("properties", {}), dict):
        yield (
            "entity_properties",
            "the properties are no mapping",
            "write `key: value` lines",
            "error",
            "/properties",
        )
