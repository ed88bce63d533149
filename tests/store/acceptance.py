"""The store port's definition: what every store must do, without exemption.

A store's test module takes everything from here and gives two fixtures: `make_store()`, which makes an empty store,
and `damage`, which takes a store and gives the ways to harm it behind its back (`Damage` in each module).
Each test has two tenants: the neighbour writes the same things and must be neither touched nor seen.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muniment.core.access import NOBODY, PUBLIC, audience_of
from muniment.core.claim import Review
from muniment.core.encode import encode
from muniment.core.errors import StoreBusy, StoreUnavailable
from muniment.core.event import GENESIS, Event, class_head, verify_chain
from muniment.core.fold import fact_key
from muniment.core.row import FOREVER
from muniment.ports.store import Access
from tests.store.world import (
    ALICE,
    AT,
    NEIGHBOUR,
    SHOP,
    TENANT,
    World,
    claim,
    claim_event,
    everything,
    fact,
    mem,
    postings,
)

LATER = AT + timedelta(hours=1)


@pytest.fixture
def world(make_store):
    world = World(make_store())
    yield world
    world.neighbour_is_untouched()
    world.store.close()


def visible(world, revision=None):
    """Claim id and version of the rows of all classes."""
    with world.snapshot() as snapshot:
        rows = snapshot.rows([c.id for c in snapshot.classes()], revision)
    return [(row.claim_id, row.version) for row in rows]


def said_by(world, *names):
    """The texts of the claims' latest versions."""
    with world.snapshot() as snapshot:
        rows = [snapshot.row(mem(name)) for name in names]
        contents = snapshot.contents([row.seq for row in rows])
    return [contents[row.seq]["claim"] for row in rows]


def doc_event(kind, id, parent="", subjects=(), **content):
    return Event(kind, id, content, parent, subjects)


# --- the ledger -----------------------------------------------------------------------------------


def test_an_empty_tenant_has_nothing(world):
    with world.snapshot() as snapshot:
        assert (snapshot.tenant, snapshot.revision) == (TENANT, 0)
        assert (snapshot.classes(), snapshot.rows(["x"]), list(snapshot.envelopes())) == (
            (),
            (),
            [],
        )
        assert (snapshot.row("mem_x"), snapshot.history("mem_x"), snapshot.lookup("k")) == (
            None,
            (),
            (),
        )
        assert (snapshot.docs("group"), snapshot.doc("group", "x")) == ((), None)
        assert (dict(snapshot.contents([1])), snapshot.pointing_at("mem_x")) == ({}, ())
        assert postings(snapshot, ["shop"], ["x"]) == {"shop": []}
    assert world.verify().ok


def test_events_are_numbered_without_gaps_and_chained(world):
    for number in range(3):
        world.append(doc_event("group", f"g{number}"), doc_event("role", f"r{number}"))
    with world.snapshot() as snapshot:
        envelopes = list(snapshot.envelopes())
    assert [e.seq for e in envelopes] == [1, 2, 3, 4, 5, 6]
    assert verify_chain(envelopes).ok


def test_one_transaction_is_one_revision_however_often_it_appends(world):
    def twice(transaction):
        first = transaction.append([doc_event("group", "a")], AT)
        return first, transaction.append([doc_event("group", "b")], AT), transaction.revision

    assert world.commit(twice) == (1, 1, 1)
    assert world.commit(twice) == (2, 2, 2)
    with world.snapshot() as snapshot:
        assert [e.revision for e in snapshot.envelopes()] == [1, 1, 2, 2]


def test_a_transaction_can_record_several_revisions_that_are_committed_together(world):
    def states(transaction):
        first = transaction.append([claim_event(transaction, claim("a", version=1))], AT)
        transaction.further_revision()
        second = transaction.append([claim_event(transaction, claim("a", version=2))], AT)
        transaction.further_revision()
        transaction.further_revision()
        return (
            first,
            second,
            transaction.append([claim_event(transaction, claim("a", version=3))], AT),
        )

    assert world.commit(states) == (1, 2, 3)
    with world.snapshot() as snapshot:
        held = [
            (row.version, row.revision, row.until_revision) for row in snapshot.history(mem("a"))
        ]
        assert held == [(1, 1, 2), (2, 2, 3), (3, 3, FOREVER)]
        (cls,) = {row.cls for row in snapshot.history(mem("a"))}
        assert [snapshot.rows([cls], revision)[0].version for revision in (1, 2, 3)] == [1, 2, 3]
    assert world.verify().ok
    with pytest.raises(ZeroDivisionError), world.transaction() as transaction:
        raise ZeroDivisionError(states(transaction))
    with world.snapshot() as snapshot:
        assert snapshot.revision == 3


def test_a_transaction_that_appends_nothing_makes_no_revision(world):
    world.append(doc_event("group", "a"))
    assert world.commit(lambda t: t.append([], AT)) == 1
    assert world.append(doc_event("group", "b")) == 2


def test_envelopes_hold_what_was_given_and_the_time_in_utc(world):
    local = datetime.fromisoformat("2026-07-08T14:00:00+02:00")
    world.append(Event("change", "c1", {"x": 1}, "d1", ("mem_a", "mem b", "[")), at=local)
    with world.snapshot() as snapshot:
        (envelope,) = snapshot.envelopes()
    assert (envelope.kind, envelope.id, envelope.parent) == ("change", "c1", "d1")
    assert (envelope.subjects, envelope.cls) == (("mem_a", "mem b", "["), "")


