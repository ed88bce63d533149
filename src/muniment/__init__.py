"""Muniment: memory for AI agents that can be relied on.

Every memory is a claim with its evidence and its limits; nothing durable is written without review; what an agent is
handed is current, permitted, whole and cited, inside a token budget. Start with `Memory.open`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from muniment.core.access import Scope, Visibility
    from muniment.core.errors import (
        Conflicted,
        InvalidInput,
        MunimentError,
        NotFound,
        NotPermitted,
        Refusal,
        StoreError,
    )
    from muniment.memory import Memory
    from muniment.usecases.review import Choice

__version__ = "0.1.0"
__all__ = [
    "Choice",
    "Conflicted",
    "InvalidInput",
    "Memory",
    "MunimentError",
    "NotFound",
    "NotPermitted",
    "Refusal",
    "Scope",
    "StoreError",
    "Visibility",
    "__version__",
]
_HOMES = (
    ("Memory", "muniment.memory"),
    ("Choice", "muniment.usecases.review"),
    ("Scope", "muniment.core.access"),
    ("Visibility", "muniment.core.access"),
)


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that importing the package costs little."""
    import importlib

    if name not in __all__:
        raise AttributeError(f"module 'muniment' has no attribute {name!r}")
    home = dict(_HOMES).get(name, "muniment.core.errors")
    return getattr(importlib.import_module(home), name)
