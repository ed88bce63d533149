"""The store: one port with one acceptance suite (DESIGN section 8).

- A tenant is a wall: every call names one, and nothing of another is read, counted or chained with it.
- Every write happens in a transaction that holds the tenant's only writer place; it is durable when the context
  ends without an exception, and leaves nothing when one is raised.
- A snapshot is one committed state; what others commit meanwhile does not show in it.
- The ledger is append-only. Rows and docs are derived by `core.fold` and can be rebuilt.
- Scope and principals of claims rest in their class, never in bodies or envelopes (`core.record`).
- Infrastructure errors are `StoreError`s.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, MutableMapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from muniment.core.access import Audience, Scope
from muniment.core.event import Envelope, Event, Verification
from muniment.core.facts import FactCount, FactRow, Wanted
from muniment.core.row import ClassRow, Doc, Row
from muniment.ports.working import NoteStore

if TYPE_CHECKING:
    from muniment.index.selection import View

ADDRESSES = ("postgresql://", "postgres://")
"""How the address of a database begins; any other place of a store is a file."""


def is_address(place: object) -> bool:
    """Whether a store's place is the address of a database.

    >>> is_address("postgresql://localhost/memory"), is_address("memory.db")
    (True, False)
    """
    return isinstance(place, str) and place.startswith(ADDRESSES)


class Snapshot(Protocol):
    """One committed state of one tenant."""

    @property
    def tenant(self) -> str:
        """The tenant's name."""

    @property
    def revision(self) -> int:
        """The last committed revision, 0 for none."""

    def key(self, *parts: str) -> str:
        """A digest of `parts` under the tenant's secret key (`core.canonical.keyed`)."""

    def classes(self) -> tuple[ClassRow, ...]:
        """All eligibility classes, sorted by id."""

    def rows(self, classes: Collection[str], revision: int | None = None) -> tuple[Row, ...]:
        """The claim versions of these classes that hold in `revision` (default: the latest), sorted by seq."""

    def row(self, claim_id: str) -> Row | None:
        """The latest version of a claim."""

    def history(self, claim_id: str) -> tuple[Row, ...]:
        """All versions of a claim, first to last."""

    def lookup(self, key: str) -> tuple[Row, ...]:
        """The latest versions that carry a lookup key, sorted by seq."""

    def lookups(self, keys: Collection[str]) -> Mapping[str, tuple[Row, ...]]:
        """The latest versions under several lookup keys, each as `lookup` gives them; an unused key is absent."""

    def pointing_at(self, claim_id: str) -> tuple[Row, ...]:
        """Latest versions that are derived from, superseded by, or in conflict with a claim, or supersede it."""

    def docs(self, collection: str, parent: str | None = None) -> tuple[Doc, ...]:
        """The latest docs of a collection (of one parent), sorted by `first_seq`."""

    def docs_under(
        self, collection: str, parents: Collection[str]
    ) -> Mapping[str, tuple[Doc, ...]]:
        """The latest docs of several parents, each as `docs` gives them; a parent that has none is absent."""

    def doc(self, collection: str, id: str) -> Doc | None:
        """One doc."""

    def contents(self, seqs: Collection[int]) -> Mapping[int, Mapping[str, Any]]:
        """Contents by event, scope and visibility put back where they were stripped; an erased one is absent."""

    def facts(self, wanted: Wanted) -> Sequence[FactRow]:
        """The facts of claim versions that are as wanted (`core.facts`): all of them, or any `limit` of them."""

    def fact_counts(self, wanted: Wanted) -> Sequence[FactCount]:
        """How many facts are as wanted, by standing; those that `facts` gives, or any `limit` of them."""

    def claims_at(self, seqs: Collection[int]) -> Mapping[int, str]:
        """The claims of which some events recorded a version, by event."""

    def rows_at(self, seqs: Collection[int]) -> Mapping[int, Row]:
        """The claim versions that some events recorded, by event; an erased one is absent."""

    def index(self, family: str) -> View:
        """The index of a family, `claim` or `passage`, in this state (`muniment.index`)."""

    def term_key(self, word: str) -> int:
        """The digest under which the index keeps a word."""

    @property
    def memo(self) -> MutableMapping[Any, Any]:
        """What was worked out of this very state; another state begins with nothing."""

    @property
    def kept(self) -> MutableMapping[Any, Any]:
        """What was worked out of this tenant and stays true in every later state."""

    def envelopes(self, after: int = 0) -> Iterator[Envelope]:
        """The ledger from `after` (exclusive) on."""

    def envelopes_about(self, claim_id: str) -> tuple[Envelope, ...]:
        """The events that name a claim, in ledger order."""

    def claim_revisions(self, classes: Collection[str]) -> Sequence[int]:
        """The revisions that recorded versions of claims of these classes, ascending, one for each version."""

    def instants(self) -> Sequence[tuple[int, str]]:
        """Every revision with the instant at which it was recorded, ascending."""


