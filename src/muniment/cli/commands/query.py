"""`query`: join facts, and show every answer with its proofs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from muniment import wire
from muniment.cli.asking import revision_or_time, time_from
from muniment.cli.call import Call, refusal, scope_from
from muniment.cli.certificates import write_certificate
from muniment.cli.commands.propose import document
from muniment.cli.options import command
from muniment.cli.terminal import Styled, Terminal, brief

if TYPE_CHECKING:
    from muniment.core.answered import Answered, AnswerRow, Support
    from muniment.core.packet import Disagreement


@command
def query(  # noqa: PLR0913, PLR0917 - each is an option
    call: Call,
    query: Annotated[
        str, typer.Argument(help="Patterns such as '?who maintains ?repo, ?repo uses pnpm'.")
    ] = "",
    file: Annotated[
        str,
        typer.Option("--file", metavar="FILE", help="Read the query from a file; `-` for stdin."),
    ] = "",
    use: Annotated[str, typer.Option("--use", metavar="USE", help="What the answer is for.")] = "",
    within: Annotated[
        list[str],
        typer.Option("--within", metavar="KIND:ID", help="Only this scope of those in force."),
    ] = [],  # noqa: B006 - read by Typer, never written
    at: Annotated[
        str, typer.Option("--at", metavar="TIME", help="The instant in valid time; now by default.")
    ] = "",
    as_of: Annotated[
        str,
        typer.Option("--as-of", metavar="REV", help="A revision, or an instant in system time."),
    ] = "",
    history: Annotated[
        bool, typer.Option("--history", help="Also what is expired, superseded or deprecated.")
    ] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show each proof as a tree of its claims and sources.")
    ] = False,
    examinations: Annotated[
        int, typer.Option("--examinations", metavar="N", help="Candidates looked at, at most.")
    ] = 50_000,
    states: Annotated[
        int, typer.Option("--states", metavar="N", help="Ways to bind the variables, at most.")
    ] = 512,
    budget: Annotated[
        int, typer.Option("--budget", metavar="N", help="Make a packet of N tokens at most.")
    ] = 0,
    as_many: Annotated[
        bool, typer.Option("--as-many", help="As many rows as fit, where not all do.")
    ] = False,
    counter: Annotated[
        str, typer.Option("--counter", metavar="NAME", help="The token counter; o200k by default.")
    ] = "",
    certify: Annotated[
        str, typer.Option("--certify", metavar="FILE", help="Write a certificate of the answer.")
    ] = "",
    proofs: Annotated[
        int, typer.Option("--proofs", metavar="N", help="Proofs listed for a row, at most.")
    ] = 128,
) -> None:
    """Join facts: up to six patterns that share `?variables`; every answer comes with its proofs.

    Without `--use` it is for looking only. An outcome such as `no_matches` is an answer: the exit code is 0.

    Example: `muniment query "select ?who where ?who maintains ?repo, ?repo uses pnpm" --use answer_questions`
    """
    if bool(query) == bool(file):
        fix = "give the query itself, or `--file` with one"
        raise refusal("no_query", "one query is asked", "QUERY", fix, "D-CONJ")
    given = document(call, file).decode("utf-8", "replace") if file else query
    options: dict[str, Any] = {
        "use": use,
        "scopes": tuple(scope_from(text, "--within") for text in within),
        "at": time_from(at, "--at") if at else None,
        "as_of": revision_or_time(as_of) if as_of else None,
        "history": history,
        "explain": explain,
        "examinations": examinations,
        "states": states,
        "proofs": proofs,
        "budget": budget,
        "as_many": as_many,
        "counter": counter,
    }
    if certify:
        certified = call.memory().certified_query(given, **options)
        write_certificate(certify, certified.certificate)
        found: Any = certified.answered
    else:
        found = call.memory().query(given, **options)
    if call.options.json:
        call.result(wire.answered(found))
    else:
        _say(call.terminal, found, explain)


def _say(screen: Terminal, found: Answered, explain: bool) -> None:
    if found.packing and found.packing.text:
        screen.out(found.packing.text, end="")
        best = "the smallest" if found.packing.optimal else "not proven the smallest"
        screen.dim(f"{found.packing.used} of {found.packing.budget} tokens, {best}")
        return
    style = "green" if found.outcome == "rows" else "yellow"
    screen.out("outcome: ", Styled(found.outcome, style))
    names = [str(variable) for variable in found.query.select]
    for row in found.rows:
        pairs = zip(names, row.values, strict=True)
        values = "  ".join(f"{name} = {brief(value, 80)}" for name, value in pairs)
        screen.out(Styled(values or "it holds", "bold"), Styled(f"  {_counted(row)}", "dim"))
        if explain:
            _proofs(screen, row, found)
    for conflict in found.conflicts:
        _contradiction(screen, conflict, found)
    if found.advice:
        screen.dim(found.advice)


def _counted(row: AnswerRow) -> str:
    first = f"proof: {', '.join(row.proofs[0])}"
    return first if row.count == 1 else f"{first}, and {row.count - 1} more"


def _proofs(screen: Terminal, row: AnswerRow, found: Answered) -> None:
    for number, proof in enumerate(row.proofs, 1):
        screen.out(Styled(f"  proof {number} of {row.count}", "cyan"))
        for name in proof:
            _support(screen, found.supports[name], "    ")
    if row.count > len(row.proofs):
        screen.out(Styled(f"  {row.count - len(row.proofs)} more proofs are counted", "dim"))


def _support(screen: Terminal, support: Support, indent: str) -> None:
    states = ", ".join(dict.fromkeys((support.status, *support.labels)))
    facts = "; ".join(" ".join(fact) for fact in support.facts)
    screen.out(f"{indent}{brief(facts, 100)}")
    screen.out(f"{indent}  ", Styled(support.claim.id, "bold"), f"  {states}")
    screen.paragraph(support.claim.claim, f"{indent}  ")
    how = support.claim.source.derivation
    said = "source" if how == "direct" else f"{how} from"
    for citation in support.citations:
        line = f", line {citation.line}" if citation.line else ""
        reading = f", {citation.reading} when last read" if citation.reading else ""
        screen.out(f"{indent}  {said}: {brief(citation.uri, 100)}{line}{reading}")
    derived = support.claim.source.derived_from
    if derived:
        screen.out(f"{indent}  {said}: {', '.join(derived)}")


def _contradiction(screen: Terminal, conflict: Disagreement, found: Answered) -> None:
    ruling = conflict.ruling
    may = f"{ruling.winner} may win by {ruling.decided_by}" if ruling.decided else "undecided"
    screen.out(Styled("contradiction", "yellow"), f": {may}")
    for note in conflict.notes:
        screen.paragraph(note, "  ")
    for name in conflict.ids:
        _support(screen, found.supports[name], "  ")
    for name, reasons in conflict.not_served:
        screen.out(f"  {name}: not served here ({', '.join(reasons)})")
