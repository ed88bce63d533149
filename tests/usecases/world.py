"""A small world for the tests of use cases: two tenants, people, agents, groups, and a clock that is told the time.

- `user:ana` operates and reviews and sees everything here; `user:bob` reviews and sees what the shop's group sees.
- `agent:codex` and `user:dan` propose and belong to the shop's group; `user:eve` reads and belongs to nothing.
- `user:ana` and `group:board` see what is hidden from the others.
- Everything stands in both tenants; what a test does in one must leave the other as it was.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from muniment.core.access import Scope, Visibility
from muniment.core.diff import Pending
from muniment.core.encode import encode
from muniment.credential import create, open_credential, verify
from muniment.ports.credential import Signer
from muniment.ports.source import Fetched
from muniment.store.memory import MemoryStore
from muniment.usecases.apply import Outcome
from muniment.usecases.declare import Declaration, credential, declare, group, principal, roles
from muniment.usecases.pending import load, waiting
from muniment.usecases.propose import Proposed, propose
from muniment.usecases.review import Choice, review
from muniment.usecases.session import Session
from muniment.usecases.show import Shown, show
from muniment.usecases.viewing import Viewing

NOON = datetime(2026, 7, 8, 12, tzinfo=UTC)
SHOP = Scope("repository", "github:acme/shop")
WEB = Scope("repository", "github:acme/web")
HERE, THERE = "acme", "globex"
TEAM = {"level": "team-private", "allowed_principals": ["group:shop"]}
BOARD = {"level": "security-sensitive", "allowed_principals": ["group:board"]}
PEOPLE = {
    "user:ana": ("operator", "proposer", "reviewer"),
    "user:bob": ("proposer", "reviewer"),
    "user:dan": ("proposer",),
    "user:eve": ("reader",),
    "agent:codex": ("proposer",),
}
GROUPS = {
    "group:shop": ("user:ana", "user:bob", "user:dan", "agent:codex"),
    "group:board": ("user:ana",),
}


def _drawn(name: str) -> Any:
    import hashlib

    turns = itertools.count()
    return lambda size: hashlib.shake_256(f"{name}/{next(turns)}".encode()).digest(size)


@cache
def signer_of(name: str) -> Signer:
    """The opened credential of a principal; whoever has none in the store may hold one all the same."""
    return open_credential(
        create(name, "a long passphrase", entropy=_drawn(name)), "a long passphrase"
    )


@dataclass
class Files:
    """Sources by address; what is not held is missing, what is None cannot be read."""

    held: dict[str, bytes | None] = field(default_factory=dict)

    def reaches(self, uri: str, commit: str) -> bool | None:
        return None

    def fetch(self, uri: str) -> Fetched:
        if uri not in self.held:
            return Fetched(None, "missing", "nothing stands there")
        data = self.held[uri]
        return (
            Fetched(data, "unreadable", "no right to read it")
            if data is None
            else Fetched(data, "read")
        )


@dataclass
class Clock:
    """Tells the time that it was set to, a millisecond later at each look."""

    now: datetime = NOON

    def __call__(self) -> datetime:
        self.now += timedelta(milliseconds=1)
        return self.now

    def ahead(self, **by: float) -> None:
        self.now += timedelta(**by)


class World:
    """One store with two equal tenants."""

    def __init__(self, store: Any = None) -> None:
        self.clock, self.files, self.draw = Clock(), Files(), _drawn("world")
        self.store = store or MemoryStore(self.draw)
        for tenant in (HERE, THERE):
            self._settle(tenant)

    def _settle(self, tenant: str) -> None:
        first: list[Declaration] = [principal(name) for name in PEOPLE]
        first += [group(name, members) for name, members in GROUPS.items()]
        first += [roles(name, given) for name, given in PEOPLE.items()]
        reviewers = [name for name, given in PEOPLE.items() if "reviewer" in given]
        first += [credential(name, (signer_of(name).public_key,)) for name in reviewers]
        declare(self.session("user:ana", tenant), first)

    def session(
        self, name: str, tenant: str = HERE, scopes: tuple[Scope, ...] = (SHOP,), **more: Any
    ) -> Session:
        return Session(
            self.store, tenant, name, scopes, self.clock, self.draw, self.files, lambda name: len, verify, **more
        )  # fmt: skip

    def viewing(self, name: str, tenant: str = HERE) -> Viewing:
        with self.store.snapshot(tenant) as snapshot:
            return Viewing(snapshot, name)

    # --- verbs -----------------------------------------------------------------------------------

    def propose(self, name: str, *changes: Mapping[str, Any], **frame: Any) -> Proposed:
        return propose(self.session(name), diff_of(*changes, **frame))

    def review(self, name: str, proposed: Proposed | str, **decisions: str | Choice) -> Outcome:
        diff_id = proposed if isinstance(proposed, str) else proposed.diff.id
        choices = {
            key: value if isinstance(value, Choice) else Choice(value, "looked at it")  # type: ignore[arg-type]
            for key, value in decisions.items()
        }
        return review(self.session(name), diff_id, choices, signer_of(name))

    def accept(self, item: Mapping[str, Any], by: str = "user:ana", **change: Any) -> str:
        """A claim that was proposed by an agent and accepted; its id."""
        proposed = self.propose(
            "agent:codex" if by != "agent:codex" else "user:dan", add(item, **change)
        )
        return self.review(by, proposed, change_01="accepted").resulting["change_01"]

    def accept_hidden(self, item: Mapping[str, Any]) -> str:
        """A claim that the board alone sees, and of which the others are told nothing."""
        proposed = self.propose("process:board", add({**item, "visibility": BOARD}))
        return self.review("user:ana", proposed, change_01="accepted").resulting["change_01"]

    def reject(self, item: Mapping[str, Any], by: str = "user:ana") -> None:
        self.review(
            by, self.propose("agent:codex", add(item)), change_01=Choice("rejected", "it is wrong")
        )

    def show(self, claim_id: str, name: str = "user:ana", tenant: str = HERE) -> Shown:
        return show(self.session(name, tenant), claim_id)

    def inbox(self, name: str = "user:ana") -> tuple[Pending, ...]:
        with self.store.snapshot(HERE) as snapshot:
            return waiting(Viewing(snapshot, name))

    def pending(self, diff_id: str, name: str = "user:ana") -> Pending:
        with self.store.snapshot(HERE) as snapshot:
            return load(Viewing(snapshot, name), diff_id)

    # --- what is written -------------------------------------------------------------------------

    def revision(self, tenant: str = HERE) -> int:
        with self.store.snapshot(tenant) as snapshot:
            return snapshot.revision

    def texts(self, tenant: str = HERE) -> str:
        """Everything that the store can still read, as text."""
        with self.store.snapshot(tenant) as snapshot:
            seqs = [envelope.seq for envelope in snapshot.envelopes()]
            return str(dict(snapshot.contents(seqs)))

    def accepted(self, tenant: str = HERE) -> set[str]:
        """The claims that are in the ledger, whoever sees them."""
        with self.store.snapshot(tenant) as snapshot:
            return {e.id for e in snapshot.envelopes() if e.kind == "claim"}


def fact(text: str = "The shop builds with Gradle 8.", **but: Any) -> dict[str, Any]:
    """A draft in wire form about which no rule has anything to say."""
    return {
        "claim": text,
        "scope": encode(SHOP),
        "source": {"kind": "document", "uri": "https://example.org/handbook", "observed_at": encode(NOON)},
        "visibility": TEAM,
        "freshness": {"status": "current", "last_verified_at": encode(NOON), "verification_method": "read"},
        "confidence": {"score": 0.9, "reason": "the handbook says so"},
        "review": {"status": "proposed"},
        "allowed_uses": ["answer_questions"],
        **but,
    }  # fmt: skip


def uses_tool(tool: str, **but: Any) -> dict[str, Any]:
    """A draft that gives a single-valued predicate a value."""
    one = {"subject": "shop", "predicate": "uses_package_manager", "object": tool}
    return fact(f"The shop installs its packages with {tool}.", facts=[one], **but)


def derived(text: str, *sources: str, **but: Any) -> dict[str, Any]:
    """A draft that was concluded from other claims."""
    source = {
        "kind": "memory",
        "origin": "inference",
        "derivation": "inferred",
        "derived_from": list(sources),
    }
    return fact(text, source=source, confidence={"score": 0.7, "reason": "it follows"}, **but)


def add(item: Mapping[str, Any], id: str = "change_01", **more: Any) -> dict[str, Any]:
    return {"id": id, "operation": "add", "reason": "worth knowing", "item": item, **more}


def supersede(
    target: str, item: Mapping[str, Any], id: str = "change_01", **more: Any
) -> dict[str, Any]:
    return {
        "id": id,
        "operation": "supersede",
        "target_id": target,
        "reason": "it changed",
        "item": item,
        **more,
    }


def deprecate(target: str, id: str = "change_01", **more: Any) -> dict[str, Any]:
    return {"id": id, "operation": "deprecate", "target_id": target, "reason": "of no use", **more}


def revalidate(target: str, id: str = "change_01", **more: Any) -> dict[str, Any]:
    source = {"kind": "document", "uri": "https://example.org/handbook"}
    return {
        "id": id, "operation": "revalidate", "target_id": target, "reason": "read again", "source": source, **more
    }  # fmt: skip


def flag(*targets: str, id: str = "change_01", **more: Any) -> dict[str, Any]:
    return {
        "id": id, "operation": "flag_conflict", "target_ids": list(targets), "reason": "they disagree",
        "conflict_notes": "one of the two is wrong", **more,
    }  # fmt: skip


def diff_of(*changes: Mapping[str, Any], **frame: Any) -> dict[str, Any]:
    """A diff in wire form with a strong trigger."""
    trigger = {"kind": "pull_request", "uri": "https://example.org/pull/7", "state": "merged"}
    basis = [{"uri": "https://example.org/pull/7", "role": "primary"}]
    return {
        "scope": encode(SHOP),
        "trigger": trigger,
        "basis": basis,
        "changes": list(changes),
        **frame,
    }


def private(*names: str) -> dict[str, Any]:
    return encode(Visibility("user-private", names))
