"""The verbs of the library's front object that keep what was said.

- A conversation is kept word for word, unreviewed; recall hands its passages over only where they are asked for.

`memory.Memory` has them.

>>> from muniment import Memory
>>> me = {"level": "user-private", "allowed_principals": ["user:ada"]}
>>> memory = Memory.open(None).acting_as("user:ada", scopes=["conversation:c1"], visibility=me)
>>> memory.keep_conversation(b'{"speaker": "Bob", "text": "My aunt lives in Leeds."}', "chat.jsonl").kept
1
>>> packet = memory.recall("Where does the aunt live?", use="answer_questions", include_passages=True).packet
>>> packet.outcome, packet.quotes[0].said.text
('unreviewed', 'My aunt lives in Leeds.')
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from muniment import wiring
from muniment.core.authority import gated
from muniment.usecases.session import Session

if TYPE_CHECKING:
    from muniment.usecases.keep_conversation import Heard


class Keeping:
    """What a `Memory` does with conversations."""

    session: Session

    @gated
    def learn_conversation(self, path: str | Path) -> Heard:
        """Keep the messages of a file; see `usecases.keep_conversation`.

        Raises:
            InvalidInput: The file cannot be read, no line of it is a message, or it is not certain where it belongs.
            NotPermitted: Who keeps it could not see it.
        """
        file = Path(path)
        return self.keep_conversation(wiring.read_bytes(file), file.name)

    @gated
    def keep_conversation(self, data: bytes, name: str) -> Heard:
        """The same from bytes, under a name."""
        from muniment.usecases.keep_conversation import keep_conversation

        return keep_conversation(self.session, name, data, wiring.read_conversation)
