"""What a reader of a foreign format hands over, whatever the format: the shared form of an import.

- A `Candidate` is one statement with its place in the file; what was not given stays empty (`E-MISSING`).
- Dates are kept exactly as they were given; an instant stands beside a date only where the text fixes one.
- A foreign confidence, importance or review is kept as foreign, and means nothing here.
- A state at the source (deleted, archived, superseded, …) is told, so that nothing dead comes alive.
- A `Message` is a part of a conversation: a source, not a claim.

Finding files and telling formats apart is left to `muniment.exchange`, proposing to the use case.

>>> Candidate("The shop uses pnpm.", Place(line=3)).state
''
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol, TypeAlias

from muniment.core.claim import Entity, Fact, Relationship
from muniment.core.errors import Finding

DEAD_STATES = (
    "deleted", "archived", "superseded", "deprecated", "rejected", "invalid", "paused", "expired", "undecided",
)  # fmt: skip
"""States at a source under which a record is not proposed as something that holds."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record or a part of it stands in its file.

    Attributes:
        line: 1-based line of `start`; 0 where unknown.
        start: First byte; with `end`, half-open; both 0 where the bytes are not the file's own.
        end: Byte after the last one.
        pointer: JSON pointer, heading path, or another place in the format's own terms.
        quote: What stands there, byte for byte.
    """

    line: int = 0
    start: int = 0
    end: int = 0
    pointer: str = ""
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Stated:
    """A date as its source gives it.

    Attributes:
        name: `created`, `updated`, `observed`, `valid_from`, `valid_until`, `expires` or a name of the source's own.
        given: The text or number, as it was given.
        instant: The instant that it fixes; None where it fixes none (no time zone, no day, not a date).
    """

    name: str
    given: str | int | float
    instant: datetime | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """One statement of a foreign record, on its way to a proposal.

    Attributes:
        claim: The statement, in the source's words.
        place: Where it stands; its quote is the raw record, or the statement's own part of it.
        foreign_id: The record's identifier there; empty where it has none.
        is_record: Whether it is all that its record says, so that the identifier names it alone.
        account: Whose store it was there (a user, a group, a project), as far as that is part of the identity.
        type: Claim type.
        memory_type: Memory type.
        content_kind: Content kind.
        title: Title, where it has one.
        body: The whole text, where the claim is only its beginning.
        tags: Tags.
        entities: What it is about.
        facts: Its joinable form, where the source has one.
        steps: Ordered steps of a procedure.
        relationships: Typed relations to other records, kept by the names that they have there.
        dates: Every date, as given.
        state: Empty, or why it does not hold at its source; one of `DEAD_STATES`.
        foreign: What the source says of it and what means nothing here: confidence, review, importance.
        record: What else is in the raw record, where `place.quote` is only a part of it.
        source_kind: What is behind it.
        origin: How it came to be known; empty where that is not known.
        derivation: How it follows from its source.
        cites: Addresses or identifiers that the record names as its evidence.
        doubts: What makes it need a closer look.
        parts: Further parts of the claim, in wire form, of a format that states them (see `usecases.imported.PARTS`).
    """

    claim: str
    place: Place
    foreign_id: str = ""
    is_record: bool = False
    account: str = ""
    type: str = "project_fact"
    memory_type: str = "semantic"
    content_kind: str = "text"
    title: str = ""
    body: str = ""
    tags: tuple[str, ...] = ()
    entities: tuple[Entity, ...] = ()
    facts: tuple[Fact, ...] = ()
    steps: tuple[str, ...] = ()
    relationships: tuple[Relationship, ...] = ()
    dates: tuple[Stated, ...] = ()
    state: str = ""
    foreign: Mapping[str, Any] = field(default_factory=dict)
    record: Mapping[str, Any] = field(default_factory=dict)
    source_kind: str = "import"
    origin: str = "external_data"
    derivation: str = "imported"
    cites: tuple[str, ...] = ()
    doubts: tuple[Finding, ...] = ()
    parts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation: a passage of a source, kept for `learn`, never a claim by itself.

    Attributes:
        conversation: The conversation's identifier.
        id: The message's identifier; empty where it has none.
        role: Who speaks, as the source names it.
        text: What was said.
        place: Where it stands.
        at: When, as given.
        title: The conversation's title.
        parent: The message before it, where the source says so.
        is_current: Whether it is on the branch that the conversation ended with.
    """

    conversation: str
    id: str
    role: str
    text: str
    place: Place
    at: Stated | None = None
    title: str = ""
    parent: str = ""
    is_current: bool = True


@dataclass(frozen=True, slots=True)
class Skipped:
    """A record that gives no candidate, and why."""

    place: Place
    what: str
    reason: str


@dataclass(frozen=True, slots=True)
class Record:
    """One record was read; it stands before what the record gives."""


Yielded: TypeAlias = "Candidate | Message | Skipped | Record | Finding"
"""What a reader yields, in the order of the file."""


@dataclass(frozen=True, slots=True)
class ForeignFile:
    """A file, or a member of an archive, with the format that it was found to have.

    Attributes:
        name: As it is shown.
        uri: Its address.
        digest: `sha256:…` of its bytes.
        size: Bytes.
        format: Name of the format; empty where it was refused.
        why: What told the format, or why the file is refused.
        shared: Whether it is a file that a team shares, not somebody's own memory.
        findings: What is wrong with it, where it was refused.
        considered: Each format that was weighed, with its reason, where none was chosen.
    """

    name: str
    uri: str
    digest: str
    size: int
    format: str = ""
    why: str = ""
    shared: bool = False
    findings: tuple[Finding, ...] = ()
    considered: tuple[tuple[str, str], ...] = ()


class MessageKeeper(Protocol):
    """Takes the messages that an import meets, one after another."""

    def add(self, digest: str, message: Message) -> None:
        """Take one message of the file with this digest."""
        ...

    def close(self, keep: bool) -> None:
        """No further message comes; what was taken is kept, or nothing of it."""
        ...


class Batch(Protocol):
    """The files of one import, opened one after another."""

    def files(self) -> Iterator[tuple[ForeignFile, Iterator[Yielded]]]:
        """Each file with what it holds; a refused file holds nothing. A file is closed when the next is asked for."""
        ...


@dataclass(frozen=True, slots=True)
class Passage:
    """A statement of a Markdown text, with the bytes that say it.

    Attributes:
        text: Whole by itself: with the words before it that it cannot do without.
        own: Its own words.
        start: First byte in what was read.
        end: Byte after the last.
        line: 1-based line of `start`.
        headings: Headings above it, a lone title left out.
        steps: Commands that it introduces.
    """

    text: str
    own: str
    start: int
    end: int
    line: int
    headings: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()


class ProseReader(Protocol):
    """Splits Markdown into statements."""

    def __call__(self, name: str, data: bytes) -> tuple[tuple[Passage, ...], tuple[Finding, ...]]:
        """The statements of a text, and why it cannot be read."""
        ...
