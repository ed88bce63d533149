"""All public operations, driven at random on both stores at once, against a model too simple to be wrong.

- The stores get the same clock and the same entropy, so their answers must be equal to the letter.
- The model knows four sets: what waits, what is accepted, what was rejected, what was erased; and who replaced whom.
- The second tenant works in the same stores with the same texts, and must see none of it.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from bench.world import World, add, credential, diff, drawn, item, ticking
from muniment import Choice, InvalidInput, Memory, NotFound
from muniment.core.encode import encode

TEXTS = tuple(f"Pump {letter} runs at {number} bar." for letter in "abcd" for number in (1, 2))
SIGNER = credential("user:ada", drawn("credential"))


class Stores(RuleBasedStateMachine):
    """Two stores, two tenants, one model."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        paths: tuple[Path | None, ...] = (None, Path(self.folder.name) / "memory.db")
        self.worlds = tuple(self._world(path, "one") for path in paths)
        self.others = tuple(
            World(self._tenant(world.memory, "two"), SIGNER) for world in self.worlds
        )
        self.pending: dict[str, tuple[str, str]] = {}
        self.accepted: dict[str, str] = {}
        self.replaced: dict[str, str] = {}
        self.deprecated: set[str] = set()
        self.rejected: set[str] = set()
        self.erased: set[str] = set()

    def _world(self, path: Path | None, tenant: str) -> World:
        memory = Memory.open(path, tenant=tenant, clock=ticking(), entropy=drawn("stores"))
        return World(memory, SIGNER)

    def _tenant(self, memory: Memory, tenant: str) -> Memory:
        from dataclasses import replace

        session = replace(memory.session, tenant=tenant)
        return Memory(session, {}, session.clock, session.entropy)

    def teardown(self) -> None:
        for world in self.worlds:
            world.memory.close()
        self.folder.cleanup()

    def both(self, act: Any) -> Any:
        """Do the same on both stores; the answers, or the refusals, must be equal."""
        answers = []
        for world in self.worlds:
            try:
                answers.append(("did", encode(act(world))))
            except (InvalidInput, NotFound) as refusal:
                answers.append(("refused", [str(f) for f in refusal.findings]))
        assert answers[0] == answers[1]
        return answers[0]

    @initialize()
    def declare(self) -> None:
        for world in (*self.worlds, *self.others):
            world.declare()
        for other in self.others:
            other.agent.propose(diff(add(1, TEXTS[0])))

    @rule(text=st.sampled_from(TEXTS))
    def propose(self, text: str) -> None:
        how, answer = self.both(lambda world: world.agent.propose(diff(add(1, text))).diff)
        assert (how == "refused") == (text in self.rejected)
        if how == "did":
            self.pending[answer["id"]] = (answer["changes"][0]["item"]["id"], text)

    @precondition(lambda self: self.accepted)
    @rule(data=st.data(), text=st.sampled_from(TEXTS))
    def supersede(self, data: st.DataObject, text: str) -> None:
        target = data.draw(st.sampled_from(sorted(self.accepted)))
        change = {**add(1, text), "operation": "supersede", "target_id": target}
        how, answer = self.both(lambda world: world.agent.propose(diff(change)).diff)
        over = target in self.replaced or target in self.deprecated
        assert (how == "refused") == (text in self.rejected or over)
        if how == "did":
            made = answer["changes"][0]["item"]["id"]
            self.both(
                lambda w: w.reviewer.review(answer["id"], {"change_01": Choice("accepted")}, SIGNER)
            )
            self.accepted[made] = text
            self.replaced[target] = made

    @precondition(lambda self: self.pending)
    @rule(data=st.data())
    def accept(self, data: st.DataObject) -> None:
        diff_id = data.draw(st.sampled_from(sorted(self.pending)))
        claim_id, text = self.pending[diff_id]
        how, _ = self.both(
            lambda w: w.reviewer.review(diff_id, {"change_01": Choice("accepted")}, SIGNER)
        )
        assert (how == "refused") == (text in self.rejected) or how == "did"
        if how == "did":
            del self.pending[diff_id]
            self.accepted[claim_id] = text

    @precondition(lambda self: self.pending)
    @rule(data=st.data())
    def reject(self, data: st.DataObject) -> None:
        diff_id = data.draw(st.sampled_from(sorted(self.pending)))
        _, text = self.pending.pop(diff_id)
        choice = {"change_01": Choice("rejected", "it does not")}
        assert self.both(lambda w: w.reviewer.review(diff_id, choice, SIGNER))[0] == "did"
        self.rejected.add(text)

    @precondition(lambda self: self.accepted)
    @rule(data=st.data())
    def deprecate(self, data: st.DataObject) -> None:
        target = data.draw(st.sampled_from(sorted(self.accepted)))
        change = {
            "id": "change_01",
            "operation": "deprecate",
            "target_id": target,
            "reason": "taken out",
        }
        change["source"] = item(TEXTS[0])["source"]
        how, answer = self.both(lambda w: w.agent.propose(diff(change)).diff)
        assert (how == "refused") == (target in self.deprecated)
        if how == "did":
            chosen = {"change_01": Choice("accepted")}
            self.both(lambda w: w.reviewer.review(answer["id"], chosen, SIGNER))
            self.deprecated.add(target)

    @precondition(lambda self: self.accepted)
    @rule(data=st.data())
    def erase(self, data: st.DataObject) -> None:
        target = data.draw(st.sampled_from(sorted(self.accepted)))
        text = self.accepted.pop(target)
        removed = {world.reviewer.erase(target, SIGNER).contents for world in self.worlds}
        assert len(removed) == 1
        self.erased.add(target)
        self.rejected.add(text)
        self.pending = {d: p for d, p in self.pending.items() if p[0] != target}

    @rule()
    def rebuild(self) -> None:
        for world in self.worlds:
            world.memory.rebuild()

    @rule(query=st.sampled_from(("pump a", "2 bar", "pump d runs", "weather")))
    def recall(self, query: str) -> None:
        how, _ = self.both(lambda w: w.agent.recall(query, use="answer_questions").packet)
        assert how == "did"

    @invariant()
    def what_waits_is_what_the_model_says(self) -> None:
        for world in self.worlds:
            waiting = {
                p.diff.id for p in world.reviewer.inbox() if p.diff.proposed_by == "agent:codex"
            }
            assert waiting == set(self.pending)

    @invariant()
    def accepted_claims_have_the_models_status(self) -> None:
        for world in self.worlds:
            for claim_id, text in self.accepted.items():
                shown = world.agent.show(claim_id)
                assert shown.claim.claim == text
                assert (shown.claim.review.status == "deprecated") == (claim_id in self.deprecated)
                assert (shown.status == "superseded") == (claim_id in self.replaced)

    @invariant()
    def what_is_gone_is_gone(self) -> None:
        for world in self.worlds:
            for claim_id in self.erased | {claim for claim, _ in self.pending.values()}:
                with pytest.raises(NotFound):
                    world.agent.show(claim_id)

    @invariant()
    def the_ledgers_verify_and_the_other_tenant_saw_nothing(self) -> None:
        for world, other in zip(self.worlds, self.others, strict=True):
            assert world.memory.verify().ok
            assert [len(p.diff.changes) for p in other.agent.inbox()] in ([1], [])
            assert other.memory.verify().events in (0, 7)


Stores.TestCase.settings = settings(
    max_examples=8,
    stateful_step_count=12,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@pytest.mark.req("D-STORE", "E-DISTRIBUTE")
class TestStores(Stores.TestCase):  # type: ignore[name-defined,misc]
    """Both stores give one set of answers, and they are the model's."""
