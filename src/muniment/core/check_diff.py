"""What is wrong with a diff (`B-DIFFREJECT`): one rule, one function, one row.

- Rules see the diff, the instant and what the proposer may see of its targets.
- A target that is absent and one that may not be seen give the same finding (`E-BLINDWRITE`).
- A supersede keeps scope and audience; changing either is a deprecation and an addition that a reviewer declares.

>>> at, shop = datetime(2026, 7, 8, tzinfo=UTC), Scope("repository", "local:shop")
>>> frame = Diff("mdiff_x", at, "agent:codex", shop, Trigger(""))
>>> [f.code for f in check_diff(frame, Targets(now=0))]
['no_trigger']
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from muniment.core.access import Audience, Scope, within
from muniment.core.diff import NARROWING, WEAK_TRIGGER_STATES, Change, Diff, Trigger
from muniment.core.errors import Finding, quoted
from muniment.core.row import Row
from muniment.core.vocabulary import names, unknown_name

_ = (UTC, datetime, Scope, Trigger)  # named by the doctest
_SHORT_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}")
_NEEDS_TARGET = ("supersede", "deprecate", "revalidate")
_NEEDS_ITEM = ("add", "supersede")
_IN_USE = ("accepted", "needs_review")
_DECLARATIONS = ("promotion", "declassification", NARROWING)


@dataclass(frozen=True, slots=True)
class Targets:
    """What a rule may look at besides the diff.

    Attributes:
        now: Instant, microseconds.
        rows: Latest versions of claims named by the diff, as far as the proposer may see them.
        scopes: Their scopes.
        audiences: Their audiences.
    """

    now: int
    rows: Mapping[str, Row] = field(default_factory=dict)
    scopes: Mapping[str, Scope] = field(default_factory=dict)
    audiences: Mapping[str, Audience] = field(default_factory=dict)


Rule = Callable[[Diff, Targets], Iterator[Finding]]
REQ = "B-DIFFREJECT"


def _places(diff: Diff) -> Iterator[tuple[str, Change]]:
    return ((f"/changes/{index}", change) for index, change in enumerate(diff.changes))


def has_trigger(diff: Diff, targets: Targets) -> Iterator[Finding]:
    """A diff says what happened that made it worth remembering."""
    if not diff.trigger.kind:
        fix = "add `trigger: {kind, uri, state, observed_at}`: what happened that made this worth remembering?"
        yield Finding("no_trigger", "the diff names no trigger", "/trigger", fix, req=REQ)


def trigger_is_strong(diff: Diff, targets: Targets) -> Iterator[Finding]:
    """What is only drafted, open or rejected is too weak to remember by."""
    state = diff.trigger.state
    if state in WEAK_TRIGGER_STATES:
        message = f"a trigger in the state {quoted(state)} is too weak to remember by"
        fix = "wait until it is merged, closed, resolved or confirmed"
        yield Finding("weak_trigger", message, "/trigger/state", fix, req=REQ)


def has_basis(diff: Diff, targets: Targets) -> Iterator[Finding]:
    """A diff with changes rests on a source of its own or of each change."""
    named = diff.basis or diff.trigger.uri or not diff.changes
    sourced = all(change.source or change.item for change in diff.changes)
    if not named and not sourced:
        yield Finding(
            "no_basis",
            "the diff rests on no source",
            "/basis",
            "add `basis: [{uri, role}]`",
            req=REQ,
        )


def ids_are_unique(diff: Diff, targets: Targets) -> Iterator[Finding]:
    """Every change has an id of its own (`B-DIFF`)."""
    seen: set[str] = set()
    for place, change in _places(diff):
        if change.id in seen or not change.id:
            message = f"the change id {quoted(change.id)} is used twice"
            yield Finding(
                "change_id_used",
                message,
                f"{place}/id",
                "give every change its own id",
                req="B-DIFF",
            )
        seen.add(change.id)


def ids_are_short_names(diff: Diff, targets: Targets) -> Iterator[Finding]:
    """A change's id names it in the ledger, which keeps it for good: no text, nothing to erase (`A-DELETE`)."""
    for place, change in _places(diff):
        if change.id and not _SHORT_NAME.fullmatch(change.id):
            message = f"{quoted(change.id)} is no id of a change"
            fix = "use up to 40 letters, digits, `_`, `-` and `.`, such as `change_01`; no erasing removes it"
            yield Finding("bad_change_id", message, f"{place}/id", fix, req="A-DELETE")


