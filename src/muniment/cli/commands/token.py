"""`token`: list the tokens of bearers, or make, rotate or revoke one; an operator signs it."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from muniment import wire
from muniment.cli import passphrase
from muniment.cli.call import Call, refusal, visibility_from
from muniment.cli.options import command
from muniment.cli.passphrase import PassphraseFd, PassphraseFile
from muniment.cli.terminal import Styled
from muniment.core.authority import LADDER
from muniment.core.encode import encode
from muniment.core.errors import quoted
from muniment.core.token import Token
from muniment.wiring import visibility_from as read_visibility

if TYPE_CHECKING:
    from muniment.usecases.tokens import Made

ACTIONS = ("list", "create", "rotate", "revoke")
DAYS = 90
LONGEST_DAYS = 3_650


@command
def token(
    call: Call,
    action: Annotated[
        str, typer.Argument(metavar="ACTION", help=f"One of {', '.join(ACTIONS)}.")
    ] = "list",
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Who bears it, or the token's `tok_…`.")
    ] = "",
    ceiling: Annotated[
        str, typer.Argument(metavar="ROLE", help=f"At most: {', '.join(LADDER)}.")
    ] = "",
    days: Annotated[
        int, typer.Option("--days", metavar="N", help="How long it serves; 0 for ever.")
    ] = DAYS,
    uses: Annotated[
        list[str], typer.Option("--use", metavar="USE", help="Allowed uses of its new claims.")
    ] = [],  # noqa: B006 - read by Typer, never written
    visibility: Annotated[
        str, typer.Option("--visibility", metavar="LEVEL[=WHO,…]", help="Who sees its new claims.")
    ] = "",
    note: Annotated[str, typer.Option("--note", metavar="TEXT", help="What it is for.")] = "",
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write it to a new private file.")
    ] = None,
    fd: PassphraseFd = None,
    file: PassphraseFile = None,
) -> None:
    """List tokens, or make, rotate or revoke one. A token serves the scopes in force, one principal and one role.

    It is shown once, and kept as a digest alone. What its bearer may do, its principal's declared roles say as well.

    Example: `muniment token create agent:codex proposer --scope repository:local:shop`; `muniment token revoke tok_…`
    """
    if action == "list":
        _list(call)
        return
    if action not in ACTIONS:
        message, fix = (
            f"{quoted(action)} is nothing that `token` does",
            f"one of: {', '.join(ACTIONS)}",
        )
        raise refusal("unknown_action", message, "ACTION", fix)
    if not name:
        what = "who bears it" if action == "create" else "the token"
        raise refusal("no_name", f"`token {action}` names {what}", "NAME", "see `muniment token`")
    if out is not None and out.exists():
        raise refusal("file_exists", f"{quoted(out)} is there already", "--out", "name a new file")
    memory = call.memory()
    wanted = (
        _wanted(call, name, ceiling, days, uses, visibility, note) if action == "create" else None
    )
    signer = (
        passphrase.signer(call, f"{action} a token", fd, file) if memory.is_governed() else None
    )
    if action == "revoke":
        gone = memory.revoke_token(name, signer)
        _say(call, {"revoked": wire.token(gone)}, f"{gone.name}  revoked")
        return
    made = memory.create_token(wanted, signer) if wanted else memory.rotate_token(name, signer)
    _hand_over(call, made, out)


def _wanted(
    call: Call,
    name: str,
    ceiling: str,
    days: int,
    uses: list[str],
    visibility: str,
    note: str,
) -> Token:
    if not ceiling:
        fix = f"one of: {', '.join(LADDER)}"
        raise refusal("no_role", "a token has a role", "ROLE", fix)
    if not 0 <= days <= LONGEST_DAYS:
        fix = f"give 1 to {LONGEST_DAYS}, or 0 for ever"
        raise refusal("bad_days", f"{quoted(days)} days", "--days", fix)
    session = call.memory().session
    ends = session.now() + timedelta(days=days) if days else None
    given = read_visibility(visibility_from(visibility) or None)
    return Token(
        "",
        name,
        ceiling,
        session.scopes,
        "",
        given or session.visibility,
        tuple(uses) or session.uses,
        ends,
        note,
    )


def _list(call: Call) -> None:
    found = call.memory().tokens()
    if call.options.json:
        call.result({"tokens": [wire.token(one) for one in found]})
        return
    if not found:
        call.terminal.out("no token was made")
    now = call.memory().session.now()
    for one in found:
        state = "revoked" if one.revoked else "serves" if one.serves_at(now) else "ended"
        ends = f", until {encode(one.expires_at)}" if one.expires_at else ""
        where = ", ".join(map(str, one.scopes))
        note = f" ({one.note})" if one.note else ""
        call.terminal.out(
            Styled(one.name, "bold"),
            f"  {state}  {one.principal} as {one.role} in {where}{ends}{note}",
        )


def _hand_over(call: Call, made: Made, out: Path | None) -> None:
    kept = wire.token(made.token)
    if out is not None:
        with os.fdopen(os.open(out, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:
            stream.write(made.text + "\n")
        _say(call, {"token": kept, "file": str(out)}, f"{made.token.name}  written to {out}")
        return
    call.terminal.dim("shown once; keep it where only its bearer reads:")
    _say(call, {"token": kept, "text": made.text}, made.text)


def _say(call: Call, value: dict[str, object], line: str) -> None:
    if call.options.json:
        call.result(value)
    else:
        call.terminal.out(line)
