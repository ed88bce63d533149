"""Sync: keep a folder of concepts and the store together, both ways, and let nothing pass without review.

- A file that was edited, added or removed becomes a proposal; a claim that was accepted becomes a file.
- What both changed since they last agreed is shown with both sides; nothing of it is written or proposed, until
  somebody says which side is meant.
- Only claims that all readers of the folder may see go into it, and none of a namespace that does not leave.
- A file's word never accepts itself and widens nothing: a successor keeps scope and visibility of the claim that it
  would replace, and its low-risk uses; what is new gets the readers' visibility and the profile's low-risk uses.
- Proposals are recorded first, then files are written one by one, then what the folder remembers: a sync that is
  killed loses nothing, and the next one goes on. Run again, it changes nothing (`E-IDEMPOTENT`).

What follows from the three sides of a concept is `core.threeway`'s.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from muniment.core.access import Scope, Visibility, may_see
from muniment.core.claim import Claim
from muniment.core.diff import Basis, Change, Diff, Trigger
from muniment.core.errors import Finding, InvalidInput, quoted
from muniment.core.source import Source
from muniment.core.threeway import Action, decide, given_way, remembered, said, taken
from muniment.core.vocabulary import risk_of
from muniment.ports.syncing import (
    Changes,
    Entry,
    Shared,
    SharedConcept,
    SharedFolder,
    ToWrite,
)
from muniment.usecases.import_report import why
from muniment.usecases.imported import Importer, low_risk
from muniment.usecases.passing import Waiting, propose_what_passes
from muniment.usecases.session import Session
from muniment.usecases.sync_pairs import PRINCIPAL, Pair, Pairing
from muniment.usecases.sync_report import Clash, Suggested, Synced
from muniment.usecases.sync_store import Lines, for_folder
from muniment.usecases.viewing import Viewing

MOST_CHANGES = 200
"""Changes in one diff."""


def sync(
    session: Session,
    folder: SharedFolder,
    visibility: Visibility | None = None,
    dry_run: bool = False,
    ours: Collection[str] = (),
    theirs: Collection[str] = (),
) -> Synced:
    """Bring a folder and the store together.

    Args:
        session: Who syncs, and the one scope that the folder holds.
        folder: The folder.
        visibility: Who reads the folder; the session's visibility by default.
        dry_run: Whether to write nothing.
        ours: Files of conflicts in which the store's side is to be written.
        theirs: Files of conflicts in which the file's side is to be proposed.

    Raises:
        InvalidInput: The scope or the readers are not certain, or a named file is in no conflict; nothing was written.
    """
    scope, readers = _scope(session), visibility or session.visibility
    if readers is None:
        fix = "run `muniment init`, or give `--visibility`"
        message = "who reads the folder is not known"
        finding = Finding("no_visibility", message, "--visibility", fix, req="B-TRAVEL")
        raise InvalidInput.of((finding,))
    shared = folder.read()
    with session.store.snapshot(session.tenant) as snapshot:
        viewing = session.viewing(snapshot)
        _must_read(viewing, readers)
        lines = Lines(viewing, scope, readers.audience, shared.agreed)
        waiting = Waiting(viewing, PRINCIPAL, scope)
    importer = Importer(scope, readers, low_risk(session.uses), session.now())
    found = Pairing(session, importer, shared, lines, folder)
    run = _Run(session, scope, shared, lines, waiting, folder)
    run.decide(found.pairs(), frozenset(ours), frozenset(theirs))
    proposed, refused, findings = run.propose(dry_run)
    left = folder.write(run.changes(), dry_run)
    return Synced(
        scope, readers, dry_run, run.agreed, proposed, tuple(run.waits), refused, tuple(run.clashes),
        left.written, left.removed, left.changed_meanwhile, lines.withheld,
        (*shared.findings, *found.findings, *run.findings, *findings),
    )  # fmt: skip


def _must_read(viewing: Viewing, readers: Visibility) -> None:
    """Whoever syncs sees what it proposes; else it would propose it anew every time."""
    if not may_see(readers.audience, viewing.principal.everything):
        message = f"{quoted(viewing.principal.name)} is not among the readers of the folder"
        fix = "give `--visibility` with readers who include you, or let a reader sync"
        finding = Finding("not_a_reader", message, "--visibility", fix, req="B-TRAVEL")
        raise InvalidInput.of((finding,))


def _scope(session: Session) -> Scope:
    if len(session.scopes) == 1:
        return session.scopes[0]
    state = "several are in force" if session.scopes else "none is in force"
    message = f"a folder holds one scope, and {state}"
    fix = "name one with `--scope kind:id`"
    raise InvalidInput.of((Finding("no_scope", message, "--scope", fix, req="B-V2"),))


class _Run:
    """One sync: pairs concepts with claims, decides each, and keeps what follows."""

    def __init__(
        self,
        session: Session,
        scope: Scope,
        shared: Shared,
        lines: Lines,
        waiting: Waiting,
        folder: SharedFolder,
    ) -> None:
        self.session, self.scope, self.shared, self.folder = session, scope, shared, folder
        self.lines, self.now = lines, session.now()
        self.waiting = waiting
        self.agreed = 0
        self.waits: list[Suggested] = []
        self.clashes: list[Clash] = []
        self.findings: list[Finding] = []
        self._wanted: list[tuple[Change, Suggested, SharedConcept | None]] = []
        self._write: list[ToWrite] = []
        self._remove: list[str] = []
        self._entries: dict[str, Entry] = dict(shared.entries)
        self._settled: dict[str, str] = {}
        """Claims in use whose file stays, with its path."""

    # --- deciding ---------------------------------------------------------------------------------

    def decide(self, pairs: Iterable[Pair], ours: frozenset[str], theirs: frozenset[str]) -> None:
        """Decide every concept.

        Raises:
            InvalidInput: A named file is in no conflict.
        """
        taken_paths = {one.file for one in self.shared.concepts} | self.shared.unread
        met: set[str] = set()
        for pair in pairs:
            sides = pair.sides
            action = decide(sides)
            if action == "conflict" and self._is_waiting(pair, taken(sides)):
                continue
            if action == "conflict" and pair.path in ours | theirs:
                met.add(pair.path)
                action = given_way(sides) if pair.path in ours else taken(sides)
            self._act(pair, action, taken_paths)
        unmet = sorted((ours | theirs) - met)
        if unmet:
            raise InvalidInput.of(tuple(_no_conflict(name) for name in unmet))

    def _act(self, pair: Pair, action: Action, taken_paths: set[str]) -> None:
        if action == "same":
            self._same(pair)
        elif action == "conflict":
            self.clashes.append(Clash(pair.path, pair.concept, pair.theirs, pair.head))
        elif action == "write":
            self._give(pair, taken_paths)
        elif action == "remove":
            self._remove.append(pair.path)
            base = pair.sides.base or (pair.sides.theirs or "",)
            self._entries[pair.concept] = Entry("", base)
        elif not self._is_waiting(pair, action):
            self._suggest(pair, action)
        if pair.file and pair.entry and pair.concept in self._entries and action != "remove":
            entry = self._entries[pair.concept]
            self._entries[pair.concept] = replace(entry, file=entry.file and pair.file.file)

    def _same(self, pair: Pair) -> None:
        """Both say the same; a file of ours whose text was edited is written as its claim is now."""
        self.agreed += pair.head is not None
        if pair.file is not None and pair.file.not_taken:
            names = ", ".join(pair.file.not_taken)
            message = f"what was edited here is not taken: {names}"
            fix = "propose it; scope, visibility, uses and trust never come from a file"
            self.findings.append(Finding("sync_not_taken", message, pair.path, fix, "warning"))
        base, now = pair.sides.base, pair.sides.theirs
        if pair.head is not None and pair.file is not None:
            self._settled[pair.head.id] = pair.path
            self._entries[pair.concept] = Entry(pair.path, remembered(base, now))
            if not pair.file.is_whole and not pair.file.not_taken:
                self._add_file(pair, pair.path)
        elif base:
            self._entries[pair.concept] = Entry("", base)

    def _give(self, pair: Pair, taken_paths: set[str]) -> None:
        """The store's word becomes the file."""
        assert pair.head is not None
        path = pair.path
        if not path:
            path = self.folder.path_for(pair.head, pair.concept, taken_paths)
            default = self.folder.path_for(pair.head, pair.concept, ())
            if default in self.shared.unread:
                return  # it is there already, and cannot be read
        taken_paths.add(path)
        self._settled[pair.head.id] = path
        self._entries[pair.concept] = Entry(path, remembered(pair.sides.base, said(pair.head)))
        self._add_file(pair, path)

    def _add_file(self, pair: Pair, path: str) -> None:
        assert pair.line is not None
        assert pair.line.out is not None
        self._write.append(ToWrite(pair.concept, path, pair.line.out))

    def _is_waiting(self, pair: Pair, action: Action) -> bool:
        """Whether the file's word waits for review already."""
        target = pair.head.id if pair.head else ""
        diff_id = self.waiting.slots.get(pair.theirs.slot, "") if pair.theirs else ""
        if action == "deprecate":
            diff_id = self.waiting.targets.get(target, "")
        if diff_id:
            self.waits.append(replace(self._suggested(pair, action), diff_id=diff_id))
        return bool(diff_id)

    def _suggested(self, pair: Pair, action: Action) -> Suggested:
        target = pair.head.id if pair.head and action != "add" else ""
        says = pair.theirs or pair.head
        assert action in ("add", "supersede", "deprecate")
        return Suggested(pair.path, pair.concept, action, says.claim if says else "", target)

    # --- proposing --------------------------------------------------------------------------------

    def _suggest(self, pair: Pair, action: Action) -> None:
        found = self._suggested(pair, action)
        name = f"change_{len(self._wanted) % MOST_CHANGES + 1:03d}"
        where = quoted(pair.path or pair.concept)
        if action == "deprecate":
            reason = f"{where} is gone from the shared folder, or says that it does not hold"
            source = Source("import", uri=f"urn:mif:{pair.concept}", derivation="imported")
            change = Change(name, "deprecate", reason, None, found.target_id, source=source)
        elif action == "add":
            change = Change(name, "add", f"{where} says so", pair.theirs)
        else:
            assert pair.theirs is not None
            assert pair.head is not None
            reason = f"{where} says so; it said something else when it was last synced"
            item = _successor(pair.theirs, pair.head)
            change = Change(name, "supersede", reason, item, pair.head.id)
        self._wanted.append((change, found, pair.file))

    def propose(
        self, dry_run: bool
    ) -> tuple[tuple[Suggested, ...], tuple[Suggested, ...], tuple[Finding, ...]]:
        """Propose what files say: what was proposed, what was refused, and what a reviewer should see."""
        proposed: list[Suggested] = []
        refused: list[Suggested] = []
        findings: dict[str, Finding] = {}
        for start in range(0, len(self._wanted), MOST_CHANGES):
            part = self._wanted[start : start + MOST_CHANGES]
            by_id = {change.id: one for change, one, _ in part}
            files = [file for _, _, file in part if file is not None]

            def out(change: Change, finding: Finding, by_id: dict[str, Suggested] = by_id) -> None:
                refused.append(replace(by_id[change.id], reason=why(finding)))

            passed = propose_what_passes(
                self.session,
                tuple(change for change, _, _ in part),
                lambda changes, files=files: self._diff(changes, files),  # type: ignore[misc]
                out,
                dry_run,
                self.waiting,
            )
            self.waits += [replace(by_id[n], diff_id=d) for n, d in passed.overtaken.items()]
            proposed += [replace(by_id[c.id], diff_id=passed.diff_id) for c in passed.changes]
            for finding in passed.findings:
                findings.setdefault(finding.code, finding)
        return tuple(proposed), tuple(refused), tuple(findings.values())

    def _diff(self, changes: tuple[Change, ...], files: list[SharedConcept]) -> Diff:
        return Diff(
            id=self.session.fresh_id("mdiff"),
            created_at=self.now,
            proposed_by=PRINCIPAL,
            scope=self.scope,
            trigger=Trigger("sync", "", "observed", self.now),
            basis=tuple(Basis(file.source.uri) for file in files[:50]),
            summary=f"sync: {len(changes)} concepts of a shared folder say something else",
            changes=changes,
        )

    # --- writing ----------------------------------------------------------------------------------

    def changes(self) -> Changes:
        """What is to be left in the folder; its files name only claims that are in it."""
        among = frozenset(self._settled)
        heads = {line.head.id: line for line in self.lines.all if line.head is not None}
        write = tuple(
            replace(one, claim=for_folder(heads[one.claim.claim.id], among)) for one in self._write
        )
        named = {claim: (path, _label(heads[claim].head)) for claim, path in self._settled.items()}
        return Changes(write, tuple(self._remove), named, self._entries)


def _label(claim: Claim | None) -> str:
    text = " ".join((claim.title or claim.claim).split()) if claim else ""
    return text if len(text) <= 80 else text[:79] + "…"


def _successor(theirs: Claim, head: Claim) -> Claim:
    """What a file says, with the boundaries of the claim that it would replace."""
    kept = tuple(use for use in head.allowed_uses if risk_of(use) == "low")
    uses = kept if theirs.allowed_uses else ()  # what is over at its source serves nothing
    return replace(theirs, visibility=head.visibility, allowed_uses=uses)


def _no_conflict(name: str) -> Finding:
    message = f"{quoted(name)} is in no conflict"
    fix = "name a file as `muniment sync DIR` shows it"
    return Finding("sync_no_conflict", message, name, fix)