def test_the_time_of_an_event_is_written_in_utc(world):
    local = datetime.fromisoformat("2026-07-08T14:00:00.5+02:00")
    world.commit(lambda t: t.append([doc_event("group", "a")], local))
    with world.snapshot() as snapshot:
        assert [e.at for e in snapshot.envelopes()] == ["2026-07-08T12:00:00.500000Z"]


def test_envelopes_are_read_after_a_position(world):
    world.append(*(doc_event("group", f"g{n}") for n in range(5)))
    with world.snapshot() as snapshot:
        assert [e.seq for e in snapshot.envelopes(after=3)] == [4, 5]
        assert list(snapshot.envelopes(after=5)) == []


def test_the_events_about_a_claim_are_found_by_its_name(world):
    world.append(
        Event("change", "c1", {"x": 1}, "d1", ("mem_a", "mem_b")),
        Event("change", "c2", {"x": 1}, "d1", ("mem_b",)),
        doc_event("group", "mem_a"),
    )
    with world.snapshot() as snapshot:
        envelopes = list(snapshot.envelopes())
        for name in ("mem_a", "mem_b", "mem_"):
            found = snapshot.envelopes_about(name)
            assert list(found) == [one for one in envelopes if name in one.subjects]


def test_versions_of_claims_are_counted_by_revision_and_class(world):
    world.put(claim("a"), claim("b", who=("user:alice",)))
    world.append(doc_event("group", "g"))
    world.put(claim("c"))
    world.commit(lambda t: t.erase(mem("a")))
    with world.snapshot() as snapshot:
        classes = [row.id for row in snapshot.classes()]
        for wanted in ([], classes[:1], classes[1:2], classes):
            assert list(snapshot.claim_revisions(wanted)) == [
                e.revision for e in snapshot.envelopes() if e.kind == "claim" and e.cls in wanted
            ]
        told = [(e.revision, e.at) for e in snapshot.envelopes()]
        assert list(snapshot.instants()) == sorted(set(told))


def test_envelopes_tell_no_word_of_the_contents(world):
    world.put(claim("a", "Zebra crossings are painted."))
    with world.snapshot() as snapshot:
        assert "ebra" not in repr(list(snapshot.envelopes()))


def test_two_equal_contents_have_different_commitments(world):
    world.append(doc_event("group", "a", name="x"), doc_event("group", "b", name="x"))
    with world.snapshot() as snapshot:
        first, second = snapshot.envelopes()
    assert first.commitment != second.commitment


@pytest.mark.parametrize(
    "bad",
    [
        Event("nonsense", "a", {}),
        Event("group", "a", {"number": float("nan")}),
        Event("group", "a", {"text": "\ud800"}),
        Event("group", "a", {"number": 2**60}),
        Event("group", "a", {}, cls="undeclared"),
        Event("claim", "mem_a", encode(claim("a"))),
    ],
    ids=["kind", "nan", "surrogate", "huge", "class", "claim without a class"],
)
def test_an_event_that_cannot_be_kept_leaves_nothing_of_its_batch(world, bad):
    with world.transaction() as transaction:
        with pytest.raises(ValueError):
            transaction.append([doc_event("group", "good"), bad], AT)
        assert list(transaction.envelopes()) == []
        assert transaction.docs("group") == ()
    assert world.picture()["envelopes"] == ()


def test_a_time_without_an_offset_is_refused(world):
    with world.transaction() as transaction, pytest.raises(ValueError, match="offset"):
        transaction.append([doc_event("group", "a")], datetime(2026, 7, 8))


def test_a_claim_whose_scope_is_not_its_class_is_refused(world):
    with world.transaction() as transaction:
        cls = transaction.declare_class(ALICE, audience_of(("group:shop",)))
        event = Event("claim", mem("a"), encode(claim("a")), cls=cls)
        with pytest.raises(ValueError, match="class"):
            transaction.append([event], AT)


def test_a_claim_event_under_another_claims_name_is_refused(world):
    with world.transaction() as transaction:
        event = claim_event(transaction, claim("a"))
        with pytest.raises(ValueError, match="another claim"):
            transaction.append([replace(event, id="mem_b")], AT)


# --- snapshots and transactions -------------------------------------------------------------------


def test_a_snapshot_does_not_move_when_others_commit(world):
    world.put(claim("a", "First."))
    with world.snapshot() as snapshot:
        before = everything(world.store, TENANT)
        world.put(claim("a", "Second.", version=2), claim("b"))
        world.commit(lambda t: t.erase(mem("a")))
        assert snapshot.revision == before["revision"]
        assert tuple(snapshot.envelopes()) == before["envelopes"]
        assert dict(snapshot.contents([1, 2, 3])) == before["contents"]
        assert snapshot.row(mem("a")) == before["row"][mem("a")]
        assert snapshot.row(mem("b")) is None


def test_a_new_snapshot_sees_what_was_committed(world):
    world.put(claim("a", "First."))
    world.put(claim("a", "Second.", version=2))
    assert said_by(world, "a") == ["Second."]


def test_nothing_of_a_transaction_shows_before_its_commit(world):
    world.put(claim("a"))
    before = world.picture()
    with world.transaction() as transaction:
        transaction.append([claim_event(transaction, claim("b")), doc_event("group", "g")], AT)
        transaction.erase(mem("a"))
        assert world.picture() == before
    assert world.picture() != before


