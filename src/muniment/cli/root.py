"""`muniment` itself: its version, and the options that every command takes."""

from __future__ import annotations

from typing import Annotated

import typer

from muniment import __version__
from muniment.cli.options import As, Json, NoColor, ProfileFile, Scopes, Store, Tenant, Verbose


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"muniment {__version__}")
        raise typer.Exit


Version = Annotated[
    bool,
    typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
]


def root(
    context: typer.Context,
    store: Store = None,
    profile: ProfileFile = None,
    tenant: Tenant = "",
    principal: As = "",
    scopes: Scopes = [],  # noqa: B006 - read by Typer, never written
    json: Json = False,
    no_color: NoColor = False,
    verbose: Verbose = False,
    version: Version = False,
) -> None:
    """Memory for AI agents that can be relied on: reviewed claims with evidence, handed over as cited packets.

    Begin with `muniment init`, `muniment learn`, `muniment review`, and
    `muniment recall "how do I run the tests?" --use choose_local_commands`.
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
