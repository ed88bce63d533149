"""Messages of foreign conversations as lines that `muniment learn` keeps: one message a line.

- A line says what its message says: identifier, conversation, role, text, and the time where it is an instant.
- Where a message came from (the export's digest, and its place in it) stands beside it.
- The file appears whole or not at all.

>>> import tempfile
>>> with tempfile.TemporaryDirectory() as folder:
...     lines = MessageLines(Path(folder, "chat.jsonl"))
...     lines.add("sha256:ab", Message("c-1", "m-1", "user", "Hi", Place(pointer="/0")))
...     lines.close(keep=True)
...     Path(folder, "chat.jsonl").read_text()
'{"id": "m-1", "conversation_id": "c-1", "role": "user", "text": "Hi", "source": "sha256:ab#/0"}\\n'
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from pathlib import Path

from muniment.core.encode import encode
from muniment.core.errors import Finding, InvalidInput, quoted
from muniment.ports.importing import Message, Place

_ = Place  # named by the doctest


class MessageLines:
    """A file of messages while it is being written."""

    def __init__(self, target: Path) -> None:
        """Begin beside the target.

        Raises:
            InvalidInput: Nothing can be written there.
        """
        self.target = target
        try:
            handle, self._name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}-")
        except (OSError, ValueError) as error:
            why = (getattr(error, "strerror", "") or "it is no file's name").lower()
            message = f"{quoted(target)} cannot be written: {why}"
            fix = "name a file that you may write"
            raise InvalidInput.of(
                (Finding("unwritable_file", message, "--messages", fix),)
            ) from error
        self._stream = os.fdopen(handle, "wb")

    def add(self, digest: str, message: Message) -> None:
        """Write one message."""
        at = message.at.instant if message.at else None
        line = {
            "id": message.id,
            "conversation_id": message.conversation,
            "role": message.role,
            "text": message.text,
            "at": encode(at) if at else "",
            "source": f"{digest}#{message.place.pointer or message.place.line}",
        }
        told = {key: value for key, value in line.items() if value}
        self._stream.write(json.dumps(told, ensure_ascii=False).encode("utf-8", "replace") + b"\n")

    def close(self, keep: bool) -> None:
        """Put the file in its place, or leave nothing behind."""
        self._stream.close()
        if keep:
            Path(self._name).replace(self.target)
        else:
            with contextlib.suppress(OSError):
                Path(self._name).unlink()
