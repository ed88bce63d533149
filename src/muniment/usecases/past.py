"""The past of what leaves: what a store recorded before, as far as who exports may see it, for a restore.

- Of every claim that leaves: each version with the instant at which it was recorded, the changes that were proposed of
  it, who proposed them and why, and what was decided. And values that were rejected, conflicts as they came and were
  settled, and claims that were erased, by name alone.
- What waits for a decision is not told, nor what this store recorded only because it restored something.
- Numbers of states count what is told, and nothing else (`B-TRAVEL`).
- What came by a restore goes out again as it came in, with the export that told it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from muniment.core.codec import trusted
from muniment.core.diff import RESTORE, Change, says_of
from muniment.core.encode import encode
from muniment.core.namespace import may_leave
from muniment.core.record import claim_from, is_frame
from muniment.core.row import Doc
from muniment.ports.interchange import TOLD, Past, past_without, without_names
from muniment.usecases.pending import load
from muniment.usecases.revisions import recorded_in
from muniment.usecases.viewing import Viewing

Placed = tuple[tuple[int, int], Past]
"""Revision and event, and what they recorded."""


def past_of(viewing: Viewing, classes: frozenset[str], leaving: frozenset[str]) -> tuple[Past, ...]:
    """What was recorded before.

    Args:
        viewing: Who exports.
        classes: What may go along.
        leaving: The claims that leave.
    """
    work = _Work(viewing, classes, leaving)
    parts = (work.versions(), work.changes(), work.recounted(), work.conflicts(), work.erased())
    placed = sorted((one for part in parts for one in part), key=lambda one: one[0])
    number = {one: n for n, one in enumerate(dict.fromkeys(place[0] for place, _ in placed), 1)}
    return past_without((replace(one, step=number[place[0]]) for place, one in placed), ())


class _Work:
    """Gathers, kind by kind."""

    def __init__(self, viewing: Viewing, classes: frozenset[str], leaving: frozenset[str]) -> None:
        self.viewing, self.snapshot = viewing, viewing.snapshot
        self.classes, self.leaving = classes, leaving
        self.instants = recorded_in(self.snapshot)

    def _placed(self, place: tuple[int, int], one: Past) -> Placed:
        return place, replace(one, at=self.instants[place[0]])

    def versions(self) -> Iterator[Placed]:
        """Every version of a claim that leaves; the latest by its name."""
        for claim_id in sorted(self.leaving):
            rows = [row for row in self.snapshot.history(claim_id) if row.cls in self.classes]
            contents = self.snapshot.contents([row.seq for row in rows[:-1]])
            for row in rows:
                content = contents.get(row.seq)
                if content is None and row is not rows[-1]:
                    continue
                claim = without_names(claim_from(content), self.viewing.sees) if content else None
                past = Past(0, "", "version", claim_id, (claim_id,), claim)
                yield self._placed((row.revision, row.seq), past)

    def changes(self) -> Iterator[Placed]:
        """Decided changes of what leaves, and rejected values; each proposal's frame before its first change."""
        docs = [doc for doc in self.snapshot.docs("change") if doc.cls in self.classes]
        told: dict[str, list[tuple[Doc, Past]]] = {}
        for doc, content, decision, application in self._decided(docs):
            one = self._change(doc, content, decision, application)
            if one is not None:
                told.setdefault(doc.parent, []).append((doc, one))
        for diff_id, changes in told.items():
            first = (changes[0][0].revision, changes[0][0].seq)
            yield from self._frame(diff_id, first, frozenset(doc.id for doc, _ in changes))
            for doc, one in changes:
                yield self._placed((doc.revision, doc.seq), one)

    def _decided(self, docs: Collection[Doc]) -> Iterator[tuple[Doc, Any, Any, Any]]:
        decisions = {doc.id: doc.seq for doc in self.snapshot.docs("decision")}
        applications = {doc.id: doc.seq for doc in self.snapshot.docs("application")}
        wanted = [doc for doc in docs if doc.id in decisions]
        seqs = {doc.seq for doc in wanted} | {decisions[doc.id] for doc in wanted}
        seqs |= {applications[doc.id] for doc in wanted if doc.id in applications}
        contents = self.snapshot.contents(seqs)
        for doc in wanted:
            content, decision = contents.get(doc.seq), contents.get(decisions[doc.id])
            if content and decision:
                yield doc, content, decision, contents.get(applications.get(doc.id, 0))

    def _change(self, doc: Doc, content: Any, decision: Any, application: Any) -> Past | None:
        change = trusted(Change, content)
        if change.declares == RESTORE or not self._leaves(change, decision["decision"]):
            return None
        told: dict[str, Any] = {
            "decision": dict(decision),
            "application": dict(application or {}),
        }
        if decision["decision"] == "rejected" and self._is_refused(doc, change):
            told["stone"] = True
        return self._past(doc, {**content, TOLD: told}, change)

    def _past(self, doc: Doc, content: Mapping[str, Any], change: Change) -> Past:
        item = without_names(change.item, self.viewing.sees) if change.item else None
        rest = {name: value for name, value in content.items() if name != "item"}
        return Past(0, "", "change", doc.id, change.subjects, item, rest, self._where(doc.cls))

    def _leaves(self, change: Change, decision: str) -> bool:
        """Whether everything that a change names leaves; the item of a rejected one is in no claim.

        Nothing leaves that was made from a claim which was narrowed and stays.
        """
        if not self.leaving.issuperset(says_of(change) & self._narrowed):
            return False
        item = change.item
        own = {item.id} if item and decision == "rejected" and may_leave(item.namespace) else set()
        return self.leaving.issuperset(set(change.subjects) - own)

    @cached_property
    def _narrowed(self) -> frozenset[str]:
        return frozenset(doc.parent for doc in self.snapshot.docs("narrowed"))

    def _is_refused(self, doc: Doc, change: Change) -> bool:
        """Whether the tombstone that a rejection left is still there."""
        if change.item is None:
            return False
        docs = [one for one in self._stones if change.item.id == one["claim"]]
        name = doc.id.partition("/")
        return any((one.get("diff"), one.get("change")) == (name[0], name[2]) for one in docs)

    @cached_property
    def _stones(self) -> Collection[Mapping[str, Any]]:
        docs = [one for one in self.snapshot.docs("tombstone") if one.cls in self.classes]
        return self.snapshot.contents([one.seq for one in docs]).values()

    def _where(self, cls: str) -> Mapping[str, Any]:
        return {
            "scope": encode(self.viewing.scope_of(cls)),
            "audience": encode(self.viewing.audience_of(cls)),
        }

    def _frame(
        self, diff_id: str, place: tuple[int, int], told: frozenset[str]
    ) -> Iterator[Placed]:
        """Who proposed, where and when; its free text where the whole proposal is told."""
        doc = self.snapshot.doc("diff", diff_id)
        content = self.snapshot.contents([doc.seq]).get(doc.seq) if doc else None
        if content is None:
            return
        frame = {name: value for name, value in content.items() if name != "scope"}
        where = {"scope": content["scope"]}
        yield self._placed(place, Past(0, "", "frame", diff_id, content=frame, where=where))
        note = self.snapshot.doc("note", diff_id)
        whole = {one.id for one in self.snapshot.docs("change", diff_id)} == told
        text = self.snapshot.contents([note.seq]).get(note.seq) if note and whole else None
        if text:
            about = {s for c in load(self.viewing, diff_id).diff.changes for s in c.subjects}
            past = Past(0, "", "note", diff_id, tuple(sorted(about)), content=text)
            yield self._placed(place, past)

    def recounted(self) -> Iterator[Placed]:
        """What an export told this store before."""
        docs = self.snapshot.docs("recounted")
        contents = self.snapshot.contents([doc.seq for doc in docs])
        known = [(doc, contents[doc.seq]) for doc in docs if doc.seq in contents]
        changes = {doc.id: (doc, content) for doc, content in known if TOLD in content}
        told = {name: one for name, (d, c) in changes.items() if (one := self._told_before(d, c))}
        left = {doc.parent for name, (doc, _) in changes.items() if name not in told}
        for doc, content in known:
            past = told.get(doc.id) or _of_a_whole(doc, content)
            if past is not None and not (past.kind == "note" and past.id in left):
                yield self._placed((doc.revision, doc.seq), past)

    def _told_before(self, doc: Doc, content: Mapping[str, Any]) -> Past | None:
        plain = {name: value for name, value in content.items() if name != TOLD}
        change, told = trusted(Change, plain), dict(content[TOLD])
        told.pop("stone", None)
        if doc.cls not in self.classes:
            return None
        if not self._leaves(change, told["decision"]["decision"]):
            return None
        if told["decision"]["decision"] == "rejected" and self._is_refused(doc, change):
            told["stone"] = True
        return self._past(doc, {**content, TOLD: told}, change)

    def conflicts(self) -> Iterator[Placed]:
        """Conflicts between claims that leave: as they began, and as they stand where that is something else."""
        docs = self.snapshot.docs("conflict")
        contents = self.snapshot.contents([doc.seq for doc in docs])
        for doc in docs:
            content = contents.get(doc.seq)
            if content is None or not self.leaving.issuperset(content["between"]):
                continue
            about = tuple(content["between"])
            if doc.first_seq != doc.seq:
                first = next(self.snapshot.envelopes(doc.first_seq - 1))
                open_then = {k: v for k, v in content.items() if k != "resolved_at"}
                past = Past(0, "", "conflict", "", about, content={**open_then, "resolved": ""})
                yield self._placed((first.revision, first.seq), past)
            past = Past(0, "", "conflict", "", about, content=content)
            yield self._placed((doc.revision, doc.seq), past)

    def erased(self) -> Iterator[Placed]:
        """The names of claims that were erased, with what they had superseded."""
        docs = [doc for doc in self.snapshot.docs("erased") if doc.cls in self.classes]
        contents = self.snapshot.contents([doc.seq for doc in docs])
        for doc in docs:
            content = dict(contents.get(doc.seq, {}))
            content["supersedes"] = [s for s in content.get("supersedes", ()) if s in self.leaving]
            past = Past(0, "", "erased", doc.id, (), content=content, where=self._where(doc.cls))
            yield self._placed((doc.revision, doc.seq), past)


def _of_a_whole(doc: Doc, content: Mapping[str, Any]) -> Past | None:
    """The frame or the free text of a proposal that an export told."""
    if is_frame("recounted", content):
        frame = {name: value for name, value in content.items() if name != "scope"}
        return Past(0, "", "frame", doc.id, content=frame, where={"scope": content["scope"]})
    if "note" in content:
        return Past(0, "", "note", doc.parent, tuple(content["about"]), content=content["note"])
    return None
