"""An agent with notes of a task, a shop whose claims are reviewed, and a person who reviews."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from functools import cache

from muniment import Memory
from muniment.credential import create, open_credential
from muniment.usecases.declare import credential, group, principal, roles
from muniment.usecases.review import Choice

NOON = datetime(2026, 7, 8, 12, tzinfo=UTC)
TEAM = {"level": "team-private", "allowed_principals": ["group:shop"]}
SCOPES = ("task:release", "repository:shop")
USES = ("answer_questions",)
SECRET = "AKIA" + "QWERTYUIOPASDFGH"


@cache
def signer():
    """Ada's opened credential; sealing one takes a second."""
    made = create("user:ada", "a long passphrase", entropy=lambda size: b"s" * size)
    return open_credential(made, "a long passphrase")


class Clock:
    """Tells the time that it was set to, a millisecond later at each look."""

    def __init__(self):
        self.now = NOON

    def __call__(self):
        self.now += timedelta(milliseconds=1)
        return self.now

    def ahead(self, **by):
        self.now += timedelta(**by)


class World:
    """A store in which Ada reviews what the agents propose."""

    def __init__(self, path=None):
        self.clock, turns = Clock(), itertools.count(1)
        entropy = lambda size: next(turns).to_bytes(size, "big")  # noqa: E731
        self.opened = Memory.open(path, clock=self.clock, entropy=entropy)
        self.signer = signer()
        ada = self.acting("user:ada")
        ada.declare(
            *(principal(name) for name in ("user:ada", "agent:codex", "agent:other")),
            group("group:shop", ("user:ada", "agent:codex", "agent:other")),
            roles("user:ada", ("operator", "proposer", "reviewer")),
            roles("agent:codex", ("reader", "proposer")),
            credential("user:ada", (self.signer.public_key,)),
        )  # fmt: skip
        self.ada = ada
        self.agent = self.acting("agent:codex")

    def acting(self, name, scopes=SCOPES, **more):
        return self.opened.acting_as(name, scopes=scopes, visibility=TEAM, uses=USES, **more)

    def open_claims(self):
        """What waits for a decision."""
        return [
            change.item.claim
            for pending in self.ada.inbox()
            for change in pending.diff.changes
            if pending.state_of(change.id) == "pending"
        ]

    def accept_all(self):
        """Accept whatever waits; the claims."""
        made = []
        for pending in self.ada.inbox():
            waits = [c.id for c in pending.diff.changes if pending.state_of(c.id) == "pending"]
            choices = {name: Choice("accepted", "looked at it") for name in waits}
            outcome = self.ada.review(pending.diff.id, choices, self.signer)
            made += outcome.resulting.values()
        return made

    def reject_all(self):
        for pending in self.ada.inbox():
            waits = [c.id for c in pending.diff.changes if pending.state_of(c.id) == "pending"]
            choices = {name: Choice("rejected", "it is wrong") for name in waits}
            self.ada.review(pending.diff.id, choices, self.signer)

    def accepted(self, text):
        """A claim that was proposed by another agent and accepted."""
        self.acting("agent:other", SCOPES[1:]).remember(
            text,
            source={
                "kind": "document",
                "uri": "https://example.org/handbook",
                "origin": "external_data",
            },
        )
        (made,) = self.accept_all()
        return made
