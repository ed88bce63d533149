"""`sync`: keep a folder of concepts and the store together, and show what a person has to decide."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from muniment import wire_exchange
from muniment.cli import codes
from muniment.cli.call import Call, visibility_from
from muniment.cli.options import command
from muniment.cli.terminal import Styled, Terminal, brief, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from muniment.usecases.sync_report import Clash, Suggested, Synced

LISTED = 20
_DOES = {"add": "new", "supersede": "edited", "deprecate": "gone"}


@command
def sync(
    call: Call,
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder; made where there is none.")
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be done; write nothing.")
    ] = False,
    visibility: Annotated[
        str,
        typer.Option(
            "--visibility", metavar="LEVEL[=WHO,…]", help="Who reads it; the profile's by default."
        ),
    ] = "",
    ours: Annotated[
        list[str] | None,
        typer.Option("--ours", metavar="FILE", help="In this conflict, write the store's side."),
    ] = None,
    theirs: Annotated[
        list[str] | None,
        typer.Option("--theirs", metavar="FILE", help="In this conflict, propose the file's side."),
    ] = None,
) -> int:
    """Keep a folder of MIF concepts, in a git repository for instance, and the store together.

    A file that was edited, added or removed becomes a proposal; an accepted claim becomes a file; what both changed is
    shown, and left as it is. Only what all readers may see goes into the folder. Exit code 6: something waits for you.

    Example: `muniment sync memory/ --dry-run`
    """
    found = call.memory().sync(
        folder,
        visibility=visibility_from(visibility) or None,
        dry_run=dry_run,
        ours=ours or (),
        theirs=theirs or (),
    )
    if call.options.json:
        call.result(wire_exchange.synced(found))
    else:
        _told(call.terminal, folder, found)
    return codes.WAITING if found.is_waiting else codes.DONE


def _told(screen: Terminal, folder: Path, found: Synced) -> None:
    screen.out(
        Styled(one_line(str(folder)), "bold"), f" and {found.scope}: {found.agreed} concepts agree"
    )
    would = "would be " if found.dry_run else ""
    _suggestions(screen, f"{would}proposed", found.proposed)
    _suggestions(screen, "waiting for review", found.waiting)
    _suggestions(screen, "refused", found.refused)
    _files(screen, f"{would}written", found.written)
    _files(screen, f"{would}removed", found.removed)
    _files(screen, "changed while this ran, and left alone", found.changed_meanwhile)
    for clash in found.clashes:
        _clash(screen, clash)
    for reason, count in found.left_out.most_common():
        screen.out("  ", Styled(str(count), "yellow"), f"  kept out of the folder: {reason}")
    screen.findings(found.findings)
    screen.dim(_next(found))


def _suggestions(screen: Terminal, what: str, listed: Sequence[Suggested]) -> None:
    if not listed:
        return
    screen.out("  ", Styled(str(len(listed)), "green"), f"  {what}")
    for one in listed[:LISTED]:
        why = f" ({one.reason})" if one.reason else ""
        name = one_line(one.file or one.concept)
        screen.out(f"    {_DOES[one.operation]}  {name}: {brief(one.claim, 70)}{why}")
    _rest(screen, len(listed))


def _files(screen: Terminal, what: str, listed: Sequence[str]) -> None:
    if not listed:
        return
    screen.out("  ", Styled(str(len(listed)), "green"), f"  {what}")
    for name in listed[:LISTED]:
        screen.out(f"    {one_line(name)}")
    _rest(screen, len(listed))


def _rest(screen: Terminal, count: int) -> None:
    if count > LISTED:
        screen.out(f"    and {count - LISTED} more; `--json` names them")


def _clash(screen: Terminal, clash: Clash) -> None:
    name = one_line(clash.file or clash.concept)
    screen.out("  ", Styled("conflict", "red"), f"  {name} was changed in both")
    if clash.theirs is None or clash.ours is None:
        here = "is gone" if clash.theirs is None else f"says: {brief(clash.theirs.claim, 70)}"
        there = "is not in use" if clash.ours is None else f"says: {brief(clash.ours.claim, 70)}"
        screen.out(f"    the file {here}")
        screen.out(f"    the claim {there}")
        return
    for part, theirs, ours in clash.differs:
        screen.out(f"    {part.replace('_', ' ')}")
        screen.out(f"      the file:  {brief(_plain(theirs), 90)}")
        screen.out(f"      the claim: {brief(_plain(ours), 90)}")


def _plain(value: Any) -> str:
    if value is None:
        return "nothing"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _next(found: Synced) -> str:
    if found.dry_run:
        return "next: the same without --dry-run" if not found.is_settled else "nothing to write"
    if found.clashes:
        name = one_line(found.clashes[0].file or found.clashes[0].concept)
        return f"next: edit {name}, or run this again with `--ours {name}` or `--theirs {name}`"
    if found.proposed or found.waiting:
        return "next: muniment review, then this again"
    if found.refused:
        return "next: change the files back, or see `muniment review --lift`"
    return "next: commit the folder" if not found.is_settled else "nothing changed"
