"""The command reference: what `--help` prints for every command, in the catalogue's order.

- Each help is what the command prints, as wide as a page and without colours; nothing is retyped.
"""

from __future__ import annotations

import contextlib
import io
import os
from pathlib import Path

from muniment.cli import main
from muniment.cli.catalog import COMMANDS, GROUPS

PAGE = {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}


def commands(root: Path) -> str:
    """A table of all commands, and the help of each."""
    del root
    rows = ["| command | what it does |", "| --- | --- |"]
    rows += [f"| [`{name}`](#{name}) | {summary} |" for name, _, summary in COMMANDS]
    parts = ["\n".join(rows), f"```console\n$ muniment --help\n{_help()}```"]
    for name, _, _ in COMMANDS:
        parts.append(f"## {name}\n\n```console\n$ muniment {name} --help\n{_help(name)}```")
        for one in GROUPS.get(name, ()):
            shown = f"```console\n$ muniment {name} {one} --help\n{_help(name, one)}```"
            parts.append(f"### {name} {one}\n\n{shown}")
    return "\n\n".join(parts)


def _help(*arguments: str) -> str:
    """What the help of a command prints.

    Raises:
        RuntimeError: It did not end with 0.
    """
    before = {name: os.environ.get(name) for name in PAGE}
    printed = io.StringIO()
    os.environ.update(PAGE)
    try:
        with contextlib.redirect_stdout(printed):
            code = main([*arguments, "--help"])
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
    if code:
        raise RuntimeError(f"`muniment {' '.join(arguments)} --help` ended with {code}")
    return "".join(f"{line.rstrip()}\n" for line in printed.getvalue().splitlines())


GENERATORS = {"cli": commands}
