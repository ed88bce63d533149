"""Bearer tokens: what one is bound to, and how it is written.

- A token serves one tenant, one principal, one set of scopes and one role at most (`D-API`).
- Its text names tenant and token, and carries 256 random bits; only their SHA-256 is kept.
- A token narrows: whoever bears it can do no more than its principal may.

>>> text = token_text("default", "tok_01kx0sjsg0e008000000000000", bytes(32))
>>> parse_token(text).tenant, parse_token(text).id, parse_token("mun_nonsense") is None
('default', 'tok_01kx0sjsg0e008000000000000', True)
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from dataclasses import dataclass
from datetime import datetime

from muniment.core.access import Scope, Visibility

MARK = "mun_"
SECRET_BYTES = 32
LONGEST = 2_000


@dataclass(frozen=True, slots=True)
class Token:
    """What is kept of a token.

    Attributes:
        name: `tok_…`, random.
        principal: Who acts by it.
        role: The ceiling (`core.authority.LADDER`).
        scopes: The scopes in force.
        digest: SHA-256 of the secret, hexadecimal.
        visibility: What new claims get where they do not say.
        uses: Allowed uses of new claims where they do not say.
        expires_at: From when on it serves no more; None for never.
        note: What it is for.
        revoked: Whether it was taken back.
    """

    name: str
    principal: str
    role: str
    scopes: tuple[Scope, ...]
    digest: str
    visibility: Visibility | None = None
    uses: tuple[str, ...] = ()
    expires_at: datetime | None = None
    note: str = ""
    revoked: bool = False

    def serves_at(self, now: datetime) -> bool:
        """Whether it serves at an instant."""
        return not self.revoked and (self.expires_at is None or now < self.expires_at)


@dataclass(frozen=True, slots=True)
class Presented:
    """A token's text, taken apart."""

    tenant: str
    id: str
    secret: bytes

    @property
    def digest(self) -> str:
        """What is kept of its secret."""
        return secret_digest(self.secret)


def secret_digest(secret: bytes) -> str:
    """SHA-256 of a secret. It has 256 random bits, so that nothing slower is needed."""
    return hashlib.sha256(b"muniment token/1\0" + secret).hexdigest()


def token_text(tenant: str, name: str, secret: bytes) -> str:
    """The text that is shown once.

    Args:
        tenant: Where it is valid.
        name: `tok_…`.
        secret: 32 random bytes.
    """
    return f"{MARK}{_text(tenant.encode())}.{name.removeprefix('tok_')}.{_text(secret)}"


def parse_token(text: object) -> Presented | None:
    """Take a token's text apart; None where it is none."""
    if not isinstance(text, str) or not text.startswith(MARK) or len(text) > LONGEST:
        return None
    parts = text.removeprefix(MARK).split(".")
    if len(parts) != 3:
        return None
    try:
        tenant, secret = _bytes(parts[0]).decode("utf-8"), _bytes(parts[2])
    except (ValueError, binascii.Error):
        return None
    named = tenant and parts[1] and parts[1].isascii() and parts[1].isalnum()
    return (
        Presented(tenant, f"tok_{parts[1]}", secret)
        if named and len(secret) == SECRET_BYTES
        else None
    )


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def _bytes(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
