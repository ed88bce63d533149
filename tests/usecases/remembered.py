"""Stores with claims in them, and sessions on them, for the tests of recall.

Claims are appended as accepted versions: how they got there (propose, review, apply) is tested elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from muniment.core.access import Scope, Visibility
from muniment.core.claim import Claim, Confidence, Fact, Freshness, Review
from muniment.core.encode import encode
from muniment.core.event import Event
from muniment.core.request import Request
from muniment.core.source import Evidence, Reading, Source, evidence_of
from muniment.ports.source import Fetched
from muniment.store.memory import MemoryStore
from muniment.usecases.recall import Recalled, recall
from muniment.usecases.session import Session

NOON = datetime(2026, 7, 8, 12, tzinfo=UTC)
SHOP = Scope("repository", "github:acme/shop")
OTHER = Scope("repository", "github:acme/other")
EVERYBODY = Visibility("public")
USES = ("answer_questions", "choose_local_commands")


def private(*principals: str) -> Visibility:
    return Visibility("user-private", principals)


class Entropy:
    """The same bytes in the same order."""

    def __init__(self, seed: int = 0) -> None:
        self.turn = seed

    def __call__(self, count: int) -> bytes:
        self.turn += 1
        return self.turn.to_bytes(16, "big").ljust(count, b"\0")[-count:]


@dataclass
class Bytes:
    """Counts UTF-8 bytes."""

    name: str = "utf-8 bytes"

    def __call__(self, text: str) -> int:
        return len(text.encode())


@dataclass
class Files:
    """Sources by address."""

    held: dict[str, bytes] = field(default_factory=dict)
    fetched: list[str] = field(default_factory=list)

    def reaches(self, uri: str, commit: str) -> bool | None:
        return None

    def fetch(self, uri: str) -> Fetched:
        self.fetched.append(uri)
        if uri not in self.held:
            return Fetched(None, "missing", "nothing stands there")
        return Fetched(self.held[uri], "read")


def a_claim(name: str, text: str, **values: Any) -> Claim:
    """An accepted, verified claim with a checkable source, unless `values` say otherwise."""
    line = f"{text}\n".encode()
    uri = f"repo:github:acme/shop!/{name}.md"
    evidence: tuple[Evidence, ...] = (evidence_of(line, 0, len(line) - 1),)
    given: dict[str, Any] = {
        "source": Source("file", "observation", uri, NOON, evidence),
        "scope": SHOP,
        "visibility": EVERYBODY,
        "review": Review("accepted", "user:rita", NOON),
        "freshness": Freshness("current", NOON, None, "reread"),
        "confidence": Confidence(0.9, "high", "", "direct_source_memory"),
        "reading": Reading("match", NOON),
        "allowed_uses": USES,
        "created_at": NOON,
        "version": 1,
    }
    return Claim(f"mem_{name}", text, **{**given, **values})


def with_fact(claim: Claim, predicate: str, value: str) -> Claim:
    return replace(claim, facts=(Fact("github:acme/shop", predicate, value),))


@dataclass
class World:
    """A store with one tenant, and sessions on it."""

    store: Any
    tenant: str = "acme"
    files: Files = field(default_factory=Files)
    entropy: Entropy = field(default_factory=lambda: Entropy(10_000))

    def add(self, *claims: Claim, at: datetime = NOON, tenant: str = "") -> int:
        """Append versions of claims in one transaction."""
        with self.store.transaction(tenant or self.tenant) as transaction:
            events = [
                Event("claim", c.id, encode(c), c.id, (c.id,),
                      transaction.declare_class(c.scope, c.visibility.audience))
                for c in claims
            ]  # fmt: skip
            return transaction.append(events, at)

    def dispute(
        self, *between: str, note: str = "", resolved: str = "", at: datetime = NOON
    ) -> int:
        """Record that claims contradict one another."""
        sides = tuple(sorted(between))
        content = {"between": list(sides), "note": note, "kind": "flagged",
                   "since": encode(NOON), "resolved": resolved}  # fmt: skip
        with self.store.transaction(self.tenant) as transaction:
            key = transaction.key("conflict", *sides)
            return transaction.append([Event("conflict", key, content, subjects=sides)], at)

    def group(self, name: str, *members: str) -> None:
        """Declare a group."""
        content = {"name": name, "members": list(members)}
        with self.store.transaction(self.tenant) as transaction:
            transaction.append([Event("group", transaction.key("group", name), content)], NOON)

    def session(
        self, principal: str = "user:ada", scopes: Iterable[Scope] = (SHOP,), **values: Any
    ) -> Session:
        given: dict[str, Any] = {
            "store": self.store,
            "tenant": self.tenant,
            "principal": principal,
            "scopes": tuple(scopes),
            "clock": lambda: NOON,
            "entropy": self.entropy,
            "sources": self.files,
            "counter": lambda name: Bytes(),
            "verify": lambda key, message, signature: False,
        }
        return Session(**{**given, **values})

    def recall(self, query: str = "", *, session: Session | None = None, **values: Any) -> Recalled:
        given = {"use": "answer_questions", "budget": 100_000, **values}
        return recall(session or self.session(), Request(query, **given))


def a_world(*claims: Claim) -> World:
    """A world that holds these claims, in one revision."""
    world = World(MemoryStore(Entropy()))
    if claims:
        world.add(*claims)
    return world


def ids(recalled: Recalled) -> list[str]:
    return [item.claim.id for item in recalled.packet.items]


def reasons(recalled: Recalled) -> dict[str, tuple[str, ...]]:
    return {o.id: o.reasons for o in recalled.packet.omissions}


def claims_of(rows: Mapping[str, Mapping[str, Any]]) -> list[Claim]:
    """Claims from the wording of tests/data/recall_questions.yaml."""
    made = []
    for name, row in rows.items():
        claim = a_claim(name, row["text"], tags=tuple(row.get("tags", ())),
                        type=row.get("type", "project_fact"))  # fmt: skip
        made.append(with_fact(claim, *row["fact"]) if "fact" in row else claim)
    return made
