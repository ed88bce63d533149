"""`consolidate`: propose one memory that is made of several, or list which could be one."""

from __future__ import annotations

from typing import Annotated

import typer

from muniment import wire
from muniment.cli.call import Call
from muniment.cli.commands.propose import say_proposed
from muniment.cli.options import command
from muniment.cli.terminal import Styled, brief

SHOWN = 10


@command
def consolidate(
    call: Call,
    claims: Annotated[
        list[str], typer.Argument(metavar="[CLAIM]...", help="The claims' `mem_…` or aliases.")
    ] = [],  # noqa: B006 - read by Typer, never written
    claim: Annotated[
        str, typer.Option("--claim", metavar="TEXT", help="What the one memory says.")
    ] = "",
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why.")] = "",
) -> None:
    """Propose one memory made of several, which stay; without claims, list which could be one.

    Without `--claim` it says what they say, one sentence each.

    Example: `muniment consolidate mem_… mem_… --claim "Ada maintains the gate and the mast."`
    """
    if claims:
        say_proposed(call, call.memory().consolidate(*claims, claim=claim, reason=reason))
        return
    found = call.memory().consolidations()
    if call.options.json:
        call.result(wire.consolidations(found))
        return
    screen = call.terminal
    if not found:
        screen.out("nothing could be consolidated")
        return
    for group in found[:SHOWN]:
        told = f"  {len(group.ids)} memories"
        screen.out(Styled(brief(group.about, 60), "bold"), told)
        for one, said in zip(group.ids, group.claims, strict=True):
            screen.out(f"  {one}  {brief(said, 70)}")
    if len(found) > SHOWN:
        screen.dim(f"and {len(found) - SHOWN} more: --json lists all")
    screen.dim(f"next: muniment consolidate {' '.join(found[0].ids[:2])} …")
