"""`import`: read files of other memories, and say what was proposed, what was left out and why."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from muniment import wire_exchange
from muniment.cli.call import Call, visibility_from
from muniment.cli.commands.learn import progress_on
from muniment.cli.options import command
from muniment.cli.terminal import Piece, Styled, Terminal, brief, one_line
from muniment.core.errors import errors_in

if TYPE_CHECKING:
    from muniment.usecases.import_report import FileReport, Imported

LISTED = 10
_COUNTS = (
    ("needs_review", "of them need a closer look", "yellow"),
    ("waiting", "wait for review since an earlier import", "cyan"),
    ("known", "are remembered already", "cyan"),
    ("repeated", "were read before in this import", "cyan"),
    ("messages", "messages of conversations: sources, which wait for `muniment learn`", "cyan"),
)


@command
def import_(
    call: Call,
    paths: Annotated[list[Path], typer.Argument(metavar="PATH…", help="Files, folders, archives.")],
    format: Annotated[
        str,
        typer.Option(
            "--format", metavar="NAME", help="Their format; told from the files by default."
        ),
    ] = "",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be proposed; write nothing.")
    ] = False,
    visibility: Annotated[
        str,
        typer.Option(
            "--visibility",
            metavar="LEVEL[=WHO,…]",
            help="Who may see it; private to you by default.",
        ),
    ] = "",
    messages: Annotated[
        Path | None,
        typer.Option(
            "--messages",
            metavar="FILE",
            help="Write the messages of conversations there, for `learn`.",
        ),
    ] = None,
) -> None:
    """Propose what files of other memories say: exports, agent files, notes, decision records.

    Nothing is usable before it is reviewed, no date or confidence is added, and a second import proposes nothing new.

    Example: `muniment import memory.jsonl --dry-run`
    """
    memory = call.memory()
    with progress_on(call) as progress:
        found = memory.import_(
            *paths,
            format=format,
            dry_run=dry_run,
            visibility=visibility_from(visibility) or None,
            progress=progress,
            messages=messages,
        )
    if call.options.json:
        call.result(wire_exchange.imported(found))
    else:
        _summary(call.terminal, found)
        if messages and not dry_run and any(report.messages for report in found.files):
            call.terminal.dim(f"next: muniment learn {one_line(str(messages))}")


@command
def export(
    call: Call,
    place: Annotated[
        Path | None, typer.Argument(metavar="PATH", help="The file or folder; as `--out`.")
    ] = None,
    format: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="NAME",
            help="mif, jsonl, mcp-memory, mem0 or block.",
            show_default=True,
        ),
    ] = "jsonl",
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="PATH", help="The file to write; stdout by default."),
    ] = None,
    use: Annotated[
        str,
        typer.Option(
            "--use", metavar="USE", help="What it is wanted for; prepare_context by default."
        ),
    ] = "",
    visibility: Annotated[
        str,
        typer.Option(
            "--visibility",
            metavar="LEVEL[=WHO,…]",
            help="Who will read it; of a block, the profile's.",
        ),
    ] = "",
    history: Annotated[
        bool,
        typer.Option(
            "--history", help="Also what held once (jsonl), or all that was recorded (mif)."
        ),
    ] = False,
) -> None:
    """Write claims as a bundle, in another format, or into a block between markers of a file that is otherwise yours.

    `mif` writes a MIF and OKF bundle that `muniment restore` brings back. Formats that carry no boundaries get only
    what is accepted, current, undisputed and allowed for the use.

    Example: `muniment export memory/ --format mif`; `muniment export --format block --out AGENTS.md`
    """
    out = place or out
    done = call.memory().export(
        format, out, use=use, visibility=visibility_from(visibility) or None, history=history
    )
    screen = call.terminal
    if call.options.json:
        call.result(
            {
                **wire_exchange.exported(done),
                "text": done.data.decode() if done.data is not None else None,
            }
        )
        return
    if done.data is not None:
        screen.stdout.write(done.data.decode())
        screen.stdout.flush()
        return
    changed = "written" if done.changed else "is as it was"
    screen.out(Styled(one_line(str(out)), "bold"), f": {done.claims} claims, {changed}")
    rows: list[tuple[Piece, Piece]] = [
        (Styled(str(n), "yellow"), f"left out: {reason.replace('_', ' ')}")
        for reason, n in done.left_out.most_common()
    ]
    if rows:
        screen.table(rows, "  ")
    if done.lost:
        screen.dim(f"not carried by {done.format}: {', '.join(done.lost)}")


def _summary(screen: Terminal, found: Imported) -> None:
    passed_over = [one for one in found.files if _is_passed_over(one)]
    for report in found.files:
        if report not in passed_over:
            _file(screen, report)
    if passed_over:
        count = Styled(str(len(passed_over)), "cyan")
        screen.out(
            "  ", count, "  files of no format that is known were passed over; `--json` names them"
        )
    verb = "would be proposed" if found.dry_run else "proposed"
    screen.out(
        Styled(str(found.proposed), "bold"),
        f" {verb} into {found.scope}, 0 usable until they are reviewed",
    )
    for part in found.parts:
        _part(
            screen,
            part.diff_id,
            part.changes,
            [c.item.claim if c.item else c.target_id for c in part.shown],
        )
    for one in found.left_out[:LISTED]:
        screen.out("  ", Styled("left out", "yellow"), f"  {brief(one.claim, 60)}: {one.reason}")
    total = sum(sum(report.refused.values()) for report in found.files)
    if total > LISTED:
        screen.out(f"  and {total - LISTED} more left out; `--json` names the first 200")
    screen.findings(found.findings)
    levels = ", ".join(
        f"{who.level} ({', '.join(who.allowed_principals)})"
        if who.allowed_principals
        else who.level
        for who in found.visibility
    )
    if levels:
        screen.dim(f"visible to: {one_line(levels)}; `--visibility` says it otherwise")
    screen.dim(_next(found))


def _is_passed_over(report: FileReport) -> bool:
    """Whether a file of a folder or archive, which nobody named, is simply none of ours."""
    return not report.file.format and not errors_in(tuple(report.findings))


def _next(found: Imported) -> str:
    if found.dry_run:
        return "next: the same without --dry-run" if found.proposed else "nothing to import"
    if len(found.parts) == 1:
        return f"next: muniment review {found.parts[0].diff_id}"
    waiting = found.proposed or any(report.waiting for report in found.files)
    return "next: muniment review" if waiting else "next: muniment recall QUERY --use USE"


def _file(screen: Terminal, report: FileReport) -> None:
    known = report.file.format or "refused"
    screen.out(
        Styled(one_line(report.file.name), "bold"),
        f": {known}, {report.records} records, {report.statements} statements",
    )
    rows: list[tuple[Piece, Piece]] = []
    if report.proposed:
        rows.append((Styled(str(report.proposed), "green"), "to propose"))
    for name, words, style in _COUNTS:
        count = getattr(report, name)
        if count:
            rows.append((Styled(str(count), style), words))
    rows += [
        (Styled(str(n), "yellow"), f"left out: {why}")
        for why, n in Counter(report.refused).most_common(6)
    ]
    if rows:
        screen.table(rows, "  ")
    screen.findings(tuple(report.findings))


def _part(screen: Terminal, diff_id: str, changes: int, shown: list[str]) -> None:
    screen.out(Styled(diff_id or "dry run", "bold"), f"  {changes} changes")
    for text in shown[:LISTED]:
        screen.out(f"  {brief(text, 90)}")
    if changes > LISTED:
        screen.out(f"  and {changes - LISTED} more")
