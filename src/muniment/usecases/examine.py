"""What the checks notice about a diff, from what somebody may see: rules, duplicates, conflicts, tombstones.

- The same examination serves proposer, reviewer and application; only what is visible differs (`E-BLINDWRITE`).
- A duplicate or conflict is a warning with its comparison; a tombstone that may be seen refuses (`E-TOMBSTONE`).
- Items are compared with what is remembered, and with the earlier items of their own diff.
- Every text of the diff is checked for secrets, not only its claims (`E-SECRET`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from muniment.core.access import NOBODY, Audience, intersect, within
from muniment.core.check import Known, check_claim, secrets_in
from muniment.core.check_boundaries import are_fine, is_plain, strings_in
from muniment.core.check_diff import Targets, check_diff
from muniment.core.claim import Claim
from muniment.core.conflict import Conflict, Earlier, compare
from muniment.core.diff import DECLASSIFICATION, RESTORE, Change, Diff
from muniment.core.encode import encode
from muniment.core.errors import Finding
from muniment.core.fold import claim_keys, value_keys
from muniment.core.row import Row
from muniment.core.text import LONGEST_TEXT, text_findings
from muniment.usecases.imported import PRINCIPAL as IMPORTER
from muniment.usecases.tombstones import refusals, replaced_by
from muniment.usecases.viewing import Viewing


@dataclass(frozen=True, slots=True)
class Examined:
    """What was noticed.

    Attributes:
        findings: Everything, with paths into the diff.
        conflicts: Change id to how its item stands to visible claims.
        records: The changes in wire form.
    """

    findings: tuple[Finding, ...]
    conflicts: dict[str, tuple[Conflict, ...]]
    records: tuple[Mapping[str, Any], ...] = ()


def examine(viewing: Viewing, diff: Diff, now: int, is_import: bool = False) -> Examined:
    """Examine a whole diff as `viewing`'s principal may; what an import may leave open stays open at review."""
    is_import = is_import or diff.proposed_by == IMPORTER
    records = tuple(encode(change) for change in diff.changes)
    findings = list(check_diff(diff, _targets(viewing, diff, now)))
    frame = encode(replace(diff, changes=()))
    fine = are_fine((frame, *records))
    findings.extend(() if fine else _texts(frame, records))
    conflicts: dict[str, tuple[Conflict, ...]] = {}
    before = Earlier()
    looked_up = _look_ahead(viewing, diff)
    for index, change in enumerate(diff.changes):
        findings.extend(f.under(f"/changes/{index}") for f in _settled_unseen(viewing, change))
        if change.item is None:
            continue
        place = f"/changes/{index}/item"
        known = _known(viewing, change.item, now, is_import)
        known = _with_texts(known, fine, records[index]["item"])
        checked = check_claim(change.item, known)
        findings.extend(_settled(change, f).under(place) for f in checked)
        target = replaced_by(viewing, change)
        findings.extend(f.under(place) for f in refusals(viewing, change.item, target))
        keys = looked_up[index]
        known_already = standing(viewing, change, keys)
        named = {conflict.right for conflict in known_already}
        others = (one for one in before.near(change.item) if one.id not in named)
        met = (compare(change.item, one) for one in others)
        conflicts[change.id] = known_already + tuple(one for one in met if one is not None)
        before.add(change.item)
        findings.extend(f.under(place) for f in map(_noticed, conflicts[change.id]))
    return Examined(tuple(findings), conflicts, records)


def _settled(change: Change, finding: Finding) -> Finding:
    """Only a declared declassification may be seen by more than what it was made from (`B-TRAVEL`)."""
    declared = change.declares in (DECLASSIFICATION, RESTORE)
    wider = finding.code == "wider_than_source" and not declared
    return replace(finding, severity="error") if wider else finding


def _look_ahead(viewing: Viewing, diff: Diff) -> list[tuple[str, ...]]:
    """Ask the store once for everything that a diff's items are compared with; the lookup keys of each change."""
    key = viewing.snapshot.key
    items = [change.item for change in diff.changes]
    keys = [claim_keys(item, key) if item else () for item in items]
    values = {one for item in items if item for one in value_keys(item, key)}
    viewing.look_ahead({one for each in keys for one in each}, values)
    return keys


def _targets(viewing: Viewing, diff: Diff, now: int) -> Targets:
    named = {
        target
        for change in diff.changes
        for target in (change.target_id, *change.target_ids)
        if target
    }
    rows = {
        target: replace(row, superseded_by=viewing.successor_of(target))
        for target in sorted(named)
        if (row := viewing.row(target)) is not None
    }
    scopes = {target: viewing.scope_of(row.cls) for target, row in rows.items()}
    audiences = {target: viewing.audience_of(row.cls) for target, row in rows.items()}
    return Targets(now, rows, scopes, audiences)


