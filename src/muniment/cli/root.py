"""`muniment` itself: its version, and the options that every command takes."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer

from muniment import __version__
from muniment.cli.flags import COMMON
from muniment.cli.options import parameter

HELP = """Memory for AI agents that can be relied on: reviewed claims with evidence, handed over as cited packets.

Begin with `muniment init`, `muniment learn`, `muniment review`, and
`muniment recall "how do I run the tests?" --use choose_local_commands`.
"""


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"muniment {__version__}")
        raise typer.Exit


Version = Annotated[
    bool,
    typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
]


def root() -> Callable[..., None]:
    """The function that Typer calls before a command: the common options are read again by each command."""

    def run(context: typer.Context, **given: Any) -> None:
        if context.invoked_subcommand is None:
            typer.echo(context.get_help())

    kind = inspect.Parameter.KEYWORD_ONLY
    parameters = [
        inspect.Parameter("context", kind, annotation=typer.Context),
        *(parameter(option) for option in COMMON),
        inspect.Parameter("version", kind, default=False, annotation=Version),
    ]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    run.__doc__ = HELP
    return run
