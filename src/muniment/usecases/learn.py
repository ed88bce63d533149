"""Learn: read a repository's own files and propose exactly what changed since the last time.

- One diff a run, proposed by `process:learn`, so that whoever runs it may review it.
- A slot that says something new is superseded, one that is gone is deprecated, one whose bytes or place moved is
  revalidated; where nothing changed, nothing is proposed.
- A proposal of an earlier run that the files no longer bear out is withdrawn; one that still holds is left waiting.
- Off the default branch, claims carry the branch as a condition.
- What the protected ref of a policy holds is cited there, byte for byte, so that the policy can decide.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from muniment.core.access import Scope, Visibility
from muniment.core.claim import Claim, Confidence, Fact, Freshness, Provenance, Validity
from muniment.core.diff import Basis, Change, Diff, Ignored, Trigger
from muniment.core.draft import draft_digest
from muniment.core.errors import Finding, InvalidInput
from muniment.core.extract import Extract
from muniment.core.policy import LEARNER, READ, STRUCTURED
from muniment.core.secret_scan import secret_findings
from muniment.core.source import Evidence, Reading, Source, evidence_of
from muniment.ports.learning import FileReader, Progress
from muniment.ports.source import Fetched, Repository, repo_uri
from muniment.usecases.left_out import left_out, without_refused
from muniment.usecases.pending import open_changes, waiting
from muniment.usecases.propose import Proposed, record
from muniment.usecases.session import Session
from muniment.usecases.tombstones import refusals
from muniment.usecases.viewing import Viewing
from muniment.usecases.withdraw import withdraw

PRINCIPAL = LEARNER
_SAYS_ELSE = "withdrawn: the files say something else now"


@dataclass(frozen=True, slots=True)
class Learned:
    """What a run came to.

    Attributes:
        scope: The repository's scope.
        files: Files that were read.
        statements: Statements that they hold.
        proposed: The recorded diff; None where nothing changed.
        waiting: Statements that wait for review since an earlier run.
        unchanged: Statements that are remembered already.
        left_out: Statements that were left out, with the reason.
        withdrawn: Earlier proposals that the files no longer bear out.
        findings: What could not be read.
    """

    scope: Scope
    files: int
    statements: int
    proposed: Proposed | None = None
    waiting: int = 0
    unchanged: int = 0
    left_out: tuple[Ignored, ...] = ()
    withdrawn: int = 0
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """A statement with the file that makes it."""

    extract: Extract
    path: str
    data: bytes
    ref: str | None
    commit: str


def silent(done: int, total: int, what: str) -> None:
    """Progress that nobody watches."""


def learn(
    session: Session,
    repository: Repository,
    reader: FileReader,
    protected_ref: str | None = None,
    progress: Progress = silent,
) -> Learned:
    """Read a repository and propose what changed.

    Args:
        session: Who runs it; `session.visibility` is what new claims get.
        repository: The folder.
        reader: Reads one file.
        protected_ref: The ref of a policy in force, if there is one.
        progress: Told how far it has come.

    Raises:
        InvalidInput: The session has no visibility for new claims.
    """
    if session.visibility is None:
        fix = "run `muniment init`, or give `--visibility`"
        raise InvalidInput.of(
            (Finding("no_visibility", "new claims would have no visibility", "", fix, req="B-V3"),)
        )
    scope = Scope("repository", repository.id)
    found, findings, files = read_all(repository, reader, protected_ref, progress)
    run = _Run(session, repository, scope, session.visibility)
    with session.store.snapshot(session.tenant) as snapshot:
        viewing = session.viewing(snapshot)
        run.seen = snapshot.revision
        changes = tuple(run.compare(viewing, found))
    withdrawn = withdraw(session, run.outdated, PRINCIPAL, _SAYS_ELSE)
    proposed = _propose(session, run, changes) if changes else None
    return Learned(
        scope, files, len(found), proposed, run.waiting, run.unchanged, tuple(run.left_out), withdrawn,
        findings + repository.findings(),
    )  # fmt: skip


def read_all(
    repository: Repository, reader: FileReader, protected_ref: str | None, progress: Progress
) -> tuple[dict[str, Found], tuple[Finding, ...], int]:
    """Every statement of a repository by slot, what could not be read, and how many files were."""
    found: dict[str, Found] = {}
    findings: list[Finding] = []
    paths = tuple(repository.files())
    for number, path in enumerate(paths, 1):
        progress(number, len(paths), path)
        fetched = repository.read(path)
        if fetched.data is None:
            findings.append(
                Finding(
                    "unreadable_file",
                    fetched.detail or "it cannot be read",
                    path,
                    severity="warning",
                )
            )
            continue
        result = reader(path, fetched.data)
        findings.extend(result.findings)
        if not result.extracts:
            continue
        ref, commit = _protected(repository, protected_ref, path, fetched)
        for extract in result.extracts:
            found.setdefault(extract.slot, Found(extract, path, fetched.data, ref, commit))
    return found, tuple(findings), len(paths)


def _protected(
    repository: Repository, ref: str | None, path: str, fetched: Fetched
) -> tuple[str | None, str]:
    """The protected ref, where it holds the very bytes that were read."""
    if ref is None:
        return None, ""
    blob = repository.read_at(ref, path)
    return (ref, blob.commit) if blob.data == fetched.data else (None, "")


class _Run:
    """Compares what files say with what is remembered and what waits."""

    def __init__(
        self, session: Session, repository: Repository, scope: Scope, visibility: Visibility
    ) -> None:
        self.session, self.repository, self.scope, self.visibility = (
            session,
            repository,
            scope,
            visibility,
        )
        self.now: datetime = session.now()
        self.condition = _branch_condition(repository)
        self.waiting = self.unchanged = self.seen = 0
        self.left_out: list[Ignored] = []
        self.outdated: list[tuple[str, Change]] = []

    def compare(self, viewing: Viewing, found: Mapping[str, Found]) -> Iterator[Change]:
        """The changes to propose."""
        remembered = self._remembered(viewing)
        pending = self._pending(viewing, 0)
        number = 0
        for change in self._wanted(viewing, found, remembered):
            key = _change_key(change)
            slot = change.item.slot if change.item else change.target_id
            earlier = pending.pop(slot, None)
            if earlier is not None and key == _change_key(earlier[1]):
                self.waiting += 1
                continue
            if earlier is not None:
                self.outdated.append(earlier)
            number += 1
            yield replace(change, id=f"change_{number:02d}")
        self.outdated.extend(pending.values())

    def _remembered(self, viewing: Viewing) -> dict[str, Claim]:
        rows = viewing.seen(viewing.snapshot.rows(viewing.classes_of((self.scope,))))
        live = [
            row
            for row in rows
            if row.review == "accepted" and not row.superseded_by and not row.retired
        ]
        claims = viewing.claims(live).values()
        return {c.slot: c for c in claims if c.slot and c.validity.conditions == self.condition}

    def overtaken(self, viewing: Viewing, changes: tuple[Change, ...]) -> frozenset[str]:
        """Those of some changes that another run proposed meanwhile; the store is locked."""
        if viewing.snapshot.revision == self.seen:
            return frozenset()
        pending = self._pending(viewing, self.seen)
        found = ((c, pending.get(c.item.slot if c.item else c.target_id)) for c in changes)
        return frozenset(c.id for c, one in found if one and _change_key(c) == _change_key(one[1]))

    def _pending(self, viewing: Viewing, since: int) -> dict[str, tuple[str, Change]]:
        """Open changes of runs for this repository after a revision, by slot or target."""
        found: dict[str, tuple[str, Change]] = {}
        for diff in waiting(_as(viewing, PRINCIPAL), since=since):
            if diff.diff.proposed_by == PRINCIPAL and diff.diff.scope == self.scope:
                for change in open_changes(diff):
                    slot = change.item.slot if change.item else change.target_id
                    found[slot] = (diff.diff.id, change)
        return found

    def _wanted(
        self, viewing: Viewing, found: Mapping[str, Found], remembered: Mapping[str, Claim]
    ) -> Iterator[Change]:
        for slot, one in found.items():
            item = self._claim(one)
            change = self._change(item, remembered.get(slot))
            if change is None:
                self.unchanged += 1
                continue
            old = remembered.get(slot) if change.operation == "supersede" else None
            refused = secret_findings(item.claim + "\n" + one.extract.value, "") or refusals(
                viewing, item, old
            )
            if refused and change.item is not None:
                line = item.source.evidence[0].line
                self.left_out.append(left_out(slot, line, refused[0]))
                continue
            yield change
        for slot, claim in remembered.items():
            if slot not in found and claim.provenance.activity == "learn":
                yield self._gone(claim)

    def _claim(self, one: Found) -> Claim:
        extract = one.extract
        evidence = replace(
            evidence_of(one.data, extract.start, extract.end, pointer=extract.pointer),
            commit=one.commit if extract.structured else "",
        )
        ref = one.ref if extract.structured else None  # a policy never accepts prose
        uri = repo_uri(self.repository.id, one.path, ref)
        fact = Fact(extract.subject or self.repository.id, extract.predicate, extract.value)
        how = STRUCTURED if extract.structured else "read from prose"
        return Claim(
            id=self.session.fresh_id("mem"),
            claim=extract.claim,
            scope=self.scope,
            source=Source("file", "observation", uri, self.now, (evidence,)),
            visibility=self.visibility,
            type=extract.claim_type,
            memory_type=extract.memory_type,
            content_kind="structured_data" if extract.structured else "text",
            facts=(fact,),
            steps=extract.steps,
            validity=Validity(conditions=self.condition),
            freshness=Freshness("current", self.now, None, READ),
            confidence=Confidence(0.98 if extract.structured else 0.9, "high", how),
            allowed_uses=tuple(sorted(extract.uses)),
            provenance=Provenance("learn", PRINCIPAL, self.now),
            slot=extract.slot,
            tags=extract.topics,
        )

    def _change(self, item: Claim, old: Claim | None) -> Change | None:
        if old is None:
            return Change("", "add", f"{_place(item)} says so", item)
        if _statement(item) != _statement(old):
            kept = replace(item, visibility=old.visibility)
            return Change("", "supersede", f"{_place(item)} says something else now", kept, old.id)
        new, was = item.source.evidence[0], old.source.evidence[0]
        same_place = (new.start, new.end, new.quote) == (was.start, was.end, was.quote)
        if same_place and item.source.uri == old.source.uri:
            return None
        reading = Reading("moved", self.now, new.digest, new.start, new.end, new.line)
        reason = f"{_place(item)} still says so, at another place"
        return Change("", "revalidate", reason, None, old.id, source=item.source, reading=reading)

    def _gone(self, claim: Claim) -> Change:
        reason = f"{_place(claim)} no longer says so"
        source = replace(claim.source, observed_at=self.now)
        return Change("", "deprecate", reason, None, claim.id, source=source)


def _as(viewing: Viewing, principal: str) -> Viewing:
    """The same snapshot, also with what another principal proposed itself."""
    other = Viewing(viewing.snapshot, principal)
    other.classes = {**other.classes, **viewing.classes}
    return other


def _branch_condition(repository: Repository) -> tuple[str, ...]:
    branch, default = repository.branch(), repository.default_branch()
    return (f"branch:{branch}",) if branch and default and branch != default else ()


def _place(claim: Claim) -> str:
    return claim.slot.partition("#")[0] or claim.source.uri


def _statement(claim: Claim) -> tuple[object, ...]:
    """What a claim says, whatever its bytes and place."""
    return claim.claim, claim.facts, claim.steps, claim.type, claim.allowed_uses, claim.tags


def _change_key(change: Change) -> tuple[object, ...]:
    """Equal for the same proposal made twice: times, identifiers and what else the file holds left out."""
    item = change.item
    statement: tuple[object, ...] = ()
    if item is not None:
        evidence = tuple(Evidence(quote=e.quote, pointer=e.pointer) for e in item.source.evidence)
        source = replace(item.source, observed_at=None, evidence=evidence)
        still = replace(item, freshness=Freshness(), source=source)
        statement = (draft_digest(still),)
    spans = (
        tuple((e.start, e.end, e.quote) for e in change.source.evidence) if change.source else ()
    )
    return change.operation, change.target_id, statement, spans


class _Overtaken(Exception):
    """Another run proposed some of the same meanwhile."""

    def __init__(self, changes: frozenset[str]) -> None:
        super().__init__()
        self.changes = changes


def _propose(session: Session, run: _Run, changes: tuple[Change, ...]) -> Proposed | None:
    """Propose what nobody else did meanwhile, and no rule refuses; None where that is nothing."""
    proposer = replace(session, principal=PRINCIPAL)

    def locked(viewing: Viewing) -> None:
        if since := run.overtaken(viewing, changes):
            raise _Overtaken(since)

    is_first = True
    while changes:
        diff = _diff(session, run, changes)
        try:
            return record(proposer, diff, seen_as=session.principal, locked=locked)
        except _Overtaken as since:
            run.waiting += len(since.changes)
            changes = tuple(one for one in changes if one.id not in since.changes)
        except InvalidInput as refusal:
            if not is_first:
                raise
            is_first = False
            changes, left = without_refused(changes, refusal.findings)
            run.left_out.extend(left)
    return None


def _diff(session: Session, run: _Run, changes: tuple[Change, ...]) -> Diff:
    head = run.repository.head()
    uri = f"repo:{run.repository.id}" + (f"@{head}" if head else "")
    return Diff(
        id=session.fresh_id("mdiff"),
        created_at=run.now,
        proposed_by=PRINCIPAL,
        scope=run.scope,
        trigger=Trigger("repository", uri, "observed", run.now),
        basis=(Basis(uri),),
        summary=_summary(changes),
        changes=changes,
        ignored_candidates=tuple(run.left_out),
    )


def _summary(changes: tuple[Change, ...]) -> str:
    counts: dict[str, int] = {}
    for change in changes:
        counts[change.operation] = counts.get(change.operation, 0) + 1
    return ", ".join(f"{count} {operation}" for operation, count in counts.items())
