"""A rejected value stays rejected, on every way in, however it is dressed up."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.core.errors import Conflicted, InvalidInput, NotFound, NotPermitted
from muniment.usecases.edit import edit
from muniment.usecases.erase import lift
from muniment.usecases.propose import propose
from muniment.usecases.remember import remember
from muniment.usecases.review import Choice
from tests.usecases.world import (
    BOARD,
    TEAM,
    WEB,
    World,
    add,
    diff_of,
    fact,
    signer_of,
    supersede,
    uses_tool,
)

WRONG = "The shop deploys from main."


def refused(call) -> str:
    with pytest.raises(InvalidInput) as refusal:
        call()
    found = [f for f in refusal.value.findings if f.code == "tombstoned"]
    assert found
    return found[0].message.rpartition("tombstone ")[2].rstrip(")")


@st.composite
def look_alikes(draw):
    """The rejected text in another dress: case, white space, invisible characters, Unicode forms, its full stop."""
    out = []
    for letter in WRONG:
        kind = draw(st.sampled_from(("same", "same", "case", "wide", "hidden", "space")))
        if kind == "case":
            out.append(letter.swapcase())
        elif kind == "wide" and letter.isascii() and letter.isalpha():
            out.append(chr(ord(letter) + 0xFEE0))
        elif kind == "hidden":
            out.append(letter + draw(st.sampled_from("\u200b\u200d\u2060\ufeff")))
        elif kind == "space" and letter == " ":
            out.append(draw(st.sampled_from(("  ", "\u00a0", "\t", " \n "))))
        else:
            out.append(letter)
    end = draw(st.sampled_from(("", ".", "!")))
    return draw(st.sampled_from(("", " "))) + "".join(out).rstrip(".") + end


@pytest.fixture(scope="module")
def rejected() -> World:
    world = World()
    world.reject(fact(WRONG))
    return world


@pytest.mark.req("E-TOMBSTONE")
@settings(max_examples=60)
@given(text=look_alikes())
def test_a_look_alike_of_a_rejected_text_is_refused(rejected, text):
    refused(lambda: rejected.propose("agent:codex", add(fact(text))))


@pytest.mark.req("E-TOMBSTONE")
@settings(max_examples=30)
@given(
    subject=st.sampled_from(("shop", "SHOP", " shop", "sh\u200bop")),
    predicate=st.sampled_from(("uses_package_manager", "package_manager")),
    tool=st.sampled_from(("npm", "NPM", "n\u2060pm", "\uff4epm")),
)
def test_a_rejected_value_is_refused_under_another_text(subject, predicate, tool):
    world = World()
    world.reject(uses_tool("npm"))
    one = {"subject": subject, "predicate": predicate, "object": tool}
    refused(lambda: world.propose("agent:codex", add(fact("Install it as ever.", facts=[one]))))


@pytest.mark.req("E-TOMBSTONE", "E-ONEGATE")
def test_every_way_to_write_is_refused_alike(world):
    world.reject(fact(WRONG))
    old = world.accept(fact("Releases are cut on Tuesdays."))
    waiting = world.propose("user:dan", add(fact("The shop has a status page.")))
    session, ana = world.session("agent:codex"), world.session("user:ana")
    before = world.revision()
    ways = (
        lambda: world.propose("agent:codex", add(fact(WRONG))),
        lambda: world.propose("user:ana", add(fact(WRONG))),
        lambda: world.propose("agent:codex", supersede(old, fact(WRONG))),
        lambda: propose(session, diff_of(add(fact(WRONG))), is_import=True),
        lambda: remember(session, WRONG, {"source": "https://example.org/a", "visibility": TEAM}),
        lambda: edit(
            ana, waiting.diff.id, "change_01", {"claim": WRONG}, signer_of("user:ana"), "better"
        ),
    )
    assert len({refused(way) for way in ways}) == 1
    assert world.revision() == before


@pytest.mark.req("E-TOMBSTONE")
def test_another_scope_has_its_own_judgement(world):
    world.reject(fact(WRONG))
    scope = {"kind": WEB.kind, "id": WEB.id}
    assert propose(
        world.session("agent:codex", scopes=(WEB,)),
        diff_of(add(fact(WRONG, scope=scope)), scope=scope),
    )


@pytest.mark.req("E-TOMBSTONE")
def test_the_other_tenant_has_its_own_judgement(world):
    world.reject(fact(WRONG))
    assert propose(world.session("agent:codex", "globex"), diff_of(add(fact(WRONG))))


@pytest.mark.req("E-TOMBSTONE")
def test_a_proposal_that_waited_is_refused_when_its_value_was_rejected_meanwhile(world):
    first, second = (world.propose("agent:codex", add(fact(WRONG))) for _ in range(2))
    world.review("user:ana", first, change_01="rejected")
    with pytest.raises(Conflicted) as refusal:
        world.review("user:bob", second, change_01="accepted")
    assert refusal.value.findings[0].code == "tombstoned"
    assert world.accepted() == set()


@pytest.mark.req("E-TOMBSTONE", "E-REBUILD")
def test_a_tombstone_survives_rebuilding(world):
    world.reject(fact(WRONG))
    world.store.rebuild("acme")
    refused(lambda: world.propose("agent:codex", add(fact(WRONG))))


@pytest.mark.req("E-TOMBSTONE")
def test_a_rejection_that_keeps_the_value_open_leaves_no_tombstone(world):
    proposed = world.propose("agent:codex", add(fact(WRONG)))
    world.review(
        "user:ana", proposed, change_01=Choice("rejected", "badly put", keep_value_open=True)
    )
    assert world.propose("agent:codex", add(fact(WRONG)))


@pytest.mark.req("E-TOMBSTONE")
def test_a_reviewer_lifts_it_by_name_on_new_evidence(world):
    world.reject(uses_tool("npm"))
    name = refused(lambda: world.propose("agent:codex", add(uses_tool("npm"))))
    assert (
        lift(world.session("user:bob"), name, "the lock file says npm", signer_of("user:bob")) == 2
    )
    proposed = world.propose("agent:codex", add(uses_tool("npm")))
    assert world.review("user:bob", proposed, change_01="accepted").resulting


@pytest.mark.req("E-TOMBSTONE")
def test_a_lifted_value_can_be_rejected_again(world):
    world.reject(fact(WRONG))
    name = refused(lambda: world.propose("agent:codex", add(fact(WRONG))))
    lift(world.session("user:ana"), name, "it was right in May", signer_of("user:ana"))
    world.reject(fact(WRONG))
    assert refused(lambda: world.propose("agent:codex", add(fact(WRONG)))) == name


@pytest.mark.parametrize(
    ("who", "prefix", "reason", "refusal"),
    [
        ("agent:codex", None, "because", NotPermitted),
        ("user:bob", None, "  ", InvalidInput),
        ("user:bob", "0" * 12, "because", NotFound),
        ("user:bob", "", "because", NotFound),
    ],
)
@pytest.mark.req("E-TOMBSTONE")
def test_nothing_else_lifts_it(world, who, prefix, reason, refusal):
    world.reject(fact(WRONG))
    name = refused(lambda: world.propose("agent:codex", add(fact(WRONG))))
    with pytest.raises(refusal):
        lift(world.session(who), name if prefix is None else prefix, reason, signer_of(who))
    refused(lambda: world.propose("agent:codex", add(fact(WRONG))))


@pytest.mark.req("E-TOMBSTONE", "E-BLINDWRITE")
def test_a_hidden_tombstone_looks_pending_and_holds_the_change(world):
    proposed = world.propose("process:board", add(fact(WRONG, visibility=BOARD)))
    world.review("user:ana", proposed, change_01="rejected")
    told = world.propose("agent:codex", add(fact(WRONG)))
    assert told.findings == ()
    outcome = world.review("user:bob", told, change_01="accepted")
    assert (outcome.resulting, dict(outcome.decisions), outcome.held) == ({}, {}, ("change_01",))
    assert world.pending(told.diff.id, "agent:codex").state_of("change_01") == "pending"
    assert world.accepted() == set()
    with pytest.raises(Conflicted, match="rejected before"):
        world.review("user:ana", told, change_01="accepted")


# --- what stays as it was accepted -------------------------------------------------------------------


def edited(world, target, **parts):
    return world.propose("agent:codex", supersede(target, uses_tool("pnpm", **parts)))


def test_a_rejected_edit_refuses_itself_and_neither_the_unchanged_text_nor_another_edit():
    world = World()
    target = world.accept(uses_tool("pnpm"))
    for _ in range(2):
        world.review(
            "user:ana", edited(world, target, title="Wrong"), change_01=Choice("rejected", "no")
        )
        name = refused(lambda: edited(world, target, title="Wrong"))
        world.propose("agent:codex", add(uses_tool("pnpm")))  # a second record of what holds
        lift(world.session("user:ana"), name, "it is right, after all", signer_of("user:ana"))
    world.review("user:ana", edited(world, target, title="Right"), change_01="accepted")


def test_a_rejected_edit_of_the_text_refuses_the_new_text_everywhere_and_the_old_nowhere():
    world = World()
    target = world.accept(uses_tool("pnpm", title="Tool"))
    other = world.propose("agent:codex", supersede(target, uses_tool("npm", title="Tool")))
    world.review("user:ana", other, change_01=Choice("rejected", "it is not so"))
    refused(lambda: world.propose("agent:codex", add(uses_tool("npm"))))
    refused(lambda: world.propose("agent:codex", supersede(target, uses_tool("npm", title="X"))))
    edited(world, target, title="Other")


def test_a_rejected_second_record_of_what_holds_does_not_keep_it_from_being_edited():
    world = World()
    target = world.accept(uses_tool("pnpm"))
    world.reject(uses_tool("pnpm"))
    refused(lambda: world.propose("agent:codex", add(uses_tool("pnpm"))))
    world.review("user:ana", edited(world, target, title="Tool"), change_01="accepted")
