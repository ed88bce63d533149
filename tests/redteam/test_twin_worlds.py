"""Two worlds that differ only in what some may not see, driven by the same visible acts: word for word the same.

- `user:bob`, `user:dan` and `agent:codex` see what the shop's group sees. `user:ana` and `user:cy` see the board's
  claims too; between the visible acts of one world they do whatever comes to mind, in that class, in another scope
  and in the other tenant.
- Every answer, refusal, packet, trace and listing of those who see less is compared, identifiers and all: clock and
  entropy are told by act, so that a visible act gives the same in both worlds.
- Left out of the comparison are consistency tokens, which are opaque and of one size, and one thing that is meant to
  be told: a reviewer who accepts what meets a hidden tombstone is told that it was held. So nothing hidden rejects or
  erases a value that the visible acts accept.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muniment import Memory
from muniment.core.declaration import DECLARATIONS
from muniment.core.errors import Refusal
from muniment.core.lifecycle import Lifecycle
from muniment.core.policy import Policy
from muniment.usecases import declare as declaring
from muniment.usecases.apply import Outcome
from muniment.usecases.propose import Proposed
from muniment.usecases.review import Choice
from muniment.wiring import count_tokens
from tests.usecases.world import (
    BOARD,
    NOON,
    SHOP,
    TEAM,
    THERE,
    WEB,
    World,
    add,
    deprecate,
    derived,
    diff_of,
    fact,
    flag,
    revalidate,
    signer_of,
    supersede,
    uses_tool,
)

EXPORT = Path(__file__).resolve().parents[1] / "data" / "twin" / "mem0.json"
SEEN = ("user:bob", "user:dan", "agent:codex")
NARROWER = {**TEAM, "all_of": [["group:board"]]}
TOOLS = ("npm", "pnpm", "yarn")
QUERIES = ("which package manager?", "what needs npm", "mem_none", "is the shop for sale?")


class Twin(World):
    """A world whose clock and entropy are told by act."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = lambda: self.now
        self.now = NOON
        self.claims: list[str] = []
        self.diffs: list[str] = []
        self.board: list[str] = []
        self.waiting: list[str] = []
        self.told: list[str] = []
        self.done: list[str] = []
        board = ("user:ana", "user:cy")
        keys = (signer_of("user:cy").public_key,)
        made = (
            declaring.group("group:board", board),
            declaring.group("group:shop", ("user:ana", "user:cy", *SEEN)),
            declaring.roles("user:cy", ("proposer", "reviewer")),
            declaring.credential("user:cy", keys),
        )
        self.as_("user:ana").declare(*made, signer=signer_of("user:ana"))

    def begin(self, label: str, number: int) -> None:
        turns = itertools.count()
        self.draw = lambda size: hashlib.shake_256(
            f"{label}/{number}/{next(turns)}".encode()
        ).digest(size)
        self.now = NOON + timedelta(hours=number, minutes=label == "hidden")

    def as_(self, name: str, scopes: tuple = (SHOP,), **more: Any) -> Memory:
        session = replace(self.session(name, scopes=scopes, **more), counter=count_tokens)
        return Memory(session, {}, self.clock, self.draw)


def pick(known: list[str], number: int) -> str:
    return known[number % len(known)] if known else "mem_none"


def offered(world: Twin, name: str, change: dict, kept: list[str], **frame: Any) -> Proposed:
    proposed = world.as_(name).propose(diff_of(change, **frame))
    kept.append(proposed.diff.id)
    return proposed


def decided(world: Twin, name: str, diff_id: str, decision: str, made: list[str]) -> Outcome:
    choice = {"change_01": Choice(decision, "looked at it")}
    outcome = world.as_(name).review(diff_id, choice, signer_of(name))
    made.extend(one for one in outcome.resulting.values() if one not in (*made, *world.claims))
    return outcome


# --- what is seen ---------------------------------------------------------------------------------


def item_of(n: int, **but: Any) -> dict:
    tool = TOOLS[n % 3]
    return uses_tool(tool, **but) if n % 2 else fact(f"The shop builds with {tool}.", **but)


