"""`learn`: read a repository's files, and say what was proposed, left out and why."""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from muniment import wire
from muniment.cli.call import Call, refusal
from muniment.cli.options import command
from muniment.cli.terminal import Piece, Styled, Terminal, brief
from muniment.core.errors import quoted
from muniment.ports.learning import Progress

if TYPE_CHECKING:
    from muniment.usecases.keep_conversation import Heard
    from muniment.usecases.learn import Learned
    from muniment.usecases.policy import ByPolicy

LISTED = 10


@command
def learn(
    call: Call,
    folder: Annotated[
        Path,
        typer.Argument(metavar="PATH", help="A repository's folder, or a conversation's file."),
    ] = Path(),
) -> None:
    """Read a repository's own files and propose what changed; or keep a conversation (`chat.jsonl`).

    Nothing is remembered before it is reviewed; a declared policy may accept structured facts of a protected ref.
    A conversation's messages are kept word for word and unreviewed; `recall --passages` quotes them.

    Example: `muniment learn .`
    """
    if folder.is_file():
        heard = call.memory().learn_conversation(folder)
        if call.options.json:
            call.result(wire.heard(heard))
        else:
            _heard(call.terminal, heard)
        return
    if not folder.is_dir():
        message = f"{quoted(folder)} is no folder"
        raise refusal("no_folder", message, "FOLDER", "name a folder that is there")
    if not os.access(folder, os.R_OK | os.X_OK):
        message = f"{quoted(folder)} may not be read"
        raise refusal("no_permission", message, "FOLDER", "check its rights")
    memory = call.memory()
    with progress_on(call) as progress:
        learned, by = memory.learn(folder, progress=progress)
    if call.options.json:
        call.result(wire.learned(learned, by))
        return
    _summary(call.terminal, learned, by)
    if learned.scope not in memory.session.scopes:
        call.terminal.dim(
            f"the scope {learned.scope} is not in force here: run `muniment init` in that folder"
        )


@command
def reread(
    call: Call,
    claims: Annotated[
        list[str] | None, typer.Argument(help="Claims; by default what is due.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every claim in scope.")] = False,
) -> None:
    """Go back to the sources of claims, and propose to renew or deprecate them.

    Due is what was verified too long ago for its kind, or never. Nothing changes before it is reviewed.

    Example: `muniment reread --all`
    """
    found, by = call.memory().reread(*(claims or ()), everything=everything)
    if call.options.json:
        call.result(wire.reread(found, by))
        return
    from muniment.usecases.reread import kinds

    screen = call.terminal
    rows = [(str(count), state.replace("_", " ")) for state, count in kinds(found)]
    rows += (
        [(str(len(found.without_source)), "with nothing to read again")]
        if found.without_source
        else []
    )
    rows += [(str(len(found.waiting)), "wait for review already")] if found.waiting else []
    screen.table(rows or [("0", "due")], "  ")
    for claim_id, reading in found.readings.items():
        if reading.state not in ("match", "moved"):
            detail = f": {reading.detail}" if reading.detail else ""
            screen.out(f"  {claim_id}  {reading.state.replace('_', ' ')}{detail}")
    _by_policy(screen, by)
    screen.dim("next: muniment review" if found.proposed else "nothing to review")


@contextlib.contextmanager
def progress_on(call: Call) -> Iterator[Progress | None]:
    """A bar on a terminal; nothing elsewhere."""
    if call.options.json or not call.terminal.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    console = Console(
        file=call.terminal.stderr, no_color=not call.terminal.coloured(call.terminal.stderr)
    )
    columns = (
        TextColumn("reading"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None)

        def step(done: int, total: int, what: str) -> None:
            bar.update(task, total=total, completed=done, description=escape(brief(what, 40)))

        yield step


def _summary(screen: Terminal, learned: Learned, by: ByPolicy) -> None:
    screen.out(
        Styled(str(learned.scope), "bold"),
        f": {learned.files} files, {learned.statements} statements",
    )
    changes = learned.proposed.diff.changes if learned.proposed else ()
    counts = Counter(change.operation for change in changes)
    rows: list[tuple[Piece, Piece]] = [
        (Styled(str(n), "green"), f"proposed to {operation.replace('_', ' ')}")
        for operation, n in counts.items()
    ]
    rows += [
        (Styled(str(n), "cyan"), text)
        for n, text in (
            (learned.waiting, "wait for review since an earlier run"),
            (learned.unchanged, "remembered and unchanged"),
            (learned.withdrawn, "earlier proposals withdrawn: the files no longer bear them out"),
        )
        if n
    ]
    screen.table(rows or [("0", "nothing to propose")], "  ")
    _left_out(screen, learned)
    _by_policy(screen, by)
    screen.findings(learned.findings)
    decided = len(by.outcome.decisions) if by.outcome else 0
    waiting = len(changes) + learned.waiting - decided
    screen.dim("next: muniment review" if waiting else "next: muniment recall QUERY --use USE")


def _heard(screen: Terminal, heard: Heard) -> None:
    screen.out(Styled(str(heard.scope), "bold"), f": {heard.messages} messages")
    rows: list[tuple[Piece, Piece]] = [
        (Styled(str(n), colour), text)
        for n, colour, text in (
            (heard.kept, "green", f"kept, in {heard.passages} passages, as {heard.source_id}"),
            (heard.known, "cyan", "kept already, and unchanged"),
            (heard.erased, "yellow", "erased once, and not kept again"),
        )
        if n
    ]
    screen.table(rows or [("0", "nothing to keep")], "  ")
    screen.findings(heard.findings)
    screen.dim("next: muniment recall QUERY --use answer_questions --passages")


def _left_out(screen: Terminal, learned: Learned) -> None:
    for one in learned.left_out[:LISTED]:
        screen.out("  ", Styled("left out", "yellow"), f"  {brief(one.claim, 60)}: {one.reason}")
    if len(learned.left_out) > LISTED:
        screen.out(f"  and {len(learned.left_out) - LISTED} more left out")


def _by_policy(screen: Terminal, by: ByPolicy) -> None:
    if not by.policy:
        return
    accepted = len(by.outcome.decisions) if by.outcome else 0
    screen.out("  ", Styled(str(accepted), "green"), f"  accepted by policy:{by.policy}")
    reasons = Counter(why[0] for why in (by.left or {}).values())
    if by.left:
        named = ", ".join(f"{reason} {n}" for reason, n in reasons.most_common())
        screen.out("  ", Styled(str(len(by.left)), "yellow"), f"  left to you by it: {named}")
