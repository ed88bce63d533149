"""Tokens: bound to one tenant, principal, scopes and role; shown once; refused alike whatever is wrong with them."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.core.access import Visibility
from muniment.core.errors import InvalidInput, MunimentError, NotFound, NotPermitted
from muniment.core.token import Token, parse_token, token_text
from muniment.credential import verify
from muniment.usecases.declare import credential, declare, roles
from muniment.usecases.doctor import diagnose
from muniment.usecases.tokens import bearer, create_token, revoke_token, rotate_token, tokens
from tests.usecases.world import HERE, SHOP, THERE, WEB, signer_of

ANA = "user:ana"
WANTED = Token(
    "",
    "agent:codex",
    "proposer",
    (SHOP,),
    "",
    Visibility("team-private", ("group:shop",)),
    ("answer_questions",),
)


@pytest.fixture
def made(world):
    return create_token(world.session(ANA), WANTED, signer_of(ANA))


def present(world, text):
    return bearer(world.store, text, world.clock(), verify)


@pytest.mark.req("D-API")
def test_a_token_is_bound_to_tenant_principal_scopes_and_role(world, made):
    tenant, token = present(world, made.text)
    assert tenant == HERE
    assert (token.principal, token.role, token.scopes) == ("agent:codex", "proposer", (SHOP,))
    assert (token.visibility, token.uses) == (WANTED.visibility, WANTED.uses)


@pytest.mark.req("D-API")
def test_its_secret_is_in_no_content_of_the_store(world, made):
    secret = made.text.rpartition(".")[2]
    assert secret not in world.texts()
    assert made.token.digest in world.texts()


@pytest.mark.req("D-API")
def test_a_revoked_token_serves_no_more_and_revoking_again_changes_nothing(world, made):
    revoke_token(world.session(ANA), made.token.name, signer_of(ANA))
    with pytest.raises(NotPermitted):
        present(world, made.text)
    before = world.revision()
    assert revoke_token(world.session(ANA), made.token.name, signer_of(ANA)).revoked
    assert world.revision() == before


@pytest.mark.req("D-API")
def test_rotating_gives_the_same_bounds_and_ends_the_old_one_in_one_commit(world, made):
    before = world.revision()
    again = rotate_token(world.session(ANA), made.token.name, signer_of(ANA))
    assert world.revision() == before + 1
    assert present(world, again.text)[1] == replace(
        WANTED, name=again.token.name, digest=again.token.digest
    )
    with pytest.raises(NotPermitted):
        present(world, made.text)
    with pytest.raises(InvalidInput, match="revoked"):
        rotate_token(world.session(ANA), made.token.name, signer_of(ANA))


@pytest.mark.req("D-API")
def test_it_ends_when_it_says(world):
    until = world.clock.now + timedelta(hours=1)
    made = create_token(world.session(ANA), replace(WANTED, expires_at=until), signer_of(ANA))
    assert present(world, made.text)
    world.clock.now = until
    with pytest.raises(NotPermitted):
        present(world, made.text)


@pytest.mark.req("D-API")
def test_whatever_is_wrong_has_one_answer(world, made):
    tenant, name, secret = made.text.removeprefix("mun_").split(".")
    other = parse_token(token_text(THERE, made.token.name, bytes(32)))
    wrong = [
        "", "mun_", "Bearer x", made.text[:-1], made.text + "x", made.text.upper(),
        f"mun_{tenant}.{name}.{'A' * 43}", f"mun_{tenant}.{'0' * 26}.{secret}",
        f"mun_Z2xvYmV4.{name}.{secret}", token_text("nowhere", made.token.name, bytes(32)), 7,
    ]  # fmt: skip
    said = set()
    for text in wrong:
        with pytest.raises(NotPermitted) as refused:
            present(world, text)
        said.add((str(refused.value), refused.value.findings))
    assert other is not None
    assert len(said) == 1


@pytest.mark.req("D-API", "E-APPROVER")
def test_only_an_operator_with_its_credential_makes_one(world):
    for who, signer in (
        ("user:bob", signer_of("user:bob")),
        (ANA, None),
        (ANA, signer_of("user:bob")),
    ):
        with pytest.raises(NotPermitted):
            create_token(world.session(who), WANTED, signer)
    with pytest.raises(NotPermitted):
        tokens(world.session("user:bob"))
    with pytest.raises(NotFound):
        revoke_token(world.session(ANA), "tok_unknown", signer_of(ANA))


@pytest.mark.req("D-API")
def test_a_token_serves_no_longer_than_its_operator_is_one(world, made):
    declare(world.session(ANA), (roles(ANA, ("operator", "reviewer")),), signer_of(ANA))
    assert present(world, made.text)
    bob = (roles("user:bob", ("operator",)), roles(ANA, ("reviewer",)))
    declare(world.session(ANA), bob, signer_of(ANA))
    with pytest.raises(NotPermitted):
        present(world, made.text)


@pytest.mark.req("D-API", "E-LEDGER")
def test_a_token_that_was_written_into_the_store_without_an_operator_serves_nothing(world, made):
    from muniment.core.encode import encode
    from muniment.core.event import Event
    from muniment.core.token import secret_digest

    forged = replace(
        made.token, name="tok_" + "0" * 26, digest=secret_digest(bytes(32)), role="operator"
    )
    content = {**encode(forged), "declared_by": ANA, "declared_at": encode(world.clock())}
    signed = {**content, "public_key": signer_of(ANA).public_key, "signature": "A" * 88}
    for one in (content, signed):
        with world.store.transaction(HERE) as transaction:
            key = transaction.key("token", forged.name)
            transaction.append([Event("token", key, one)], world.clock())
        with pytest.raises(NotPermitted):
            present(world, token_text(HERE, forged.name, bytes(32)))
    diagnosis = diagnose(world.session(ANA), lambda path, data: None, "")
    assert not diagnosis.ok


@pytest.mark.parametrize(
    ("but", "code"),
    [
        ({"role": "root"}, "unknown_role"),
        ({"role": ""}, "unknown_role"),
        ({"principal": "codex"}, "bad_name"),
        ({"principal": "group:shop"}, "bad_name"),
        ({"scopes": ()}, "no_scope"),
        ({"scopes": (replace(SHOP, kind="nonsense"),)}, "bad_scope"),
        ({"note": "x\0"}, None),
    ],
)
@pytest.mark.req("D-API")
def test_what_is_wrong_with_a_token_is_said_and_nothing_is_made(world, but, code):
    before = world.revision()
    with pytest.raises(InvalidInput) as refused:
        create_token(world.session(ANA), replace(WANTED, **but), signer_of(ANA))
    assert code is None or code in {finding.code for finding in refused.value.findings}
    assert world.revision() == before


@pytest.mark.req("D-API")
def test_a_replaced_credential_ends_the_tokens_that_it_signed(world, made):
    new = credential(ANA, (signer_of("user:new").public_key,))
    declare(world.session(ANA), (new,), signer_of(ANA))
    with pytest.raises(NotPermitted):
        present(world, made.text)


@given(st.text(max_size=80))
@pytest.mark.req("D-API")
def test_any_text_is_taken_apart_or_is_none(text):
    found = parse_token(f"mun_{text}")
    assert found is None or len(found.secret) == 32


@given(st.text(min_size=1, max_size=20).filter(lambda t: t.encode("utf-8", "ignore").decode() == t))
@pytest.mark.req("D-API")
def test_a_tokens_text_names_what_it_was_made_of(tenant):
    found = parse_token(token_text(tenant, "tok_" + "7" * 26, bytes(range(32))))
    assert found is not None
    assert (found.tenant, found.id, found.secret) == (tenant, "tok_" + "7" * 26, bytes(range(32)))


def test_nothing_else_is_raised(world):
    with pytest.raises(MunimentError):
        rotate_token(world.session(ANA, scopes=(WEB,)), "tok_x", signer_of(ANA))
