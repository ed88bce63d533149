"""One call of a command: what was given, what the profile adds, and the memory that both open.

- What the command line does not say is the profile's; what neither says is not guessed (`E-NOSCOPE`).
- Who acts, where, and by which declaration is told in every output: a dim line on stderr, `acting` in JSON.
- The store is opened when it is needed, never made by anything but `init`, and closed at the end.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from muniment import profile as profiles
from muniment.cli.terminal import Styled, Terminal
from muniment.core.access import Scope
from muniment.core.errors import Finding, InvalidInput, Refusal, quoted
from muniment.profile import Profile

if TYPE_CHECKING:
    from muniment.memory import Memory


@dataclass(frozen=True, slots=True)
class Options:
    """What every command takes.

    Attributes:
        store: The store's file, or the address of its database.
        profile: The profile's file.
        tenant: The wall.
        principal: Who acts.
        scopes: The scopes in force, `kind:id`.
        role: The ceiling of what is done.
        json: Whether the result is JSON.
        no_color: Whether colours are off.
        verbose: Whether faults show their traceback.
    """

    store: str = ""
    profile: Path | None = None
    tenant: str = ""
    principal: str = ""
    scopes: tuple[str, ...] = ()
    role: str = ""
    json: bool = False
    no_color: bool = False
    verbose: bool = False


class Call:
    """A command's surroundings."""

    def __init__(self, options: Options, terminal: Terminal) -> None:
        """Take what was given; nothing is opened yet."""
        self.options, self.terminal = options, terminal
        self._profile: Profile | None = None
        self._memory: Memory | None = None

    @property
    def profile(self) -> Profile:
        """The profile, with what the command line says instead.

        Raises:
            InvalidInput: It cannot be read, or a named one is not there.
        """
        if self._profile is None:
            found = profiles.load(self.options.profile)
            stated = self.options.store
            self._profile = replace(
                found,
                store=profiles.place_of(stated) if stated else found.store,
                tenant=self.options.tenant or found.tenant,
                principal=self.options.principal or found.principal,
            )
        return self._profile

    @property
    def declared(self) -> str:
        """Where principal and scopes come from."""
        parts = [f"profile {self.profile.path}"] if self.profile.exists else []
        given = (("--as", self.options.principal), ("--scope", self.options.scopes))
        named = [name for name, value in given if value]
        return ", ".join([*parts, *([f"options {' '.join(named)}"] if named else [])])

    def scopes(self) -> tuple[Scope, ...]:
        """The scopes in force: those given, else the profile's where one works.

        Raises:
            InvalidInput: A scope is not `kind:id`.
        """
        if self.options.scopes:
            return tuple(scope_from(text, "--scope") for text in self.options.scopes)
        return self.profile_scopes()

    def profile_scopes(self) -> tuple[Scope, ...]:
        """The profile's scopes where one works, whatever the command line says."""
        try:
            here = Path.cwd()
        except FileNotFoundError:  # the folder was removed under our feet: it is in no repository
            return self.profile.scopes
        return self.profile.scopes_at(here)

    def memory(self) -> Memory:
        """The memory, as the principal that acts.

        Raises:
            InvalidInput: Nobody acts, or an option is wrong.
            StoreError: The store cannot be opened.
        """
        if self._memory is None:
            from muniment.memory import Memory

            profile = self.profile
            if self.options.profile and not profile.exists:
                message = f"there is no profile at {quoted(self.options.profile)}"
                raise refusal("no_profile", message, "--profile", "run `muniment init`")
            if not profile.principal:
                fix = "run `muniment init`, or say who with `--as user:name`"
                raise refusal("no_principal", "nobody acts", "--as", fix, "E-NOSCOPE")
            roots = {name: Path(folder) for name, folder in profile.repositories.items()}
            opened = Memory.open(profile.store, tenant=profile.tenant, create=False, roots=roots)
            try:
                self._memory = opened.acting_as(
                    profile.principal,
                    scopes=self.scopes(),
                    visibility=profile.visibility,
                    uses=profile.uses,
                    declared=self.declared,
                    embedder=profile.embedder,
                    role=self.options.role,
                )
            except BaseException:
                opened.close()
                raise
        return self._memory

    def address(self, text: str) -> str:
        """A source's address; a path inside a known repository becomes that repository's.

        Raises:
            InvalidInput: A path that is in no known repository, or at which nothing stands.
        """
        if not text or ":" in text.partition("/")[0]:
            return text
        from muniment.ports.source import repo_uri

        path = Path(os.path.abspath(text))  # noqa: PTH100 - takes `..` out, and follows no link
        roots = {name: Path(folder) for name, folder in self.profile.repositories.items()}
        inside = [
            (len(root.parts), place == path, name, place.relative_to(root).as_posix())
            for name, root in roots.items()
            for place in {path, path.resolve()}
            if place != root and place.is_relative_to(root)
        ]
        if inside and path.exists():
            *_, name, within = max(inside)  # the innermost repository, and the path as it was given
            return repo_uri(name, within)
        here = next((scope.id for scope in self.scopes() if scope.kind == "repository"), "<id>")
        forms = f"`repo:{here}!/<path>`, `file:///<path>` or a URL"
        if inside:
            fix = f"check the name, or give an address: {forms}"
            raise refusal("no_file", f"nothing stands at {quoted(text)}", "--source", fix)
        known = ", ".join(f"{name} in {folder}" for name, folder in sorted(roots.items()))
        fix = f"name a file in a known repository ({known or 'none is known'}), {forms}"
        raise refusal("unknown_place", f"{quoted(text)} is in no known repository", "--source", fix)

    def result(self, value: Mapping[str, Any]) -> None:
        """Write the result as JSON, with who acted."""
        from muniment import wire

        acted = wire.acting(self._memory) if self._memory else None
        self.terminal.json({"acting": acted, **value} if acted else dict(value))

    def acted(self) -> None:
        """Say on stderr who acted, where, and by which declaration."""
        if self._memory is None or self.options.json:
            return
        session = self._memory.session
        where = ", ".join(map(str, session.scopes)) or "no scope"
        by = f" ({session.declared})" if session.declared else ""
        tenant = f", tenant {session.tenant}" if session.tenant != "default" else ""
        self.terminal.dim(f"acting as {session.principal} in {where}{tenant}{by}")

    def close(self) -> None:
        """Release the store."""
        if self._memory is not None:
            self._memory.close()

    def confirm(self, question: str, yes: bool) -> bool:
        """Whether somebody says yes; off a terminal only `--yes` does.

        Args:
            question: Asked on stderr.
            yes: Whether `--yes` was given.

        Raises:
            Waiting: Nobody can be asked.
        """
        if yes:
            return True
        if not self.terminal.stdin.isatty():
            raise Waiting("nobody could be asked", fix="look at what is shown, and give `--yes`")
        self.terminal.err(Styled(question, "bold"), " [y/N] ", end="")
        self.terminal.stderr.flush()
        return self.terminal.stdin.readline().strip().lower() in ("y", "yes")


