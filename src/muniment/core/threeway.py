"""Decide what a sync does about one concept that stands in a shared folder and in a store.

- Three sides: what was said at the last syncs (kept with the folder), what the file says now, what the store says now.
- The folder is shared by several stores, so the last sync may have been another's. A store that still says what was
  said before is *behind*, and takes the file's word as a proposal; one whose claims replaced what was said last is
  *ahead*, and its word becomes the file.
- Where both moved, it is a conflict, and nothing is written. Where both say the same, it is settled, whoever moved.
- What something says is a digest (`said`); the same words in another store have the same one.

Reading files, proposing and writing are left to the use case and the exchange.

>>> decide(Sides(base=("a",), theirs="b", ours="a"))  # the file was edited
'supersede'
>>> decide(Sides(base=("a",), theirs="a", ours="b", before=("a",)))  # an accepted change
'write'
>>> decide(Sides(base=("a", "b"), theirs="b", ours="a"))  # another store wrote the file
'supersede'
>>> decide(Sides(base=("a",), theirs="b", ours="c", before=("a",)))
'conflict'
>>> decide(Sides(base=("a",), theirs="b", ours="b", before=("a",)))
'same'
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from muniment.core.canonical import digest
from muniment.core.claim import Claim
from muniment.core.encode import encode
from muniment.core.ids import is_id

Action = Literal["same", "add", "supersede", "deprecate", "write", "remove", "conflict"]
"""What follows: nothing; a proposal; a file that is written or removed; or a person has to decide."""

MOST_REMEMBERED = 16
"""How many syncs of a concept are remembered."""

_SAID = (
    "claim", "body", "title", "summary", "type", "memory_type", "facts", "entities", "steps", "event", "tags",
    "prohibited_uses", "namespace", "properties",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sides:
    """One concept, from all sides.

    Attributes:
        base: What it said at the last syncs, the last one last; empty where it was never synced.
        removed: Whether the last sync left no file.
        theirs: What the file says; None where there is none.
        ours: What the claim in use says; None where there is none.
        before: What the claims said that it replaced, and where none is in use, that were in use once.
    """

    base: tuple[str, ...] = ()
    removed: bool = False
    theirs: str | None = None
    ours: str | None = None
    before: tuple[str, ...] = ()

    @property
    def last(self) -> str | None:
        """What the last sync left; None for no file."""
        return self.base[-1] if self.base and not self.removed else None


def said(claim: Claim) -> str:
    """A digest of what a claim says: its words, facts and times, without where it holds, who sees it and who says so.

    Edges that an import adds for what a concept cites, and edges to claims of one store, are no part of it.

    >>> from muniment.core.access import Scope, Visibility
    >>> from muniment.core.source import Source
    >>> here = Claim("a", "Use pnpm.", Scope("project", "x"), Source("file"), Visibility("public"))
    >>> there = Claim("b", "Use pnpm.", Scope("team", "y"), Source("import"), Visibility("public"))
    >>> said(here) == said(there), len(said(here))
    (True, 32)
    """
    return digest(_parts(claim)).partition(":")[2][:32]


def _parts(claim: Claim) -> dict[str, Any]:
    record = encode(claim)
    kept = {name: record[name] for name in _SAID if name in record}
    validity = {k: v for k, v in record.get("validity", {}).items() if k != "decay"}
    edges = sorted(
        f"{one.type} {one.target}"
        for one in claim.relationships
        if one.type != "cites" and not is_id(one.target, "mem")
    )
    ends = record.get("freshness", {}).get("expires_at")
    more = {"validity": validity, "relationships": edges, "expires_at": ends}
    return kept | {name: value for name, value in more.items() if value}


def differing(theirs: Claim | None, ours: Claim | None) -> tuple[tuple[str, Any, Any], ...]:
    """What a file and a claim say otherwise: the part's name, what the file says, what the claim says."""
    left, right = (_parts(one) if one else {} for one in (theirs, ours))
    names = dict.fromkeys((*left, *right))
    return tuple((n, left.get(n), right.get(n)) for n in names if left.get(n) != right.get(n))


def decide(sides: Sides) -> Action:
    """What a sync does about a concept.

    >>> decide(Sides(theirs="a")), decide(Sides(ours="a")), decide(Sides(base=("a",), ours="a"))
    ('add', 'write', 'deprecate')
    >>> decide(Sides(base=("a",), theirs="a", before=("a",)))  # deprecated here
    'remove'
    >>> decide(Sides(base=("a",), removed=True, ours="a"))  # deprecated in another store
    'deprecate'
    >>> decide(Sides(base=("a",), theirs="a"))  # a fresh store
    'add'
    >>> decide(Sides(theirs="b", ours="a")), decide(Sides(theirs="a", ours="b", before=("a",)))
    ('conflict', 'write')
    """
    if sides.theirs == sides.ours:
        return "same"
    if not sides.base:
        return _for_the_first_time(sides)
    standing = _standing(sides)
    if standing == "at" or standing == "behind":
        return taken(sides)
    if standing == "ahead" and sides.theirs == sides.last:
        return given_way(sides)
    return "conflict"


def _for_the_first_time(sides: Sides) -> Action:
    """Without a common state the store's own past is all that tells who moved."""
    if sides.theirs is None:
        return "write"
    if sides.ours is None and not sides.before:
        return "add"
    return given_way(sides) if sides.theirs in sides.before else "conflict"


def _standing(sides: Sides) -> Literal["at", "ahead", "behind", "apart"]:
    """Where the store stands to the last sync."""
    if sides.ours == sides.last:
        return "at"
    if sides.last is not None and sides.last in sides.before:
        return "ahead"
    never_had = sides.ours is None and not sides.before
    return "behind" if never_had or sides.ours in sides.base else "apart"


def taken(sides: Sides) -> Action:
    """What follows where the file's side is meant: a proposal."""
    if sides.theirs is None:
        return "deprecate"
    return "add" if sides.ours is None else "supersede"


def given_way(sides: Sides) -> Action:
    """What follows where the store's side is meant: a file."""
    return "remove" if sides.ours is None else "write"


def remembered(base: tuple[str, ...], now: str | None) -> tuple[str, ...]:
    """What is remembered of a concept after a sync that left it saying this; None for no file.

    >>> remembered(("a",), "b"), remembered(("a",), "a"), remembered(("a",), None)
    (('a', 'b'), ('a',), ('a',))
    """
    if now is None or (base and base[-1] == now):
        return base
    return (*base, now)[-MOST_REMEMBERED:]


def merged(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """What two branches remember of a concept, put together; nothing where neither continues the other.

    >>> merged(("a",), ("a", "b")), merged(("a", "b"), ("a", "c"))
    (('a', 'b'), ())
    """
    short, long = sorted((one, other), key=len)
    return long if short[-1:] and short[-1] in long else ()
