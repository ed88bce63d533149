"""Edit as successor: nothing is edited in place; the edited claim is a proposal of its own.

- The original change is rejected without a tombstone: its value is not known wrong.
- The successor keeps source, evidence and target; what was edited is named in its reason.
- Whether the original can be decided is looked at first, and the successor is proposed before the original goes:
  a refusal leaves nothing behind, and nothing is lost between the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from muniment.core.diff import Pending
from muniment.core.encode import encode
from muniment.core.errors import Finding, InvalidInput, quoted
from muniment.ports.credential import Signer
from muniment.usecases.apply import Outcome
from muniment.usecases.pending import load
from muniment.usecases.policy import may_review_own
from muniment.usecases.propose import Proposed, propose
from muniment.usecases.review import Choice, require_reviewer, review, sign
from muniment.usecases.session import Session

_MADE_HERE = ("id", "version", "created_at", "slot")


def edit(
    session: Session,
    diff_id: str,
    change_id: str,
    item: Mapping[str, Any],
    signer: Signer,
    reason: str,
) -> tuple[Proposed, Outcome]:
    """Replace a pending change by an edited one.

    Args:
        session: The reviewer's session.
        diff_id: The diff.
        change_id: The change, an add or supersede.
        item: The parts of the claim that are different now, in wire form.
        signer: The reviewer's opened credential.
        reason: Why it was edited.

    Raises:
        NotPermitted: No reviewer's role, or a credential that is not this principal's registered one.
        InvalidInput: The change has no claim to edit or was decided already, or the edited one breaks a rule;
            nothing was written.
    """
    choice = Choice("rejected", f"edited: {reason}", keep_value_open=True)
    with session.store.snapshot(session.tenant) as snapshot:
        viewing = session.viewing(snapshot)
        require_reviewer(viewing, signer)
        pending = load(viewing, diff_id)
        edited = _successor(pending, change_id, item, reason)
        own = may_review_own(session, viewing, pending.diff.scope)
        sign(
            session, pending, {change_id: choice}, signer, own
        )  # refuses what could not be decided
    successor = propose(session, edited)
    choice = replace(choice, reason=f"edited as {successor.diff.id}: {reason}")
    return successor, review(session, diff_id, {change_id: choice}, signer)


def _successor(
    pending: Pending, change_id: str, item: Mapping[str, Any], reason: str
) -> dict[str, Any]:
    change = next((c for c in pending.diff.changes if c.id == change_id), None)
    if change is None or change.item is None:
        message = f"{quoted(change_id)} holds no claim that could be edited"
        raise InvalidInput.of(
            (Finding("nothing_to_edit", message, "/changes", "name an add or supersede"),)
        )
    before = {key: value for key, value in encode(change.item).items() if key not in _MADE_HERE}
    edited = {**before, "review": {"status": "proposed"}, **item}
    frame = encode(pending.diff)
    changed = {key: value for key, value in encode(change).items() if key != "item"}
    changed = {**changed, "item": edited, "reason": f"{change.reason}; edited: {reason}"}
    return {
        **{key: frame[key] for key in ("scope", "trigger", "basis") if key in frame},
        "changes": [changed],
    }
