r"""The keywords of a schema that look at one value alone, each as a function that makes a check.

- A check takes a value and gives its problems; an empty sequence is a good value.
- A value of another type than the keyword speaks of is fine for it, as JSON Schema has it.
- `1.0` is an integer, `true` is no number, lengths count characters (code points), formats are asserted.

Keywords that hold other schemas are `schema`'s.

>>> [p.message for p in kind({"type": "integer"})(True)], list(kind({"type": "integer"})(1.0))
(['this is true or false, where a whole number is expected'], [])
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from muniment.core.errors import quoted
from muniment.exchange.mif.formats import is_date, is_date_time, is_uri

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Problem:
    """One place at which a document breaks the schema.

    Attributes:
        path: Keys and indices from the root.
        keyword: The schema's keyword.
        message: What is there and what is expected.
        fix: What to do.
    """

    path: Path
    keyword: str
    message: str
    fix: str

    @property
    def pointer(self) -> str:
        """The place as a JSON pointer."""
        return pointer(self.path)


Check = Callable[[Any], Sequence[Problem]]
FINE: Sequence[Problem] = ()


def pointer(path: Path) -> str:
    """A JSON pointer.

    >>> pointer(("a/b", 0, "~"))
    '/a~1b/0/~0'
    """
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def one_problem(keyword: str, message: str, fix: str, path: Path = ()) -> Sequence[Problem]:
    """One problem, as a check answers."""
    return (Problem(path, keyword, message, fix),)


def under(step: str | int, found: Sequence[Problem]) -> list[Problem]:
    """Problems of a part, seen from the whole."""
    return [Problem((step, *p.path), p.keyword, p.message, p.fix) for p in found]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


TYPES: tuple[tuple[str, str, Callable[[Any], bool]], ...] = (
    ("object", "an object", lambda v: isinstance(v, Mapping)),
    ("array", "a list", lambda v: isinstance(v, list)),
    ("string", "text", lambda v: isinstance(v, str)),
    ("number", "a number", _is_number),
    ("integer", "a whole number", lambda v: _is_number(v) and v == v // 1),
    ("boolean", "true or false", lambda v: isinstance(v, bool)),
    ("null", "nothing", lambda v: v is None),
)
_FORMATS: tuple[tuple[str, Callable[[str], bool], str], ...] = (
    ("date-time", is_date_time, "write it as `2026-01-15T10:30:00Z`, with an offset"),
    ("date", is_date, "write it as `2026-01-15`"),
    ("uri", is_uri, "give a whole address, such as `https://example.org/page`"),
)


def named_type(value: Any) -> str:
    """What a value is, in words.

    >>> named_type(True), named_type(1.0), named_type({})
    ('true or false', 'a number', 'an object')
    """
    if isinstance(value, bool):
        return "true or false"
    return next((words for _, words, fits in TYPES if fits(value)), type(value).__name__)


def _same(left: Any, right: Any) -> bool:
    """Equality as JSON has it: no boolean equals a number."""
    return isinstance(left, bool) == isinstance(right, bool) and bool(left == right)


def kind(schema: Mapping[str, Any]) -> Check:
    """`type`."""
    given = schema["type"]
    wanted = [given] if isinstance(given, str) else given
    tests = [fits for name, _, fits in TYPES if name in wanted]
    words = " or ".join(words for name, words, _ in TYPES if name in wanted)
    only = tests[0] if len(tests) == 1 else lambda value: any(fits(value) for fits in tests)

    def check(value: Any) -> Sequence[Problem]:
        if only(value):
            return FINE
        message = f"this is {named_type(value)}, where {words} is expected"
        return one_problem("type", message, f"give {words}")

    return check


def required(schema: Mapping[str, Any]) -> Check:
    """`required`."""
    names = tuple(schema["required"])

    def check(value: Any) -> Sequence[Problem]:
        if not isinstance(value, Mapping):
            return FINE
        missing = [name for name in names if name not in value]
        return [
            Problem((name,), "required", f"{quoted(name)} is missing", f"add {quoted(name)}")
            for name in missing
        ]

    return check


def choice(schema: Mapping[str, Any]) -> Check:
    """`enum`."""
    allowed = schema["enum"]

    def check(value: Any) -> Sequence[Problem]:
        if any(_same(value, one) for one in allowed):
            return FINE
        listed = ", ".join(map(str, allowed))
        return one_problem("enum", f"{quoted(value)} is not expected here", f"use one of: {listed}")

    return check


def constant(schema: Mapping[str, Any]) -> Check:
    """`const`."""
    expected = schema["const"]

    def check(value: Any) -> Sequence[Problem]:
        if _same(value, expected):
            return FINE
        message = f"this is {quoted(value)}, where {quoted(expected)} is expected"
        return one_problem("const", message, f"write {quoted(expected)}")

    return check


def pattern(schema: Mapping[str, Any]) -> Check:
    """`pattern`, anywhere in the text unless it is anchored."""
    written = schema["pattern"]
    search = re.compile(_python_pattern(written)).search

    def check(value: Any) -> Sequence[Problem]:
        if not isinstance(value, str) or search(value):
            return FINE
        message = f"{quoted(value)} does not have the form {quoted(written)}"
        return one_problem("pattern", message, "write it in that form")

    return check


def format_of(schema: Mapping[str, Any]) -> Check:
    """`format`, asserted."""
    name = schema["format"]
    known = [(fits, fix) for format_name, fits, fix in _FORMATS if format_name == name]
    if not known:
        raise ValueError(f"the format `{name}` is not interpreted")
    fits, fix = known[0]

    def check(value: Any) -> Sequence[Problem]:
        if not isinstance(value, str) or fits(value):
            return FINE
        return one_problem("format", f"{quoted(value)} is no {name}", fix)

    return check


def lengths(schema: Mapping[str, Any]) -> Check | None:
    """`minLength` and `maxLength` together."""
    if "minLength" in schema and "maxLength" in schema:
        raise ValueError("`minLength` and `maxLength` together are not interpreted")
    least, most = schema.get("minLength", 0), schema.get("maxLength")

    def check(value: Any) -> Sequence[Problem]:
        if not isinstance(value, str):
            return FINE
        if len(value) < least:
            return one_problem("minLength", "the text is empty", "write something")
        if most is not None and len(value) > most:
            message = f"the text has {len(value)} characters, over {most}"
            return one_problem("maxLength", message, f"shorten it to {most}")
        return FINE

    return check


def least(schema: Mapping[str, Any]) -> Check:
    """`minimum`, inclusive."""
    bound = schema["minimum"]

    def check(value: Any) -> Sequence[Problem]:
        if not _is_number(value) or value >= bound:
            return FINE
        return one_problem("minimum", f"{quoted(value)} is under {bound}", f"give at least {bound}")

    return check


def most(schema: Mapping[str, Any]) -> Check:
    """`maximum`, inclusive."""
    bound = schema["maximum"]

    def check(value: Any) -> Sequence[Problem]:
        if not _is_number(value) or value <= bound:
            return FINE
        return one_problem("maximum", f"{quoted(value)} is over {bound}", f"give at most {bound}")

    return check


def few(schema: Mapping[str, Any]) -> Check:
    """`minItems`."""
    bound = schema["minItems"]

    def check(value: Any) -> Sequence[Problem]:
        if not isinstance(value, list) or len(value) >= bound:
            return FINE
        return one_problem("minItems", f"the list has {len(value)} items, under {bound}", "add one")

    return check


def unique(schema: Mapping[str, Any]) -> Check | None:
    """`uniqueItems`."""
    if not schema["uniqueItems"]:
        return None

    def check(value: Any) -> Sequence[Problem]:
        if not isinstance(value, list):
            return FINE
        twice = [n for n, item in enumerate(value) if any(_same(item, one) for one in value[:n])]
        return [
            Problem((n,), "uniqueItems", f"{quoted(value[n])} stands twice", "keep one")
            for n in twice
        ]

    return check


def _python_pattern(written: str) -> str:
    r"""An ECMA pattern of the shipped schemas as Python reads it: ASCII digits, a strict end.

    `.` is anything but a line feed, as both validators read it; ECMA leaves out three more line ends.

    >>> _python_pattern(r"^\d+.*$")
    '^[0-9]+[^\\n]*\\Z'
    """
    ecma = written.replace(r"\d", "[0-9]").replace(r"\.", "[.]")
    ecma = re.sub(r"\.(?![^\[]*\])", lambda _: r"[^\n]", ecma)
    return ecma.removesuffix("$") + r"\Z" if ecma.endswith("$") else ecma


VALUE_KEYWORDS: Mapping[str, Callable[[Mapping[str, Any]], Check | None]] = MappingProxyType(
    {
        "type": kind, "required": required, "enum": choice, "const": constant, "pattern": pattern,
        "format": format_of, "minLength": lengths, "maxLength": lengths, "minimum": least,
        "maximum": most, "minItems": few, "uniqueItems": unique,
    }
)  # fmt: skip
