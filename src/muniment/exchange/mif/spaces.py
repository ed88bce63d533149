"""What a bundle says of a concept that comes in: its namespace's meaning, what that gives it, and what replaced it.

- A `_local` or `_system` concept does not come in at all; that is said elsewhere (`core.namespace`).
- One whose prefix stands for another type, is declared nowhere, or is shared without an agreement, needs a closer look.
- A concept takes over its namespace's length of life and tags, as the bundle declares them, where it states none; a
  declared visibility is evidence in words, for who sees a claim is the importer's to say.
- A concept that we wrote says all of that itself.

>>> spaces = {"acme": {"default_ttl": "P1D", "default_tags": ["x"]}}
>>> concept = Concept({"id": "a", "namespace": "acme/web", "tags": ["y"]}, "A.")
>>> taken_over(concept, Settings(spaces=spaces))
Inherited(ttl='P1D', visibility='', tags=('x', 'y'))
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from muniment.core.errors import Finding
from muniment.exchange.loaded import LIMIT_BYTES
from muniment.exchange.mif.bundle import common_folder, folder_files
from muniment.exchange.mif.concept import Concept, read_markdown
from muniment.exchange.mif.decay import seconds
from muniment.exchange.mif.namespaces import Inherited, inherited
from muniment.exchange.mif.rules import Around, mappings, text_of
from muniment.exchange.mif.rules_spaces import namespace_is_good
from muniment.exchange.mif.settings import Settings, read_settings
from muniment.exchange.mif.to_claims import own_part
from muniment.ports.importing import Candidate


@dataclass(frozen=True)
class InBundle:
    """What a folder says of the concepts in it.

    Attributes:
        settings: What it says of itself under `.mif/`; None where it says nothing.
        replaced: Identifiers and paths (with a leading slash) that a concept in it supersedes.
        root: Where it begins in the archive that holds it, with its slash; None in a folder.
    """

    settings: Settings | None = None
    replaced: frozenset[str] = frozenset()
    root: str | None = None


def in_bundle(folder: Path) -> InBundle:
    """Look at a folder; what cannot be read says nothing here, and is told where it is read."""
    config = folder / ".mif"
    settings = read_settings(folder_files(config)[0])[0] if config.is_dir() else None
    return InBundle(settings, frozenset(_replaced(folder)))


def is_told(name: str) -> bool:
    """Whether `in_archive` looks at a member of a name."""
    return name.endswith(".md") or name.startswith(".mif/") or "/.mif/" in name


def in_archive(names: Collection[str], files: Iterable[tuple[str, bytes]]) -> InBundle:
    """Look at an archive's members, as at a folder that holds them.

    Args:
        names: Of all its files.
        files: Name and bytes of those that `is_told` means.
    """
    root = common_folder(list(names))
    config: dict[str, bytes] = {}
    replaced: set[str] = set()
    for name, data in files:
        inner = name.removeprefix(root)
        if inner.startswith(".mif/"):
            config[inner.removeprefix(".mif/")] = data
        elif inner.endswith(".md"):
            replaced.update(replaced_by(inner, data))
    settings = read_settings(config)[0] if config else None
    return InBundle(settings, frozenset(replaced), root)


def _replaced(folder: Path) -> Iterator[str]:
    for base, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            if name.endswith(".md"):
                yield from replaced_by(name, _bytes_of(Path(base, name)))


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes() if path.is_file() and not path.is_symlink() else b""
    except OSError:
        return b""


def replaced_by(name: str, data: bytes) -> Iterator[str]:
    """What a concept's file says that it supersedes."""
    if len(data) > LIMIT_BYTES or b"supersedes" not in data:
        return
    concept, _ = read_markdown(data, name)
    if concept is not None:
        yield from superseded_by(concept)


def superseded_by(concept: Concept) -> Iterator[str]:
    """What a concept says that it supersedes: identifiers, and paths with a leading slash."""
    for _, one in mappings(concept.meta.get("relationships")):
        target = text_of(one.get("target"))
        if text_of(one.get("type")) == "supersedes" and target:
            yield target.removeprefix("urn:mif:")


_ALWAYS = frozenset({"namespace_type"})
"""What is known of a concept that stands alone; the rest only a bundle can tell."""


def doubts(concept: Concept, settings: Settings | None) -> Iterator[Finding]:
    """What makes a concept's namespace need a closer look.

    Args:
        concept: The concept.
        settings: The bundle's; None where the concept stands alone.
    """
    around = Around(settings=settings or Settings(), whole=settings is not None)
    for issue in namespace_is_good(concept, around):
        if issue.severity != "notice" and (settings is not None or issue.code in _ALWAYS):
            yield replace(issue.finding(), severity="warning")


def taken_over(concept: Concept, settings: Settings) -> Inherited:
    """What a concept takes over from its namespace, its own tags among the tags."""
    space = text_of(concept.meta.get("namespace"))
    found = inherited(space, settings.spaces) if space else Inherited()
    own = concept.meta.get("tags")
    stated = [one for one in own if isinstance(one, str)] if isinstance(own, list) else []
    return replace(found, tags=tuple(dict.fromkeys((*found.tags, *stated))))


def with_taken_over(candidate: Candidate, concept: Concept, settings: Settings | None) -> Candidate:
    """A candidate with what its namespace gives it."""
    if settings is None or own_part(concept) is not None or not settings.spaces:
        return candidate
    found = taken_over(concept, settings)
    parts, foreign = dict(candidate.parts), dict(candidate.foreign)
    validity = parts.get("validity")
    limits: dict[str, Any] = dict(validity) if isinstance(validity, Mapping) else {}
    length = seconds(found.ttl)
    if length and "ttl_seconds" not in limits:
        parts["validity"] = {**limits, "ttl_seconds": int(length)}
    if found.visibility:
        foreign["namespace_visibility"] = found.visibility
    return replace(candidate, tags=found.tags or candidate.tags, parts=parts, foreign=foreign)
