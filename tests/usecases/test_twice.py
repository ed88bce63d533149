"""Doing the same thing a second time changes nothing: neither the ledger nor a file (`E-IDEMPOTENT`)."""

from __future__ import annotations

from contextlib import suppress

import pytest

from muniment import Choice
from muniment.core.errors import Refusal
from muniment.usecases import importing, sync
from tests.usecases.synced import Person

pytestmark = pytest.mark.req("E-IDEMPOTENT")
NOTE = "---\nid: 3b0c8f6e-4b55-4d1e-9a53-0f5f5d9b1a11\ntype: semantic\ncreated: 2026-01-15T10:30:00Z\n---\n\n{}\n"


@pytest.fixture
def ada(tmp_path):
    person = Person("user:ada", tmp_path / "ada.db", tmp_path / "ada" / "memory").open()
    yield person
    person.close()


@pytest.fixture(params=["waiting", "accepted", "rejected"])
def decided(request):
    """What became of the first time."""
    return {"accepted": Person.accept_all, "rejected": Person.reject_all}.get(
        request.param, lambda _: None
    )


def test_importing_twice(ada, tmp_path, decided):
    bundle = tmp_path / "bundle"
    bundle.mkdir()
    (bundle / "a.md").write_text(NOTE.format("Tests need Docker."))
    (bundle / "notes.jsonl").write_text(
        '{"type":"entity","name":"x","entityType":"t","observations":["It rains."]}\n'
    )
    assert ada.memory.import_(bundle).proposed == 2
    decided(ada)
    before = ada.head()
    assert ada.memory.import_(bundle).proposed == 0
    assert ada.head() == before


def test_syncing_twice(ada, decided):
    ada.remember("Use pnpm for packages.")
    ada.sync()
    ada.edit("Use pnpm", "Use npm")
    (ada.folder / "new.md").write_text(NOTE.format("Tests need Docker."))
    ada.sync()
    decided(ada)
    ada.sync()
    before = ada.head(), ada.files()
    assert ada.sync().is_settled
    assert (ada.head(), ada.files()) == before


def overtaken_by(monkeypatch, module, other):
    """Somebody else does the same after everything was looked at and before it is proposed."""
    going_on = module.propose_what_passes

    def propose_what_passes(*given):
        monkeypatch.setattr(module, "propose_what_passes", going_on)
        other()
        return going_on(*given)

    monkeypatch.setattr(module, "propose_what_passes", propose_what_passes)


def waiting(ada):
    return sum(len(pending.diff.changes) for pending in ada.memory.inbox())


def test_syncing_twice_at_the_same_moment(ada, monkeypatch):
    ada.remember("Use pnpm for packages.")
    ada.remember("Tests need Docker.")
    ada.sync()
    ada.edit("Use pnpm", "Use npm")
    next(ada.folder.rglob("*ocker*.md")).unlink()
    (ada.folder / "new.md").write_text(NOTE.format("It rains."))
    overtaken_by(monkeypatch, sync, ada.sync)
    late = ada.sync()
    assert waiting(ada) == 3
    assert (len(late.proposed), len(late.waiting)) == (0, 3)


def test_importing_twice_at_the_same_moment(ada, tmp_path, monkeypatch):
    note, more = tmp_path / "a.md", tmp_path / "b.md"
    note.write_text(NOTE.format("Tests need Docker."))
    more.write_text(NOTE.format("It rains.").replace("3b0c", "3b0d"))
    overtaken_by(monkeypatch, importing, lambda: ada.memory.import_(note))
    assert ada.memory.import_(note, more).proposed == 1
    assert waiting(ada) == 2


def test_exporting_and_restoring_twice(ada, tmp_path):
    ada.remember("Use pnpm for packages.")
    ada.memory.export("mif", tmp_path / "out")
    assert ada.memory.export("mif", tmp_path / "out").changed == ()
    bob = Person("user:bob", tmp_path / "bob.db", tmp_path / "bob").open()
    assert len(bob.memory.restore(tmp_path / "out", bob.signer).claims) == 1
    before = bob.head()
    assert bob.memory.restore(tmp_path / "out", bob.signer).claims == ()
    assert bob.head() == before
    bob.close()


def test_what_a_restore_keeps_of_history(ada, tmp_path):
    old = ada.remember("Use pnpm for packages.")
    new = ada.supersede(old, "Use npm for packages.")
    gone = ada.remember("Deploys are on Fridays.")
    ada.deprecate(gone)
    ada.memory.export("mif", tmp_path / "out")
    bob = Person("user:bob", tmp_path / "bob.db", tmp_path / "bob").open()
    bob.memory.restore(tmp_path / "out", bob.signer)
    told = {name: bob.memory.show(name) for name in (old, new, gone)}
    assert [told[name].status for name in (old, new)] == ["superseded", "active"]
    assert told[gone].claim.review == ada.memory.show(gone).claim.review
    versions = [[one.claim.version for one in who.memory.history(gone)] for who in (ada, bob)]
    assert versions == [[1, 2], [2]]
    bob.close()


@pytest.mark.parametrize("word", ["accepted", "rejected"])
def test_deciding_and_applying_twice(ada, word):
    ada.agent.remember("Use npm.", source={"kind": "file", "uri": "repo:shop!/a"})
    (pending,) = ada.memory.inbox()
    choices = {change.id: Choice(word, "why") for change in pending.diff.changes}
    ada.memory.review(pending.diff.id, choices, ada.signer)
    before, claims = ada.head(), ada.claims()
    with suppress(Refusal):
        ada.memory.review(pending.diff.id, choices, ada.signer)
    assert (ada.head(), ada.claims()) == (before, claims)
