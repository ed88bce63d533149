r"""Migrate a bundle of MIF 0.1 to 1.0: names, ids, edges, times; no edge is lost without a word.

- `x.memory.md` becomes `x.md`; every other file stays where it is, to the byte.
- A slug id becomes its UUIDv5, and an alias. A concept without id gets the UUIDv5 of its path.
- `- supersedes [[old-plan#part|Old]] (why)` becomes `- supersedes [Old](/old-plan.md#part) (why)`, and a relationship
  of the frontmatter. A name is looked up among the bundle's files, titles, ids and aliases; one that is not found is
  aimed at `/name.md` and told.
- A time that fixes an instant is written as RFC 3339; another stays as it is and is told.

>>> old = b"---\nid: a\ntype: semantic\ncreated: 2026-01-10T09:00:00Z\n---\n\n## Relationships\n\n- Supersedes [[b]]\n"
>>> files, issues = migrate({"a.memory.md": old, "b.md": b"---\nid: b\ntype: semantic\n---\nB"})
>>> sorted(files), files["a.md"].decode().splitlines()[-1]
(['a.md', 'b.md'], '- supersedes [b](/b.md)')
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

from muniment.core.errors import quoted
from muniment.exchange.mif.bundle import RESERVED
from muniment.exchange.mif.concept import Concept, read_markdown
from muniment.exchange.mif.formats import is_date_time
from muniment.exchange.mif.ids import uuid_for
from muniment.exchange.mif.issue import Issue
from muniment.exchange.mif.links import as_link, wiki_edges
from muniment.exchange.mif.repair import kebab, repaired
from muniment.exchange.mif.rules import mappings
from muniment.exchange.mif.write import markdown

_WIKI = re.compile(r"(?:[A-Za-z][\w:-]*[ \t]+)?\[\[[^\[\]]*\]\]")


def migrate(files: Mapping[str, bytes]) -> tuple[dict[str, bytes], tuple[Issue, ...]]:
    """The bundle's files as version 1.0 has them.

    Args:
        files: Bundle-relative path to bytes, all of the bundle.

    Returns:
        The files under their new names, and what was done or could not be. A file that cannot be read stays as it is.
    """
    issues: list[Issue] = []
    concepts: dict[str, Concept] = {}
    for name, data in files.items():
        place = PurePosixPath(name)
        if place.suffix == ".md" and place.name not in RESERVED and ".mif" not in place.parts:
            concept, found = read_markdown(data, name)
            issues += found
            if concept is not None and "type" in concept.meta:
                concepts[name] = concept
    names = {name: _renamed(name, files, issues) for name in concepts}
    lookup = _lookup(concepts, names)
    made: dict[str, bytes] = {}
    for name, data in files.items():
        if name in concepts:
            made[names[name]] = _migrated(concepts[name], names[name], lookup, issues).encode(
                "utf-8"
            )
        else:
            made[name] = data
    return made, tuple(issues)


def _renamed(name: str, files: Mapping[str, bytes], issues: list[Issue]) -> str:
    new = name.removesuffix(".memory.md") + ".md" if name.endswith(".memory.md") else name
    if new != name and new in files:
        message = f"{quoted(new)} is there already, so the name stays"
        issues.append(Issue("repair", "name_taken", message, "rename one of them", "warning", name))
        return name
    return new


def _lookup(concepts: Mapping[str, Concept], names: Mapping[str, str]) -> dict[str, str]:
    """Every name under which a concept can be meant, to its new path; the file's own name wins."""
    found: dict[str, str] = {}
    for name in concepts:
        stem = PurePosixPath(name.removesuffix(".md").removesuffix(".memory")).name
        found.setdefault(_key(stem), f"/{names[name]}")
        found.setdefault(_key(name.removesuffix(".md").removesuffix(".memory")), f"/{names[name]}")
    for name, concept in concepts.items():
        aliases = concept.meta.get("aliases")
        also = [
            concept.id,
            concept.meta.get("title"),
            *(aliases if isinstance(aliases, list) else ()),
        ]
        for other in also:
            if isinstance(other, str) and other:
                found.setdefault(_key(other), f"/{names[name]}")
    return found


def _key(name: str) -> str:
    return re.sub(r"[\s_-]+", "-", name.strip().casefold())


def _migrated(concept: Concept, name: str, lookup: Mapping[str, str], issues: list[Issue]) -> str:
    meta, notes = repaired(concept.meta)
    issues += [
        concept.issue("repair", note.code, note.message, "", note.severity, note.pointer, "M")
        for note in notes
    ]
    if not meta.get("id"):
        meta["id"] = uuid_for(name.removesuffix(".md"))
        message = "the concept had no id; it gets one by its path"
        issues.append(concept.issue("repair", "id_made", message, "", "notice", "/@id", "M"))
    for key in ("created", "modified"):
        _time(meta, key, concept, issues)
    body, found = _edges(concept, lookup, issues)
    if found:
        listed = meta.get("relationships")
        kept = list(listed) if isinstance(listed, list) else []
        have = {(one.get("type"), one.get("target")) for _, one in mappings(kept)}
        meta["relationships"] = kept + [
            one for one in found if (one["type"], one["target"]) not in have
        ]
    return markdown(meta, body, concept.parts)


def _time(meta: dict[str, Any], key: str, concept: Concept, issues: list[Issue]) -> None:
    given = meta.get(key)
    if not isinstance(given, str) or is_date_time(given):
        return
    try:
        moment = datetime.fromisoformat(given)
    except ValueError:
        moment = None
    if moment is not None and moment.tzinfo is not None:
        meta[key] = moment.isoformat().replace("+00:00", "Z")
        message = f"{quoted(given)} is written as {quoted(meta[key])}"
        issues.append(concept.issue("repair", "time", message, "", "notice", f"/{key}", "M"))
        return
    message = f"{quoted(given)} fixes no instant, and stays as it is"
    issues.append(
        concept.issue("repair", "time", message, "add the offset", "warning", f"/{key}", "M")
    )


def _edges(
    concept: Concept, lookup: Mapping[str, str], issues: list[Issue]
) -> tuple[str, list[dict[str, str]]]:
    """The body with links for wiki links, and the relationships that they are."""
    lines = concept.body.split("\n")
    found: list[dict[str, str]] = []
    first, _ = concept.place("/content")
    for edge in wiki_edges(concept.body):
        name, part, heading = edge.target.partition("#")
        target = lookup.get(_key(name))
        if target is None:
            target = f"/{name.strip()}.md"
            message = f"nothing in the bundle is called {quoted(name)}; the edge is aimed at {quoted(target)}"
            place = (concept.file, first + edge.line - 1, 1)
            fix = "correct the target"
            issues.append(
                Issue("repair", "edge_unresolved", message, fix, "warning", *place, rule="M")
            )
        kind = kebab(edge.type) if edge.type else "relates-to"
        aimed = target + part + heading
        found.append({"type": kind, "target": aimed})
        shown = f"{kind} {as_link(edge.text, aimed)}"
        line = lines[edge.line - 1]
        spot = _WIKI.search(line)
        if spot is not None:
            lines[edge.line - 1] = line[: spot.start()] + shown + line[spot.end() :]
    return "\n".join(lines), found
