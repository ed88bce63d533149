"""The options that every command takes, before or after its name.

- They are declared once, and given to each command by `command`.
- `split` tells them from the command's name without loading anything.

>>> split(["--as", "user:ada", "--json", "recall", "q"])
(['--as', 'user:ada', '--json'], ['recall', 'q'])
>>> split(["--version"])
(['--version'], [])
"""

from __future__ import annotations

import functools
import inspect
import os
import sys
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from muniment.cli.call import Call, Options, PipeClosed
from muniment.cli.terminal import Terminal

VALUED = ("--store", "--profile", "--tenant", "--as", "--scope")
FLAGS = ("--json", "--no-color", "--verbose")
PANEL = "Options of every command"

Store = Annotated[
    Path | None,
    typer.Option(
        "--store",
        metavar="FILE",
        help="The store's file; MUNIMENT_STORE names one too.",
        rich_help_panel=PANEL,
    ),
]
ProfileFile = Annotated[
    Path | None,
    typer.Option(
        "--profile",
        metavar="FILE",
        help="The profile; MUNIMENT_PROFILE names one too.",
        rich_help_panel=PANEL,
    ),
]
Tenant = Annotated[
    str, typer.Option("--tenant", metavar="NAME", help="The tenant.", rich_help_panel=PANEL)
]
As = Annotated[
    str,
    typer.Option(
        "--as",
        metavar="PRINCIPAL",
        help="Who acts, instead of the profile's principal.",
        rich_help_panel=PANEL,
    ),
]
Scopes = Annotated[
    list[str],
    typer.Option(
        "--scope",
        metavar="KIND:ID",
        help="A scope in force, instead of the profile's; may be repeated.",
        rich_help_panel=PANEL,
    ),
]
Json = Annotated[
    bool, typer.Option("--json", help="Write the result as JSON.", rich_help_panel=PANEL)
]
NoColor = Annotated[
    bool,
    typer.Option("--no-color", help="No colours; NO_COLOR says so too.", rich_help_panel=PANEL),
]
Verbose = Annotated[
    bool, typer.Option("--verbose", help="Show the traceback of a fault.", rich_help_panel=PANEL)
]
DECLARED: tuple[tuple[str, Any, Any], ...] = (
    ("store", Store, None),
    ("profile", ProfileFile, None),
    ("tenant", Tenant, ""),
    ("principal", As, ""),
    ("scopes", Scopes, ()),
    ("json", Json, False),
    ("no_color", NoColor, False),
    ("verbose", Verbose, False),
)


def split(arguments: list[str]) -> tuple[list[str], list[str]]:
    """What stands before the command's name, and the name with the rest."""
    at = 0
    while at < len(arguments):
        word = arguments[at]
        if not word.startswith("-"):
            return arguments[:at], arguments[at:]
        at += 2 if word in VALUED else 1
    return arguments, []


def moved(arguments: list[str]) -> list[str]:
    """The arguments with the common options behind the command's name, where all before it are such.

    >>> moved(["--json", "--as=user:ada", "recall", "q"])
    ['recall', '--json', '--as=user:ada', 'q']
    >>> moved(["--help", "recall"])
    ['--help', 'recall']
    """
    before, rest = split(arguments)
    at = 0
    while at < len(before):
        name = before[at].partition("=")[0]
        if name not in (*VALUED, *FLAGS):
            return arguments
        at += 2 if before[at] in VALUED else 1
    return [*rest[:1], *before, *rest[1:]] if rest else arguments


def command(function: Callable[..., int | None]) -> Callable[..., int | None]:
    """The function as a command: its first parameter becomes the call, and the common options are added."""
    hints = typing.get_type_hints(function, include_extras=True)
    own = [
        parameter.replace(annotation=hints[name])
        for name, parameter in inspect.signature(function).parameters.items()
        if name != "call"
    ]
    kind = inspect.Parameter.KEYWORD_ONLY
    common = [
        inspect.Parameter(f"common_{name}", kind, default=default, annotation=hint)
        for name, hint, default in DECLARED
    ]
    plain = [parameter.replace(kind=kind) for parameter in own]

    @functools.wraps(function)
    def run(**given: Any) -> int | None:
        options = Options(**{name: given.pop(f"common_{name}") for name, _, _ in DECLARED})
        call = Call(options, terminal(options.no_color))
        try:
            code = function(call, **given)
            call.acted()
        except BrokenPipeError:
            raise PipeClosed from None
        finally:
            call.close()
        return code

    run.__signature__ = inspect.Signature([*plain, *common])  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in (*plain, *common)}
    del run.__wrapped__  # Typer would look through it, at the parameters that it does not have
    return run


def terminal(no_color: bool) -> Terminal:
    """The process's own terminal."""
    return Terminal(sys.stdin, sys.stdout, sys.stderr, os.environ, False if no_color else None)
