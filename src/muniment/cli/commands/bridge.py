"""`bridge`: propose a terminology bridge."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from muniment.cli.call import Call, scope_from
from muniment.cli.commands.propose import say_proposed
from muniment.cli.options import command
from muniment.core.encode import encode


@command
def bridge(
    call: Call,
    phrase: Annotated[str, typer.Argument(metavar="FROM", help="A phrase of queries.")],
    target: Annotated[str, typer.Argument(metavar="TO", help="What it may be rewritten to.")],
    source: Annotated[
        str,
        typer.Option("--source", metavar="URI", help="Where it comes from: a file, or an address."),
    ] = "",
    quote: Annotated[
        str, typer.Option("--quote", metavar="TEXT", help="The words that stand there.")
    ] = "",
    uses: Annotated[
        list[str], typer.Option("--use", metavar="USE", help="An allowed use; may be repeated.")
    ] = [],  # noqa: B006 - read by Typer, never written
    valid_until: Annotated[
        str,
        typer.Option("--valid-until", metavar="TIME", help="It rewrites until then, exclusive."),
    ] = "",
    reason: Annotated[
        str, typer.Option("--reason", metavar="TEXT", help="Why it is proposed.")
    ] = "",
) -> None:
    """Propose a bridge: a directed permission to rewrite a phrase of a query, within one scope.

    It merges nothing, and is reviewed as any claim. `muniment recall --grounded` uses accepted ones.

    Example: `muniment bridge "UI kit" "design system" --use answer_questions`
    """
    memory = call.memory()
    parts: dict[str, Any] = {
        "source": call.address(source),
        "quote": quote,
        "allowed_uses": uses,
        "validity": {"valid_until": valid_until} if valid_until else {},
    }
    if reason:
        parts["reason"] = reason
    if len(call.options.scopes) == 1:
        parts["scope"] = encode(scope_from(call.options.scopes[0], "--scope"))
    say_proposed(call, memory.bridge(phrase, target, **parts))