class Waiting(Refusal):
    """Something waits for a person."""

    code = "waiting"
    exit_code = 6


class PipeClosed(Exception):
    """Whoever read the output went away; Typer would make an exit code of its own of a `BrokenPipeError`."""


def refusal(code: str, message: str, path: str, fix: str, req: str = "") -> InvalidInput:
    """A refusal with one finding."""
    return InvalidInput.of((Finding(code, message, path, fix, req=req),))


def visibility_from(text: str) -> dict[str, Any]:
    """A visibility in its wire form from `level=who,who`; empty where nothing is said.

    >>> visibility_from("team-private=group:shop")
    {'level': 'team-private', 'allowed_principals': ['group:shop']}
    """
    level, _, who = text.partition("=")
    return {"level": level, "allowed_principals": [w for w in who.split(",") if w]} if text else {}


def scope_from(text: str, path: str) -> Scope:
    """A scope from `kind:id`.

    Raises:
        InvalidInput: Kind or id is missing.

    >>> scope_from("repository:github:acme/shop", "--scope").id
    'github:acme/shop'
    """
    from muniment.core.vocabulary import names, unknown_name

    scope = Scope.parse(text)
    if not scope.kind or not scope.id:
        fix = "write it as kind:id, such as `repository:github:acme/shop`"
        raise refusal("bad_scope", f"{quoted(text)} is no scope", path, fix)
    if scope.kind not in names("scope_kind"):
        raise InvalidInput.of((unknown_name("scope_kind", scope.kind, path),))
    return scope


def perform(options: Options, act: Callable[[Call], int | None]) -> int | None:
    """Run a command's function on a call of its own.

    Raises:
        PipeClosed: Whoever read the output went away.
    """
    call = Call(options, terminal(options.no_color))
    try:
        code = act(call)
        call.acted()
    except BrokenPipeError:
        raise PipeClosed from None
    finally:
        call.close()
    return code


def terminal(no_color: bool) -> Terminal:
    """The process's own terminal."""
    return Terminal(sys.stdin, sys.stdout, sys.stderr, os.environ, False if no_color else None)
