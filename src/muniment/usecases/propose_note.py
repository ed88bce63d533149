"""Propose what a note says: the only way from working memory to what lasts (`A-WORKING`).

- It passes the same gate as any claim: a reviewer decides. The claims say that they come from a note, and quote of it
  what they state. The note stays until it ends.
- What already waits, or is accepted where the proposer may see it, is not proposed again.
- When a note was rewritten, its earlier proposals that nobody decided yet and that it no longer says are withdrawn.
- Where several statements are proposed together, those that a rule refuses can be left out by name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from muniment.core.access import Scope
from muniment.core.diff import Change
from muniment.core.draft import read_claim
from muniment.core.encode import encode
from muniment.core.errors import Finding, InvalidInput
from muniment.core.fold import claim_keys
from muniment.core.note import LIVES, LONGEST_NOTE, Note
from muniment.core.text import match_key
from muniment.usecases.examine import standing
from muniment.usecases.find_notes import read_note
from muniment.usecases.import_report import refused_changes
from muniment.usecases.pending import open_changes, waiting
from muniment.usecases.propose import Proposed, propose, refuse_oversized
from muniment.usecases.session import Session
from muniment.usecases.viewing import Viewing
from muniment.usecases.withdraw import withdraw

MOST_STATEMENTS = 200
"""Statements of one note that are proposed at once."""


@dataclass(frozen=True, slots=True)
class NoteProposed:
    """What proposing a note came to.

    Attributes:
        note: The note.
        proposed: What waits for review now; None where nothing new was said.
        waiting: Statements that waited already.
        known: Statements that are accepted already, with the claim that says them.
        refused: Why the others were left out.
        withdrawn: How many earlier proposals of this note were taken back.
    """

    note: Note
    proposed: Proposed | None = None
    waiting: tuple[str, ...] = ()
    known: Mapping[str, str] = field(default_factory=dict)
    refused: tuple[Finding, ...] = ()
    withdrawn: int = 0


def propose_note(
    session: Session,
    key: str,
    statements: Sequence[str] | None = None,
    *,
    scope: str | Scope = "",
    leave_out: bool = False,
    parts: Mapping[str, Any] | None = None,
) -> NoteProposed:
    """Propose what a note says.

    Args:
        session: Whose note it is; its visibility and uses are what the claims get where they do not say.
        key: The note's name in its scope.
        statements: What is to be claimed; by default the note's whole text, as one statement. Where it is empty,
            nothing is proposed, and what was is withdrawn.
        scope: The note's turn, task or conversation; the only one in force by default.
        leave_out: Whether statements that a rule refuses are left out, instead of refusing all.
        parts: Further parts of each claim in wire form; its `scope` is by default the only lasting one in force.

    Raises:
        NotFound: There is no such note.
        InvalidInput: A rule refuses it; nothing was proposed.
    """
    note = read_note(session, key, scope=scope)
    run = _Run(session, note, dict(parts or {}))
    said = _distinct((note.text,) if statements is None else statements)
    with session.store.snapshot(session.tenant) as snapshot:
        viewing = session.viewing(snapshot)
        waits, outdated = run.waiting(viewing, said)
        fresh = [text for word, text in said.items() if word not in waits]
        known = {text: id for text in fresh if (id := run.known(viewing, text))}
    wanted = [text for text in fresh if text not in known]
    proposed, refused = run.propose(wanted, leave_out) if wanted else (None, ())
    reason = "withdrawn: the note says something else now"
    withdrawn = withdraw(session, outdated, session.principal, reason)
    again = tuple(text for word, text in said.items() if word in waits)
    return NoteProposed(note, proposed, again, known, refused, withdrawn)


def _distinct(statements: Sequence[str]) -> dict[str, str]:
    """Statements by the form in which they are compared, each once.

    Raises:
        InvalidInput: There are too many.
    """
    said = {match_key(text): text.strip() for text in statements}
    if len(said) > MOST_STATEMENTS:
        message = f"{len(said):,} statements, over {MOST_STATEMENTS}"
        fix = "propose fewer at once"
        raise InvalidInput.of((Finding("too_many_statements", message, "/statements", fix),))
    return said


class _Run:
    """One proposing."""

    def __init__(self, session: Session, note: Note, parts: dict[str, Any]) -> None:
        refuse_oversized(parts)
        self.session, self.note, self.parts = session, note, parts
        lasting = [one for one in session.scopes if one.kind not in LIVES]
        if not parts.get("scope") and len(lasting) == 1:
            parts["scope"] = encode(lasting[0])
        if isinstance(parts.get("scope"), str):
            parts["scope"] = encode(Scope.parse(parts["scope"]))
        self.origin = parts.pop("origin", "")
        self.reason = str(parts.pop("reason", "") or "noted while at work")

    def waiting(
        self, viewing: Viewing, said: Mapping[str, str]
    ) -> tuple[set[str], list[tuple[str, Change]]]:
        """What of `said` waits already in the same scope, and what waits of this note that it no longer says."""
        waits: set[str] = set()
        outdated: list[tuple[str, Change]] = []
        for pending in waiting(viewing, self.session.principal):
            for change in open_changes(pending):
                word = match_key(change.item.claim) if change.item else ""
                if change.item and encode(change.item.scope) == self.parts.get("scope"):
                    waits.add(word)
                if pending.diff.trigger.uri == self.note.uri and word not in said:
                    outdated.append((pending.diff.id, change))
        return waits, outdated

    def known(self, viewing: Viewing, text: str) -> str:
        """The visible, accepted claim that says the same in the same scope; empty for none."""
        item, _ = read_claim(self._item(text), "mem_new")
        if item is None:
            return ""
        keys = claim_keys(item, viewing.snapshot.key)
        found = standing(viewing, Change("new", "add", item=item), keys)
        return next((one.right for one in found if one.kind == "duplicate"), "")

    def propose(
        self, statements: list[str], leave_out: bool
    ) -> tuple[Proposed | None, tuple[Finding, ...]]:
        """Propose statements; what was refused, where it is left out.

        Raises:
            InvalidInput: A rule refuses one, and none is left out; or all are refused for what they share.
        """
        try:
            return propose(self.session, self._diff(statements)), ()
        except InvalidInput as refusal:
            refused = refused_changes(refusal.findings)
            if not leave_out or not refused:
                raise
        kept = [text for index, text in enumerate(statements) if index not in refused]
        findings = tuple(refused.values())
        return (propose(self.session, self._diff(kept)) if kept else None), findings

    def _diff(self, statements: Sequence[str]) -> dict[str, Any]:
        note = self.note
        changes = [
            {"operation": "add", "reason": self.reason, "item": self._item(text)}
            for text in statements
        ]
        trigger = {
            "kind": "note",
            "uri": note.uri,
            "state": "observed",
            "observed_at": encode(note.updated_at),
        }
        scope = self.parts.get("scope")
        return {"trigger": trigger, "changes": changes, **({"scope": scope} if scope else {})}

    def _item(self, text: str) -> dict[str, Any]:
        session = self.session
        item: dict[str, Any] = {
            "claim": text,
            "source": self._source(text),
            "review": {"status": "proposed"},
            "provenance": {"activity": "note", "agent": session.principal},
        }
        if session.visibility is not None:
            item["visibility"] = encode(session.visibility)
        if session.uses:
            item["allowed_uses"] = list(session.uses)
        return {**item, **{name: value for name, value in self.parts.items() if value}}

    def _source(self, text: str) -> dict[str, Any]:
        """Where a statement comes from: the note, with the words that stand in it.

        Its origin is what the proposer says; what it does not say is not certain, and stays so (`A-INF-AMBIGUOUS`).
        """
        source: dict[str, Any] = {
            "kind": "note",
            "uri": self.note.uri,
            "observed_at": encode(self.note.updated_at),
        }
        if self.origin:
            source["origin"] = self.origin
        elif self.session.principal.startswith("user:"):
            source["origin"] = "user_input"
        else:
            source["candidate_origins"] = ["conversation", "inference", "tool_result"]
        quotes = list(_quotes(self.note.text, text))
        if quotes:
            source["evidence"] = quotes
        else:
            source["derivation"] = "inferred"
        return source


def _quotes(text: str, statement: str) -> Iterator[dict[str, Any]]:
    """The words and line of a statement that stands in a note; no digest, which would tell of the rest of it."""
    at = text.find(statement)
    if at >= 0 and len(statement) <= LONGEST_NOTE:
        yield {"quote": statement, "line": text.count("\n", 0, at) + 1}
