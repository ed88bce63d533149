"""Tokens by which a principal is known over HTTP and to servers: made, listed, rotated and revoked by an operator.

- A token is a declaration like any other: signed by an operator's credential once the tenant is governed, in the
  ledger, the latest word counts.
- Its secret is shown once and never kept; what was presented is compared in constant time (`D-API`).
- Absent, revoked, expired, wrong and not signed have one answer.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from muniment.core.canonical import canonical
from muniment.core.codec import trusted
from muniment.core.encode import encode
from muniment.core.errors import Finding, InvalidInput, Unauthenticated, quoted
from muniment.core.token import (
    SECRET_BYTES,
    Presented,
    Token,
    parse_token,
    secret_digest,
    token_text,
)
from muniment.ports.credential import Signer, Verifier
from muniment.ports.store import Snapshot, Store
from muniment.usecases.credentials import registered_keys
from muniment.usecases.declare import Declaration, declare, is_bootstrap, statement_of
from muniment.usecases.session import Session
from muniment.usecases.viewing import Viewing, not_found, worked_out

_UNSET = "0" * 64


@dataclass(frozen=True, slots=True)
class Made:
    """A token as it was made.

    Attributes:
        text: What its bearer presents; shown now and never again.
        token: What is kept.
    """

    text: str
    token: Token


def create_token(session: Session, wanted: Token, signer: Signer | None) -> Made:
    """Make a token.

    Args:
        session: The operator's session.
        wanted: What it is bound to; its name and digest are given here.
        signer: The operator's opened credential; needed once the tenant has one registered.

    Raises:
        InvalidInput: A part of it is wrong.
        NotPermitted: No operator, or no credential of its own.
    """
    made = _fresh(session, wanted)
    _declare(session, (made.token,), signer)
    return made


def rotate_token(session: Session, name: str, signer: Signer | None) -> Made:
    """A new token with the same bounds; the old one serves no more, both in one commit.

    Raises:
        NotFound: No such token.
    """
    old = _known(session, name)
    if old.revoked:
        fix = "make a new one: `muniment token create`"
        message = f"the token {quoted(name)} was revoked"
        raise InvalidInput.of((Finding("token_revoked", message, "/name", fix, req="D-API"),))
    made = _fresh(session, old)
    _declare(session, (made.token, replace(old, revoked=True)), signer)
    return made


def revoke_token(session: Session, name: str, signer: Signer | None) -> Token:
    """Take a token back; doing it twice changes nothing.

    Raises:
        NotFound: No such token.
    """
    old = _known(session, name)
    if not old.revoked:
        old = replace(old, revoked=True)
        _declare(session, (old,), signer)
    return old


def tokens(session: Session) -> tuple[Token, ...]:
    """All tokens, without what could be presented, in the order in which they were made.

    Raises:
        NotPermitted: Somebody acts that is no operator.
    """
    with session.store.snapshot(session.tenant) as snapshot:
        viewing = session.viewing(snapshot)
        if not is_bootstrap(snapshot):
            viewing.require_role("operator", "list tokens")
        docs = snapshot.docs("token")
        contents = snapshot.contents([doc.seq for doc in docs])
    return tuple(_read(contents[doc.seq]) for doc in docs if doc.seq in contents)


def _known(session: Session, name: str) -> Token:
    found = next((one for one in tokens(session) if one.name == name), None)
    if found is None:
        raise not_found("token", name)
    return found


def _fresh(session: Session, wanted: Token) -> Made:
    name, secret = session.fresh_id("tok"), session.entropy(SECRET_BYTES)
    token = replace(wanted, name=name, digest=secret_digest(secret), revoked=False)
    if token.expires_at is not None and token.expires_at <= session.now():
        fix = "give a time that is still to come, or none"
        message = f"the token would have ended at {encode(token.expires_at)}"
        raise InvalidInput.of((Finding("token_expired", message, "/expires_at", fix, req="D-API"),))
    return Made(token_text(session.tenant, name, secret), token)


def _declare(session: Session, words: tuple[Token, ...], signer: Signer | None) -> None:
    declare(session, tuple(Declaration("token", one.name, encode(one)) for one in words), signer)


def _read(content: Mapping[str, Any]) -> Token:
    own = {k: v for k, v in content.items() if k in Token.__dataclass_fields__}
    return trusted(Token, own)


# --- presenting one -------------------------------------------------------------------------------


def bearer(store: Store, text: str, now: datetime, verify: Verifier) -> tuple[str, Token]:
    """Tenant and token of what was presented.

    Args:
        store: Where memory lives.
        text: What was presented.
        now: The present.
        verify: Checks the operator's signature on the token.

    Raises:
        Unauthenticated: It serves nothing: absent, wrong, revoked, expired, or no operator's.
    """
    presented = parse_token(text)
    if presented is None:
        raise _refused()
    with store.snapshot(presented.tenant) as snapshot:
        content = _content(snapshot, presented.id)
        token = _read(content) if content else None
        same = hmac.compare_digest(token.digest if token else _UNSET, presented.digest)
        if token is None or not same or not token.serves_at(now):
            raise _refused()
        if not _is_vouched_for(snapshot, presented, content, verify):
            raise _refused()
    return presented.tenant, token


def _content(snapshot: Snapshot, name: str) -> Mapping[str, Any]:
    doc = snapshot.doc("token", snapshot.key("token", name))
    return snapshot.contents([doc.seq]).get(doc.seq, {}) if doc else {}


def _is_vouched_for(
    snapshot: Snapshot, presented: Presented, content: Mapping[str, Any], verify: Verifier
) -> bool:
    """Whether an operator of today signed the token, or nobody governs yet."""

    def good() -> bool:
        by, key = str(content.get("declared_by", "")), str(content.get("public_key", ""))
        if not key:
            return is_bootstrap(snapshot)
        viewing = Viewing(snapshot, by)
        statement = canonical(statement_of(presented.tenant, "token", content))
        return (
            "operator" in viewing.principal.roles
            and key in registered_keys(viewing, by)
            and verify(key, statement, str(content["signature"]))
        )

    return worked_out(snapshot, ("token", presented.id, str(content.get("signature", ""))), good)


def _refused() -> Unauthenticated:
    fix = "present a token that serves: an operator makes one with `muniment token create`"
    return Unauthenticated("the token is not known, or serves no more", fix=fix)
