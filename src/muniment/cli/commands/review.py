"""`inbox` and `review`: what waits, and a reviewer's decisions on it.

- On a terminal a dialogue; otherwise by options, and where there are none, what waits is listed and the exit code
  says so.
- The passphrase is asked for once, after everything was decided; it is never an argument.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from muniment import wire
from muniment.cli import passphrase
from muniment.cli.call import Call, Waiting, refusal
from muniment.cli.dialogue import Decisions, Edit, ask, decide
from muniment.cli.options import command
from muniment.cli.page import RISK_STYLE
from muniment.cli.passphrase import PassphraseFd, PassphraseFile
from muniment.cli.standing import ORDER, Standing, highest, standings
from muniment.cli.terminal import Piece, Styled, brief
from muniment.core.errors import Conflicted, MunimentError, NotPermitted, quoted
from muniment.usecases.review import Choice

if TYPE_CHECKING:
    from muniment.core.diff import Pending
    from muniment.memory import Memory
    from muniment.ports.credential import Signer
    from muniment.usecases.apply import Outcome

LISTED = 20


@command
def inbox(
    call: Call,
    everything: Annotated[bool, typer.Option("--all", help="List every change.")] = False,
) -> None:
    """List what waits for review: the riskiest first, then the oldest.

    Example: `muniment inbox`
    """
    memory = call.memory()
    diffs = _waiting(memory, "")
    if call.options.json:
        body = [wire.pending(p, memory.diff(p.diff.id)[1]) for p, _ in diffs]
        call.result({"inbox": body})
        return
    _list(call, diffs, everything)
    if diffs:
        call.terminal.dim("next: muniment review")


def _waiting(memory: Memory, diff_id: str) -> list[tuple[Pending, tuple[Standing, ...]]]:
    """The diffs that wait (or the named one), with the standings of their open changes."""
    found = [memory.diff(diff_id)] if diff_id else [memory.diff(p.diff.id) for p in memory.inbox()]
    diffs = [(p, standings(memory, p, examined)) for p, examined in found]

    def order(one: tuple[Pending, tuple[Standing, ...]]) -> tuple[int, datetime]:
        return ORDER.index(highest(s.risk for s in one[1])), one[0].diff.created_at

    return sorted(diffs, key=order)


def _list(
    call: Call, diffs: Sequence[tuple[Pending, tuple[Standing, ...]]], everything: bool
) -> None:
    screen = call.terminal
    if not diffs:
        screen.out("nothing waits for review")
    for pending, of_diff in diffs:
        diff = pending.diff
        risk = highest(s.risk for s in of_diff)
        age = _age(call.memory().session.now(), diff.created_at)
        screen.out(
            Styled(diff.id, "bold"),
            f"  {len(of_diff)} waiting, by {diff.proposed_by} in {diff.scope}, {age}  ",
            Styled(f"{risk} risk", RISK_STYLE[risk]),
        )
        shown = of_diff if everything else of_diff[:LISTED]
        screen.table([_row(s) for s in sorted(shown, key=lambda s: ORDER.index(s.risk))], "  ")
        if len(of_diff) > len(shown):
            screen.out(f"  and {len(of_diff) - len(shown)} more (`muniment inbox --all`)")


def _row(one: Standing) -> tuple[Piece, ...]:
    change = one.change
    what = change.item.claim if change.item else ", ".join(t.claim for t in one.targets)
    notes = Counter(f.code for f in one.findings if f.severity != "notice")
    said = "safe" if one.is_safe else ", ".join(notes) or "look"
    style = "green" if one.is_safe else "yellow"
    state = one.pending.state_of(change.id)
    operation = change.operation if state == "pending" else f"{change.operation} ({state})"
    return (
        change.id,
        operation,
        Styled(one.risk, RISK_STYLE[one.risk]),
        Styled(said, style),
        brief(what, 70),
    )


def _age(now: datetime, then: datetime) -> str:
    """How long ago, in one unit.

    >>> from datetime import UTC
    >>> _age(datetime(2026, 7, 8, 12, tzinfo=UTC), datetime(2026, 7, 8, 9, tzinfo=UTC))
    '3 hours old'
    """
    seconds = max(0, int((now - then).total_seconds()))
    for unit, size in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= size:
            count = seconds // size
            return f"{count} {unit}{'s' if count > 1 else ''} old"
    return "new"


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
    diffs = _waiting(memory, diff)
    waiting = [one for _, many in diffs for one in many]
    given = bool(accept or reject or needs_review or edit)
    if not given and (not call.terminal.is_dialogue or call.options.json):
        return _say_waiting(call, diffs)
    passphrase.require_person(call.profile.principal, "review")
    if given:
        picked = _Picker(waiting)
        for ids, choice in (
            (accept, Choice("accepted")),
            (reject, Choice("rejected", reason, keep_value_open=keep_open)),
            (needs_review, Choice("needs_review", reason)),
        ):
            picked.put(ids, choice)
        if edit:
            picked.edit(edit, settings, reason)
        decisions = picked.decisions
    else:
        decisions = decide(call.terminal, waiting) if waiting else Decisions()
    if not decisions.count:
        call.terminal.out("nothing was decided" if waiting else "nothing waits for review")
        return None
    return _apply(call, memory, decisions, fd, file, is_dialogue=not given)


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


class _Picker:
    """Turns identifiers on the command line into decisions."""

    def __init__(self, standings: Sequence[Standing]) -> None:
        self.standings = standings
        self.decisions = Decisions()

    def put(self, given: Sequence[str], choice: Choice) -> None:
        """Note a choice for identifiers, `all` or `safe`; what was named before stays."""
        for word in (one for text in given for one in text.split(",") if one):
            if word in ("all", "safe"):
                chosen = [s for s in self.standings if word == "all" or s.is_safe]
            else:
                chosen = [self.find(word)]
            for one in chosen:
                self.decisions.put(one, choice)

    def find(self, word: str) -> Standing:
        """The open change that an identifier names; `DIFF/CHANGE` where several diffs have it."""
        found = [
            s for s in self.standings if word in (s.change.id, f"{s.pending.diff.id}/{s.change.id}")
        ]
        if len(found) == 1:
            return found[0]
        if found:
            fix = "name its diff, as in `muniment review mdiff_… --accept …`"
            raise refusal("ambiguous_change", f"{quoted(word)} stands in several diffs", "ID", fix)
        known = ", ".join(s.change.id for s in self.standings[:LISTED]) or "none"
        message = f"no open change {quoted(word)} waits here"
        raise refusal("no_change", message, "ID", f"open ones: {known}", "B-DIFFREVIEW")

    def edit(self, word: str, settings: Sequence[str], reason: str) -> None:
        """Note an edit."""
        one = self.find(word)
        parts: dict[str, Any] = {}
        for text in settings:
            _set(parts, text, one)
        if not parts or not reason:
            fix = "give `--set KEY=TEXT` and `--reason TEXT`"
            raise refusal("nothing_to_edit", "an edit says what, and why", "--edit", fix)
        for chosen in self.decisions.choices.values():
            chosen.pop(one.change.id, None)
        self.decisions.edits.append(Edit(one.pending.diff.id, one.change.id, parts, reason))


def _set(parts: dict[str, Any], text: str, one: Standing) -> None:
    """Put one `KEY=TEXT` or `KEY:=JSON` into the parts; a dotted key reaches inside."""
    from muniment import wiring
    from muniment.core.codec import encode
    from muniment.core.errors import InvalidInput

    key, equals, value = text.partition("=")
    if not key or not equals:
        fix = "write it as KEY=TEXT or KEY:=JSON"
        raise refusal("bad_setting", f"{quoted(text)} sets nothing", "--set", fix)
    new: Any = value
    if key.endswith(":"):
        key = key[:-1]
        new, findings = wiring.read_document(value.encode("utf-8", "surrogatepass"), "--set.json")
        if findings:
            raise InvalidInput.of(findings)
    steps = key.split(".")
    whole = encode(one.change.item) if one.change.item else {}
    holder = parts
    for step in steps[:-1]:
        whole = whole.get(step, {}) if isinstance(whole, Mapping) else {}
        holder = holder.setdefault(step, dict(whole) if isinstance(whole, Mapping) else {})
    holder[steps[-1]] = new


# --- applying -------------------------------------------------------------------------------------


def _apply(
    call: Call,
    memory: Memory,
    decisions: Decisions,
    fd: int | None,
    file: Path | None,
    is_dialogue: bool,
) -> int | None:
    screen = call.terminal
    counts = Counter(c.decision for many in decisions.choices.values() for c in many.values())
    said = [f"{n} {name.replace('_', ' ')}" for name, n in counts.items()]
    said += [f"{len(decisions.edits)} edited"] if decisions.edits else []
    if is_dialogue:
        screen.out()
        screen.out(Styled("to sign: ", "bold"), ", ".join(said))
    signer = _opened(call, fd, file, tries=3 if is_dialogue else 1)
    outcomes = []
    code = None
    for diff_id, choices in decisions.choices.items():
        if not choices:
            continue
        try:
            outcomes.append(_reviewed(call, memory, diff_id, choices, signer, is_dialogue))
        except MunimentError as error:
            if not is_dialogue:
                raise
            screen.findings(error.findings)
            code = error.exit_code
    edited = []
    for one in decisions.edits:
        proposed, outcome = memory.edit(one.diff_id, one.change_id, one.parts, signer, one.reason)
        edited.append(proposed)
        outcomes.append(outcome)
    if call.options.json:
        body = {"outcomes": [wire.outcome(o) for o in outcomes]}
        call.result({**body, "edited": [wire.proposed(p) for p in edited]})
        return code
    _say_outcomes(call, outcomes)
    for proposed in edited:
        screen.out(f"{proposed.diff.id} holds the edited claim, and waits for another reviewer")
        screen.findings(proposed.findings)
    return code


def _opened(call: Call, fd: int | None, file: Path | None, tries: int) -> Signer:
    for left in range(tries, 1, -1):
        try:
            return passphrase.signer(call, "sign", fd, file)
        except NotPermitted as error:
            if not any(f.code == "wrong_passphrase" for f in error.findings):
                raise
            call.terminal.err(Styled(f"wrong passphrase, {left - 1} more tries", "yellow"))
    return passphrase.signer(call, "sign", fd, file)


def _reviewed(
    call: Call,
    memory: Memory,
    diff_id: str,
    choices: Mapping[str, Choice],
    signer: Signer,
    is_dialogue: bool,
) -> Outcome:
    """Review one diff; in the dialogue, what can no longer be applied may be set aside."""
    try:
        return memory.review(diff_id, choices, signer)
    except Conflicted as error:
        if not is_dialogue:
            raise
        pending, _ = memory.diff(diff_id)
        places = {f"/changes/{i}": c.id for i, c in enumerate(pending.diff.changes)}
        refused = {places.get("/".join(f.path.split("/")[:3])) for f in error.findings}
        rest = {name: choice for name, choice in choices.items() if name not in refused}
        if not rest or len(rest) == len(choices):
            raise
        call.terminal.findings(error.findings)
        answer = ask(
            call.terminal, f"set {len(choices) - len(rest)} aside, apply {len(rest)}? [y/N] "
        )
        if (answer or "").lower() not in ("y", "yes"):
            raise
        return memory.review(diff_id, rest, signer)


def _say_outcomes(call: Call, outcomes: Sequence[Outcome]) -> None:
    screen = call.terminal
    for outcome in outcomes:
        counts = Counter(one.decision for one in outcome.decisions.values())
        said = ", ".join(f"{n} {name.replace('_', ' ')}" for name, n in counts.items()) or "nothing"
        screen.out(Styled(outcome.diff_id, "bold"), f"  {said}")
        for conflict in outcome.conflicts:
            screen.out(
                Styled("  conflict kept: ", "yellow"),
                f"{conflict.left}, {conflict.right}: {brief(conflict.note, 100)}",
            )
        if outcome.held:
            held = ", ".join(outcome.held)
            screen.out(Styled("  still pending: ", "yellow"), f"{held}; another reviewer is needed")
