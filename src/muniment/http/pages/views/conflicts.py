"""Conflicts: both sides beside each other, what precedence says of them, and a form that proposes how to settle one.

- Nothing is settled here: a proposal is made, with the evidence that it rests on, and reviewed as any other.
- A side that the asker may not see makes no conflict here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations
from typing import Any

from starlette.responses import Response

from muniment.core.authority import allows, role_of
from muniment.core.claim import Claim
from muniment.core.conflict import View, views
from muniment.core.encode import encode
from muniment.core.errors import Finding, InvalidInput, MunimentError
from muniment.core.precedence import PRECEDENCE, Ruling, judge
from muniment.http.pages.asked import Page
from muniment.usecases.report import observed_by, source_of
from muniment.wire import http_status

PAGE = 20
PAIRS = 3
RULES = tuple((name, (rank.__doc__ or "").strip().rstrip(".")) for name, _, rank in PRECEDENCE)
FIELDS = ("goes", "how", "statement", "source", "reason", "one", "other")
MADE_ANEW = (
    "id", "version", "created_at", "review", "provenance", "reading", "facts", "supersedes",
    "superseded_by", "conflicts", "conflict_notes", "slot", "embedding",
)  # fmt: skip
"""Parts of a claim that its successor does not take over."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One conflict, as the page shows it.

    Attributes:
        key: Names it on the page and in its form.
        note: What disagrees.
        since: Since when it is recorded, as UTC text.
        resolved: What settled it; empty while it is open.
        sides: Its claims.
        ruling: What precedence says; None where it is settled.
        pairs: Two sides each, with the four views of them.
    """

    key: str
    note: str
    since: str
    resolved: str
    sides: tuple[Claim, ...]
    ruling: Ruling | None
    pairs: tuple[tuple[Claim, Claim, tuple[View, ...]], ...]

    @property
    def losers(self) -> Mapping[str, str]:
        """Claim to the rule by which it lost."""
        return dict(self.ruling.losers) if self.ruling else {}


def conflicts(page: Page) -> Response:
    """The conflicts of the scopes in force, the open ones first."""
    return _answered(page, 200, "", {}, ())


def _answered(
    page: Page, status: int, key: str, given: Mapping[str, str], findings: tuple[Finding, ...]
) -> Response:
    recorded = sorted(page.memory.conflicts(), key=lambda one: bool(one.get("resolved")))
    known = page.memory.claims({one for c in recorded[:PAGE] for one in c["between"]})
    now = page.seats.now()
    return page.answer(
        "conflicts.html",
        status,
        conflicts=[one for c in recorded[:PAGE] if (one := _shown(c, known, now)).sides],
        total=len(recorded),
        open=sum(not one.get("resolved") for one in recorded),
        rules=RULES,
        rule_words=dict(RULES),
        may=allows(page.memory.session.role, "propose"),
        role=role_of("propose"),
        wrong_at=key,
        given={name: given.get(name, "") for name in FIELDS},
        findings=findings,
    )


def _shown(conflict: Mapping[str, Any], known: Mapping[str, Claim], now: datetime) -> Shown:
    sides = tuple(known[one] for one in conflict["between"] if one in known)
    note, resolved = str(conflict.get("note", "")), str(conflict.get("resolved") or "")
    return Shown(
        key=".".join(sorted(conflict["between"])),
        note=note,
        since=str(conflict.get("since", "")),
        resolved=resolved,
        sides=sides,
        ruling=None if resolved else judge(sides, now),
        pairs=tuple((a, b, views(a, b, note)) for a, b in list(combinations(sides, 2))[:PAIRS]),
    )


def settle(page: Page) -> Response:
    """Propose to settle a conflict: one side is deprecated, or replaced by a corrected statement."""
    form, key = page.form, page.form.get("conflict", "")
    given = {name: form.get(name, "").strip() for name in FIELDS}
    try:
        made = page.memory.propose(_diff(page, key.split("."), given))
    except MunimentError as error:
        return _answered(page, http_status(error), key, given, error.findings)
    words = f"{made.diff.id} proposes how to settle it; it waits for review"
    return page.back("/conflicts", "good", words)


def _diff(page: Page, sides: list[str], given: Mapping[str, str]) -> dict[str, Any]:
    known = page.memory.claims(sides)
    goes = known.get(given["goes"])
    others = [one for one in sides if one != given["goes"] and one in known]
    _refuse(given, goes is not None and bool(others))
    assert goes is not None
    session, now = page.memory.session, encode(page.seats.now())
    source = source_of(session, given["source"], now)
    change: dict[str, Any] = {
        "id": "change_01",
        "target_id": goes.id,
        "reason": given["reason"],
        "resolves": others,
    }
    if given["how"] == "supersede":
        item = {k: v for k, v in encode(goes).items() if k not in MADE_ANEW}
        item |= {"claim": given["statement"], "source": source, "review": {"status": "proposed"}}
        change |= {"operation": "supersede", "item": item}
    else:
        change |= {"operation": "deprecate", "source": source}
    trigger = observed_by(session, now)
    return {"scope": encode(goes.scope), "trigger": trigger, "changes": [change]}


def _refuse(given: Mapping[str, str], is_known: bool) -> None:
    found = []
    if not is_known:
        fix = "choose the side that goes; the page may be old, so reload it"
        found.append(Finding("no_target", "no side of a known conflict was chosen", "/goes", fix))
    if not given["reason"]:
        found.append(
            Finding("no_reason", "a proposal says why", "/reason", "say in a sentence what is so")
        )
    if given["how"] == "supersede" and not given["statement"]:
        fix = "write the statement as it should be, or deprecate the side"
        found.append(Finding("no_claim", "the corrected statement is empty", "/statement", fix))
    if found:
        raise InvalidInput.of(tuple(found))


def flag(page: Page) -> Response:
    """Propose to record that two claims contradict one another."""
    form = page.form
    ids = [form.get(name, "").strip() for name in ("one", "other")]
    reason = form.get("reason", "").strip()
    known = page.memory.claims(ids)
    scope = next((known[one].scope for one in ids if one in known), None)
    session, now = page.memory.session, encode(page.seats.now())
    change = {
        "id": "change_01",
        "operation": "flag_conflict",
        "target_ids": ids,
        "reason": reason,
        "conflict_notes": reason,
        "source": source_of(session, "", now),
    }
    diff: dict[str, Any] = {"trigger": observed_by(session, now), "changes": [change]}
    if scope is not None:
        diff["scope"] = encode(scope)
    try:
        made = page.memory.propose(diff)
    except MunimentError as error:
        given = {"one": ids[0], "other": ids[1], "reason": reason}
        return _answered(page, http_status(error), "flag", given, error.findings)
    return page.back("/conflicts", "good", f"{made.diff.id} proposes it; it waits for review")


VIEWS = (
    ("GET", "/conflicts", conflicts),
    ("POST", "/conflicts/settle", settle),
    ("POST", "/conflicts/flag", flag),
)