def test_a_transaction_sees_its_own_writes(world):
    world.put(claim("a"))

    def build(transaction):
        event = claim_event(transaction, claim("b", "Deploys never happen.", derived_from=("a",)))
        transaction.append([event, doc_event("group", "g", name="x")], AT)
        row = transaction.row(mem("b"))
        assert transaction.revision == row.revision
        assert transaction.rows([row.cls])[-1] == row
        assert row in transaction.lookup(row.keys[0])
        assert transaction.pointing_at(mem("a")) == (row,)
        assert transaction.doc("group", "g").seq == row.seq + 1
        assert transaction.contents([row.seq])[row.seq]["claim"] == "Deploys never happen."
        assert postings(transaction, ["deploy"], [row.cls])["deploy"] == [(row.seq, 1)]
        assert [c.count for c in transaction.classes()] == [2]
        transaction.erase(mem("b"))
        assert transaction.row(mem("b")) is None
        assert transaction.pointing_at(mem("a")) == ()

    world.commit(build)


class Stop(Exception):
    pass


@pytest.mark.req("D-STORE")
def test_an_exception_leaves_nothing_of_a_transaction(world):
    world.put(claim("a", derived_from=("b",)))
    world.append(doc_event("group", "g", subjects=(mem("a"),)))
    world.store.log(TENANT, Access("ret_1", "user:a", AT, {"q": 1}, (mem("a"),), (mem("a"),)))
    before = world.picture()

    def fail():
        with world.transaction() as transaction:
            transaction.declare_class(ALICE, PUBLIC)
            transaction.append([claim_event(transaction, claim("a", "Other.", version=2))], AT)
            assert transaction.erase(mem("a")) == 3
            transaction.append([doc_event("erased", mem("a"))], AT)
            raise Stop

    with pytest.raises(Stop):
        fail()
    assert world.picture() == before
    assert world.store.logged(TENANT, "ret_1") is not None
    assert world.store.accesses(TENANT, mem("a"), "user:a")[0] == 1
    assert world.verify().ok


def test_after_a_rollback_the_numbers_go_on_without_a_gap(world):
    world.append(doc_event("group", "a"))

    def fail():
        with world.transaction() as transaction:
            transaction.append([doc_event("group", "b")], AT)
            raise Stop

    with pytest.raises(Stop):
        fail()
    assert world.append(doc_event("group", "c")) == 2
    assert [(e.seq, e.revision) for e in world.picture()["envelopes"]] == [(1, 1), (2, 2)]


def test_a_second_writer_of_the_same_tenant_is_refused_after_the_timeout(make_store):
    world = World(make_store(busy_timeout_ms=50))
    with world.transaction(), pytest.raises(StoreBusy) as refused, world.transaction():
        pass
    assert refused.value.findings[0].fix
    world.put(claim("a"))
    world.store.close()


