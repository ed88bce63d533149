"""What does not fit a request's shape, as findings: what was given, where, what is expected, what to do.

- Nothing of the checking library's own words is handed on.
- A place is a JSON pointer into what was given; a value that fits none of several shapes is one finding.

>>> from pydantic import BaseModel, Field
>>> class Asked(BaseModel, extra="forbid"):
...     budget: int = Field(1, ge=1)
>>> [(found.code, found.path, found.fix) for found in misshapen(Asked, {"budget": 0, "budjet": 3})]
[('out_of_range', '/budget', 'give 1 or more'), ('unknown_key', '/budjet', 'did you mean `budget`?')]
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError

from muniment.core.errors import Finding, quoted

_OFFSET = "write the time with its offset, such as `2026-07-08T12:00:00Z`"

SHAPES: Mapping[str, tuple[str, str, str]] = {
    "greater_than_equal": ("out_of_range", "{input} is below {ge}", "give {ge} or more"),
    "less_than_equal": ("out_of_range", "{input} is above {le}", "give {le} or less"),
    "string_too_long": ("too_long", "the text is longer than {max_length} characters", "give a shorter text"),
    "too_long": ("too_long", "there are more than {max_length}", "give fewer"),
    "string_too_short": ("too_short", "the text has fewer than {min_length} characters", "give a longer text"),
    "too_short": ("too_short", "there are fewer than {min_length}", "give more"),
    "literal_error": ("unknown_value", "{input} is not known here", "use one of: {expected}"),
    "string_pattern_mismatch": ("wrong_form", "{input} has not the form `{pattern}`", "see the schema for its form"),
    "timezone_aware": ("no_offset", "{input} has no offset from UTC", _OFFSET),
}  # fmt: skip
"""By what the checking library calls it: code, message and what to do."""

WRONG_TYPE = "wrong_type"
EXPECTED: Mapping[str, str] = {
    "string": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "list": "a list",
    "dict": "an object",
    "model": "an object",
    "datetime": f"an instant; {_OFFSET}",
}
"""By the beginning of what the checking library calls it: what is expected."""


def misshapen(shape: type[BaseModel], given: Mapping[str, Any]) -> tuple[Finding, ...]:
    """Everything that does not fit; empty where all of it does."""
    try:
        shape.model_validate(given)
    except ValidationError as error:
        return findings_of(error, shape, given)
    return ()


def findings_of(
    error: ValidationError, shape: type[BaseModel], given: Mapping[str, Any]
) -> tuple[Finding, ...]:
    """What an error of the checking library says, one finding a place."""
    found: dict[str, Finding] = {}
    for one in error.errors(include_url=False):
        place = _place(one["loc"], given)
        finding = _finding(one, place, shape)
        found[place] = _either(found[place], finding) if place in found else finding
    return tuple(found.values())


def _either(one: Finding, other: Finding) -> Finding:
    """Of several shapes, none fits: both fixes hold."""
    if one.code != WRONG_TYPE or other.code != WRONG_TYPE or other.fix in one.fix:
        return one if one.code != WRONG_TYPE else other
    return Finding(
        WRONG_TYPE, one.message, one.path, f"{one.fix}, or {other.fix.removeprefix('give ')}"
    )


def _place(location: Sequence[str | int], given: Any) -> str:
    """A pointer; what the checking library adds for the shapes that it tried is left out."""
    here, last = given, len(location) - 1
    parts = []
    for number, part in enumerate(location):
        if isinstance(here, Mapping) and (part in here or number == last):
            here = here.get(str(part))
        elif isinstance(here, list) and isinstance(part, int) and part < len(here):
            here = here[part]
        else:
            continue
        parts.append(str(part).replace("~", "~0").replace("/", "~1"))
    return "".join(f"/{part}" for part in parts)


def _finding(error: Any, place: str, shape: type[BaseModel]) -> Finding:
    kind, name = error["type"], quoted(error["loc"][-1]) if error["loc"] else "the whole"
    if kind == "missing":
        return Finding("missing", f"{name} is missing", place, "give it")
    if kind == "extra_forbidden":
        fix = _known(str(error["loc"][-1]), shape if len(error["loc"]) == 1 else None)
        return Finding("unknown_key", f"{name} is not known here", place, fix)
    said = {**error.get("ctx", {}), "input": quoted(error.get("input"))}
    if kind in SHAPES:
        code, message, fix = SHAPES[kind]
        return Finding(code, message.format_map(said), place, fix.format_map(said))
    wanted = next((text for start, text in EXPECTED.items() if kind.startswith(start)), "")
    fix = f"give {wanted}" if wanted else "see the schema for what is expected"
    return Finding(WRONG_TYPE, f"{said['input']} is not expected here", place, fix)


def _known(name: str, shape: type[BaseModel] | None) -> str:
    if shape is None:
        return "leave it out, or see the schema for the known ones"
    near = difflib.get_close_matches(name, shape.model_fields, n=1)
    if near:
        return f"did you mean {quoted(near[0])}?"
    return f"leave it out; known are {', '.join(shape.model_fields)}"
