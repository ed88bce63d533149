"""Import: bring another memory's records in as proposals that wait for review.

- One import is one diff, or a series of parts of a stated size; `dry_run` shows it and writes nothing.
- `process:import` proposes, so that whoever runs it may review; every check of a proposal holds, none is passed by.
- What is known, what waits and what was rejected before is not proposed again: a second import proposes nothing new
  (`E-IDEMPOTENT`, `E-TOMBSTONE`), and one that was interrupted goes on where it stopped.
- What is dead at its source is left out by name; if it was accepted here before, its deprecation is proposed.
- Equal text only proposes a duplicate: the finding stands with the change, and a reviewer decides.
- A file that is not empty and gives nothing is an error (`E-MISSING`).

Reading formats is `muniment.exchange`'s, what a claim gets is `usecases.imported`'s.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice

from muniment.core.access import Scope, Visibility
from muniment.core.claim import Claim
from muniment.core.diff import Basis, Change, Diff, Ignored, Trigger
from muniment.core.encode import encode
from muniment.core.errors import Finding, InvalidInput, errors_in
from muniment.core.fold import KeyOf
from muniment.core.namespace import may_leave
from muniment.core.text import match_key
from muniment.ports.importing import (
    DEAD_STATES,
    Batch,
    Candidate,
    ForeignFile,
    Message,
    MessageKeeper,
    Place,
    Record,
    Skipped,
    Yielded,
)
from muniment.ports.learning import Progress
from muniment.usecases.import_report import (
    LISTED,
    FileReport,
    Imported,
    Part,
    named,
    shown,
    why,
)
from muniment.usecases.imported import PRINCIPAL, Importer, claim_of, low_risk
from muniment.usecases.passing import Waiting, propose_what_passes
from muniment.usecases.session import Session
from muniment.usecases.viewing import Viewing

MOST_CHANGES = 200
"""Changes in one part of a series."""

MOST_CHARACTERS = 1_000_000
"""Characters in one part of a series."""

SHOWN = 20
"""Changes of a part that are kept to be shown, of the first parts alone: an import may have thousands."""

SHOWN_PARTS = 10


def silent(done: int, total: int, what: str) -> None:
    """Progress that nobody watches."""


def import_batch(
    session: Session,
    batch: Batch,
    dry_run: bool = False,
    visibility: Visibility | None = None,
    progress: Progress = silent,
    messages: MessageKeeper | None = None,
) -> Imported:
    """Read files of other memories and propose what they say.

    Args:
        session: Who imports, and into which one scope.
        batch: The files.
        dry_run: Whether to write nothing.
        visibility: Who may see the claims; by default a team's files get the session's, and somebody's own memory is
            private to who imports it.
        progress: Told how far it has come.
        messages: Takes the messages of conversations; they are kept only where the import is not a dry run.

    Raises:
        InvalidInput: No scope or visibility is certain, or no file could be read.
    """
    run = _Run(session, _scope(session), dry_run, visibility, messages)
    for file, yielded in batch.files():
        run.read(file, yielded, progress)
    run.flush()
    broken = [found for report in run.reports for found in errors_in(tuple(report.findings))]
    if broken and not any(report.records for report in run.reports):
        raise InvalidInput.of(tuple(broken))
    if not run.reports:
        message = "there is no file to import"
        raise InvalidInput.of(
            (
                Finding(
                    "nothing_read",
                    message,
                    "PATH",
                    "name files that hold something",
                    req="E-MISSING",
                ),
            )
        )
    return Imported(
        run.scope, tuple(run.visibilities.values()), dry_run, tuple(run.reports), tuple(run.parts),
        tuple(run.left_out), tuple(run.findings.values()),
    )  # fmt: skip


def _scope(session: Session) -> Scope:
    if len(session.scopes) == 1:
        return session.scopes[0]
    message = "an import goes into one scope, and " + (
        "several are in force" if session.scopes else "none is in force"
    )
    raise InvalidInput.of(
        (Finding("no_scope", message, "--scope", "name one with `--scope kind:id`", req="B-V2"),)
    )


@dataclass(frozen=True, slots=True)
class _Held:
    """A candidate that waits for its part to be proposed."""

    candidate: Candidate
    report: FileReport
    claim: Claim


class _Run:
    """One import: collects candidates, compares them, and proposes part after part."""

    def __init__(
        self,
        session: Session,
        scope: Scope,
        dry_run: bool,
        visibility: Visibility | None,
        messages: MessageKeeper | None,
    ) -> None:
        self.messages = messages
        self.session, self.scope, self.dry_run = session, scope, dry_run
        self.stated, self.now = visibility, session.now()
        self.reports: list[FileReport] = []
        self.parts: list[Part] = []
        self.left_out: list[Ignored] = []
        self.findings: dict[str, Finding] = {}
        self.visibilities: dict[str, Visibility] = {}
        self._importers: dict[bool, Importer] = {}
        self._held: list[_Held] = []
        self._size = 0
        self._seen: set[str] = set()
        self._unnamed: list[Ignored] = []
        with session.store.snapshot(session.tenant) as snapshot:
            self._waiting = Waiting(session.viewing(snapshot), PRINCIPAL, scope)
        self._dead_already: set[str] = set()

    def read(self, file: ForeignFile, yielded: Iterator[Yielded], progress: Progress) -> None:
        """Take in one file."""
        report = FileReport(file, findings=list(file.findings))
        self.reports.append(report)
        for one in yielded:
            if isinstance(one, Record):
                report.records += 1
                progress(report.records, 0, file.name)
            elif isinstance(one, Candidate):
                report.statements += 1
                self._take(one, report)
            elif isinstance(one, Message):
                report.messages += 1
                if self.messages is not None:
                    self.messages.add(file.digest, one)
            elif isinstance(one, Skipped):
                self._leave(report, one.place, one.what, one.reason)
            elif len(report.findings) < LISTED:
                report.findings.append(one)

    def _take(self, candidate: Candidate, report: FileReport) -> None:
        file = report.file
        if not may_leave(str(candidate.parts.get("namespace", ""))):
            why_not = "its namespace does not leave the place where it was written"
            self._leave(report, candidate.place, candidate.foreign_id, why_not)
            return
        claim = claim_of(candidate, file, self._importer(file), self.session.fresh_id("mem"))
        if claim.slot in self._seen:
            report.repeated += 1
            return
        self._seen.add(claim.slot)
        self._held.append(_Held(candidate, report, claim))
        self._size += len(claim.claim) + len(claim.body) + len(candidate.place.quote)
        if len(self._held) >= MOST_CHANGES or self._size >= MOST_CHARACTERS:
            self.flush()

    def _importer(self, file: ForeignFile) -> Importer:
        """What the import gives to a file's claims; files differ by whether they are shared alone."""
        found = self._importers.get(file.shared)
        if found is None:
            visibility = self._visibility(file)
            self.visibilities[str(encode(visibility))] = visibility
            found = Importer(self.scope, visibility, low_risk(self.session.uses), self.now)
            self._importers[file.shared] = found
        return found

    def _visibility(self, file: ForeignFile) -> Visibility:
        own = self.session.principal
        if self.stated is not None:
            return self.stated
        if not file.shared and own.startswith("user:"):
            return Visibility("user-private", (own,))
        if self.session.visibility is None:
            fix = "run `muniment init`, or give `--visibility`"
            finding = Finding(
                "no_visibility", "new claims would have no visibility", "", fix, req="B-V3"
            )
            raise InvalidInput.of((finding,))
        return self.session.visibility

    # --- comparing and proposing ------------------------------------------------------------------

    def flush(self) -> None:
        """Propose what is held, as one part."""
        held, self._held, self._size = self._held, [], 0
        if not held:
            return
        with self.session.store.snapshot(self.session.tenant) as snapshot:
            viewing = self.session.viewing(snapshot)
            keys = [self._keys(snapshot.key, one) for one in held]
            viewing.look_ahead({key for pair in keys for key in pair if key})
            compared = (
                (self._compared(viewing, one, *pair), one)
                for one, pair in zip(held, keys, strict=True)
            )
            wanted = [(change, one) for change, one in compared if change is not None]
        if not wanted:
            return
        numbered = {f"change_{n:03d}": pair for n, pair in enumerate(wanted, 1)}
        changes = tuple(replace(change, id=name) for name, (change, _) in numbered.items())
        held_by = {name: one for name, (_, one) in numbered.items()}

        def refused(change: Change, finding: Finding) -> None:
            one = held_by[change.id]
            self._leave(one.report, one.candidate.place, "", why(finding))

        passed = propose_what_passes(
            self.session, changes, lambda left: self._diff(left, held_by), refused, self.dry_run,
            self._waiting,
        )  # fmt: skip
        for name in passed.overtaken:
            held_by[name].report.waiting += 1
        for change in passed.changes:
            report = held_by[change.id].report
            report.proposed += 1
            report.needs_review += bool(change.item and change.item.review.status == "needs_review")
        if passed.changes:
            self._unnamed = []
            shown = passed.changes[:SHOWN] if len(self.parts) < SHOWN_PARTS else ()
            self.parts.append(Part(passed.diff_id, len(passed.changes), shown))
        for found in passed.findings:
            self.findings.setdefault(found.code, found)

    def _compared(self, viewing: Viewing, held: _Held, slot: str, alias: str) -> Change | None:
        """The change to propose; None where nothing is new. The keys are those of `_keys`."""
        claim, candidate, report = held.claim, held.candidate, held.report
        if claim.slot in self._waiting.slots:
            report.waiting += 1
            return None
        earlier = self._earlier(viewing, held, slot, alias)
        if candidate.state in DEAD_STATES:
            return self._dead(held, earlier)
        if earlier is not None and earlier.slot == claim.slot:
            report.known += 1
            return None
        reason = _reason(held)
        if earlier is None:
            return Change("", "add", reason, claim)
        kept = replace(claim, visibility=earlier.visibility)
        return Change("", "supersede", f"{reason}; it said something else before", kept, earlier.id)

    def _keys(self, key: KeyOf, held: _Held) -> tuple[str, str]:
        """The keys of a statement's slot, and of the name of the record whose only statement it is, if it is one."""
        candidate = held.candidate
        alone = candidate.is_record and candidate.foreign_id
        alias = key("alias", match_key(candidate.foreign_id)) if alone else ""
        return key("slot", str(self.scope), held.claim.slot), alias

    def _earlier(self, viewing: Viewing, held: _Held, slot: str, alias: str) -> Claim | None:
        """What is remembered of this statement, or of the record whose only statement it is."""
        claim = held.claim
        rows = list(viewing.lookup(slot))
        if not rows and alias:
            rows = [
                row
                for row in viewing.lookup(alias)
                if row.review in ("accepted", "needs_review")
                and not row.retired
                and not viewing.successor_of(row.claim_id)
            ]
        for found in viewing.claims(rows).values():
            same = found.slot.partition("#")[0] == claim.slot.partition("#")[0]
            if same and found.scope == self.scope:
                return found
        return None

    def _dead(self, held: _Held, earlier: Claim | None) -> Change | None:
        """What does not hold at its source: left out, and deprecated where it was accepted before."""
        state, report = held.candidate.state, held.report
        live = (
            earlier is not None
            and earlier.review.status in ("accepted", "needs_review")
            and not earlier.retired
        )
        if (
            earlier is None
            or not live
            or earlier.slot != held.claim.slot
            or earlier.id in self._waiting.targets
            or earlier.id in self._dead_already
        ):
            said = "" if state == "deleted" else held.claim.claim
            what = held.candidate.foreign_id or said
            self._leave(report, held.candidate.place, what, f"it is {state} at its source")
            return None
        self._dead_already.add(earlier.id)
        reason = f"its source says that it is {state}"
        source = replace(held.claim.source, observed_at=None)
        return Change("", "deprecate", reason, None, earlier.id, source=source)

    def _diff(self, changes: tuple[Change, ...], held: Mapping[str, _Held]) -> Diff:
        reports = {id(held[c.id].report): held[c.id].report for c in changes}
        files = [report.file for report in reports.values()]
        counts = Counter(id(held[c.id].report) for c in changes)
        summed = [
            f"{counts[key]} from {shown(one.file.name)} ({one.file.format})"
            for key, one in islice(reports.items(), 10)
        ]
        number = len(self.parts) + 1
        return Diff(
            id=self.session.fresh_id("mdiff"),
            created_at=self.now,
            proposed_by=PRINCIPAL,
            scope=self.scope,
            trigger=Trigger("import", files[0].uri, "observed", self.now),
            basis=tuple(Basis(file.uri) for file in files[:50]),
            summary=f"import, part {number}: {', '.join(summed)}",
            changes=changes,
            ignored_candidates=tuple(self._unnamed),
            extensions={
                "import": {"part": number, "files": [[f.digest, f.format] for f in files[:50]]}
            },
        )

    def _leave(self, report: FileReport, place: Place, what: str, reason: str) -> None:
        """Note a record that is left out: all by reason, the first ones by name."""
        report.refused[reason] += 1
        if len(self.left_out) < LISTED:
            one = Ignored(named(report.file.name, place, what), reason)
            self.left_out.append(one)
            self._unnamed.append(one)


def _reason(held: _Held) -> str:
    """Why a change is proposed, with what made it need a closer look."""
    codes = held.claim.extensions["import"].get("doubts", ())
    where = held.candidate.place.line
    at = f", line {where}" if where else ""
    said = f"{shown(held.report.file.name)}{at} ({held.report.file.format}) says so"
    return f"{said}; needs a closer look: {', '.join(codes)}" if codes else said
