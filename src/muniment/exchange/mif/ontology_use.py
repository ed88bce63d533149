"""Packs put to use: entities checked by their types, relationships by their ends, and what discovery suggests.

- Patterns come from files: one that could take long (nested repetition, back references) is not run.

>>> value_fault({"type": "boolean"}, "yes")
'is text, where true or false is declared'
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from muniment.core.errors import quoted
from muniment.exchange.mif.formats import is_date_time, is_uri
from muniment.exchange.mif.keywords import TYPES, named_type
from muniment.exchange.mif.ontology import Ontology

LONGEST_PATTERN = 300
LONGEST_SEARCHED = 20_000


def instance_faults(
    ontology: Ontology, entity: Mapping[str, Any], concept_type: Any
) -> Iterator[tuple[str, str, str, str]]:
    """What is wrong with a concept's `entity` by its declared type: pointer, code, message, fix."""
    name = entity.get("entity_type")
    kind = ontology.types.get(name) if isinstance(name, str) else None
    if kind is None:
        return
    if kind.base != concept_type:
        message = f"{quoted(name)} is a {kind.base} type, and the concept is {quoted(concept_type)}"
        yield "/entity/entity_type", "type_base", message, f"make the concept {kind.base}"
    for key in kind.required:
        if key not in entity:
            message = f"{quoted(key)} is required of {quoted(name)}"
            yield f"/entity/{key}", "entity_field", message, f"add {quoted(key)}"
    for key, value in entity.items():
        if key in kind.fields and (fault := value_fault(kind.fields[key], value)):
            yield (
                f"/entity/{key}",
                "entity_value",
                f"{quoted(key)} {fault}",
                "give what is declared",
            )


def value_fault(declared: Mapping[str, Any], value: Any) -> str:
    """What is wrong with a field's value, in words; empty for nothing.

    >>> value_fault({"type": "string", "enum": ["a"]}, "b"), value_fault({"type": "integer"}, 1.5)
    ('is `b`, where one of a is declared', 'is a number, where a whole number is declared')
    """
    for name, words, fits in TYPES:
        if declared.get("type") == name and not fits(value):
            return f"is {named_type(value)}, where {words} is declared"
    allowed = declared.get("enum")
    if allowed is not None and value not in allowed:
        return f"is {quoted(value)}, where one of {', '.join(map(str, allowed))} is declared"
    if isinstance(value, str):
        if declared.get("format") == "date-time" and not is_date_time(value):
            return f"is {quoted(value)}, which is no date-time"
        if declared.get("format") == "uri" and not is_uri(value):
            return f"is {quoted(value)}, which is no address"
        search = safe_pattern(declared["pattern"]) if "pattern" in declared else None
        if search is not None and not search.search(value[:LONGEST_SEARCHED]):
            return f"is {quoted(value)}, which does not have the form {quoted(declared['pattern'])}"
    return ""


def endpoint_fault(ontology: Ontology, name: str, source: str, target: str) -> str:
    """Why a relationship may not lead from one entity type to another, in words; empty where it may."""
    declared = ontology.relationships.get(name)
    if declared is None:
        return ""
    for side, kind in (("from", source), ("to", target)):
        admitted = declared.get(side)
        if kind and admitted and not any(ontology.is_a(kind, one) for one in admitted):
            return f"{quoted(name)} leads {side} {' or '.join(map(quoted, admitted))}, not {quoted(kind)}"
    return ""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What a discovery pattern suggests for a concept."""

    entity: str
    namespace: str
    pattern: str


def suggestions(ontology: Ontology, text: str, path: str = "") -> Iterable[Suggestion]:
    """What the packs' patterns suggest for a text or a file's path, each once.

    >>> from muniment.exchange.mif.ontology import compose
    >>> patterns = [{"content_pattern": "(?i)incident", "suggest_entity": "x"}]
    >>> pack = {"discovery": {"enabled": True, "patterns": patterns}}
    >>> [s.entity for s in suggestions(compose([("p", pack)]), "An Incident")]
    ['x']
    """
    found: dict[tuple[str, str], Suggestion] = {}
    for one in ontology.patterns:
        pattern = one.get("content_pattern") or one.get("file_pattern") or ""
        if "content_pattern" in one:
            search = safe_pattern(pattern)
            hit = search is not None and search.search(text[:LONGEST_SEARCHED]) is not None
        else:
            hit = bool(path) and fnmatch.fnmatchcase(path, pattern)
        entity = one.get("suggest_entity", "")
        named = (
            one.get("suggest_namespace")
            or one.get("namespace")
            or (one.get("namespaces") or [""])[0]
        )
        if hit:
            found.setdefault((entity, named), Suggestion(entity, named, pattern))
    return found.values()


_NESTED = re.compile(r"[*+}]\)?[^()]*\)[*+{]")
_BACK = re.compile(r"\\[1-9]|\(\?P=")


def safe_pattern(written: str) -> re.Pattern[str] | None:
    """A pattern of a pack, compiled; None for one that is no pattern or could take long.

    >>> safe_pattern("(a+)+$"), safe_pattern("(x)\\\\1"), safe_pattern("(") is None
    (None, None, True)
    >>> safe_pattern("\\\\b(PostgreSQL|MySQL)\\\\b") is not None
    True
    """
    heavy = written.count("*") + written.count("+") > 6 or written.count("(") > 20
    if len(written) > LONGEST_PATTERN or heavy or _NESTED.search(written) or _BACK.search(written):
        return None
    try:
        return re.compile(written)
    except (re.error, OverflowError, RecursionError):
        return None
