"""The claims of memory/ about this project are sound proposals, and its files still say so.

- A quote stands in its file byte for byte; where it stands does not matter.
- A fact that `muniment learn` can read is what it reads today.
"""

from __future__ import annotations

import os
from collections import defaultdict
from datetime import UTC, datetime

import pytest

from muniment import Choice, Memory
from muniment.credential import create, open_credential
from muniment.exchange.strict import load_document
from muniment.learn.extract import read_file
from muniment.usecases.declare import credential, principal, roles
from tests.docs.pages import ROOT

FILES = sorted((ROOT / "memory").glob("*.yaml"))
START = "repo:muniment!/"


def loaded(file):
    document = load_document(file.read_bytes(), file.name)
    assert [str(finding) for finding in document.findings] == []
    return document.value


def items():
    return [change["item"] for file in FILES for change in loaded(file)["changes"]]


def path_of(item):
    uri = item["source"]["uri"]
    assert uri.startswith(START)
    return uri.removeprefix(START)


def missing_quotes(item, data):
    quotes = [evidence["quote"] for evidence in item["source"]["evidence"]]
    return [quote for quote in quotes if quote.encode() not in data]


def disagreements(item, path, data):
    """What a claim's facts say otherwise than the reader of its file; and how many could be compared."""
    derived = defaultdict(set)
    for extract in read_file(path, data).extracts:
        derived[extract.subject or "muniment", extract.predicate].add(extract.value)
    readable = [f for f in item.get("facts", []) if derived[f["subject"], f["predicate"]]]
    wrong = [f for f in readable if f["object"] not in derived[f["subject"], f["predicate"]]]
    return wrong, len(readable)


def choices(proposed):
    return {change.id: Choice("accepted") for change in proposed.diff.changes}


class Signed:
    """A fresh store of this repository, an agent that proposes and a person who accepts."""

    def __init__(self, memory):
        words = "three plain words"
        self.signer = open_credential(create("user:ada", words, entropy=os.urandom), words)
        scopes = ["repository:muniment"]
        self.agent = memory.acting_as("agent:codex", scopes=scopes)
        self.ada = memory.acting_as("user:ada", scopes=scopes)
        self.ada.declare(
            principal("user:ada"),
            roles("user:ada", ("operator", "reviewer")),
            credential("user:ada", (self.signer.public_key,)),
        )

    def accept(self, file):
        proposed = self.agent.propose(loaded(file))
        return self.ada.review(proposed.diff.id, choices(proposed), self.signer)


@pytest.fixture
def store():
    later = datetime(2026, 12, 1, tzinfo=UTC)
    with Memory.open(None, clock=lambda: later, roots={"muniment": ROOT}) as memory:
        yield Signed(memory)


def test_there_are_enough_claims_to_be_of_use():
    assert len(items()) >= 20


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_file_is_a_sound_proposal(file, store):
    assert [str(f) for f in store.agent.propose(loaded(file)).findings] == []


def test_all_files_can_be_accepted_together_and_contradict_nothing(store):
    outcomes = [store.accept(file) for file in FILES]
    assert [outcome.conflicts for outcome in outcomes] == [()] * len(FILES)
    assert sum(len(outcome.resulting) for outcome in outcomes) == len(items())


def test_a_claim_that_is_accepted_already_would_be_noticed(store):
    store.accept(FILES[0])
    codes = {f.code for f in store.agent.propose(loaded(FILES[0])).findings}
    assert codes == {"duplicate"}


def test_the_project_remembers_how_its_tests_are_run(store):
    for file in FILES:
        store.accept(file)
    ask = {"use": "choose_local_commands", "budget": 600}
    packet = store.agent.recall("how do I run the tests?", **ask).packet
    assert "Running `make test` runs the checks before the tests." in {
        one.claim.claim for one in packet.items
    }


@pytest.mark.parametrize("item", items(), ids=lambda item: item["claim"][:60])
def test_the_file_still_says_what_the_claim_cites(item):
    assert item["source"]["evidence"]
    assert missing_quotes(item, (ROOT / path_of(item)).read_bytes()) == []


@pytest.mark.parametrize("item", items(), ids=lambda item: item["claim"][:60])
def test_a_fact_that_can_be_learned_is_what_is_learned_today(item):
    path = path_of(item)
    wrong, _ = disagreements(item, path, (ROOT / path).read_bytes())
    assert wrong == []


def test_every_fact_of_these_claims_can_be_learned():
    for item in items():
        path = path_of(item)
        _, compared = disagreements(item, path, (ROOT / path).read_bytes())
        assert compared == len(item.get("facts", [])), item["claim"]


def test_a_quote_that_is_gone_and_a_fact_that_is_otherwise_are_found():
    item = next(i for i in items() if i["claim"].startswith("Muniment requires Python"))
    data = b'[project]\nname = "muniment"\nrequires-python = ">=3.12"\n'
    assert missing_quotes(item, data) == ['requires-python = ">=3.11"']
    assert disagreements(item, "pyproject.toml", data)[0] == item["facts"]
