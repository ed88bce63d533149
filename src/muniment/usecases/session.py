"""Who acts, where and with what: the values and ports that every use case is handed.

- An omitted scope, principal or tenant means the profile's declared one, and none where there is no profile; never
  all (`E-NOSCOPE`).
- The clock and entropy come in here, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from muniment.core.access import Scope, Visibility
from muniment.core.authority import LADDER, lower
from muniment.core.codec import micros
from muniment.core.errors import Finding, InvalidInput, NotPermitted, quoted
from muniment.core.ids import new_id
from muniment.core.token import Token
from muniment.ports.credential import Verifier
from muniment.ports.embedding import Embedder
from muniment.ports.source import SourceReader
from muniment.ports.store import Snapshot, Store
from muniment.ports.tokens import TokenCounter
from muniment.usecases.viewing import Viewing


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
        role: The ceiling of what is done here (`core.authority`); empty for none beyond the principal's own.
        bound: Whether nothing outside the scopes is there at all, as for a token's bearer (`D-API`).
        once: Names one proposal, so that making it again gives the one that was made (`E-IDEMPOTENT`); empty for none.
        asked: Digest of the request that makes it, so that another one under the same name is refused; empty to compare
            what the two propose.
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
    role: str = ""
    bound: bool = False
    once: str = ""
    asked: str = ""

    def viewing(self, snapshot: Snapshot, principal: str = "") -> Viewing:
        """A snapshot as who acts may see it, or somebody else, within what the session is bound to."""
        within = self.scopes if self.bound else None
        return Viewing(snapshot, principal or self.principal, scopes=within)

    def now(self) -> datetime:
        """The present in UTC."""
        return self.clock().astimezone(UTC)

    def fresh_id(self, prefix: str) -> str:
        """A new identifier."""
        return new_id(prefix, micros(self.now()) // 1000, self.entropy(10))


def checked_role(role: str) -> str:
    """A ceiling as it was given; empty for none.

    Raises:
        InvalidInput: There is no such role.
    """
    if role and role not in LADDER:
        message, fix = f"{quoted(role)} is not a role", f"use one of: {', '.join(LADDER)}"
        raise InvalidInput.of((Finding("unknown_role", message, "/role", fix, req="E-ONEGATE"),))
    return role


def bound_session(
    session: Session, tenant: str, token: Token, role: str, sources: SourceReader
) -> Session:
    """The session of a token's bearer: what the token is bound to, under a ceiling, with the sources of its scopes."""
    return replace(
        session,
        sources=sources,
        tenant=tenant,
        principal=token.principal,
        scopes=token.scopes,
        visibility=token.visibility,
        uses=token.uses,
        declared=f"token {token.name}",
        role=role,
        bound=True,
        once="",
        asked="",
    )


def narrowed_session(
    session: Session, scopes: Sequence[str | Scope] | None, role: str, once: str, asked: str
) -> Session:
    """A session with some of the scopes and under a lower ceiling.

    Raises:
        NotPermitted: A scope is not in force.
        InvalidInput: A role that is none.
    """
    kept = session.scopes
    if scopes is not None:
        kept = tuple(s if isinstance(s, Scope) else Scope.parse(s) for s in scopes)
        beyond = [scope for scope in kept if scope not in session.scopes]
        if beyond:
            message = f"the scope {quoted(beyond[0])} is not in force here"
            known = ", ".join(map(str, session.scopes)) or "none"
            raise NotPermitted(message, fix=f"narrow to one of those in force: {known}")
    ceiling = lower(session.role, checked_role(role))
    return replace(session, scopes=kept, role=ceiling, once=once, asked=asked)
