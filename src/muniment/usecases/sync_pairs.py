"""Put the two sides of every concept together: its file in the folder, and its claims in the store.

- A concept is known by its identifier, whatever its file is called.
- What cannot be read, has no identifier of its own, or may not come in is left alone, and never taken for gone.
- A claim in use that no file holds yet is a concept of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from muniment.core.claim import Claim
from muniment.core.errors import Finding
from muniment.core.ids import parse_id
from muniment.core.threeway import Sides, said
from muniment.ports.importing import DEAD_STATES, Candidate
from muniment.ports.syncing import Entry, Shared, SharedConcept, SharedFolder
from muniment.usecases.imported import Importer, claim_of
from muniment.usecases.session import Session
from muniment.usecases.sync_store import Line, Lines

PRINCIPAL = "process:sync"
"""Who proposes what files say, so that whoever syncs may review it."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A concept with its file and its line, as far as there are any."""

    concept: str
    file: SharedConcept | None
    line: Line | None
    entry: Entry | None
    theirs: Claim | None

    @property
    def path(self) -> str:
        """Where its file is, or was."""
        return self.file.file if self.file else self.entry.file if self.entry else ""

    @property
    def head(self) -> Claim | None:
        """The claim in use."""
        return self.line.head if self.line else None

    @property
    def sides(self) -> Sides:
        """What was said, and what is said now."""
        entry = self.entry or Entry("", ())
        return Sides(
            base=entry.said,
            removed=not entry.file,
            theirs=said(self.theirs) if self.theirs else None,
            ours=said(self.head) if self.head else None,
            before=self._before(bool(entry.said)),
        )

    def _before(self, was_synced: bool) -> tuple[str, ...]:
        """What is withheld from the folder now tells nothing of a concept that was never synced from here."""
        if self.line is None or (self.line.withheld and not was_synced):
            return ()
        return self.line.before


class Pairing:
    """Pairs the concepts of a folder with the lines of a scope."""

    def __init__(
        self,
        session: Session,
        importer: Importer,
        shared: Shared,
        lines: Lines,
        folder: SharedFolder,
    ) -> None:
        """Take both sides as they were read."""
        self.session, self.importer, self.shared = session, importer, shared
        self.lines, self.folder = lines, folder
        self.findings: list[Finding] = []

    def pairs(self) -> Iterable[Pair]:
        """Every concept of the folder, of what it remembers, and of the store that can be looked at."""
        files = {one.id: one for one in self.shared.concepts}
        named = [*files, *(n for n in self.shared.entries if n not in files)]
        lines = self._owned(named, files)
        for name in named:
            entry, file = self.shared.entries.get(name), files.get(name)
            if name in lines and not self._is_unread(entry, file):
                theirs = self._claim(file) if file else None
                if file is None or isinstance(file.candidate, Candidate):
                    yield Pair(name, file, lines[name], entry, theirs)
        owned = {id(line) for name in named for line in self.lines.of(name)}
        used = set(named)
        for line in self.lines.all:
            if id(line) not in owned and line.head is not None:
                came, own = self.folder.concept_id(line.head), parse_id(line.head.id)
                name = own.uuid if came in used and own else came
                used.add(name)
                yield Pair(name, None, line, None, None)

    def _owned(self, named: list[str], files: dict[str, SharedConcept]) -> dict[str, Line | None]:
        """The line of each concept; one that several concepts name belongs to the one whose claim came last."""
        found: dict[str, Line | None] = {}
        claims: dict[int, list[str]] = {}
        for name in named:
            lines = self._meant(name, files.get(name), frozenset(named))
            if len(lines) > 1:
                message = "several claims in use say that they are this concept"
                where = files[name].file if name in files else name
                fix = "deprecate all but one of them"
                self.findings.append(Finding("sync_several_claims", message, where, fix, "warning"))
                continue
            found[name] = lines[0] if lines else None
            if lines:
                claims.setdefault(id(lines[0]), []).append(name)
        for names in claims.values():
            line = found[names[0]]
            last = self.folder.concept_id(line.head) if line and line.head else ""
            owner = last if last in names else next((n for n in names if n in files), names[0])
            for name in (one for one in names if one != owner):
                assert line is not None
                past = (*line.before, *(() if line.head is None else (said(line.head),)))
                found[name] = replace(line, head=None, out=None, before=past)
        return found

    def _meant(
        self, name: str, file: SharedConcept | None, named: frozenset[str]
    ) -> tuple[Line, ...]:
        """The lines that a concept may mean: the one of which its file says so, else none that is another concept."""
        lines = self.lines.of(name)
        if len(lines) < 2:
            return lines
        stated = parse_id(file.claim_id) if file else None
        said_so = tuple(line for line in lines if stated and stated.uuid in line.names)
        alone = tuple(line for line in lines if not (line.names - {name}) & named)
        return said_so or alone or lines

    def _is_unread(self, entry: Entry | None, file: SharedConcept | None) -> bool:
        return file is None and entry is not None and entry.file in self.shared.unread

    def _claim(self, file: SharedConcept) -> Claim | None:
        """What a file says, as a claim; None where it says that it does not hold any more."""
        candidate = file.candidate
        if not isinstance(candidate, Candidate):
            message = f"the concept is left alone: {candidate.reason}"
            self.findings.append(Finding("sync_left_alone", message, file.file, "", "notice"))
            return None
        if candidate.state in DEAD_STATES:
            return None
        claim = claim_of(candidate, file.source, self.importer, self.session.fresh_id("mem"))
        return replace(claim, provenance=replace(claim.provenance, agent=PRINCIPAL))
