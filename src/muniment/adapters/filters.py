"""Filters of values and of namespaces, as LangGraph's stores understand them.

>>> meets({"status": "open", "score": 4.5}, {"status": "open", "score": {"$gt": 4}})
True
>>> meets({"score": "high"}, {"score": {"$gt": 4}}), meets({}, {"score": {"$ne": 4}})
(False, True)
>>> has_path(("users", "ada", "v1"), ("users", "*"), "prefix"), has_path(("users", "ada"), ("v1",), "suffix")
(True, False)
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

_ORDERS: Mapping[str, Callable[[float, float], bool]] = MappingProxyType(
    {"$gt": operator.gt, "$gte": operator.ge, "$lt": operator.lt, "$lte": operator.le}
)


def meets(value: Mapping[str, Any], wanted: Mapping[str, Any] | None) -> bool:
    """Whether a value has every part that a filter wants.

    Raises:
        ValueError: The filter has an operator that there is not.
    """
    return all(_matches(value.get(key), one) for key, one in (wanted or {}).items())


def _matches(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, Mapping):
        if any(str(key).startswith("$") for key in wanted):
            return all(_compares(value, name, other) for name, other in wanted.items())
        return isinstance(value, Mapping) and meets(value, wanted)
    if isinstance(wanted, list | tuple):
        same = isinstance(value, list | tuple) and len(value) == len(wanted)
        return same and all(map(_matches, value, wanted))
    return bool(value == wanted)


def _compares(value: Any, name: str, other: Any) -> bool:
    if name in ("$eq", "$ne"):
        return bool(value == other) == (name == "$eq")
    if name not in _ORDERS:
        raise ValueError(f"a filter has no operator `{name}`: use $eq, $ne, $gt, $gte, $lt or $lte")
    try:
        return bool(_ORDERS[name](float(value), float(other)))
    except (TypeError, ValueError):
        return False


def has_path(namespace: Sequence[str], path: Sequence[str], end: str) -> bool:
    """Whether a namespace begins or ends with a path, in which `*` stands for any label.

    Args:
        namespace: Labels.
        path: Labels or `*`.
        end: `prefix` or `suffix`.
    """
    if len(namespace) < len(path):
        return False
    part = namespace[: len(path)] if end == "prefix" else namespace[len(namespace) - len(path) :]
    return all(one in ("*", label) for label, one in zip(part, path, strict=True))
