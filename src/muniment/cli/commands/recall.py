"""`recall`: a packet on stdout, exactly as an agent gets it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

import typer

from muniment.cli.call import Call, refusal, scope_from
from muniment.cli.options import command
from muniment.core.codec import read_time
from muniment.core.errors import Finding, InvalidInput, quoted

Text = Annotated[str, typer.Argument(metavar="QUERY", help="What is asked, in words.")]


@command
def recall(  # noqa: PLR0913, PLR0917 - each is an option
    call: Call,
    query: Text = "",
    use: Annotated[
        str, typer.Option("--use", metavar="USE", help="What the answer is wanted for.")
    ] = "",
    budget: Annotated[
        int, typer.Option("--budget", metavar="N", help="Tokens of the text at most.")
    ] = 1_200,
    k: Annotated[int, typer.Option("-k", "--k", metavar="N", help="Claims at most.")] = 12,
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
    method: Annotated[
        str, typer.Option("--method", metavar="NAME", help="How to find.")
    ] = "hybrid_retrieval",
    counter: Annotated[str, typer.Option("--counter", metavar="NAME", help="Token counter.")] = "",
    ids: Annotated[list[str], typer.Option("--id", metavar="ID", help="Only this claim.")] = [],  # noqa: B006
    memory_types: Annotated[
        list[str], typer.Option("--memory-type", metavar="NAME", help="Only this memory type.")
    ] = [],  # noqa: B006
    types: Annotated[
        list[str], typer.Option("--type", metavar="NAME", help="Only this claim type.")
    ] = [],  # noqa: B006
    origins: Annotated[
        list[str], typer.Option("--origin", metavar="NAME", help="Only this origin.")
    ] = [],  # noqa: B006
    source: Annotated[
        str, typer.Option("--source", metavar="URI", help="Only sources that begin so.")
    ] = "",
    statuses: Annotated[
        list[str], typer.Option("--status", metavar="NAME", help="Only this status.")
    ] = [],  # noqa: B006
    version: Annotated[
        int,
        typer.Option(
            "--claim-version", metavar="N", show_default=False, help="Only this version of a claim."
        ),
    ] = 0,
    threshold: Annotated[
        float,
        typer.Option(
            "--threshold", metavar="X", show_default=False, help="Least relevance, 0 to 1."
        ),
    ] = 0.0,
    reread: Annotated[
        bool, typer.Option("--reread", help="Read the sources of what is found again.")
    ] = False,
    own: Annotated[
        bool, typer.Option("--own-proposals", help="Also your own open proposals, labelled.")
    ] = False,
    log: Annotated[
        str, typer.Option("--log", metavar="HOW", help="Keep the query: text, digest or off.")
    ] = "text",
) -> None:
    """Answer a question from memory: permitted, current, whole and cited, inside a token budget.

    Without `--use` it is for looking only. An outcome such as `no_support` is an answer: the exit code is 0.

    Example: `muniment recall "how do I run the tests?" --use choose_local_commands --budget 400`
    """
    memory = call.memory()
    recalled = memory.recall(
        query,
        use=use,
        budget=budget,
        k=k,
        scopes=tuple(scope_from(text, "--within") for text in within),
        at=time_from(at, "--at") if at else None,
        as_of=_revision_or_time(as_of) if as_of else None,
        history=history,
        method=method,
        counter=counter,
        ids=tuple(ids),
        memory_types=tuple(memory_types),
        types=tuple(types),
        origins=tuple(origins),
        uri_prefix=source,
        statuses=tuple(statuses),
        version=version,
        relevance_threshold=threshold,
        reread=reread,
        own_proposals=own,
        log=_log(log),
    )
    if call.options.json:
        from muniment import wire

        call.result(wire.recalled(recalled))
        return
    call.terminal.out(recalled.packet.text, end="")
    if recalled.retrieval_id:
        call.terminal.dim(f"why this answer: muniment why {recalled.retrieval_id}")


def _log(given: str) -> Literal["text", "digest", "off"]:
    known: tuple[Literal["text", "digest", "off"], ...] = ("text", "digest", "off")
    for one in known:
        if given == one:
            return one
    fix = "use one of: text, digest, off"
    raise refusal("unknown_value", f"{quoted(given)} is not expected here", "--log", fix)


def time_from(text: str, path: str) -> datetime:
    """An instant with an offset.

    Raises:
        InvalidInput: It is none.
    """
    findings: list[Finding] = []
    found = read_time(text, path, findings)
    if found is None:
        raise InvalidInput.of(tuple(findings))
    return found


def _revision_or_time(text: str) -> int | datetime:
    return int(text) if text.isascii() and text.isdigit() else time_from(text, "--as-of")
