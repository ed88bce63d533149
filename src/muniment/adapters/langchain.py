"""LangChain: a retriever over reviewed memory and own notes, and a store of bytes (`muniment[langchain]`).

- A document is one whole claim, with its citations, status and labels in the metadata, and with the packet's outcome,
  conflicts and warnings; or one of the agent's own notes. `metadata["label"]` says which: `reviewed` or `own note`.
- Nothing that supports an answer is an empty list, never the nearest noise.
- `MunimentByteStore` keeps bytes as notes. It is no memory of statements, so nothing of it is proposed.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from muniment.adapters.direct import Direct
from muniment.adapters.keys import joined, parted
from muniment.adapters.reviewed import REVIEWED, evidence_of, warnings_of
from muniment.core.encode import time_text
from muniment.core.note import Note
from muniment.core.text import text_findings
from muniment.memory import Memory

try:
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.stores import BaseStore
    from pydantic import ConfigDict
except ImportError as error:
    raise ImportError(
        "the LangChain retriever needs the package `langchain-core`: pip install 'muniment[langchain]'"
    ) from error

OWN = "own note"


class MunimentRetriever(BaseRetriever):
    """Documents from reviewed memory, and from the agent's own notes after them.

    Attributes:
        memory: Acts as the agent.
        use: What the documents are wanted for.
        k: Documents at most.
        budget: Tokens of reviewed memory at most.
        include_notes: Whether own notes that hold a word of the question follow.
        scope: The turn, task or conversation of the notes; the only one in force by default.
        options: Further options of a recall, such as `include_history`.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    memory: Any
    use: str
    k: int = 8
    budget: int = 2_000
    include_notes: bool = False
    scope: str = ""
    options: dict[str, Any] = {}  # noqa: RUF012 - pydantic copies it for each

    def _get_relevant_documents(
        self, query: str, *, run_manager: Any, k: int | None = None
    ) -> list[Any]:
        """Documents for a question, those of reviewed memory first."""
        del run_manager
        most = self.k if k is None else k
        recalled = self.memory.recall(
            query, use=self.use, k=most, **{"budget": self.budget, **self.options}
        )
        packet = recalled.packet
        told = warnings_of(packet)
        found = [
            Document(
                id=item["id"],
                page_content=text,
                metadata={**item, **told, "label": REVIEWED, **_source_of(item)},
            )
            for item, text in evidence_of(packet)
        ]
        if self.include_notes:
            notes = self.memory.notes(query, scope=self.scope)
            found += [_of_note(note) for note in notes[: max(0, most - len(found))]]
        return found[:most]


def _source_of(item: Mapping[str, Any]) -> dict[str, Any]:
    """The address under the key where chains look for it, and all of the source beside it."""
    return {"source": item["source"]["uri"] or "", "source_details": item["source"]}


def _of_note(note: Note) -> Any:
    return Document(
        id=note.id,
        page_content=note.text,
        metadata={
            "label": OWN,
            "source": note.uri,
            "key": note.key,
            "scope": str(note.scope),
            "memory_type": note.memory_type,
            "updated_at": time_text(note.updated_at),
            "expires_at": time_text(note.expires_at),
        },
    )


class MunimentByteStore(BaseStore[str, bytes]):
    """Keys and bytes in the agent's own notes, which end.

    Args:
        memory: Acts as the agent.
        lasts: How long a value is kept.
        scope: The turn, task or conversation; the only one in force by default.
        name: Tells stores in one scope apart.
    """

    def __init__(
        self, memory: Memory, *, lasts: Any = "7d", scope: str = "", name: str = "bytes"
    ) -> None:
        self._direct = Direct(memory, scope=scope, lasts=lasts, propose=False)
        self._prefix = f"langchain/{name}/"

    def _key(self, key: str) -> str:
        return self._prefix + joined((key,))

    def mget(self, keys: Sequence[str]) -> list[bytes | None]:
        """The values under some keys, None where there is none."""
        notes = [self._direct.note(self._key(key)) for key in keys]
        return [None if note is None else _bytes_of(note.text) for note in notes]

    def mset(self, key_value_pairs: Sequence[tuple[str, bytes]]) -> None:
        """Keep values."""
        for key, value in key_value_pairs:
            self._direct.write(self._key(key), _text_of(value), ())

    def mdelete(self, keys: Sequence[str]) -> None:
        """Let go of values; a key without one is passed over."""
        there = {note.key for note in self._direct.notes(self._prefix)}
        self._direct.delete(*(name for key in keys if (name := self._key(key)) in there))

    def yield_keys(self, *, prefix: str | None = None) -> Iterator[str]:
        """The keys that begin so, sorted."""
        for note in self._direct.notes(self._prefix):
            (key,) = parted(note.key.removeprefix(self._prefix))
            if key.startswith(prefix or ""):
                yield key


def _text_of(value: bytes) -> str:
    """Bytes as a text: themselves where they are one, so that secrets in it are seen; else base64."""
    try:
        text = value.decode("utf-8")
    except UnicodeDecodeError:
        text = None
    if text is not None and not text_findings(text, "", limit=len(text)):
        return f"text:{text}"
    return "base64:" + base64.b64encode(value).decode("ascii")


def _bytes_of(text: str) -> bytes:
    kind, _, kept = text.partition(":")
    return kept.encode("utf-8") if kind == "text" else base64.b64decode(kept)
