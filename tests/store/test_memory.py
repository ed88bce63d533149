"""The in-memory store keeps the port's promises."""

from __future__ import annotations

from dataclasses import replace

import pytest

from muniment.index.entry import packed, unpacked
from muniment.store.memory import MemoryStore
from tests.store.acceptance import *  # noqa: F403
from tests.store.acceptance_facts import *  # noqa: F403
from tests.store.acceptance_notes import *  # noqa: F403
from tests.store.world import numbers


@pytest.fixture
def make_store():
    return lambda **options: MemoryStore(numbers(), **options)


class Damage:
    """Ways to harm a tenant's state behind the store's back."""

    def __init__(self, store, tenant):
        self.state = store._tenants[tenant]

    def alter_envelope(self, seq):
        envelopes = self.state.envelopes
        envelopes[seq - 1] = replace(envelopes[seq - 1], id="other")

    def alter_content(self, seq):
        salt, body = self.state.contents[seq]
        self.state.contents[seq] = (
            salt,
            body.replace(b"{", b'{"extra":"","', 1).replace(b'""', b'"', 1),
        )

    def break_content(self, seq):
        self.state.contents[seq] = (self.state.contents[seq][0], b"{")

    def lose_content(self, seq):
        del self.state.contents[seq]

    def remove_event(self, seq):
        self.state.envelopes = [e for e in self.state.envelopes if e.seq != seq]

    def swap_events(self, one, other):
        envelopes = self.state.envelopes
        first, second = envelopes[one - 1], envelopes[other - 1]
        envelopes[one - 1] = replace(second, seq=one)
        envelopes[other - 1] = replace(first, seq=other)

    def truncate(self, last):
        self.state.envelopes = [e for e in self.state.envelopes if e.seq <= last]
        self.state.contents = {s: c for s, c in self.state.contents.items() if s <= last}
        self.state.refold()

    def alter_row(self, seq):
        rows = self.state.folded.rows
        rows[seq] = replace(rows[seq], review="rejected")

    def remove_row(self, seq):
        del self.state.folded.rows[seq]

    def alter_doc(self, collection, id):
        docs = self.state.folded.docs
        docs[collection, id] = replace(docs[collection, id], parent="other")

    def remove_keys(self, seq):
        carrying = self.state.folded.carrying
        for key, seqs in list(carrying.items()):
            carrying[key] = tuple(s for s in seqs if s != seq)

    def remove_links(self, seq):
        pointing = self.state.folded.pointing
        for to, seqs in list(pointing.items()):
            pointing[to] = tuple(s for s in seqs if s != seq)

    def alter_posting(self, seq):
        tail = self.state.blocks.tail
        for place, data in list(tail.items()):
            if place[1] == seq:
                entry = unpacked(data)
                terms = tuple((term, count + 1) for term, count in entry.terms)
                tail[place] = packed(replace(entry, terms=terms))

    def alter_fact(self, seq):
        standing, facts = self.state.folded.facts[seq]
        self.state.folded.facts[seq] = (standing + 1, facts)

    def remove_fact(self, seq):
        del self.state.folded.facts[seq]

    def alter_head(self):
        heads = self.state.folded.heads
        cls = next(iter(heads))
        heads[cls] = ("f" * 64, *heads[cls][1:])

    def alter_class(self):
        classes = self.state.classes
        cls = next(iter(classes))
        scope, audience = classes[cls]
        classes[cls] = (replace(scope, id="elsewhere"), audience)


@pytest.fixture
def damage():
    return Damage
