"""Erase what a conversation said: a whole source, or one passage of it (`A-DELETE`).

- An operator's act, signed, as for claims. Content, lines, index rows and logged questions go; envelopes stay.
- A passage's line goes with it, and so the line of a message's other parts: they stay readable, unchecked.
- What was erased is known by a keyed digest alone, and is not kept again when its file comes back.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from muniment.core.encode import encode
from muniment.core.event import Event
from muniment.core.ids import is_id
from muniment.core.passage import Kept, Said, kept_from, said_from
from muniment.core.row import Doc
from muniment.ports.credential import Signer
from muniment.usecases.declare import require_operator
from muniment.usecases.erase import Erased
from muniment.usecases.session import Session
from muniment.usecases.viewing import Viewing, is_name, not_found, token_of


@dataclass(frozen=True, slots=True)
class ToErase:
    """What would go.

    Attributes:
        id: `src_…` or `psg_…`.
        summary: What it is, in one line.
        passages: How many passages.
    """

    id: str
    summary: str
    passages: int


def is_source_or_passage(name: object) -> bool:
    """Whether a name is a source's or a passage's identifier.

    >>> is_source_or_passage("src_0000000000000000000000001a"), is_source_or_passage("mem_x")
    (True, False)
    """
    return is_id(name, "src") or is_id(name, "psg")


def erase_source(session: Session, name: str, signer: Signer | None) -> Erased:
    """Erase a source with all of its passages, or one passage.

    Raises:
        NotFound: Absent or not visible.
        NotPermitted: No operator with its own credential.
    """
    with session.store.transaction(session.tenant) as transaction:
        viewing = session.viewing(transaction)
        require_operator(viewing, signer)
        doc = _found(viewing, name)
        passages = _passages(viewing, doc)
        events = list(_events(session, doc, passages))
        token = token_of(transaction, transaction.append(events, session.now()))
        removed = transaction.erase(doc.id)  # a source is a subject of everything that it held
    return Erased(name, removed, token, session.store.checkpoint())


def _events(session: Session, doc: Doc, passages: tuple[Doc, ...]) -> Iterator[Event]:
    told = {"at": encode(session.now()), "by": session.principal}
    for one in passages:
        stone = {**told, "why": "erased", "claim": one.id, "family": one.id}
        yield Event("tombstone", one.id, stone, one.id, (), one.cls)
    yield Event("erased", doc.id, {**told, "supersedes": []}, cls=doc.cls)


def to_erase_source(session: Session, name: str) -> ToErase:
    """What `erase_source` would erase.

    Raises:
        NotFound: Absent or not visible.
    """
    with session.store.snapshot(session.tenant) as snapshot:
        viewing = session.viewing(snapshot)
        doc = _found(viewing, name)
        content = snapshot.contents([doc.seq]).get(doc.seq)
        if content is None:
            raise not_found("source or passage", name)
        if doc.collection == "source":
            return ToErase(name, _of_source(kept_from(content)), len(_passages(viewing, doc)))
        return ToErase(name, _of_passage(said_from(content)), 1)


def _of_source(kept: Kept) -> str:
    return f"{kept.kind} {kept.name}"


def _of_passage(said: Said) -> str:
    return ": ".join(filter(None, (said.speaker, said.text)))


def _found(viewing: Viewing, name: str) -> Doc:
    collection = "source" if is_id(name, "src") else "passage"
    doc = viewing.snapshot.doc(collection, name) if is_name(name) else None
    if doc is None or doc.cls not in viewing.classes:
        raise not_found("source or passage", name)
    return doc


def _passages(viewing: Viewing, doc: Doc) -> tuple[Doc, ...]:
    return viewing.snapshot.docs("passage", doc.id) if doc.collection == "source" else (doc,)
