"""A kept source and a passage are shown with what stands around them, to who may see them, and to nobody else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from muniment import wire
from muniment.core.access import Visibility
from muniment.core.errors import NotFound
from muniment.usecases.erase_source import erase_source
from muniment.usecases.show_source import AROUND, LISTED, show_source
from tests.usecases.test_conversations import BOARD, TALK, keep, lines, signer_of, world
from tests.usecases.world import HERE, SHOP, THERE, WEB

__all__ = ("world",)
MANY = tuple(("Ada", f"Line number {n}.") for n in range(50))


def passages_of(world, source, who="user:dan"):
    with world.store.snapshot(HERE) as snapshot:
        return [doc.id for doc in snapshot.docs("passage", source)]


def texts(found):
    return [said.text for _, said in found.passages]


def refusal(session, name):
    with pytest.raises(NotFound) as refused:
        show_source(session, name)
    return str(refused.value).replace(name, "NAME")


@pytest.mark.req("A-CONVERSATION")
def test_a_source_is_shown_with_how_it_begins(world):
    source = keep(world, data=lines(MANY)).source_id
    found = show_source(world.session("user:dan"), source)
    assert texts(found) == [text for _, text in MANY[:LISTED]]
    assert (found.kept.id, found.kept.messages, found.asked, found.scope) == (source, 50, "", SHOP)


@pytest.mark.req("A-CONVERSATION")
@pytest.mark.parametrize("place", [0, 1, 25, 48, 49])
def test_a_passage_is_shown_with_what_was_said_around_it(world, place):
    source = keep(world, data=lines(MANY)).source_id
    name = passages_of(world, source)[place]
    found = show_source(world.session("user:dan"), name)
    first, last = max(0, place - AROUND), min(len(MANY), place + AROUND + 1)
    assert texts(found) == [text for _, text in MANY[first:last]]
    assert dict(found.passages)[name].text == MANY[place][1]
    assert found.asked == name


def test_what_stands_around_is_of_the_same_session(world):
    data = lines(TALK[:2], "s1") + b"\n" + lines(TALK[2:4], "s2") + b"\n" + lines(TALK[4:], "s1", 9)
    source = keep(world, data=data).source_id
    name = passages_of(world, source)[2]
    assert texts(show_source(world.session("user:dan"), name)) == [text for _, text in TALK[2:4]]


@pytest.mark.req("E-BLINDWRITE", "A-CONVERSATION")
def test_hidden_absent_foreign_and_erased_have_one_answer(world):
    kept = keep(world, "user:ana", visibility=BOARD).source_id
    asker = world.session("user:dan")
    hidden = [kept, *passages_of(world, kept)[:1]]
    absent = [
        "src_01kx0sjsg0e008000000000000",
        "psg_01kx0sjsg0e008000000000000",
        "mem_x",
        "src_",
    ]
    mine = keep(world, data=lines(TALK, "own")).source_id
    gone = passages_of(world, mine)[1]
    elsewhere = world.session("user:dan", THERE)
    erase_source(world.session("user:ana"), gone, signer_of("user:ana"))
    answers = {refusal(asker, name) for name in (*hidden, *absent, gone)}
    assert answers | {refusal(elsewhere, mine)} == {refusal(asker, absent[0])}


@pytest.mark.req("A-DELETE")
def test_what_was_erased_is_not_in_what_stands_around(world):
    source = keep(world).source_id
    names = passages_of(world, source)
    erase_source(world.session("user:ana"), names[1], signer_of("user:ana"))
    asker = world.session("user:dan")
    left = [text for n, (_, text) in enumerate(TALK) if n != 1]
    assert texts(show_source(asker, names[2])) == left
    assert texts(show_source(asker, source)) == left


def test_who_is_bound_to_another_scope_does_not_find_it(world):

    source = keep(world).source_id
    bound = replace(world.session("user:dan", scopes=(WEB,)), bound=True)
    assert refusal(bound, source) == refusal(bound, "src_01kx0sjsg0e008000000000000")


def test_as_json_it_is_labelled_unreviewed_and_cited(world):
    source = keep(world, visibility=Visibility("public")).source_id
    told = wire.shown_source(show_source(world.session("user:bob"), source))
    assert (told["standing"], told["asked"], told["source"]["id"]) == ("unreviewed", None, source)
    first = told["passages"][0]
    assert (first["text"], first["speaker"], first["line"]) == (TALK[0][1], "Ada", 1)
    assert lines()[first["start"] : first["end"]].decode() == TALK[0][1]
