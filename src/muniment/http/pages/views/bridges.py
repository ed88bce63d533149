"""Bridges: which words of a query may be read as which others, and a form that proposes one more.

- A bridge is a claim and is reviewed as one; only a grounded recall rewrites by it.
"""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from muniment.core.access import Scope
from muniment.core.authority import allows, role_of
from muniment.core.bridge import PREDICATE
from muniment.core.claim import Fact
from muniment.core.diff import Change
from muniment.core.encode import encode
from muniment.core.errors import MunimentError
from muniment.core.relations import relation
from muniment.http.pages.asked import Page
from muniment.reviewable.beside import place
from muniment.usecases.listing import ListedBridge
from muniment.usecases.pending import open_changes
from muniment.wire import http_status

FIELDS = ("phrase", "target", "source", "quote", "reason", "scope")
AGAINST = {
    "several_facts": "it states more than the bridge",
    "not_plain": "its sentence is not the plain one",
    "hypothetical": "it was concluded, not said",
    "conditional": "it has conditions",
    "instruction_like": "it reads like an order",
    "empty": "a side is empty",
    "quoted": "a side has quotation marks",
    "grows": "the target contains the phrase",
}


def bridges(page: Page) -> Response:
    """The bridges in force, those that wait, and the form."""
    return _shown(page, 200, {}, ())


def _shown(page: Page, status: int, given: dict[str, str], findings: Any) -> Response:
    waiting = [
        (pending, change, fact)
        for pending in page.memory.inbox()
        for change in open_changes(pending)
        if (fact := _bridge(change)) is not None
    ]
    return page.answer(
        "bridges.html",
        status,
        bridges=[(one, *_state(one)) for one in page.memory.bridges()],
        waiting=waiting,
        given={name: given.get(name, "") for name in FIELDS},
        findings=findings,
        scopes=[str(one) for one in page.memory.session.scopes],
        may=allows(page.memory.session.role, "bridge"),
        role=role_of("bridge"),
        place=place,
        now=page.seats.now(),
    )


def _state(one: ListedBridge) -> tuple[str, str]:
    """How good a bridge's state is, and its words."""
    if one.serves:
        return ("good" if one.status == "active" else "unsure"), one.status
    why = ", ".join(AGAINST[name] for name in one.against)
    state = one.claim.review.status if one.status in ("active", "stale") else one.status
    return "unsure", f"rewrites nothing: {why or state.replace('_', ' ')}"


def _bridge(change: Change) -> Fact | None:
    facts = change.item.facts if change.item else ()
    return next((f for f in facts if relation(f.predicate).name == PREDICATE), None)


def propose(page: Page) -> Response:
    """Propose a bridge; what is wrong with it is said beside the form, which keeps what was written."""
    given = {name: page.form.get(name, "").strip() for name in FIELDS}
    parts: dict[str, Any] = {}
    if given["source"]:
        parts["source"] = given["source"]
    if given["quote"]:
        parts["quote"] = given["quote"]
    if given["reason"]:
        parts["reason"] = given["reason"]
    if given["scope"]:
        parts["scope"] = encode(Scope.parse(given["scope"]))
    try:
        made = page.memory.bridge(given["phrase"], given["target"], **parts)
    except MunimentError as error:
        return _shown(page, http_status(error), given, error.findings)
    return page.back("/bridges", "good", f"{made.diff.id} proposes it; it waits for review")


VIEWS = (("GET", "/bridges", bridges), ("POST", "/bridges", propose))
