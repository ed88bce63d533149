"""What every adapter does with a direct write: keep it as a note, and propose the same.

- A write that may not be kept (a secret, too much, no end) is refused; one that may be kept and not be proposed (it was
  rejected before, it is too long for a claim) is kept, and what refused it is told and logged.
- Proposing the same again proposes nothing; when a note says something else, what it no longer says and nobody decided
  yet is withdrawn, and so it is when the note is deleted.
- Deleting ends the note. What was accepted stays.

>>> from muniment import Memory
>>> me = {"level": "user-private", "allowed_principals": ["user:ada"]}
>>> memory = Memory.open(None).acting_as(
...     "agent:codex", scopes=["task:release", "repository:shop"], visibility=me, uses=["answer_questions"]
... )
>>> direct = Direct(memory)
>>> for _ in range(2):
...     _ = direct.write("files/a", "- The shop ships on Fridays.", ["The shop ships on Fridays."])
>>> [note.key for note in direct.notes("files/")], len(memory.inbox())
(['files/a'], 1)
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from muniment.core.errors import Finding, InvalidInput, NotFound
from muniment.core.note import LIVES, Note
from muniment.core.packet import Packet
from muniment.memory import Memory

LOG = logging.getLogger("muniment.adapters")

Lasts = timedelta | float | str
LEAST_WORDS = 3
"""Words of a line that is proposed: fewer are a label, a mark or a name."""


def log_refused(findings: tuple[Finding, ...]) -> None:
    """Say in the log what was kept as a note and could not be proposed."""
    for finding in findings:
        LOG.warning("kept as a note, not proposed: %s", finding)


@dataclass(frozen=True, slots=True)
class Direct:
    """An agent's own place to write to, and what it may read beside.

    Attributes:
        memory: Acts as the agent, in a turn, task or conversation for its notes and a lasting scope for its claims.
        scope: The turn, task or conversation; the only one in force by default.
        lasts: How long a note lasts that does not say it.
        propose: Whether what is written is proposed too.
        origin: How the agent comes to know what it writes, such as `conversation`; not certain by default.
        parts: Further parts of each proposed claim in wire form.
        use: What the agent wants reviewed memory for.
        budget: Tokens of reviewed memory at most.
        refused: Told what was kept and not proposed.
    """

    memory: Memory
    scope: str = ""
    lasts: Lasts = "7d"
    propose: bool = True
    origin: str = ""
    parts: Mapping[str, Any] = field(default_factory=dict)
    use: str = "answer_questions"
    budget: int = 1_200
    refused: Callable[[tuple[Finding, ...]], None] = log_refused

    def __post_init__(self) -> None:
        """Refuse what could never work, before an agent writes anything.

        Raises:
            InvalidInput: There is nowhere for notes, or what is proposed would lack its scope or visibility.
        """
        self.memory.notes(prefix="\n", scope=self.scope)
        if not self.propose:
            return
        session = self.memory.session
        lasting = [one for one in session.scopes if one.kind not in LIVES]
        if len(lasting) != 1 and not self.parts.get("claim_scope"):
            message = (
                f"what is written is proposed in one lasting scope, and {len(lasting)} are in force"
            )
            fix = "name it with `parts={'claim_scope': 'repository:…'}`, or give `propose=False`"
            found = Finding("no_scope", message, "/parts/claim_scope", fix, req="B-V2")
            raise InvalidInput.of((found,))
        if not (session.visibility or self.parts.get("visibility")):
            told = "it is not said who may see what is proposed"
            fix = "give `acting_as(…, visibility=…)`, or `propose=False`"
            found = Finding("no_visibility", told, "/parts/visibility", fix, req="B-V3")
            raise InvalidInput.of((found,))

    # --- writing ----------------------------------------------------------------------------------

    def write(
        self, key: str, text: str, statements: Sequence[str], lasts: Lasts | None = None
    ) -> Note:
        """Keep a note, and propose statements of it.

        Args:
            key: The note's name.
            text: What it says.
            statements: What of it is proposed.
            lasts: How long it lasts.

        Raises:
            InvalidInput: It may not be kept; nothing was written or proposed.
        """
        length = self.lasts if lasts is None else lasts
        note = self.memory.note(key, text, lasts=length, scope=self.scope).note
        if self.propose:
            self._propose(key, statements)
        return note

    def _propose(self, key: str, statements: Sequence[str]) -> None:
        parts = {**self.parts, **({"origin": self.origin} if self.origin else {})}
        try:
            came = self.memory.propose_note(
                key, statements, scope=self.scope, leave_out=True, **parts
            )
        except InvalidInput as error:
            self.refused(error.findings)
        else:
            if came.refused:
                self.refused(came.refused)

    def delete(self, *keys: str) -> None:
        """End notes, and withdraw what was proposed from them.

        Raises:
            NotFound: One is not there; none was ended.
        """
        if keys:
            self.memory.end_notes(*keys, scope=self.scope, withdraw=self.propose)

    # --- reading ----------------------------------------------------------------------------------

    def notes(self, prefix: str) -> tuple[Note, ...]:
        """One's own notes whose keys begin so, sorted by key."""
        return self.memory.notes(prefix=prefix, scope=self.scope)

    def note(self, key: str) -> Note | None:
        """One note; None where there is none."""
        try:
            return self.memory.read_note(key, scope=self.scope)
        except NotFound:
            return None

    def ask(self, query: str, k: int = 12, **options: Any) -> Packet:
        """What reviewed memory permits and says to a question."""
        return self.memory.recall(
            query, use=self.use, k=k, **{"budget": self.budget, **options}
        ).packet
