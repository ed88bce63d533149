"""Look at what was kept word for word: a source with how it begins, or a passage with what stands around it.

- It is shown as nobody has reviewed it, and serves no action; it is cited by its own bytes.
- What stands around is of the same session of the same source; what was erased is left out.
- Absent and not visible have one answer; what was erased has it too.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice, takewhile

from muniment.core.access import Scope
from muniment.core.event import Envelope
from muniment.core.ids import is_id
from muniment.core.passage import Kept, Said, kept_from, said_from
from muniment.core.row import Doc
from muniment.usecases.erase_source import is_source_or_passage
from muniment.usecases.session import Session
from muniment.usecases.viewing import Viewing, not_found

LISTED = 20
"""Passages with which a source is shown."""
AROUND = 3
"""Passages of its session that stand on either side of one."""


@dataclass(frozen=True, slots=True)
class ShownSource:
    """A source, or a passage of it, as the asker may see it.

    Attributes:
        kept: The source.
        scope: Where it was kept.
        asked: The passage that was asked for; empty where the source was.
        passages: Identifiers and passages in the order in which they were said.
    """

    kept: Kept
    scope: Scope
    asked: str
    passages: tuple[tuple[str, Said], ...]


def show_source(session: Session, name: str) -> ShownSource:
    """A source or a passage by its identifier.

    Raises:
        NotFound: Absent, erased, or not visible.
    """
    with session.store.snapshot(session.tenant) as snapshot:
        viewing = session.viewing(snapshot)
        if not is_source_or_passage(name):
            raise not_found("source or passage", name)
        found = _of_source(viewing, name) if is_id(name, "src") else _of_passage(viewing, name)
        if found is None:
            raise not_found("source or passage", name)
        return found


def _of_source(viewing: Viewing, name: str) -> ShownSource | None:
    doc = _visible(viewing, "source", name)
    kept = _kept(viewing, doc)
    if doc is None or kept is None:
        return None
    passages = _said(viewing, _behind(viewing, doc, doc.first_seq))
    return ShownSource(kept, viewing.scope_of(doc.cls), "", tuple(passages[:LISTED]))


def _of_passage(viewing: Viewing, name: str) -> ShownSource | None:
    doc = _visible(viewing, "passage", name)
    content = viewing.snapshot.contents([doc.seq]).get(doc.seq) if doc else None
    if doc is None or content is None:
        return None
    said = said_from(content)
    source = _visible(viewing, "source", said.source)
    kept = _kept(viewing, source)
    if source is None or kept is None:
        return None
    before = _before(viewing, source, doc)
    after = _said(viewing, _behind(viewing, source, doc.first_seq))
    around = [[one for one in some if one[1].session == said.session] for some in (before, after)]
    passages = (*around[0][-AROUND:], (name, said), *around[1][:AROUND])
    return ShownSource(kept, viewing.scope_of(source.cls), name, passages)


def _visible(viewing: Viewing, collection: str, name: str) -> Doc | None:
    doc = viewing.snapshot.doc(collection, name)
    return doc if doc is not None and doc.cls in viewing.classes else None


def _kept(viewing: Viewing, doc: Doc | None) -> Kept | None:
    content = viewing.snapshot.contents([doc.seq]).get(doc.seq) if doc else None
    return kept_from(content) if content else None


def _behind(viewing: Viewing, source: Doc, seq: int) -> list[Envelope]:
    """Passages of a source that were kept after an event: all were, one after another, in one transaction."""
    following = islice(viewing.snapshot.envelopes(seq), 2 * LISTED)
    return list(takewhile(lambda one: one.parent == source.id and one.kind == "passage", following))


def _before(viewing: Viewing, source: Doc, doc: Doc) -> list[tuple[str, Said]]:
    """The passages of a source just before one of them."""
    first = max(source.first_seq, doc.first_seq - 1 - 2 * LISTED)
    behind = _behind(viewing, source, first)
    return _said(viewing, [one for one in behind if one.seq < doc.first_seq])


def _said(viewing: Viewing, envelopes: Iterable[Envelope]) -> list[tuple[str, Said]]:
    """What passages say, of those that were not erased and that the asker may see."""
    names = {one.seq: one.id for one in envelopes if one.cls in viewing.classes}
    contents = viewing.snapshot.contents(list(names))
    return [(names[seq], said_from(contents[seq])) for seq in sorted(contents)]
