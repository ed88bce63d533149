"""What was decided in another store, as an export told it: shown beside what was decided here, and marked.

- Each word stands with the digest of the export that told it. It is no decision of this store: nothing waits, is
  accepted or is checked by it, and its signature is not that of a reviewer here.
- A proposal is seen as far as its changes are; its free text, where all of them are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from muniment.core.codec import trusted
from muniment.core.diff import Change, Diff
from muniment.core.encode import encode
from muniment.core.row import Doc
from muniment.ports.interchange import EXPORT, TOLD
from muniment.usecases.pending import ASKED, TRIGGER_URI
from muniment.usecases.viewing import Viewing, not_found


def told_about(viewing: Viewing, claim_id: str) -> Iterator[Mapping[str, Any]]:
    """Decided changes of a claim, in the order in which they were proposed."""
    for envelope in viewing.snapshot.envelopes_about(claim_id):
        if envelope.kind == "recounted" and envelope.cls in viewing.classes:
            content = viewing.snapshot.contents([envelope.seq]).get(envelope.seq)
            if content and TOLD in content and not viewing.loses(_change_of(content)):
                yield {
                    "diff": envelope.parent,
                    "change": content["id"],
                    "operation": content["operation"],
                    "reason": content.get("reason"),
                    "decision": dict(content[TOLD]["decision"]),
                    "restored": content[TOLD][EXPORT],
                }


def why_told(viewing: Viewing, diff_id: str) -> Mapping[str, Any]:
    """What became of a proposal in another store.

    Raises:
        NotFound: No export told of it, or nothing of it may be seen.
    """
    snapshot = viewing.snapshot
    all_docs = snapshot.docs("recounted", diff_id)
    docs = [doc for doc in all_docs if doc.cls in viewing.classes]
    contents = snapshot.contents([doc.seq for doc in docs])
    known = [contents[doc.seq] for doc in docs if TOLD in contents.get(doc.seq, {})]
    changes = [one for one in known if not viewing.loses(_change_of(one))]
    frame = snapshot.doc("recounted", diff_id)
    kept = snapshot.contents([frame.seq]).get(frame.seq) if frame else None
    if not changes or kept is None:
        raise not_found("diff", diff_id)
    seen = all(doc.cls in viewing.classes for doc in all_docs if doc.cls)
    whole = seen and len(changes) == len(known)
    note = _note(viewing, all_docs, kept) if whole else {}
    diff = replace(trusted(Diff, {**kept, **note}), changes=tuple(map(_change_of, changes)))
    if not viewing.reaches(diff.scope):
        raise not_found("diff", diff_id)
    told = {str(one["id"]): one[TOLD] for one in changes}
    return {
        "diff": encode(diff),
        "states": {name: one["decision"]["decision"] for name, one in told.items()},
        "decisions": {name: dict(one["decision"]) for name, one in told.items()},
        "application": _application([one["application"] for one in told.values()]),
        "restored": next(iter(told.values()))[EXPORT],
    }


def _change_of(content: Mapping[str, Any]) -> Change:
    """A change without what was told of its decision."""
    return trusted(Change, {key: content[key] for key in content if key != TOLD})


def _note(viewing: Viewing, docs: tuple[Doc, ...], frame: Mapping[str, Any]) -> Mapping[str, Any]:
    contents = viewing.snapshot.contents([doc.seq for doc in docs if not doc.cls])
    note = next((dict(one["note"]) for one in contents.values() if "note" in one), {})
    note.pop(ASKED, None)
    if TRIGGER_URI in note:
        note["trigger"] = {**frame["trigger"], "uri": note.pop(TRIGGER_URI)}
    return note


def _application(records: list[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The record of what was applied, put together of those of its changes, the latest naming who and when."""
    made = [one for one in records if one]
    if not made:
        return None
    found = dict(made[-1])
    found["accepted"] = [name for one in made for name in one.get("accepted", ())]
    for key in ("resulting", "readings"):
        merged = {name: item for one in made for name, item in one.get(key, {}).items()}
        found |= {key: merged} if merged else {}
    return found
