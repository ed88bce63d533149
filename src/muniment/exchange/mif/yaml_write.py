r"""Write plain data as YAML that every reader reads alike, YAML 1.1 and 1.2, in one form for one value.

- Block style, two spaces a level, keys in the order given, items of lists under their key.
- Text is written plain only where no reader could take it for anything else; else in single quotes, as a block of
  lines, or in double quotes with escapes. Times, versions and `no` are quoted.
- No anchors, tags, comments or folded lines. NaN and infinities are refused.
- `load_yaml(written(x)) == x`, types included.

>>> value = {"id": "x", "created": "2026-01-15T10:30:00Z", "tags": ["a", "no"], "of": {"empty": [], "f": 1e300}}
>>> print(written(value), end="")
id: x
created: '2026-01-15T10:30:00Z'
tags:
  - a
  - 'no'
of:
  empty: []
  f: 1.0e+300
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

_PLAIN = re.compile(
    r"(?:[^\W\d_]|/(?!/))(?:[\w./,;()+*'\"@&%!?^<>=|$\[\]{}~-]| (?!#| *$)|:(?=[^\s])|#)*"
)
_WORDS = frozenset("y n yes no on off true false null".split())
_PRINTABLE = re.compile(
    "[\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010fffd]*"
)
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")
LONGEST_KEY = 100


def written(value: Any) -> str:
    """The YAML text of a value, with a final line end.

    Raises:
        ValueError: A number is not finite, or something is no JSON value.
    """
    if isinstance(value, Mapping) and value:
        return "\n".join(_mapping(value, "")) + "\n"
    if isinstance(value, list) and value:
        return "\n".join(_sequence(value, "")) + "\n"
    return scalar(value, "") + "\n"


def _mapping(value: Mapping[str, Any], indent: str) -> Iterator[str]:
    for key, item in value.items():
        name = _flat(str(key))
        if len(name) > LONGEST_KEY:
            yield f"{indent}? {name}"
            name = ""
        yield from _member(f"{indent}{name}:", item, indent + "  ")


def _member(head: str, item: Any, indent: str) -> Iterator[str]:
    if isinstance(item, Mapping) and item:
        yield head
        yield from _mapping(item, indent)
    elif isinstance(item, list) and item:
        yield head
        yield from _sequence(item, indent)
    else:
        yield f"{head} {scalar(item, indent)}"


def _sequence(value: list[Any], indent: str) -> Iterator[str]:
    for item in value:
        if isinstance(item, Mapping) and item:
            lines = _mapping(item, indent + "  ")
        elif isinstance(item, list) and item:
            lines = _sequence(item, indent + "  ")
        else:
            yield f"{indent}- {scalar(item, indent + '  ')}"
            continue
        first = next(lines)
        yield f"{indent}- {first[len(indent) + 2 :]}"
        yield from lines


def scalar(value: Any, indent: str = "") -> str:
    """One value that holds no others, as it stands behind `key: `.

    >>> [scalar(v) for v in (None, True, 1.0, "a: b", "", "é", "x\\n")]
    ['null', 'true', '1.0', "'a: b'", "''", 'é', '|\\n  x']
    """
    if isinstance(value, str):
        return _text(value, indent)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, Mapping | list) and not value:
        return "[]" if isinstance(value, list) else "{}"
    raise ValueError(f"a {type(value).__name__} is not written as YAML")


def _number(value: float) -> str:
    if not math.isfinite(value):
        raise ValueError("a number that is not finite is not written")
    text = repr(value)
    return text if "." in text else text.replace("e", ".0e")


def _text(value: str, indent: str) -> str:
    if "\n" in value and _fits_block(value):
        inner = indent or "  "
        lines = value.removesuffix("\n").split("\n")
        mark = "|" if value.endswith("\n") else "|-"
        return "\n".join([mark, *(inner + line if line else "" for line in lines)])
    return _flat(value)


def _flat(value: str) -> str:
    if _PLAIN.fullmatch(value) and value.casefold() not in _WORDS and len(value) < 1_000:
        return value
    if _PRINTABLE.fullmatch(value):
        return "'" + value.replace("'", "''") + "'"
    quoted = json.dumps(value, ensure_ascii=False)
    return _ESCAPED.sub(lambda found: f"\\u{ord(found.group()):04x}", quoted)


def _fits_block(value: str) -> bool:
    """Whether text reads back the same as a literal block: printable lines without odd space at their edges."""
    lines = value.removesuffix("\n").split("\n")
    return (
        bool(lines[0].strip())
        and bool(lines[-1].strip())
        and lines[0][0] != " "
        and all(_PRINTABLE.fullmatch(line) and line == line.rstrip() for line in lines)
    )
