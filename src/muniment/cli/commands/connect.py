"""`connect`: write a host's settings so that its agent has memory, and take them out again."""

from __future__ import annotations

import difflib
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from muniment import profile as profiles
from muniment import wiring
from muniment.cli import agents, passphrase
from muniment.cli.call import Call, Waiting, refusal
from muniment.cli.declared import declared_text
from muniment.cli.hosts import (
    HOSTS,
    TOLD,
    Host,
    Start,
    with_hooks,
    with_server,
    without_hooks,
    without_server,
)
from muniment.cli.json_text import NotEditable
from muniment.cli.options import command
from muniment.cli.passphrase import PassphraseFd, PassphraseFile
from muniment.cli.terminal import Piece, Styled
from muniment.core.errors import StoreUnavailable, quoted
from muniment.memory import Memory
from muniment.usecases.declare import Declaration

NAMES = tuple(host.name for host in HOSTS)
LARGEST = 20_000_000


@dataclass(frozen=True, slots=True)
class Edit:
    """A file as it is and as it will be.

    Attributes:
        path: The file.
        before: Its text; None where there is none.
        after: Its text afterwards; empty for no file.
    """

    path: Path
    before: str | None
    after: str

    @property
    def changes(self) -> bool:
        """Whether anything is another afterwards."""
        return (self.before or "") != self.after


@command
def connect(
    call: Call,
    host: Annotated[str, typer.Argument(metavar="HOST", help=f"One of {', '.join(NAMES)}.")],
    everywhere: Annotated[
        bool, typer.Option("--everywhere", help="In your own settings, not in this project's.")
    ] = False,
    hooks: Annotated[
        bool,
        typer.Option(
            "--hooks", help="Also a packet at a session's start and a reminder at its end."
        ),
    ] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Take it out again.")] = False,
    fd: PassphraseFd = None,
    file: PassphraseFile = None,
    yes: Annotated[bool, typer.Option("--yes", help="Go on without asking.")] = False,
) -> int | None:
    """Write a host's settings so that its agent has memory; everything is shown before it is done.

    The host starts `muniment mcp` as an agent of its own (`--as` names another), which is declared where it is not
    yet. Nothing else in the settings is touched, and `--undo` takes out what was put in.

    Example: `muniment connect claude-code --hooks`; `muniment connect codex --everywhere --undo`
    """
    known = _host(host)
    if hooks and not known.hooks:
        raise refusal(
            "no_hooks", f"{known.title} has no hooks that are known here", "--hooks", "leave it out"
        )
    root = None if everywhere else _root()
    start = Start(_program(shared=root is not None), _options(call, known), _environment())
    edits = tuple(edit for edit in _edits(known, root, start, hooks, undo) if edit.changes)
    words = () if undo else _missing(call, start.options[1])
    if not edits and not words:
        _say(call, known, edits, words, undo)
        return None
    _show(call, edits, words)
    if not call.confirm("do this?", yes):
        call.terminal.err("nothing was done")
        return Waiting.exit_code
    if words:
        _declare(call, words, fd, file)
    for edit in edits:
        _write(edit)
    _say(call, known, edits, words, undo)
    return None


# --- what is asked for ----------------------------------------------------------------------------


def _host(name: str) -> Host:
    for host in HOSTS:
        if host.name == name:
            return host
    fix = f"one of: {', '.join(NAMES)}; others start `muniment mcp --as agent:name`"
    raise refusal("unknown_host", f"{quoted(name)} is no host that is known here", "HOST", fix)


def _root() -> Path:
    here = Path.cwd()
    root = wiring.open_repository(here).root
    return root if here.is_relative_to(root) else here


def _options(call: Call, host: Host) -> tuple[str, ...]:
    agent = call.options.principal or host.principal
    if agent.startswith("user:"):
        fix = "name an agent: `--as agent:name`"
        raise refusal(
            "no_agent", f"an agent does not act as {quoted(agent)}", "--as", fix, "E-APPROVER"
        )
    if not call.profile.exists:
        fix = "run `muniment init` in the project first"
        raise refusal("no_profile", "there is no profile yet", "--profile", fix)
    given = call.options
    said = ["--as", agent]
    if given.profile:
        said += ["--profile", str(given.profile.absolute())]
    if given.store:
        said += ["--store", str(call.profile.store)]
    for scope in given.scopes:
        said += ["--scope", scope]
    for name, value in (("--tenant", given.tenant), ("--role", given.role)):
        said += [name, value] if value else []
    return tuple(said)


def _environment() -> dict[str, str]:
    return {name: os.environ[name] for name in TOLD if os.environ.get(name)}


def _program(shared: bool) -> tuple[str, ...]:
    """How the program that runs now is started by somebody else."""
    own, found = Path(sys.argv[0]), shutil.which("muniment")
    is_own = own.name == "muniment" and own.exists()
    if shared and found and (not is_own or Path(found).resolve() == own.resolve()):
        return ("muniment",)
    if is_own:
        return (str(own.absolute()),)
    return (sys.executable, "-m", "muniment")


