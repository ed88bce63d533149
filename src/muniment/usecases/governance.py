"""Who governs, as far as signatures bear it out: the declarations of a ledger, read in its order.

- What was declared up to the revision of the first credential founds the tenant and needs no signature.
- Every later declaration counts only where an operator signed it with a credential that counted at that time.
- A policy counts where a credential that counts signed it; its own signature binds what it says.
- What does not count is named; nothing here trusts what a store's own rows say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from muniment.core.canonical import canonical
from muniment.core.codec import trusted
from muniment.core.event import Envelope
from muniment.core.policy import Policy, policy_statement
from muniment.ports.credential import Verifier
from muniment.ports.store import Snapshot
from muniment.usecases.declare import statement_of

_KINDS = ("principal", "group", "role", "credential", "token", "retention", "lifecycle")
_UNREADABLE = (ValueError, LookupError, TypeError, AttributeError)


@dataclass(slots=True)
class Governance:
    """What was declared and counts.

    Attributes:
        keys: Principal to the public keys of its latest credential that counts.
        policies: Every word of each policy that counts, with its position in the ledger, first to last.
        refused: Who is named, and what is wrong, of each declaration that does not count.
        roles: Principal to its roles, with the position in the ledger from which on they hold, first to last.
    """

    keys: dict[str, tuple[str, ...]] = field(default_factory=dict)
    policies: dict[str, list[tuple[int, Policy]]] = field(default_factory=dict)
    refused: list[tuple[str, str]] = field(default_factory=list)
    roles: dict[str, list[tuple[int, tuple[str, ...]]]] = field(default_factory=dict)

    def had_role(self, name: str, role: str, seq: int) -> bool:
        """Whether a principal had a role at a position in the ledger."""
        held = [roles for since, roles in self.roles.get(name, ()) if since < seq]
        return bool(held) and role in held[-1]

    def policy_at(self, name: str, seq: int) -> Policy | None:
        """The policy of a name that was in force at a position in the ledger."""
        said = [policy for since, policy in self.policies.get(name, ()) if since < seq]
        return said[-1] if said and not said[-1].withdrawn else None


def governance(snapshot: Snapshot, verify: Verifier) -> Governance:
    """Read the declarations of a tenant."""
    envelopes = [e for e in snapshot.envelopes() if e.kind in (*_KINDS, "policy")]
    contents = snapshot.contents([e.seq for e in envelopes])
    founded = next((e.revision for e in envelopes if e.kind == "credential"), None)
    found = Governance()
    for envelope in envelopes:
        content = contents.get(envelope.seq, {})
        try:
            for problem in _problems(snapshot, found, envelope, content, founded, verify):
                found.refused.append((str(content.get("declared_by", "")), problem))
                break
            else:
                _add(found, envelope, content)
        except _UNREADABLE:
            found.refused.append(("", f"the {envelope.kind} at {envelope.seq} cannot be read"))
    return found


def _problems(
    snapshot: Snapshot,
    found: Governance,
    envelope: Envelope,
    content: Mapping[str, Any],
    founded: int | None,
    verify: Verifier,
) -> Iterator[str]:
    what, by = f"the {envelope.kind} of `{content['name']}`", str(content.get("declared_by", ""))
    if envelope.id != snapshot.key(envelope.kind, content["name"]):
        yield f"{what} stands under another name"
    if envelope.kind != "policy" and (founded is None or envelope.revision <= founded):
        return
    if envelope.kind == "policy":
        policy = trusted(Policy, content)
        statement, key, signature = (
            canonical(policy_statement(snapshot.tenant, policy)), policy.public_key, policy.signature,
        )  # fmt: skip
    else:
        statement = canonical(statement_of(snapshot.tenant, envelope.kind, content))
        key, signature = str(content.get("public_key", "")), str(content.get("signature", ""))
        if not found.had_role(by, "operator", envelope.seq):
            yield f"{what} was declared by who was no operator"
    if key not in found.keys.get(by, ()) or not verify(key, statement, signature):
        yield f"no registered credential signed {what}"


def _add(found: Governance, envelope: Envelope, content: Mapping[str, Any]) -> None:
    name = str(content["name"])
    if envelope.kind == "credential":
        found.keys[name] = tuple(content["public_keys"])
    elif envelope.kind == "role":
        found.roles.setdefault(name, []).append((envelope.seq, tuple(content["roles"])))
    elif envelope.kind == "policy":
        found.policies.setdefault(name, []).append((envelope.seq, trusted(Policy, content)))
