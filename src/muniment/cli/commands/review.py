"""`inbox` and `review`: what waits, and a reviewer's decisions on it.

- On a terminal a dialogue; otherwise by options, and where there are none, what waits is listed and the exit code
  says so.
- The passphrase is asked for once, after everything was decided; it is never an argument.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from muniment import wire
from muniment.cli import passphrase
from muniment.cli.applying import Applying
from muniment.cli.call import Call, Waiting, refusal
from muniment.cli.dialogue import Decisions, decide
from muniment.cli.options import command
from muniment.cli.page import RISK_STYLE
from muniment.cli.passphrase import PassphraseFd, PassphraseFile
from muniment.cli.picking import LISTED, Picker
from muniment.cli.terminal import Piece, Styled, brief
from muniment.reviewable.beside import elapsed
from muniment.reviewable.standing import ORDER, Standing, highest, waiting
from muniment.usecases.review import Choice

if TYPE_CHECKING:
    from muniment.core.diff import Pending
    from muniment.memory import Memory


@command
def inbox(
    call: Call,
    everything: Annotated[bool, typer.Option("--all", help="List every change.")] = False,
) -> None:
    """List what waits for review: the riskiest first, then the oldest.

    Example: `muniment inbox`
    """
    memory = call.memory()
    diffs = waiting(memory)
    if call.options.json:
        body = [wire.pending(p, memory.diff(p.diff.id)[1]) for p, _ in diffs]
        call.result({"inbox": body})
        return
    _list(call, diffs, everything)
    if diffs:
        call.terminal.dim("next: muniment review")


def _list(
    call: Call, diffs: Sequence[tuple[Pending, tuple[Standing, ...]]], everything: bool
) -> None:
    screen = call.terminal
    if not diffs:
        screen.out("nothing waits for review")
    for pending, of_diff in diffs:
        diff = pending.diff
        risk = highest(s.risk for s in of_diff)
        old = elapsed(diff.created_at, call.memory().session.now())
        age = f"{old} old" if old else "new"
        screen.out(
            Styled(diff.id, "bold"),
            f"  {len(of_diff)} waiting, by {diff.proposed_by} in {diff.scope}, {age}  ",
            Styled(f"{risk} risk", RISK_STYLE[risk]),
        )
        shown = of_diff if everything else of_diff[:LISTED]
        ordered = sorted(shown, key=lambda s: ORDER.index(s.risk))
        screen.table([_row(s, whole_name=len(diffs) > 1) for s in ordered], "  ")
        if len(of_diff) > len(shown):
            screen.out(f"  and {len(of_diff) - len(shown)} more (`muniment inbox --all`)")


def _row(one: Standing, whole_name: bool) -> tuple[Piece, ...]:
    change = one.change
    what = change.item.claim if change.item else ", ".join(t.claim for t in one.targets)
    said = ", ".join(dict.fromkeys(one.obstacles)) or "safe"
    style = "green" if one.is_safe else "yellow"
    state = one.pending.state_of(change.id)
    operation = change.operation if state == "pending" else f"{change.operation} ({state})"
    return (
        one.name if whole_name else change.id,
        operation,
        Styled(one.risk, RISK_STYLE[one.risk]),
        Styled(said, style),
        brief(what, 70),
    )


# --- review ---------------------------------------------------------------------------------------


@command
def review(
    call: Call,
    diff: Annotated[
        str, typer.Argument(metavar="DIFF", help="Only this diff; all that wait by default.")
    ] = "",
    accept: Annotated[
        list[str],
        typer.Option("--accept", metavar="ID,…", help="Accept changes; `safe` and `all` work too."),
    ] = [],  # noqa: B006 - read by Typer, never written
    reject: Annotated[
        list[str], typer.Option("--reject", metavar="ID,…", help="Reject changes; needs --reason.")
    ] = [],  # noqa: B006
    needs_review: Annotated[
        list[str],
        typer.Option("--needs-review", metavar="ID,…", help="Keep visible, blocked for action."),
    ] = [],  # noqa: B006
    edit: Annotated[
        str, typer.Option("--edit", metavar="ID", help="Edit a change as successor, with --set.")
    ] = "",
    settings: Annotated[
        list[str],
        typer.Option("--set", metavar="KEY=TEXT", help="Part to edit; KEY:=JSON for other values."),
    ] = [],  # noqa: B006
    reason: Annotated[
        str, typer.Option("--reason", metavar="TEXT", help="Why: for --reject, --edit, --lift.")
    ] = "",
    keep_open: Annotated[
        bool, typer.Option("--keep-open", help="Reject without refusing the value from now on.")
    ] = False,
    lift: Annotated[
        str, typer.Option("--lift", metavar="TOMBSTONE", help="Let a rejected value back in.")
    ] = "",
    fd: PassphraseFd = None,
    file: PassphraseFile = None,
) -> int | None:
    """Decide what waits, change by change: a dialogue on a terminal, or by options.

    Decisions are signed with your credential. Nothing is applied that its source no longer says.

    Example: `muniment review`; `muniment review mdiff_… --accept safe --reject change_07 --reason "out of date"`
    """
    memory = call.memory()
    if lift:
        _lift(call, memory, lift, reason, fd, file)
        return None
    diffs = waiting(memory, diff)
    open_ = [one for _, many in diffs for one in many]
    given = bool(accept or reject or needs_review or edit)
    if not given and (not call.terminal.is_dialogue or call.options.json):
        return _say_waiting(call, diffs)
    passphrase.require_person(call.profile.principal, "review")
    if reject and not reason:
        fix = "give it with `--reason TEXT`"
        raise refusal("no_reason", "a rejection says why", "--reason", fix, "B-DIFFREVIEW")
    unnamed: set[tuple[str, str]] = set()
    if given:
        picked = Picker(open_)
        for ids, choice in (
            (accept, Choice("accepted")),
            (reject, Choice("rejected", reason, keep_value_open=keep_open)),
            (needs_review, Choice("needs_review", reason)),
        ):
            picked.put(ids, choice)
        if edit:
            picked.edit(edit, settings, reason)
        decisions, unnamed = picked.decisions, picked.unnamed
        if open_ and not decisions.count:
            raise _none_safe(open_)
    else:
        decisions = decide(call.terminal, open_) if open_ else Decisions()
    if not decisions.count:
        call.terminal.out("nothing was decided" if open_ else "nothing waits for review")
        return None
    applying = Applying(call, memory, fd, file, is_dialogue=not given)
    return applying.apply(decisions, unnamed)


def _none_safe(waiting: Sequence[Standing]) -> Waiting:
    """Why nothing was accepted unread."""
    why = Counter(word for one in waiting for word in dict.fromkeys(one.obstacles))
    said = ", ".join(f"{word} {count}" for word, count in why.most_common())
    many = "1 change waits" if len(waiting) == 1 else f"{len(waiting)} changes wait"
    fix = "look at them with `muniment review`, or name them: `--accept ID,…`"
    return Waiting(f"{many}, and none is safe to accept unread: {said}", fix=fix)


def _say_waiting(call: Call, diffs: Sequence[tuple[Pending, tuple[Standing, ...]]]) -> int | None:
    if call.options.json:
        memory = call.memory()
        call.result({"inbox": [wire.pending(p, memory.diff(p.diff.id)[1]) for p, _ in diffs]})
    else:
        _list(call, diffs, everything=False)
    if not diffs:
        return None
    call.terminal.err(
        "decide with `--accept`, `--reject` or `--needs-review`, or run `muniment review` on a terminal"
    )
    return Waiting.exit_code


def _lift(
    call: Call, memory: Memory, prefix: str, reason: str, fd: int | None, file: Path | None
) -> None:
    passphrase.require_person(call.profile.principal, "lift a tombstone")
    if not reason:
        fix = "give the new evidence with `--reason TEXT`"
        raise refusal("no_reason", "lifting a tombstone says why", "--reason", fix, "E-TOMBSTONE")
    count = memory.lift(prefix, reason, passphrase.signer(call, "lift a tombstone", fd, file))
    if call.options.json:
        call.result({"lifted": count})
    else:
        call.terminal.out(f"lifted {count} tombstone{'s' if count > 1 else ''}")
