"""`overview`: look over what is remembered in the scopes in force."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import typer

from muniment import wire
from muniment.cli.call import Call
from muniment.cli.options import command
from muniment.cli.terminal import Piece, Styled, Terminal, brief
from muniment.core.survey import CAUSES, Noted, Survey

SHOWN = 5
GOOD = ("active", "current", "accepted", "match")


@command
def overview(
    call: Call,
    sources: Annotated[
        int,
        typer.Option(
            "--sources",
            metavar="N",
            min=0,
            max=100_000,
            help="Look up the sources of so many claims at most.",
        ),
    ] = 10_000,
) -> None:
    """Look over memory: how much, how fresh, what ends soon, what is in doubt and why, what waits, what it rests on.

    Example: `muniment overview --json`
    """
    found = call.memory().survey(sources=sources)
    if call.options.json:
        call.result(wire.survey(found))
        return
    screen = call.terminal
    screen.out(Styled(f"{found.holding}", "bold"), f" of {found.claims} claims hold")
    for name in ("status", "freshness", "review", "memory_type", "scope"):
        _counts(screen, name, found.counts[name])
    _attention(screen, "ends within 30 days", found.expiring, found.expiring_count)
    _attention(screen, "in doubt", found.doubtful, found.doubtful_count)
    for cause, count in found.counts["cause"].items():
        screen.out(Styled(f"{count:>10}", "yellow"), f"  {dict(CAUSES)[cause]}")
    _waiting(screen, found)
    _sources(screen, found)


def _counts(screen: Terminal, name: str, counts: Mapping[str, int]) -> None:
    pieces: list[Piece] = []
    for value, count in counts.items():
        shown = brief(value.replace("_", " "), 60) if value else "not certain"
        style = "green" if value in GOOD else "dim"
        pieces += [", " if pieces else "", f"{count} ", Styled(shown, style)]
    screen.out(Styled(name.replace("_", " ").ljust(12), "cyan"), *(pieces or ["none"]))


def _attention(screen: Terminal, what: str, noted: tuple[Noted, ...], count: int) -> None:
    if not count:
        return
    screen.out(Styled(f"{count} {what}", "yellow"))
    for one in noted[:SHOWN]:
        when = f"{one.at:%Y-%m-%d}" if one.at else "never"
        screen.out(f"  {when.ljust(10)}  {one.id}  {brief(one.claim, 70)}")
    if count > SHOWN:
        screen.out(Styled(f"  and {count - SHOWN} more", "dim"))


def _waiting(screen: Terminal, found: Survey) -> None:
    if not found.waiting_count:
        screen.out("nothing waits for review")
        return
    screen.out(Styled(f"{found.waiting_count} waiting for review", "yellow"), ": `muniment review`")
    for age, risks in found.backlog.items():
        told = ", ".join(f"{n} {risk} risk" for risk, n in reversed(list(risks.items())) if n)
        if told:
            screen.out(f"  {age.ljust(10)}  {told}")


def _sources(screen: Terminal, found: Survey) -> None:
    worrying = [one for one in found.places if one.state in ("missing", "changed")]
    if found.places_of:
        told = f"{len(found.places)} sources behind {found.places_of} claims"
        screen.out(told if found.places_of == found.holding else f"{told} of {found.holding}")
    for one in worrying[:SHOWN]:
        screen.out(Styled(f"  {one.state.ljust(10)}", "red"), f"  {brief(one.uri, 80)}")
