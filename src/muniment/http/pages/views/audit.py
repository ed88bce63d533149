"""Audit: the ledger's check, acceptances that nobody accounts for, who governs, and what was decided lately.

- Checking counts what everybody wrote, so it is an operator's; others are told who may.
- Nothing is declared here: principals, roles, tokens and policies are changed by commands, with a credential.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from muniment.core.authority import allows
from muniment.core.errors import NotPermitted
from muniment.core.token import Token
from muniment.http.pages.asked import Page
from muniment.usecases.doctor import Diagnosis

LISTED = 200
GOVERNING = ("principal", "group", "role", "credential", "policy")


def audit(page: Page) -> Response:
    """The audit; the check is made where it is asked for, for it reads the whole ledger."""
    memory = page.memory
    allowed = allows(memory.session.role, "verify")
    head = page.query.get("head", "").strip()
    diagnosis: Diagnosis | None = None
    tokens: tuple[Token, ...] = ()
    try:
        tokens = memory.tokens() if allowed else ()
        if allowed and page.query.get("check") == "now":
            diagnosis = memory.doctor(head)
    except NotPermitted:  # its declared roles say less than its ceiling
        allowed = False
    declared = {kind: memory.declared(kind) for kind in GOVERNING} if allowed else {}
    return page.answer(
        "audit.html",
        200 if allowed else 403,
        allowed=allowed,
        head=head,
        diagnosis=diagnosis,
        states=Counter(one.state for one in diagnosis.accounts) if diagnosis else {},
        bad=[one for one in diagnosis.accounts if not one.is_good][:LISTED] if diagnosis else [],
        bad_count=sum(not one.is_good for one in diagnosis.accounts) if diagnosis else 0,
        tokens=tokens,
        people=_people(declared) if allowed else [],
        groups=declared.get("group", ()),
        policies=declared.get("policy", ()),
        decisions=memory.decisions() if allowed else (),
        now=page.seats.now(),
    )


def _people(declared: Mapping[str, tuple[Mapping[str, Any], ...]]) -> list[dict[str, Any]]:
    """Everybody who is named, with roles, and whether a credential is registered."""
    roles = {one["name"]: one["roles"] for one in declared["role"]}
    keys = {one["name"]: one["public_keys"] for one in declared["credential"]}
    names = dict.fromkeys([*(one["name"] for one in declared["principal"]), *roles, *keys])
    notes = {one["name"]: one.get("note", "") for one in declared["principal"]}
    return [
        {
            "name": name,
            "roles": roles.get(name, ()),
            "keys": len(keys.get(name, ())),
            "note": notes.get(name, ""),
        }
        for name in names
    ]


VIEWS = (("GET", "/audit", audit),)
