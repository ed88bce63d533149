r"""Where the parts of a document stand: JSON pointer to line and column, for YAML and JSON.

- Looked up only when there is something to report: reading itself keeps no places.
- The document was read before without a finding of syntax; of another one, nothing is told.
- A pointer that names nothing is placed at the nearest part above it that is there.

>>> places = yaml_places("title: x\ntags:\n  - a\n  - b\n")
>>> nearest(places, "/tags/1"), nearest(places, "/tags/9"), nearest(places, "/nothing")
((4, 5), (2, 1), (1, 1))
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import yaml

Places = Mapping[str, tuple[int, int]]
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s\[\]{},:"]+')
MOST_PLACES = 100_000


def step(key: object) -> str:
    """One step of a JSON pointer.

    >>> step("a/b~"), step(0)
    ('/a~1b~0', '/0')
    """
    return "/" + str(key).replace("~", "~0").replace("/", "~1")


def nearest(places: Places, pointer: str) -> tuple[int, int]:
    """Line and column of a pointer, or of the nearest part above it; both count from one."""
    while pointer and pointer not in places:
        pointer = pointer.rpartition("/")[0]
    return places.get(pointer, (1, 1))


def yaml_places(text: str) -> Places:
    """Places of a YAML document: of a mapping's members, where the key stands."""
    import yaml

    try:
        root = yaml.compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, RecursionError):
        return {}
    found: dict[str, tuple[int, int]] = {}
    waiting: list[tuple[str, yaml.Node]] = [("", root)] if root is not None else []
    while waiting and len(found) < MOST_PLACES:
        pointer, node = waiting.pop()
        found.setdefault(pointer, (node.start_mark.line + 1, node.start_mark.column + 1))
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                inner = pointer + step(getattr(key, "value", ""))
                found.setdefault(inner, (key.start_mark.line + 1, key.start_mark.column + 1))
                waiting.append((inner, value))
        elif isinstance(node, yaml.SequenceNode):
            waiting.extend((pointer + step(n), one) for n, one in enumerate(node.value))
    return found


@lru_cache(maxsize=4)
def json_places(text: str) -> Places:
    r"""Places of a JSON document: of an object's members, where the key stands.

    >>> json_places('{"a": [1,\n {"b": 2}]}')["/a/1/b"]
    (2, 3)
    """
    found: dict[str, tuple[int, int]] = {"": (1, 1)}
    levels: list[list[str | int | None]] = []  # key or index of each open level
    expects_key, line, start = False, 1, 0
    for token in _TOKEN.finditer(text):
        line += text.count("\n", start, token.start())
        start = token.start()
        place = (line, start - text.rfind("\n", 0, start))
        written = token.group()
        if written in "}]":
            if levels:
                levels.pop()
            expects_key = False
        elif written == ",":
            inside = levels[-1] if levels else []
            if inside and isinstance(inside[0], int):
                inside[0] += 1
            expects_key = bool(inside) and not isinstance(inside[0], int)
        elif expects_key and written.startswith('"'):
            levels[-1][0] = json.loads(written)
            found.setdefault(_pointer(levels), place)
            expects_key = False
        elif written != ":":
            found.setdefault(_pointer(levels), place)
            if written in "{[":
                levels.append([None if written == "{" else 0])
                expects_key = written == "{"
        if len(found) > MOST_PLACES:
            break
    return found


def _pointer(levels: list[list[str | int | None]]) -> str:
    return "".join(step(level[0]) for level in levels if level[0] is not None)
