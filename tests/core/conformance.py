"""Conformance cases: data in `tests/conformance/*.yaml`, and what the core makes of each.

- A file is a list of cases of one kind, `kind: claim` and so on; a case has a description, the requirements that it
  shows, what is given and what is expected.
- `given` may start from a template (`claim: fact`) and differ from it by a merge patch (`but:`, RFC 7396).
- `outcome(case, off=...)` runs a case with one rule of the registry switched off: that is how a test sees that the
  rule is needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from muniment.core.access import Scope, Visibility, audience_of, may_see
from muniment.core.check import CLAIM_RULES, Known, check_claim
from muniment.core.check_diff import DIFF_RULES, Targets, check_diff
from muniment.core.claim import Claim
from muniment.core.codec import micros, trusted
from muniment.core.confidence import grade_of, settled
from muniment.core.conflict import compare
from muniment.core.decide import USE_RULES, Ask, decide
from muniment.core.diff import Change, Decided, Diff, Pending, Trigger, change_digest
from muniment.core.draft import read_claim, read_diff
from muniment.core.draft_rules import BOUNDARIES, DRAFT_RULES
from muniment.core.encode import encode
from muniment.core.errors import Finding, errors_in
from muniment.core.extract import Extract
from muniment.core.policy import POLICY_RULES, Judged, Policy, obstacles
from muniment.core.review import REVIEW_RULES, check_decision
from muniment.core.row import Row
from muniment.core.rules import name_of
from muniment.core.source import Reading, Source
from muniment.core.status import STATUS_RULES, freshness_at, status_at

FOLDER = Path(__file__).resolve().parents[1] / "conformance"
NOW = "2026-07-08T12:30:00Z"


class _Loader(yaml.SafeLoader):
    """Times stay text, as they are in JSON."""


_Loader.yaml_implicit_resolvers = {
    letter: [(tag, regex) for tag, regex in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for letter, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


@dataclass(frozen=True, slots=True)
class Case:
    """One case as it stands in its file."""

    id: str
    kind: str
    req: tuple[str, ...]
    given: Mapping[str, Any]
    expect: Mapping[str, Any]


def load(name: str) -> Any:
    return yaml.load((FOLDER / name).read_text(encoding="utf-8"), _Loader)


@cache
def templates() -> Mapping[str, Any]:
    return load("templates.yaml")


@cache
def cases() -> tuple[Case, ...]:
    found = []
    for path in sorted(FOLDER.glob("*.yaml")):
        if path.name == "templates.yaml":
            continue
        page = load(path.name)
        for raw in page["cases"]:
            known = {"description", "req", "given", "expect"}
            assert set(raw) == known, f"{path.name}: {raw.get('description')}: {set(raw) ^ known}"
            req = tuple(raw["req"])
            found.append(
                Case(
                    f"{path.stem}: {raw['description']}",
                    page["kind"],
                    req,
                    raw["given"],
                    raw["expect"],
                )
            )
    return tuple(found)


def patched(value: Any, patch: Any) -> Any:
    """A JSON merge patch.

    >>> patched({"a": {"b": 1, "c": 2}}, {"a": {"b": None}})
    {'a': {'c': 2}}
    """
    if not isinstance(patch, Mapping):
        return patch
    base = dict(value) if isinstance(value, Mapping) else {}
    for key, part in patch.items():
        if part is None:
            base.pop(key, None)
        else:
            base[key] = patched(base.get(key), part)
    return base


def drawn(given: Any) -> Any:
    """A value from the templates: `fact`, or `{like: fact, but: {…}}`."""
    if isinstance(given, str):
        return templates()[given]
    if isinstance(given, Mapping) and "like" in given:
        return patched(templates()[given["like"]], given.get("but", {}))
    return given


def when(text: str) -> int:
    return micros(datetime.fromisoformat(text))


def row_of(given: Mapping[str, Any]) -> Row:
    times = {"valid_from", "valid_until", "expires_at", "verified_at"}
    values = {
        key: when(value) if key in times else tuple(value) if isinstance(value, list) else value
        for key, value in given.items()
        if key != "audience"
    }
    first = {"seq": 1, "revision": 1, "claim_id": "mem_x", "version": 1, "cls": "c"}
    return Row(**{**first, "review": "accepted", **values})


def without(kind: str, off: str, rows: Iterable[tuple[Any, ...]]) -> tuple[Any, ...]:
    """The rows of a table but the one that is switched off."""
    return tuple(row for row in rows if f"{kind}/{_name(kind, row)}" != off)


def _name(kind: str, row: tuple[Any, ...]) -> str:
    if callable(row[1]) and kind != "status":
        return name_of(row[1])
    return row[1] if kind == "draft" else row[0]


def by_severity(findings: Iterable[Finding]) -> dict[str, list[str]]:
    """Findings as cases write them: `code path`, under their severity."""
    found: dict[str, list[str]] = {}
    for finding in findings:
        said = f"{finding.code} {finding.path}".strip()
        found.setdefault(f"{finding.severity}s", []).append(said)
    return {severity: sorted(said) for severity, said in found.items()}


# --- kinds ---------------------------------------------------------------------------------------


def _claim_of(given: Mapping[str, Any], off: str = "") -> tuple[Claim | None, tuple[Finding, ...]]:
    raw = patched(drawn(given["claim"]), given.get("but", {}))
    return read_claim(
        raw, "mem_x", "", without("draft", off, BOUNDARIES), without("draft", off, DRAFT_RULES)
    )


def _known(given: Mapping[str, Any]) -> Known:
    sources = given.get("sources", {})
    rows = {id: row_of({"claim_id": id, **row}) for id, row in sources.items()}
    audiences = {
        id: audience_of(row["audience"]) for id, row in sources.items() if "audience" in row
    }
    return Known(when(given.get("now", NOW)), rows, audiences, given.get("import", False))


def _claim(given: Mapping[str, Any], expect: Mapping[str, Any], off: str) -> Any:
    claim, findings = _claim_of(given, off)
    if claim is not None:
        further = check_claim(claim, _known(given), without("claim", off, CLAIM_RULES))
        findings += further if not errors_in(findings) else _elsewhere(further, findings)
    return by_severity(findings)


def _elsewhere(further: tuple[Finding, ...], found: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """As in a proposal: placeholders are not found fault with where something was found already."""
    return tuple(f for f in further if not any(f.path.startswith(one.path) for one in found))


def _diff(given: Mapping[str, Any], expect: Mapping[str, Any], off: str) -> Any:
    raw = patched(drawn(given["diff"]), given.get("but", {}))
    changes = [
        {key: drawn(part) if key.endswith("item") else part for key, part in change.items()}
        for change in raw.get("changes") or []
    ]
    raw = {"created_at": NOW, "proposed_by": "agent:codex", **raw}
    if "changes" in raw:
        raw["changes"] = changes
    ids = {"diff": "mdiff_x"} | {f"item:{n}": f"mem_new{n}" for n in range(len(changes))}
    diff, findings = read_diff(raw, ids)
    if diff is not None:
        findings += check_diff(diff, _targets(given), without("diff", off, DIFF_RULES))
    return by_severity(findings)


def _targets(given: Mapping[str, Any]) -> Targets:
    named = given.get("targets", {})
    rows = {
        id: row_of(
            {"claim_id": id, **{k: v for k, v in row.items() if k not in ("scope", "audience")}}
        )
        for id, row in named.items()
    }
    scopes = {id: Scope.parse(row["scope"]) for id, row in named.items()}
    audiences = {id: audience_of(row["audience"]) for id, row in named.items()}
    return Targets(when(given.get("now", NOW)), rows, scopes, audiences)


def _use(given: Mapping[str, Any], expect: Mapping[str, Any], off: str) -> Any:
    options = {key: value for key, value in given.items() if key not in ("row", "at")}
    if "absolute" in options:
        options["absolute"] = tuple(options["absolute"])
    ask = Ask(**{"use": "", **options, "at": when(given.get("at", NOW))})
    verdict = decide(row_of(given["row"]), ask, without("use", off, USE_RULES))
    return {"refused": list(verdict.reasons)}


def _status(given: Mapping[str, Any], expect: Mapping[str, Any], off: str) -> Any:
    row, hidden = row_of(given["row"]), given.get("hidden", [])
    rules = without("status", off, STATUS_RULES)
    found: dict[str, Any] = {}
    for at in expect.get("status", {}):
        found.setdefault("status", {})[at] = status_at(
            row, when(at), lambda id: id not in hidden, rules
        )
    for at, risks in expect.get("freshness", {}).items():
        fresh = {risk: freshness_at(row, when(at), risk) for risk in risks}
        found.setdefault("freshness", {})[at] = fresh
    return found


def _review(given: Mapping[str, Any], expect: Mapping[str, Any], off: str) -> Any:
    at = datetime.fromisoformat(NOW)
    declares = given.get("declares", "")
    change = Change("change_01", "deprecate", "it moved", target_id="mem_old", declares=declares)
    shown = replace(change, reason="it moved away") if given.get("shown") == "other" else change
    scope = Scope("repository", "github:acme/shop")
    diff = Diff(
        "mdiff_x",
        at,
        given.get("proposed_by", "agent:codex"),
        scope,
        Trigger("issue"),
        changes=(change,),
    )
    before = given.get("state", "pending")
    decided = Decided("mdiff_x", "change_01", before, "user:ana", at)
    pending = Pending(diff, {} if before == "pending" else {"change_01": decided})
    wanted = Decided(
        "mdiff_x", given.get("change", "change_01"), given["decision"], given.get("by", "user:ana"), at,
        given.get("reason", ""), change_digest(shown),
    )  # fmt: skip
    rules = without("review", off, REVIEW_RULES)
    return by_severity(
        check_decision(pending, wanted, given.get("policy_allows_own", False), rules)
    )


def _policy(given: Mapping[str, Any], expect: Mapping[str, Any], off: str) -> Any:
    policy = trusted(Policy, {"name": "manifests", **drawn(given.get("policy", "policy"))})
    claim = trusted(Claim, patched(drawn(given["claim"]), given.get("but", {})))
    derived = drawn(given.get("derived", "extract"))
    extract = (
        Extract(**{k: tuple(v) if isinstance(v, list) else v for k, v in derived.items()})
        if derived != "none"
        else None
    )
    operation = given.get("operation", "add")
    item = claim if operation in ("add", "supersede") else None
    also = trusted(Change, {"id": "change_01", "operation": operation, **given.get("change", {})})
    change = Change(
        "change_01",
        operation,
        given.get("reason", "go.mod says so"),
        item,
        "" if item else claim.id,
        source=trusted(Source, patched(encode(claim.source), given["source"]))
        if "source" in given
        else None,
        declares=given.get("declares", ""),
        freshness=also.freshness,
        retire=also.retire,
    )
    target = replace(claim, id="mem_old", slot=given.get("target", claim.slot))
    reading = Reading(given.get("reading", "match"))
    judged = Judged(policy, change, claim, extract, reading, given.get("ref", "main"), target)
    return {"left": list(obstacles(judged, without("policy", off, POLICY_RULES)))}


def _conflict(given: Mapping[str, Any], expect: Mapping[str, Any], off: str) -> Any:
    sides = [
        read_claim(patched(drawn(given["claim"]), given.get(side, {})), f"mem_{side}")[0]
        for side in ("new", "old")
    ]
    assert sides[0] is not None and sides[1] is not None
    found = compare(sides[0], sides[1])
    if found is None:
        return {"kind": "none"}
    views = {view.name: [view.left, view.right] for view in found.views}
    return {"kind": found.kind} | ({"views": views} if "views" in expect else {})


def _confidence(given: Mapping[str, Any], expect: Mapping[str, Any], off: str) -> Any:
    claim, _ = _claim_of(given)
    assert claim is not None
    grade = grade_of(claim.source, claim.confidence.grade, claim.content_kind)
    recorded = settled(claim, tuple(given.get("among", [])))
    return {"grade": grade.name, "cap": grade.cap, "score": recorded.score, "level": recorded.level}


def _visibility(given: Mapping[str, Any], expect: Mapping[str, Any], off: str) -> Any:
    visibility = trusted(Visibility, given["visibility"])
    return {name: may_see(visibility.audience, who) for name, who in given["askers"].items()}


KINDS = {
    "claim": _claim, "diff": _diff, "use": _use, "status": _status, "review": _review, "policy": _policy,
    "conflict": _conflict, "confidence": _confidence, "visibility": _visibility,
}  # fmt: skip


def outcome(case: Case, off: str = "") -> Any:
    """What the core makes of a case, in the form in which cases expect it."""
    return KINDS[case.kind](case.given, case.expect, off)
