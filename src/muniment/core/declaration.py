"""What an operator may declare, and in which shape: everything later reads it without looking again.

- The content says its own name again, and nothing that is not expected.
- A name is a principal's, with a declared kind; a policy's name is its own.

>>> [f.code for f in declaration_findings("group", "group:shop", {"name": "group:shop", "members": "user:a"})]
['wrong_type']
>>> declaration_findings("role", "user:ada", {"name": "user:ada", "roles": ["reviewer"]})
()
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from muniment.core.access import ROLES, Scope
from muniment.core.authority import LADDER
from muniment.core.codec import read
from muniment.core.errors import Finding, errors_in, quoted
from muniment.core.ids import is_id
from muniment.core.lifecycle import Lifecycle, rule_findings
from muniment.core.policy import Policy
from muniment.core.retention import LONGEST_DAYS, QUERIES, RETRIEVALS, Retention
from muniment.core.text import identifier_findings, text_findings
from muniment.core.token import Token
from muniment.core.vocabulary import SCOPE_KINDS

DECLARED_KINDS = ("user", "agent", "process", "service", "group", "policy", "team", "repo")
LONGEST_NOTE = 2_000


@dataclass(frozen=True, slots=True)
class Named:
    """A principal that may be named elsewhere."""

    name: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """A group and its direct members."""

    name: str
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Roles:
    """The roles of a principal."""

    name: str
    roles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Keys:
    """The public keys by which a reviewer is known."""

    name: str
    public_keys: tuple[str, ...]


SHAPES: tuple[tuple[str, type], ...] = (
    ("principal", Named),
    ("group", Group),
    ("role", Roles),
    ("credential", Keys),
    ("policy", Policy),
    ("token", Token),
    ("retention", Retention),
    ("lifecycle", Lifecycle),
)
DECLARATIONS = tuple(kind for kind, _ in SHAPES)


def declaration_findings(kind: Any, name: Any, content: Any) -> tuple[Finding, ...]:
    """What is wrong with a declaration; nothing, if it may be recorded."""
    shape = next((shape for known, shape in SHAPES if known == kind), None)
    if shape is None:
        message = f"{quoted(kind)} is nothing that an operator declares"
        fix = f"use one of: {', '.join(DECLARATIONS)}"
        return (Finding("unknown_declaration", message, "/kind", fix, req="E-ONEGATE"),)
    if not isinstance(name, str):
        message = f"{quoted(name)} is not a principal's name"
        return (Finding("bad_name", message, "/name", "write it as kind:id"),)
    found: list[Finding] = []
    value: Any = read(shape, content, "", found)
    findings = [*_name(kind, name), *found]
    if value is not None:
        findings.extend(_content(name, content, value))
    return tuple(f for f in findings if f.severity == "error" or f.code == "unknown_key")


def _name(kind: str, name: str) -> Iterator[Finding]:
    yield from errors_in(identifier_findings(name, "/name"))
    if kind == "token" and not is_id(name, "tok"):
        yield Finding(
            "bad_name", f"{quoted(name)} is not a token's name", "/name", "let it be made"
        )
    if kind == "retention" and name != RETRIEVALS:
        message, fix = f"{quoted(name)} is nothing that is kept for a time", f"name `{RETRIEVALS}`"
        yield Finding("bad_name", message, "/name", fix, req="A-RETENTION")
    if kind not in ("policy", "token", "retention", "lifecycle") and (
        ":" not in name or name.partition(":")[0] not in DECLARED_KINDS
    ):
        message = f"{quoted(name)} is not a principal's name"
        fix = f"write it as kind:id, with one of: {', '.join(DECLARED_KINDS)}"
        yield Finding("bad_name", message, "/name", fix)


def _content(name: str, content: Mapping[str, Any], value: Any) -> Iterator[Finding]:
    named = content.get("name", value.name)
    if named != name:
        message = f"the content names {quoted(named)}, the declaration {quoted(name)}"
        yield Finding("bad_name", message, "/name", "give one name in both places")
    if isinstance(value, Roles):
        known = tuple(role for role, _ in ROLES)
        for role in value.roles:
            if role not in known:
                fix = f"use one of: {', '.join(known)}"
                yield Finding("unknown_role", f"{quoted(role)} is not a role", "/roles", fix)
    if isinstance(value, Group):
        for n, member in enumerate(value.members):
            yield from errors_in(identifier_findings(member, f"/members/{n}"))
    if isinstance(value, Keys):
        for n, key in enumerate(value.public_keys):
            yield from errors_in(identifier_findings(key, f"/public_keys/{n}"))
    if isinstance(value, Named):
        yield from errors_in(text_findings(value.note, "/note", limit=LONGEST_NOTE))
    yield from _ruled(value)


def _ruled(value: Any) -> Iterator[Finding]:
    """What is wrong with a policy, a token, or a rule of retrievals or of claims."""
    if isinstance(value, Policy):
        yield from _policy(value)
    if isinstance(value, Token):
        yield from _token(value)
    if isinstance(value, Retention):
        yield from _retention(value)
    if isinstance(value, Lifecycle):
        yield from _lifecycle(value)


def _retention(value: Retention) -> Iterator[Finding]:
    if not 0 <= value.days <= LONGEST_DAYS:
        message = f"{value.days} is no number of days for which something is kept"
        fix = f"give one from 1 to {LONGEST_DAYS}, or 0 for without end"
        yield Finding("bad_days", message, "/days", fix, req="A-RETENTION")
    if value.queries not in QUERIES:
        message = f"{quoted(value.queries)} says nothing of what is kept of a question"
        fix = f"use one of: {', '.join(QUERIES)}"
        yield Finding("unknown_queries", message, "/queries", fix, req="A-RETENTION")


def _lifecycle(value: Lifecycle) -> Iterator[Finding]:
    yield from rule_findings(value)
    yield from _scope(value.scope, "/scope")
    for n, tag in enumerate(value.unless_tagged):
        yield from errors_in(text_findings(tag, f"/unless_tagged/{n}", limit=LONGEST_NOTE))


def _scope(scope: Scope, place: str) -> Iterator[Finding]:
    if scope.kind not in {kind.name for kind in SCOPE_KINDS} or not scope.id:
        fix = "write it as kind:id, such as `repository:github:acme/shop`"
        yield Finding("bad_scope", f"{quoted(scope)} is no scope", place, fix)
    yield from errors_in(identifier_findings(scope.id, place))


def _token(value: Token) -> Iterator[Finding]:
    if value.role not in LADDER:
        fix = f"use one of: {', '.join(LADDER)}"
        yield Finding(
            "unknown_role", f"{quoted(value.role)} is not a role", "/role", fix, req="D-API"
        )
    if ":" not in value.principal or value.principal.partition(":")[0] not in DECLARED_KINDS:
        message = f"{quoted(value.principal)} is not a principal's name"
        fix = f"write it as kind:id, with one of: {', '.join(DECLARED_KINDS)}"
        yield Finding("bad_name", message, "/principal", fix)
    if value.principal.startswith(("group:", "policy:")):
        fix = "name who bears it: a user, agent, service or process"
        yield Finding(
            "bad_name", f"{quoted(value.principal)} cannot bear a token", "/principal", fix
        )
    if not value.scopes:
        message, fix = (
            "the token states no scope, so that it would find nothing",
            "name one or more",
        )
        yield Finding("no_scope", message, "/scopes", fix, req="E-NOSCOPE")
    for n, scope in enumerate(value.scopes):
        yield from _scope(scope, f"/scopes/{n}")
    texts = (("principal", value.principal), *(("uses", use) for use in value.uses))
    for place, text in texts:
        yield from errors_in(identifier_findings(text, f"/{place}"))
    yield from errors_in(text_findings(value.note, "/note", limit=LONGEST_NOTE))


def _policy(value: Policy) -> Iterator[Finding]:
    texts = (
        *((f"may_review_own/{n}", one) for n, one in enumerate(value.may_review_own)),
        *((f"absolute_uses/{n}", one) for n, one in enumerate(value.absolute_uses)),
        ("declared_by", value.declared_by),
    )
    for place, text in texts:
        yield from errors_in(identifier_findings(text, f"/{place}"))
    for place, text in (
        ("scope", str(value.scope)),
        ("protected_ref", value.protected_ref),
        ("signature", value.signature),
        ("public_key", value.public_key),
    ):
        yield from errors_in(text_findings(text, f"/{place}", limit=LONGEST_NOTE))
