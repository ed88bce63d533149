"""Declared rules keep claims no longer than they say: shown first, then archived, deleted or put up to be one."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.core.access import Scope
from muniment.core.encode import encode
from muniment.core.errors import InvalidInput, NotFound, NotPermitted
from muniment.core.event import Event
from muniment.core.lifecycle import Archived, Lifecycle, archived
from muniment.core.period import ends
from muniment.core.request import Request
from muniment.store.sqlite import SqliteStore
from muniment.usecases import declare as declaring
from muniment.usecases.declare import Declaration, check, declare
from muniment.usecases.doctor import diagnose
from muniment.usecases.recall import recall
from muniment.usecases.retain import retain
from muniment.usecases.review import Choice
from muniment.usecases.show import history, show
from muniment.usecases.viewing import Viewing
from muniment.wiring import count_tokens
from tests.usecases.world import (
    HERE,
    NOON,
    SHOP,
    THERE,
    WEB,
    World,
    _drawn,
    add,
    deprecate,
    derived,
    fact,
    private,
    revalidate,
    signer_of,
    supersede,
)

ANA = "user:ana"


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def everywhere(request, tmp_path):
    """A world on each store."""
    if request.param == "memory":
        yield World()
        return
    opened = (
        request.getfixturevalue("postgres").open(entropy=_drawn("world"))
        if request.param == "postgres"
        else SqliteStore.open(tmp_path / "memory.db", entropy=_drawn("world"), create=True)
    )
    yield World(opened)
    opened.close()


def rule(world, then="archive", period="P30D", since="recorded", name="old", **parts):
    wanted = Lifecycle(name, SHOP, period, since, then, **parts)
    declare(world.session(ANA), (declaring.lifecycle(wanted),), signer_of(ANA))


def looked(world, name=ANA):
    return retain(world.session(name)).claims


def acts(world):
    return [(act.act, *act.ids) for act in looked(world).acts]


def applied(world, name=ANA):
    return retain(world.session(name), apply=True, signer=signer_of(name)).claims


def packet(world, name=ANA, **values):
    session = replace(world.session(name), counter=count_tokens)
    return recall(session, Request("gradle", "answer_questions", scopes=(SHOP,), **values)).packet


def recalled(world, name=ANA, **values):
    return {item.claim.id for item in packet(world, name, **values).items}


def told(world):
    """Everything that ana can be told of the shop's memory, and both tenants' revisions."""
    handed = packet(world, history=True).items
    return handed, world.inbox(), world.revision(), world.revision(THERE)


def doctored(world):
    return diagnose(world.session(ANA), lambda *_: None)


@pytest.mark.req("A-RETENTION")
def test_what_is_due_is_shown_and_nothing_is_changed_until_it_is_to_be_done(everywhere):
    world = everywhere
    old = world.accept(fact())
    made = world.accept(derived("The wrapper must be kept.", old), by="user:bob")
    rule(world, period="P30D")
    world.clock.ahead(days=29)
    assert looked(world).acts == ()
    world.accept(fact("Gradle runs on Java 21."))
    world.clock.ahead(days=2)
    before = told(world)
    found = looked(world)
    assert [(a.act, a.rule, a.ids[0]) for a in found.acts] == [
        ("archive", "old", one) for one in sorted((old, made))
    ]
    assert (found.done, found.token, told(world)) == (False, "", before)
    assert applied(world).acts == found.acts
    assert looked(world).acts == ()


@pytest.mark.req("A-RETENTION", "A-STATUS")
def test_an_archived_claim_is_out_of_recall_and_kept_for_history(everywhere):
    world = everywhere
    old = world.accept(fact())
    rule(world)
    world.clock.ahead(days=31)
    assert recalled(world) == {old}
    done = applied(world)
    assert (done.done, done.disk) == (True, "complete")
    assert recalled(world) == set()
    assert recalled(world, history=True) == {old}
    shown = world.show(old)
    assert (shown.status, shown.claim.review.status) == ("archived", "accepted")
    assert shown.claim.provenance.transformations[-1].note == "by the rule old"
    assert [v.claim.retired for v in history(world.session(ANA), old)] == ["", "archived"]
    assert doctored(world).ok
    world.store.rebuild(HERE)
    assert recalled(world) == set()
    assert recalled(world, history=True) == {old}
    assert doctored(world).ok


@pytest.mark.req("A-RETENTION")
def test_an_archived_claim_comes_back_by_a_revalidation_and_its_period_begins_anew(world):
    old = world.accept(fact())
    rule(world)
    world.clock.ahead(days=31)
    applied(world)
    world.review("user:bob", world.propose("agent:codex", revalidate(old)), change_01="accepted")
    assert world.show(old).status != "archived"
    assert world.show(old).claim.retired == ""
    world.clock.ahead(days=29)
    assert acts(world) == []
    world.clock.ahead(days=2)
    assert acts(world) == [("archive", old)]
    assert doctored(world).ok


@pytest.mark.req("A-RETENTION", "A-DELETE", "E-TOMBSTONE")
def test_a_deleted_claim_is_erased_and_its_value_stays_refused(everywhere):
    world = everywhere
    old, other = world.accept(fact()), world.accept(fact("The shop tests on Mondays."))
    rule(world, "delete", states=("superseded",), period="PT1H")
    proposed = world.propose("agent:codex", supersede(old, fact("It is Gradle 9.")))
    world.review("user:bob", proposed, change_01="accepted")
    world.clock.ahead(hours=2)
    assert acts(world) == [("delete", old)]
    there = world.texts(THERE)
    done = applied(world)
    assert (done.done, done.disk) == (True, "complete")
    assert "Gradle 8" not in world.texts()
    assert world.texts(THERE) == there
    with pytest.raises(NotFound):
        world.show(old)
    with pytest.raises(InvalidInput) as refused:
        world.propose("agent:codex", add(fact()))
    assert "tombstoned" in {f.code for f in refused.value.findings}
    world.clock.ahead(days=4_000)
    rule(world, "delete", states=("superseded",), period="PT1H", withdrawn=True)
    world.store.rebuild(HERE)
    with pytest.raises(InvalidInput):
        world.propose("agent:codex", add(fact()))
    assert world.show(other).claim.claim
    assert doctored(world).ok


@pytest.mark.req("A-RETENTION", "E-RETRACT")
@pytest.mark.parametrize("then", ["archive", "delete"])
def test_what_was_derived_is_stale_from_the_same_act_on_and_proposed_once(world, then):
    one, two = world.accept(fact()), world.accept(fact("Gradle runs on Java 21."))
    made = world.accept(derived("Keep the wrapper.", one, two, tags=["kept"]), by="user:bob")
    rule(world, then, unless_tagged=("kept",))
    world.clock.ahead(days=31)
    assert {(a.ids[0], a.stale) for a in looked(world).acts} == {(one, (made,)), (two, (made,))}
    applied(world)
    assert world.show(made).status == "stale"
    targets = [p.diff.changes[0].target_id for p in world.inbox("user:bob")]
    assert targets == [made]


@pytest.mark.req("A-RETENTION", "A-CONSOLIDATE")
def test_consolidation_is_proposed_once_and_the_sources_stay(world):
    def of_the_gate(text):
        return fact(text, facts=[{"subject": "gate", "predicate": "has_part", "object": text}])

    latch, bell = (world.accept(of_the_gate(f"The gate has a {it}.")) for it in ("latch", "bell"))
    alone = world.accept(fact())
    rule(world, "consolidate")
    world.clock.ahead(days=31)
    assert acts(world) == [("consolidate", *sorted((latch, bell)))]
    done = applied(world)
    (proposed,) = done.proposed
    assert (done.refused, done.token) == ((), "")
    assert [world.show(one).claim.retired for one in (latch, bell, alone)] == ["", "", ""]
    assert (acts(world), applied(world).proposed) == ([], ())
    diff = world.pending(proposed).diff
    assert (diff.proposed_by, diff.changes[0].item.source.derivation) == ("process:retain", "consolidated")  # fmt: skip
    world.review(ANA, proposed, change_01="accepted")
    assert acts(world) == []


@pytest.mark.req("A-RETENTION")
def test_the_most_final_of_several_rules_that_are_due_is_followed(world):
    old = world.accept(fact())
    rule(world, "archive", "P10D", name="a")
    rule(world, "delete", "P20D", name="d")
    world.clock.ahead(days=15)
    assert acts(world) == [("archive", old)]
    world.clock.ahead(days=6)
    assert acts(world) == [("delete", old)]


@pytest.mark.req("A-RETENTION", "B-FILTERFIRST")
def test_an_operator_s_rules_reach_and_name_nothing_that_it_may_not_see(world):
    made = declaring.roles("user:bob", ("operator", "proposer", "reviewer"))
    declare(world.session(ANA), (made,), signer_of(ANA))
    hidden = world.accept_hidden(fact("The shop is for sale."))
    rule(world, "delete")
    world.clock.ahead(days=31)
    before = world.texts()
    assert looked(world, "user:bob").acts == ()
    found = applied(world, "user:bob")
    assert (found.acts, found.done, found.token, world.texts()) == ((), False, "", before)
    assert acts(world) == [("delete", hidden)]


@pytest.mark.req("A-RETENTION", "E-BLINDWRITE")
def test_archiving_what_some_may_not_see_tells_them_nothing(world):
    def answers():
        handed = packet(world, "user:bob").items
        return handed, [p.diff.id for p in world.inbox("user:bob")]

    source = world.accept_hidden(fact("The shop is for sale."))
    seen = world.accept(fact(), by="user:bob")
    rule(world, levels=("security-sensitive",))
    world.clock.ahead(days=31)
    before = answers()
    assert acts(world) == [("archive", source)]
    applied(world)
    assert answers() == before
    assert world.show(seen, "user:bob").status == "active"


@pytest.mark.req("A-RETENTION", "E-APPROVER")
def test_without_an_operator_s_credential_nothing_is_done(world):
    world.accept(fact())
    rule(world)
    world.clock.ahead(days=31)
    before = world.revision()
    for name, signer in ((ANA, None), (ANA, signer_of("user:bob")), ("user:bob", signer_of("user:bob"))):  # fmt: skip
        with pytest.raises(NotPermitted):
            retain(world.session(name), apply=True, signer=signer)
    with pytest.raises(NotPermitted):
        looked(world, "user:dan")
    assert world.revision() == before


@pytest.mark.req("A-RETENTION", "E-APPROVER")
def test_an_archiving_that_nobody_signed_is_found(world):
    old = world.accept(fact())
    with world.store.transaction(HERE) as transaction:
        row = transaction.row(old)
        claim = Viewing(transaction, ANA).claim(old)
        word = Archived("old", ANA, world.clock(), signer_of(ANA).public_key, "00" * 64)
        made = archived(claim, "old", ANA, word.at)
        altered = replace(made, claim="The shop builds with make.")
        transaction.append(
            [
                Event("archived", old, encode(word), "", (old,), row.cls),
                Event("claim", old, encode(altered), old, (old,), row.cls),
            ],
            world.clock(),
        )
    problems = {a.detail for a in doctored(world).accounts if not a.is_good}
    assert problems == {
        f"no registered credential signed that {old} is archived",
        f"version 2 of {old} is not what was accepted",
    }


@pytest.mark.req("A-RETENTION")
@pytest.mark.parametrize(
    ("parts", "covered"),
    [
        ({}, True),
        ({"memory_types": ("episodic",)}, False),
        ({"states": ("active",)}, True),
        ({"states": ("accepted",)}, True),
        ({"states": ("deprecated", "expired")}, False),
        ({"levels": ("team-private",)}, True),
        ({"levels": ("public",)}, False),
        ({"unless_tagged": ("hold",)}, False),
        ({"unless_tagged": ("other",)}, True),
        ({"since": "ended"}, False),
        ({"since": "verified"}, True),
        ({"withdrawn": True}, False),
    ],
)
def test_a_rule_is_about_the_claims_that_it_names(world, parts, covered):
    world.accept(fact(tags=["hold"]))
    rule(world, **parts)
    world.clock.ahead(days=31)
    assert bool(looked(world).acts) == covered


@pytest.mark.req("A-RETENTION")
def test_a_period_counts_from_the_end_of_a_claim_where_it_is_to(world):
    item = fact(validity={"valid_until": encode(NOON + timedelta(days=10))})
    ended = world.accept(item)
    rule(world, period="P5D", since="ended")
    world.clock.ahead(days=14)
    assert acts(world) == []
    world.clock.ahead(days=2)
    assert acts(world) == [("archive", ended)]


@pytest.mark.req("A-RETENTION")
def test_what_was_deprecated_counts_from_its_deprecation(world):
    old = world.accept(fact())
    rule(world, "delete", states=("deprecated",))
    world.clock.ahead(days=31)
    world.review("user:bob", world.propose("agent:codex", deprecate(old)), change_01="accepted")
    assert acts(world) == []
    world.clock.ahead(days=31)
    assert acts(world) == [("delete", old)]


@pytest.mark.req("A-RETENTION")
def test_what_waits_or_was_rejected_is_no_rule_s(world):
    world.propose("agent:codex", add(fact()))
    waiting = world.propose("agent:codex", add(fact("It is Gradle 9.")))
    world.review(ANA, waiting, change_01=Choice("rejected", "no"))
    rule(world, "delete")
    world.clock.ahead(days=31)
    assert acts(world) == []


@pytest.mark.req("A-RETENTION")
def test_another_scope_s_and_another_tenant_s_claims_are_no_rule_s(world):
    web = {"kind": WEB.kind, "id": WEB.id}
    proposed = world.propose("agent:codex", add(fact(scope=web)), scope=web)
    world.review(ANA, proposed, change_01="accepted")
    rule(world, "delete")
    world.clock.ahead(days=31)
    assert acts(world) == []
    assert retain(world.session(ANA, THERE)).claims.rules == ()


@pytest.mark.parametrize(
    ("parts", "code"),
    [
        ({"period": "30 days"}, "bad_period"),
        ({"period": "P0D"}, "bad_period"),
        ({"since": "read"}, "unknown_since"),
        ({"then": "burn"}, "unknown_then"),
        ({"states": ["odd"]}, "unknown_state"),
        ({"memory_types": ["odd"]}, "unknown_memory_type"),
        ({"levels": ["odd"]}, "unknown_visibility_level"),
        ({"scope": {"kind": "odd", "id": "x"}}, "bad_scope"),
        ({"scope": None}, "missing"),
        ({"name": "other"}, "bad_name"),
    ],
)
@pytest.mark.req("A-RETENTION")
def test_a_rule_that_means_nothing_is_refused(world, parts, code):
    content = {**encode(Lifecycle("old", SHOP, "P30D")), **parts}
    wrong = Declaration("lifecycle", "old", {k: v for k, v in content.items() if v is not None})
    assert code in {finding.code for finding in check(wrong)}
    with pytest.raises(InvalidInput):
        declare(world.session(ANA), (wrong,), signer_of(ANA))


@given(
    st.datetimes(timezones=st.just(NOON.tzinfo)),
    st.sampled_from(["P1M", "P1Y", "P13M", "P2W", "P1D", "PT1S", "P1Y2M3DT4H5M6S"]),
    st.timedeltas(timedelta(0), timedelta(days=400)),
)
def test_who_began_later_is_never_due_earlier(start, period, later):
    try:
        first, second = ends(period, start), ends(period, start + later)
    except OverflowError:
        return
    if first is not None and second is not None:
        assert start < first <= second


def test_a_scope_is_named_by_a_rule():
    assert str(Lifecycle("old", Scope("project", "x"), "P1D").scope) == "project:x"


def test_a_claim_that_only_bob_sees_is_not_ana_s_to_archive(world):
    proposed = world.propose(
        "agent:codex", add(fact(visibility=private("user:bob", "agent:codex")))
    )
    world.review("user:bob", proposed, change_01="accepted")
    rule(world)
    world.clock.ahead(days=31)
    assert acts(world) == []
    assert show(world.session("user:bob"), proposed.diff.changes[0].item.id).status == "active"
