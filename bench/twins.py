"""Twin stores: the same visible acts in both, and in one of them hidden acts between them.

- `user:bob` and `agent:codex` see what the shop's group sees, `user:eve` what is public. `user:ana` and the board's
  claims are hidden from all three, so are another scope and the other tenant.
- Hidden acts write claims, revisions, supersessions, conflicts, derivations, proposals, decisions, erasures, groups,
  roles and policies, word for word about the same things.
- Clock and entropy are told by act, so that a visible act makes the same identifiers in both twins.
- Nothing hidden rejects or erases a value that the visible acts accept: a reviewer who accepts what meets a hidden
  tombstone is meant to be told that it was held.

What is asked of the twins, and how it is compared, is `noninterference`'s matter.
"""

from __future__ import annotations

import hashlib
import itertools
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from muniment import Choice, Memory, wiring
from muniment.core.access import Scope, Visibility
from muniment.core.claim import (
    Claim,
    Confidence,
    Entity,
    Fact,
    Freshness,
    Relationship,
    Review,
    Validity,
)
from muniment.core.encode import encode
from muniment.core.errors import Refusal
from muniment.core.event import Event
from muniment.core.policy import Policy
from muniment.core.source import Reading, Source, evidence_of
from muniment.credential import create, open_credential
from muniment.ports.credential import Signer
from muniment.ports.store import Store
from muniment.usecases import declare
from muniment.usecases.embedding import text_of, vectors_of

NOON = datetime(2026, 7, 8, 12, tzinfo=UTC)
SHOP, WEB = Scope("repository", "github:acme/shop"), Scope("repository", "github:acme/web")
HERE, THERE = "acme", "globex"
SEEN = (
    Visibility("public"),
    Visibility("team-private", ("group:shop",)),
    Visibility("user-private", ("user:bob",)),
)
HIDDEN = (
    Visibility("security-sensitive", ("group:board",)),
    Visibility("user-private", ("user:ana",)),
    Visibility("team-private", ("group:deep",)),
)
ASKERS = ("user:bob", "agent:codex", "user:eve")
THINGS = tuple(
    """tests docs cart search mail queue invoice worker service database schema cache image workflow release
    package module endpoint webhook report locale theme token gateway""".split()
)
TOOLS = tuple("pytest ruff tox docker redis vite npm pnpm celery alembic mypy hatch".split())
VERBS = tuple(
    "runs builds checks deploys starts migrates lints formats publishes reindexes".split()
)
TYPES = ("project_fact", "decision", "runbook_step", "user_preference")
USES = ("answer_questions", "plan_changes")
PASSPHRASE = "for measuring only"


@cache
def signer(name: str) -> Signer:
    """The opened credential of a principal."""
    turns = itertools.count()

    def drawn(size: int) -> bytes:
        return hashlib.shake_256(f"{name}/{next(turns)}".encode()).digest(size)

    return open_credential(create(name, PASSPHRASE, entropy=drawn), PASSPHRASE)


def sentence(rng: random.Random) -> str:
    """What a claim says; hidden and visible ones speak of the same things."""
    first, second = rng.choice(THINGS), rng.choice(THINGS)
    return f"The {first} {rng.choice(VERBS)} the {second} with {rng.choice(TOOLS)}."


class CountBytes:
    """Counts bytes: which tokens a packet has follows from its text alone, and counting them takes most of the time."""

    name = "utf-8 bytes"

    def __call__(self, text: str) -> int:
        """How long a text is."""
        return len(text.encode())