def test_writers_in_threads_lose_nothing(world):
    def write(name):
        for number in range(10):
            with world.transaction() as transaction:
                transaction.append([doc_event("group", f"{name}{number}")], AT)

    threads = [threading.Thread(target=write, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    picture = world.picture()
    assert len(picture["docs"]["group"]) == 40
    assert [(e.seq, e.revision) for e in picture["envelopes"]] == [(n, n) for n in range(1, 41)]
    assert world.verify().ok


def test_what_has_ended_can_no_longer_be_used(world):
    with world.snapshot() as snapshot:
        pass
    with world.transaction() as transaction:
        pass
    with pytest.raises(ValueError, match="ended"):
        snapshot.row("mem_a")
    with pytest.raises(ValueError, match="ended"):
        transaction.append([doc_event("group", "a")], AT)


# --- classes --------------------------------------------------------------------------------------


def test_a_class_is_made_once_for_a_scope_and_audience(world):
    def build(transaction):
        first = transaction.declare_class(SHOP, audience_of(("b", "a")))
        assert transaction.declare_class(SHOP, (("a", "b"), ("b", "a"))) == first
        assert transaction.declare_class(ALICE, audience_of(("a", "b"))) != first
        assert transaction.declare_class(SHOP, PUBLIC) != transaction.declare_class(SHOP, NOBODY)
        return first

    assert world.commit(build) == world.commit(build)
    with world.snapshot() as snapshot:
        classes = snapshot.classes()
    assert len(classes) == 4
    assert list(classes) == sorted(classes, key=lambda c: c.id)
    assert {(c.scope_kind, c.scope_id, c.audience) for c in classes} == {
        (SHOP.kind, SHOP.id, (("a", "b"),)),
        (ALICE.kind, ALICE.id, (("a", "b"),)),
        (SHOP.kind, SHOP.id, PUBLIC),
        (SHOP.kind, SHOP.id, NOBODY),
    }


def test_a_classs_id_tells_nothing_and_differs_between_tenants(world):
    ids = {}
    for tenant in (TENANT, "third"):
        with world.store.transaction(tenant) as transaction:
            ids[tenant] = transaction.declare_class(ALICE, PUBLIC)
    assert len(set(ids.values())) == 2
    assert "alice" not in "".join(ids.values())


def test_a_classs_head_covers_its_claim_events_alone(world):
    world.put(claim("a"), claim("b", scope=ALICE))
    world.commit(
        lambda t: t.append(
            [
                claim_event(t, claim("c")),
                Event(
                    "source",
                    "src_1",
                    {
                        "scope": encode(SHOP),
                        "visibility": encode(claim("a").visibility),
                    },
                    cls=t.declare_class(SHOP, claim("a").visibility.audience),
                ),
            ],
            AT,
        )
    )
    first, other, third, source = world.picture()["envelopes"]
    by_id = {c.id: c for c in world.picture()["classes"]}
    shop, alice = by_id[first.cls], by_id[other.cls]
    assert source.cls == third.cls == first.cls
    assert shop.head == class_head(class_head(GENESIS, first.commitment), third.commitment)
    assert (shop.count, shop.revision) == (2, 2)
    assert (alice.head, alice.count, alice.revision) == (
        class_head(GENESIS, other.commitment),
        1,
        1,
    )


def test_a_class_without_claims_has_the_first_head(world):
    world.commit(lambda t: t.declare_class(SHOP, PUBLIC))
    (row,) = world.picture()["classes"]
    assert (row.head, row.count, row.revision) == (GENESIS, 0, 0)


# --- claims ---------------------------------------------------------------------------------------


def test_a_version_closes_the_one_before_it_half_open(world):
    world.put(claim("a"))
    world.append(doc_event("group", "g"))
    world.put(claim("a", version=2))
    first, second = world.picture()["history"][mem("a")]
    assert (first.revision, first.until_revision) == (1, 3)
    assert (second.revision, second.until_revision) == (3, FOREVER)
    assert [visible(world, r) for r in (0, 1, 2, 3, 4)] == [
        [],
        [(mem("a"), 1)],
        [(mem("a"), 1)],
        [(mem("a"), 2)],
        [(mem("a"), 2)],
    ]


def test_of_two_versions_in_one_revision_the_earlier_stays_in_the_history(world):
    world.put(claim("a"), claim("a", version=2))
    first, second = world.picture()["history"][mem("a")]
    assert (first.revision, first.until_revision, second.until_revision) == (1, 1, FOREVER)
    assert visible(world) == [(mem("a"), 2)]


def test_rows_are_of_the_classes_asked_for_sorted_by_event(world):
    world.put(*(claim(f"c{n}", scope=(SHOP, ALICE)[n % 2]) for n in range(9)))
    with world.snapshot() as snapshot:
        classes = [c.id for c in snapshot.classes()]
        assert [row.seq for row in snapshot.rows(classes)] == list(range(1, 10))
        assert snapshot.rows([]) == snapshot.rows(["unknown"]) == ()
        halves = [{row.seq for row in snapshot.rows([cls])} for cls in classes]
    assert sorted(map(sorted, halves)) == [[1, 3, 5, 7, 9], [2, 4, 6, 8]]


def test_a_row_keeps_every_column(world):
    odd = claim(
        "a",
        scope=ALICE,
        who=("user:alice", "group:shop"),
        allowed_uses=("deploy", "two words", ""),
        prohibited_uses=("[x",),
        supersedes=(mem("old"), "foreign id"),
        superseded_by=mem("new"),
        conflicts=("b", "c"),
        derived_from=("d",),
        review=Review("accepted", "user:alice", AT),
        facts=fact("shop", "uses", "pnpm"),
        aliases=("the package manager",),
    )
    world.put(odd)
    with world.snapshot() as snapshot:
        row = snapshot.row(mem("a"))
    assert (row.allowed, row.prohibited) == (("deploy", "two words", ""), ("[x",))
    assert (row.supersedes, row.superseded_by) == ((mem("old"), "foreign id"), mem("new"))
    assert (row.conflicts, row.derived_from) == ((mem("b"), mem("c")), (mem("d"),))
    assert (row.review, len(row.keys), row.recorded_at) == ("accepted", 4, 1783512000000000)


def test_a_version_may_move_to_another_class(world):
    world.put(claim("a"))
    world.put(claim("a", version=2, scope=ALICE))
    assert visible(world) == [(mem("a"), 2)]
    assert visible(world, 1) == [(mem("a"), 1)]
    with world.snapshot() as snapshot:
        first, second = snapshot.history(mem("a"))
        assert snapshot.rows([first.cls]) == ()
        assert snapshot.rows([second.cls]) == (second,)


def test_lookup_gives_the_latest_versions_that_carry_a_key(world):
    world.put(claim("a", facts=fact("shop", "uses", "pnpm")), claim("b"))
    world.put(claim("c", facts=fact("shop", "uses", "npm")))
    world.put(claim("b", version=2, facts=fact("shop", "uses", "yarn")))
    with world.snapshot() as snapshot:
        key = fact_key(str(SHOP), "shop", "uses", snapshot.key)
        assert [r.claim_id for r in snapshot.lookup(key)] == [mem("a"), mem("c"), mem("b")]
    world.put(claim("a", "It has moved.", version=2))
    with world.snapshot() as snapshot:
        assert [r.claim_id for r in snapshot.lookup(key)] == [mem("c"), mem("b")]
        assert snapshot.lookups([key, "nothing", key]) == {key: snapshot.lookup(key)}
        assert snapshot.lookups([key, "nothing", key]) == {key: snapshot.lookup(key)}
        assert snapshot.lookups([key, "nothing", key]) == {key: snapshot.lookup(key)}
        assert snapshot.lookups([key, "nothing", key]) == {key: snapshot.lookup(key)}


def test_keys_differ_between_tenants_and_stay_the_same(world):
    with world.snapshot() as snapshot:
        before = snapshot.key("fact", "x")
    world.put(claim("a"))
    with world.snapshot() as snapshot:
        assert snapshot.key("fact", "x") == before
    with world.store.snapshot(NEIGHBOUR) as neighbour:
        assert neighbour.key("fact", "x") != before
        mine = world.picture()["row"][mem("a")]
        assert [neighbour.lookup(key) for key in mine.keys] == [()] * len(mine.keys)


def test_pointing_at_finds_every_kind_of_link_of_latest_versions(world):
    world.put(
        claim("derived", derived_from=("a",)),
        claim("rival", conflicts=("a",)),
        claim("older", superseded_by=mem("a")),
        claim("newer", supersedes=(mem("a"),)),
        claim("all", derived_from=("a",), conflicts=("a",), superseded_by=mem("a")),
        claim("none", derived_from=("b",)),
    )
    names = ["derived", "rival", "older", "newer", "all"]
    with world.snapshot() as snapshot:
        assert [r.claim_id for r in snapshot.pointing_at(mem("a"))] == [mem(n) for n in names]
    world.put(claim("rival", version=2))
    with world.snapshot() as snapshot:
        assert mem("rival") not in {r.claim_id for r in snapshot.pointing_at(mem("a"))}


def test_postings_count_words_by_version_within_classes(world):
    world.put(
        claim("a", "The shop deploys; deploying is safe."), claim("b", "Deploys.", scope=ALICE)
    )
    world.put(claim("a", "The shop waits.", version=2))
    with world.snapshot() as snapshot:
        shop = snapshot.row(mem("a")).cls
        alice = snapshot.row(mem("b")).cls
        found = postings(snapshot, ["deploy", "shop", "absent"], [shop, alice])
        assert {term: list(pairs) for term, pairs in found.items()} == {
            "deploy": [(1, 2), (2, 1)],
            "shop": [(1, 1), (3, 1)],
            "absent": [],
        }
        assert postings(snapshot, ["deploy"], [alice])["deploy"] == [(2, 1)]
        assert postings(snapshot, ["deploy"], [])["deploy"] == []


# --- docs -----------------------------------------------------------------------------------------


def test_the_latest_event_of_a_thing_is_its_doc(world):
    world.append(doc_event("group", "g", name="old"), doc_event("group", "h"))
    world.append(doc_event("group", "g", "parent", name="new"))
    with world.snapshot() as snapshot:
        doc = snapshot.doc("group", "g")
        assert (doc.seq, doc.revision, doc.parent, doc.first_seq) == (3, 2, "parent", 1)
        assert snapshot.contents([doc.seq])[3] == {"name": "new"}
        assert [d.id for d in snapshot.docs("group")] == ["g", "h"]
        assert snapshot.docs("role") == ()


def test_docs_of_a_parent_come_in_the_order_of_their_first_event(world):
    world.append(
        doc_event("change", "z", "d1"),
        doc_event("change", "a", "d1"),
        doc_event("change", "m", "d2"),
    )
    world.append(doc_event("change", "a", "d1", x=2), doc_event("change", "z", "d1", x=2))
    with world.snapshot() as snapshot:
        assert [d.id for d in snapshot.docs("change", "d1")] == ["z", "a"]
        assert [d.id for d in snapshot.docs("change", "d2")] == ["m"]
        parents = {one: snapshot.docs("change", one) for one in ("d1", "d2")}
        assert snapshot.docs_under("change", ["d2", "d1", "d0"]) == parents
        assert [d.id for d in snapshot.docs("change")] == ["z", "a", "m"]
        assert snapshot.docs("change", "") == ()


def test_a_lifted_tombstone_is_no_doc_any_more(world):
    world.append(doc_event("tombstone", "k1"), doc_event("tombstone", "k2"))
    world.append(doc_event("lifted", "k1"))
    with world.snapshot() as snapshot:
        assert [d.id for d in snapshot.docs("tombstone")] == ["k2"]
        assert snapshot.doc("tombstone", "k1") is None
        assert snapshot.doc("lifted", "k1").seq == 3
    world.append(doc_event("tombstone", "k1"))
    with world.snapshot() as snapshot:
        assert snapshot.doc("tombstone", "k1").first_seq == 4


# --- contents -------------------------------------------------------------------------------------


def test_contents_are_given_back_as_they_were_given(world):
    whole = encode(claim("a", who=("user:alice", "group:shop"), tags=("x",)))
    audience = claim("a", who=("user:alice", "group:shop")).visibility.audience
    given = {
        "claim": Event("claim", mem("a"), whole),
        "change": Event("change", "c1", {"operation": "add", "item": whole}, "d1"),
        "bare": Event("change", "c2", {"operation": "deprecate", "target_id": mem("a")}, "d1"),
        "diff": Event("diff", "d1", {"scope": encode(SHOP), "summary": "s"}),
        "source": Event("source", "s1", {"scope": encode(SHOP), "visibility": whole["visibility"]}),
    }

    def build(transaction):
        cls = transaction.declare_class(SHOP, audience)
        events = [replace(event, cls=cls) for event in given.values()]
        transaction.append([*events, replace(given["diff"], id="d2")], AT)

    world.commit(build)
    with world.snapshot() as snapshot:
        contents = snapshot.contents([1, 2, 3, 4, 5, 6, 99])
    wanted = [event.content for event in given.values()] + [given["diff"].content]
    assert [contents[n] for n in range(1, 7)] == wanted
    assert 99 not in contents


def test_a_content_given_back_can_be_changed_without_harm(world):
    world.append(doc_event("group", "g", members=["a"]))
    with world.snapshot() as snapshot:
        snapshot.contents([1])[1]["members"].append("b")
        assert snapshot.contents([1])[1] == {"members": ["a"]}


def test_what_is_given_can_be_changed_afterwards_without_harm(world):
    members = ["a"]
    world.append(doc_event("group", "g", members=members))
    members.append("b")
    assert world.picture()["contents"][1] == {"members": ["a"]}
    assert world.verify().ok


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=60)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(TEXT, min_size=1, max_size=4), tags=st.lists(TEXT, max_size=3))
def test_claims_of_any_text_are_kept_found_and_erased(world, texts, tags):
    number = len(world.picture()["envelopes"])
    names = [f"n{number}-{index}" for index in range(len(texts))]
    scope = replace(SHOP, id=texts[0])
    made = [
        claim(name, text, tags=tuple(tags), scope=scope, who=("group:" + texts[-1],))
        for name, text in zip(names, texts, strict=True)
    ]
    world.put(*made)
    with world.snapshot() as snapshot:
        rows = [snapshot.row(one.id) for one in made]
        contents = snapshot.contents([row.seq for row in rows])
        assert [contents[row.seq] for row in rows] == [encode(one) for one in made]
        assert all(row in snapshot.lookup(key) for row in rows for key in row.keys)
    assert world.verify().ok
    world.commit(lambda t: t.erase(made[0].id))
    with world.snapshot() as snapshot:
        assert snapshot.row(made[0].id) is None
    assert world.verify().ok


