"""`embed`: declare what embeds texts, and give every claim that has none a vector."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from muniment import profile as profiles
from muniment import wire, wiring
from muniment.cli.call import Call, refusal
from muniment.cli.commands.learn import progress_on
from muniment.cli.options import command
from muniment.cli.terminal import Styled


@command
def embed(
    call: Call,
    spec: Annotated[
        str,
        typer.Option(
            "--with",
            metavar="EMBEDDER",
            help="Declare what embeds from now on: `wordllama`, `none`, `openai:MODEL@URL?dim=N&key_env=NAME`, "
            "`sentence-transformers:FOLDER`.",
        ),
    ] = "",
) -> None:
    """Embed the claims that you may see and that have no vector in the declared space.

    Memory is searchable meanwhile. Vectors of another model stay and are never compared with these.

    Example: `muniment embed --with wordllama`
    """
    if spec:
        _declare(call, spec)
        if spec == "none":
            if call.options.json:
                call.result({"embedded": None})
            else:
                call.terminal.out("nothing is compared by embedding from now on")
            return
    with progress_on(call) as progress:
        found = call.memory().embed(progress)
    if call.options.json:
        call.result({"embedded": wire.embedded(found)})
        return
    screen = call.terminal
    screen.out(Styled(str(found.embedded), "bold"), f" embedded in the space {found.space}")
    screen.out(f"{found.already} had a vector there already")
    if found.without:
        screen.out(f"{found.without} hold no words that could be embedded")


def _declare(call: Call, spec: str) -> None:
    """Keep the embedder in the profile, once it is known to open."""
    old = profiles.load(call.options.profile)
    if not old.exists:
        fix = "run `muniment init` first"
        raise refusal("no_profile", "there is no profile to declare it in", "--with", fix)
    wiring.open_embedder(spec)
    profiles.save(replace(old, embedder=spec))
