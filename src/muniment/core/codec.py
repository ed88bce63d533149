"""Values to JSON and back, by the types of their fields.

- `encode` (`core.encode`) leaves out what is empty; `read` puts the defaults back. `read(type(x), encode(x)) == x`.
- Times are written in UTC with `Z`; a time without an offset is refused, never guessed.
- Every problem is a finding with its path; nothing is repaired in silence.
- What is stored is read by the same code: it was checked when it came in, so nothing is checked twice by rules.

>>> findings: list[Finding] = []
>>> read(Scope, {"kind": "repository"}, "/scope", findings)
>>> findings[0].path, findings[0].code
('/scope/id', 'missing')
"""

from __future__ import annotations

import dataclasses
import functools
import math
import types
import typing
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from functools import cache
from typing import Any, TypeVar

from muniment.core.access import Scope
from muniment.core.encode import encode, is_required, time_text
from muniment.core.errors import Finding, quoted

__all__ = (
    "LARGEST_INTEGER", "Reader", "T", "encode", "from_micros", "instant_in_utc", "micros", "read", "read_over",
    "read_time", "time_text", "trusted",
)  # fmt: skip
LARGEST_INTEGER = 2**53 - 1
_WRITTEN_WITH_EXPONENT = 1e21  # the canonical form writes smaller ones as digits alone
T = TypeVar("T")
Reader = Callable[[Any, str, list[Finding]], Any]
_MISSING = object()
_ = Scope  # named by the doctest


def read(cls: type[T], given: Any, path: str, findings: list[Finding]) -> T | None:
    """Read a dataclass from JSON.

    Args:
        cls: The dataclass.
        given: What `json.loads` made.
        path: JSON pointer of `given`.
        findings: Problems are appended; with an error among them the result is None.
    """
    if not isinstance(given, Mapping):
        findings.append(_wrong(given, path, "an object"))
        return None
    before = len(findings)
    values: dict[str, Any] = {}
    readers = _readers(typing.cast(type, cls))
    for name, (reader, required) in readers.items():
        item = given.get(name, _MISSING)
        if item is _MISSING or (item is None and not required):
            if required:
                findings.append(_missing(name, path))
            continue
        values[name] = reader(item, f"{path}/{name}", findings)
    for name in given:
        if name not in readers:
            known = ", ".join(readers)
            findings.append(
                Finding(
                    "unknown_key",
                    f"{quoted(name)} is not a known key",
                    f"{path}/{name}",
                    f"use one of: {known}",
                    "warning",
                )
            )
    if any(f.severity == "error" for f in findings[before:]):
        return None
    return cls(**values)


def read_over(value: T, given: Mapping[str, Any], path: str, findings: list[Finding]) -> T | None:
    """A dataclass with some of its fields read from JSON anew, as `read` would read them.

    Args:
        value: What the others are taken from.
        given: Some fields in wire form; one that is null and not required gets its default.
        path: JSON pointer of `given`.
        findings: Problems are appended; with an error among them the result is None.

    >>> read_over(Scope("repository", "local:shop"), {"id": "local:till"}, "", [])
    Scope(kind='repository', id='local:till')
    """
    before = len(findings)
    values: dict[str, Any] = {}
    cls = typing.cast(Any, type(value))
    readers = _readers(cls)
    for name, item in given.items():
        reader, required = readers[name]
        if item is None and not required:
            values[name] = _defaults(cls)[name]()
        else:
            values[name] = reader(item, f"{path}/{name}", findings)
    if any(f.severity == "error" for f in findings[before:]):
        return None
    return typing.cast(T, dataclasses.replace(typing.cast(Any, value), **values))


@cache
def _defaults(cls: type) -> dict[str, Callable[[], Any]]:
    found: dict[str, Callable[[], Any]] = {}
    for one in dataclasses.fields(cls):
        if one.default_factory is not dataclasses.MISSING:
            found[one.name] = one.default_factory
        elif one.default is not dataclasses.MISSING:
            found[one.name] = functools.partial(_itself, one.default)
    return found


