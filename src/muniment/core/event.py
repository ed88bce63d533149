"""The ledger: append-only events, chained by hash, that tell nothing of what they are about.

- An event's *envelope* is chained: sequence, revision, time, kind, identifiers that are random or keyed, and a
  salted commitment to its content.
- Its *content* (bodies, names) and salt lie outside the chain; erasing them leaves the chain verifiable
  (`A-DELETE`, `E-LEDGER`).
- The hash of an envelope covers its predecessor's, so alteration, removal and reordering show; truncation shows
  against a head that somebody kept elsewhere.
- A class's head is a hash over what the events of that class commit to, in ledger order; their place is not in it.

>>> first = chain(
...     Envelope(1, 1, "2026-07-08T12:00:00Z", "principal", "k", "", (), "", "c0", GENESIS)
... )
>>> second = chain(
...     Envelope(2, 2, "2026-07-08T12:00:01Z", "principal", "k", "", (), "", "c1", first.hash)
... )
>>> (
...     verify_chain((first, second)).ok,
...     verify_chain((second,)).ok,
...     verify_chain((first,), head=second.hash).ok,
... )
(True, False, False)
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from muniment.core.canonical import canonical

GENESIS = "0" * 64
KINDS = (
    ("diff", "a proposal's frame: who, where, why, on what basis"),
    ("note", "the free text of a proposal's frame"),
    ("change", "one change of a proposal"),
    ("decision", "a reviewer's or policy's final decision on one change"),
    ("deferral", "a reviewer looked at one change and put it off"),
    ("application", "a diff was applied"),
    ("claim", "a version of a claim"),
    ("recounted", "what an export told of a proposal that was decided in another store"),
    ("restored", "when an export's store had recorded what is in this revision"),
    ("conflict", "two claims contradict one another, or did until it was settled"),
    ("tombstone", "a value was rejected or a claim erased: refuse it from now on"),
    ("lifted", "a tombstone was lifted by a reviewer"),
    ("principal", "a principal was declared"),
    ("group", "a group's members were declared"),
    ("role", "a principal's roles were declared"),
    ("policy", "a policy was declared"),
    ("retention", "how long retrievals are kept was declared"),
    ("lifecycle", "how long claims stay in use, and what then, was declared"),
    ("credential", "a reviewer's public key was declared"),
    ("token", "a bearer's token was made or taken back"),
    ("source", "a source was kept"),
    ("passage", "a piece of a source was kept"),
    ("original", "the original bytes of an imported record were kept"),
    ("erased", "content was erased"),
    ("narrowed", "fewer may see a claim from here on"),
    ("archived", "a claim was taken out of use by a declared rule"),
)


@dataclass(frozen=True, slots=True)
class Event:
    """Something to append.

    Attributes:
        kind: One of `KINDS`.
        id: Identifier within the kind: random or keyed, never a name or text.
        content: JSON object; stored outside the chain.
        parent: The thing that it belongs to (the diff of a change, the claim of a version's event).
        subjects: Claims whose erasure removes this content.
        cls: Eligibility class id, for claims, changes, sources and passages; empty otherwise.
    """

    kind: str
    id: str
    content: Mapping[str, Any] = field(default_factory=dict)
    parent: str = ""
    subjects: tuple[str, ...] = ()
    cls: str = ""


@dataclass(frozen=True, slots=True)
class Envelope:
    """What is chained of an event.

    Attributes:
        seq: Position in the tenant's ledger, from 1, gapless.
        revision: The commit that it belongs to; events of one transaction share it.
        at: UTC time text.
        kind: As in `Event`.
        id: As in `Event`.
        parent: As in `Event`.
        subjects: As in `Event`.
        cls: As in `Event`.
        commitment: HMAC-SHA-256 of the content under its salt, hexadecimal.
        previous: The hash of the envelope before, `GENESIS` for the first.
        hash: The hash of this envelope; empty until `chain`.
    """

    seq: int
    revision: int
    at: str
    kind: str
    id: str
    parent: str
    subjects: tuple[str, ...]
    cls: str
    commitment: str
    previous: str
    hash: str = ""


def chain(envelope: Envelope) -> Envelope:
    """The envelope with its hash."""
    body = {
        "v": 1,
        "seq": envelope.seq,
        "revision": envelope.revision,
        "at": envelope.at,
        "kind": envelope.kind,
        "id": envelope.id,
        "parent": envelope.parent,
        "subjects": list(envelope.subjects),
        "class": envelope.cls,
        "commitment": envelope.commitment,
        "previous": envelope.previous,
    }
    e, digest = envelope, hashlib.sha256(canonical(body)).hexdigest()
    return Envelope(
        e.seq, e.revision, e.at, e.kind, e.id, e.parent, e.subjects, e.cls, e.commitment, e.previous, digest
    )  # fmt: skip


def class_head(previous: str, commitment: str) -> str:
    """The head of a class after one more event."""
    return hashlib.sha256(bytes.fromhex(previous) + bytes.fromhex(commitment)).hexdigest()


@dataclass(frozen=True, slots=True)
class Verification:
    """What checking a ledger found.

    Attributes:
        ok: Whether nothing is wrong.
        events: How many events were checked.
        head: The last event's hash, `GENESIS` for none.
        problems: What is wrong, in ledger order.
    """

    ok: bool
    events: int
    head: str
    problems: tuple[str, ...] = ()


def verify_chain(envelopes: Iterable[Envelope], head: str = "") -> Verification:
    """Check order, gaplessness and hashes; and that a kept head is among them.

    Args:
        envelopes: In ledger order.
        head: A hash that was noted earlier; it must still be in the chain.
    """
    previous, count, problems, seen = GENESIS, 0, [], not head or head == GENESIS
    for envelope in envelopes:
        count += 1
        if envelope.seq != count:
            problems.append(f"event {count} is missing or out of order (found {envelope.seq})")
            count = envelope.seq
        if envelope.previous != previous:
            problems.append(f"event {envelope.seq} does not follow the one before it")
        if chain(envelope).hash != envelope.hash:
            problems.append(f"event {envelope.seq} was altered")
        previous = envelope.hash
        seen = seen or envelope.hash == head
    if not seen:
        problems.append(
            "the kept head is not in this ledger: it was truncated, replaced or rebuilt"
        )
    return Verification(not problems, count, previous, tuple(problems))
