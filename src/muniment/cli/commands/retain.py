"""`retain`: say how long claims and retrievals are kept; look at what is due; do it where that is asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from muniment import wire
from muniment.cli import passphrase
from muniment.cli.call import Call, Waiting, refusal
from muniment.cli.commands.declare import Yes, bind
from muniment.cli.options import command
from muniment.cli.passphrase import PassphraseFd, PassphraseFile
from muniment.cli.terminal import Styled, brief
from muniment.core.codec import trusted
from muniment.core.encode import encode, time_text
from muniment.core.errors import quoted
from muniment.core.lifecycle import KIND, SINCE, THEN, Lifecycle, lifecycle_text
from muniment.core.lifecycle import known_part as rule_part
from muniment.core.retention import QUERIES, Retention, known_part, retention_text
from muniment.usecases import declare as declarations

if TYPE_CHECKING:
    from muniment.usecases.lifecycle import Lived
    from muniment.usecases.retain import Retained

LISTED = 20
"""Acts that are listed on a screen; `--json` has them all."""


Names = list[str]
Period = Annotated[str, typer.Option("--after", metavar="PERIOD", help="P1Y, P90D or PT12H.")]
Since = Annotated[
    str, typer.Option("--since", metavar="WHEN", help=f"Of {', '.join(n for n, _ in SINCE)}.")
]
Then = Annotated[
    str, typer.Option("--then", metavar="WHAT", help=f"Of {', '.join(n for n, _ in THEN)}.")
]
MemoryTypes = Annotated[Names, typer.Option("--memory-type", metavar="TYPE", help="Only these.")]
States = Annotated[
    Names, typer.Option("--state", metavar="STATE", help="Only such as stand so: superseded.")
]
Levels = Annotated[
    Names, typer.Option("--level", metavar="LEVEL", help="Only of this level of visibility.")
]
Spared = Annotated[
    Names, typer.Option("--unless-tagged", metavar="TAG", help="Spare claims with this tag.")
]
Withdraw = Annotated[bool, typer.Option("--withdraw", help="Put the rule out of force.")]
Days = Annotated[
    int | None, typer.Option("--days", metavar="N", help="Keep retrievals so long; 0: without end.")
]
Queries = Annotated[
    str, typer.Option("--queries", metavar="HOW", help=f"Keep: {', '.join(QUERIES)}.")
]
NONE: list[str] = []  # read by Typer, never written


@command
def retain(  # noqa: PLR0913, PLR0917 - each is an option
    call: Call,
    name: Annotated[str, typer.Argument(metavar="NAME", help="A rule of claims.")] = "",
    after: Period = "",
    since: Since = "recorded",
    then: Then = "archive",
    memory_types: MemoryTypes = NONE,
    states: States = NONE,
    levels: Levels = NONE,
    unless: Spared = NONE,
    withdraw: Withdraw = False,
    days: Days = None,
    queries: Queries = "",
    apply: Annotated[bool, typer.Option("--apply", help="Do what is due.")] = False,
    fd: PassphraseFd = None,
    file: PassphraseFile = None,
    yes: Yes = False,
) -> int | None:
    """Say how long claims and retrievals are kept and what then; or look at what is due, and do it.

    A rule of claims holds in the one scope in force. Without `--apply` nothing is changed.

    Example: `muniment retain notes --after P90D --since verified --then archive`; `muniment retain`; `muniment retain
    --apply`; `muniment retain --days 90 --queries digest`
    """
    about_log = days is not None or bool(queries)
    narrowing = {"memory_types": memory_types, "states": states, "levels": levels, "unless_tagged": unless}  # fmt: skip
    about_claims = bool(name or after or withdraw or any(narrowing.values()))
    if apply and (about_claims or about_log):
        fix = "declare first, and look at what would go with `muniment retain`"
        raise refusal("two_acts", "a rule is declared and applied apart", "--apply", fix)
    if about_claims and about_log:
        fix = "give `--days` and `--queries` by themselves"
        raise refusal("two_acts", "claims and retrievals have rules of their own", "--days", fix)
    if about_claims:
        if not name:
            raise refusal("no_name", "a rule of claims has a name", "NAME", "give it one")
        parts = {"period": after, "since": since, "then": then, **narrowing}
        wanted = _withdrawn(call, name) if withdraw else _rule(call, name, parts)
        return bind(call, declarations.lifecycle(wanted), fd, file, yes)
    if about_log:
        rule = _log_rule(call)
        kept = rule.days if days is None else days
        return bind(call, declarations.retention(kept, queries or rule.queries), fd, file, yes)
    if apply:
        return _done(call, fd, file, yes)
    _looked_at(call)
    return None


# --- declaring ------------------------------------------------------------------------------------


def _log_rule(call: Call) -> Retention:
    known = call.memory().declared("retention")
    return trusted(Retention, known_part(known[0])) if known else Retention()


def _withdrawn(call: Call, name: str) -> Lifecycle:
    known = (one for one in call.memory().declared(KIND) if one["name"] == name)
    found = next(known, None)
    if found is None:
        message = f"no rule {quoted(name)} is declared"
        raise refusal("no_rule", message, "NAME", "see `muniment retain`")
    return trusted(Lifecycle, {**rule_part(found), "withdrawn": True})


def _rule(call: Call, name: str, parts: Mapping[str, Any]) -> Lifecycle:
    if not parts["period"]:
        raise refusal("no_period", "the rule states no period", "--after", "such as `--after P90D`")
    scopes = call.memory().session.scopes
    if len(scopes) != 1:
        fix = "name it with `--scope kind:id`"
        message = f"a rule holds in one scope, and {len(scopes)} are in force"
        raise refusal("no_scope", message, "--scope", fix, "E-NOSCOPE")
    return trusted(Lifecycle, {"name": name, "scope": encode(scopes[0]), **parts})


# --- looking and doing ----------------------------------------------------------------------------


def _looked_at(call: Call) -> None:
    found = call.memory().retain()
    if call.options.json:
        call.result({"retention": wire.retained(found)})
        return
    _say_rules(call, found)
    log = _counts(found)
    if found.found.retrievals or found.found.counts:
        call.terminal.out(f"{log} are over; remove them with `muniment retain --apply`")
    _say_acts(call, found.claims)
    if found.claims.acts:
        call.terminal.out("do it with `muniment retain --apply`")
    elif not (found.found.retrievals or found.found.counts):
        call.terminal.out("nothing is over")


def _done(call: Call, fd: int | None, file: Path | None, yes: bool) -> int | None:
    memory, signer = call.memory(), None
    looked = memory.retain()
    if any(act.act != "consolidate" for act in looked.claims.acts):
        passphrase.require_person(call.profile.principal, "retain")
        if not call.options.json:
            _say_acts(call, looked.claims)
        if not call.confirm("do it?", yes):
            call.terminal.err("nothing was done")
            return Waiting.exit_code
        signer = passphrase.signer(call, "retain", fd, file)
    found = memory.retain(apply=True, signer=signer)
    if call.options.json:
        call.result({"retention": wire.retained(found)})
        return None
    _say_rules(call, found)
    if found.removed:
        call.terminal.out(f"removed {_counts(found)}; on disk: {found.found.disk}")
    lived = found.claims
    if lived.done:
        counts = Counter(act.act for act in lived.acts)
        said = ", ".join(f"{n} to {name}" for name, n in sorted(counts.items()))
        call.terminal.out(f"done: {said}; on disk: {lived.disk}")
        for diff_id in lived.proposed:
            call.terminal.out(f"{diff_id} proposes one memory, and waits for review")
        call.terminal.findings(lived.refused)
    elif not found.removed:
        call.terminal.out("nothing is over")
    return None


def _counts(found: Retained) -> str:
    return f"{found.found.retrievals} retrievals and {found.found.counts} counts of accesses"


def _say_rules(call: Call, found: Retained) -> None:
    call.terminal.out(retention_text(found.rule))
    for rule in found.claims.rules:
        call.terminal.out(lifecycle_text(rule))


def _say_acts(call: Call, lived: Lived) -> None:
    for act in lived.acts[:LISTED]:
        stale = f"; stale by it: {', '.join(act.stale)}" if act.stale else ""
        due = time_text(act.due)
        call.terminal.out(
            Styled(f"{act.act} ", "bold"),
            f"{', '.join(act.ids)}  {brief(act.text, 100)}  (due {due} by {act.rule}{stale})",
        )
    if len(lived.acts) > LISTED:
        call.terminal.out(f"and {len(lived.acts) - LISTED} more; `--json` has them all")