class Twin:
    """A store of one of the two, its clock and entropy told by act.

    Args:
        opened: Opens the store; it is given the entropy.
    """

    def __init__(self, opened: Callable[[Callable[[int], bytes]], Store]) -> None:
        self.now, self._label, self._turn = NOON, "begin", 0
        self.store = opened(self.draw)
        self.claims: list[str] = []
        self.board: list[str] = []
        self.diffs: list[str] = []
        self.waiting: list[str] = []
        self.retrievals: list[str] = []
        self.certificates: list[Mapping[str, Any]] = []
        self._known: dict[tuple[str, str], Memory] = {}
        for tenant in (HERE, THERE):
            self._settle(tenant)

    def draw(self, size: int) -> bytes:
        """Bytes that follow from the act and their place in it."""
        self._turn += 1
        return hashlib.shake_256(f"{self._label}/{self._turn}".encode()).digest(size)

    def begin(self, label: str, hours: float) -> None:
        """Begin an act."""
        self._label, self._turn = label, 0
        self.now = NOON + timedelta(hours=hours)

    def memory(self, name: str, tenant: str = HERE) -> Memory:
        """The store as one principal uses it."""
        if (name, tenant) not in self._known:
            session = wiring.make_session(
                self.store,
                tenant=tenant,
                principal=name,
                scopes=(SHOP, WEB),
                clock=lambda: self.now,
                entropy=self.draw,
                embedder=wiring.default_embedder(),
            )
            quick = replace(session, counter=lambda name: CountBytes())
            self._known[name, tenant] = Memory(quick, {}, lambda: self.now, self.draw)
        return self._known[name, tenant]

    def _settle(self, tenant: str) -> None:
        people = {
            "user:ana": ("operator", "proposer", "reviewer"),
            "user:cy": ("proposer", "reviewer"),
            "user:bob": ("proposer", "reviewer"),
            "agent:codex": ("proposer",),
            "user:eve": ("reader",),
        }
        made = [declare.principal(name) for name in people]
        made += [declare.group("group:shop", ("user:ana", "user:cy", "user:bob", "agent:codex"))]
        made += [declare.group("group:board", ("user:ana", "user:cy"))]
        made += [declare.group("group:deep", ("group:board",))]
        made += [declare.roles(name, given) for name, given in people.items()]
        reviewers = [name for name, given in people.items() if "reviewer" in given]
        made += [declare.credential(name, (signer(name).public_key,)) for name in reviewers]
        self.memory("user:ana", tenant).declare(*made)

    # --- writing past the reviewers, as if it had been accepted long ago ---

    def write(self, claims: Iterable[Claim], tenant: str = HERE) -> None:
        """One transaction with a version of each claim; most of them have a vector, where anything embeds."""
        made = list(claims)
        texts = [text_of(encode(one)) if len(one.claim) % 5 else "" for one in made]
        space, found = vectors_of(self.memory("user:ana", tenant).session, texts)
        vectors = {n: found[text] for n, text in enumerate(texts) if text in found}
        with self.store.transaction(tenant) as transaction:
            events = [
                Event("claim", c.id, encode(c), c.id, (c.id,),
                      transaction.declare_class(c.scope, c.visibility.audience))
                for c in made
            ]  # fmt: skip
            transaction.append(events, self.now, {space: vectors} if vectors else {})

    def dispute(self, one: str, other: str) -> None:
        """Record that two claims contradict one another."""
        sides = tuple(sorted((one, other)))
        content: dict[str, Any] = {"between": list(sides), "note": "", "kind": "flagged"}
        content |= {"since": encode(NOON), "resolved": ""}
        with self.store.transaction(HERE) as transaction:
            key = transaction.key("conflict", *sides)
            transaction.append([Event("conflict", key, content, subjects=sides)], self.now)


def claim(name: str, who: Visibility, known: Sequence[str], rng: random.Random) -> Claim:
    """A claim with relations to others, of every status that may be."""
    text, uri = sentence(rng), f"repo:github:acme/shop!/{name}.md"
    line = f"{text}\n".encode()
    sources = tuple(rng.sample(known, 1)) if known and rng.random() < 0.15 else ()
    olds = tuple(rng.sample(known, 1)) if known and rng.random() < 0.15 else ()
    linked = tuple(rng.sample(known, 1)) if known and rng.random() < 0.2 else ()
    until = rng.choice((None, None, None, NOON + timedelta(hours=rng.randrange(60))))
    derivation = "inferred" if sources else "direct"
    return Claim(
        f"mem_{name}",
        text,
        SHOP,
        Source(
            "file",
            "observation",
            uri,
            NOON,
            (evidence_of(line, 0, len(line) - 1),),
            derivation,
            sources,
        ),
        who,
        type=rng.choice(TYPES),
        facts=(Fact(rng.choice(THINGS), "uses", rng.choice(TOOLS)),),
        entities=(Entity(rng.choice(THINGS)),) if rng.random() < 0.3 else (),
        aliases=(rng.choice(TOOLS),) if rng.random() < 0.1 else (),
        relationships=tuple(Relationship("relates_to", one) for one in linked),
        supersedes=olds,
        validity=Validity(None, until),
        review=Review(rng.choice(("accepted",) * 6 + ("needs_review", "deprecated"))),
        freshness=Freshness("current", NOON, None, "reread"),
        confidence=Confidence(0.9, "high", "", "direct_source_memory"),
        reading=Reading("match", NOON),
        allowed_uses=USES,
        created_at=NOON,
        version=1,
    )


# --- what is proposed -----------------------------------------------------------------------------


def item(text: str, who: Visibility, **but: Any) -> dict[str, Any]:
    """A draft in wire form about which no rule has anything to say."""
    return {
        "claim": text,
        "scope": encode(SHOP),
        "source": {"kind": "document", "uri": "https://example.org/handbook", "observed_at": encode(NOON)},
        "visibility": encode(who),
        "freshness": {"status": "current", "last_verified_at": encode(NOON), "verification_method": "read"},
        "confidence": {"score": 0.9, "reason": "the handbook says so"},
        "review": {"status": "proposed"},
        "allowed_uses": list(USES),
        **but,
    }  # fmt: skip


