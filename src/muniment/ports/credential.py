"""How a reviewer's signature is made and checked (E-APPROVER).

- A signer holds an opened credential; it exists only after the passphrase was given.
- A verifier needs the public key alone, and answers; it never raises.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable


@runtime_checkable
class Signer(Protocol):
    """An opened reviewer credential."""

    @property
    def principal(self) -> str:
        """Who reviews."""

    @property
    def public_key(self) -> str:
        """The public key, base64 of 32 bytes."""

    def sign(self, message: bytes) -> str:
        """A signature over a review of `message`, base64 of 64 bytes."""


class Verifier(Protocol):
    """Checks signatures of reviews."""

    def __call__(self, public_key: str, message: bytes, signature: str) -> bool:
        """Whether `signature` is the key's signature over a review of `message`; False for anything malformed."""
