"""`principal`, `group`, `role`, `policy`: list what is declared, or declare more; what binds is shown."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from muniment.cli import passphrase
from muniment.cli.call import Call, Waiting, refusal, scope_from
from muniment.cli.declared import declared_text, policy_text
from muniment.cli.options import command
from muniment.cli.passphrase import PassphraseFd, PassphraseFile
from muniment.cli.refs import require_ref
from muniment.cli.terminal import Styled
from muniment.core.access import ROLES
from muniment.core.codec import trusted
from muniment.core.errors import quoted
from muniment.core.policy import Policy
from muniment.usecases import declare as declarations
from muniment.usecases.declare import Declaration

Yes = Annotated[bool, typer.Option("--yes", help="Go on without asking.")]


@command
def principal(
    call: Call,
    name: Annotated[str, typer.Argument(metavar="NAME", help="kind:id, such as agent:codex.")] = "",
    note: Annotated[str, typer.Option("--note", metavar="TEXT", help="Who that is.")] = "",
    fd: PassphraseFd = None,
    file: PassphraseFile = None,
    yes: Yes = False,
) -> int | None:
    """List principals, or declare one.

    Example: `muniment principal agent:codex --note "the coding agent"`
    """
    if not name:
        _list(call, "principal")
        return None
    return bind(call, declarations.principal(name, note), fd, file, yes)


@command
def group(
    call: Call,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Such as group:shop.")] = "",
    members: Annotated[
        list[str] | None, typer.Argument(metavar="MEMBER…", help="All of its members.")
    ] = None,
    empty: Annotated[bool, typer.Option("--empty", help="Leave it without members.")] = False,
    fd: PassphraseFd = None,
    file: PassphraseFile = None,
    yes: Yes = False,
) -> int | None:
    """List groups, or declare a group's members; the latest word counts.

    Example: `muniment group group:shop user:ada process:learn agent:codex`
    """
    if not name:
        _list(call, "group")
        return None
    if not members and not empty:
        fix = "name all of its members, or give `--empty`"
        raise refusal("no_members", f"{quoted(name)} would have no members", "MEMBER", fix)
    return bind(call, declarations.group(name, tuple(members or ())), fd, file, yes)


@command
def role(
    call: Call,
    name: Annotated[str, typer.Argument(metavar="NAME", help="A principal.")] = "",
    given: Annotated[
        list[str] | None,
        typer.Argument(metavar="ROLE…", help=f"Of {', '.join(n for n, _ in ROLES)}."),
    ] = None,
    none: Annotated[bool, typer.Option("--none", help="Take all roles away.")] = False,
    fd: PassphraseFd = None,
    file: PassphraseFile = None,
    yes: Yes = False,
) -> int | None:
    """List roles, or say which ones a principal has; the latest word counts.

    Example: `muniment role user:bob reader proposer reviewer`
    """
    if not name:
        _list(call, "role")
        return None
    if not given and not none:
        fix = "name all of its roles, or give `--none`"
        raise refusal("no_roles", f"{quoted(name)} would have no roles", "ROLE", fix)
    return bind(call, declarations.roles(name, tuple(given or ())), fd, file, yes)


@command
def policy(
    call: Call,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The policy's name.")] = "",
    protected_ref: Annotated[
        str,
        typer.Option("--protected-ref", metavar="REF", help="Accept manifest facts from REF."),
    ] = "",
    own: Annotated[
        list[str],
        typer.Option("--may-review-own", metavar="PRINCIPAL", help="May decide on own proposals."),
    ] = [],  # noqa: B006 - read by Typer, never written
    withdraw: Annotated[bool, typer.Option("--withdraw", help="Put it out of force.")] = False,
    fd: PassphraseFd = None,
    file: PassphraseFile = None,
    yes: Yes = False,
) -> int | None:
    """List policies, or declare or withdraw one, signed by you; it holds in the one scope in force.

    Example: `muniment policy manifests --protected-ref origin/main`; `muniment policy manifests --withdraw`
    """
    if not name:
        _list(call, "policy")
        return None
    wanted = _policy(call, name, protected_ref, tuple(own), withdraw)
    _show(call, "policy", policy_text(wanted))
    return _signed(call, None, wanted, fd, file, yes)


def _policy(
    call: Call, name: str, protected_ref: str, own: tuple[str, ...], withdraw: bool
) -> Policy:
    memory = call.memory()
    known = next((one for one in memory.declared("policy") if one["name"] == name), None)
    if withdraw:
        if known is None:
            message = f"no policy {quoted(name)} is declared"
            raise refusal("no_policy", message, "NAME", "see `muniment policy`")
        return _replaced(trusted(Policy, known))
    scopes = memory.session.scopes
    if len(scopes) != 1:
        fix = "name it with `--scope kind:id`"
        message = f"a policy holds in one scope, and {len(scopes)} are in force"
        raise refusal("no_scope", message, "--scope", fix, "E-NOSCOPE")
    if not (protected_ref or own):
        fix = "give `--protected-ref REF`, `--may-review-own PRINCIPAL` or `--withdraw`"
        raise refusal("empty_policy", "the policy would let nothing through", "NAME", fix)
    folder = call.profile.repositories.get(scopes[0].id)
    if protected_ref and folder:
        require_ref(Path(folder), protected_ref)
    return Policy(name, scope_from(str(scopes[0]), "--scope"), protected_ref, own)


def _replaced(known: Policy) -> Policy:
    return Policy(
        known.name, known.scope, known.protected_ref, known.may_review_own, withdrawn=True
    )


# --- listing and binding --------------------------------------------------------------------------


def _list(call: Call, kind: str) -> None:
    found = call.memory().declared(kind)
    if call.options.json:
        call.result({kind: [dict(one) for one in found]})
        return
    if not found:
        call.terminal.out(f"no {kind} is declared")
    for one in found:
        call.terminal.out(_text(kind, one))


def _text(kind: str, content: Any) -> str:
    return (
        policy_text(trusted(Policy, content)) if kind == "policy" else declared_text(kind, content)
    )


def _show(call: Call, kind: str, text: str) -> None:
    call.terminal.err(Styled("this will be declared: ", "bold"), f"{kind} {text}")


def bind(
    call: Call, declaration: Declaration, fd: int | None, file: Path | None, yes: bool
) -> int | None:
    """Show what was declared so far and what will be, ask, sign and declare it."""
    before = [
        one for one in call.memory().declared(declaration.kind) if one["name"] == declaration.name
    ]
    for one in before:
        call.terminal.err(
            Styled("declared so far: ", "bold"),
            f"{declaration.kind} {_text(declaration.kind, one)}",
        )
    _show(call, declaration.kind, declared_text(declaration.kind, declaration.content))
    return _signed(call, declaration, None, fd, file, yes)


def _signed(
    call: Call,
    declaration: Declaration | None,
    policy: Policy | None,
    fd: int | None,
    file: Path | None,
    yes: bool,
) -> int | None:
    passphrase.require_person(call.profile.principal, "declare this")
    if not call.confirm("declare it?", yes):
        call.terminal.err("nothing was done")
        return Waiting.exit_code
    memory = call.memory()
    signer = passphrase.signer(call, "declare this", fd, file)
    if policy is not None:
        token = memory.declare_policy(policy, signer)
    elif declaration is not None:
        token = memory.declare(declaration, signer=signer)
    else:
        return None
    if call.options.json:
        call.result({"token": token})
    else:
        call.terminal.out("declared")
    return None