def _known(viewing: Viewing, item: Claim, now: int, is_import: bool) -> Known:
    rows = {one: row for one in item.source.derived_from if (row := viewing.row(one)) is not None}
    seen = {row.claim_id: row for row in viewing.seen(rows.values())}
    audiences = {one: viewing.audience_of(row.cls) for one, row in rows.items()}
    return Known(now, seen, audiences, is_import)


def _with_texts(known: Known, fine: bool, item: Mapping[str, Any]) -> Known:
    """The same with an item's texts, which are gathered only where something in the diff has to be looked at closer."""
    if fine or are_fine((item,)):
        return replace(known, are_fine=True)
    return replace(known, texts=strings_in(item, ""))


def _texts(frame: Mapping[str, Any], records: Sequence[Mapping[str, Any]]) -> Iterable[Finding]:
    """Findings about the texts of a diff that are not a claim's."""
    changes = [{k: v for k, v in record.items() if k != "item"} for record in records]
    texts = strings_in({**frame, "changes": changes}, "")
    plain = is_plain(texts)
    for path, text in texts:
        if not plain or len(text) > LONGEST_TEXT:
            yield from text_findings(text, path)
    yield from secrets_in(texts)


def standing(viewing: Viewing, change: Change, keys: Sequence[str]) -> tuple[Conflict, ...]:
    """How a change's item stands to the visible, current claims of its scope, one row a claim."""
    item = change.item
    if item is None:
        return ()
    replaced = {change.target_id, *item.supersedes, *change.resolves}
    rows = _candidates(viewing, keys)
    others = viewing.claims([row for row in rows if row.claim_id not in replaced])
    found = (compare(item, other) for other in others.values())
    return tuple(conflict for conflict in found if conflict is not None)


def _candidates(viewing: Viewing, keys: Sequence[str]) -> tuple[Row, ...]:
    rows = {row.seq: row for key in keys for row in viewing.lookup(key)}
    return tuple(row for row in rows.values() if _is_current(viewing, row))


def _is_current(viewing: Viewing, row: Row) -> bool:
    """Whether a claim is in use, as far as the asker may see what replaced it."""
    if row.review not in ("accepted", "needs_review") or row.retired:
        return False
    return not viewing.successor_of(row.claim_id)


def _noticed(conflict: Conflict) -> Finding:
    if conflict.kind == "duplicate":
        message = f"{conflict.right} says the same"
        return Finding(
            "duplicate",
            message,
            "/claim",
            "leave it out, unless two records are wanted",
            "warning",
            "A-INSTANCE",
        )
    word = "contradicts" if conflict.kind == "contradiction" else "may contradict"
    message = f"it {word} {conflict.right}: {conflict.note}"
    fix = "supersede the other claim, or accept both and keep the conflict"
    return Finding(conflict.kind, message, "/claim", fix, "warning", "A-CONTRADICTION")


def seen_by(viewing: Viewing, change: Change) -> Audience:
    """Who may see a change: who sees its item, or else every claim that it names (`E-BLINDWRITE`)."""
    if change.item is not None:
        return change.item.visibility.audience
    named = (viewing.row(one) for one in (change.target_id, *change.target_ids) if one)
    audiences = [viewing.audience_of(row.cls) for row in named if row]
    return intersect(*audiences) if audiences else NOBODY


def settles(change: Change, sides: Collection[str]) -> bool:
    """Whether a change says that it settles the conflict between some claims."""
    settled = set(change.resolves)
    own = change.target_id or (change.item.id if change.item else "")
    return bool(settled.intersection(sides)) and (own in sides or settled.issuperset(sides))


def _settled_unseen(viewing: Viewing, change: Change) -> Iterable[Finding]:
    """What settles a conflict is seen by everybody who sees the conflict: nothing hidden changes what they see."""
    mine = seen_by(viewing, change)
    for conflict in viewing.conflicts() if change.resolves else ():
        sides = conflict["between"]
        rows = [row for one in sides if (row := viewing.row(one))]
        theirs = intersect(*(viewing.audience_of(row.cls) for row in rows))
        if not conflict.get("resolved") and settles(change, sides) and not within(theirs, mine):
            message = "who sees the conflict would not see what settles it"
            fix = "propose it with a visibility that takes in everybody who sees the conflict"
            yield Finding("settled_unseen", message, "/resolves", fix, req="E-BLINDWRITE")


def inherited(viewing: Viewing, item: Claim) -> Audience:
    """The audience of an item: its own, narrowed by its sources' (`B-TRAVEL`)."""
    rows = (viewing.row(one) for one in item.source.derived_from)
    return intersect(
        item.visibility.audience, *(viewing.audience_of(row.cls) for row in rows if row)
    )