def says_why(diff: Diff, targets: Targets) -> Iterator[Finding]:
    """Every change says why (`B-DIFF`)."""
    for place, change in _places(diff):
        if not change.reason.strip():
            yield Finding(
                "no_reason",
                "the change does not say why",
                f"{place}/reason",
                "add a reason",
                req="B-DIFF",
            )


def items_are_complete(diff: Diff, targets: Targets) -> Iterator[Finding]:
    """What adds or supersedes brings a whole claim."""
    for place, change in _places(diff):
        if change.operation in _NEEDS_ITEM and change.item is None:
            message = f"{change.operation} needs a whole claim"
            yield Finding(
                "no_item",
                message,
                f"{place}/item",
                "add `item: {claim, scope, source, visibility, …}`",
                req=REQ,
            )


def targets_exist(diff: Diff, targets: Targets) -> Iterator[Finding]:
    """Targets are known; absent ones and hidden ones have one answer (`E-BLINDWRITE`)."""
    for place, change in _places(diff):
        if change.operation in _NEEDS_TARGET:
            yield from _known(change.target_id, f"{place}/target_id", targets)
        if change.operation == "flag_conflict":
            if len(set(change.target_ids)) < 2:
                message = "a conflict is between two claims at least"
                yield Finding(
                    "too_few_targets", message, f"{place}/target_ids", "name both claims", req=REQ
                )
            for index, target in enumerate(change.target_ids):
                yield from _known(target, f"{place}/target_ids/{index}", targets)


def _known(target: str, place: str, targets: Targets) -> Iterator[Finding]:
    if target not in targets.rows:
        message = (
            f"no claim {quoted(target)} is known here" if target else "the change names no target"
        )
        yield Finding("target_missing", message, place, "name a claim that you can see", req=REQ)


def targets_are_accepted(diff: Diff, targets: Targets) -> Iterator[Finding]:
    """What is superseded, deprecated or checked again is in use, and was not replaced already (`B-HISTORY`)."""
    for place, change in _places(diff):
        row = targets.rows.get(change.target_id)
        if row is None or change.operation not in _NEEDS_TARGET:
            continue
        if row.review not in _IN_USE:
            message = f"{quoted(change.target_id)} is {row.review}, so it is not in use"
            fix = "name a claim that is accepted, or add a new one"
            yield Finding("target_not_in_use", message, f"{place}/target_id", fix, req="B-HISTORY")
        elif change.operation == "supersede" and row.superseded_by:
            message = f"{quoted(change.target_id)} was superseded already"
            yield Finding(
                "superseded_already",
                message,
                f"{place}/target_id",
                "supersede its successor",
                req="B-HISTORY",
            )


def scope_stays(diff: Diff, targets: Targets) -> Iterator[Finding]:
    """A claim is in its diff's scope, and a successor in its predecessor's (`A-REJECT-SCOPE`, `A-BOUNDARY`)."""
    for place, change in _places(diff):
        item = change.item
        if item is None:
            continue
        if item.scope != diff.scope and change.declares != "promotion":
            message = f"the claim is for {quoted(item.scope)}, the diff for {quoted(diff.scope)}"
            fix = "propose it in its own scope, or declare a promotion for a reviewer"
            yield Finding(
                "outside_scope", message, f"{place}/item/scope", fix, req="A-REJECT-SCOPE"
            )
        old = targets.scopes.get(change.target_id)
        if change.operation == "supersede" and old is not None and item.scope != old:
            message = f"a successor keeps the scope {quoted(old)}"
            fix = "deprecate the old claim and add a new one, declared as a promotion"
            yield Finding("scope_changed", message, f"{place}/item/scope", fix, req="A-BOUNDARY")


def audience_stays(diff: Diff, targets: Targets) -> Iterator[Finding]:
    """A successor is visible to no more than the claim that it replaces."""
    for place, change in _places(diff):
        old = targets.audiences.get(change.target_id)
        if change.operation != "supersede" or old is None or change.item is None:
            continue
        if not within(change.item.visibility.audience, old):
            message = "the successor would be visible to more than the claim that it replaces"
            fix = "keep the visibility; to widen it, deprecate and add with `declares: declassification`"
            yield Finding("visibility_widened", message, f"{place}/item/visibility", fix, req=REQ)


def resolution_has_evidence(diff: Diff, targets: Targets) -> Iterator[Finding]:
    """Whatever settles a conflict brings evidence that is not weak."""
    for place, change in _places(diff):
        source = change.item.source if change.item else change.source
        if change.resolves and (source is None or source.is_weak):
            message = "a conflict is resolved without evidence"
            yield Finding(
                "resolved_without_evidence",
                message,
                f"{place}/source",
                "say what settles it",
                req=REQ,
            )


