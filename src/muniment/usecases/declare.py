"""Operator events: principals, groups, roles, credentials and policies (DESIGN section 3).

- The first declarations of a tenant, made before any credential is registered, need no signature; afterwards every
  one is signed by an operator's registered credential.
- The latest word counts; earlier ones stay in the ledger.
- Names stand in contents only; the ledger's identifiers are keyed digests.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from muniment.core.canonical import canonical
from muniment.core.declaration import declaration_findings
from muniment.core.encode import encode
from muniment.core.errors import Finding, InvalidInput, NotPermitted, quoted
from muniment.core.event import Event
from muniment.core.lifecycle import KIND, Lifecycle
from muniment.core.policy import Policy, policy_statement
from muniment.core.retention import RETRIEVALS, Retention
from muniment.ports.credential import Signer
from muniment.ports.store import Snapshot
from muniment.usecases.credentials import registered_keys
from muniment.usecases.session import Session
from muniment.usecases.viewing import Viewing, token_of


@dataclass(frozen=True, slots=True)
class Declaration:
    """One thing that an operator declares.

    Attributes:
        kind: principal, group, role, credential, policy, token, retention or lifecycle.
        name: What it is about.
        content: What is declared.
    """

    kind: str
    name: str
    content: Mapping[str, Any]


def principal(name: str, note: str = "") -> Declaration:
    """A principal that may be named elsewhere."""
    return Declaration("principal", name, {"name": name, "note": note})


def group(name: str, members: tuple[str, ...]) -> Declaration:
    """A group and its direct members, which may be groups."""
    return Declaration("group", name, {"name": name, "members": list(members)})


def roles(name: str, given: tuple[str, ...]) -> Declaration:
    """The roles of a principal."""
    return Declaration("role", name, {"name": name, "roles": sorted(given)})


def credential(name: str, public_keys: tuple[str, ...]) -> Declaration:
    """The public keys by which a reviewer is known."""
    return Declaration("credential", name, {"name": name, "public_keys": list(public_keys)})


def retention(days: int, queries: str = "text") -> Declaration:
    """For how many days retrievals are kept, 0 for without end, and the most that is kept of their questions."""
    return Declaration(
        "retention", RETRIEVALS, encode(Retention(RETRIEVALS, days, queries)) | {"days": days}
    )


def lifecycle(rule: Lifecycle) -> Declaration:
    """How long claims stay in use, and what then."""
    return Declaration(KIND, rule.name, encode(rule))


def check(declaration: Declaration) -> tuple[Finding, ...]:
    """What is wrong with a declaration."""
    return declaration_findings(declaration.kind, declaration.name, declaration.content)


def is_bootstrap(snapshot: Snapshot) -> bool:
    """Whether the tenant has no registered credential yet."""
    return not snapshot.docs("credential")


def declare(
    session: Session, declarations: tuple[Declaration, ...], signer: Signer | None = None
) -> str:
    """Record declarations, all or none.

    Args:
        session: The operator's session.
        declarations: What to declare.
        signer: The operator's opened credential; needed once the tenant has one registered.

    Returns:
        A consistency token.

    Raises:
        InvalidInput: A name or role is wrong.
        NotPermitted: No operator, or no credential of its own.
    """
    findings = tuple(f for one in declarations for f in check(one))
    if findings:
        raise InvalidInput.of(findings)
    now = session.now()
    with session.store.transaction(session.tenant) as transaction:
        if not is_bootstrap(transaction):
            require_operator(session.viewing(transaction), signer)
        events = [_event(session, transaction, one, signer) for one in declarations]
        return token_of(transaction, transaction.append(events, now))


def require_operator(viewing: Viewing, signer: Signer | None) -> Signer:
    """The operator's credential; whoever is no operator with its own registered one is refused.

    Raises:
        NotPermitted: Role or credential is missing.
    """
    viewing.require_role("operator", "declare this")
    name = viewing.principal.name
    if (
        signer is None
        or signer.principal != name
        or signer.public_key not in registered_keys(viewing, name)
    ):
        message = f"{quoted(name)} has to sign this with its registered credential"
        raise NotPermitted(message, fix="open your credential with its passphrase")
    return signer


def _event(session: Session, snapshot: Snapshot, one: Declaration, signer: Signer | None) -> Event:
    if one.kind == "policy":
        return Event(one.kind, snapshot.key(one.kind, one.name), one.content)
    content = {
        **one.content,
        "declared_by": session.principal,
        "declared_at": encode(session.now()),
    }
    if signer is not None:
        statement = canonical(statement_of(session.tenant, one.kind, content))
        content = {**content, "public_key": signer.public_key, "signature": signer.sign(statement)}
    return Event(one.kind, snapshot.key(one.kind, one.name), content)


def statement_of(tenant: str, kind: str, content: Mapping[str, Any]) -> Mapping[str, Any]:
    """The statement under an operator's signature; it binds tenant, kind and all that is declared."""
    bare = {k: v for k, v in content.items() if k not in ("public_key", "signature")}
    return {"muniment": "declare/1", "tenant": tenant, "kind": kind, "content": bare}


def policy(session: Session, wanted: Policy, signer: Signer) -> Declaration:
    """A policy, signed by its reviewer."""
    plain = replace(
        wanted,
        declared_by=session.principal,
        declared_at=session.now(),
        public_key=signer.public_key,
    )
    signature = signer.sign(canonical(policy_statement(session.tenant, plain)))
    return Declaration("policy", plain.name, encode(replace(plain, signature=signature)))


def declared(viewing: Viewing, kind: str) -> tuple[Mapping[str, Any], ...]:
    """The latest declarations of a kind that the asker may see, in the order in which they were first made.

    An operator sees all, as does anybody while nobody governs yet; everybody else sees what is said of itself and
    its groups.
    """
    docs = viewing.snapshot.docs(kind)
    contents = viewing.snapshot.contents([doc.seq for doc in docs])
    known = tuple(contents[doc.seq] for doc in docs if doc.seq in contents)
    if "operator" in viewing.principal.roles or is_bootstrap(viewing.snapshot):
        return known
    mine = viewing.principal.everything
    return tuple(one for one in known if one["name"] in mine or one.get("declared_by") in mine)
