"""A folder of concepts that several stores share, as a sync sees it.

- Reading gives every concept with what the folder remembers of the last syncs; what cannot be read is told, and is
  never taken for something that is gone.
- Writing replaces a file only where it still is what was read.

What is to be done about a concept is `core.threeway`'s; reading and writing files is the exchange's.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from muniment.core.claim import Claim
from muniment.core.errors import Finding
from muniment.ports.importing import Candidate, ForeignFile, Skipped
from muniment.ports.interchange import Outgoing


@dataclass(frozen=True, slots=True)
class SharedConcept:
    """One concept's file.

    Attributes:
        id: The concept's identifier.
        file: Its path in the folder.
        source: The file as a source.
        candidate: What it states; or why it states nothing that may come in.
        claim_id: The claim that it says it is, where we wrote it.
        is_whole: Whether it still is what we wrote; True for a concept that we did not write.
        not_taken: What was edited in it that a sync does not take.
    """

    id: str
    file: str
    source: ForeignFile
    candidate: Candidate | Skipped
    claim_id: str = ""
    is_whole: bool = True
    not_taken: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """What the folder remembers of a concept.

    Attributes:
        file: Its path; empty where the last sync left no file.
        said: What it said at the last syncs, the last one last.
    """

    file: str
    said: tuple[str, ...]


def shares_nothing(namespace: str) -> bool:
    """That no namespace is shared by an agreement."""
    return False


@dataclass(frozen=True, slots=True)
class Shared:
    """What stands in the folder.

    Attributes:
        concepts: In the order of their paths, each identifier once.
        entries: What is remembered, by concept.
        unread: Paths of files that could not be read, and of concepts that share an identifier.
        findings: What is wrong with them.
        agreed: Whether an agreement lets a shared namespace's claims leave.
    """

    concepts: tuple[SharedConcept, ...] = ()
    entries: Mapping[str, Entry] = field(default_factory=dict)
    unread: frozenset[str] = frozenset()
    findings: tuple[Finding, ...] = ()
    agreed: Callable[[str], bool] = shares_nothing


@dataclass(frozen=True, slots=True)
class ToWrite:
    """A claim that becomes a concept's file.

    Attributes:
        concept: The concept's identifier.
        file: Its path.
        claim: The claim.
    """

    concept: str
    file: str
    claim: Outgoing


@dataclass(frozen=True, slots=True)
class Changes:
    """What a sync leaves in the folder.

    Attributes:
        write: Files to write.
        remove: Files to remove.
        named: Paths and names of the claims whose files stay, by claim, for links.
        entries: What is to be remembered, by concept.
    """

    write: tuple[ToWrite, ...] = ()
    remove: tuple[str, ...] = ()
    named: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    entries: Mapping[str, Entry] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Left:
    """What writing came to.

    Attributes:
        written: Files that are new or different now.
        removed: Files that are gone.
        changed_meanwhile: Files that somebody changed between reading and writing; they were left alone.
    """

    written: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed_meanwhile: tuple[str, ...] = ()


class SharedFolder(Protocol):
    """A folder of concepts."""

    def read(self) -> Shared:
        """What stands in it."""
        ...

    def concept_id(self, claim: Claim) -> str:
        """The identifier under which a claim goes out that no file holds yet."""
        ...

    def path_for(self, claim: Claim, concept: str, taken: Collection[str]) -> str:
        """A path for a claim that no file holds yet."""
        ...

    def write(self, changes: Changes, dry_run: bool) -> Left:
        """Write what is to be left in it; with `dry_run` only say it."""
        ...
