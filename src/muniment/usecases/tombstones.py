"""What stays of a rejected or erased value: enough to refuse it again, not enough to read it (`E-TOMBSTONE`).

- A value has one tombstone for every class in which it was refused, so that a hidden one neither replaces nor lifts
  one that is seen, nor the other way round.
- Of an edit, as whatever replaces a claim is one, the values are refused that the claim does not state itself, and the
  edit as a whole: what stays as it was accepted is never refused.
- Its keys are digests under the tenant's secret key; its name is the beginning of one.
- One that may be seen refuses a proposal; one that may not is met when a reviewer accepts, and nothing is told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from muniment.core.canonical import digest
from muniment.core.claim import Claim
from muniment.core.diff import Change
from muniment.core.encode import encode
from muniment.core.errors import Finding, quoted
from muniment.core.event import Event
from muniment.core.fold import KeyOf, value_keys
from muniment.core.row import Doc
from muniment.core.threeway import said
from muniment.ports.store import Snapshot, Transaction
from muniment.usecases.viewing import Viewing


def keys_of(item: Claim, target: Claim | None, key: KeyOf) -> tuple[str, ...]:
    """Under which a claim is refused.

    Args:
        item: The claim.
        target: The claim that it replaces; None for none.
        key: The store's keyed digest.
    """
    keys = value_keys(item, key)
    if target is None:
        return keys
    kept = frozenset(value_keys(target, key))
    more = digest({"uses": sorted(item.allowed_uses), "edges": encode(item.relationships)})
    edit = key("value-edit", str(item.scope), said(item), more)
    return (*(one for one in keys if one not in kept), edit)


def stones(snapshot: Snapshot, item: Claim, target: Claim | None = None) -> Iterator[Doc]:
    """The tombstones of a claim's values in every class, by value."""
    for key in keys_of(item, target, snapshot.key):
        yield from snapshot.docs("tombstone", key)


def refusals(viewing: Viewing, item: Claim, target: Claim | None = None) -> tuple[Finding, ...]:
    """Refusals for values that were rejected or erased in this scope, as far as they may be seen."""
    for key in keys_of(item, target, viewing.snapshot.key):
        for doc in viewing.stones(key):
            name = doc.parent[:12]
            message = f"this was rejected before in {quoted(item.scope)} (tombstone {name})"
            fix = f"a reviewer can lift it on new evidence: `muniment review --lift {name}`"
            return (Finding("tombstoned", message, "/claim", fix, req="E-TOMBSTONE"),)
    return ()


def meets_hidden(viewing: Viewing, item: Claim, target: Claim | None = None) -> bool:
    """Whether a value was refused where its reviewer may not look."""
    return any(doc.cls not in viewing.classes for doc in stones(viewing.snapshot, item, target))


def replaced_by(viewing: Viewing, change: Change) -> Claim | None:
    """The claim that a change would replace; None for none that may be seen."""
    row = viewing.row(change.target_id) if change.operation == "supersede" else None
    return viewing.claims([row]).get(row.seq) if row is not None else None


def stone_events(
    transaction: Transaction,
    item: Claim,
    cls: str,
    content: Mapping[str, Any],
    target: Claim | None = None,
) -> Iterator[Event]:
    """A tombstone for every value of a claim, in the class of who saw it refused; they are one family."""
    keys = keys_of(item, target, transaction.key)
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
