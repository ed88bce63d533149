"""`mcp`: serve memory to an agent over the Model Context Protocol, on stdin and stdout."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from muniment.cli.call import Call, refusal
from muniment.cli.options import command
from muniment.core.authority import lower
from muniment.core.errors import StoreUnavailable, quoted
from muniment.usecases.session import checked_role

if TYPE_CHECKING:
    from muniment.mcp.stdio import Wire

HIGHEST = "proposer"
"""The ceiling of a model's session, whatever is asked for: nothing that it reaches decides on memory."""


@command
def mcp(
    call: Call,
    folder: Annotated[
        Path | None,
        typer.Option("--folder", metavar="DIR", help="Work there, not where it was started."),
    ] = None,
    uses: Annotated[
        list[str], typer.Option("--use", metavar="USE", help="Only this use; may be repeated.")
    ] = [],  # noqa: B006 - read by Typer, never written
    digest: Annotated[
        bool,
        typer.Option("--digest", help="Print the SHA-256 of every text that a model reads of it."),
    ] = False,
) -> None:
    """Serve memory to an agent over the Model Context Protocol, on stdin and stdout. A host starts it.

    Who acts is said by `--as agent:name`; the scopes are those of the folder. It may ask and propose, never decide.
    stdout is the protocol's alone; remarks go to stderr.

    Example: `muniment mcp --as agent:codex --use answer_questions --use plan_changes`
    """
    if digest:
        _digest(call)
        return
    from muniment.mcp import stdio

    wire = stdio.take_wire()
    if folder is not None:
        _work_in(folder)
    _serve(call, wire, tuple(uses))


def _digest(call: Call) -> None:
    _needs_library()
    from muniment.mcp.tools import digest

    if call.options.json:
        call.result({"digest": digest()})
    else:
        call.terminal.out(digest())


def _serve(call: Call, wire: Wire, uses: tuple[str, ...]) -> None:
    _refuse_person(call)
    role = lower(checked_role(call.options.role), HIGHEST)
    call.options = replace(call.options, role=role)
    _needs_library()
    from muniment.mcp.server import make_server
    from muniment.mcp.stdio import serve
    from muniment.mcp.tools import Limits

    memory = call.memory()
    serve(make_server(lambda request: memory, Limits(uses)), wire)


def _work_in(folder: Path) -> None:
    try:
        os.chdir(folder)
    except OSError as error:
        message = f"{quoted(folder)} cannot be worked in: {(error.strerror or 'failed').lower()}"
        raise refusal("no_folder", message, "--folder", "name a folder that is there") from error


def _refuse_person(call: Call) -> None:
    """A model that acts as a person would see what is the person's alone, and speak in the person's name."""
    if not call.options.principal and call.profile.principal.startswith("user:"):
        who = quoted(call.profile.principal)
        fix = "say which agent with `--as agent:name`; `muniment connect HOST` sets all of it up"
        raise refusal("no_agent", f"an agent does not act as {who}", "--as", fix, "E-APPROVER")


def _needs_library() -> None:
    try:
        import mcp.server  # noqa: F401
    except ImportError as error:
        fix = "install it: pip install 'muniment[serve]'"
        raise StoreUnavailable("the protocol's library is not installed", fix=fix) from error