class Transaction(Snapshot, Protocol):
    """A snapshot that can be appended to; it sees its own writes."""

    def declare_class(self, scope: Scope, audience: Audience) -> str:
        """The id of the class with this scope and audience, made where there is none."""

    def append(
        self,
        events: Sequence[Event],
        at: datetime,
        vectors: Mapping[str, Mapping[int, bytes]] = ...,
    ) -> int:
        """Append events as part of this transaction's revision, fold and index them.

        A claim's version closes the one before; each event's content is committed to under a fresh salt.

        Args:
            events: In order.
            at: When.
            vectors: Space to the vectors of some of these events, by their place among them.

        Returns:
            The transaction's revision.
        """

    def further_revision(self) -> None:
        """Let what is appended from here on be of a revision of its own; all of them are committed together."""

    def embed(self, space: str, vectors: Mapping[int, bytes]) -> None:
        """Add vectors of what is in the ledger already, by event."""

    def erase(self, claim_id: str) -> int:
        """Remove the content and salt of every event that has the claim among its subjects.

        With them go all rows, docs, lookup keys, words and vectors derived from them, and the logged queries that
        found it. Envelopes stay.

        Returns:
            How many contents were removed.
        """


@dataclass(frozen=True, slots=True)
class Access:
    """One retrieval, as logged outside the ledger (`A-ONACCESS`, `A-RETRIEVAL`).

    Attributes:
        id: `ret_…`.
        principal: Who asked.
        at: When.
        record: The retrieval's record (JSON).
        claims: The claims that were candidates.
        selected: The claims that were handed over.
    """

    id: str
    principal: str
    at: datetime
    record: Mapping[str, Any]
    claims: tuple[str, ...] = ()
    selected: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Trimmed:
    """What is over in the log of retrievals.

    Attributes:
        retrievals: How many retrievals.
        counts: How many counts of accesses.
        disk: Whether what was removed is gone from the disk too: `complete`, or `pending: …`.
    """

    retrievals: int
    counts: int
    disk: str


class Store(Protocol):
    """A place where tenants' memories live."""

    @property
    def notes(self) -> NoteStore:
        """Working and short-term memory, beside the ledger."""

    def snapshot(self, tenant: str) -> AbstractContextManager[Snapshot]:
        """The latest committed state, fixed until the context ends."""

    def transaction(self, tenant: str) -> AbstractContextManager[Transaction]:
        """The writer's place; waits for another holder, then refuses with `StoreBusy`."""

    def tenants(self) -> tuple[str, ...]:
        """Tenants with at least one event, sorted."""

    def verify(self, tenant: str, head: str = "") -> Verification:
        """Check the chain, every commitment whose content is still there, and that derived rows equal a fresh fold."""

    def rebuild(self, tenant: str) -> None:
        """Drop everything derived and fold the ledger again (`E-REBUILD`)."""

    def reindex(self, tenant: str) -> None:
        """Drop the index alone and write it again from what is derived; the same answers follow (`E-REBUILD`)."""

    def log(self, tenant: str, access: Access) -> None:
        """Keep a retrieval; not synced with the ledger, never part of it."""

    def logged(self, tenant: str, retrieval_id: str) -> Access | None:
        """A logged retrieval."""

    def trim(self, tenant: str, before: datetime, *, dry: bool) -> Trimmed:
        """Remove retrievals, and counts of accesses last made, up to an instant; `dry` only counts them."""

    def accesses(self, tenant: str, claim_id: str, principal: str) -> tuple[int, datetime | None]:
        """How often, and when last, this principal was handed the claim; of other principals nothing."""

    def checkpoint(self) -> str:
        """Make erasures complete on disk: `complete`, or `pending: …` naming what holds it up."""

    def close(self) -> None:
        """Release everything; calling it again does no harm."""
