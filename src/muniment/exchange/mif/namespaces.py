"""Namespaces: reserved prefixes, inheritance, shared agreements, peer scopes (MIF section 10).

- `_public`, `_shared`, `_local`, `_system` say who may see; `_semantic`, `_episodic`, `_procedural` say what type.
- `_local` never leaves the machine; a `_shared` namespace leaves only under an agreement that names it.
- A namespace takes over its parents' defaults, nearest first; tags add up.
- Within an organisation scopes are peers: their order means nothing.

>>> may_leave("_local/scratch"), may_leave("acme/x"), may_leave("_system/keys")
(False, True, False)
>>> same_scope("acme/jane/project-x", "acme/project-x/jane"), same_scope("acme/a", "other/a")
(True, False)
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from muniment.core.namespace import TYPE_PREFIXES, VISIBILITY_PREFIXES, may_leave, root

__all__ = [
    "TYPE_PREFIXES", "VISIBILITY_PREFIXES", "Inherited", "agreement_for", "inherited", "may", "may_leave", "root",
    "same_scope", "type_of",
]  # fmt: skip


def type_of(namespace: str) -> str:
    """The concept type that a namespace's root stands for; empty where it stands for none.

    >>> type_of("_episodic/incidents"), type_of("acme/x")
    ('episodic', '')
    """
    head = root(namespace)
    return head.removeprefix("_") if head in TYPE_PREFIXES else ""


def same_scope(left: str, right: str) -> bool:
    """Whether two namespaces mean the same scope: the same root, the same peers in any order."""
    return root(left) == root(right) and sorted(left.split("/")[1:]) == sorted(right.split("/")[1:])


def agreement_for(
    namespace: str, agreements: Mapping[str, Mapping[str, Any]]
) -> Mapping[str, Any] | None:
    """The agreement that names a shared namespace; None where none does.

    >>> agreement_for("_shared/cncf/kubernetes", {"cncf": {"namespaces": ["_shared/cncf/*"]}}) is not None
    True
    """
    for agreement in agreements.values():
        named = agreement.get("namespaces")
        patterns = [one for one in named if isinstance(one, str)] if isinstance(named, list) else []
        if any(_names(one, namespace) for one in patterns):
            return agreement
    return None


def _names(pattern: str, namespace: str) -> bool:
    below = namespace == pattern or namespace.startswith(pattern + "/")
    return below or fnmatch.fnmatchcase(namespace, pattern)


def may(agreement: Mapping[str, Any], party: str, what: str) -> bool:
    """Whether an agreement lets a party `read` or `write`.

    >>> terms = {"members": ["a", "b"], "access": {"read": "members", "write": ["a"]}}
    >>> may(terms, "b", "read"), may(terms, "b", "write"), may({"parties": ["a"]}, "a", "read")
    (True, False, False)
    """
    access = agreement.get("access")
    named = access.get(what) if isinstance(access, Mapping) else None
    if isinstance(named, str):
        named = agreement.get(named)
    return isinstance(named, list) and party in named


@dataclass(frozen=True, slots=True)
class Inherited:
    """What a namespace takes over from its own file and those above it.

    Attributes:
        ttl: An ISO 8601 duration, empty for none.
        visibility: As declared, empty for none.
        tags: Of all levels, outermost first.
    """

    ttl: str = ""
    visibility: str = ""
    tags: tuple[str, ...] = ()


def inherited(namespace: str, spaces: Mapping[str, Mapping[str, Any]]) -> Inherited:
    """The defaults of a namespace.

    >>> spaces = {"acme": {"default_ttl": "P365D", "default_tags": ["a"]}, "acme/x": {"default_tags": ["x"]}}
    >>> inherited("acme/x/deep", spaces)
    Inherited(ttl='P365D', visibility='', tags=('a', 'x'))
    """
    ttl = visibility = ""
    tags: list[str] = []
    for path in _upwards(namespace):
        declared = spaces.get(path, {})
        ttl = ttl or str(declared.get("default_ttl") or "")
        visibility = visibility or str(declared.get("default_visibility") or "")
        named = declared.get("default_tags")
        tags = (
            [one for one in named if isinstance(one, str)] + tags
            if isinstance(named, list)
            else tags
        )
    return Inherited(ttl, visibility, tuple(dict.fromkeys(tags)))


def _upwards(namespace: str) -> Iterator[str]:
    steps = namespace.split("/")
    for length in range(len(steps), 0, -1):
        yield "/".join(steps[:length])
