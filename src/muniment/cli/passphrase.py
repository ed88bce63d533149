"""Take a passphrase from a terminal, a descriptor or a private file; never from an argument or the environment.

- What is read is not shown, kept or repeated.
- A file that others may read is refused, as a credential that others may read is.
- Nobody but a person signs: an agent's or a process's principal is refused before anything is asked.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from muniment import wiring
from muniment.cli.call import Call, Waiting, refusal
from muniment.core.errors import NotPermitted, quoted

if TYPE_CHECKING:
    from muniment.ports.credential import Signer

LONGEST = 4096
PassphraseFd = Annotated[
    int | None,
    typer.Option(
        "--passphrase-fd", metavar="N", help="Read the passphrase from file descriptor N."
    ),
]
PassphraseFile = Annotated[
    Path | None,
    typer.Option(
        "--passphrase-file", metavar="FILE", help="Read the passphrase from a file of yours alone."
    ),
]


def require_person(principal: str, act: str) -> None:
    """Refuse everybody but a person.

    Raises:
        NotPermitted: It is an agent, a process, or nobody.
    """
    if not principal.startswith("user:"):
        message = f"{quoted(principal)} may not {act}: only a person does, with a credential"
        raise NotPermitted(message, fix="let a person run it, with `--as user:name` or a profile")


def signer(call: Call, act: str, fd: int | None, file: Path | None) -> Signer:
    """The opened credential of who acts.

    Args:
        call: The call.
        act: What is to be signed, for the prompt and refusals.
        fd: Descriptor of the passphrase.
        file: File of the passphrase.

    Raises:
        NotPermitted: Who acts is no person, or the passphrase is wrong.
        InvalidInput: There is no credential, or no passphrase can be had.
    """
    require_person(call.profile.principal, act)
    path = call.profile.credential
    if not path:
        fix = "run `muniment init`, or name the profile that holds it"
        raise refusal("no_credential", "the profile names no credential", "--profile", fix)
    return wiring.open_credential(Path(path), read(call, f"passphrase to {act}: ", fd, file))


def read(call: Call, prompt: str, fd: int | None, file: Path | None, twice: bool = False) -> str:
    """A passphrase.

    Raises:
        InvalidInput: It cannot be read, or the two entries differ.
        Waiting: There is no terminal to ask on.
    """
    if fd is not None:
        return _from_fd(fd)
    if file is not None:
        return _from_file(file)
    if not call.terminal.stdin.isatty():
        fix = "give `--passphrase-fd N` or `--passphrase-file FILE`"
        raise Waiting("a passphrase is needed, and there is no terminal to ask on", fix=fix)
    import getpass

    given = getpass.getpass(prompt, call.terminal.stderr)
    if twice and getpass.getpass("again: ", call.terminal.stderr) != given:
        fix = "type the same words twice"
        raise refusal("passphrases_differ", "the two passphrases differ", "/passphrase", fix)
    return given


def _from_fd(fd: int) -> str:
    try:
        with os.fdopen(os.dup(fd), "rb") as stream:
            return _first_line(stream.read(LONGEST))
    except OSError as error:
        message = f"descriptor {fd} cannot be read: {(error.strerror or 'failed').lower()}"
        fix = "open it for reading, as in `--passphrase-fd 3 3<FILE`"
        raise refusal("no_passphrase", message, "--passphrase-fd", fix) from error


def _from_file(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            mode = os.fstat(stream.fileno()).st_mode
            if os.name == "posix" and stat.S_ISREG(mode) and mode & 0o077:
                message = f"others may read {quoted(file)}"
                fix = "run `chmod 600` on it"
                raise refusal("passphrase_not_private", message, "--passphrase-file", fix)
            return _first_line(stream.read(LONGEST))
    except OSError as error:
        message = f"{quoted(file)} cannot be read: {(error.strerror or 'failed').lower()}"
        fix = "name a file that you may read"
        raise refusal("no_passphrase", message, "--passphrase-file", fix) from error


def _first_line(data: bytes) -> str:
    line = data.split(b"\n", 1)[0].removesuffix(b"\r")
    return line.decode("utf-8", "surrogateescape")
