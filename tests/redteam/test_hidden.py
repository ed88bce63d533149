"""What somebody may not see changes nothing in what it is told: the ways round that were tried one by one.

Each test does something hidden from `user:dan` (who sees what the shop's group sees) and compares what he is told
before and after, word for word.
"""

from __future__ import annotations

from functools import partial

import pytest

from muniment.core.errors import Conflicted, InvalidInput, NotFound, Refusal
from muniment.usecases.erase import erase, lift
from muniment.usecases.review import Choice
from muniment.usecases.show import conflicts, why
from tests.usecases.world import (
    BOARD,
    TEAM,
    World,
    add,
    deprecate,
    derived,
    fact,
    flag,
    private,
    signer_of,
    supersede,
    uses_tool,
)

DAN = "user:dan"


def seen_by(world: World, name: str = DAN) -> str:
    """What somebody is shown of all that waits."""
    return str(world.inbox(name))


def hidden(item):
    return {**item, "visibility": BOARD}


def decided(world, proposed, by="user:ana", **decisions):
    return world.review(by, proposed, **(decisions or {"change_01": "accepted"}))


@pytest.mark.req("E-BLINDWRITE", "E-RETRACT", "B-TRAVEL")
def test_a_dispute_with_a_hidden_claim_proposes_nothing_to_who_sees_one_side(world):
    seen = world.accept(uses_tool("npm"))
    made = world.accept(derived("Releases need npm.", seen), by="user:bob")
    before = seen_by(world)
    world.accept_hidden(uses_tool("pnpm"))
    assert seen_by(world) == before
    assert made in seen_by(world, "user:ana")


@pytest.mark.req("E-BLINDWRITE", "E-RETRACT", "B-TRAVEL")
def test_a_hidden_successor_proposes_nothing_to_who_sees_only_the_old_claim(world):
    seen = world.accept(fact())
    world.accept(derived("Releases need Gradle.", seen), by="user:bob")
    before = seen_by(world)
    both = "user:bob"
    narrower = {**TEAM, "all_of": [["user:ana", "user:bob"]]}
    newer = fact("The shop builds with Gradle 9.", visibility=narrower)
    decided(world, world.propose("user:ana", supersede(seen, newer)), both)
    assert seen_by(world) == before
    assert "superseded" in seen_by(world, both)


@pytest.mark.req("E-BLINDWRITE", "E-RETRACT")
def test_a_retracted_source_is_not_told_to_who_sees_only_what_was_declassified_from_it(world):
    reviewers = private("user:ana", "user:bob")
    sold = world.propose("user:ana", add(fact("The shop was sold.", visibility=reviewers)))
    source = decided(world, sold, "user:bob").resulting["change_01"]
    owner = derived("The shop has a new owner.", source, visibility=TEAM)
    told = world.propose("user:ana", add(owner, declares="declassification"))
    decided(world, told, "user:bob")
    before = seen_by(world)
    decided(world, world.propose("user:ana", deprecate(source)), "user:bob")
    assert seen_by(world) == before
    assert "deprecated" in seen_by(world, "user:ana")


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.req("E-BLINDWRITE", "B-CONFLICTS")
def test_a_flagged_conflict_is_shown_to_who_sees_every_side(world, order):
    sides = (world.accept(fact()), world.accept_hidden(fact("The shop is for sale.")))
    before = seen_by(world)
    flagged = flag(*(sides[n] for n in order), conflict_notes="a sale stops the build")
    proposed = world.propose("user:ana", flagged)
    assert seen_by(world) == before
    with pytest.raises(NotFound):
        world.pending(proposed.diff.id, DAN)
    assert world.pending(proposed.diff.id, "user:ana").diff.changes


