"""The verbs of the library's front object that see what waits, and decide on it.

- Who decides signs: with an opened credential here, or elsewhere, where the credential is.

`memory.Memory` has them.

>>> from muniment import Memory
>>> Memory.open(None).acting_as("user:ada", scopes=["project:shop"]).inbox()
()
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from muniment.core.access import Scope
from muniment.core.authority import gated
from muniment.core.diff import Decided, Pending
from muniment.ports.credential import Signer
from muniment.usecases.session import Session

if TYPE_CHECKING:
    from muniment.usecases.apply import Outcome
    from muniment.usecases.examine import Examined
    from muniment.usecases.listing import ListedDecision
    from muniment.usecases.propose import Proposed
    from muniment.usecases.review import Choice


class Reviewing:
    """What a `Memory` does with proposals."""

    session: Session

    @gated
    def inbox(self) -> tuple[Pending, ...]:
        """Diffs of the scopes in force with a change that waits for a decision, oldest first (`E-NOSCOPE`)."""
        from muniment.usecases.pending import waiting

        with self.session.store.snapshot(self.session.tenant) as snapshot:
            found = waiting(self.session.viewing(snapshot))
        return tuple(one for one in found if one.diff.scope in self.session.scopes)

    @gated
    def diff(self, diff_id: str) -> tuple[Pending, Examined]:
        """A diff with where its changes stand, and what the checks notice about it now.

        Raises:
            NotFound: Absent, or nothing of it visible.
        """
        from muniment.core.codec import micros
        from muniment.usecases.examine import examine
        from muniment.usecases.pending import load

        with self.session.store.snapshot(self.session.tenant) as snapshot:
            viewing = self.session.viewing(snapshot)
            pending = load(viewing, diff_id)
            return pending, examine(viewing, pending.diff, micros(self.session.now()))

    @gated
    def decisions(self) -> tuple[ListedDecision, ...]:
        """The latest decisions of the scopes in force on what who acts may see, the latest first."""
        from muniment.usecases.listing import decisions

        return decisions(self.session)

    @gated
    def may_review_own(self, scope: Scope) -> bool:
        """Whether a policy in force for a scope lets who acts decide on its own proposals."""
        from muniment.usecases.policy import may_review_own

        with self.session.store.snapshot(self.session.tenant) as snapshot:
            viewing = self.session.viewing(snapshot)
            return may_review_own(self.session, viewing, scope)

    @gated
    def review(self, diff_id: str, choices: Mapping[str, Choice], signer: Signer) -> Outcome:
        """Decide changes, and apply what is accepted; see `usecases.review`."""
        from muniment.usecases.review import review

        return review(self.session, diff_id, choices, signer)

    @gated
    def review_signed(
        self, diff_id: str, signed: Mapping[str, Decided], keep_open: Collection[str] = ()
    ) -> Outcome:
        """Decide changes by decisions that were signed elsewhere, by who holds the credential; see `usecases.review`.

        Args:
            diff_id: The diff.
            signed: Change id to the signed decision.
            keep_open: Changes that are rejected without a tombstone.
        """
        from muniment.usecases.review import review_signed

        return review_signed(self.session, diff_id, signed, frozenset(keep_open))

    @gated
    def edit(
        self, diff_id: str, change_id: str, item: Mapping[str, Any], signer: Signer, reason: str
    ) -> tuple[Proposed, Outcome]:
        """Edit as successor: propose the edited claim, and reject the original without a tombstone.

        The reviewer becomes the proposer, so somebody else (or a policy that allows it) decides on the successor.
        """
        from muniment.usecases.edit import edit

        return edit(self.session, diff_id, change_id, item, signer, reason)
