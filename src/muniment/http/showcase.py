"""Fixed synthetic cases for a public showcase: a small memory, the same in every process (`D-SHOWCASE`).

- The clock stands still and entropy is derived, so that the same question gives the same answer, to the byte.
- It holds a claim of each standing: current, stale, expired, superseded, disputed, rewritten to by a bridge, waiting,
  and one that the visitor may not see.
- Whoever asks is `user:visitor`, a reader; nobody's credential is at hand once it is made.

>>> memory = showcase_memory()
>>> memory.session.principal, memory.session.role
('user:visitor', 'reader')
>>> memory.recall("how do I run the tests?", use="answer_questions").packet.outcome
'complete'
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from muniment import wiring
from muniment.core.encode import encode
from muniment.memory import Memory
from muniment.ports.credential import Signer
from muniment.usecases.declare import credential, group, principal, roles
from muniment.usecases.propose import Proposed
from muniment.usecases.review import Choice

NOW = datetime(2026, 7, 8, 12, tzinfo=UTC)
LONG_AGO = datetime(2024, 1, 15, 9, tzinfo=UTC)
SCOPE = "project:shop"
TEAM = {"level": "team-private", "allowed_principals": ["group:shop"]}
KEEPERS = {"level": "team-private", "allowed_principals": ["group:keepers"]}
HANDBOOK = "https://handbook.example/"
USES = ["answer_questions", "plan_changes", "choose_local_commands"]


@dataclass(slots=True)
class _Clock:
    """A clock that stands where it was set."""

    at: datetime

    def __call__(self) -> datetime:
        return self.at


@dataclass(slots=True)
class _Derived:
    """Bytes that are the same in every process; nothing secret is made of them that outlives the making."""

    count: int = 0

    def __call__(self, size: int) -> bytes:
        self.count += 1
        return hashlib.shake_256(f"muniment showcase {self.count}".encode()).digest(size)


def showcase_memory() -> Memory:
    """The memory of the showcase, acting as its visitor."""
    clock = _Clock(LONG_AGO)
    store = Memory.open(None, clock=clock, entropy=_Derived())
    making = _Making(store, clock)
    making.fill()
    clock.at = NOW
    return store.acting_as(
        "user:visitor", scopes=[SCOPE], declared="showcase", role="reader", uses=USES
    )


def _passing_signer() -> Signer:
    """A credential whose file and passphrase are gone when the cases are made."""
    derived = _Derived(1_000_000)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "keeper.json"
        return wiring.create_credential(place, "user:keeper", derived(32).hex(), derived)


class _Making:
    """Who proposes and who reviews while the cases are made."""

    def __init__(self, store: Memory, clock: _Clock) -> None:
        self._clock = clock
        self._signer = _passing_signer()
        self.keeper, self.agent = (
            store.acting_as(name, scopes=[SCOPE], visibility=TEAM, uses=USES)
            for name in ("user:keeper", "agent:archivist")
        )
        self.keeper.declare(
            principal("user:keeper"),
            group("group:shop", ("user:keeper", "user:visitor", "agent:archivist")),
            group("group:keepers", ("user:keeper", "agent:archivist")),
            roles("user:keeper", ("operator", "reviewer", "proposer", "reader")),
            roles("agent:archivist", ("proposer", "reader")),
            roles("user:visitor", ("reader",)),
            credential("user:keeper", (self._signer.public_key,)),
        )

    def remembered(self, claim: str, page: str, **parts: Any) -> str:
        """An accepted claim's name."""
        return self._accept(self._added(claim, page, **parts))

    def _added(self, claim: str, page: str, **parts: Any) -> Proposed:
        return self._proposed({"operation": "add", "item": self._item(claim, page, **parts)})

    def _item(self, claim: str, page: str, **parts: Any) -> dict[str, Any]:
        now = encode(self._clock.at)
        return {
            "claim": claim,
            "scope": {"kind": "project", "id": "shop"},
            "source": {"kind": "document", "uri": HANDBOOK + page, "observed_at": now},
            "visibility": TEAM,
            "review": {"status": "proposed"},
            "freshness": {"status": "current", "last_verified_at": now},
            "allowed_uses": USES,
            **parts,
        }

    def _proposed(self, change: Mapping[str, Any]) -> Proposed:
        trigger = {"kind": "statement", "uri": HANDBOOK, "state": "observed"}
        whole = {"id": "change_01", "reason": "the handbook says so", **change}
        return self.agent.propose({"trigger": trigger, "changes": [whole]})

    def _accept(self, proposed: Proposed) -> str:
        choices = {change.id: Choice("accepted") for change in proposed.diff.changes}
        outcome = self.keeper.review(proposed.diff.id, choices, self._signer)
        return next(iter(outcome.resulting.values()))

    def fill(self) -> None:
        """Make every case."""
        self._long_ago()
        self._clock.at = datetime(2026, 7, 1, 9, tzinfo=UTC)
        self._lately()
        self._waiting()

    def _long_ago(self) -> None:
        self.remembered(
            "Releases are tagged by the person on duty.",
            "releases",
            facts=[
                {"subject": "releases", "predicate": "owned_by", "object": "the person on duty"}
            ],
        )
        self.remembered(
            "The winter sale ends on 31 January 2024.",
            "sale",
            validity={"valid_until": "2024-02-01T00:00:00Z"},
        )
        old = self.remembered("Orders ship on Mondays.", "shipping", title="Shipping day")
        self._clock.at = datetime(2026, 6, 1, 9, tzinfo=UTC)
        item = self._item("Orders ship on Fridays.", "shipping", title="Shipping day")
        self._accept(self._proposed({"operation": "supersede", "target_id": old, "item": item}))

    def _lately(self) -> None:
        self.remembered(
            "The tests are run with `make test`.",
            "testing",
            facts=[{"subject": "make test", "predicate": "runs", "object": "pytest -q"}],
            tags=["testing"],
        )
        for version, page in (("3.11", "python"), ("3.12", "images")):
            self.remembered(
                f"Developers use Python {version}.",
                page,
                facts=[{"subject": "shop", "predicate": "python_version", "object": version}],
            )
        self.remembered(
            "Mira maintains the payment service.",
            "people",
            facts=[{"subject": "Mira", "predicate": "maintains", "object": "payment service"}],
        )
        self.remembered(
            "The payment service depends on the ledger.",
            "services",
            facts=[{"subject": "payment service", "predicate": "depends_on", "object": "ledger"}],
        )
        self.remembered("The keepers meet on Tuesdays.", "keepers", visibility=KEEPERS)
        self._accept(self.agent.bridge("checkout", "payment service", source=HANDBOOK + "words"))

    def _waiting(self) -> None:
        self._added("Returns are accepted for 30 days.", "returns")