def seen_acts(world: Twin) -> dict[str, Callable[[int], Any]]:
    who = "agent:codex"

    def proposes(change: dict) -> Proposed:
        return offered(world, who, change, world.diffs)

    def decides(n: int, decision: str) -> Outcome:
        return decided(world, "user:bob", pick(world.diffs, n), decision, world.claims)

    def accepted(change: dict) -> Outcome:
        proposes(change)
        return decides(-1, "accepted")

    def narrows(n: int) -> str:
        """Somebody who sees more takes a claim out of the others' sight."""
        by, target = world.as_("user:ana"), pick(world.claims, n)
        made = by.narrow(target, NARROWER, "it names a customer")
        choice = {"change_01": Choice("accepted")}
        world.as_("user:cy").review(made.diff.id, choice, signer_of("user:cy"))
        return "narrowed"

    return {
        "propose": lambda n: proposes(add(item_of(n))),
        "accept": lambda n: decides(n, "accepted"),
        "add": lambda n: accepted(add(item_of(n))),
        "put off": lambda n: decides(n, "needs_review"),
        "reject": lambda n: decides(n, "rejected"),
        "supersede": lambda n: accepted(supersede(pick(world.claims, n), item_of(n + 1))),
        "deprecate": lambda n: accepted(deprecate(pick(world.claims, n))),
        "revalidate": lambda n: accepted(revalidate(pick(world.claims, n))),
        "derive": lambda n: accepted(
            add(derived(f"It follows: {TOOLS[n % 3]}.", pick(world.claims, n)))
        ),
        "flag": lambda n: accepted(flag(pick(world.claims, n), pick(world.claims, n + 1))),
        "settle": lambda n: accepted(
            supersede(pick(world.claims, n), item_of(n + 2), resolves=list(world.claims))
        ),
        "edit": lambda n: world.as_("user:bob").edit(
            pick(world.diffs, n), "change_01", {"title": "edited"}, signer_of("user:bob"), "clearer"
        ),
        "import": lambda n: world.as_("user:dan").import_(
            EXPORT, visibility=TEAM, dry_run=n % 2 > 0
        ),
        "narrow": narrows,
        "point at what is not there": lambda n: proposes(deprecate("mem_none")),
    }


# --- what is hidden -------------------------------------------------------------------------------


def hidden_acts(world: Twin) -> dict[str, Callable[[int], Any]]:
    def proposes(change: dict, by: str = "user:ana", **frame: Any) -> Proposed:
        return offered(world, by, change, world.waiting, **frame)

    def accepted(change: dict, **frame: Any) -> Outcome:
        proposed = proposes(change, **frame)
        return decided(world, "user:cy", proposed.diff.id, "accepted", world.board)

    def secret(n: int, **but: Any) -> dict:
        return item_of(n, **{"visibility": BOARD, **but})

    def seen(n: int) -> str:
        return pick(world.claims, n)

    def own(n: int) -> str:
        return pick(world.board, n)

    def rejected(n: int) -> Outcome:
        proposed = proposes(add(fact(f"The shop is for sale: {n}.", visibility=BOARD)))
        return decided(world, "user:cy", proposed.diff.id, "rejected", [])

    def erased(n: int) -> Any:
        outcome = accepted(add(fact(f"The shop was sold: {n}.", visibility=BOARD)))
        return world.as_("user:ana").erase(outcome.resulting["change_01"], signer_of("user:ana"))

    def declares(n: int) -> Any:
        made = (
            declaring.group(f"group:board-{n}", ("user:ana", "user:zoe")),
            declaring.roles(f"user:zoe-{n}", ("reader",)),
            declaring.principal(f"user:zoe-{n}"),
        )
        return world.as_("user:ana").declare(*made, signer=signer_of("user:ana"))

    def rules(n: int) -> Any:
        policy = Policy(f"board-{n}", WEB, may_review_own=("user:ana",))
        return world.as_("user:ana").declare_policy(policy, signer_of("user:ana"))

    def retains(n: int) -> Any:
        then = ("archive", "consolidate")[n % 2]  # what is deleted is refused, which is told
        levels = (BOARD["level"],)
        rule = Lifecycle("board", SHOP, "PT1S", then=then, levels=levels)
        memory, signer = world.as_("user:ana"), signer_of("user:ana")
        memory.declare(declaring.lifecycle(rule), signer=signer)
        return memory.retain(apply=True, signer=signer)

    def elsewhere(n: int) -> Any:
        memory = world.as_("agent:codex", tenant=THERE)
        proposed = memory.propose(diff_of(add(item_of(n))))
        return world.as_("user:bob", tenant=THERE).review(
            proposed.diff.id, {"change_01": Choice("accepted")}, signer_of("user:bob")
        )

    web = {"kind": "repository", "id": WEB.id}
    return {
        "propose": lambda n: proposes(add(secret(n))),
        "add": lambda n: accepted(add(secret(n))),
        "add elsewhere": lambda n: accepted(add(secret(n, scope=web)), scope=web),
        "supersede its own": lambda n: accepted(supersede(own(n), secret(n + 1))),
        "supersede what is seen": lambda n: accepted(
            supersede(seen(n), item_of(n + 1, visibility=NARROWER))
        ),
        "deprecate": lambda n: accepted(deprecate(own(n))),
        "revalidate": lambda n: accepted(revalidate(own(n))),
        "derive from what is seen": lambda n: accepted(
            add(derived(f"The board says {TOOLS[n % 3]}.", seen(n), visibility=BOARD))
        ),
        "flag both": lambda n: accepted(flag(seen(n), own(n))),
        "flag both, other way round": lambda n: accepted(flag(own(n), seen(n))),
        "propose to flag both": lambda n: proposes(flag(seen(n), own(n))),
        "settle what is seen": lambda n: accepted(
            add(secret(n + 2), resolves=[*world.claims, *world.board])
        ),
        "put off": lambda n: decided(
            world, "user:cy", proposes(add(secret(n))).diff.id, "needs_review", world.board
        ),
        "reject": rejected,
        "erase": erased,
        "leave out": lambda n: world.as_("user:ana").propose(
            diff_of(ignored_candidates=[{"claim": TOOLS[n % 3], "reason": "not yet"}])
        ),
        "declare": declares,
        "rule": rules,
        "retain": retains,
        "import": lambda n: world.as_("user:ana").import_(EXPORT, visibility=BOARD),
        "ask": lambda n: world.as_("user:ana").recall(QUERIES[n % 4], use="answer_questions"),
        "in the other tenant": elsewhere,
    }


