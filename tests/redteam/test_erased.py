"""Erased means gone: a word that stands in every text of a claim stands in no byte that the store keeps."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from muniment import Memory
from muniment.core.errors import InvalidInput
from muniment.core.request import Request
from muniment.store.sqlite import SqliteStore
from muniment.usecases.erase import erase, lift
from muniment.usecases.recall import recall
from muniment.usecases.review import Choice
from muniment.wiring import count_tokens
from tests.usecases.world import (
    HERE,
    NOON,
    Files,
    World,
    add,
    deprecate,
    derived,
    fact,
    flag,
    signer_of,
)

WORD = "Xanthippe"
FILE = f"file:///home/{WORD}/pay.txt"


@pytest.fixture
def world(tmp_path) -> World:
    return World(SqliteStore.open(tmp_path / "store.db", entropy=os.urandom, create=True))


def kept(folder) -> set[str]:
    """The store's files that hold the word, in any case."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert any(path.suffix == ".db" for path in files)
    return {path.name for path in files if WORD.lower().encode() in path.read_bytes().lower()}


def full(**but):
    """A draft that holds the word wherever a text may stand."""
    quote = f"{WORD} pays late"
    evidence = {
        "digest": "sha256:" + "0" * 64, "start": 0, "end": len(quote), "quote": quote, "pointer": f"/{WORD}",
        "uri": f"{FILE}#2",
    }  # fmt: skip
    source = {
        "kind": "file", "origin": "observation", "uri": FILE, "observed_at": NOON.isoformat(),
        "evidence": [evidence], "note": WORD,
    }  # fmt: skip
    return fact(
        f"The customer {WORD} pays late.",
        **{
            "id": f"foreign-{WORD}",
            "source": source,
            "title": WORD,
            "body": f"About {WORD}.",
            "summary": WORD,
            "facts": [{"subject": WORD, "predicate": "pays", "object": f"late, {WORD}"}],
            "entities": [{"name": WORD, "id": f"urn:{WORD}", "type": "person"}],
            "steps": [f"Call {WORD}."],
            "event": {
                "what": WORD,
                "participants": [WORD],
                "location": WORD,
                "context": WORD,
                "time": NOON.isoformat(),
            },
            "validity": {"conditions": [WORD], "decay": {"model": WORD}},
            "freshness": {
                "status": "current", "last_verified_at": NOON.isoformat(), "verification_method": f"asked {WORD}",
            },
            "confidence": {"score": 0.9, "reason": f"{WORD} said so"},
            "importance": {"score": 0.5, "reason": WORD, "source": WORD},
            "conflict_notes": WORD,
            "relationships": [{"type": "relates_to", "target": WORD}],
            "provenance": {
                "activity": WORD,
                "agent": f"user:{WORD.lower()}",
                "transformations": [{"activity": WORD, "agent": WORD, "note": WORD}],
            },
            "tags": [WORD],
            "aliases": [f"{WORD}'s account"],
            "namespace": WORD.lower(),
            "ontology": WORD.lower(),
            "properties": {WORD: {"deep": [WORD]}},
            "extensions": {WORD: WORD},
            "surplus": WORD,
            **but,
        },
    )  # fmt: skip


def proposed(world, **but):
    """A diff that holds the word wherever a text may stand."""
    frame = {
        "id": f"foreign {WORD}",
        "summary": WORD,
        "basis": [{"uri": f"https://example.org/{WORD}", "role": WORD}],
        "ignored_candidates": [{"claim": WORD, "reason": WORD}],
        "trigger": {"kind": "email", "uri": f"mailto:{WORD}@example.org", "state": "closed"},
        "extensions": {WORD: WORD},
    }
    change = add(full(**but), reason=f"{WORD} said so", conflict_notes=WORD)
    return world.propose("agent:codex", change, **frame)


def asked(world, name="user:ana", **options):
    request = Request(query=f"does {WORD} pay late?", use="answer_questions", log="text", **options)
    return recall(replace(world.session(name), counter=count_tokens), request)


def erased(world, id):
    return erase(world.session("user:ana"), id, signer_of("user:ana"))


def shown(world, folder):
    """Everything that the library tells an operator of what is left, as text."""
    with Memory.open(folder / "store.db", tenant=HERE, clock=world.clock) as memory:
        ana = memory.acting_as("user:ana", scopes=["repository:github:acme/shop"])
        told = [ana.inbox(), ana.conflicts(), ana.verify(), ana.doctor()]
        told += [ana.diff(one.diff.id) for one in ana.inbox()]
        return str(told)


@pytest.mark.parametrize("decision", ["accepted", "rejected", "needs_review", "pending", "lifted"])
@pytest.mark.req("A-DELETE")
def test_no_byte_of_an_erased_claim_is_kept_whatever_became_of_it(world, tmp_path, decision):
    world.files = Files({FILE: None, f"{FILE}#2": None})
    diff = proposed(world).diff
    asked(world, "agent:codex", own_proposals=True)
    id, given = diff.changes[0].item.id, Choice("rejected", f"{WORD} is not real")
    if decision == "lifted":
        world.review("user:ana", diff.id, change_01=given)
        with pytest.raises(InvalidInput) as refusal:
            proposed(world)
        name = refusal.value.findings[-1].message.rpartition(" ")[2].rstrip(")")
        lift(world.session("user:ana"), name, f"{WORD} called", signer_of("user:ana"))
    elif decision != "pending":
        choice = Choice(decision, f"{WORD} is not real")
        world.review("user:ana", diff.id, change_01=choice)
    assert kept(tmp_path)
    assert erased(world, id).disk == "complete"
    assert WORD not in shown(world, tmp_path)
    world.store.close()
    assert kept(tmp_path) == set()


@pytest.mark.req("A-DELETE", "E-RETRACT")
def test_nor_of_what_was_said_about_it(world, tmp_path):
    world.files = Files({FILE: None, f"{FILE}#2": None})
    id = world.review("user:ana", proposed(world), change_01="accepted").resulting["change_01"]
    other = world.accept(fact("Invoices are kept."))
    world.accept(derived("Some customers pay late.", id), by="user:bob")
    flagged = flag(id, other, conflict_notes=WORD, reason=f"{WORD} again")
    world.review("user:bob", world.propose("agent:codex", flagged), change_01="accepted")
    gone = world.propose("agent:codex", deprecate(id, reason=f"{WORD} left"))
    world.review("user:bob", gone, change_01=Choice("needs_review", f"ask {WORD}"))
    erased(world, id)
    assert WORD not in shown(world, tmp_path)
    world.store.close()
    assert kept(tmp_path) == set()


@pytest.mark.req("A-DELETE", "A-RETRIEVAL")
def test_a_logged_question_that_only_met_it_goes_too(world, tmp_path):
    ended = {"valid_until": "2026-07-08T13:00:00Z"}
    item = fact(f"The customer {WORD} pays late.", validity=ended)
    other = world.accept(item)
    world.clock.ahead(days=1)
    found = asked(world)
    assert (found.packet.items, [one.id for one in found.packet.omissions]) == ((), [other])
    erased(world, other)
    world.store.close()
    assert kept(tmp_path) == set()
