"""Where a server is, and the token for it: checked before anything is sent (`D-CLIENT`).

>>> checked_address("http://localhost:8765/"), checked_address("https://memory.example.org")
('http://localhost:8765', 'https://memory.example.org')
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from muniment.core.errors import Finding, InvalidInput, quoted
from muniment.core.loopback import is_loopback
from muniment.core.token import parse_token


@dataclass(frozen=True, slots=True)
class Secret:
    """A token's text, which shows in nothing that is printed."""

    text: str = field(repr=False)


def checked_address(address: str) -> str:
    """A server's address, without the slash at its end.

    Raises:
        InvalidInput: It is no address of a server, or a token would travel in the clear.
    """
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        host, parts = "", urlsplit("")
    if parts.scheme not in ("http", "https") or not host:
        shown = quoted(address) if "@" not in address else "what was given"
        fix = "give `https://host` or, on this machine, `http://127.0.0.1:8765`"
        raise _refused("bad_address", f"{shown} is no address of a server", fix)
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        fix = "give scheme, host and port alone; the token goes into `token`"
        raise _refused("bad_address", "an address holds no name, password or query", fix)
    if parts.scheme == "http" and not is_loopback(host):
        message = f"the token would travel in the clear to {quoted(host)}"
        fix = "use https, or reach it at 127.0.0.1 through a tunnel"
        raise _refused("cleartext_token", message, fix)
    return address.rstrip("/")


def checked_token(token: str | None, file: str | Path | None) -> Secret:
    """The token, from an argument or a file.

    Raises:
        InvalidInput: Neither or both are given, the file cannot be read, or it holds no token.
    """
    if (token is None) == (file is None):
        raise _refused(
            "one_token", "give the token, or the file that holds it", "give one", "/token"
        )
    if token is None:
        try:
            token = Path(str(file)).read_text("utf-8")
        except (OSError, ValueError):
            fix = "name a file that is there and may be read"
            message = f"the token's file {quoted(file)} cannot be read"
            raise _refused("no_file", message, fix, "/token_file") from None
    text = token.strip()
    if parse_token(text) is None:
        fix = "give what `muniment token create` printed: `mun_…`"
        raise _refused("no_token", "what was given is no token", fix, "/token")
    return Secret(text)


def _refused(code: str, message: str, fix: str, path: str = "/address") -> InvalidInput:
    return InvalidInput.of((Finding(code, message, path, fix, req="D-CLIENT"),))
