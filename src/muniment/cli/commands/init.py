"""`init`: a profile, a store, a reviewer's credential, and what they declare; or one more repository.

- Everything that will be made and declared is shown before it is; nothing is without a yes.
- The credential is written before the declarations that name it, the profile last: what stopped half way can be
  run again.
- A second run adds the repository of the folder, and whatever else was asked for.
"""

from __future__ import annotations

import getpass
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from muniment import profile as profiles
from muniment import wiring
from muniment.cli import passphrase
from muniment.cli.agents import agent_words, wider_group
from muniment.cli.call import Call, Waiting, refusal
from muniment.cli.declared import declared_text, policy_text
from muniment.cli.options import command
from muniment.cli.passphrase import PassphraseFd, PassphraseFile
from muniment.cli.refs import require_ref
from muniment.cli.terminal import Piece, Styled
from muniment.core.access import ROLES, Scope, Visibility
from muniment.core.errors import StoreUnavailable, quoted
from muniment.core.policy import Policy
from muniment.core.vocabulary import USES
from muniment.memory import Memory
from muniment.ports.credential import Signer
from muniment.profile import Profile
from muniment.usecases import declare

PROCESSES = ("process:learn", "process:retract")
LOW_RISK = tuple(use.name for use in USES if use.risk == "low")
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class Plan:
    """What an `init` will do.

    Attributes:
        profile: As it will be written.
        is_new: Whether there was none.
        credential: File of the credential.
        makes_credential: Whether it will be made.
        declarations: What will be declared, but for policies.
        policies: Policies that will be declared.
        repository: Scope and folder that are added; None where there is none.
    """

    profile: Profile
    is_new: bool
    credential: Path
    makes_credential: bool
    declarations: tuple[declare.Declaration, ...]
    policies: tuple[Policy, ...]
    repository: tuple[Scope, str] | None

    @property
    def signs(self) -> bool:
        """Whether the credential is needed."""
        return self.is_new or bool(self.declarations or self.policies)


@command
def init(
    call: Call,
    folder: Annotated[Path, typer.Argument(help="The repository's folder.")] = Path(),
    user: Annotated[
        str, typer.Option("--user", metavar="NAME", help="Your name; the login's by default.")
    ] = "",
    group: Annotated[
        str, typer.Option("--group", metavar="NAME", help="Who may see what is learned.")
    ] = "",
    agents: Annotated[
        list[str], typer.Option("--agent", metavar="NAME", help="An agent that may see it too.")
    ] = [],  # noqa: B006 - read by Typer, never written
    protected_ref: Annotated[
        str,
        typer.Option(
            "--protected-ref", metavar="REF", help="Let a policy accept manifest facts from REF."
        ),
    ] = "",
    review_own: Annotated[
        bool, typer.Option("--review-own", help="Let you review what you remembered yourself.")
    ] = False,
    no_repository: Annotated[
        bool, typer.Option("--no-repository", help="Leave the folder's repository out.")
    ] = False,
    fd: PassphraseFd = None,
    file: PassphraseFile = None,
    yes: Annotated[bool, typer.Option("--yes", help="Go on without asking.")] = False,
) -> int | None:
    """Make a profile, a store and a reviewer's credential, or add a further repository to them.

    Everything is shown before it is done. The passphrase is asked for twice, or read from a descriptor or file.

    Example: `muniment init`; `muniment init --agent codex --protected-ref origin/main`
    """
    old = profiles.load(call.options.profile)
    principal = _principal(call, user, old)
    passphrase.require_person(principal, "set up memory")
    place = None if no_repository else _repository(folder)
    asked = _Asked(
        principal,
        _group_name(principal, group, old),
        tuple(f"agent:{one.removeprefix('agent:')}" for one in agents),
    )
    plan = _plan(call, old, asked, place, _policies(principal, place, protected_ref, review_own))
    if plan.profile == old and not plan.signs:
        _say_where(call, plan, changed=False)
        return None
    _show(call, plan)
    if not call.confirm("do this?", yes):
        call.terminal.err("nothing was done")
        return Waiting.exit_code
    _carry_out(call, plan, fd, file)
    _say_where(call, plan, changed=True)
    return None


# --- what is asked for ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Asked:
    principal: str
    group: str
    agents: tuple[str, ...]


