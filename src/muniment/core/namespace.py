"""Reserved prefixes of a namespace, and what may leave (MIF section 10.2, `C-NAMESPACE`).

- `_public`, `_shared`, `_local` and `_system` say who may see; `_semantic`, `_episodic` and `_procedural` what type.
- What is `_local` or `_system` at any step of its path leaves in no export, bundle or sync.

>>> may_leave("_local/scratch"), may_leave("acme/x"), may_leave("_system/keys"), may_leave("acme/_local/x")
(False, True, False, False)
"""

from __future__ import annotations

VISIBILITY_PREFIXES = ("_public", "_shared", "_local", "_system")
TYPE_PREFIXES = ("_semantic", "_episodic", "_procedural")


def root(namespace: str) -> str:
    """The first step of a namespace."""
    return namespace.partition("/")[0]


def may_leave(namespace: str) -> bool:
    """Whether claims of a namespace may be exported or synced at all.

    A `_local` anywhere in the path counts: a scratch folder is local under every root.
    """
    return not {"_local", "_system"} & set(namespace.split("/"))