def tool(number: int, who: Visibility, **but: Any) -> dict[str, Any]:
    """A draft that gives a single-valued predicate a value."""
    name = TOOLS[number % len(TOOLS)]
    one = {"subject": "shop", "predicate": "uses_package_manager", "object": name}
    return item(f"The shop installs its packages with {name}.", who, facts=[one], **but)


def change(operation: str, **parts: Any) -> dict[str, Any]:
    """A change in wire form."""
    return {"id": "change_01", "operation": operation, "reason": "worth knowing", **parts}


def diff(*changes: Mapping[str, Any], **frame: Any) -> dict[str, Any]:
    """A diff in wire form."""
    uri = "https://example.org/pull/7"
    trigger = {"kind": "pull_request", "uri": uri, "state": "merged"}
    basis = [{"uri": uri, "role": "primary"}]
    return {"scope": encode(SHOP), "trigger": trigger, "basis": basis, "changes": list(changes), **frame}  # fmt: skip


def pick(known: Sequence[str], number: int) -> str:
    """One of them; a name that nothing has where there is none."""
    return known[number % len(known)] if known else "mem_none"


def proposed(twin: Twin, name: str, one: Mapping[str, Any], kept: list[str]) -> Any:
    """Propose a change and remember its diff."""
    found = twin.memory(name).propose(diff(one))
    kept.append(found.diff.id)
    return found


def decided(twin: Twin, name: str, diff_id: str, decision: str, made: list[str]) -> Any:
    """Decide a diff of one change and remember what it made."""
    chosen = {"change_01": Choice(decision, "looked at it")}  # type: ignore[arg-type]
    outcome = twin.memory(name).review(diff_id, chosen, signer(name))
    made.extend(one for one in outcome.resulting.values() if one not in (*made, *twin.claims))
    return outcome


Act = Callable[[Twin, random.Random], Any]


# --- what is seen ---------------------------------------------------------------------------------


def _write_seen(twin: Twin, rng: random.Random) -> None:
    names = [f"v{len(twin.claims) + n}" for n in range(rng.randint(1, 4))]
    hidden = [f"mem_h{n}" for n in range(3)]
    made = [claim(name, rng.choice(SEEN), twin.claims + hidden, rng) for name in names]
    twin.write(made)
    twin.claims += [one.id for one in made]


def _revise_seen(twin: Twin, rng: random.Random) -> None:
    name = pick([one for one in twin.claims if one.startswith("mem_v")], rng.randrange(1_000))
    twin.write([replace(claim(name[4:], rng.choice(SEEN), (), rng), version=2)])


def _propose_seen(twin: Twin, rng: random.Random) -> Any:
    return proposed(
        twin, "agent:codex", change("add", item=tool(rng.randrange(8), SEEN[1])), twin.diffs
    )


def _accept_seen(twin: Twin, rng: random.Random) -> Any:
    return decided(twin, "user:bob", pick(twin.diffs, -1), "accepted", twin.claims)


def _reject_seen(twin: Twin, rng: random.Random) -> Any:
    text = f"The shop is closed on day {'abcdefghij'[rng.randrange(10)]}."
    found = proposed(twin, "agent:codex", change("add", item=item(text, SEEN[1])), twin.diffs)
    return decided(twin, "user:bob", found.diff.id, "rejected", [])


def _replace_seen(twin: Twin, rng: random.Random) -> Any:
    target, new = pick(twin.claims, rng.randrange(1_000)), item(sentence(rng), SEEN[1])
    found = proposed(twin, "agent:codex", change("supersede", target_id=target, item=new), twin.diffs)  # fmt: skip
    return decided(twin, "user:bob", found.diff.id, "accepted", twin.claims)


def _flag_seen(twin: Twin, rng: random.Random) -> Any:
    sides = [pick(twin.claims, rng.randrange(1_000)) for _ in range(2)]
    one = change("flag_conflict", target_ids=sides, conflict_notes="one of the two is wrong")
    found = proposed(twin, "agent:codex", one, twin.diffs)
    return decided(twin, "user:bob", found.diff.id, "accepted", twin.claims)


SEEN_ACTS: tuple[Act, ...] = (
    _write_seen, _write_seen, _revise_seen, _propose_seen, _accept_seen, _reject_seen, _replace_seen, _flag_seen,
)  # fmt: skip


# --- what is hidden -------------------------------------------------------------------------------


