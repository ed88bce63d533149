"""What stays of an event once its content is put aside: the columns that reading needs, and no text.

- A `Row` is one version of one claim: class, both times, review and uses. Eligibility is decided on rows alone.
- A `Doc` is the latest event of one thing that is not a claim (a change, a decision, a principal).
- Lookup keys are keyed digests, so that no column can be read as text.
- Times are microseconds since the Unix epoch in UTC; 0 for `valid_from` and `FOREVER` for ends mean unbounded.

>>> Row(seq=1, revision=1, claim_id="mem_x", version=1, cls="c", review="accepted").is_live_at(1)
True
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

FOREVER = 2**62


@dataclass(frozen=True, slots=True)
class Row:
    """One version of a claim.

    Attributes:
        seq: The event that recorded it.
        revision: First revision in which it holds.
        until_revision: First revision in which it holds no longer; `FOREVER` for the latest.
        claim_id: The claim.
        version: 1 for the first.
        cls: Eligibility class.
        review: Review status.
        retired: `invalid`, `archived` or empty.
        valid_from: Inclusive, microseconds; `-FOREVER` where unbounded.
        valid_until: Exclusive.
        expires_at: Exclusive: the earlier of expiry and time to live.
        verified_at: When the source last agreed; `-FOREVER` where it never did.
        recorded_at: When this version was recorded.
        created_at: When the claim was first recorded.
        type: Claim type.
        memory_type: Memory type.
        origin: Source origin.
        derivation: How it follows from its source.
        reading: State of the last reading, empty where there was none.
        derived_stale: Which source made it stale, empty where none did.
        allowed: Allowed uses.
        prohibited: Prohibited uses.
        supersedes: Claims that it replaced.
        superseded_by: The claim that replaced it, empty for none.
        conflicts: Claims with which it is in open conflict.
        derived_from: Claims that it was made from.
        length: Number of indexed words.
        confidence: Score in ten-thousandths, -1 where unknown.
        importance: Score in ten-thousandths, -1 where unknown.
        keys: Keyed lookup digests.
    """

    seq: int
    revision: int
    claim_id: str
    version: int
    cls: str
    review: str
    until_revision: int = FOREVER
    retired: str = ""
    valid_from: int = -FOREVER
    valid_until: int = FOREVER
    expires_at: int = FOREVER
    verified_at: int = -FOREVER
    recorded_at: int = 0
    created_at: int = 0
    type: str = ""
    memory_type: str = ""
    origin: str = ""
    derivation: str = ""
    reading: str = ""
    derived_stale: str = ""
    allowed: tuple[str, ...] = ()
    prohibited: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    superseded_by: str = ""
    conflicts: tuple[str, ...] = ()
    derived_from: tuple[str, ...] = ()
    length: int = 0
    confidence: int = -1
    importance: int = -1
    keys: tuple[str, ...] = ()

    def is_live_at(self, revision: int) -> bool:
        """Whether this version held in a revision: `revision <= r < until_revision`.

        >>> row = Row(2, 2, "mem_x", 1, "c", "accepted", until_revision=4)
        >>> [row.is_live_at(r) for r in (1, 2, 3, 4)]
        [False, True, True, False]
        """
        return self.revision <= revision < self.until_revision


@dataclass(frozen=True, slots=True)
class Doc:
    """The latest event of one thing.

    Attributes:
        collection: Event kind.
        id: Identifier within it.
        seq: Its latest event.
        revision: The revision of that event.
        parent: What it belongs to.
        cls: Eligibility class, empty for none.
        first_seq: Its first event.
    """

    collection: str
    id: str
    seq: int
    revision: int
    parent: str = ""
    cls: str = ""
    first_seq: int = 0


@dataclass(frozen=True, slots=True)
class ClassRow:
    """An eligibility class: the claims that share scope and audience within a tenant.

    Attributes:
        id: Keyed digest of scope and audience.
        scope_kind: Kind of the scope.
        scope_id: Id of the scope.
        audience: Normal form, see `access`.
        head: Hash over the class's claim events in ledger order.
        count: How many claim events it has.
        revision: Revision of the last of them; 0 for none.
        number: Stands for it within the tenant's store; never told.
    """

    id: str
    scope_kind: str
    scope_id: str
    audience: tuple[tuple[str, ...], ...]
    head: str
    count: int = 0
    revision: int = 0
    number: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Derived:
    """What folding one event yields.

    Attributes:
        row: The claim version, for claim events with content.
        doc: The document to put.
        drop: Documents to drop, as (collection, id).
        terms: Indexed word to its count, for the row or a passage.
        began: When a passage was said or written, microseconds; 0 where that is not known.
        facts: The row's facts as numbers (`core.facts`).
        standing: The row's standing.
    """

    row: Row | None = None
    doc: Doc | None = None
    drop: tuple[tuple[str, str], ...] = ()
    terms: Mapping[str, int] = field(default_factory=dict)
    facts: tuple[tuple[int, int, int], ...] = ()
    standing: int = 0
    began: int = 0
