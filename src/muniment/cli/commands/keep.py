"""`erase`, `verify`, `doctor`: what an operator does to keep the store trustworthy."""

from __future__ import annotations

from typing import Annotated

import typer

from muniment import wire
from muniment.cli import codes, passphrase
from muniment.cli.call import Call, Waiting
from muniment.cli.options import command
from muniment.cli.passphrase import PassphraseFd, PassphraseFile
from muniment.cli.terminal import Styled, brief
from muniment.core.claim import Claim

Head = Annotated[
    str, typer.Option("--head", metavar="HASH", help="A head that you kept elsewhere.")
]


@command
def erase(
    call: Call,
    id: Annotated[str, typer.Argument(metavar="ID", help="The claim, source or passage.")],
    fd: PassphraseFd = None,
    file: PassphraseFile = None,
    yes: Annotated[bool, typer.Option("--yes", help="Go on without asking.")] = False,
) -> int | None:
    """Erase the content of a claim, source or passage everywhere; that something was erased stays in the ledger.

    Example: `muniment erase mem_01kx0sjsg0e008000000000000`
    """
    memory = call.memory()
    passphrase.require_person(call.profile.principal, "erase")
    found = memory.to_erase(id)
    if isinstance(found, Claim):
        told = brief(found.claim)
    else:
        many = "" if found.passages == 1 else f" ({found.passages} passages)"
        told = brief(found.summary) + many
    call.terminal.err("this cannot be undone: ", Styled(found.id, "bold"), f"  {told}")
    if not call.confirm("erase it?", yes):
        call.terminal.err("nothing was done")
        return Waiting.exit_code
    signer = passphrase.signer(call, "erase this", fd, file)
    erased = memory.erase(found.id, signer)
    if call.options.json:
        call.result(wire.erased(erased))
    else:
        call.terminal.out(f"erased {erased.claim_id}: {erased.contents} contents")
        call.terminal.out(f"on disk: {erased.disk}")
    return None


@command
def verify(call: Call, head: Head = "") -> int:
    """Check the ledger: chain, contents, and what is derived; print the head to keep.

    Whoever can write the file can cut its end off; only a head that was kept elsewhere shows that.

    Example: `muniment verify --head 5f0c…`
    """
    found = call.memory().verify(head)
    if call.options.json:
        call.result({"verification": wire.verification(found)})
    else:
        for problem in found.problems:
            call.terminal.err(Styled("wrong", "red"), f": {problem}")
        state = Styled("sound", "green") if found.ok else Styled("not sound", "red")
        call.terminal.out(state, f": {found.events} events")
        call.terminal.out(f"head {found.head}")
    return codes.DONE if found.ok else codes.WRONG


@command
def doctor(
    call: Call,
    head: Head = "",
    rebuild: Annotated[
        bool,
        typer.Option("--rebuild-index", help="First drop all that is derived and fold it again."),
    ] = False,
) -> int:
    """Look the store over: the ledger, what is derived, and whether every acceptance is accounted for.

    Example: `muniment doctor`
    """
    memory = call.memory()
    if rebuild:
        memory.rebuild()
    found = memory.doctor(head)
    body = wire.diagnosis(found)
    if call.options.json:
        call.result({"diagnosis": body, "rebuilt": rebuild})
        return codes.DONE if found.ok else codes.WRONG
    screen = call.terminal
    for notice in found.notices:
        screen.err(Styled("notice", "yellow"), f": {notice}")
    for problem in found.verification.problems:
        screen.err(Styled("wrong", "red"), f": {problem}")
    for one in found.accounts:
        if not one.is_good:
            what = f"{one.diff_id} {one.change_id} accepted by {one.by}"
            screen.err(Styled(one.state, "red"), f": {what}: {one.detail}")
    if rebuild:
        screen.out("what is derived was folded again from the ledger")
    counts = ", ".join(f"{n} {state}" for state, n in body["acceptances"].items()) or "none"
    screen.out(f"events       {found.verification.events}")
    screen.out(f"acceptances  {counts}")
    screen.out(
        "verdict      ", Styled("sound", "green") if found.ok else Styled("not sound", "red")
    )
    screen.out(f"head         {found.verification.head}")
    return codes.DONE if found.ok else codes.WRONG
