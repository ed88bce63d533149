"""Values to JSON, by the fields of their types.

- A dataclass becomes an object without its empty fields; one that has to be given is always there.
- Times are written in UTC with `Z`.

Reading them back is `core.codec`'s.

>>> encode(Scope("repository", "local:shop")), encode((1, "a", None))
({'kind': 'repository', 'id': 'local:shop'}, [1, 'a', None])
"""

from __future__ import annotations

import dataclasses
import operator
import typing
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Any

from muniment.core.access import Scope

_ = Scope  # named by the doctest
_UNSET = object()


def time_text(instant: datetime) -> str:
    """UTC with microseconds only where there are any.

    >>> time_text(datetime(2026, 7, 8, 12, tzinfo=UTC))
    '2026-07-08T12:00:00Z'
    """
    return instant.astimezone(UTC).isoformat().replace("+00:00", "Z")


_PLAIN = (str, int, bool, float, type(None))


def encode(value: Any) -> Any:
    """The JSON form of a value: dataclasses become objects without their empty fields."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is datetime:
        return time_text(value)
    if kind is tuple or kind is list:
        return [item if type(item) is str else encode(item) for item in value]
    if kind is dict or isinstance(value, Mapping):
        return {k: item if type(item) is str else encode(item) for k, item in value.items()}
    if isinstance(value, frozenset | set):
        return sorted(encode(item) for item in value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _encoded_fields(value)
    return [encode(item) for item in value]


def _encoded_fields(value: Any) -> dict[str, Any]:
    found = {}
    values, fields = _fields(typing.cast(type, type(value)))
    for (name, required, nothing), item in zip(fields, values(value), strict=True):
        if item is nothing:  # the usual case: what nobody set is the default itself
            continue
        if type(item) is str:
            if item or required:
                found[name] = item
        elif required or not _empty(item):
            found[name] = encode(item)
    return found


@cache
def _fields(
    cls: type,
) -> tuple[Callable[[Any], Sequence[Any]], tuple[tuple[str, bool, Any], ...]]:
    """What gets the values of a dataclass's fields; and each field's name, whether it is required, and its default.

    The default is told only where it is left out; two `_UNSET` are never the same value of a field.
    """
    fields = dataclasses.fields(cls)
    names = [one.name for one in fields]
    told = ((one.name, is_required(one), _left_out(one)) for one in fields)
    if len(names) > 1:
        return operator.attrgetter(*names), tuple(told)
    return lambda value: [getattr(value, name) for name in names], tuple(told)


def _left_out(field: dataclasses.Field[Any]) -> Any:
    default = field.default
    return _UNSET if default is dataclasses.MISSING or not _empty(default) else default


def is_required(field: dataclasses.Field[Any]) -> bool:
    """Whether a field has to be given."""
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _empty(value: Any) -> bool:
    """Whether a field is left out: nothing, an empty text, list or object, or a value that says nothing at all."""
    kind = type(value)
    if kind is str or kind is tuple or kind is dict or value is None:
        return not value
    if kind in _PLAIN or kind is datetime:
        return False
    if dataclasses.is_dataclass(kind):
        return bool(value == _blank(kind))
    return isinstance(value, Mapping) and not value


@cache
def _blank(cls: type) -> Any:
    """The value of a dataclass that says nothing; None where it has to say something."""
    return None if any(required for _, required, _ in _fields(cls)[1]) else cls()
