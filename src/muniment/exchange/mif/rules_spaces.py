"""What the specification asks of a concept's namespace, entities and ontology, level 2."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from muniment.core.errors import quoted
from muniment.exchange.mif import namespaces
from muniment.exchange.mif.concept import Concept
from muniment.exchange.mif.entities import CORE_ENTITY_TYPES
from muniment.exchange.mif.issue import Issue
from muniment.exchange.mif.ontology_use import endpoint_fault, instance_faults
from muniment.exchange.mif.rules import Around, Rule, base_type, mappings, target_of, text_of


def namespace_is_good(concept: Concept, around: Around) -> Iterator[Issue]:
    """Reserved prefixes mean what they say (S10.2, S10.4, S10.5)."""
    space = text_of(concept.meta.get("namespace"))
    if not space:
        return
    head = namespaces.root(space)
    kind = namespaces.type_of(space)
    if kind and base_type(concept) != kind:
        message = f"the namespace {quoted(space)} is for {kind} concepts, and this one is {quoted(base_type(concept))}"
        yield concept.issue(
            "spec",
            "namespace_type",
            message,
            "make the two agree",
            "warning",
            "/namespace",
            "S10.2",
        )
    elif head == "_shared" and not namespaces.agreement_for(space, around.settings.agreements):
        message = f"no agreement names {quoted(space)}"
        fix = "add `.mif/shared-agreements/<name>.yaml`"
        yield concept.issue(
            "spec",
            "no_agreement",
            message,
            fix,
            "error" if around.whole else "warning",
            "/namespace",
            "S10.4",
        )
    elif head == "_local":
        message = "a `_local` concept is never exported or synced"
        yield concept.issue("spec", "local_namespace", message, "", "notice", "/namespace", "S10.2")
    elif head == "_system":
        message = "`_system` is for the implementation's own use"
        yield concept.issue(
            "spec",
            "system_namespace",
            message,
            "choose another namespace",
            "warning",
            "/namespace",
            "S10.2",
        )
    elif head.startswith("_") and head not in namespaces.VISIBILITY_PREFIXES and not kind:
        yield from _declared_prefix(concept, around, head)


def _declared_prefix(concept: Concept, around: Around, head: str) -> Iterator[Issue]:
    declared = around.settings.reserved_prefixes.get(head)
    if declared is None:
        message = f"the prefix {quoted(head)} is not declared"
        fix = "declare it in `.mif/config.yaml` under `reserved_prefixes`"
        yield concept.issue(
            "spec",
            "undeclared_prefix",
            message,
            fix,
            "error" if around.whole else "warning",
            "/namespace",
            "S10.5",
        )
    elif declared.get("provenance_required") and not concept.meta.get("provenance"):
        message = f"concepts under {quoted(head)} state their provenance, and this one does not"
        yield concept.issue(
            "spec",
            "provenance_required",
            message,
            "add `provenance`",
            "error",
            "/namespace",
            "S10.5",
        )
    elif declared.get("access") == "read-only":
        yield concept.issue(
            "spec", "read_only", f"{quoted(head)} is read-only", "", "notice", "/namespace", "S10.5"
        )


def entity_types_are_known(concept: Concept, around: Around) -> Iterator[Issue]:
    """An entity's type is one of the five, or declared once types are (S7.1, S7.3)."""
    declared = around.settings.entity_types | set(around.ontology.types)
    for number, one in mappings(concept.meta.get("entities")):
        kind = text_of(one.get("entityType"))
        known = kind in CORE_ENTITY_TYPES or kind in declared
        if kind and not known and declared:
            message = f"the entity type {quoted(kind)} is not declared"
            fix = "declare it in `.mif/config.yaml` or in an ontology"
            yield concept.issue(
                "spec",
                "undeclared_entity_type",
                message,
                fix,
                "warning",
                f"/entities/{number}/entityType",
                "S7.3",
            )


def ontology_is_followed(concept: Concept, around: Around) -> Iterator[Issue]:
    """A named ontology is there and of that version; the concept's entity is what its type declares (S4.3, S10.8)."""
    reference = concept.meta.get("ontology")
    name = text_of(reference.get("id")) if isinstance(reference, Mapping) else ""
    if name and around.settings.ontologies and name not in around.ontology.ids:
        message = f"the ontology {quoted(name)} is not among the bundle's"
        yield concept.issue(
            "spec",
            "unknown_ontology",
            message,
            "add it, or correct the id",
            "warning",
            "/ontology/id",
            "S4.3",
        )
    elif name and isinstance(reference, Mapping):
        version = reference.get("version")
        held = around.ontology.ids.get(name, version)
        if version is not None and held != version:
            message = f"the concept follows version {quoted(version)}, and the bundle holds {quoted(held)}"
            yield concept.issue(
                "spec",
                "ontology_version",
                message,
                "check it against the new version",
                "warning",
                "/ontology/version",
                "S4.3",
            )
    entity = concept.meta.get("entity")
    if isinstance(entity, Mapping):
        for pointer, code, message, fix in instance_faults(
            around.ontology, entity, base_type(concept)
        ):
            yield concept.issue("spec", code, message, fix, pointer=pointer, rule="S10.8")
    yield from _ends_are_admitted(concept, around)


def _ends_are_admitted(concept: Concept, around: Around) -> Iterator[Issue]:
    for number, one in mappings(concept.meta.get("relationships")):
        other = target_of(text_of(one.get("target")), around)
        fault = endpoint_fault(
            around.ontology, text_of(one.get("type")), entity_type(concept), entity_type(other)
        )
        if fault:
            yield concept.issue(
                "spec",
                "relationship_end",
                fault,
                "relate what is declared",
                pointer=f"/relationships/{number}",
                rule="S10.8",
            )


def entity_type(concept: Concept | None) -> str:
    """The ontology type of a concept's entity; empty for none."""
    entity = concept.meta.get("entity") if concept else None
    return text_of(entity.get("entity_type")) if isinstance(entity, Mapping) else ""


RULES: tuple[Rule, ...] = (namespace_is_good, entity_types_are_known, ontology_is_followed)