@pytest.mark.req("E-BLINDWRITE", "B-CONFLICTS")
def test_a_hidden_change_does_not_settle_a_conflict_that_is_seen(world):
    sides = [world.accept(uses_tool(name)) for name in ("npm", "pnpm")]
    session = world.session(DAN)
    before = conflicts(session)
    assert len(before) == 1
    settles = add(hidden(fact("The shop moved to pnpm.")), resolves=sides)
    with pytest.raises(Refusal):
        decided(world, world.propose("process:board", settles))
    assert conflicts(session) == before


@pytest.mark.req("E-BLINDWRITE", "E-TOMBSTONE")
def test_rejecting_a_hidden_proposal_lifts_no_tombstone_that_is_seen(world):
    first = world.propose("process:board", add(hidden(uses_tool("npm"))))
    world.reject(uses_tool("npm"))
    world.review("user:ana", first, change_01=Choice("rejected", "wrong for the board too"))
    with pytest.raises(InvalidInput, match="rejected before"):
        world.propose(DAN, add(uses_tool("npm")))


@pytest.mark.req("E-BLINDWRITE", "E-TOMBSTONE")
def test_a_value_that_was_refused_in_two_classes_is_refused_in_both(world):
    tea = partial(fact, "Eve likes tea.")
    eves = world.propose("user:eve", add(tea(visibility=private("user:eve", "user:ana"))))
    world.reject(tea())
    world.review("user:ana", eves, change_01=Choice("rejected", "she does not"))
    for name in ("user:eve", DAN):
        with pytest.raises(InvalidInput, match="rejected before"):
            world.propose(name, add(tea(visibility=private(name))))


@pytest.mark.req("E-BLINDWRITE", "E-TOMBSTONE")
def test_lifting_a_tombstone_that_is_seen_leaves_the_hidden_one(world):
    board = world.propose("process:board", add(hidden(uses_tool("npm"))))
    world.reject(uses_tool("npm"))
    world.review("user:ana", board, change_01=Choice("rejected", "wrong for the board too"))
    with pytest.raises(InvalidInput) as refusal:
        world.propose(DAN, add(uses_tool("npm")))
    name = refusal.value.findings[0].message.rpartition(" ")[2].rstrip(")")
    lift(world.session("user:bob"), name, "npm is back", signer_of("user:bob"))
    again = world.propose(DAN, add(uses_tool("npm")))
    assert world.review("user:bob", again, change_01="accepted").held == ("change_01",)
    with pytest.raises(Conflicted, match="rejected before"):
        world.review("user:ana", again, change_01="accepted")


@pytest.mark.req("E-BLINDWRITE")
def test_applying_a_hidden_change_moves_nothing_of_the_record_of_a_seen_one(world):
    sale = add(hidden(fact("The shop is for sale.")), id="change_02")
    proposed = world.propose("process:board", add(fact()), sale)
    world.review("user:bob", proposed, change_01="accepted")
    before = world.pending(proposed.diff.id, DAN), why(world.session(DAN), proposed.diff.id)
    world.clock.ahead(days=1)
    world.review("user:ana", proposed, change_02="accepted")
    after = world.pending(proposed.diff.id, DAN), why(world.session(DAN), proposed.diff.id)
    assert after == before


@pytest.mark.req("E-BLINDWRITE", "A-DELETE")
def test_a_hidden_proposal_is_not_there_after_it_was_erased_either(world):
    proposed = world.propose("process:board", add(hidden(fact())))
    id = proposed.diff.changes[0].item.id
    erase(world.session("user:ana"), id, signer_of("user:ana"))
    with pytest.raises(NotFound):
        world.pending(proposed.diff.id, DAN)


@pytest.mark.req("E-BLINDWRITE", "B-DIFFEMPTY")
def test_an_empty_diff_is_its_proposers(world):
    left = [{"claim": "The shop is for sale.", "reason": "too early"}]
    proposed = world.propose("process:board", ignored_candidates=left)
    with pytest.raises(NotFound):
        world.pending(proposed.diff.id, DAN)
    assert world.pending(proposed.diff.id, "process:board").diff.ignored_candidates
