"""The JSON form of the core's values as a schema, from the values' own types: what `core.encode` writes, described.

- A dataclass becomes an object whose required fields are always there; the others are left out where they are empty.
- A TypedDict is an object that a function writes by hand; every key that it requires is always there.
- In either, a value's type stands for its JSON form: a time is a text, a tuple a list.
- The words are the docstring's: its first line, and what it says of each attribute.

Nothing is checked at run time: answers are written by `wire`, and tests hold them against these schemas.

>>> shape = described(Scope).model_json_schema()
>>> shape["required"], shape["properties"]["kind"]["type"]
(['kind', 'id'], 'string')
"""

from __future__ import annotations

import dataclasses
import re
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from pydantic import BaseModel, Field, create_model

from muniment.core.access import Scope
from muniment.core.encode import is_required

_ = Scope  # named by the doctest


@dataclass(frozen=True)
class JsonOf:
    """Marks a JSON value as the form of a type: `Annotated[dict[str, Any], JsonOf(Claim)]`."""

    type: Any

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """The schema of the type's form."""
        return handler.generate_schema(form_of(self.type))


@cache
def described(cls: Any) -> type[BaseModel]:
    """The JSON form of a dataclass or TypedDict as a model.

    It is named `…Value`, so that it is no request or answer of the same name.
    """
    return extended(f"{cls.__name__.removesuffix('Json')}Value", cls)


def extended(
    name: str,
    cls: Any,
    *,
    base: type[BaseModel] = BaseModel,
    whole: bool = False,
    left_out: tuple[str, ...] = (),
    **others: Any,
) -> type[BaseModel]:
    """The JSON form of a type with further keys, or others instead.

    Args:
        name: The model's name.
        cls: A dataclass or TypedDict.
        base: What it is besides.
        whole: Whether every key is always there.
        left_out: Keys that are not there.
        others: The keys' types; a tuple of a type and a default for one that may be missing.
    """
    said = dict(_attributes(cls))
    fields: dict[str, Any] = {}
    for key, (kind, required) in _keys(cls).items():
        if key not in others and key not in left_out:
            told = said.get(key)
            field = Field(description=told) if required or whole else _optional(told)
            fields[key] = (form_of(kind), field)
    return create_model(name, __base__=base, __doc__=_summary(cls), **fields, **others)


def _summary(cls: Any) -> str | None:
    """The first sentence of a docstring, without the requirements that it names."""
    first = re.split(r"(?<=\.)\s", (cls.__doc__ or "").strip(), maxsplit=1)[0]
    return re.sub(r" \((`[A-Z-]+`(, )?)+\)", "", first) or None


def _optional(description: str | None = None) -> Any:
    """Of a key that may be missing; a default, which would be another value, is not told."""
    return Field(default=None, description=description, json_schema_extra=_without_default)


def _without_default(schema: dict[str, Any]) -> None:
    schema.pop("default", None)


OPTIONAL: Any = _optional()


def _keys(cls: Any) -> dict[str, tuple[Any, bool]]:
    hints = typing.get_type_hints(cls)
    if dataclasses.is_dataclass(cls):
        fields = dataclasses.fields(cls)
        return {one.name: (_kept(hints[one.name], one), is_required(one)) for one in fields}
    return {key: (kind, key in cls.__required_keys__) for key, kind in hints.items()}


def _kept(kind: Any, field: dataclasses.Field[Any]) -> Any:
    """A field's type as it is written: one that is left out where it is empty is never null."""
    given = typing.get_args(kind)
    if type(None) not in given or is_required(field):
        return kind
    return typing.Union[tuple(one for one in given if one is not type(None))]  # noqa: UP007 - made at run time


def form_of(kind: Any) -> Any:
    """The type of a type's JSON form.

    >>> form_of(tuple[str, ...]), form_of(Mapping[str, tuple[str, int]])
    (list[str], dict[str, tuple[str, int]])
    """
    if dataclasses.is_dataclass(kind) or typing.is_typeddict(kind):
        return described(kind)
    origin, given = typing.get_origin(kind), typing.get_args(kind)
    if origin in (types.UnionType, typing.Union):
        return typing.Union[tuple(form_of(one) for one in given)]  # noqa: UP007 - made at run time
    if origin is Literal or origin is None or not given:
        return dict[str, Any] if kind is Mapping else kind
    inner = tuple(one if one is Ellipsis else form_of(one) for one in given)
    if issubclass(origin, Mapping):
        return types.GenericAlias(dict, inner)
    if origin is tuple and inner[-1:] != (Ellipsis,):
        return types.GenericAlias(tuple, inner)
    return types.GenericAlias(list, inner[:1])


def _attributes(cls: Any) -> list[tuple[str, str]]:
    """What a docstring says of each attribute.

    >>> dict(_attributes(JsonOf))
    {}
    """
    told = (cls.__doc__ or "").partition("Attributes:\n")[2]
    found = re.findall(r"^ {8}(\w+): (.*(?:\n {12,}.*)*)", told, re.MULTILINE)
    return [(name, " ".join(said.split())) for name, said in found]
