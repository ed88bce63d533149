"""Go back to a source and see whether it still says so. Reading only; what follows is proposed and reviewed.

- A change's first checkable evidence is its primary one.
- What cannot be reached is `could_not_observe`: it renews nothing, and proves nothing.
"""

from __future__ import annotations

from muniment.core.diff import Change
from muniment.core.source import Evidence, Reading, Source, compare
from muniment.usecases.session import Session


def read_evidence(session: Session, change: Change) -> Reading | None:
    """What the source of a change says now; None where it has nothing that can be read again."""
    source = change.item.source if change.item else change.source
    return read_source(session, source) if source else None


def read_source(session: Session, source: Source) -> Reading | None:
    """What a source says now of its primary evidence."""
    primary = next((e for e in source.evidence if e.checkable), None)
    if primary is None or not (primary.uri or source.uri):
        return None
    return read_place(session, primary.uri or source.uri, primary)


def read_place(session: Session, uri: str, evidence: Evidence) -> Reading:
    """What stands at an address now, compared with evidence."""
    fetched = session.sources.fetch(uri)
    at = session.now()
    if fetched.state == "unreadable":
        return Reading("could_not_observe", at, detail=fetched.detail)
    return compare(evidence, fetched.data if fetched.state == "read" else None, at)