def _itself(value: Any) -> Any:
    return value


def trusted(cls: type[T], given: Any) -> T:
    """Read what this program wrote itself.

    Raises:
        ValueError: It is not what this program writes: the store is damaged.
    """
    findings: list[Finding] = []
    value = read(cls, given, "", findings)
    if value is None:
        raise ValueError("; ".join(str(f) for f in findings))
    return value


def _missing(name: str, path: str) -> Finding:
    return Finding("missing", f"{quoted(name)} is missing", f"{path}/{name}", f"add {quoted(name)}")


def _wrong(given: Any, path: str, expected: str) -> Finding:
    kind = {
        str: "text",
        bool: "a boolean",
        int: "a number",
        float: "a number",
        list: "a list",
        dict: "an object",
    }
    got = kind.get(type(given), "nothing" if given is None else type(given).__name__)
    return Finding(
        "wrong_type", f"this is {got}, where {expected} is expected", path, f"give {expected}"
    )


@cache
def _readers(cls: type) -> dict[str, tuple[Reader, bool]]:
    hints = typing.get_type_hints(cls)
    return {f.name: (_reader(hints[f.name]), is_required(f)) for f in dataclasses.fields(cls)}


def _reader(hint: Any) -> Reader:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        inner = next(a for a in arguments if a is not types.NoneType)
        return _reader(inner)
    if origin is tuple:
        return _list_reader(_reader(arguments[0]), tuple)
    if origin is frozenset:
        return _list_reader(_reader(arguments[0]), frozenset)
    if origin is typing.Literal:
        return _literal_reader(arguments)
    if origin is not None and issubclass(origin, Mapping):
        return _read_mapping
    if dataclasses.is_dataclass(hint):
        return lambda given, path, findings: read(typing.cast(Any, hint), given, path, findings)
    return _SCALARS[hint]


def _list_reader(item: Reader, kind: Callable[[Any], Any]) -> Reader:
    def read_list(given: Any, path: str, findings: list[Finding]) -> Any:
        if not isinstance(given, list | tuple):
            findings.append(_wrong(given, path, "a list"))
            return kind(())
        return kind([item(one, f"{path}/{i}", findings) for i, one in enumerate(given)])

    return read_list


def _literal_reader(allowed: tuple[Any, ...]) -> Reader:
    def read_literal(given: Any, path: str, findings: list[Finding]) -> Any:
        if given not in allowed:
            known = ", ".join(map(str, allowed))
            findings.append(
                Finding(
                    "unknown_value",
                    f"{quoted(given)} is not expected here",
                    path,
                    f"use one of: {known}",
                )
            )
        return given

    return read_literal


def _read_mapping(given: Any, path: str, findings: list[Finding]) -> Any:
    """An open object: any JSON, and nothing that has no canonical form.

    >>> problems: list[Finding] = []
    >>> _ = _read_mapping({"a": [1, {"b": math.nan}], "c": 2**60, "d": b"x"}, "/properties", problems)
    >>> [(f.path, f.code) for f in problems]
    [('/properties/a/1/b', 'not_finite'), ('/properties/c', 'integer_too_large'), ('/properties/d', 'not_json')]
    """
    if not isinstance(given, Mapping):
        findings.append(_wrong(given, path, "an object"))
        return {}
    return _read_json(given, path, findings)


def _read_json(given: Any, path: str, findings: list[Finding]) -> Any:
    if given is None or isinstance(given, str | bool):
        return given
    if isinstance(given, int):
        return _read_integer(given, path, findings)
    if isinstance(given, float):
        return _read_number(given, path, findings)
    if isinstance(given, list | tuple):
        return [_read_json(item, f"{path}/{n}", findings) for n, item in enumerate(given)]
    if isinstance(given, Mapping):
        for key in given:
            if not isinstance(key, str):
                message = f"the key {quoted(key)} is not text"
                findings.append(Finding("key_not_text", message, path, "write it in quotes"))
        return {str(k): _read_json(item, f"{path}/{k}", findings) for k, item in given.items()}
    message = f"a {type(given).__name__} is not JSON"
    findings.append(Finding("not_json", message, path, "give text, numbers, lists or objects"))
    return None


