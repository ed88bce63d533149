"""What the specification asks of a concept's relationships: mirrored, aimed well, declared, in time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from muniment.core.errors import Severity, quoted
from muniment.exchange.mif.concept import Concept
from muniment.exchange.mif.ids import urn_kind
from muniment.exchange.mif.issue import Issue
from muniment.exchange.mif.links import edges
from muniment.exchange.mif.rules import Around, Rule, instant, mappings, target_of, text_of
from muniment.exchange.mif.settings import property_fault

CORE_RELATIONSHIPS: tuple[tuple[str, str], ...] = (
    ("relates-to", "relates-to"), ("derived-from", "derives"), ("supersedes", "superseded-by"),
    ("conflicts-with", "conflicts-with"), ("part-of", "contains"), ("implements", "implemented-by"),
    ("uses", "used-by"), ("created", "created-by"), ("mentioned-in", "mentions"),
)  # fmt: skip
"""Each core type with its inverse; one that is its own inverse is symmetric (section 8.2)."""
NOT_NEWER = ("derived-from", "supersedes", "cites")


def edges_are_mirrored(concept: Concept, around: Around) -> Iterator[Issue]:
    """Frontmatter relationships and body edges are the same, counted (S5.3, K3.3)."""
    declared = Counter[tuple[str, str]]()
    places: dict[tuple[str, str], int] = {}
    for number, one in mappings(concept.meta.get("relationships")):
        pair = (text_of(one.get("type")), text_of(one.get("target")))
        if all(pair):
            declared[pair] += 1
            places.setdefault(pair, number)
    shown = edges(concept.body)
    mirrored = Counter((edge.type, edge.target) for edge in shown)
    for pair, count in declared.items():
        if mirrored[pair] < count:
            again = f", as often ({count} times)" if count > 1 else ""
            message = f"the relationship {quoted(' '.join(pair))} is not shown in the body{again}"
            fix = f"add `- {pair[0]} [Text]({pair[1]})` under `## Relationships`"
            yield concept.issue(
                "spec",
                "edge_not_mirrored",
                message,
                fix,
                pointer=f"/relationships/{places[pair]}",
                rule="S5.3",
            )
    for edge in shown:
        pair = (edge.type, edge.target)
        if mirrored[pair] > declared[pair]:
            mirrored[pair] -= 1
            line, _ = concept.place("/content")
            message = f"the body shows {quoted(' '.join(pair).strip())}, which the frontmatter does not have"
            fix = "add it to `relationships`, or take the line away"
            yield Issue(
                "spec",
                "edge_not_declared",
                message,
                fix,
                "error",
                concept.file,
                line + edge.line - 1,
                1,
                "/content",
                "S5.3",
            )


def targets_are_good(concept: Concept, around: Around) -> Iterator[Issue]:
    """A target is a bundle path or a URN, stays in the bundle, and names something (S8.5, K1.6)."""
    for number, one in mappings(concept.meta.get("relationships")):
        target = text_of(one.get("target"))
        pointer = f"/relationships/{number}/target"
        if not target:
            continue
        kind = urn_kind(target)
        if kind == "unknown":
            message = f"{quoted(target)} names no concept: what follows `urn:mif:` is no UUID"
            yield concept.issue(
                "spec",
                "urn_not_uuid",
                message,
                "use the concept's UUID",
                "warning",
                pointer,
                "S6.1",
            )
        elif not kind and not target.startswith("/") and ":" not in target.partition("/")[0]:
            message = f"{quoted(target)} is not written from the bundle's root"
            yield concept.issue(
                "spec", "relative_target", message, "begin it with `/`", "warning", pointer, "S8.5"
            )
        elif not kind and not target.startswith("/"):
            message = f"{quoted(target)} is neither a path in the bundle nor a `urn:mif:`"
            yield concept.issue(
                "spec", "foreign_target", message, "cite it instead", "warning", pointer, "S8.5"
            )
        if not kind and ".." in target.split("/"):
            message = f"{quoted(target)} leads out of the bundle"
            yield concept.issue(
                "spec",
                "target_escapes",
                message,
                "name a path in the bundle",
                "error",
                pointer,
                "S8.5",
            )
        elif (
            around.whole
            and not kind
            and target.startswith("/")
            and target.partition("#")[0] not in around.by_path
        ):
            message = f"nothing stands at {quoted(target)}"
            yield concept.issue(
                "okf", "broken_link", message, "check the path", "warning", pointer, "K1.6"
            )


def relationship_types_are_declared(concept: Concept, around: Around) -> Iterator[Issue]:
    """Once a bundle declares types, a namespaced one is declared, and its metadata fit (S8.1, checks 7 and 8)."""
    settings = around.settings
    for number, one in mappings(concept.meta.get("relationships")):
        name = text_of(one.get("type"))
        declared = settings.relationship_types.get(name)
        if declared is None:
            if ":" in name and settings.declares_relationships:
                message = f"the relationship type {quoted(name)} is not declared"
                fix = "declare it in `.mif/config.yaml` under `relationship_types`"
                yield concept.issue(
                    "spec",
                    "undeclared_relationship",
                    message,
                    fix,
                    pointer=f"/relationships/{number}/type",
                    rule="S8.1",
                )
            continue
        metadata = one.get("metadata")
        given = metadata if isinstance(metadata, Mapping) else {}
        for prop in (p for _, p in mappings(declared.get("properties"))):
            key = text_of(prop.get("name"))
            prefixed = f"{declared.get('namespace')}:{key}"
            found = key if key in given else prefixed
            if found in given and (fault := property_fault(prop, given[found])):
                pointer = f"/relationships/{number}/metadata/{found}"
                yield concept.issue(
                    "spec",
                    "relationship_property",
                    f"{quoted(found)}: {fault}",
                    "give what is declared",
                    pointer=pointer,
                    rule="S8.3",
                )


def derivations_are_later(concept: Concept, around: Around) -> Iterator[Issue]:
    """What is derived is not older than what it derives from (okf_validate check 6)."""
    own = instant(concept.meta.get("created"))
    for number, one in mappings(concept.meta.get("relationships")):
        if one.get("type") not in NOT_NEWER or own is None:
            continue
        other = target_of(text_of(one.get("target")), around)
        theirs = instant(other.meta.get("created")) if other else None
        if other is not None and theirs is not None and theirs > own:
            message = f"it is {one['type']} {quoted(one['target'])}, which was created later"
            severity: Severity = "error" if around.strict_temporal else "warning"
            yield concept.issue(
                "spec",
                "derived_before_source",
                message,
                "check both times",
                severity,
                f"/relationships/{number}",
                "K3.6",
            )


RULES: tuple[Rule, ...] = (
    edges_are_mirrored, targets_are_good, relationship_types_are_declared, derivations_are_later
)  # fmt: skip