def revalidation_has_source(diff: Diff, targets: Targets) -> Iterator[Finding]:
    """A revalidation says what was looked at (`B-REVERIFY`)."""
    for place, change in _places(diff):
        unread = change.source is None and change.reading is None
        if change.operation == "revalidate" and unread and change.declares != NARROWING:
            message = "a revalidation does not say what was looked at"
            yield Finding(
                "revalidated_without_source",
                message,
                f"{place}/source",
                "give the source and what was found",
                req="B-REVERIFY",
            )


def declarations_are_known(diff: Diff, targets: Targets) -> Iterator[Finding]:
    """A declared change of scope or visibility is a promotion, declassification or narrowing (`B-DIFFREVIEW`)."""
    for place, change in _places(diff):
        if change.declares and change.declares not in _DECLARATIONS:
            message = f"{quoted(change.declares)} is not a declaration"
            yield Finding(
                "unknown_declaration",
                message,
                f"{place}/declares",
                f"use one of: {', '.join(_DECLARATIONS)}",
                req="B-DIFFREVIEW",
            )


def narrowing_is_whole(diff: Diff, targets: Targets) -> Iterator[Finding]:
    """Who may see a claim is narrowed by a revalidation that says so and by whom, and by nothing beside it."""
    for place, change in _places(diff):
        if (change.declares == NARROWING) != (change.visibility is not None):
            message = "a narrowing says who may still see the claim, and nothing else does"
            fix = (
                "give `declares: narrowing` and `visibility: {level, allowed_principals}` together"
            )
            yield Finding(
                "narrowing_not_whole", message, f"{place}/visibility", fix, req="B-TRAVEL"
            )
        elif change.declares == NARROWING and change.operation != "revalidate":
            message = f"{change.operation} narrows nothing"
            fix = "use `operation: revalidate`"
            yield Finding("not_a_narrowing", message, f"{place}/operation", fix, req="B-TRAVEL")
        beside = sum(change.target_id in (c.target_id, *c.target_ids) for c in diff.changes)
        if change.declares == NARROWING and beside > 1:
            message = f"the diff changes {quoted(change.target_id)} in another way too"
            fix = "narrow it by a diff of its own"
            yield Finding("narrowed_with_more", message, f"{place}/target_id", fix, req="B-TRAVEL")


def narrowing_narrows(diff: Diff, targets: Targets) -> Iterator[Finding]:
    """A narrowing names somebody, and takes sight from somebody (`B-TRAVEL`)."""
    for place, change in _places(diff):
        old, wanted = targets.audiences.get(change.target_id), change.visibility
        if change.declares != NARROWING or old is None or wanted is None:
            continue
        if wanted.level not in names("visibility_level"):
            yield unknown_name("visibility_level", wanted.level, f"{place}/visibility/level")
        elif () in wanted.audience:
            message, fix = "nobody would see the claim any more", "name who may, or erase the claim"
            yield Finding("no_principals", message, f"{place}/visibility", fix, req="B-TRAVEL")
        elif within(old, wanted.audience):
            message = "whoever sees the claim now would see it still"
            fix = "name fewer; to widen it, deprecate and add with `declares: declassification`"
            yield Finding("not_narrower", message, f"{place}/visibility", fix, req="B-TRAVEL")


DIFF_RULES: tuple[tuple[str, Rule], ...] = (
    (REQ, has_trigger),
    (REQ, trigger_is_strong),
    (REQ, has_basis),
    ("B-DIFF", ids_are_unique),
    ("A-DELETE", ids_are_short_names),
    ("B-DIFF", says_why),
    (REQ, items_are_complete),
    (REQ, targets_exist),
    ("B-HISTORY", targets_are_accepted),
    ("A-REJECT-SCOPE", scope_stays),
    (REQ, audience_stays),
    (REQ, resolution_has_evidence),
    ("B-REVERIFY", revalidation_has_source),
    ("B-DIFFREVIEW", declarations_are_known),
    ("B-TRAVEL", narrowing_is_whole),
    ("B-TRAVEL", narrowing_narrows),
)


def check_diff(
    diff: Diff, targets: Targets, rules: tuple[tuple[str, Rule], ...] = DIFF_RULES
) -> tuple[Finding, ...]:
    """Every finding of every rule, in the rules' order."""
    return tuple(finding for _, rule in rules for finding in rule(diff, targets))
