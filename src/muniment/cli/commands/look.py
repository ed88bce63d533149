"""`show`, `history`, `why`, `conflicts`: look at what is remembered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from muniment import wire
from muniment.cli.call import Call
from muniment.cli.options import command
from muniment.cli.terminal import Styled, Terminal, brief
from muniment.core.encode import time_text
from muniment.usecases.erase_source import is_source_or_passage

ClaimId = Annotated[str, typer.Argument(metavar="ID", help="A claim's id, or an alias.")]
AnyId = Annotated[
    str,
    typer.Argument(
        metavar="ID", help="A claim's id or alias; a source (src_…) or passage (psg_…)."
    ),
]


@command
def show(call: Call, id: AnyId) -> None:
    """Show a claim with its six questions answered, or a kept source or passage with what stands around it.

    Example: `muniment show mem_01kx0sjsg0e008000000000000`
    """
    if is_source_or_passage(id):
        _show_source(call, id)
        return
    found = call.memory().show(id)
    if call.options.json:
        call.result(wire.shown(found))
        return
    screen, claim = call.terminal, found.claim
    states = ", ".join(dict.fromkeys((found.status, *found.labels)))
    style = "green" if found.status == "active" else "yellow"
    kind = f"  {claim.type}, {claim.memory_type}  "
    screen.out(Styled(claim.id, "bold"), kind, Styled(states, style))
    for question, answer in found.questions():
        screen.out(Styled(question, "cyan"))
        screen.paragraph(answer, "  ")
    for one in claim.source.evidence:
        where = f"  line {one.line}: " if one.line else "  "
        screen.out(Styled(where, "dim"), brief(one.quote, 90))
    if claim.body and claim.body != claim.claim:
        screen.paragraph(claim.body, "  ")
    for number, step in enumerate(claim.steps, 1):
        screen.out(f"  {number}. {brief(step, 90)}")
    if found.superseded_by:
        screen.out(Styled("superseded by ", "yellow"), found.superseded_by)
    for other in found.conflicts:
        screen.out(Styled("in conflict with ", "yellow"), other)
    if found.stale_because:
        screen.out(Styled("stale because of ", "yellow"), found.stale_because)


def _show_source(call: Call, name: str) -> None:
    found = call.memory().show_source(name)
    if call.options.json:
        call.result(wire.shown_source(found))
        return
    screen, kept = call.terminal, found.kept
    many = f"{kept.messages} messages, {kept.passages} passages"
    screen.out(Styled(kept.id, "bold"), f"  {kept.kind} {brief(kept.name, 60)}: {many}")
    kept_at = f"{kept.kept_by} at {time_text(kept.kept_at)}"
    screen.out(f"kept by {kept_at} in {found.scope}; ", Styled("unreviewed", "yellow"))
    for id, said in found.passages:
        style = "bold" if id == found.asked else "dim"
        about = ", ".join(filter(None, (said.speaker, time_text(said.at) if said.at else "")))
        screen.out(Styled(id, style), f"  {brief(said.name, 40)}  {brief(about, 60)}")
        screen.paragraph(said.text, "  ")


@command
def history(call: Call, id: ClaimId) -> None:
    """Show every version of a claim and of those it superseded, oldest first.

    Example: `muniment history mem_01kx0sjsg0e008000000000000`
    """
    versions = call.memory().history(id)
    if call.options.json:
        call.result({"versions": [wire.version(one) for one in versions]})
        return
    for one in versions:
        claim, until = one.claim, f"-{one.until}" if one.until is not None else "-"
        state = claim.retired or claim.review.status
        origin = f"  restored from {brief(one.restored, 20)}" if one.restored else ""
        call.terminal.out(
            Styled(f"{one.revision}{until}".rjust(8), "cyan"),
            f"  {one.recorded_at}  {claim.id}  v{claim.version}  {state}{origin}",
        )
        call.terminal.out(f"          {brief(claim.claim, 90)}")


@command
def why(
    call: Call,
    id: Annotated[
        str, typer.Argument(metavar="ID", help="A claim, a diff (mdiff_…) or a retrieval (ret_…).")
    ],
) -> None:
    """Say why a claim is there, what became of a diff, or how a recall came to its answer.

    Example: `muniment why ret_01kx0sjsg0e008000000000000`
    """
    found = call.memory().why(id)
    if call.options.json:
        call.result({"why": wire.tuple_free(found)})
    else:
        tree(call.terminal, found)


def tree(screen: Terminal, value: Mapping[str, Any], indent: str = "") -> None:
    """A JSON value as indented lines; what is empty is left out."""
    for key, item in value.items():
        if item in (None, "", [], {}, ()):
            continue
        label = Styled(f"{indent}{brief(str(key), 60)}: ", "cyan")
        if isinstance(item, Mapping):
            screen.out(label)
            tree(screen, item, indent + "  ")
        elif isinstance(item, list | tuple):
            _branches(screen, label, item, indent)
        else:
            screen.out(label, brief(str(item), 300))


def _branches(screen: Terminal, label: Styled, items: Any, indent: str) -> None:
    if all(isinstance(one, str | int | float) for one in items):
        screen.out(label, brief(", ".join(map(str, items)), 300))
        return
    screen.out(label)
    for number, one in enumerate(items, 1):
        if isinstance(one, Mapping):
            screen.out(Styled(f"{indent}  {number}.", "dim"))
            tree(screen, one, indent + "    ")
        else:
            screen.out(f"{indent}  {brief(str(one), 300)}")


@command
def conflicts(call: Call) -> None:
    """List contradictions in scope, with their sides; none is ever dropped or merged.

    Example: `muniment conflicts`
    """
    found = call.memory().conflicts()
    if call.options.json:
        call.result({"conflicts": [wire.tuple_free(one) for one in found]})
        return
    if not found:
        call.terminal.out("no contradiction is recorded in these scopes")
    for one in found:
        state = f"settled: {one['resolved']}" if one.get("resolved") else "open"
        call.terminal.out(
            Styled(brief(state, 60), "yellow"), f"  {brief(one.get('note', ''), 100)}"
        )
        for claim in one["claims"]:
            call.terminal.out(f"  {claim['id']}  {brief(claim['claim'], 80)}")
