"""A token's bearer meets nothing outside the token's scopes: not by name, not by proposing, not by what is kept."""

from __future__ import annotations

import re

import pytest

from muniment import Choice, Memory, wiring
from muniment.core.errors import NotFound, NotPermitted
from muniment.core.token import Token
from muniment.usecases.declare import credential, group, principal, roles

TEAM = {"level": "team-private", "allowed_principals": ["group:shop"]}
WEB = {"kind": "document", "uri": "https://handbook.example/page"}


class Shop:
    """Two scopes, a claim in each, and a bearer of the first."""

    def __init__(self, folder):
        self.store = Memory.open(None)
        self.signer = wiring.create_credential(folder / "ada.json", "user:ada", "three plain words")
        self.ada = self.acting("user:ada")
        self.ada.declare(
            principal("user:ada"),
            group("group:shop", ("user:ada", "agent:codex")),
            group("group:codex", ("agent:codex",)),
            roles("user:ada", ("operator", "reviewer", "proposer", "reader")),
            roles("agent:codex", ("proposer", "reader")),
            credential("user:ada", (self.signer.public_key,)),
        )
        self.codex = self.acting("agent:codex")
        self.inside = self.accepted("Orders ship on Fridays.", "shop")
        self.outside = self.accepted("Wages are paid on Mondays.", "wages")
        scope = self.ada.session.scopes[0]
        wanted = Token(
            "",
            "agent:codex",
            "proposer",
            (scope,),
            "",
            self.codex.session.visibility,
            ("answer_questions",),
        )
        self.text = self.ada.create_token(wanted, self.signer).text

    def acting(self, who):
        return self.store.acting_as(
            who,
            scopes=["project:shop", "project:wages"],
            visibility=TEAM,
            uses=["answer_questions"],
        )

    def proposed(self, claim, name, **parts):
        scope = {"kind": "project", "id": name}
        fresh = {"status": "current", "last_verified_at": "2026-07-08T12:00:00Z"}
        return self.codex.remember(claim, scope=scope, source=WEB, freshness=fresh, **parts)

    def accepted(self, claim, name, **parts):
        diff = self.proposed(claim, name, **parts).diff
        outcome = self.ada.review(diff.id, {"change_01": Choice("accepted")}, self.signer)
        return outcome.resulting["change_01"]

    @property
    def bearer(self):
        return self.store.with_token(self.text)


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    return Shop(tmp_path_factory.mktemp("shop"))


@pytest.mark.req("D-API")
@pytest.mark.parametrize("verb", ["show", "history", "why"])
def test_a_claim_of_another_scope_is_absent(shop, verb):
    assert getattr(shop.bearer, verb)(shop.inside)
    assert getattr(shop.codex, verb)(shop.outside)
    with pytest.raises(NotFound) as hidden:
        getattr(shop.bearer, verb)(shop.outside)
    absent = "mem_01kx0sjsg0e008000000000000"
    with pytest.raises(NotFound) as nothing:
        getattr(shop.bearer, verb)(absent)
    assert str(hidden.value).replace(shop.outside, absent) == str(nothing.value)


@pytest.mark.req("D-API")
def test_claims_by_identifier_are_those_of_its_scopes(shop):
    assert list(shop.bearer.claims([shop.inside, shop.outside])) == [shop.inside]


@pytest.mark.req("D-API")
def test_its_own_proposals_elsewhere_are_not_there_either(shop):
    inside, outside = (
        shop.proposed("Returns take 30 days.", "shop"),
        shop.proposed("Wages rise.", "wages"),
    )
    assert shop.bearer.diff(inside.diff.id)
    with pytest.raises(NotFound):
        shop.bearer.diff(outside.diff.id)
    assert outside.diff.id not in {one.diff.id for one in shop.bearer.inbox()}


@pytest.mark.req("D-API", "E-ONEGATE")
@pytest.mark.parametrize(
    "propose",
    [
        lambda memory, scope: memory.remember("Wages rise in May.", scope=scope, source=WEB),
        lambda memory, scope: memory.bridge("pay", "wages", scope=scope, source=WEB),
        lambda memory, scope: memory.propose(
            {"scope": scope, "trigger": {"kind": "statement", "state": "observed"}, "changes": []}
        ),
    ],
)
def test_it_proposes_in_no_other_scope(shop, propose):
    before = len(shop.acting("agent:codex").inbox())
    with pytest.raises(NotPermitted, match="not in force here"):
        propose(shop.bearer, {"kind": "project", "id": "wages"})
    assert len(shop.acting("agent:codex").inbox()) == before


@pytest.mark.req("D-API")
def test_a_retrieval_that_was_made_elsewhere_is_not_shown(shop):
    elsewhere = shop.codex.recall("when are wages paid?", use="answer_questions")
    here = shop.bearer.recall("when do orders ship?", use="answer_questions")
    assert shop.bearer.why(here.retrieval_id)
    with pytest.raises(NotFound):
        shop.bearer.why(elsewhere.retrieval_id)


@pytest.mark.req("D-API", "B-FILTERFIRST")
def test_what_is_remembered_of_a_state_for_one_view_serves_no_narrower_one(shop):
    codes = {"level": "team-private", "allowed_principals": ["group:codex"]}
    shop.ada.declare(group("group:codex", ("agent:codex", "user:ada")), signer=shop.signer)
    hidden = shop.accepted("Codex dreams in YAML.", "shop", visibility=codes)
    shop.ada.declare(group("group:codex", ("agent:codex",)), signer=shop.signer)

    def found(packet):
        return [one["id"] for one in packet.as_json()["evidence"]]

    asked = {"use": "answer_questions", "log": "off"}
    assert hidden in found(shop.codex.recall("Codex dreams", **asked).packet)
    assert hidden not in found(shop.ada.recall_as("agent:codex", "Codex dreams", **asked))
    assert hidden in found(shop.codex.recall("Codex dreams", **asked).packet)


@pytest.mark.req("D-API", "E-ONEGATE")
def test_every_verb_looks_through_its_session(project):
    past = [
        f"{file.name}: {found}"
        for file in (project / "src").rglob("*.py")
        for found in re.findall(
            r"Viewing\(\w+, (?:self\.)?session\.principal\)", file.read_text("utf-8")
        )
    ]
    assert past == []
