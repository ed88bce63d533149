"""Two tenants in one store: every write to the one under test is made by its neighbour first, and never felt by it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime

from muniment.core.access import Scope, Visibility
from muniment.core.claim import Claim, ConflictNote, Fact
from muniment.core.encode import encode
from muniment.core.event import Event
from muniment.core.record import with_normal_visibility
from muniment.core.source import Source

AT = datetime(2026, 7, 8, 12, tzinfo=UTC)
SHOP = Scope("repository", "github:acme/shop")
ALICE = Scope("user", "alice")
GROUP = ("group:shop",)
TENANT, NEIGHBOUR = "acme", "globex"


def mem(name: str) -> str:
    return f"mem_{name}"


def claim(name: str, text: str = "The shop uses pnpm.", **changes) -> Claim:
    scope = changes.pop("scope", SHOP)
    who = changes.pop("who", GROUP)
    derived_from = tuple(mem(other) for other in changes.pop("derived_from", ()))
    conflicts = tuple(ConflictNote(mem(other)) for other in changes.pop("conflicts", ()))
    made = Claim(
        id=mem(name),
        claim=text,
        scope=scope,
        source=Source("file", uri="file:///shop/README.md", derived_from=derived_from),
        visibility=Visibility("team-private" if who else "public", who),
        conflicts=conflicts,
        version=1,
        created_at=AT,
    )
    return with_normal_visibility(replace(made, **changes))


def claim_event(transaction, one: Claim, subjects=None) -> Event:
    cls = transaction.declare_class(one.scope, one.visibility.audience)
    named = (one.id,) if subjects is None else subjects
    return Event("claim", one.id, encode(one), subjects=named, cls=cls)


def fact(subject: str, predicate: str, value: str) -> tuple[Fact, ...]:
    return (Fact(subject, predicate, value),)


def numbers():
    """Entropy that differs at each call and is the same in each run."""
    counter = itertools.count(1)
    return lambda size: next(counter).to_bytes(size, "big")


def postings(snapshot, terms, classes) -> dict[str, list[tuple[int, int]]]:
    """For each word the (event, count) of every version in these classes that holds it, by event."""
    numbers = {row.number for row in snapshot.classes() if row.id in set(classes)}
    found = {term: [] for term in terms}
    for run in snapshot.index("claim").runs(numbers):
        counts, lengths = run.segment.array("counts"), run.segment.array("lengths")
        for term in terms:
            places, codes = run.cut(*run.segment.postings(snapshot.term_key(term)))
            held = counts[codes.astype(int) // max(len(lengths), 1)]
            found[term] += zip(run.seqs(places).tolist(), held.tolist(), strict=True)
    return {term: sorted(pairs) for term, pairs in found.items()}


def everything(store, tenant: str) -> dict:
    """All that a snapshot tells."""
    with store.snapshot(tenant) as snapshot:
        classes = snapshot.classes()
        envelopes = tuple(snapshot.envelopes())
        ids = sorted({e.id for e in envelopes} | {s for e in envelopes for s in e.subjects})
        histories = {id: snapshot.history(id) for id in ids}
        rows = [row for history in histories.values() for row in history]
        names = [c.id for c in classes]
        terms = ("shop", "pnpm", "uses", "use", "deploy", "npm", "friday")
        return {
            "revision": snapshot.revision,
            "key": snapshot.key("a", "b"),
            "classes": classes,
            "envelopes": envelopes,
            "rows": snapshot.rows(names),
            "row": {id: snapshot.row(id) for id in ids},
            "history": histories,
            "lookup": {key: snapshot.lookup(key) for row in rows for key in row.keys},
            "pointing": {id: snapshot.pointing_at(id) for id in ids},
            "docs": {kind: snapshot.docs(kind) for kind in sorted({e.kind for e in envelopes})},
            "contents": dict(snapshot.contents(range(1, len(envelopes) + 2))),
            "postings": postings(snapshot, terms, names),
        }


class World:
    """A store with a tenant under test and a neighbour who does the same things."""

    def __init__(self, store) -> None:
        self.store = store
        self.expected = everything(store, NEIGHBOUR)

    def commit(self, build: Callable, at=AT):
        """Run `build(transaction)` for the neighbour, then for the tenant."""
        self.neighbour_is_untouched()
        with self.store.transaction(NEIGHBOUR) as transaction:
            build(transaction)
        self.expected = everything(self.store, NEIGHBOUR)
        with self.store.transaction(TENANT) as transaction:
            return build(transaction)

    def put(self, *claims: Claim, at=AT) -> int:
        """One transaction with a version of each claim."""
        return self.commit(lambda t: t.append([claim_event(t, one) for one in claims], at))

    def append(self, *events: Event, at=AT) -> int:
        return self.commit(lambda t: t.append(events, at))

    @contextmanager
    def transaction(self):
        """The tenant's own, for what shall fail."""
        with self.store.transaction(TENANT) as transaction:
            yield transaction

    @contextmanager
    def snapshot(self):
        with self.store.snapshot(TENANT) as snapshot:
            yield snapshot

    def picture(self) -> dict:
        return everything(self.store, TENANT)

    def verify(self, head: str = ""):
        return self.store.verify(TENANT, head)

    def neighbour_is_untouched(self) -> None:
        assert everything(self.store, NEIGHBOUR) == self.expected
        assert self.store.verify(NEIGHBOUR).ok
