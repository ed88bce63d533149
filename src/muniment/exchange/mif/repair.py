"""Mend what other dialects and older versions write, for an import; each repair is told, and nothing is invented.

- The schema's verdict stands on what was read; a repair never changes it (`C-SCHEMA`).
- Keys in snake_case become the schema's; relationship types become kebab case; a bare UUID as target becomes a URN.
- Citations follow the format's error table: one without a title or a good URL is left out, an unknown type becomes
  `other`, an unknown role `background`, a relevance outside 0 to 1 is clamped, a date that is none stays as text in the
  note. What is changed is said.
- An id that is no UUID gets the one of its text, and stays as an alias. A time without an offset is no time.

>>> meta, notes = repaired({"id": "slug", "temporal": {"valid_from": "2026-01-15T00:00:00Z"}})
>>> meta["temporal"], meta["aliases"], [note.code for note in notes]
({'validFrom': '2026-01-15T00:00:00Z'}, ['slug'], ['key_spelling', 'id_made'])
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from muniment.core.errors import Severity, quoted
from muniment.exchange.mif.formats import is_date, is_uri
from muniment.exchange.mif.ids import is_uuid, uuid_for
from muniment.exchange.mif.rules import mappings, text_of
from muniment.exchange.mif.settings import token

CITATION_TYPES = tuple(
    "article book paper website documentation repository video podcast specification dataset tool other".split()
)
CITATION_ROLES = tuple(
    "supports refutes background methodology contradicts extends derived source example review".split()
)
SOURCE_TYPES: tuple[tuple[str, str], ...] = (
    ("inferred", "agent_inferred"), ("conversation", "user_explicit"), ("manual", "user_explicit"),
    ("user", "user_explicit"), ("imported", "external_import"), ("import", "external_import"),
    ("system", "system_generated"), ("generated", "system_generated"),
)  # fmt: skip
"""What other dialects call source types, and what is meant; conversations are what a user said."""
_NAMESPACED = re.compile(r"[a-zA-Z][a-zA-Z0-9]*:[a-zA-Z][a-zA-Z0-9-]*")
_SNAKE = re.compile(r"_([a-z])")
_MAPPED_PARTS = ("temporal", "provenance", "embedding")


@dataclass(frozen=True, slots=True)
class Note:
    """One repair."""

    pointer: str
    code: str
    message: str
    severity: Severity = "notice"


def repaired(meta: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[Note, ...]]:
    """Frontmatter in the schema's dialect, and what was changed for it.

    Args:
        meta: As it was read.
    """
    notes: list[Note] = []
    kept = dict(meta)
    _rename(kept, "compressed_at", "compressedAt", "", notes)
    _rename(kept, "memory_type", "memoryType", "", notes)
    for name in _MAPPED_PARTS:
        if isinstance(kept.get(name), Mapping):
            kept[name] = _camel(kept[name], f"/{name}", notes)
    _source_type(kept, notes)
    if "relationships" in kept:
        kept["relationships"] = _relationships(kept["relationships"], notes)
    if "citations" in kept:
        kept["citations"] = list(_citations(kept["citations"], notes))
    _identify(kept, notes)
    return kept, tuple(notes)


def _rename(kept: dict[str, Any], written: str, meant: str, above: str, notes: list[Note]) -> None:
    if written in kept and meant not in kept:
        kept[meant] = kept.pop(written)
        message = f"{quoted(written)} is read as {quoted(meant)}"
        notes.append(Note(f"{above}/{written}", "key_spelling", message))


def _camel(given: Mapping[str, Any], above: str, notes: list[Note]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in given.items():
        nested = key == "decay" and isinstance(value, Mapping)
        inner = _camel(value, f"{above}/{key}", notes) if nested else value
        meant = _SNAKE.sub(lambda m: m[1].upper(), key)
        if meant != key and meant not in given:
            message = f"{quoted(key)} is read as {quoted(meant)}"
            notes.append(Note(f"{above}/{key}", "key_spelling", message))
            found[meant] = inner
        else:
            found[key] = inner
    return found


def _source_type(kept: dict[str, Any], notes: list[Note]) -> None:
    provenance = kept.get("provenance")
    given = provenance.get("sourceType") if isinstance(provenance, Mapping) else None
    meant = dict(SOURCE_TYPES).get(given) if isinstance(given, str) else None
    if meant is not None and isinstance(provenance, Mapping):
        kept["provenance"] = {**provenance, "sourceType": meant}
        message = f"the source type {quoted(given)} is read as {quoted(meant)}"
        notes.append(Note("/provenance/sourceType", "source_type", message))


def _relationships(given: Any, notes: list[Note]) -> Any:
    if not isinstance(given, list):
        return given
    found: list[Any] = []
    for number, one in enumerate(given):
        if not isinstance(one, Mapping):
            found.append(one)
            continue
        written, target = text_of(one.get("type")), text_of(one.get("target"))
        kind = kebab(written)
        if kind != written:
            message = f"the relationship {quoted(written)} is read as {quoted(kind)}"
            notes.append(Note(f"/relationships/{number}/type", "relationship_spelling", message))
        aimed = f"urn:mif:{target.lower()}" if is_uuid(target) else one.get("target")
        if aimed != one.get("target"):
            message = f"the target {quoted(target)} is read as {quoted(aimed)}"
            notes.append(Note(f"/relationships/{number}/target", "target_spelling", message))
        found.append({**one, "type": kind, "target": aimed} if written else one)
    return found


def kebab(kind: str) -> str:
    """A relationship type in kebab case.

    >>> kebab("Supersedes"), kebab("relates_to"), kebab("farm:BreedsWith")
    ('supersedes', 'relates-to', 'farm:breeds-with')
    """
    prefix, colon, name = kind.rpartition(":")
    return (
        prefix.lower() + colon + token(name).replace("_", "-").replace(" ", "-").replace("--", "-")
    )


def _citations(given: Any, notes: list[Note]) -> Iterator[Any]:
    for number, one in mappings(given):
        pointer = f"/citations/{number}"
        citation = dict(one)
        _rename(citation, "type", "citationType", pointer, notes)
        _rename(citation, "role", "citationRole", pointer, notes)
        _rename(citation, "citation_type", "citationType", pointer, notes)
        _rename(citation, "citation_role", "citationRole", pointer, notes)
        if not text_of(citation.get("title")) or not is_uri(text_of(citation.get("url"))):
            message = "the citation is left out: it has no title, or no good address"
            notes.append(Note(pointer, "citation_left_out", message, "error"))
            continue
        citation["@type"] = "Citation"
        _fall_back(citation, "citationType", CITATION_TYPES, "other", pointer, notes)
        _fall_back(citation, "citationRole", CITATION_ROLES, "background", pointer, notes)
        _clamp(citation, pointer, notes)
        for key in ("date", "accessed"):
            _as_text(citation, key, pointer, notes)
        yield citation


def _fall_back(
    citation: dict[str, Any],
    key: str,
    known: tuple[str, ...],
    instead: str,
    pointer: str,
    notes: list[Note],
) -> None:
    given = text_of(citation.get(key))
    if given not in known and not _NAMESPACED.fullmatch(given):
        message = f"{quoted(citation.get(key))} is read as {quoted(instead)}"
        notes.append(Note(f"{pointer}/{key}", "citation_fallback", message, "warning"))
        citation[key] = instead


def _clamp(citation: dict[str, Any], pointer: str, notes: list[Note]) -> None:
    given = citation.get("relevance")
    if isinstance(given, int | float) and not isinstance(given, bool) and not 0 <= given <= 1:
        citation["relevance"] = 0.0 if given < 0 else 1.0
        message = f"the relevance {given} is read as {citation['relevance']}"
        notes.append(Note(f"{pointer}/relevance", "citation_clamped", message, "warning"))


def _as_text(citation: dict[str, Any], key: str, pointer: str, notes: list[Note]) -> None:
    given = citation.get(key)
    if given is not None and not is_date(text_of(given)):
        del citation[key]
        note = text_of(citation.get("note"))
        citation["note"] = f"{note}{'; ' if note else ''}{key}: {given}"
        message = f"the {key} {quoted(given)} is no date; it is kept in the note"
        notes.append(Note(f"{pointer}/{key}", "citation_date", message, "warning"))


def _identify(kept: dict[str, Any], notes: list[Note]) -> None:
    name = "@id" if "@id" in kept and "id" not in kept else "id"
    given = kept.get(name)
    if isinstance(given, bool) or not isinstance(given, str | int) or not str(given).strip():
        return
    made = uuid_for(str(given))
    bare = str(given).removeprefix("urn:mif:")
    if made == bare:
        return
    kept["id"] = made
    if name != "id":
        del kept[name]
    if not is_uuid(bare) and made != bare.lower():
        aliases = kept.get("aliases")
        listed = [a for a in aliases if isinstance(a, str)] if isinstance(aliases, list) else []
        kept["aliases"] = list(dict.fromkeys([*listed, bare]))
        message = f"the id {quoted(bare)} is no UUID; it gets {quoted(made)}, and stays as an alias"
        notes.append(Note("/@id", "id_made", message))
