"""Edges of a claim: declared in the frontmatter, and mirrored in the body."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from muniment.core.ids import parse_id
from muniment.exchange.mif.entities import slug
from muniment.exchange.mif.links import as_link, edges, unclosed
from muniment.exchange.mif.repair import kebab
from muniment.exchange.mif.rules import text_of
from muniment.ports.interchange import Outgoing

_EDGE_TYPE = re.compile(r"[a-z0-9][a-z0-9-]*(:[a-z0-9][a-z0-9-]*)?")


def uuid_of(claim_id: str) -> str:
    """The UUID of a claim's identifier.

    >>> uuid_of("mem_01kx0sjsg0e008000000000000")
    '019f4199-6600-7000-8000-000000000000'
    """
    parsed = parse_id(claim_id)
    return parsed.uuid if parsed else claim_id


def relations(one: Outgoing, names: Mapping[str, str]) -> list[dict[str, Any]]:
    """A claim's edges: those that it states, and what it supersedes, derives from and contradicts, each once."""
    claim = one.claim
    found: list[dict[str, Any]] = []
    for relation in claim.relationships:
        strength = {"strength": relation.strength} if relation.strength is not None else {}
        target = _target(relation.target, names)
        found.append({"type": edge_type(relation.type), "target": target, **strength})
    for kind, others in (
        ("supersedes", claim.supersedes),
        ("derived-from", claim.source.derived_from),
        ("conflicts-with", one.conflicts),
    ):
        found += [{"type": kind, "target": _target(other, names)} for other in others]
    unique = {(edge["type"], edge["target"]): edge for edge in reversed(found)}
    return [edge for edge in found if unique.pop((edge["type"], edge["target"]), None) is not None]


def edge_type(given: str) -> str:
    """A relationship's type as the format writes it.

    >>> edge_type("depends_on"), edge_type("Löst ab"), edge_type("é")
    ('depends-on', 'l-st-ab', 'relates-to')
    """
    kind = kebab(given)
    if _EDGE_TYPE.fullmatch(kind):
        return kind
    plain = "-".join(re.findall("[a-z0-9]+", slug(given)))
    return plain or "relates-to"


def _target(given: str, names: Mapping[str, str]) -> str:
    """A path where the bundle holds it, a URN where it is a claim elsewhere; else as it is."""
    if given in names:
        return "/" + names[given]
    return f"urn:mif:{uuid_of(given)}" if parse_id(given) else given


def mirrored(
    authored: Any,
    relations: list[dict[str, Any]],
    body: str,
    titles: Mapping[str, str],
    names: Mapping[str, str],
) -> tuple[list[Any], str]:
    """What the frontmatter declares and what the body shows, made equal; the text that was added for it."""
    declared: list[Any] = list(authored) if isinstance(authored, list) else []
    have = [_pair(one) for one in declared]
    declared += [one for one in relations if _pair(one) not in have and _can_be_shown(*_pair(one))]
    shown = [(edge.type, edge.target) for edge in edges(body)]
    for pair in shown:
        wanted = sum(_pair(one) == pair for one in declared)
        if _EDGE_TYPE.fullmatch(pair[0]) and wanted < shown.count(pair):
            declared.append({"type": pair[0], "target": pair[1]})
    by_path = {"/" + path: titles[name] for name, path in names.items()}
    unmet = list(shown)
    lines = []
    for kind, target in map(_pair, declared):
        if (kind, target) in unmet:
            unmet.remove((kind, target))
        elif kind and target:
            name = by_path.get(target) or target.rpartition("/")[2].removesuffix(".md") or target
            lines.append(f"- {kind} {as_link(name, target)}\n")
    if not lines:
        return declared, ""
    gap = "" if body.endswith("\n") else "\n"
    end = unclosed(body)  # else the section would stand inside the code block
    return declared, gap + (f"{end}\n" if end else "") + "\n## Relationships\n\n" + "".join(lines)


def _can_be_shown(kind: str, target: str) -> bool:
    """Whether a link can be read back with this target; one of several lines cannot."""
    found = edges(f"## Relationships\n- {kind} {as_link('x', target)}")
    return [(edge.type, edge.target) for edge in found] == [(kind, target)]


def _pair(one: Any) -> tuple[str, str]:
    held = one if isinstance(one, Mapping) else {}
    return text_of(held.get("type")), text_of(held.get("target"))
