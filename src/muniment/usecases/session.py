"""Who acts, where and with what: the values and ports that every use case is handed.

- An omitted scope, principal or tenant means the profile's declared one, and none where there is no profile; never
  all (`E-NOSCOPE`).
- The clock and entropy come in here, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from muniment.core.access import Scope, Visibility
from muniment.core.codec import micros
from muniment.core.ids import new_id
from muniment.ports.credential import Verifier
from muniment.ports.embedding import Embedder
from muniment.ports.source import SourceReader
from muniment.ports.store import Store
from muniment.ports.tokens import TokenCounter


def _none() -> None:
    """Nothing embeds."""


@dataclass(frozen=True, slots=True)
class Session:
    """One principal's work on one tenant.

    Attributes:
        store: Where memory lives.
        tenant: The wall.
        principal: Name of who acts, such as `user:alice`.
        scopes: The scopes in force; none means that nothing is found.
        clock: Gives the present, aware.
        entropy: Gives n random bytes.
        sources: Re-reads sources by address.
        counter: Gives a token counter by name; the empty name is the default.
        verify: Checks reviewers' signatures.
        visibility: What new claims get where none is said; None means that it must be said.
        uses: Allowed uses of new claims where none are said.
        declared: Where the values come from, shown to the user.
        embedder: Gives what embeds texts, opened at its first use; None where nothing does.
    """

    store: Store
    tenant: str
    principal: str
    scopes: tuple[Scope, ...]
    clock: Callable[[], datetime]
    entropy: Callable[[int], bytes]
    sources: SourceReader
    counter: Callable[[str], TokenCounter]
    verify: Verifier
    visibility: Visibility | None = None
    uses: tuple[str, ...] = ()
    declared: str = ""
    embedder: Callable[[], Embedder | None] = _none

    def now(self) -> datetime:
        """The present in UTC."""
        return self.clock().astimezone(UTC)

    def fresh_id(self, prefix: str) -> str:
        """A new identifier."""
        return new_id(prefix, micros(self.now()) // 1000, self.entropy(10))
