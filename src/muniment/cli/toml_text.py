r"""Change one table in a TOML file that somebody else keeps: every other byte stays.

- A table of our own is written at the end, and taken out from its header to the next one.
- What comes out is read again and compared with what was meant; where they differ nothing is handed over.

>>> text = 'model = "x" # mine\n'
>>> print(put(text, ("servers", "muniment"), {"command": "muniment", "args": ["mcp"]}), end="")
model = "x" # mine
<BLANKLINE>
[servers.muniment]
command = "muniment"
args = ["mcp"]
>>> drop(put(text, ("servers", "muniment"), {"a": "b"}), ("servers", "muniment")) == text
True
"""

from __future__ import annotations

import copy
import json
import re
import tomllib
from collections.abc import Sequence
from typing import Any

from muniment.cli.json_text import NotEditable

_HEADER = re.compile(r"[ \t]*\[\[?([^\]\n]*)\]")


def parsed(text: str) -> dict[str, Any]:
    """The value of a text.

    Raises:
        NotEditable: It is no TOML.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise NotEditable(str(error)) from error


def put(text: str, path: Sequence[str], value: dict[str, Any]) -> str:
    """The text with a table of texts, lists of texts and flat tables at its end, instead of one that is there.

    Raises:
        NotEditable: It cannot be done without touching something else.
    """
    wanted = copy.deepcopy(parsed(text))
    here = wanted
    for key in path[:-1]:
        here = here.setdefault(key, {})
        if not isinstance(here, dict):
            raise NotEditable(f"`{key}` is no table")
    if here.get(path[-1]) == value:
        return text
    here[path[-1]] = value
    newline = "\r\n" if "\r\n" in text else "\n"
    kept = drop(text, path)
    if kept and not kept.endswith("\n"):
        kept += newline
    lines = [f"[{'.'.join(path)}]", *(f"{key} = {_said(item)}" for key, item in value.items())]
    return _checked(kept + (newline if kept else "") + newline.join(lines) + newline, wanted)


def drop(text: str, path: Sequence[str]) -> str:
    """The text without a table and its own tables.

    Raises:
        NotEditable: It cannot be done without touching something else.
    """
    wanted = copy.deepcopy(parsed(text))
    here: Any = wanted
    for key in path[:-1]:
        here = here.get(key, {})
    if not isinstance(here, dict) or path[-1] not in here:
        return text
    del here[path[-1]]
    for depth in range(len(path) - 1, 0, -1):  # a table that its header alone made
        _prune(wanted, path[:depth])
    return _checked("".join(_lines_without(text, tuple(path))), wanted)


def _lines_without(text: str, path: tuple[str, ...]) -> list[str]:
    kept, behind, ours = list[str](), list[str](), False
    for line in text.splitlines(keepends=True):
        if found := _HEADER.match(line):
            names = tuple(part.strip().strip("\"'") for part in found[1].split("."))
            is_ours = names[: len(path)] == path
            if is_ours and not ours and kept and not kept[-1].strip():
                kept.pop()  # the empty line before it came with it
            if ours and not is_ours:
                kept += behind
            ours = is_ours
            behind = []
        if not ours:
            kept.append(line)
        elif line.strip() and not line.lstrip().startswith("#"):
            behind = []
        else:
            behind.append(line)  # what stands between our last line and the next table is not ours
    return kept + (behind if ours else [])


def _prune(value: dict[str, Any], path: Sequence[str]) -> None:
    here: Any = value
    for key in path[:-1]:
        here = here[key]
    if here[path[-1]] == {}:
        del here[path[-1]]


def _checked(text: str, wanted: dict[str, Any]) -> str:
    # INVARIANT: nothing but what was meant is another value; an empty table says nothing.
    if _bare(parsed(text)) != _bare(wanted):
        raise NotEditable("it cannot be changed without touching something else")
    return text


def _bare(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {key: found for key, item in value.items() if (found := _bare(item)) != {}}


def _said(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(k)} = {_said(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_said, value)) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
