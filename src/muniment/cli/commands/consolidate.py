"""`consolidate`, `narrow`: propose one memory made of several, or that fewer may see one and what rests on it."""

from __future__ import annotations

from typing import Annotated

import typer

from muniment import wire
from muniment.cli.call import Call, refusal, visibility_from
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


@command
def narrow(
    call: Call,
    claim: Annotated[str, typer.Argument(metavar="CLAIM", help="Its `mem_…` or alias.")],
    visibility: Annotated[
        str,
        typer.Option("--visibility", metavar="LEVEL=WHO,…", help="Who may still see it."),
    ] = "",
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why.")] = "",
) -> None:
    """Propose that fewer may see a claim; what was made from it moves along once that is accepted.

    Example: `muniment narrow mem_… --visibility security-sensitive=group:board --reason "it names a customer"`
    """
    wanted = visibility_from(visibility)
    if not wanted:
        fix = "such as `--visibility team-private=group:shop`"
        raise refusal("no_visibility", "who may still see it is not said", "--visibility", fix)
    say_proposed(call, call.memory().narrow(claim, wanted, reason))