def _read_text(given: Any, path: str, findings: list[Finding]) -> Any:
    if not isinstance(given, str):
        findings.append(_wrong(given, path, "text"))
        return ""
    return given


def _read_integer(given: Any, path: str, findings: list[Finding]) -> Any:
    if not isinstance(given, int) or isinstance(given, bool):
        findings.append(_wrong(given, path, "a whole number"))
        return 0
    if abs(given) > LARGEST_INTEGER:
        message = f"{quoted(given)} is beyond 2**53, where numbers stop being exact"
        findings.append(Finding("integer_too_large", message, path, "write it as text"))
        return 0
    return given


def _read_number(given: Any, path: str, findings: list[Finding]) -> Any:
    if not isinstance(given, int | float) or isinstance(given, bool):
        findings.append(_wrong(given, path, "a number"))
        return 0.0
    if isinstance(given, int):
        return _read_integer(given, path, findings)
    if not math.isfinite(given):
        findings.append(
            Finding(
                "not_finite",
                f"{quoted(given)} is not a finite number",
                path,
                "give a finite number",
            )
        )
        return 0.0
    if LARGEST_INTEGER < abs(given) < _WRITTEN_WITH_EXPONENT:
        message = f"{quoted(given)} is beyond 2**53 and would be read back as another number"
        findings.append(Finding("integer_too_large", message, path, "write it as text"))
        return 0.0
    return given


def _read_boolean(given: Any, path: str, findings: list[Finding]) -> Any:
    if not isinstance(given, bool):
        findings.append(_wrong(given, path, "true or false"))
    return given


def read_time(given: Any, path: str, findings: list[Finding]) -> datetime | None:
    """A time with an offset.

    >>> problems: list[Finding] = []
    >>> read_time("2026-07-08 12:00", "/at", problems), problems[0].code
    (None, 'naive_time')
    """
    instant: datetime | None = None
    if isinstance(given, datetime):
        instant = given
    elif isinstance(given, str):
        try:
            instant = datetime.fromisoformat(given.strip())
        except ValueError:
            instant = None
    if instant is None:
        findings.append(
            Finding(
                "bad_time",
                f"{quoted(given)} is not a time",
                path,
                "write it as `2026-07-08T12:00:00Z`",
            )
        )
        return None
    if instant.tzinfo is None:
        findings.append(
            Finding(
                "naive_time",
                f"{quoted(given)} has no offset from UTC",
                path,
                "add `Z` or an offset such as `+02:00`",
            )
        )
        return None
    return instant_in_utc(instant, given, path, findings)


def instant_in_utc(
    instant: datetime, given: Any, path: str, findings: list[Finding]
) -> datetime | None:
    """The instant in UTC; the calendar's first and last day can leave it."""
    try:
        return instant.astimezone(UTC)
    except OverflowError:
        findings.append(
            Finding(
                "bad_time",
                f"{quoted(given)} lies outside the calendar",
                path,
                "give a year from 1 to 9999",
            )
        )
        return None


def micros(instant: datetime) -> int:
    """Microseconds since the Unix epoch, exact."""
    return (instant - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


def from_micros(instant: int) -> datetime:
    """The inverse of `micros`.

    >>> from_micros(micros(datetime(2026, 7, 8, 12, tzinfo=UTC))).hour
    12
    """
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=instant)


_SCALARS: Mapping[Any, Reader] = types.MappingProxyType(
    {
        str: _read_text,
        int: _read_integer,
        float: _read_number,
        bool: _read_boolean,
        datetime: read_time,
        date: read_time,
        Any: lambda given, path, findings: given,
    }
)
