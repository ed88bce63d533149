"""`note`: keep working and short-term memory, look at it, end it, and propose what should last."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from muniment import wire_notes
from muniment.cli.call import Call, refusal, visibility_from
from muniment.cli.commands.propose import document, say_proposed
from muniment.cli.options import command
from muniment.cli.terminal import Styled, brief
from muniment.core.encode import time_text
from muniment.core.note import LIVES, statements_of

if TYPE_CHECKING:
    from muniment.core.note import Note

HELP = """Keep notes: your own working and short-term memory, which ends by itself and is never recalled.

A note is kept in a turn, task or conversation in force (`--scope task:release`), and only who wrote it sees it.

Example: `muniment note put order "Tag before publishing." --for 2h --scope task:release`; each takes `--json`.
"""

Key = Annotated[str, typer.Argument(metavar="KEY", help="The note's name in its scope.")]


@command
def put(
    call: Call,
    key: Key,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What it says; `-` for stdin.")],
    lasts: Annotated[
        str, typer.Option("--for", metavar="TIME", help="How long: 90s, 30m, 2h, 7d.")
    ] = "",
    until: Annotated[str, typer.Option("--until", metavar="TIME", help="Or until when.")] = "",
) -> None:
    """Write a note, in place of one under the same key; it needs an end, and no review.

    A turn's notes last a day at most, those of a task or conversation 90 days.

    Example: `muniment note put order "Tag before publishing." --for 2h --scope task:release`
    """
    memory = call.memory()
    said = text if text != "-" else document(call, "-").decode("utf-8", "surrogateescape")
    noted = memory.note(key, said, lasts=lasts or None, until=until or None)
    if call.options.json:
        call.result(wire_notes.noted(noted))
        return
    word = "rewrote" if noted.replaced else "noted"
    call.terminal.out(f"{word} ", Styled(noted.note.key, "bold"), f"  {_where(noted.note)}")
    call.terminal.findings(noted.findings)


def _where(note: Note) -> str:
    return f"{note.memory_type}, in {note.scope} until {time_text(note.expires_at)}"


@command
def list_(
    call: Call,
    query: Annotated[
        str, typer.Argument(metavar="WORDS", help="Only notes that hold one of these.")
    ] = "",
    prefix: Annotated[
        str, typer.Option("--prefix", metavar="TEXT", help="Only keys that begin so.")
    ] = "",
) -> None:
    """List your own notes of the scopes in force; with words, those that hold most of them first.

    Example: `muniment note list publishing --scope task:release`
    """
    found = call.memory().notes(query, prefix=prefix)
    if call.options.json:
        call.result({"notes": [wire_notes.note(one) for one in found]})
        return
    if not found:
        call.terminal.out("no note of yours is in these scopes")
    rows = [
        (str(one.scope), Styled(one.key, "bold"), time_text(one.expires_at), brief(one.text, 60))
        for one in found
    ]
    call.terminal.table(rows)


@command
def get(call: Call, key: Key) -> None:
    """Print what a note says.

    Example: `muniment note get order --scope task:release`
    """
    found = call.memory().read_note(key)
    if call.options.json:
        call.result({"note": wire_notes.note(found)})
        return
    call.terminal.out(found.text)
    call.terminal.dim(f"{found.key}: {_where(found)}")


@command
def end(
    call: Call,
    keys: Annotated[
        list[str],
        typer.Argument(metavar="[KEY]...", help="The notes that end.", show_default=False),
    ] = [],  # noqa: B006 - read by Typer, never written
    everything: Annotated[bool, typer.Option("--all", help="All notes of the scope.")] = False,
) -> None:
    """End notes, or with `--all` those of a whole turn, task or conversation; their bytes are removed.

    Example: `muniment note end --all --scope task:release`
    """
    if bool(keys) == everything:
        fix = "name notes, or give `--all` to end all of the scope"
        raise refusal("no_note_named", "it is not said which notes end", "KEY", fix)
    ended = call.memory().end_notes(*keys)
    if call.options.json:
        call.result(wire_notes.ended(ended))
    else:
        call.terminal.out(f"ended {ended.notes} in {ended.scope}; on disk: {ended.disk}")


@command
def propose(
    call: Call,
    key: Key,
    claims: Annotated[
        list[str], typer.Option("--claim", metavar="TEXT", help="What is claimed, not the text.")
    ] = [],  # noqa: B006
    lines: Annotated[
        bool, typer.Option("--lines", help="Each line that states something by itself.")
    ] = False,
    where: Annotated[
        str, typer.Option("--claim-scope", metavar="KIND:ID", help="Where the claim holds.")
    ] = "",
    origin: Annotated[
        str, typer.Option("--origin", metavar="NAME", help="How you know: tool_result, user_input…")
    ] = "",
    type: Annotated[str, typer.Option("--type", metavar="NAME", help="Claim type.")] = "",
    uses: Annotated[
        list[str], typer.Option("--use", metavar="USE", help="An allowed use; may be repeated.")
    ] = [],  # noqa: B006
    visibility: Annotated[
        str, typer.Option("--visibility", metavar="LEVEL[=WHO,…]", help="Who may see it.")
    ] = "",
    reason: Annotated[
        str, typer.Option("--reason", metavar="TEXT", help="Why it is proposed.")
    ] = "",
) -> None:
    """Propose what a note says; it lasts once somebody else accepted it.

    What waits or is accepted already is not proposed again. The note stays until it ends.

    Example: `muniment note propose order --scope task:release --claim-scope repository:github:acme/shop`
    """
    memory = call.memory()
    parts: Mapping[str, Any] = {
        "claim_scope": where or _lasting(call),
        "origin": origin,
        "type": type,
        "allowed_uses": uses,
        "visibility": visibility_from(visibility),
        "reason": reason,
    }
    said = statements_of(memory.read_note(key).text) if lines else tuple(claims) or None
    given = {name: value for name, value in parts.items() if value}
    came = memory.propose_note(key, said, **given)
    if call.options.json:
        call.result(wire_notes.note_proposed(came))
        return
    if came.proposed is not None:
        say_proposed(call, came.proposed)
    for text in came.waiting:
        call.terminal.out(f"waits already: {brief(text)}")
    for text, claim in came.known.items():
        call.terminal.out(f"is known as {claim}: {brief(text)}")
    if lines and not said:
        call.terminal.out("no line of it states anything")
    if came.withdrawn:
        call.terminal.out(f"withdrawn, since the note says something else: {came.withdrawn}")


def _lasting(call: Call) -> str:
    """The one lasting scope in force, or the profile's one; empty where it is not certain."""
    for scopes in (call.scopes(), call.profile_scopes()):
        lasting = [str(scope) for scope in scopes if scope.kind not in LIVES]
        if lasting:
            return lasting[0] if len(lasting) == 1 else ""
    return ""


note = {"put": put, "list": list_, "get": get, "end": end, "propose": propose}
