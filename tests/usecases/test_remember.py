"""Remember: one claim, with what the profile declares and nothing that is guessed."""

from __future__ import annotations

import pytest

from muniment.core.access import Visibility
from muniment.core.errors import InvalidInput
from muniment.usecases.remember import remember
from tests.usecases.world import SHOP, WEB

PAGE = "file:///handbook.md"
KEY = "postgres://app:Zk39fq0Lw7@db.internal/shop"


@pytest.fixture
def profile(world):
    """A person's profile: where it works, who sees what it remembers, and for what."""
    world.files.held[PAGE] = b"# Release\nCut releases on Tuesdays.\n"
    return {
        "visibility": Visibility("team-private", ("group:shop",)),
        "uses": ("answer_questions",),
    }


def codes(call) -> list[str]:
    with pytest.raises(InvalidInput) as refusal:
        call()
    return sorted({f.code for f in refusal.value.findings if f.severity == "error"})


@pytest.mark.req("B-SOURCE", "A-SOURCE")
def test_a_persons_word_is_a_source(world, profile):
    item = (
        remember(world.session("user:dan", **profile), "Releases are cut on Tuesdays.", {})
        .diff.changes[0]
        .item
    )
    assert (item.source.kind, item.source.origin, item.source.uri) == (
        "user_statement", "user_input", "principal:user:dan",
    )  # fmt: skip
    assert (item.scope, item.visibility.allowed_principals, item.allowed_uses) == (
        SHOP, ("group:shop",), ("answer_questions",),
    )  # fmt: skip


@pytest.mark.req("B-V1", "B-SOURCE")
def test_an_agent_names_where_it_has_something_from(world, profile):
    session, before = world.session("agent:codex", **profile), world.revision()
    assert codes(lambda: remember(session, "Releases are cut on Tuesdays.", {})) == ["no_source"]
    assert world.revision() == before


@pytest.mark.req("B-SOURCE")
def test_an_agent_with_an_address_may_propose(world, profile):
    proposed = remember(
        world.session("agent:codex", **profile), "Releases are cut.", {"source": PAGE}
    )
    assert proposed.diff.changes[0].item.source.uri == PAGE
    assert world.accepted() == set()


@pytest.mark.req("E-RECEIPT")
def test_a_quote_is_kept_with_its_bytes(world, profile):
    session = world.session("agent:codex", **profile)
    told = remember(
        session, "Releases are on Tuesdays.", {"source": PAGE, "quote": "Cut releases on Tuesdays."}
    )
    evidence = told.diff.changes[0].item.source.evidence[0]
    assert world.files.held[PAGE][evidence.start : evidence.end] == b"Cut releases on Tuesdays."
    assert (evidence.line, evidence.digest[:7]) == (2, "sha256:")


@pytest.mark.parametrize(
    ("source", "quote", "code"),
    [
        (PAGE, "Cut releases on Fridays.", "quote_not_found"),
        ("file:///nowhere.md", "Cut", "source_unreadable"),
    ],
)
@pytest.mark.req("E-RECEIPT")
def test_a_quote_that_is_not_there_is_refused(world, profile, source, quote, code):
    session = world.session("agent:codex", **profile)
    assert codes(lambda: remember(session, "So it is.", {"source": source, "quote": quote})) == [
        code
    ]


@pytest.mark.req("E-SECRET")
@pytest.mark.parametrize(
    "given",
    [
        {"body": f"connect with {KEY}"},
        {"tags": [KEY]},
        {"properties": {"deep": {"er": KEY}}},
        {"reason": f"needed {KEY}"},
        {"source": {"kind": "document", "uri": KEY}},
    ],
    ids=lambda given: next(iter(given)),
)
def test_a_secret_is_refused_wherever_it_stands_and_not_repeated(world, profile, given):
    before = world.revision()
    with pytest.raises(InvalidInput) as refusal:
        remember(world.session("user:dan", **profile), "The database is up.", given)
    assert "secret" in {f.code for f in refusal.value.findings}
    assert "Zk39fq0Lw7" not in str(refusal.value) + str(refusal.value.findings)
    assert (world.revision(), "Zk39fq0Lw7" in world.texts()) == (before, False)


@pytest.mark.req("E-NOSCOPE", "B-V2", "B-V3")
def test_what_no_profile_declares_must_be_said(world):
    assert "no_visibility" in codes(lambda: remember(world.session("user:dan"), "So it is.", {}))
    for scopes in ((), (SHOP, WEB)):
        session = world.session("user:dan", scopes=scopes, visibility=Visibility("public"))
        found = codes(lambda session=session: remember(session, "So it is.", {}))
        assert set(found) & {"no_scope", "missing"}


@pytest.mark.req("E-NOSCOPE")
def test_what_is_said_comes_before_what_the_profile_declares(world, profile):
    session = world.session("user:dan", **profile)
    given = {
        "visibility": {"level": "user-private", "allowed_principals": ["user:dan"]},
        "allowed_uses": ["plan_changes"],
    }
    item = remember(session, "I prefer short branches.", given).diff.changes[0].item
    assert (item.visibility.level, item.allowed_uses) == ("user-private", ("plan_changes",))
