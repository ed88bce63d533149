"""What a server is made of: where memory is, for whom it answers, and its limits.

>>> Settings(lambda: None).answers_to("LOCALHOST:8000"), Settings(lambda: None).answers_to("evil.example")
(True, False)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from muniment.memory import Memory

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of a server.

    Attributes:
        body: Bytes of a request's body at most.
        headers: Bytes of a request's headers at most.
        seconds: How long a request may take until its answer begins.
        threads: How many requests use memory at once; each thread has a connection of its own. More than two contend
            for the interpreter: eight answer half as often as one, and one lets a long request stop all others.
        waiting: How many requests may use memory or wait to, before others are asked to come again.
        rate: How many requests a minute a token is served; 0 for any number.
        grace: Seconds that running requests get to finish when the server is told to stop.
    """

    body: int = 8 * 1024 * 1024
    headers: int = 16 * 1024
    seconds: float = 30.0
    threads: int = 2
    waiting: int = 1_000
    rate: int = 0
    grace: float = 20.0


@dataclass(frozen=True, slots=True)
class Settings:
    """How a server is to be.

    Attributes:
        opener: Opens memory, acting as nobody; called once a process.
        hosts: The names under which it is reached, without ports; a request for another is refused.
        role: The ceiling of every bearer, whatever the token says.
        own: Gives the memory of whoever started the server, for the page's one-time code; None for nobody.
        credential: The credential's file of whoever started the server, for the page; empty for none.
        secure: Whether browsers reach it over TLS, its own or a proxy's.
        showcase: Whether it serves fixed synthetic cases to anybody, and mounts no route that writes.
        limits: Its bounds.
        lent: Whether what `opener` gives is used elsewhere too, and so stays open when the application ends.
    """

    opener: Callable[[], Memory]
    hosts: tuple[str, ...] = LOOPBACK
    role: str = "operator"
    own: Callable[[], Memory] | None = None
    credential: str = ""
    secure: bool = False
    showcase: bool = False
    limits: Limits = field(default_factory=Limits)
    lent: bool = False

    def answers_to(self, host: str) -> bool:
        """Whether a `Host` header names this server; the port is not looked at."""
        return host_name(host) in {one.lower() for one in self.hosts}


def host_name(host: str) -> str:
    """The name of a `Host` header, without its port.

    >>> host_name("Memory.Example:8443"), host_name("[::1]:80"), host_name("[::1]")
    ('memory.example', '[::1]', '[::1]')
    """
    text = host.strip().lower()
    if text.startswith("["):
        return text.partition("]")[0] + "]"
    return text.partition(":")[0]
