"""The verbs of the library's front object for working and short-term memory.

- A note is written without review, for its writer alone, in a turn, task or conversation, and ends by itself; it is
  never recalled. What should last is proposed from it, and reviewed.

`memory.Memory` has them.

>>> from muniment import Memory
>>> me = {"level": "user-private", "allowed_principals": ["user:ada"]}
>>> memory = Memory.open(None).acting_as(
...     "agent:codex", scopes=["task:release", "repository:shop"], visibility=me, uses=["answer_questions"]
... )
>>> memory.note("order", "Tag before publishing.", lasts="2h").note.memory_type
'working'
>>> [note.text for note in memory.notes("publishing")]
['Tag before publishing.']
>>> memory.propose_note("order").proposed.diff.changes[0].item.source.kind
'note'
>>> memory.end_notes().notes, memory.notes()
(1, ())
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from muniment.core.access import Scope
from muniment.core.authority import gated
from muniment.usecases.session import Session

if TYPE_CHECKING:
    from muniment.core.note import Note
    from muniment.usecases.end_notes import Ended
    from muniment.usecases.propose_note import NoteProposed
    from muniment.usecases.take_note import Noted


class Noting:
    """What a `Memory` does with notes."""

    session: Session

    @gated
    def note(
        self,
        key: str,
        text: str,
        *,
        lasts: timedelta | float | str | None = None,
        until: datetime | str | None = None,
        scope: str | Scope = "",
    ) -> Noted:
        """Write a note, in place of one under the same key; see `usecases.take_note`.

        Args:
            key: Its name in its scope.
            text: What it says.
            lasts: How long: a duration, seconds, or a text such as `2h`.
            until: Or until when; one of the two is needed.
            scope: The turn, task or conversation; the only one in force by default.

        Raises:
            InvalidInput: A rule refuses it, or it is too much; nothing was written.
        """
        from muniment.usecases.take_note import take_note

        return take_note(self.session, key, text, lasts=lasts, until=until, scope=scope)

    @gated
    def notes(
        self, query: str = "", *, prefix: str = "", scope: str | Scope = ""
    ) -> tuple[Note, ...]:
        """One's own notes of the scopes in force, by words and by what their keys begin with; all by default."""
        from muniment.usecases.find_notes import find_notes

        return find_notes(self.session, query, prefix=prefix, scope=scope)

    @gated
    def read_note(self, key: str, *, scope: str | Scope = "") -> Note:
        """One note.

        Raises:
            NotFound: There is none, or none any more.
        """
        from muniment.usecases.find_notes import read_note

        return read_note(self.session, key, scope=scope)

    @gated
    def end_notes(self, *keys: str, scope: str | Scope = "", withdraw: bool = False) -> Ended:
        """End the named notes, or all of a turn, task or conversation that is over; their bytes are removed.

        Args:
            *keys: Which; all of the scope by default.
            scope: The turn, task or conversation; the only one in force by default.
            withdraw: Whether what was proposed from them, and nobody decided yet, is taken back.
        """
        from muniment.usecases.end_notes import end_notes

        return end_notes(self.session, *keys, scope=scope, withdraw=withdraw)

    @gated
    def rename_notes(
        self, names: Mapping[str, str], *, scope: str | Scope = ""
    ) -> tuple[Note, ...]:
        """Give notes other keys, all or none; see `usecases.keep_notes`.

        Raises:
            NotFound: A note is not there.
            InvalidInput: A new key is none, or is used already.
        """
        from muniment.usecases.keep_notes import rename_notes

        return rename_notes(self.session, names, scope=scope)

    @gated
    def renew_notes(
        self, lasts: Mapping[str, timedelta | float | str], *, scope: str | Scope = ""
    ) -> tuple[Note, ...]:
        """Move the ends of notes that are still there; see `usecases.keep_notes`.

        Raises:
            InvalidInput: An end is none, or too far.
        """
        from muniment.usecases.keep_notes import renew_notes

        return renew_notes(self.session, lasts, scope=scope)

    @gated
    def propose_note(
        self,
        key: str,
        statements: Sequence[str] | None = None,
        *,
        scope: str | Scope = "",
        leave_out: bool = False,
        **parts: Any,
    ) -> NoteProposed:
        """Propose what a note says as claims that wait for review; see `usecases.propose_note`.

        Args:
            key: The note's name in its scope.
            statements: What is to be claimed; by default the note's whole text. Where it is empty, nothing is
                proposed, and what was and nobody decided yet is withdrawn.
            scope: The note's turn, task or conversation; the only one in force by default.
            leave_out: Whether statements that a rule refuses are left out, instead of refusing all.
            **parts: Further parts of each claim in wire form; `claim_scope` is where they hold, by default the only
                lasting scope in force, and `origin` how the writer came to know them.

        Raises:
            NotFound: There is no such note.
            InvalidInput: A rule refuses it; nothing was proposed.
        """
        from muniment.usecases.propose_note import propose_note

        where = parts.pop("claim_scope", None)
        given = {**parts, "scope": str(where)} if where else parts
        return propose_note(
            self.session, key, statements, scope=scope, leave_out=leave_out, parts=given
        )