SEEN_ACTS, HIDDEN_ACTS = sorted(seen_acts(Twin())), sorted(hidden_acts(Twin()))


# --- what is told ---------------------------------------------------------------------------------


def told(act: Callable[[], Any]) -> str:
    """An answer or a refusal, without tokens."""
    try:
        answer = act()
    except Refusal as refusal:
        return repr((type(refusal).__name__, str(refusal), refusal.findings))
    if isinstance(answer, Proposed | Outcome):
        answer = replace(answer, token="")
    if isinstance(answer, tuple):
        answer = tuple(replace(a, token="") if hasattr(a, "token") else a for a in answer)
    return repr(answer)


def everything(world: Twin, also: list[str]) -> list[str]:
    """Whatever those who see less can call without writing."""
    calls: list[Callable[[], Any]] = []
    for name in ("user:bob", "agent:codex"):
        memory = world.as_(name, (SHOP, WEB))
        calls += [memory.inbox, memory.conflicts, memory.is_governed, memory.verify, memory.doctor]
        calls += [partial(memory.declared, kind) for kind in DECLARATIONS]
        calls += [partial(memory.may_review_own, SHOP)]
        calls += [
            partial(memory.export, one, visibility=TEAM) for one in ("jsonl", "mem0", "block")
        ]
        calls += [partial(world.as_(name).import_, EXPORT, visibility=TEAM, dry_run=True)]
        for one in (*world.claims, *world.diffs, *also):
            verbs = (memory.show, memory.history, memory.why, memory.diff, memory.to_erase)
            calls += [partial(verb, one) for verb in verbs]
            calls += [partial(memory.claims, [one])]
        for n, query in enumerate(QUERIES):
            as_of = (None, 1, None, NOON)[n]
            options = {"history": n == 0, "own_proposals": n == 1, "as_of": as_of}
            calls += [partial(recalled, memory, query, options)]
    return [told(call) for call in calls]


def recalled(memory: Memory, query: str, options: dict) -> Any:
    found = memory.recall(query, use="answer_questions", **options)
    return found.as_json(), memory.why(found.retrieval_id)


STEPS = st.lists(
    st.tuples(
        st.sampled_from(SEEN_ACTS),
        st.integers(0, 5),
        st.lists(st.tuples(st.sampled_from(HIDDEN_ACTS), st.integers(0, 5)), max_size=3),
    ),
    min_size=1,
    max_size=6,
)


def driven(steps: list, with_hidden: bool) -> Twin:
    world = Twin()
    seen, hidden = seen_acts(world), hidden_acts(world)
    for number, (name, n, meanwhile) in enumerate(steps, 1):
        world.begin("seen", number)
        world.told.append(told(partial(seen[name], n)))
        for order, (secretly, m) in enumerate(meanwhile if with_hidden else ()):
            world.begin("hidden", number * 10 + order)
            world.done.append(told(partial(hidden[secretly], m)))
    world.begin("seen", 1000)
    return world


@pytest.mark.req("E-BLINDWRITE", "B-FILTERFIRST", "B-TRAVEL")
@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(STEPS)
def test_what_others_do_in_hiding_changes_no_word_of_what_is_told(steps):
    among, alone = driven(steps, with_hidden=True), driven(steps, with_hidden=False)
    hidden = [*among.board[:1], *among.waiting[:1]]
    assert among.told == alone.told
    assert everything(among, hidden) == everything(alone, hidden)


@pytest.mark.req("B-TRAVEL")
def test_what_is_narrowed_is_out_of_the_others_sight():
    world = driven([("add", 1, []), ("derive", 0, []), ("narrow", 0, [])], with_hidden=False)
    assert world.told[-1] == "'narrowed'"
    for one in world.claims:
        assert told(partial(world.as_("user:ana").show, one)).startswith("Shown")
        assert "NotFound" in told(partial(world.as_("user:bob").show, one))


@pytest.mark.parametrize("name", HIDDEN_ACTS)
@pytest.mark.req("E-BLINDWRITE")
def test_each_hidden_act_does_something(name):
    before = [("add", 1, [("add", 3)]), ("add", 3, [("add", 1), ("propose", 0)])]
    world = driven([*before, ("propose", 0, [(name, 1)])], with_hidden=True)
    refused = world.done[-1].startswith("('")
    assert refused == (name == "settle what is seen")