def _write_hidden(twin: Twin, rng: random.Random) -> None:
    names = [f"h{len(twin.board) + n}" for n in range(rng.randint(1, 12))]
    made = [claim(name, rng.choice(HIDDEN), twin.claims + twin.board, rng) for name in names]
    twin.write(made)
    twin.board += [one.id for one in made]


def _revise_hidden(twin: Twin, rng: random.Random) -> None:
    name = pick([one for one in twin.board if one.startswith("mem_h")] or ["mem_h0"], rng.randrange(1_000))  # fmt: skip
    made = replace(claim(name[4:], rng.choice(HIDDEN), twin.claims, rng), version=2)
    twin.write([made])
    twin.board += [made.id] if made.id not in twin.board else []


def _write_elsewhere(twin: Twin, rng: random.Random) -> None:
    number = rng.randrange(1_000_000)
    one = replace(claim(f"w{number}", HIDDEN[0], twin.claims, rng), scope=WEB)
    twin.write([one])
    twin.write([claim(f"v{number % 20}", SEEN[0], (), rng)], THERE)


def _dispute_hidden(twin: Twin, rng: random.Random) -> None:
    if twin.claims and twin.board:
        twin.dispute(pick(twin.claims, rng.randrange(1_000)), pick(twin.board, rng.randrange(1_000)))  # fmt: skip


def _propose_hidden(twin: Twin, rng: random.Random) -> None:
    proposed(twin, "user:ana", change("add", item=tool(rng.randrange(8), HIDDEN[0])), twin.waiting)


def _accept_hidden(twin: Twin, rng: random.Random) -> None:
    _propose_hidden(twin, rng)
    decided(twin, "user:cy", twin.waiting[-1], "accepted", twin.board)


def _replace_hidden(twin: Twin, rng: random.Random) -> None:
    narrower = {"level": "team-private", "allowed_principals": ["group:shop"], "all_of": [["group:board"]]}  # fmt: skip
    new = {**item(sentence(rng), HIDDEN[0]), "visibility": narrower}
    target = pick(twin.claims, rng.randrange(1_000))
    proposed(twin, "user:ana", change("supersede", target_id=target, item=new), twin.waiting)
    decided(twin, "user:cy", twin.waiting[-1], "accepted", twin.board)


def _reject_hidden(twin: Twin, rng: random.Random) -> None:
    text = f"The shop is for sale: {rng.randrange(1_000_000)}."
    proposed(twin, "user:ana", change("add", item=item(text, HIDDEN[0])), twin.waiting)
    decided(twin, "user:cy", twin.waiting[-1], "rejected", [])


def _erase_hidden(twin: Twin, rng: random.Random) -> None:
    text = f"The shop was sold: {rng.randrange(1_000_000)}."
    proposed(twin, "user:ana", change("add", item=item(text, HIDDEN[0])), twin.waiting)
    outcome = decided(twin, "user:cy", twin.waiting[-1], "accepted", [])
    twin.memory("user:ana").erase(outcome.resulting["change_01"], signer("user:ana"))


def _declare_hidden(twin: Twin, rng: random.Random) -> None:
    number = rng.randrange(1_000_000)
    made = (
        declare.group(f"group:board-{number}", ("user:ana", "user:zoe")),
        declare.roles(f"user:zoe-{number}", ("reader",)),
        declare.principal(f"user:zoe-{number}"),
    )
    twin.memory("user:ana").declare(*made, signer=signer("user:ana"))


def _rule_hidden(twin: Twin, rng: random.Random) -> None:
    policy = Policy(f"board-{rng.randrange(1_000)}", WEB, may_review_own=("user:ana",))
    twin.memory("user:ana").declare_policy(policy, signer("user:ana"))


def _ask_hidden(twin: Twin, rng: random.Random) -> None:
    twin.memory("user:ana").recall(sentence(rng), use="answer_questions")


HIDDEN_ACTS: tuple[Act, ...] = (
    _write_hidden, _write_hidden, _write_hidden, _revise_hidden, _write_elsewhere, _dispute_hidden, _dispute_hidden,
    _propose_hidden, _accept_hidden, _replace_hidden, _reject_hidden, _erase_hidden, _declare_hidden, _rule_hidden,
    _ask_hidden,
)  # fmt: skip


def act(chosen: Act, twin: Twin, seed: str) -> str:
    """What an act is told: an answer or a refusal."""
    return told(lambda: chosen(twin, random.Random(seed)))


def told(call: Callable[[], Any]) -> str:
    """An answer or a refusal as text, every word of it; of a consistency token its size."""
    try:
        answer = call()
    except Refusal as refusal:
        return repr((type(refusal).__name__, str(refusal), refusal.findings))
    if hasattr(answer, "token"):
        answer = replace(answer, token="." * len(answer.token))
    return repr(answer)
