"""An export that tells the past comes back with it: versions, proposals, reasons and instants, nobody's word raised."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.core.access import Audience
from muniment.core.canonical import canonical, digest_bytes
from muniment.core.codec import read_time
from muniment.core.encode import encode
from muniment.core.errors import InvalidInput, NotFound
from muniment.core.request import Request
from muniment.exchange.mif.bundle import of_files
from muniment.exchange.mif.coming import coming_from
from muniment.exchange.mif.export_files import HISTORY, MANIFEST, bundle_files
from muniment.ports.interchange import Export
from muniment.store.memory import MemoryStore
from muniment.usecases.bundle import collect
from muniment.usecases.doctor import diagnose
from muniment.usecases.erase import erase, lift
from muniment.usecases.recall import recall
from muniment.usecases.restore import Restored, restore
from muniment.usecases.review import Choice
from muniment.usecases.show import conflicts, history, show, why
from muniment.wiring import open_store
from tests.usecases.remembered import Bytes
from tests.usecases.test_bundle import filled
from tests.usecases.world import (
    SHOP,
    WEB,
    World,
    add,
    deprecate,
    fact,
    flag,
    private,
    revalidate,
    signer_of,
    supersede,
    uses_tool,
)

BOTH = (SHOP, WEB)
OF_THE_STORE = ("advice", "trace")
"""What tells how much waits in a store, and of how many classes it knows."""
QUERIES = ("", "which package manager does the shop use?", "how long do tests take", "Fridays")


def collected(world: World, name: str = "user:ana", readers: Audience | None = None) -> Export:
    return collect(world.session(name, scopes=BOTH), readers, history=True)


def files(world: World, name: str = "user:ana") -> dict[str, bytes]:
    return dict(bundle_files(collected(world, name)).files)


def restored(given: dict[str, bytes], world: World, name: str = "user:ana") -> Restored:
    coming = coming_from(of_files(given), "memory")
    return restore(world.session(name, scopes=BOTH), coming, signer_of(name))


def hop(world: World, other: World | None = None) -> World:
    """Another store, into which everything of the first came; it tells the same time."""
    after = other or World()
    done = restored(files(world), after)
    assert (done.findings, done.held) == ((), ())
    after.clock.now = world.clock.now = max(world.clock.now, after.clock.now)
    return after


def busy() -> World:
    """A store in which much was decided, one minute after the other."""
    world = filled()
    world.clock.ahead(minutes=1)
    kept = world.accept(fact("Releases are tagged."))
    for n in range(2):
        world.clock.ahead(days=1, minutes=n)
        again = world.propose("user:dan", revalidate(kept, reason=f"read for the {n}th time"))
        world.review("user:bob", again, change_01=Choice("accepted", "it still says so"))
    world.clock.ahead(hours=3)
    ended = world.propose("user:dan", deprecate(kept))
    world.review("user:ana", ended, change_01="accepted")
    one, other = world.accept(fact("Lint takes a minute.")), world.accept(fact("Lint is slow."))
    world.review("user:ana", world.propose("user:dan", flag(one, other)), change_01="accepted")
    world.clock.ahead(minutes=5)
    settled = world.propose(
        "user:dan", supersede(one, fact("Lint takes two minutes."), resolves=[one, other])
    )
    world.review("user:ana", settled, change_01=Choice("accepted", "measured"))
    world.clock.ahead(minutes=5)
    return world


# --- what is asked of both stores ----------------------------------------------------------------


def instants(world: World) -> list[str]:
    with world.store.snapshot("acme") as snapshot:
        return sorted({at for _, at in snapshot.instants()})


def told(world: World, name: str) -> dict[str, Any]:
    """Every answer about every claim, without what says that it was restored."""
    session = world.session(name, scopes=BOTH)
    ids = [one.claim.id for one in collect(session).claims]
    found: dict[str, Any] = {"ids": ids, "conflicts": conflicts(session)}
    for one in ids:
        reasons = dict(why(session, one))
        reasons["decisions"] = [_as_before(d) for d in reasons["decisions"] if _is_old(d)]
        versions = [
            (encode(v.claim), v.revision, v.until, v.recorded_at) for v in history(session, one)
        ]
        found[one] = (show(session, one), versions, reasons)
        for decision in reasons["decisions"]:
            found[decision["diff"]] = _as_before(why(session, decision["diff"]))
    return found


def _is_old(decision: dict[str, Any]) -> bool:
    return not str(decision["reason"]).startswith("restored from export sha256:")


def _as_before(value: Any) -> dict[str, Any]:
    return {name: item for name, item in value.items() if name != "restored"}


def recalled(world: World, name: str, as_of: Any) -> list[Any]:
    session = replace(world.session(name, scopes=BOTH), counter=lambda _: Bytes())
    at = world.clock.now
    asked = [
        Request(
            query, "answer_questions", at=at, as_of=as_of, history=past, log="off", budget=9_000
        )
        for query in QUERIES[1:]
        for past in (False, True)
    ]
    packets = [recall(session, one).packet.as_json() for one in asked]
    return [{key: one[key] for key in one if key not in _apart(one)} for one in packets]


def _apart(packet: Any) -> tuple[str, ...]:
    """What is not compared of a packet; its text tells the advice too, and is counted with it."""
    return (*OF_THE_STORE, "text", "budget") if packet["advice"] else OF_THE_STORE


def same(world: World, other: World, name: str, when: list[Any]) -> None:
    assert told(world, name) == told(other, name)
    for as_of in (None, *when):
        for one, another in zip(*(recalled(w, name, as_of) for w in (world, other)), strict=True):
            assert [
                f"{key}: {one[key]} // {another[key]}" for key in one if one[key] != another[key]
            ] == []


@pytest.mark.req("C-MAP")
@pytest.mark.parametrize("name", ["user:ana", "user:bob"])
def test_every_answer_is_the_same_after_a_restore_now_and_as_of_each_instant_and_number(name):
    world = busy()
    whens = [read_time(at, "", []) for at in instants(world)]
    other = hop(world)
    same(world, other, name, [*whens, *range(25)])


@pytest.mark.req("C-MAP")
def test_four_hops_with_history_are_byte_identical_from_the_second():
    world, seen = busy(), []
    for _ in range(4):
        seen.append(files(world))
        world = hop(world)
    assert HISTORY in seen[0] and seen[1] == seen[2] == seen[3]
    assert {name for name in seen[0] if seen[0][name] != seen[1][name]} == {HISTORY, MANIFEST}


def test_answers_are_the_same_after_the_fourth_hop():
    world = busy()
    whens = [read_time(at, "", []) for at in instants(world)]
    last = hop(hop(hop(hop(world))))
    same(world, last, "user:ana", whens)


# --- any store -------------------------------------------------------------------------------------

ACTS = st.lists(
    st.tuples(
        st.sampled_from(
            ["add", "add", "tool", "supersede", "deprecate", "revalidate", "flag", "reject", "hidden", "erase", "lift"]
        ),
        st.integers(0, 5),
    ),
    min_size=1,
    max_size=9,
)  # fmt: skip


def played(world: World, acts: list[tuple[str, int]]) -> World:
    live: list[str] = []
    for n, (act, which) in enumerate(acts):
        world.clock.ahead(minutes=7)
        target = live[which % len(live)] if live else ""
        item = fact(f"Step {n} of the shop has {which} parts.")
        try:
            if act == "add":
                live.append(world.accept(item))
            elif act == "tool":
                live.append(world.accept(uses_tool(f"tool{which}")))
            elif act == "hidden":
                world.accept_hidden(item)
            elif act == "reject":
                world.reject(item)
            elif act == "erase" and target:
                erase(world.session("user:ana"), target, signer_of("user:ana"))
                live.remove(target)
            elif act == "flag" and len(set(live)) > 1:
                decide(world, flag(*dict.fromkeys([target, live[0], live[-1]])))
            elif target and act == "supersede":
                live.append(decide(world, supersede(target, item)))
            elif target and act in ("deprecate", "revalidate"):
                decide(world, {"deprecate": deprecate, "revalidate": revalidate}[act](target))
        except InvalidInput:
            continue  # the store has its own rules of what may follow what
    return world


def decide(world: World, change: dict[str, Any]) -> str:
    done = world.review("user:ana", world.propose("user:dan", change), change_01="accepted")
    return done.resulting["change_01"]


@pytest.mark.req("C-MAP", "B-TRAVEL")
@given(ACTS)
@settings(max_examples=25, deadline=None)
def test_any_store_comes_back_equal_with_its_past(acts):
    world = played(World(), acts)
    other = hop(world)
    whens = [read_time(at, "", []) for at in instants(world)]
    has_erased = any(act == "erase" for act, _ in acts)
    if not has_erased:  # numbers of states count versions that were erased too
        same(world, other, "user:ana", whens)
    first, second = files(other), files(hop(other))
    assert first == second
    with other.store.snapshot("acme") as snapshot:
        numbered = other.store.verify("acme")
        assert numbered.ok, (numbered.problems, snapshot.revision)


# --- what is proved, and whose word it is ----------------------------------------------------------


@pytest.mark.req("C-HASH", "E-APPROVER")
@given(st.data())
@settings(max_examples=60, deadline=None)
def test_one_byte_of_the_past_that_was_changed_makes_it_no_restore(data):
    given_files = dict(SOME)
    told_before = given_files[HISTORY]
    place = data.draw(st.integers(0, len(told_before) - 1))
    changed = bytearray(told_before)
    changed[place] ^= data.draw(st.integers(1, 255))
    given_files[HISTORY] = bytes(changed)
    other = World()
    found = restored(given_files, other)
    assert ([f.code for f in found.findings], found.claims) == (["history_changed"], ())
    assert not other.accepted()


SOME = files(busy())


@pytest.mark.req("C-HASH")
def test_a_past_that_is_missing_or_that_the_manifest_does_not_name_makes_it_no_restore():
    without = {name: data for name, data in SOME.items() if name != HISTORY}
    plain = dict(bundle_files(collect(busy().session("user:ana", scopes=BOTH))).files)
    assert HISTORY not in plain
    for given_files in (without, {**plain, HISTORY: SOME[HISTORY]}):
        found = restored(given_files, World())
        assert ([f.code for f in found.findings], found.claims) == (["history_changed"], ())


def with_past(lines: bytes) -> dict[str, bytes]:
    """An export whose past was made up, with digests that agree."""
    value = json.loads(SOME[MANIFEST])
    value["files"][HISTORY] = digest_bytes(lines)
    body = {key: item for key, item in value.items() if key != "digest"}
    manifest = json.dumps({**body, "digest": digest_bytes(canonical(body))}).encode()
    return {**SOME, HISTORY: lines, MANIFEST: manifest}


JUNK = (
    st.none()
    | st.integers(-2, 2)
    | st.text(max_size=3)
    | st.lists(st.text(max_size=3), max_size=2)
    | st.just({})
)


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_a_made_up_past_with_digests_that_agree_ends_in_no_traceback_and_in_no_decision(data):
    lines = [json.loads(line) for line in SOME[HISTORY].splitlines()]
    one = data.draw(st.sampled_from(lines))
    for _ in range(4):  # to a random place of it
        key = data.draw(st.sampled_from(sorted(one)))
        if not isinstance(one[key], dict) or not one[key] or data.draw(st.booleans()):
            break
        one = one[key]
    one[key] = data.draw(JUNK)
    other = World()
    found = restored(with_past(b"".join(canonical(one) + b"\n" for one in lines)), other)
    assert found.claims or [f.code for f in found.findings] == ["history_changed"]
    assert {change for _, change in _pending(other)} == set()
    assert diagnose(other.session("user:ana"), lambda path, data: None).ok


def _pending(world: World) -> list[tuple[str, str]]:
    return [(one.diff.id, change.id) for one in world.inbox() for change in one.diff.changes]


@pytest.mark.req("E-APPROVER", "C-TRUST")
def test_what_was_signed_there_is_recounted_and_what_comes_back_is_signed_by_who_restores():
    world = busy()
    given_files, other = files(world), World()
    restored(given_files, other, "user:bob")
    digest = json.loads(given_files[MANIFEST])["digest"]
    session = other.session("user:bob", scopes=BOTH)
    with other.store.snapshot("acme") as snapshot:
        decisions = [e.seq for e in snapshot.envelopes() if e.kind == "decision"]
        decided = snapshot.contents(decisions).values()
        changes = snapshot.contents([doc.seq for doc in snapshot.docs("change")]).values()
    assert {(one["by"], one["public_key"]) for one in decided} == {
        ("user:bob", signer_of("user:bob").public_key)
    }
    assert {one["reason"] for one in changes} == {f"restored from export {digest}"}
    found = diagnose(other.session("user:ana"), lambda path, data: None)
    assert found.ok and {account.state for account in found.accounts} == {"signed"}
    for one in collect(session).claims:
        old = [d for d in why(session, one.claim.id)["decisions"] if _is_old(d)]
        assert old and {d["restored"] for d in old} == {digest}
    assert not other.inbox()


@pytest.mark.req("E-IDEMPOTENT")
def test_restoring_a_past_twice_changes_nothing():
    other = World()
    restored(SOME, other)
    revision = other.revision()
    again = restored(SOME, other)
    assert (again.claims, again.findings, other.revision()) == ((), (), revision)


# --- tombstones ------------------------------------------------------------------------------------


@pytest.mark.req("E-TOMBSTONE")
def test_a_rejected_value_is_refused_in_the_other_store_too_until_it_is_lifted_there():
    world = World()
    world.accept(fact("One."))
    world.reject(fact("The shop is written in COBOL."))
    other = hop(world)
    with pytest.raises(InvalidInput, match="rejected before") as refused:
        other.propose("agent:codex", add(fact("The shop is written in COBOL.")))
    name = str(refused.value).partition("tombstone ")[2][:12]
    assert lift(other.session("user:ana"), name, "it is, after all", signer_of("user:ana"))
    other.propose("agent:codex", add(fact("The shop is written in COBOL.")))
    third = hop(other)
    third.propose("agent:codex", add(fact("The shop is written in COBOL.")))


@pytest.mark.req("A-DELETE", "E-TOMBSTONE")
def test_an_erased_claim_stays_erased_and_what_it_had_replaced_stays_replaced():
    world = World()
    old = world.accept(uses_tool("npm"))
    before = files(world)
    new = decide(world, supersede(old, uses_tool("pnpm")))
    erase(world.session("user:ana"), new, signer_of("user:ana"))
    other = hop(world)
    assert b"pnpm" not in b"".join(files(world).values())
    assert (
        show(other.session("user:ana"), old).status == show(world.session("user:ana"), old).status
    )
    assert show(other.session("user:ana"), old).superseded_by == new
    newer = dict(before)
    assert restored(newer, World()).claims == (old,)


@pytest.mark.req("A-DELETE", "E-LEDGER")
def test_erasing_what_came_back_erases_what_was_recounted_of_it():
    world = World()
    one = world.accept(fact("The vault opens with 4711."), reason="the vault's note says 4711")
    world.reject(fact("The door opens with 4712."))
    other = hop(world)
    assert "4711" in other.texts() and "4712" in other.texts()
    erase(other.session("user:ana"), one, signer_of("user:ana"))
    with other.store.snapshot("acme") as snapshot:
        docs = snapshot.docs("recounted")
        items = [
            c["item"]["id"]
            for c in snapshot.contents([d.seq for d in docs]).values()
            if "item" in c
        ]
    (rejected,) = items
    erase(other.session("user:ana"), rejected, signer_of("user:ana"))
    assert "4711" not in other.texts() and "4712" not in other.texts()
    assert other.store.verify("acme").ok
    assert HISTORY in files(other) and b"471" not in b"".join(files(other).values())


# --- who sees it -----------------------------------------------------------------------------------


@pytest.mark.req("B-TRAVEL", "B-FILTERFIRST")
def test_what_the_exporter_may_not_see_changes_no_byte_of_the_past():
    def played_with(hidden: bool) -> World:
        world = World(MemoryStore(iter_of(9)))
        for n in range(3):
            if hidden:  # by an entropy of its own, so that the rest draws the same identifiers
                draw, world.draw = world.draw, iter_of(n)
                world.accept_hidden(fact(f"The board meets on the {n}."))
                world.draw = draw
            world.clock.now = read_time(f"2026-08-0{n + 1}T12:00:00Z", "", [])
            kept = world.accept(fact(f"Rule {n}."))
        world.clock.now = read_time("2026-08-09T12:00:00Z", "", [])
        decide_by_bob(world, deprecate(kept))
        return world

    plain, with_hidden = files(played_with(False), "user:bob"), files(played_with(True), "user:bob")
    assert plain == with_hidden
    assert plain[HISTORY].count(b"\n") > 8


def iter_of(n: int) -> Any:
    import hashlib
    import itertools

    turns = itertools.count()
    return lambda size: hashlib.shake_256(f"hidden/{n}/{next(turns)}".encode()).digest(size)


def decide_by_bob(world: World, change: dict[str, Any]) -> None:
    world.review("user:bob", world.propose("user:dan", change), change_01="accepted")


@pytest.mark.req("B-TRAVEL", "C-NAMESPACE")
def test_for_readers_goes_only_the_past_that_all_of_them_may_see_and_nothing_local():
    world = busy()
    world.accept(fact("For Dan.", visibility=private("user:dan", "user:ana"), title="dandan"))
    world.reject(fact("Mine alone.", namespace="_local/scratch"))
    world.reject(fact("Of the system.", namespace="_system/x"))
    world.reject(fact("Of others.", namespace="_shared/acme/api"))
    export = collected(world, readers=(("group:shop",),))
    text = b"".join(bundle_files(export).files.values())
    for word in (b"For Dan", b"Mine alone", b"Of the system"):
        assert word not in text
    assert b"COBOL" in text


@pytest.mark.req("B-FILTERFIRST")
def test_who_may_not_see_a_claim_is_told_nothing_that_was_recounted_of_it():
    world = World()
    secret = world.accept(fact("For Dan.", visibility=private("user:dan", "user:ana")))
    (decision,) = why(world.session("user:ana"), secret)["decisions"]
    other = hop(world)
    assert why(other.session("user:ana"), decision["diff"])["diff"]["id"]
    for id in (secret, decision["diff"]):
        with pytest.raises(NotFound):
            why(other.session("user:bob"), id)


# --- into a store that is not empty ---------------------------------------------------------------


def test_what_a_store_answered_for_an_instant_it_goes_on_answering_after_a_restore():
    given_files = SOME
    other = World()
    other.accept(fact("Lint takes no time here."))
    other.clock.ahead(days=30)
    own = [read_time(at, "", []) for at in instants(other)]
    before = [recalled(other, "user:ana", as_of) for as_of in (*own, 0, 1)]
    other.clock.ahead(days=1)
    done = restored(given_files, other)
    assert done.claims
    after = [recalled(other, "user:ana", as_of) for as_of in (*own, 0, 1)]
    assert _less_instants(before) == _less_instants(after)
    session = other.session("user:ana", scopes=BOTH)
    versions = [v for one in done.claims for v in history(session, one)]
    assert {v.restored for v in versions} == {json.loads(given_files[MANIFEST])["digest"]}
    assert max(v.recorded_at for v in versions) < encode(own[-1].replace(year=2027))


def _less_instants(packets: Any) -> Any:
    return [[{k: v for k, v in one.items() if k != "request"} for one in some] for some in packets]


def test_a_version_with_a_secret_or_a_rejected_value_does_not_come_back_and_the_rest_does():
    world = World()
    kept = world.accept(fact("Deploys are manual."))
    decide(world, deprecate(kept))
    other = World()
    other.reject(fact("Deploys are manual."))
    found = restored(files(world), other)
    assert (found.claims, {f.code for f in found.findings}) == ((), {"tombstoned"})


# --- every store -----------------------------------------------------------------------------------


@pytest.mark.req("C-MAP")
@pytest.mark.parametrize("kind", ["memory", "sqlite", "postgres"])
def test_the_past_comes_back_in_every_store(tmp_path, kind, request):
    draw = World().draw
    if kind == "postgres":
        store = request.getfixturevalue("postgres").open(entropy=draw)
    else:
        store = MemoryStore(draw) if kind == "memory" else open_store(tmp_path / "a.db", draw)
    world = busy()
    other = hop(world, World(store))
    same(world, other, "user:ana", [read_time(at, "", []) for at in instants(world)][::5])
    assert store.verify("acme").ok
    store.rebuild("acme")
    assert files(hop(other)) == files(other)
    store.close()