# --- erasure --------------------------------------------------------------------------------------


@pytest.mark.req("A-DELETE", "E-LEDGER")
def test_erasing_removes_all_that_tells_of_a_claim_and_leaves_the_chain(world):
    world.put(claim("a", "The shop uses pnpm.", derived_from=("b",)), claim("b", "Other."))
    world.append(
        doc_event("change", "c1", "d1", subjects=(mem("a"), mem("z")), text="pnpm"),
        doc_event("decision", "c1", "d1"),
    )
    world.put(claim("a", "The shop uses npm.", version=2))
    before = world.picture()
    keys = [key for row in before["history"][mem("a")] for key in row.keys]
    assert world.commit(lambda t: t.erase(mem("a"))) == 3
    after = world.picture()
    assert after["envelopes"] == before["envelopes"]
    assert sorted(after["contents"]) == [2, 4]
    assert (after["row"][mem("a")], after["history"][mem("a")]) == (None, ())
    assert after["pointing"][mem("b")] == ()
    assert after["docs"]["change"] == ()
    assert [d.id for d in after["docs"]["decision"]] == ["c1"]
    assert after["postings"]["pnpm"] == after["postings"]["npm"] == []
    with world.snapshot() as snapshot:
        assert [snapshot.lookup(key) for key in keys] == [()] * len(keys)
    assert world.verify().ok
    assert world.verify(before["envelopes"][-1].hash).ok


