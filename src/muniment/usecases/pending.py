"""Proposals as somebody may see them: the diff, where each change stands, and what the checks notice.

- A change is visible to its proposer, and to whoever may see the class of its item or target; to nobody who lost sight
  of what it is about.
- Findings are computed anew from what the asker may see; nothing that only another saw is kept with the diff.
- A diff of which nothing is visible is not there; its free text is shown to who sees all of it.
- A diff without changes (or of which all were erased) is its proposer's alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from muniment.core.codec import trusted
from muniment.core.diff import Application, Change, Decided, Diff, Pending
from muniment.core.row import Doc
from muniment.usecases.viewing import Viewing, is_name, not_found

TRIGGER_URI = "trigger_uri"
"""Under which the address of what made somebody propose stands with the free text of a diff."""
ASKED = "asked"
"""Under which the digest of the request stands there that made a proposal of a name (`E-IDEMPOTENT`)."""


def change_doc_id(diff_id: str, change_id: str) -> str:
    """The ledger id of a change: change ids are unique within their diff only."""
    return f"{diff_id}/{change_id}"


def load(viewing: Viewing, diff_id: str) -> Pending:
    """One diff.

    Raises:
        NotFound: Absent, or nothing of it is visible.
    """
    doc = viewing.snapshot.doc("diff", diff_id) if is_name(diff_id) else None
    content = viewing.snapshot.contents([doc.seq]).get(doc.seq) if doc else None
    if doc is None or content is None:
        raise not_found("diff", diff_id)
    found = _assemble(viewing, doc, content)
    if found is None:
        raise not_found("diff", diff_id)
    return found


def _assemble(viewing: Viewing, doc: Doc, content: Mapping[str, Any]) -> Pending | None:
    snapshot = viewing.snapshot
    own = content["proposed_by"] == viewing.principal.name
    docs = [d for d in snapshot.docs("change", doc.id) if own or d.cls in viewing.classes]
    contents = snapshot.contents([d.seq for d in docs])
    known = tuple(trusted(Change, contents[d.seq]) for d in docs if d.seq in contents)
    changes = tuple(change for change in known if not viewing.loses(change))
    if not changes and (known or not own):
        return None
    decisions = _decisions(viewing, doc.id)
    lost = len(known) - len(changes)
    whole = len(docs) - lost == len(snapshot.docs("change", doc.id))
    diff = trusted(Diff, {**content, **(_note(viewing, content, doc.id) if whole else {})})
    if not viewing.reaches(diff.scope):
        return None
    shown = {change.id for change in changes}
    return Pending(
        replace(diff, changes=changes),
        {name: decided for name, decided in decisions.items() if name in shown},
        _application(viewing, doc.id, shown),
    )


def _note(viewing: Viewing, content: Mapping[str, Any], diff_id: str) -> Mapping[str, Any]:
    """The free text of a diff, put back where it belongs."""
    doc = viewing.snapshot.doc("note", diff_id)
    note = dict(viewing.snapshot.contents([doc.seq]).get(doc.seq, {})) if doc else {}
    note.pop(ASKED, None)
    if TRIGGER_URI in note:
        note["trigger"] = {**content["trigger"], "uri": note.pop(TRIGGER_URI)}
    return note


def _decisions(viewing: Viewing, diff_id: str) -> dict[str, Decided]:
    """The word on each change: a deferral, until there is a decision."""
    snapshot = viewing.snapshot
    docs = [*snapshot.docs("deferral", diff_id), *snapshot.docs("decision", diff_id)]
    contents = snapshot.contents([d.seq for d in docs])
    found = (trusted(Decided, contents[d.seq]) for d in docs if d.seq in contents)
    return {decided.change_id: decided for decided in found}


def _application(viewing: Viewing, diff_id: str, shown: set[str]) -> Application | None:
    """The record of what was applied: those of the changes that may be seen, the latest naming who and when."""
    docs = viewing.snapshot.docs("application", diff_id)
    contents = viewing.snapshot.contents([doc.seq for doc in docs])
    known = (trusted(Application, contents[doc.seq]) for doc in docs if doc.seq in contents)
    records = [record for record in known if shown.issuperset(record.accepted)]
    if not records:
        return None
    return replace(
        records[-1],
        accepted=tuple(name for record in records for name in record.accepted),
        resulting={name: one for record in records for name, one in record.resulting.items()},
        readings={name: one for record in records for name, one in record.readings.items()},
    )


def waiting(viewing: Viewing, proposed_by: str = "", since: int = 0) -> tuple[Pending, ...]:
    """Every visible diff with a change that nobody decided yet, oldest first.

    Args:
        viewing: Who looks.
        proposed_by: Only those of this proposer; what others proposed is then not read.
        since: Only those that were proposed after this revision.
    """
    snapshot = viewing.snapshot
    settled = {doc.id for doc in snapshot.docs("decision")}
    open_diffs = {doc.parent for doc in snapshot.docs("change") if doc.id not in settled}
    docs = [d for d in snapshot.docs("diff") if d.id in open_diffs and d.revision > since]
    contents = snapshot.contents([doc.seq for doc in docs])
    wanted = (
        (doc, contents[doc.seq])
        for doc in docs
        if doc.seq in contents and proposed_by in ("", contents[doc.seq]["proposed_by"])
    )
    found = (_assemble(viewing, doc, content) for doc, content in wanted)
    return tuple(p for p in found if p is not None and open_changes(p))


def open_changes(pending: Pending) -> tuple[Change, ...]:
    """The changes that still wait for a decision."""
    return tuple(
        c for c in pending.diff.changes if pending.state_of(c.id) in ("pending", "needs_review")
    )
