"""What the specification asks of one concept beyond the schema: the frame of all rules, and level 1.

- One rule, one function: it takes a concept and its surroundings and yields issues.
- What the schema says already is not said again.
- Rules look and tell; nothing is mended here (that is `repair`).

Relationships are `rules_edges`', level 2 is `rules_spaces`', level 3 `rules_full`'s, the Open Knowledge Format
`okf`'s, the bundle as a whole `validate`'s.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from muniment.core.errors import quoted
from muniment.exchange.mif.concept import Concept
from muniment.exchange.mif.ids import is_uuid, uuid_for
from muniment.exchange.mif.issue import Issue
from muniment.exchange.mif.links import wiki_edges
from muniment.exchange.mif.ontology import Ontology
from muniment.exchange.mif.settings import Settings


@dataclass(frozen=True)
class Around:
    """What a concept is looked at in.

    Attributes:
        settings: The bundle's configuration.
        ontology: Its packs, composed.
        by_path: Concepts by bundle path, with a leading slash.
        by_id: Concepts by id.
        strict_temporal: Whether a derivation older than its source is an error.
        whole: Whether a bundle is looked at, so that a missing target means something.
    """

    settings: Settings = field(default_factory=Settings)
    ontology: Ontology = field(default_factory=Ontology)
    by_path: Mapping[str, Concept] = field(default_factory=dict)
    by_id: Mapping[str, Concept] = field(default_factory=dict)
    strict_temporal: bool = False
    whole: bool = True


Rule = Callable[[Concept, Around], Iterator[Issue]]


def text_of(given: Any) -> str:
    """What was given, if it is text; else nothing."""
    return given if isinstance(given, str) else ""


def mappings(given: Any) -> list[tuple[int, Mapping[str, Any]]]:
    """The objects of a list, with their places."""
    listed = given if isinstance(given, list) else []
    return [(n, one) for n, one in enumerate(listed) if isinstance(one, Mapping)]


def base_type(concept: Concept) -> Any:
    """The concept's type, by any of its names."""
    meta = concept.meta
    return meta.get("type", meta.get("conceptType", meta.get("memoryType")))


# --- level 1 ------------------------------------------------------------------------------------


def id_is_uuid(concept: Concept, around: Around) -> Iterator[Issue]:
    """The id is a UUID (S4.1)."""
    given = concept.meta.get("id", concept.meta.get("@id"))
    if given is None:
        yield concept.issue(
            "spec", "no_id", "the concept has no id", "add a UUID", pointer="/@id", rule="S4.1"
        )
    elif not is_uuid(concept.id):
        message = f"the id {quoted(given)} is no UUID"
        fix = f"use one, such as {quoted(uuid_for(str(given)))}, and keep the old id as an alias"
        yield concept.issue("spec", "id_not_uuid", message, fix, pointer="/@id", rule="S4.1")


def body_is_not_blank(concept: Concept, around: Around) -> Iterator[Issue]:
    """A body of white space alone says nothing (S13.1)."""
    if not concept.body.strip():
        yield concept.issue(
            "spec",
            "blank_content",
            "the body is blank",
            "write something",
            pointer="/content",
            rule="S13.1",
        )


def no_flat_category(concept: Concept, around: Around) -> Iterator[Issue]:
    """A category is said by type and namespace (S4.4)."""
    for key in ("category", "memoryCategory"):
        if key in concept.meta:
            fix = "say it with `type` and `namespace`"
            yield concept.issue(
                "spec",
                "flat_category",
                f"{quoted(key)} is no field of MIF",
                fix,
                "warning",
                f"/{key}",
                "S4.4",
            )


def edges_are_links(concept: Concept, around: Around) -> Iterator[Issue]:
    """Edges are markdown links, not wiki links (S5.3)."""
    for edge in wiki_edges(concept.body):
        line, _ = concept.place("/content")
        message = f"the edge to {quoted(edge.target)} is a wiki link, as in version 0.1"
        fix = "write `- <type> [Text](/path.md)`; `muniment mif migrate` does it"
        yield Issue(
            "spec",
            "wiki_link",
            message,
            fix,
            "warning",
            concept.file,
            line + edge.line - 1,
            1,
            "/content",
            "S5.3",
        )


def target_of(target: str, around: Around) -> Concept | None:
    """The concept that a relationship's target names, where the bundle holds it."""
    if target.startswith("urn:mif:"):
        return around.by_id.get(target.removeprefix("urn:mif:").lower())
    return around.by_path.get(target.partition("#")[0])


def instant(given: Any) -> Any:
    """A date-time as a moment that can be compared; None where it is none."""
    from datetime import datetime

    try:
        moment = datetime.fromisoformat(given) if isinstance(given, str) else None
    except ValueError:
        return None
    return moment if moment is not None and moment.tzinfo is not None else None


RULES: tuple[Rule, ...] = (id_is_uuid, body_is_not_blank, no_flat_category, edges_are_links)
