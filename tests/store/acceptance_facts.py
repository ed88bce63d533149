"""What every store must do with facts: the second part of `acceptance`, with its fixtures and two tenants."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muniment.core.claim import Fact, Freshness, Review, Validity
from muniment.core.codec import micros
from muniment.core.facts import (
    DERIVED,
    SUPERSEDED,
    Wanted,
    fact_numbers,
    predicate_number,
    standing_of,
    term_number,
)
from muniment.core.row import FOREVER
from muniment.store.facts import counts_of
from tests.store.world import ALICE, AT, SHOP, claim, fact, mem

NOW = micros(AT)
DAY = 86_400_000_000


def numbers(snapshot, *texts):
    return tuple(term_number(text, snapshot.key) for text in texts)


def wanted(snapshot, predicate="uses", **more):
    classes = tuple(c.id for c in snapshot.classes())
    return Wanted(
        **{"predicate": predicate_number(predicate, snapshot.key), "classes": classes, **more}
    )


def told(snapshot, rows):
    """Facts as texts and the events that carry them, sorted; the texts are those of these tests."""
    texts = {
        n: t
        for t in ("shop", "web", "pnpm", "npm", "node", "ana", "bob")
        for n in numbers(snapshot, t)
    }
    return sorted((texts[row[0]], texts[row[1]], row[2]) for row in rows)


def found(world, predicate="uses", **more):
    with world.snapshot() as snapshot:
        asked = wanted(snapshot, predicate, **more)
        rows, counts = snapshot.facts(asked), snapshot.fact_counts(asked)
        if "limit" not in more:
            assert sorted(counts) == sorted(counts_of(rows))
        assert sum(count for _, count, _, _ in counts) == len(rows)
        return told(snapshot, rows)


def several(world):
    world.put(
        claim("a", facts=fact("shop", "uses", "pnpm")),
        claim("b", facts=fact("shop", "uses", "node")),
        claim("c", facts=fact("web", "uses", "pnpm"), scope=ALICE),
        claim("d", facts=fact("ana", "maintains", "shop")),
        claim("e"),
    )


@pytest.mark.req("D-CONJ")
def test_facts_are_found_by_predicate_and_either_end(world):
    several(world)
    with world.snapshot() as snapshot:
        shop, web, pnpm, node, npm = numbers(snapshot, "shop", "web", "pnpm", "node", "npm")
    every = [("shop", "node", 2), ("shop", "pnpm", 1), ("web", "pnpm", 3)]
    assert found(world) == every
    assert found(world, subjects=(shop,)) == every[:2]
    assert found(world, objects=(pnpm, npm)) == every[1:]
    assert found(world, subjects=(shop, web), objects=(pnpm,)) == every[1:]
    assert found(world, pairs=((shop, node), (web, pnpm), (web, node))) == [every[0], every[2]]
    assert found(world, subjects=(npm,)) == found(world, "needs") == found(world, pairs=()) == []


@pytest.mark.req("D-CONJ")
def test_facts_of_many_subjects_and_objects_are_the_same_however_they_are_looked_up(world):
    several(world)
    with world.snapshot() as snapshot:
        others = numbers(snapshot, *(f"other {n}" for n in range(70)))
        shop, web, pnpm = numbers(snapshot, "shop", "web", "pnpm")
        for subjects, objects in (
            ((shop, web), (pnpm,)),
            ((shop, web, *others), (pnpm,)),
            ((shop, web), (pnpm, *others)),
            ((shop, web, *others), (pnpm, *others)),
        ):
            asked = wanted(snapshot, subjects=subjects, objects=objects)
            every = [("shop", "pnpm", 1), ("web", "pnpm", 3)]
            assert told(snapshot, snapshot.facts(asked)) == every
    world.put(*(claim(f"many {n}", facts=fact("shop", "uses", f"other {n}")) for n in range(80)))
    with world.snapshot() as snapshot:
        asked = wanted(snapshot, subjects=(shop, web), objects=(pnpm, *others[:33]))
        assert len(snapshot.facts(asked)) == 35


def test_facts_are_of_the_classes_asked_for(world):
    several(world)
    with world.snapshot() as snapshot:
        of_alice = tuple(c.id for c in snapshot.classes() if c.scope_id == ALICE.id)
    assert found(world, classes=of_alice) == [("web", "pnpm", 3)]
    assert found(world, classes=()) == []


def test_no_more_facts_are_given_than_asked_for(world):
    several(world)
    assert [len(found(world, limit=limit)) for limit in (0, 1, 2, 3, 9)] == [0, 1, 2, 3, 3]


@pytest.mark.req("D-CONJ")
def test_an_alias_an_inverse_and_a_width_are_one_fact(world):
    said = (Fact("shop", "uses_tool", "ｐｎｐｍ"), Fact("shop", "uses", "pnpm"))
    world.put(claim("a", facts=said), claim("b", facts=fact("shop", "maintained_by", "ana")))
    assert found(world) == [("shop", "pnpm", 1)]
    with world.snapshot() as snapshot:
        assert fact_numbers(fact("ana", "maintains", "shop"), snapshot.key) == fact_numbers(
            fact("shop", "maintained_by", "ana"), snapshot.key
        )


def test_a_symmetric_fact_is_found_from_both_sides(world):
    world.put(claim("a", facts=fact("shop", "related_to", "web")))
    assert found(world, "related_to") == [("shop", "web", 1), ("web", "shop", 1)]


def test_case_tells_facts_apart(world):
    world.put(claim("a", facts=fact("shop", "uses", "PNPM")))
    with world.snapshot() as snapshot:
        assert snapshot.facts(wanted(snapshot, objects=numbers(snapshot, "pnpm"))) == []


@pytest.mark.req("D-CORRECT")
def test_a_facts_time_is_half_open(world):
    late, end = AT + timedelta(days=1), AT + timedelta(days=3)
    world.put(claim("a", facts=fact("shop", "uses", "pnpm"), validity=Validity(late, end)))
    seen = [
        bool(found(world, at=NOW + days * DAY - less))
        for days, less in ((1, 1), (1, 0), (3, 1), (3, 0))
    ]
    assert seen == [False, True, True, False]
    assert len(found(world, at=None)) == 1


@pytest.mark.req("D-CORRECT")
def test_a_fact_ends_with_its_claims_expiry(world):
    fresh = Freshness(expires_at=AT + timedelta(days=1), last_verified_at=AT)
    world.put(claim("a", facts=fact("shop", "uses", "pnpm"), freshness=fresh))
    assert [len(found(world, at=NOW + DAY - less)) for less in (1, 0)] == [1, 0]
    with world.snapshot() as snapshot:
        ((*_, end, verified),) = snapshot.facts(wanted(snapshot))
    assert (end, verified) == (NOW + DAY, NOW)


def test_a_version_ends_the_facts_of_the_one_before(world):
    world.put(claim("a", facts=fact("shop", "uses", "pnpm")))
    world.put(claim("a", version=2, facts=fact("shop", "uses", "npm")))
    world.put(claim("a", version=3))
    revisions = (0, 1, 2, 3, FOREVER)
    seen = [[o for _, o, _ in found(world, revision=r)] for r in revisions]
    assert seen == [[], ["pnpm"], ["npm"], [], []]


def test_a_claim_that_moves_to_another_class_takes_its_facts_along(world):
    world.put(claim("a", facts=fact("shop", "uses", "pnpm")))
    world.put(claim("a", version=2, who=("user:ana",), facts=fact("shop", "uses", "pnpm")))
    assert found(world) == [("shop", "pnpm", 2)]


@pytest.mark.req("D-CORRECT")
def test_a_replaced_fact_is_left_out_for_whoever_sees_what_replaced_it(world):
    world.put(claim("a", facts=fact("shop", "uses", "npm")))
    world.put(claim("b", supersedes=(mem("a"),), scope=ALICE, facts=fact("shop", "uses", "pnpm")))
    with world.snapshot() as snapshot:
        every = tuple(c.id for c in snapshot.classes())
        shop = tuple(c.id for c in snapshot.classes() if c.scope_id == SHOP.id)
    new, old = ("shop", "pnpm", 2), ("shop", "npm", 1)
    assert found(world, seen=every) == [new]
    assert found(world, seen=shop) == found(world) == [old, new]
    assert found(world, seen=every, revision=1) == [old]
    world.put(claim("b", version=2, scope=ALICE))
    assert found(world, seen=every) == [old]
    assert found(world, seen=every, revision=2) == [new]


def marks(world):
    with world.snapshot() as snapshot:
        return {seq: mark for *_, seq, _, mark, _, _ in snapshot.facts(wanted(snapshot))}


def test_what_needs_a_closer_look_is_marked_whatever_came_first(world):
    pnpm = fact("shop", "uses", "pnpm")
    world.put(claim("a", facts=pnpm), claim("b", facts=pnpm, derived_from=("a",)))
    assert marks(world) == {1: 0, 2: DERIVED}
    world.put(claim("c", supersedes=(mem("a"), mem("x"))), claim("x", facts=pnpm))
    assert marks(world) == {1: SUPERSEDED, 2: DERIVED, 4: SUPERSEDED}
    world.commit(lambda t: t.erase(mem("c")))
    assert marks(world) == {1: 0, 2: DERIVED, 4: 0}
    assert world.verify().ok


def test_an_erased_claims_facts_are_gone_with_it(world):
    several(world)
    world.put(claim("a", version=2, facts=fact("shop", "uses", "npm")))
    world.commit(lambda t: t.erase(mem("a")))
    assert found(world, seen=()) == [("shop", "node", 2), ("web", "pnpm", 3)]
    assert found(world, revision=1) == [("shop", "node", 2), ("web", "pnpm", 3)]
    assert world.verify().ok


def test_what_was_worked_out_of_contents_is_let_go_of_with_an_erasure(world):
    several(world)
    with world.snapshot() as before:
        before.kept["texts"] = before.memo["texts"] = "shop uses pnpm"
        assert (before.kept["texts"], before.memo["texts"]) == ("shop uses pnpm",) * 2
        world.commit(lambda t: t.erase(mem("a")))
        assert "texts" not in before.kept
        assert "texts" not in before.memo
    with world.snapshot() as after:
        assert "texts" not in after.kept


def test_rows_of_one_standing_stand_out_by_it(world):
    pnpm = fact("shop", "uses", "pnpm")
    good = Review("accepted", "user:ana", AT)
    world.put(
        claim("a", facts=pnpm, review=good),
        claim("b", facts=pnpm, review=Review("accepted", "user:bob")),
        claim("c", facts=pnpm, review=good, prohibited_uses=("deploy",)),
    )
    with world.snapshot() as snapshot:
        rows = snapshot.facts(wanted(snapshot))
        by_event = {row[2]: row[3] for row in rows}
        stored = snapshot.rows_at([1, 2, 3, 9]).items()
        assert {seq: standing_of(row, snapshot.key) for seq, row in stored} == by_event
    assert by_event[1] == by_event[2] != by_event[3]
    assert [seq for *_, seq in found(world, without=(by_event[1],))] == [3]


def test_a_transaction_finds_the_facts_that_it_wrote(world):
    def build(transaction):
        from tests.store.world import claim_event

        transaction.append(
            [claim_event(transaction, claim("a", facts=fact("shop", "uses", "pnpm")))], AT
        )
        assert len(transaction.facts(wanted(transaction))) == 1
        assert transaction.rows_at([transaction.row(mem("a")).seq])

    world.commit(build)


def test_a_rebuild_gives_the_same_facts(world):
    several(world)
    world.put(claim("f", supersedes=(mem("a"),)), claim("b", version=2))
    before = found(world), marks(world)
    world.store.rebuild("acme")
    assert (found(world), marks(world)) == before
    assert world.verify().ok


NAMES = st.sampled_from("abc")
SOME = st.lists(NAMES, max_size=1).map(tuple)
VALUES = st.sampled_from(("pnpm", "npm", "node"))
WRITES = st.lists(
    st.tuples(NAMES, st.sampled_from((SHOP, ALICE)), VALUES, SOME) | NAMES, max_size=7
)


@pytest.mark.req("E-REBUILD")
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(script=WRITES)
def test_facts_are_those_of_the_rows_that_hold_whatever_was_written(make_store, script):
    from tests.store.world import World

    world = World(make_store())
    for number, step in enumerate(script, start=1):
        if isinstance(step, str):
            world.commit(lambda t, step=step: t.erase(mem(step)))
            continue
        name, scope, value, replaced = step
        one = claim(name, scope=scope, version=number, facts=fact("shop", "uses", value))
        world.put(replace(one, supersedes=tuple(map(mem, replaced))))
    with world.snapshot() as snapshot:
        every = tuple(c.id for c in snapshot.classes())
        rows = snapshot.rows(every)
        contents = snapshot.contents([row.seq for row in rows])
        replaced = {old for row in rows for old in row.supersedes}
        plain = sorted(
            ("shop", contents[row.seq]["facts"][0]["object"], row.seq)
            for row in rows
            if row.claim_id not in replaced
        )
    assert found(world, seen=every) == plain
    assert world.verify().problems == ()
    world.store.rebuild("acme")
    assert found(world, seen=every) == plain
    world.store.close()