def test_erasing_counts_what_was_removed_and_does_no_harm_twice(world):
    world.put(claim("a"), claim("b"))
    assert world.commit(lambda t: t.erase(mem("a"))) == 1
    assert world.commit(lambda t: t.erase(mem("a"))) == 0
    assert world.commit(lambda t: t.erase("mem_unknown")) == 0
    assert visible(world) == [(mem("b"), 1)]
    assert world.verify().ok


def test_class_heads_stay_when_claims_are_erased(world):
    world.put(claim("a"), claim("b"))
    before = world.picture()["classes"]
    world.commit(lambda t: t.erase(mem("a")))
    assert world.picture()["classes"] == before


def test_an_outdated_version_does_not_return_when_its_successor_is_erased(world):
    def second(transaction):
        event = claim_event(transaction, claim("a", "Two.", version=2), subjects=(mem("x"),))
        transaction.append([event], AT)

    world.put(claim("a", "One."))
    world.commit(second)
    world.commit(lambda t: t.erase(mem("x")))
    assert visible(world) == []
    assert [row.version for row in world.picture()["history"][mem("a")]] == [1]
    assert visible(world, 1) == [(mem("a"), 1)]
    world.put(claim("a", "Three.", version=3))
    assert visible(world) == [(mem("a"), 3)]
    assert world.verify().ok


def test_an_outdated_doc_does_not_return_when_its_successor_is_erased(world):
    world.append(doc_event("change", "c", x=1))
    world.append(doc_event("change", "c", subjects=(mem("x"),), x=2))
    world.commit(lambda t: t.erase(mem("x")))
    assert world.picture()["docs"]["change"] == ()
    assert world.verify().ok


def test_a_doc_begins_anew_after_an_erased_event_of_it(world):
    world.append(doc_event("change", "c", subjects=(mem("x"),), x=1), doc_event("change", "d"))
    world.append(doc_event("change", "c", x=2), doc_event("change", "c", x=3))
    world.commit(lambda t: t.erase(mem("x")))
    with world.snapshot() as snapshot:
        doc = snapshot.doc("change", "c")
        assert (doc.seq, doc.first_seq) == (4, 3)
        assert [d.id for d in snapshot.docs("change")] == ["d", "c"]
    assert world.verify().ok


def test_a_lifted_tombstone_stays_lifted_when_the_lifting_is_erased(world):
    world.append(doc_event("tombstone", "k"))
    world.append(doc_event("lifted", "k", subjects=(mem("x"),)))
    world.commit(lambda t: t.erase(mem("x")))
    assert world.picture()["docs"]["tombstone"] == ()
    assert world.verify().ok


