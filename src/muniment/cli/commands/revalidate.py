"""`revalidate`: ask again what a certificate answers."""

from __future__ import annotations

from typing import Annotated

import typer

from muniment import wire, wiring
from muniment.cli import codes
from muniment.cli.call import Call
from muniment.cli.commands.propose import document
from muniment.cli.options import command
from muniment.cli.terminal import Styled
from muniment.core.errors import InvalidInput


@command
def revalidate(
    call: Call,
    file: Annotated[str, typer.Argument(metavar="CERT.json", help="A certificate; `-` for stdin.")],
) -> int:
    """Ask again what a certificate answers: valid, changed (what, and by which rule), not permitted, or unknown.

    A certificate is no signature, and proves no claim; before a consequential action, authorise it again.
    The exit code is 0 for a valid one, else 1.

    Example: `muniment revalidate answer.json`
    """
    value, findings = wiring.read_document(document(call, file), "certificate.json")
    if value is None:
        raise InvalidInput.of(findings)
    verdict = call.memory().revalidate(value)
    if call.options.json:
        call.result(wire.verdict(verdict))
    else:
        style = "green" if verdict.verdict == "valid" else "yellow"
        why = f": {', '.join(verdict.reasons)}" if verdict.reasons else ""
        call.terminal.out(Styled(verdict.verdict, style), why)
        for name, how in verdict.records:
            call.terminal.out(f"  {name}  {how}")
        if verdict.verdict == "changed" and verdict.evidence_equal:
            call.terminal.out("  the selected evidence is equal")
    return codes.DONE if verdict.verdict == "valid" else codes.WRONG