def _edits(host: Host, root: Path | None, start: Start, hooks: bool, undo: bool) -> Iterator[Edit]:
    home, environment = Path.home(), os.environ
    entry = start.server(host)
    file = host.file(root, home, environment)
    yield _edit(
        file, lambda text: without_server(host, text) if undo else with_server(host, text, entry)
    )
    if host.hooks and (hooks or undo):
        settings = host.hooks_file(root, home, environment)
        yield _edit(settings, lambda text: without_hooks(text) if undo else with_hooks(text, start))


def _edit(path: Path, change: Callable[[str], str]) -> Edit:
    before = _read(path)
    mark = "\ufeff" if (before or "").startswith("\ufeff") else ""
    text = (before or "").removeprefix(mark)
    try:
        after = change(text)
    except NotEditable as error:
        fix = "look at what is wrong there, or put in by hand what `muniment connect` shows in an empty folder"
        message = f"{quoted(path)} cannot be changed: {error}"
        raise refusal("not_editable", message, str(path), fix) from error
    return Edit(path, before, mark + after if after else "")


def _read(path: Path) -> str | None:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _failed(path, "read", error) from error
    try:
        if len(data) > LARGEST:
            raise ValueError("too large")
        return data.decode("utf-8")
    except ValueError as error:
        message = f"{quoted(path)} is no text that can be changed"
        raise refusal("not_editable", message, str(path), "look at what it holds") from error


# --- declaring the agent --------------------------------------------------------------------------


def _person(call: Call) -> Memory:
    """The memory as the profile's person, whoever is named as the agent."""
    return call.memory().acting_as(profiles.load(call.options.profile).principal)


def _missing(call: Call, agent: str) -> tuple[Declaration, ...]:
    """What has to be declared for the agent to see what the profile's group sees."""
    memory = _person(call)
    if not memory.session.principal.startswith("user:"):
        return ()
    visibility = call.profile.visibility
    seen_by = visibility.allowed_principals if visibility else ()
    groups = [name for name in seen_by if name.startswith("group:")]
    return agents.missing(memory, groups[0] if groups else "", agent)


def _declare(call: Call, words: tuple[Declaration, ...], fd: int | None, file: Path | None) -> None:
    memory = _person(call)
    signer = None
    if memory.is_governed():
        if not call.profile.credential:
            fix = "let somebody with the role `operator` declare the agent: `muniment principal`, `role` and `group`"
            raise refusal("no_credential", "the profile names no credential", "--profile", fix)
        given = passphrase.read(call, "passphrase to declare the agent: ", fd, file)
        signer = wiring.open_credential(Path(call.profile.credential), given)
    memory.declare(*words, signer=signer)


# --- showing and doing ----------------------------------------------------------------------------


def _show(call: Call, edits: tuple[Edit, ...], words: tuple[Declaration, ...]) -> None:
    screen = call.terminal
    screen.err(Styled("this is what will be changed:", "bold"))
    for edit in edits:
        before, after = (edit.before or "").splitlines(), edit.after.splitlines()
        what = (
            "will be made"
            if edit.before is None
            else "will be removed"
            if not edit.after
            else "will be changed"
        )
        screen.err("  ", Styled(str(edit.path), "cyan"), f" ({what})")
        for line in list(difflib.unified_diff(before, after, lineterm="", n=2))[2:]:
            style = {"+": "green", "-": "red", "@": "dim"}.get(line[:1], "")
            screen.err("    ", Styled(line, style))
    for word in words:
        label: Piece = Styled(word.kind.ljust(12), "cyan")
        screen.err("  ", label, declared_text(word.kind, word.content))


def _write(edit: Edit) -> None:
    """Write a file, all of it or nothing, through links and with the rights that it had."""
    path = edit.path.resolve()
    try:
        if _read(edit.path) != edit.before:
            message = f"{quoted(edit.path)} was changed meanwhile"
            raise refusal("changed_meanwhile", message, str(edit.path), "run it again")
        if not edit.after:
            path.unlink()
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
        waiting = path.with_name(f".{path.name}.muniment")
        with os.fdopen(
            os.open(waiting, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "wb"
        ) as stream:
            stream.write(edit.after.encode("utf-8"))
            os.fchmod(stream.fileno(), mode)
            os.fsync(stream.fileno())
        waiting.replace(path)
    except OSError as error:
        raise _failed(edit.path, "written", error) from error


def _failed(path: Path, act: str, error: OSError) -> StoreUnavailable:
    why = (error.strerror or "failed").lower()
    return StoreUnavailable(
        f"{quoted(path)} cannot be {act}: {why}", fix="check its rights and its folder's"
    )


def _say(
    call: Call, host: Host, edits: tuple[Edit, ...], words: tuple[Declaration, ...], undo: bool
) -> None:
    files = [str(edit.path) for edit in edits]
    if call.options.json:
        declared = [{"kind": word.kind, **word.content} for word in words]
        call.result(
            {"host": host.name, "connected": not undo, "files": files, "declared": declared}
        )
        return
    if not edits and not words:
        call.terminal.out("nothing is there" if undo else "everything is there already")
        return
    call.terminal.out(f"{host.title}: {'disconnected' if undo else 'connected'}")
    for name in files:
        call.terminal.out(f"  {name}")
    if not undo:
        call.terminal.dim(f"next: {host.next_step}")
