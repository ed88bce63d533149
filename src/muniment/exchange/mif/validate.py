"""Validate a bundle: the schema's verdict, the specification's findings, OKF, and the conformance level reached.

- All issues at once, each with file, line and path; what could not be read is among them.
- A concept's level is the highest whose demands it and everything below meet; a bundle's is the lowest of its concepts.
  What is missing for the next level is said.
- OKF conformance is judged by itself: MIF's own demands do not enter it.

>>> from muniment.exchange.mif.bundle import of_files
>>> head = "id: 550e8400-e29b-41d4-a716-446655440000\\ntype: semantic\\ncreated: 2026-01-15T10:30:00Z"
>>> report = validate(of_files({"a.md": f"---\\n{head}\\n---\\nBody".encode()}))
>>> report.level, report.okf, report.next_needs
(1, True, ('modified or temporal: 1 concept', 'namespace: 1 concept'))
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from muniment.core.errors import quoted
from muniment.exchange.mif import okf, rules, rules_edges, rules_full, rules_spaces
from muniment.exchange.mif.bundle import Bundle
from muniment.exchange.mif.concept import Concept, schema_issues
from muniment.exchange.mif.issue import Issue
from muniment.exchange.mif.ontology import compose
from muniment.exchange.mif.rules import Around
from muniment.exchange.mif.settings import Settings, read_settings

RULES = (*rules.RULES, *rules_edges.RULES, *rules_spaces.RULES, *rules_full.RULES, *okf.RULES)
_UNREADABLE_FOR_OKF = (
    "no_frontmatter",
    "open_frontmatter",
    "empty_frontmatter",
    "not_a_mapping",
    "no_type",
)


@dataclass(frozen=True)
class Report:
    """What validating came to.

    Attributes:
        issues: Everything, by file and line.
        concepts: How many were read.
        accepted: How many the schema accepts.
        level: The bundle's level, 0 for none; 0 where a file could not be read.
        levels: File to its level.
        next_needs: What the next level needs, each with how many concepts lack it.
        okf: Whether the bundle conforms to OKF v0.1.
        stated_level: The level that the bundle states, 0 for none.
    """

    issues: tuple[Issue, ...]
    concepts: int
    accepted: int
    level: int
    levels: Mapping[str, int]
    next_needs: tuple[str, ...]
    okf: bool
    stated_level: int = 0

    @property
    def ok(self) -> bool:
        """Whether nothing is an error."""
        return not any(issue.severity == "error" for issue in self.issues)


def around_of(
    bundle: Bundle, strict_temporal: bool = False
) -> tuple[Around, Settings, tuple[Issue, ...]]:
    """A bundle's surroundings for its concepts, and what is wrong with its configuration."""
    settings, found = read_settings(bundle.settings)
    ontology = compose(tuple(settings.ontologies.items()))
    faults = tuple(
        Issue("spec", one.code, one.message, one.fix, one.severity, one.file, 1, 1, one.pointer, "S10.8")
        for one in ontology.faults
    )  # fmt: skip
    around = Around(
        settings,
        ontology,
        {f"/{concept.file}": concept for concept in bundle.concepts},
        {concept.id.lower(): concept for concept in bundle.concepts},
        strict_temporal,
        bundle.form in ("folder", "zip"),
    )
    return around, settings, found + faults


def validate(bundle: Bundle, strict_temporal: bool = False) -> Report:
    """Validate a bundle that was read.

    Args:
        bundle: The bundle.
        strict_temporal: Whether something derived before its source is an error, not a warning.
    """
    around, settings, found = around_of(bundle, strict_temporal)
    issues = [*bundle.issues, *found]
    levels: dict[str, int] = {}
    lacks: Counter[tuple[int, str]] = Counter()
    accepted = 0
    for concept in bundle.concepts:
        refused = schema_issues(concept)
        own = [*refused, *concept_issues(concept, around)]
        accepted += not refused
        issues += own
        missing = tuple(needs(concept, any(issue.severity == "error" for issue in own)))
        levels[concept.file] = min((level for level, _ in missing), default=4) - 1
        lacks.update(set(missing))
    issues += [*_duplicates(bundle), *okf.reserved_issues(bundle)]
    unreadable = any(issue.area == "file" for issue in bundle.issues)
    level = 0 if unreadable else min(levels.values(), default=0)
    issues += _stated(settings, level, bundle)
    wanted = tuple(
        f"{what}: {count} concept{'s' * (count > 1)}"
        for (at, what), count in sorted(lacks.items())
        if at == level + 1
    )
    conforms = not any(
        issue.code in _UNREADABLE_FOR_OKF or (issue.area == "file" and issue.file.endswith(".md"))
        for issue in issues
    )
    ordered = tuple(sorted(issues, key=lambda i: (i.file, i.line, i.column, i.pointer, i.code)))
    return Report(
        ordered, len(bundle.concepts), accepted, level, levels, wanted, conforms, settings.level
    )


def concept_issues(concept: Concept, around: Around) -> Iterator[Issue]:
    """What every rule says of one concept."""
    for rule in RULES:
        yield from rule(concept, around)


def _stated(settings: Settings, level: int, bundle: Bundle) -> Iterator[Issue]:
    if settings.level > level and bundle.concepts:
        message = f"the bundle states level {settings.level} and reaches {level}"
        fix = "see what the next level needs"
        file, pointer = ".mif/config.yaml", "/conformance_level"
        yield Issue(
            "spec", "level_not_reached", message, fix, "warning", file, 1, 1, pointer, "S13.4"
        )


def _duplicates(bundle: Bundle) -> Iterator[Issue]:
    """One id, one concept; a JSON-LD projection of a markdown file beside it is the same concept, and markdown wins."""
    first: dict[str, Concept] = {}
    for concept in sorted(bundle.concepts, key=lambda one: (one.form == "jsonld", one.file)):
        other = first.setdefault(concept.id.lower(), concept)
        if other is concept or not concept.id:
            continue
        if concept.form == "jsonld" and other.form == "markdown":
            if concept.body != other.body or dict(concept.meta) != dict(other.meta):
                message = f"it says something else than {quoted(other.file)}, which wins"
                yield concept.issue(
                    "bundle", "stale_projection", message, "make it again", "warning", rule="S6"
                )
            continue
        message = f"the id {quoted(concept.id)} is that of {quoted(other.file)} too"
        yield concept.issue(
            "bundle",
            "duplicate_id",
            message,
            "give one of them its own",
            pointer="/@id",
            rule="S4.1",
        )


def needs(concept: Concept, has_errors: bool) -> Iterator[tuple[int, str]]:
    """What a concept lacks, with the level that asks for it (S13)."""
    if has_errors:
        yield 1, "no errors"
    meta = concept.meta
    if not meta.get("namespace"):
        yield 2, "namespace"
    temporal = meta.get("temporal")
    times = temporal if isinstance(temporal, Mapping) else {}
    if not meta.get("modified") and not times:
        yield 2, "modified or temporal"
    if "validFrom" not in times:
        yield 3, "temporal.validFrom"
    if "recordedAt" not in times:
        yield 3, "temporal.recordedAt"
    if not meta.get("provenance"):
        yield 3, "provenance"


def placed(issue: Issue, file: str) -> Issue:
    """An issue of a bundle that was read from one file, placed in that file."""
    return replace(issue, file=issue.file or file)