def test_an_erased_claim_may_be_told_of_again(world):
    world.put(claim("a"))
    world.commit(lambda t: (t.erase(mem("a")), t.append([doc_event("erased", mem("a"))], AT)))
    world.put(claim("a", "Anew.", version=2))
    assert said_by(world, "a") == ["Anew."]
    assert world.verify().ok


# --- verify and rebuild ---------------------------------------------------------------------------


def populated(world):
    world.put(claim("a", facts=fact("shop", "uses", "pnpm")), claim("b", derived_from=("a",)))
    world.append(doc_event("change", "c1", "d1", x=1), doc_event("tombstone", "k1"))
    world.put(
        claim("a", "The shop uses npm.", version=2), claim("c", conflicts=("b",), scope=ALICE)
    )
    world.append(doc_event("lifted", "k1"), doc_event("change", "c1", "d1", x=2))
    world.commit(lambda t: t.erase(mem("c")))


@pytest.mark.req("E-LEDGER")
def test_an_untouched_store_verifies_and_names_its_head(world):
    populated(world)
    found = world.verify()
    assert (found.ok, found.events, found.problems) == (True, 8, ())
    assert found.head == world.picture()["envelopes"][-1].hash
    assert world.verify(found.head).ok
    assert world.verify(world.picture()["envelopes"][3].hash).ok


HARMS = {
    "altered envelope": (lambda d: d.alter_envelope(3), "event 3 was altered"),
    "altered content": (lambda d: d.alter_content(3), "content of event 3"),
    "lost content": (lambda d: d.lose_content(3), "content of event 3 is missing"),
    "unreadable content": (lambda d: d.break_content(1), "content of event 1"),
    "missing event": (lambda d: d.remove_event(4), "event 4 is missing"),
    "reordering": (lambda d: d.swap_events(3, 4), "event 3"),
    "altered row": (lambda d: d.alter_row(2), "row of event 2"),
    "missing row": (lambda d: d.remove_row(2), "row of event 2"),
    "altered doc": (lambda d: d.alter_doc("change", "c1"), "doc change/c1"),
    "missing key": (lambda d: d.remove_keys(2), "lookup key"),
    "missing link": (lambda d: d.remove_links(2), "links to claim"),
    "altered posting": (lambda d: d.alter_posting(2), "index"),
    "altered fact": (lambda d: d.alter_fact(1), "facts of event 1"),
    "missing fact": (lambda d: d.remove_fact(1), "facts of event 1"),
    "altered head": (lambda d: d.alter_head(), "head of class"),
    "altered class": (lambda d: d.alter_class(), "event"),
}


@pytest.mark.req("E-LEDGER")
@pytest.mark.parametrize("harm", HARMS.values(), ids=HARMS.keys())
def test_verify_finds_what_was_done_behind_the_stores_back(world, damage, harm):
    populated(world)
    do, said = harm
    do(damage(world.store, TENANT))
    found = world.verify()
    assert not found.ok
    assert said in " ".join(found.problems)


@pytest.mark.req("E-LEDGER")
def test_truncation_is_found_against_a_kept_head(world, damage):
    populated(world)
    world.append(doc_event("group", "g"))
    kept = world.verify().head
    damage(world.store, TENANT).truncate(8)
    assert "kept head" in " ".join(world.verify(kept).problems)


def test_verify_repeats_no_word_of_a_claim(world, damage):
    world.put(claim("a", "Zebra crossings are painted.", facts=fact("zebra", "uses", "zebra")))
    harm = damage(world.store, TENANT)
    for do in (harm.alter_posting, harm.remove_keys, harm.alter_content, harm.alter_row):
        do(1)
    assert "ebra" not in " ".join(world.verify().problems)


@pytest.mark.req("E-REBUILD")
def test_rebuilding_gives_the_same_answers(world):
    populated(world)
    before = world.picture()
    world.store.rebuild(TENANT)
    assert world.picture() == before
    assert world.verify().ok


@pytest.mark.req("E-REBUILD")
def test_rebuilding_repairs_what_is_derived(world, damage):
    populated(world)
    before = world.picture()
    harm = damage(world.store, TENANT)
    harm.alter_row(2)
    harm.remove_keys(2)
    harm.alter_posting(2)
    harm.alter_doc("change", "c1")
    harm.alter_head()
    assert not world.verify().ok
    world.store.rebuild(TENANT)
    assert world.picture() == before
    assert world.verify().ok


# --- the log --------------------------------------------------------------------------------------


def access(id="ret_1", principal="user:alice", at=AT, claims=("a", "b"), selected=("a",)):
    record = {"query": "how?", "scores": [0.5, 1], "nested": {"ü": None}}
    return Access(id, principal, at, record, tuple(map(mem, claims)), tuple(map(mem, selected)))


def test_a_retrieval_is_kept_as_it_was(world):
    world.store.log(NEIGHBOUR, access(principal="user:eve"))
    world.store.log(TENANT, access())
    assert world.store.logged(TENANT, "ret_1") == access()
    assert world.store.logged(TENANT, "ret_2") is None
    assert world.store.logged(NEIGHBOUR, "ret_1") == access(principal="user:eve")


