"""What an operator does with a memory: declare, erase, check, embed. Part of the library's front object.

- What is declared is signed once a credential is registered; what is checked counts everybody's writes, and so needs
  the operator's role then.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from muniment import wiring
from muniment.core.authority import gated
from muniment.core.event import Verification
from muniment.core.policy import Policy
from muniment.ports.credential import Signer
from muniment.ports.learning import Progress
from muniment.usecases.session import Session

if TYPE_CHECKING:
    from muniment.core.claim import Claim
    from muniment.core.token import Token
    from muniment.usecases.declare import Declaration
    from muniment.usecases.doctor import Diagnosis
    from muniment.usecases.embedding import Embedded
    from muniment.usecases.erase import Erased
    from muniment.usecases.erase_source import ToErase
    from muniment.usecases.retain import Retained
    from muniment.usecases.tokens import Made


class Operating:
    """The operator's verbs; `memory.Memory` has them all."""

    def __init__(self, session: Session) -> None:
        """Wrap a session."""
        self.session = session

    @gated
    def declare(self, *declarations: Declaration, signer: Signer | None = None) -> str:
        """Declare principals, groups, roles, credentials (`usecases.declare`)."""
        from muniment.usecases.declare import declare

        return declare(self.session, declarations, signer)

    @gated
    def declared(self, kind: str) -> tuple[Mapping[str, Any], ...]:
        """The latest declarations of a kind: principal, group, role, credential, policy, retention or lifecycle.

        An operator sees all; anybody else those about itself and its groups.
        """
        from muniment.usecases.declare import declared

        with self.session.store.snapshot(self.session.tenant) as snapshot:
            return declared(self.session.viewing(snapshot), kind)

    @gated
    def is_governed(self) -> bool:
        """Whether somebody's credential is registered, so that declarations have to be signed."""
        from muniment.usecases.declare import is_bootstrap

        with self.session.store.snapshot(self.session.tenant) as snapshot:
            return not is_bootstrap(snapshot)

    @gated
    def declare_policy(self, policy: Policy, signer: Signer) -> str:
        """Declare a policy, signed by its reviewer."""
        from muniment.usecases import declare

        return declare.declare(
            self.session, (declare.policy(self.session, policy, signer),), signer
        )

    @gated
    def create_token(self, wanted: Token, signer: Signer | None = None) -> Made:
        """Make a bearer's token; its text is in the answer and nowhere else (`usecases.tokens`)."""
        from muniment.usecases.tokens import create_token

        return create_token(self.session, wanted, signer)

    @gated
    def rotate_token(self, name: str, signer: Signer | None = None) -> Made:
        """A new token with the bounds of an old one, which serves no more."""
        from muniment.usecases.tokens import rotate_token

        return rotate_token(self.session, name, signer)

    @gated
    def revoke_token(self, name: str, signer: Signer | None = None) -> Token:
        """Take a token back."""
        from muniment.usecases.tokens import revoke_token

        return revoke_token(self.session, name, signer)

    @gated
    def tokens(self) -> tuple[Token, ...]:
        """All tokens of the tenant; an operator sees them."""
        from muniment.usecases.tokens import tokens

        return tokens(self.session)

    @gated
    def erase(self, id: str, signer: Signer | None) -> Erased:
        """Erase the content of a claim, source or passage everywhere; see `usecases.erase` and `erase_source`."""
        from muniment.usecases.erase import erase
        from muniment.usecases.erase_source import erase_source, is_source_or_passage

        verb = erase_source if is_source_or_passage(id) else erase
        return verb(self.session, id, signer)

    @gated
    def to_erase(self, name: str) -> Claim | ToErase:
        """What `erase` would erase: a claim, accepted, pending or rejected; or a source or passage."""
        from muniment.usecases.erase import to_erase
        from muniment.usecases.erase_source import is_source_or_passage, to_erase_source

        if is_source_or_passage(name):
            return to_erase_source(self.session, name)
        return to_erase(self.session, name)

    @gated
    def retain(self, *, apply: bool = False, signer: Signer | None = None) -> Retained:
        """Look for retrievals and claims that are kept no longer, as declared; do it where `apply` says so."""
        from muniment.usecases.retain import retain

        return retain(self.session, apply=apply, signer=signer)

    @gated
    def lift(self, tombstone: str, reason: str, signer: Signer) -> int:
        """Lift a tombstone by name, on new evidence."""
        from muniment.usecases.erase import lift

        return lift(self.session, tombstone, reason, signer)

    @gated
    def verify(self, head: str = "") -> Verification:
        """Check the ledger, against a kept head where one is given.

        Raises:
            NotPermitted: A principal acts that is no operator: what comes out counts what others wrote.
        """
        from muniment.usecases.doctor import verify

        return verify(self.session, head)

    @gated
    def doctor(self, head: str = "") -> Diagnosis:
        """Check the ledger, what is derived from it, and that every acceptance is accounted for."""
        from muniment.usecases.doctor import diagnose

        return diagnose(self.session, wiring.read_file, head)

    @gated
    def rebuild(self) -> None:
        """Drop everything derived and fold the ledger again."""
        from muniment.usecases.doctor import rebuild

        rebuild(self.session)

    @gated
    def reindex(self) -> None:
        """Drop the index alone and write it again from what is derived; the same answers follow (`E-REBUILD`)."""
        from muniment.usecases.doctor import reindex

        reindex(self.session)

    @gated
    def embed(self, progress: Progress | None = None) -> Embedded:
        """Embed every visible claim that has no vector in the declared space; memory is searchable meanwhile.

        Args:
            progress: Told how far it is.

        Raises:
            InvalidInput: No embedder is declared.
            EmbedderUnavailable: It did not answer; what was embedded until then is kept.
        """
        from muniment.usecases.embedding import embed_pending

        return embed_pending(self.session, progress)