def _principal(call: Call, user: str, old: Profile) -> str:
    given = call.options.principal or (f"user:{user.removeprefix('user:')}" if user else "")
    if old.principal and given and given != old.principal:
        message = f"this profile is that of {quoted(old.principal)}"
        fix = "name another profile with `--profile FILE`"
        raise refusal("other_principal", message, "--user", fix)
    if given or old.principal:
        return given or old.principal
    try:
        return f"user:{_UNSAFE.sub('-', getpass.getuser())}"
    except (KeyError, OSError):
        fix = "say who you are with `--user NAME`"
        raise refusal("no_principal", "your login has no name", "--user", fix) from None


def _group_name(principal: str, given: str, old: Profile) -> str:
    if given:
        return f"group:{given.removeprefix('group:')}"
    known = old.visibility.allowed_principals if old.visibility else ()
    fallback = f"group:{principal.removeprefix('user:')}"
    return next((name for name in known if name.startswith("group:")), fallback)


def _repository(folder: Path) -> tuple[Scope, str]:
    if not folder.is_dir():
        message = f"{quoted(folder)} is no folder"
        raise refusal("no_folder", message, "FOLDER", "name a folder that is there")
    if not os.access(folder, os.R_OK | os.X_OK):
        message = f"{quoted(folder)} may not be read"
        raise refusal("no_permission", message, "FOLDER", "check its rights")
    repository = wiring.open_repository(folder)
    return Scope("repository", repository.id), str(repository.root)


def _policies(
    principal: str, place: tuple[Scope, str] | None, ref: str, own: bool
) -> tuple[Policy, ...]:
    if not (ref or own):
        return ()
    if place is None:
        fix = "leave `--no-repository` out"
        raise refusal("no_scope", "a policy holds in a repository", "--protected-ref", fix)
    scope = place[0]
    if ref:
        require_ref(Path(place[1]), ref)
    name = _UNSAFE.sub("-", scope.id)
    manifests = (Policy(f"manifests-{name}", scope, ref),) if ref else ()
    return manifests + ((Policy(f"own-{name}", scope, "", (principal,)),) if own else ())


def _plan(
    call: Call,
    old: Profile,
    asked: _Asked,
    place: tuple[Scope, str] | None,
    policies: tuple[Policy, ...],
) -> Plan:
    is_new = not old.exists
    stated = call.options.store
    store = profiles.absolute(profiles.place_of(stated) if stated else old.store)
    named = asked.principal.removeprefix("user:")
    file = Path(old.credential) if old.credential else (
        old.path.parent / "credentials" / f"{_UNSAFE.sub('-', named)}.json"
    ).absolute()  # fmt: skip
    visibility = old.visibility or Visibility("team-private", (asked.group,))
    known = {**old.repositories, **({place[0].id: place[1]} if place else {})}
    added = place if place and old.repositories.get(place[0].id) != place[1] else None
    profile = replace(
        old,
        store=store,
        tenant=call.options.tenant or old.tenant,
        principal=asked.principal,
        visibility=visibility,
        uses=old.uses or LOW_RISK,
        repositories=known,
        credential=str(file),
        embedder=old.embedder or wiring.default_embedder(),
    )
    declarations = _declarations(call, asked, profile, is_new)
    return Plan(profile, is_new, file, not file.exists(), declarations, policies, added)


def _declarations(
    call: Call, asked: _Asked, profile: Profile, is_new: bool
) -> tuple[declare.Declaration, ...]:
    agents = agent_words(asked.agents)
    if not is_new:
        return agents and (*agents, _wider_group(call, asked, profile))
    members = (asked.principal, *PROCESSES, *asked.agents)
    return (
        declare.principal(asked.principal),
        *(declare.principal(name) for name in PROCESSES),
        declare.group(asked.group, members),
        declare.roles(asked.principal, tuple(name for name, _ in ROLES)),
        *agents,
    )


def _wider_group(call: Call, asked: _Asked, profile: Profile) -> declare.Declaration:
    with Memory.open(profile.store, tenant=profile.tenant, create=False) as memory:
        otherwise = (asked.principal, *PROCESSES)
        acting = memory.acting_as(asked.principal)
        return wider_group(acting, asked.group, asked.agents, otherwise)


# --- showing and doing ----------------------------------------------------------------------------