def test_accesses_are_counted_for_each_principal_by_itself(world):
    world.store.log(TENANT, access("ret_1", at=LATER))
    world.store.log(TENANT, access("ret_2", at=AT))
    world.store.log(TENANT, access("ret_3", "user:bob"))
    world.store.log(NEIGHBOUR, access("ret_4"))
    assert world.store.accesses(TENANT, mem("a"), "user:alice") == (2, LATER)
    assert world.store.accesses(TENANT, mem("a"), "user:bob") == (1, AT)
    assert world.store.accesses(TENANT, mem("b"), "user:alice") == (0, None)
    assert world.store.accesses(TENANT, mem("a"), "user:carol") == (0, None)


def test_a_retrieval_that_is_logged_again_counts_once(world):
    world.store.log(TENANT, access())
    world.store.log(TENANT, replace(access(), principal="user:bob"))
    assert world.store.logged(TENANT, "ret_1") == access()
    assert world.store.accesses(TENANT, mem("a"), "user:alice") == (1, AT)
    assert world.store.accesses(TENANT, mem("a"), "user:bob") == (0, None)


def test_logging_changes_nothing_in_the_ledger(world):
    world.put(claim("a"))
    before = world.picture()
    world.store.log(TENANT, access())
    assert world.picture() == before
    assert world.store.tenants() == (TENANT, NEIGHBOUR)


@pytest.mark.req("A-RETENTION")
@pytest.mark.parametrize("dry", [True, False])
def test_what_was_logged_up_to_an_instant_is_counted_and_removed(world, dry):
    tick = timedelta(microseconds=1)
    for n, at in enumerate((AT, AT + timedelta(milliseconds=500), LATER, LATER + tick)):
        world.store.log(TENANT, access(f"ret_{n}", at=at, claims=("a",), selected=("a",)))
    world.store.log(TENANT, access("ret_old", "user:bob", claims=("b",), selected=("b",)))
    world.store.log(NEIGHBOUR, access("ret_0"))
    before = world.picture()
    trimmed = world.store.trim(TENANT, LATER, dry=dry)
    assert (trimmed.retrievals, trimmed.counts) == (4, 1)
    gone = [world.store.logged(TENANT, f"ret_{n}") is None for n in range(4)]
    assert gone == ([False] * 4 if dry else [True, True, True, False])
    assert world.store.accesses(TENANT, mem("a"), "user:alice") == (4, LATER + tick)
    assert world.store.accesses(TENANT, mem("b"), "user:bob") == ((1, AT) if dry else (0, None))
    assert world.store.logged(NEIGHBOUR, "ret_0") is not None
    assert world.picture() == before
    again = world.store.trim(TENANT, LATER, dry=False)
    assert again.retrievals == (4 if dry else 0)


@pytest.mark.req("A-DELETE")
def test_erasing_removes_the_retrievals_that_found_the_claim(world):
    world.put(claim("a"), claim("b"), claim("c"))
    world.store.log(TENANT, access("ret_found", claims=("a", "b"), selected=("b",)))
    world.store.log(TENANT, access("ret_handed", claims=(), selected=("a",)))
    world.store.log(TENANT, access("ret_other", claims=("b", "c"), selected=("b",)))
    world.store.log(NEIGHBOUR, access("ret_found"))
    with world.transaction() as transaction:
        transaction.erase(mem("a"))
    assert world.store.logged(TENANT, "ret_found") is None
    assert world.store.logged(TENANT, "ret_handed") is None
    assert world.store.logged(TENANT, "ret_other") is not None
    assert world.store.accesses(TENANT, mem("a"), "user:alice") == (0, None)
    assert world.store.accesses(TENANT, mem("b"), "user:alice") == (2, AT)
    assert world.store.logged(NEIGHBOUR, "ret_found") is not None


def test_a_retrieval_that_found_an_erased_claim_is_not_kept_any_more(world):
    world.put(claim("a"), claim("b"))
    world.commit(lambda t: t.erase(mem("a")))
    world.store.log(TENANT, access("ret_late"))
    world.store.log(TENANT, access("ret_fine", claims=("b",), selected=("b",)))
    assert world.store.logged(TENANT, "ret_late") is None
    assert world.store.logged(TENANT, "ret_fine") is not None


def test_the_time_of_an_access_is_an_instant(world):
    local = datetime.fromisoformat("2026-07-08T14:00:00+02:00")
    world.store.log(TENANT, access(at=local))
    count, last = world.store.accesses(TENANT, mem("a"), "user:alice")
    assert (count, last, last.tzinfo) == (1, AT, UTC)


# --- the store ------------------------------------------------------------------------------------


def test_tenants_are_those_with_events(world):
    assert world.store.tenants() == ()
    with world.snapshot(), world.store.transaction("empty"):
        pass
    world.append(doc_event("group", "g"))
    assert world.store.tenants() == (TENANT, NEIGHBOUR)


def test_a_checkpoint_is_complete_where_nobody_reads(world):
    world.put(claim("a"))
    world.commit(lambda t: t.erase(mem("a")))
    before = world.picture()
    assert world.store.checkpoint() == "complete"
    assert world.picture() == before


def test_a_new_store_has_nothing_to_notice(world):
    assert world.store.notices == ()


def test_closing_again_does_no_harm_and_what_is_closed_refuses(make_store):
    world = World(make_store())
    world.put(claim("a"))
    world.store.close()
    world.store.close()
    with pytest.raises(StoreUnavailable, match="closed"), world.snapshot():
        pass
    with pytest.raises(StoreUnavailable, match="closed"), world.transaction():
        pass
    with pytest.raises(StoreUnavailable, match="closed"):
        world.store.logged(TENANT, "ret_1")
