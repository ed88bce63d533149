"""What a bundle says about itself under `.mif/`: version, level, prefixes, types, agreements, namespaces, entities.

- `config.yaml`: `mif_version`, `conformance_level`, `extensions`, `namespaces`, `relationship_types`, `entity_types`,
  `reserved_prefixes`. A bundle without one is read leniently.
- `shared-agreements/*.yaml`, `namespaces/**.yaml`, `entities/<type>/<slug>.yaml`, `ontologies/**.ontology.yaml`.
- A file that cannot be read, or says something that it cannot say, is an issue; the others still count.

>>> settings, issues = read_settings({"config.yaml": b"mif_version: '1.0.0'\\nconformance_level: 2"})
>>> settings.version, settings.level, issues
('1.0.0', 2, ())
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from muniment.core.errors import quoted
from muniment.exchange.mif.entities import CORE_ENTITY_TYPES, entity_issues
from muniment.exchange.mif.issue import Issue, of_finding
from muniment.exchange.mif.project import FOREIGN
from muniment.exchange.strict_yaml import load_yaml


@dataclass(frozen=True)
class Settings:
    """A bundle's configuration.

    Attributes:
        present: Whether there is a `config.yaml`.
        version: `mif_version`, empty where none is stated.
        level: `conformance_level`, 0 where none is stated.
        namespaces: Prefix to IRI.
        relationship_types: Token (`farm:breeds-with`) to its declaration.
        entity_types: Names of custom entity types.
        reserved_prefixes: `_name` to its declaration.
        agreements: Of shared namespaces, by their file's name.
        spaces: Namespace path to its declaration.
        entities: `urn:mif:entity:<type>:<slug>` to the entity.
        ontologies: File to its value.
    """

    present: bool = False
    version: str = ""
    level: int = 0
    namespaces: Mapping[str, str] = field(default_factory=dict)
    relationship_types: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    declares_relationships: bool = False
    entity_types: frozenset[str] = frozenset()
    reserved_prefixes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    agreements: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    spaces: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    entities: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    ontologies: Mapping[str, Any] = field(default_factory=dict)


def token(name: str, namespace: str = "") -> str:
    """The token of a declared relationship type (section 8.1.1).

    >>> token("DerivedFrom"), token("BreedsWith", "farm"), token("relates-to")
    ('derived-from', 'farm:breeds-with', 'relates-to')
    """
    kebab = re.sub(r"(?<=.)([A-Z])", r"-\1", name).lower()
    return f"{namespace}:{kebab}" if namespace else kebab


def read_settings(files: Mapping[str, bytes]) -> tuple[Settings, tuple[Issue, ...]]:
    """Read the files under `.mif/`; never raises.

    Args:
        files: Path below `.mif/` to bytes.
    """
    found: list[Issue] = []
    values: dict[str, Any] = {}
    for name, data in sorted(files.items()):
        if PurePosixPath(name).suffix in (".yaml", ".yml"):
            loaded = load_yaml(data, leniency=FOREIGN)
            found += [of_finding(finding, f".mif/{name}") for finding in loaded.findings]
            if loaded.ok and isinstance(loaded.value, dict):
                values[name] = loaded.value
            elif loaded.ok:
                found.append(_wrong(name, "", "the file is no mapping"))
    config = values.get("config.yaml", values.get("config.yml"))
    parts = _config(config, found) if config is not None else {}
    return Settings(present=config is not None, **parts, **_folders(values, found)), tuple(found)


def _folders(values: Mapping[str, Any], found: list[Issue]) -> dict[str, Any]:
    agreements, spaces, entities, ontologies = {}, {}, {}, {}
    for name, value in values.items():
        place = PurePosixPath(name)
        head = place.parts[0]
        if head == "shared-agreements":
            agreements[place.stem] = value
        elif head == "namespaces":
            spaces["/".join((*place.parts[1:-1], place.stem))] = value
        elif head == "entities" and len(place.parts) == 3:
            entities[f"urn:mif:entity:{place.parts[1]}:{place.stem}"] = value
            found += [
                Issue("spec", code, message, fix, severity, f".mif/{name}", 1, 1, pointer, "S7.4")
                for code, message, fix, severity, pointer in entity_issues(value, place.parts[1], place.stem)
            ]  # fmt: skip
        elif head == "ontologies" and ".ontology." in place.name:
            ontologies[f".mif/{name}"] = value
    return {
        "agreements": agreements,
        "spaces": spaces,
        "entities": entities,
        "ontologies": ontologies,
    }


def _wrong(name: str, pointer: str, message: str, fix: str = "see the specification") -> Issue:
    return Issue("spec", "bad_setting", message, fix, "error", f".mif/{name}", 1, 1, pointer, "S13.4")  # fmt: skip


def _config(value: Mapping[str, Any], found: list[Issue]) -> dict[str, Any]:
    def part(key: str, kind: type, words: str, empty: Any) -> Any:
        given = value.get(key)
        if given is None:
            return empty
        if not isinstance(given, kind) or isinstance(given, bool):
            found.append(_wrong("config.yaml", f"/{key}", f"{quoted(key)} is not {words}"))
            return empty
        return given

    level = part("conformance_level", int, "a number", 0)
    if level not in (0, 1, 2, 3):
        message = f"the level {quoted(level)} is none of 1, 2, 3"
        found.append(_wrong("config.yaml", "/conformance_level", message))
        level = 0
    part("extensions", list, "a list", [])
    namespaces = part("namespaces", dict, "a mapping of prefixes", {})
    types = part("relationship_types", list, "a list", [])
    entity_types = part("entity_types", list, "a list", [])
    prefixes = part("reserved_prefixes", dict, "a mapping", {})
    return {
        "version": str(value.get("mif_version") or ""),
        "level": level,
        "namespaces": {k: v for k, v in namespaces.items() if isinstance(v, str)},
        "relationship_types": dict(_declared(types, found)),
        "declares_relationships": "relationship_types" in value,
        "entity_types": frozenset(_names(entity_types)) - frozenset(CORE_ENTITY_TYPES),
        "reserved_prefixes": {k: v for k, v in prefixes.items() if isinstance(v, dict)},
    }


def _names(given: list[Any]) -> list[str]:
    return [
        f"{one['namespace']}:{one['name']}" if one.get("namespace") else str(one["name"])
        for one in given
        if isinstance(one, dict) and isinstance(one.get("name"), str)
    ]


def _declared(given: list[Any], found: list[Issue]) -> list[tuple[str, Mapping[str, Any]]]:
    kept: list[tuple[str, Mapping[str, Any]]] = []
    for number, one in enumerate(given):
        if isinstance(one, dict) and isinstance(one.get("name"), str) and one["name"]:
            kept.append((token(one["name"], str(one.get("namespace") or "")), one))
        else:
            pointer = f"/relationship_types/{number}"
            found.append(_wrong("config.yaml", pointer, "a relationship type has no name"))
    return kept


PropertyCheck = Callable[[Any], bool]
_PROPERTY_TYPES: tuple[tuple[str, PropertyCheck], ...] = (
    ("string", lambda v: isinstance(v, str)),
    ("boolean", lambda v: isinstance(v, bool)),
    ("integer", lambda v: isinstance(v, int) and not isinstance(v, bool)),
    ("number", lambda v: isinstance(v, int | float) and not isinstance(v, bool)),
    ("date", lambda v: isinstance(v, str) and bool(re.match(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", v))),
    ("array", lambda v: isinstance(v, list)),
    ("object", lambda v: isinstance(v, dict)),
)


def property_fault(declared: Mapping[str, Any], value: Any) -> str:
    """What is wrong with a value of a declared property, in words; empty for nothing.

    >>> property_fault({"type": "number", "range": [0.0, 1.0]}, 5.0)
    'it is 5.0, outside 0.0 to 1.0'
    >>> property_fault({"type": "boolean"}, "yes"), property_fault({"enum": ["a"]}, "a")
    ('it is `yes`, where boolean is declared', '')
    """
    wanted = declared.get("type")
    fits = next((check for name, check in _PROPERTY_TYPES if name == wanted), None)
    if fits is not None and not fits(value):
        return f"it is {quoted(value)}, where {wanted} is declared"
    allowed = declared.get("enum")
    if isinstance(allowed, list) and value not in allowed:
        return f"it is {quoted(value)}, where one of {', '.join(map(str, allowed))} is declared"
    bounds = declared.get("range")
    if isinstance(bounds, list) and len(bounds) == 2 and all(map(_is_number, (*bounds, value))):
        low, high = bounds
        return "" if low <= value <= high else f"it is {value}, outside {low} to {high}"
    return ""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