def _show(call: Call, plan: Plan) -> None:
    profile, screen = plan.profile, call.terminal
    made = "will be made" if plan.is_new else "will be renewed"
    rows: list[Sequence[Piece]] = [("profile", f"{profile.path} ({made})")]
    if plan.is_new:
        there = "is there" if wiring.store_exists(profile.store) else "will be made"
        key = "will be made" if plan.makes_credential else "is there"
        rows += [
            ("store", f"{profiles.shown(profile.store)} ({there})"),
            ("credential", f"{plan.credential} ({key})"),
            ("new claims", f"{_seen_by(profile)}; for {', '.join(profile.uses)}"),
            ("embedder", profile.embedder),
        ]
    if plan.repository:
        rows.append(("repository", f"{plan.repository[0]} at {plan.repository[1]}"))
    for one in plan.declarations:
        rows.append((one.kind, declared_text(one.kind, one.content)))
    if plan.is_new:
        rows.append(("credential", f"{profile.principal}: the public key of {plan.credential}"))
    rows += [("policy", policy_text(policy)) for policy in plan.policies]
    screen.err(Styled("this is what will be made and declared:", "bold"))
    for label, text in rows:
        screen.err("  ", Styled(str(label).ljust(12), "cyan"), text)


def _seen_by(profile: Profile) -> str:
    if profile.visibility is None:
        return "nobody said who may see them"
    who = ", ".join(profile.visibility.allowed_principals) or "everybody of the tenant"
    return f"{profile.visibility.level}, seen by {who}"


def _carry_out(call: Call, plan: Plan, fd: int | None, file: Path | None) -> None:
    profile = plan.profile
    if not plan.signs:
        _save(profile)
        return
    signer = _signer(call, plan, fd, file)
    try:
        _declare(plan, signer)
    except BaseException:
        if plan.makes_credential:  # nothing names it yet, so nobody can need it
            plan.credential.unlink(missing_ok=True)
        raise
    _save(profile)


def _save(profile: Profile) -> None:
    try:
        profiles.save(profile)
    except OSError as error:
        why = (error.strerror or "failed").lower()
        message = f"the profile {quoted(profile.path)} cannot be written: {why}"
        fix = "check the rights of its folder, or name another with `--profile FILE`"
        raise StoreUnavailable(message, fix=fix) from error


def _signer(call: Call, plan: Plan, fd: int | None, file: Path | None) -> Signer:
    if not plan.makes_credential:
        words = passphrase.read(call, "passphrase of your credential: ", fd, file)
        signer = wiring.open_credential(plan.credential, words)
        if signer.principal != plan.profile.principal:
            message = f"{quoted(plan.credential)} is the credential of {quoted(signer.principal)}"
            raise refusal("other_principal", message, "--user", "say who you are with `--user`")
        return signer
    _refuse_known_reviewer(plan)
    words = passphrase.read(call, "new passphrase for your credential: ", fd, file, twice=True)
    return wiring.create_credential(plan.credential, plan.profile.principal, words)


def _refuse_known_reviewer(plan: Plan) -> None:
    """A store that knows a reviewer's key takes no other from somebody without it."""
    profile = plan.profile
    if not wiring.store_exists(profile.store):
        return
    with Memory.open(profile.store, tenant=profile.tenant, create=False) as memory:
        known = memory.is_governed()
    if known:
        message = f"the store {quoted(profiles.shown(profile.store))} has reviewers already"
        fix = "use the credential that was made for it, or another store with `--store FILE`"
        raise refusal("reviewers_known", message, "--store", fix, "E-APPROVER")


def _declare(plan: Plan, signer: Signer) -> None:
    profile = plan.profile
    with Memory.open(profile.store, tenant=profile.tenant) as opened:
        memory = opened.acting_as(profile.principal)
        known = [one for one in memory.declared("credential") if one["name"] == profile.principal]
        keys = tuple(key for one in known for key in one["public_keys"])
        own = () if signer.public_key in keys else (
            declare.credential(profile.principal, (*keys, signer.public_key)),
        )  # fmt: skip
        if plan.declarations or own:
            memory.declare(*plan.declarations, *own, signer=signer)
        for policy in plan.policies:
            memory.declare_policy(policy, signer)


def _say_where(call: Call, plan: Plan, changed: bool) -> None:
    profile = plan.profile
    if call.options.json:
        call.result(
            {
                "changed": changed,
                "principal": profile.principal,
                "profile": str(profile.path),
                "store": profiles.shown(profile.store),
                "credential": str(plan.credential),
                "repositories": dict(profile.repositories),
                "declared": [{"kind": d.kind, **d.content} for d in plan.declarations],
                "policies": [policy.name for policy in plan.policies],
            }
        )
        return
    screen = call.terminal
    screen.out("ready" if changed else "everything is there already")
    screen.table(
        [
            ("profile", str(profile.path)),
            ("store", profiles.shown(profile.store)),
            ("credential", str(plan.credential)),
            *(("repository", f"repository:{i} at {f}") for i, f in profile.repositories.items()),
        ],
        "  ",
    )
    screen.dim("next: muniment learn")
