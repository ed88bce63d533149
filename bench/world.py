"""The product's own mixed work, for every harness: propose, review, supersede, reject, erase.

- Clock, identifiers and salts are drawn from a seed, so that a run repeats byte for byte.
- What was acknowledged is written down as what a reader must find: claims that must be there, and claims that must not.
- A review of two changes is one transaction: a reader finds both claims or neither.

    python -m bench.powercut --points 2000 --json
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bench.findings import CheckResult, History
from muniment import Choice, Memory, NotFound
from muniment.core.errors import StoreError
from muniment.ports.credential import Signer
from muniment.usecases import declare

SCOPE = "project:bench"
PASSPHRASE = "for measuring only"
VISIBILITY = {"level": "team-private", "allowed_principals": ["group:bench"]}
USES = ("answer_questions",)
Acknowledge = Callable[[str, Any, bool], None]


def drawn(seed: str) -> Callable[[int], bytes]:
    """A source of bytes that repeats."""
    counter = itertools.count()

    def draw(size: int) -> bytes:
        return hashlib.shake_256(f"{seed}/{next(counter)}".encode()).digest(size)

    return draw


def ticking(start: datetime = datetime(2026, 7, 8, 12, tzinfo=UTC)) -> Callable[[], datetime]:
    """A clock that moves a millisecond at each look."""
    ticks = itertools.count()
    return lambda: start + timedelta(milliseconds=next(ticks))


def credential(principal: str, entropy: Callable[[int], bytes]) -> Signer:
    """An opened credential that is kept nowhere."""
    from muniment.credential import create, open_credential

    return open_credential(create(principal, PASSPHRASE, entropy=entropy), PASSPHRASE)


@dataclass(slots=True)
class World:
    """A store with one reviewer, and what its callers were told."""

    memory: Memory
    signer: Signer
    reviewer: Memory = field(init=False)
    agent: Memory = field(init=False)

    def __post_init__(self) -> None:
        """Act as the two principals."""
        self.reviewer = self.acting("user:ada")
        self.agent = self.acting("agent:codex")

    def acting(self, principal: str) -> Memory:
        """The store as one principal uses it."""
        return self.memory.acting_as(principal, scopes=[SCOPE], visibility=VISIBILITY, uses=USES)

    def declare(self) -> None:
        """The first declarations."""
        self.reviewer.declare(
            declare.principal("user:ada"),
            declare.group("group:bench", ("user:ada", "agent:codex", "process:retract")),
            declare.roles("user:ada", ("reader", "proposer", "reviewer", "operator")),
            declare.credential("user:ada", (self.signer.public_key,)),
        )


def open_world(path: Path, vfs: str | None, seed: str) -> World:
    """Open a store with everything drawn from a seed."""
    entropy = drawn(seed)
    memory = Memory.open(path, clock=ticking(), entropy=entropy, vfs=vfs)
    return World(memory, credential("user:ada", drawn("credential")))


def item(text: str) -> dict[str, Any]:
    """A claim in wire form."""
    return {
        "claim": text,
        "scope": SCOPE,
        "visibility": VISIBILITY,
        "review": {"status": "proposed"},
        "freshness": {"status": "current", "last_verified_at": "2026-07-08T12:00:00Z"},
        "source": {
            "kind": "tool_output",
            "origin": "tool_result",
            "uri": "tool:bench",
            "observed_at": "2026-07-08T12:00:00Z",
        },
        "allowed_uses": list(USES),
    }


def diff(*changes: dict[str, Any]) -> dict[str, Any]:
    """A diff in wire form."""
    trigger = {"kind": "tool_run", "uri": "tool:bench", "state": "completed"}
    return {"scope": SCOPE, "trigger": trigger, "changes": list(changes)}


def add(number: int, text: str) -> dict[str, Any]:
    """An addition in wire form."""
    return {
        "id": f"change_{number:02d}",
        "operation": "add",
        "reason": "it was measured",
        "item": item(text),
    }


def lettered(text: str) -> str:
    """The text with letters for digits: claims that differ in a number alone would be possible conflicts.

    >>> lettered("p2x10")
    'pcxba'
    """
    return text.translate(str.maketrans("0123456789", "abcdefghij"))


def rounds(world: World, acknowledge: Acknowledge, name: str = "") -> Iterator[int]:
    """Mixed work without end, one round of six writes at a time.

    `acknowledge(label, payload, begun)` is called before (`begun`) and after each write; the payload tells what must be
    found: `there` and `gone` list claims, `pair` the two that come together, `diff` a proposal.
    """
    for number in itertools.count():
        yield number
        tag = lettered(f"{name}{number}")
        acknowledge(f"propose {tag}", {}, True)
        texts = (f"Sensor {tag} reads kelvin.", f"Valve {tag} closes at full pressure.")
        proposed = world.agent.propose(diff(*(add(i + 1, text) for i, text in enumerate(texts))))
        diff_id = proposed.diff.id
        acknowledge(f"propose {tag}", {"diff": diff_id}, False)
        pair = [change.item.id for change in proposed.diff.changes if change.item]
        acknowledge(f"accept {tag}", {"pair": pair}, True)
        chosen = {change.id: Choice("accepted") for change in proposed.diff.changes}
        world.reviewer.review(diff_id, chosen, world.signer)
        acknowledge(f"accept {tag}", {"pair": pair, "there": pair}, False)
        _second_half(world, acknowledge, tag, pair)


def _second_half(world: World, acknowledge: Acknowledge, tag: str, pair: list[str]) -> None:
    """Supersede the first claim, reject a third one, erase the second."""
    acknowledge(f"supersede {tag}", {}, True)
    change = {
        **add(1, f"Sensor {tag} reads nothing any more."),
        "operation": "supersede",
        "target_id": pair[0],
    }
    successor = world.agent.propose(diff(change))
    acknowledge(f"supersede {tag}", {"diff": successor.diff.id}, False)
    new = [c.item.id for c in successor.diff.changes if c.item]
    acknowledge(f"accept successor {tag}", {"pair": new}, True)
    world.reviewer.review(successor.diff.id, {"change_01": Choice("accepted")}, world.signer)
    acknowledge(f"accept successor {tag}", {"there": new}, False)
    acknowledge(f"reject {tag}", {}, True)
    wrong = world.agent.propose(diff(add(1, f"Valve {tag} never closes.")))
    world.reviewer.review(wrong.diff.id, {"change_01": Choice("rejected", "it does")}, world.signer)
    acknowledge(f"reject {tag}", {"decided": wrong.diff.id}, False)
    acknowledge(f"erase {tag}", {"erasing": pair[1]}, True)
    world.reviewer.erase(pair[1], world.signer)
    acknowledge(f"erase {tag}", {"gone": pair[1]}, False)


def check(path: Path, history: History) -> CheckResult:
    """Open a store after a fault and compare it with what had been acknowledged."""
    try:
        memory = Memory.open(path, create=not path.exists())
    except StoreError as error:
        return CheckResult(damaged=1, detail=str(error))
    with memory:
        problems = memory.verify().problems
        reader = World(memory, _NoSigner()).reviewer
        lost = [m.label for m in history if not _kept(reader, m.payload, history)]
        pairs = [m for m in (*history, *history.in_flight) if m.payload.get("pair")]
        partial = [m.label for m in pairs if not _whole(reader, m.payload["pair"], history)]
    detail = f"lost {lost[:3]}, partial {partial[:3]}, problems {problems[:2]}"
    return CheckResult(len(lost), len(partial), len(problems), detail)


class _NoSigner:
    principal, public_key = "", ""

    def sign(self, message: bytes) -> str:
        """Nothing is signed while checking."""
        raise AssertionError("nothing is signed while checking")


def _erased(history: History) -> set[str]:
    done = {m.payload["gone"] for m in history if "gone" in m.payload}
    return done | {m.payload["erasing"] for m in history.in_flight if "erasing" in m.payload}


def _is_there(reader: Memory, claim_id: str) -> bool:
    try:
        reader.show(claim_id)
    except NotFound:
        return False
    return True


def _kept(reader: Memory, payload: dict[str, Any], history: History) -> bool:
    erased = _erased(history)
    there = all(one in erased or _is_there(reader, one) for one in payload.get("there", ()))
    gone = "gone" not in payload or not _is_there(reader, payload["gone"])
    return (
        there
        and gone
        and all(_diff_is_there(reader, payload[k]) for k in ("diff", "decided") if k in payload)
    )


def _diff_is_there(reader: Memory, diff_id: str) -> bool:
    try:
        reader.diff(diff_id)
    except NotFound:
        return _all_erased(reader, diff_id)
    return True


def _all_erased(reader: Memory, diff_id: str) -> bool:
    """A proposal of which every change was erased is not shown any more; its envelope stays."""
    store = reader.session.store
    with store.snapshot(reader.session.tenant) as snapshot:
        return snapshot.doc("diff", diff_id) is not None


def _whole(reader: Memory, pair: list[str], history: History) -> bool:
    erased = _erased(history)
    return len({_is_there(reader, one) for one in pair if one not in erased}) < 2
