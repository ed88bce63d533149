"""`restore`: an export of our own comes back as it was."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from muniment import wire_exchange
from muniment.cli import codes, passphrase
from muniment.cli.call import Call, Waiting
from muniment.cli.options import command
from muniment.cli.passphrase import PassphraseFd, PassphraseFile

if TYPE_CHECKING:
    from muniment.usecases.restore import Restored


@command
def restore(
    call: Call,
    path: Annotated[
        Path, typer.Argument(help="An export of your own: its folder, or a zip of it.")
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would come back.")
    ] = False,
    fd: PassphraseFd = None,
    file: PassphraseFile = None,
    yes: Annotated[bool, typer.Option("--yes", help="Go on without asking.")] = False,
) -> int | None:
    """Bring back an export of your own, with its review states; every claim is signed by you.

    What was changed since it was exported is not restored; `muniment import` proposes it.

    Example: `muniment restore memory/`
    """
    memory = call.memory()
    passphrase.require_person(call.profile.principal, "restore")
    signer = passphrase.signer(call, "restore this", fd, file)
    found = memory.restore(path, signer, dry_run=True)
    if not dry_run and found.claims:
        call.terminal.err(
            f"{len(found.claims)} claims would come back, signed by {signer.principal}"
        )
        if not call.confirm("restore them?", yes):
            call.terminal.err("nothing was done")
            return Waiting.exit_code
        found = memory.restore(path, signer)
    return _told(call, found, dry_run)


def _told(call: Call, found: Restored, dry_run: bool) -> int:
    code = codes.WRONG if any(f.severity == "error" for f in found.findings) else codes.DONE
    if call.options.json:
        call.result(wire_exchange.restored(found, dry_run))
        return code
    screen = call.terminal
    rows = (
        (found.claims, "would come back" if dry_run else "came back"),
        (found.unchanged, "are here already"),
        (found.held, "wait for another reviewer"),
    )
    screen.table([(str(len(ids)), what) for ids, what in rows if ids] or [("0", "came back")], "  ")
    screen.findings(found.findings)
    return code
