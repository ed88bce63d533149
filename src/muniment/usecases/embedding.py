"""What claims mean by embedding: the vector of a question, and those of claims before they are written.

- One space is declared for a session; vectors of other spaces are never compared, and the packet says how many claims
  the question could be compared with (`A-EMBVERSION`).
- Texts are embedded before the transaction that writes them; a text without a vector waits for one, and says so.
- Only what the acting principal may see is handed to an embedder.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from muniment.core.embedding import Space
from muniment.core.errors import EmbedderUnavailable, Finding, InvalidInput
from muniment.core.similarity import QUESTIONS, STATEMENTS, Calibration, calibrated, calibration_of
from muniment.ports.embedding import Embedder
from muniment.ports.learning import Progress
from muniment.usecases.session import Session
from muniment.usecases.viewing import Viewing

BATCH = 512
"""Texts that are embedded together."""
JOINED = 16_384
"""Vectors that are written before they join the index."""


_PROBED: dict[Space, Calibration] = {}
"""Spaces that were measured by this process."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """A question's vector and what closeness to it says.

    Attributes:
        space: Where it lies.
        vector: Signed bytes; empty where the question has no words.
        calibration: What closeness says in that space.
    """

    space: Space
    vector: bytes
    calibration: Calibration


def text_of(content: Mapping[str, Any]) -> str:
    """What is embedded of a claim or passage, from its JSON form: its title, sentence, summary and body; its text.

    >>> text_of({"claim": "The shop uses pnpm.", "title": "Package manager"})
    'Package manager\\nThe shop uses pnpm.'
    """
    parts = (content.get(name, "") for name in ("title", "claim", "summary", "body", "text"))
    return "\n".join(part for part in parts if part)


def calibration_for(embedder: Embedder) -> Calibration:
    """What closeness says in an embedder's space; one that nobody measured is measured now."""
    known = calibration_of(embedder.space) or _PROBED.get(embedder.space)
    if known is None:
        known = calibrated(embedder.space, embedder.embed(QUESTIONS), embedder.embed(STATEMENTS))
        _PROBED[embedder.space] = known
    return known


def meaning_of(session: Session, query: str) -> Meaning | None:
    """A question's meaning; None where nothing embeds.

    Raises:
        EmbedderUnavailable: The embedder did not answer.
    """
    embedder = session.embedder()
    if embedder is None:
        return None
    (vector,) = embedder.embed([query])
    return Meaning(embedder.space, vector, calibration_for(embedder))


def needs_embedder() -> InvalidInput:
    """A method was asked for that compares by embedding, and nothing embeds."""
    message = "nothing is compared by embedding: no embedder is configured"
    fix = "install `muniment[embeddings]` and run `muniment init --embedder wordllama`, or use another method"
    return InvalidInput.of((Finding("method_not_available", message, "/method", fix),))


def vectors_of(session: Session, texts: Iterable[str]) -> tuple[str, dict[str, bytes]]:
    """The space's name and the vectors of some texts; nothing where nothing embeds, or it does not answer now.

    What has no vector is found by its words meanwhile, and `embed_pending` catches up.
    """
    embedder = session.embedder()
    wanted = list(dict.fromkeys(text for text in texts if text))
    if embedder is None or not wanted:
        return "", {}
    try:
        vectors = embedder.embed(wanted)
    except EmbedderUnavailable:
        return "", {}
    named = {text: data for text, data in zip(wanted, vectors, strict=True) if data}
    return str(embedder.space), named


# --- catching up ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Embedded:
    """What catching up came to.

    Attributes:
        space: The space.
        embedded: How many claims and passages got a vector.
        already: How many had one.
        without: How many have no words to embed.
    """

    space: str
    embedded: int
    already: int
    without: int


def embed_pending(session: Session, progress: Progress | None = None) -> Embedded:
    """Embed every visible claim and passage that has no vector in the session's space (`A-EMBVERSION`).

    Claims stay searchable meanwhile; they join the space in steps.

    Args:
        session: Who asks; only what it may see is embedded.
        progress: Told how far it is.

    Raises:
        InvalidInput: No embedder is configured.
        EmbedderUnavailable: It did not answer; what was embedded until then is kept.
    """
    embedder = session.embedder()
    if embedder is None:
        raise needs_embedder()
    space = str(embedder.space)
    with session.store.snapshot(session.tenant) as snapshot:
        pending, already = _pending(session.viewing(snapshot), space)
    done = without = 0
    for begin in range(0, len(pending), JOINED):
        vectors: dict[int, bytes] = {}
        for start in range(begin, min(begin + JOINED, len(pending)), BATCH):
            seqs = pending[start : min(start + BATCH, begin + JOINED)]
            with session.store.snapshot(session.tenant) as snapshot:
                texts = {seq: text_of(c) for seq, c in snapshot.contents(seqs).items()}
            found = zip(texts, embedder.embed(list(texts.values())), strict=True)
            vectors.update((seq, data) for seq, data in found if data)
            without += sum(1 for seq in texts if seq not in vectors)
            if progress is not None:
                progress(start + len(seqs), len(pending), "embedded")
        done += _joined(session, space, vectors)
    return Embedded(space, done, already, without)


def _joined(session: Session, space: str, vectors: dict[int, bytes]) -> int:
    """Write vectors of what is still there."""
    if not vectors:
        return 0
    with session.store.transaction(session.tenant) as transaction:
        there = transaction.contents(list(vectors))
        kept = {seq: data for seq, data in vectors.items() if seq in there}
        transaction.embed(space, kept)
    return len(kept)


def _pending(viewing: Viewing, space: str) -> tuple[list[int], int]:
    """Events of visible latest versions and passages without a vector in a space, and how many have one."""
    from muniment.index.nearness import has_vector

    pending: list[int] = []
    already = 0
    numbers = {row.number for row in viewing.classes.values()}
    for family in ("claim", "passage"):
        for run in viewing.snapshot.index(family).runs(numbers):
            held = has_vector(run, space)
            already += int((held & run.live).sum())
            pending += run.seqs((~held & run.live).nonzero()[0]).tolist()
    return sorted(pending), already
