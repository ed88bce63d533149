"""What stays of a rejected or erased value: enough to refuse it again, not enough to read it (`E-TOMBSTONE`).

- A value has one tombstone for every class in which it was refused, so that a hidden one neither replaces nor lifts
  one that is seen, nor the other way round.
- Its keys are digests under the tenant's secret key; its name is the beginning of one.
- One that may be seen refuses a proposal; one that may not is met when a reviewer accepts, and nothing is told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from muniment.core.claim import Claim
from muniment.core.errors import Finding, quoted
from muniment.core.event import Event
from muniment.core.fold import value_keys
from muniment.core.row import Doc
from muniment.ports.store import Snapshot, Transaction
from muniment.usecases.viewing import Viewing


def stones(snapshot: Snapshot, item: Claim) -> Iterator[Doc]:
    """The tombstones of a claim's values in every class, by value."""
    for key in value_keys(item, snapshot.key):
        yield from snapshot.docs("tombstone", key)


def refusals(viewing: Viewing, item: Claim) -> tuple[Finding, ...]:
    """Refusals for values that were rejected or erased in this scope, as far as they may be seen."""
    for key in value_keys(item, viewing.snapshot.key):
        for doc in viewing.stones(key):
            name = doc.parent[:12]
            message = f"this was rejected before in {quoted(item.scope)} (tombstone {name})"
            fix = f"a reviewer can lift it on new evidence: `muniment review --lift {name}`"
            return (Finding("tombstoned", message, "/claim", fix, req="E-TOMBSTONE"),)
    return ()


def meets_hidden(viewing: Viewing, item: Claim) -> bool:
    """Whether a value was refused where its reviewer may not look."""
    return any(doc.cls not in viewing.classes for doc in stones(viewing.snapshot, item))


def stone_events(
    transaction: Transaction, item: Claim, cls: str, content: Mapping[str, Any]
) -> Iterator[Event]:
    """A tombstone for every value of a claim, in the class of who saw it refused; they are one family."""
    keys = value_keys(item, transaction.key)
    for key in keys:
        told = {**content, "claim": item.id, "family": keys[0]}
        yield Event("tombstone", transaction.key("tombstone", key, cls), told, key, (), cls)


def family(viewing: Viewing, name: str) -> tuple[tuple[Doc, str], ...]:
    """The visible tombstones of the one rejected value that has this name, each with the claim that it was.

    A name is the beginning of a value's key, of eight characters at least; nothing where none has it.
    """
    docs = [doc for doc in viewing.snapshot.docs("tombstone") if doc.cls in viewing.classes]
    contents = viewing.snapshot.contents([doc.seq for doc in docs])
    known = [(doc, contents[doc.seq]) for doc in docs if doc.seq in contents]
    named = {
        content["family"]
        for doc, content in known
        if len(name) >= 8 and doc.parent.startswith(name)
    }
    return tuple((doc, content["claim"]) for doc, content in known if content["family"] in named)
