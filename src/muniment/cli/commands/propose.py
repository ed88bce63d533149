"""`remember` and `propose`: what somebody says, or a file of changes, comes in as a proposal."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from muniment import wire, wiring
from muniment.cli.call import Call, refusal, scope_from, visibility_from
from muniment.cli.options import command
from muniment.cli.terminal import Styled, brief
from muniment.core.encode import encode
from muniment.core.errors import InvalidInput, quoted
from muniment.usecases.report import VERDICTS

if TYPE_CHECKING:
    from muniment.usecases.propose import Proposed

LONGEST = 2_000_000
"""Bytes of a document; `muniment.exchange` refuses more, so no more is read."""


@command
def remember(  # noqa: PLR0913, PLR0917 - each is an option
    call: Call,
    claim: Annotated[str, typer.Argument(help="One statement, whole by itself.")],
    source: Annotated[
        str,
        typer.Option("--source", metavar="URI", help="Where it comes from: a file, or an address."),
    ] = "",
    quote: Annotated[
        str, typer.Option("--quote", metavar="TEXT", help="The words that stand there.")
    ] = "",
    type: Annotated[str, typer.Option("--type", metavar="NAME", help="Claim type.")] = "",
    uses: Annotated[
        list[str], typer.Option("--use", metavar="USE", help="An allowed use; may be repeated.")
    ] = [],  # noqa: B006 - read by Typer, never written
    prohibited: Annotated[
        list[str], typer.Option("--prohibit", metavar="USE", help="A prohibited use.")
    ] = [],  # noqa: B006
    visibility: Annotated[
        str,
        typer.Option(
            "--visibility",
            metavar="LEVEL[=WHO,…]",
            help="Who may see it, such as team-private=group:shop.",
        ),
    ] = "",
    facts: Annotated[
        list[str], typer.Option("--fact", metavar="'S|P|O'", help="Subject, predicate, object.")
    ] = [],  # noqa: B006
    valid_from: Annotated[
        str, typer.Option("--valid-from", metavar="TIME", help="True from then on.")
    ] = "",
    valid_until: Annotated[
        str, typer.Option("--valid-until", metavar="TIME", help="True until then, exclusive.")
    ] = "",
    title: Annotated[str, typer.Option("--title", metavar="TEXT", help="A title.")] = "",
    tags: Annotated[
        list[str], typer.Option("--tag", metavar="NAME", help="A tag; may be repeated.")
    ] = [],  # noqa: B006
    reason: Annotated[
        str, typer.Option("--reason", metavar="TEXT", help="Why it is proposed.")
    ] = "",
) -> None:
    """Propose one claim; the profile adds scope, visibility and uses.

    Somebody else than its proposer accepts it, unless a policy says otherwise (`muniment init --review-own`).

    Example: `muniment remember "Releases are cut on Tuesdays." --type team_preference --use answer_questions`
    """
    memory = call.memory()
    parts: dict[str, Any] = {
        "source": call.address(source),
        "quote": quote,
        "type": type,
        "title": title,
        "tags": tags,
        "reason": reason,
        "allowed_uses": uses,
        "prohibited_uses": prohibited,
        "facts": [_fact(text, f"--fact {i}") for i, text in enumerate(facts, 1)],
        "visibility": visibility_from(visibility),
        "validity": {
            key: value
            for key, value in (("valid_from", valid_from), ("valid_until", valid_until))
            if value
        },
    }
    if len(call.options.scopes) == 1:
        parts["scope"] = encode(scope_from(call.options.scopes[0], "--scope"))
    say_proposed(call, memory.remember(claim, **parts))


def _fact(text: str, path: str) -> dict[str, str]:
    parts = [part.strip() for part in text.split("|")]
    if len(parts) != 3 or not all(parts):
        fix = "write it as 'subject|predicate|object'"
        raise refusal("bad_fact", f"{quoted(text)} is no fact", path, fix)
    return dict(zip(("subject", "predicate", "object"), parts, strict=True))


@command
def propose(
    call: Call,
    file: Annotated[str, typer.Argument(metavar="FILE", help="YAML or JSON; `-` for stdin.")],
) -> None:
    """Propose a diff from a file: several changes that are reviewed one by one.

    A bad diff is refused whole, with everything that is wrong with it, and writes nothing.

    Example: `muniment propose changes.yaml`
    """
    memory = call.memory()
    name = "stdin" if file == "-" else file
    value, findings = wiring.read_document(document(call, file), name)
    if value is None:
        raise InvalidInput.of(findings)
    if not isinstance(value, Mapping):
        fix = "give `{scope, trigger, changes}`"
        raise refusal("wrong_type", "a diff is an object", name, fix)
    if findings:
        call.terminal.findings(findings)
    say_proposed(call, memory.propose(value))


@command
def report(
    call: Call,
    claim: Annotated[str, typer.Argument(metavar="CLAIM", help="The claim's `mem_…`.")],
    verdict: Annotated[
        str, typer.Argument(metavar="VERDICT", help=f"One of {', '.join(n for n, _ in VERDICTS)}.")
    ],
    reason: Annotated[str, typer.Argument(metavar="REASON", help="What was seen, in a sentence.")],
    source: Annotated[
        str,
        typer.Option("--source", metavar="URI", help="Where it was seen: a file, or an address."),
    ] = "",
) -> None:
    """Say that a memory was wrong, outdated or useful. It is a proposal; somebody decides on it.

    Example: `muniment report mem_… outdated "The target was renamed to check." --source Makefile`
    """
    parts = {"source": call.address(source)} if source else {}
    say_proposed(call, call.memory().report(claim, verdict, reason, **parts))


def document(call: Call, file: str) -> bytes:
    """What a file or the standard input holds, up to a little more than is accepted.

    Raises:
        InvalidInput: It cannot be read.
    """
    try:
        if file == "-":
            with os.fdopen(os.dup(call.terminal.stdin.fileno()), "rb") as stream:
                return stream.read(LONGEST + 1)
        with Path(file).open("rb") as stream:
            return stream.read(LONGEST + 1)
    except (OSError, ValueError) as error:
        why = (getattr(error, "strerror", "") or "it is no file's name").lower()
        message = f"{quoted(file)} cannot be read: {why}"
        raise refusal(
            "unreadable_file", message, "FILE", "name a file that you may read"
        ) from error


def say_proposed(call: Call, proposed: Proposed) -> None:
    """Tell what was proposed, and what comes next."""
    if call.options.json:
        call.result(wire.proposed(proposed))
        return
    screen, diff = call.terminal, proposed.diff
    screen.out(Styled(diff.id, "bold"), f"  {len(diff.changes)} proposed, waiting for review")
    for change in diff.changes:
        what = (
            change.item.claim if change.item else change.target_id or ", ".join(change.target_ids)
        )
        screen.out(f"  {change.id}  {change.operation}  {brief(what, 70)}")
    screen.findings(proposed.findings)
    screen.dim(f"next: muniment review {diff.id}")
