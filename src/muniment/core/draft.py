"""Read what somebody proposes: a claim or a diff from JSON, with every problem at once.

- Spelling variants and the ontology's equivalent names are understood; unknown keys are kept, never dropped.
- A foreign id becomes an alias; a foreign `accepted` is only evidence of somebody else's review (`B-EXAMPLES`).
- Nothing is invented: what is missing stays missing and is found by the checks.

Rules of meaning are `core.check`'s; this module only reads.

>>> claim, findings = read_claim(
...     {"claim": "Use pnpm here.", "source": "previous chat"}, "mem_x", "/item"
... )
>>> sorted(f.code for f in findings)
['no_freshness', 'no_review_status', 'no_scope', 'no_visibility', 'source_not_checkable']
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from muniment.core.canonical import digest
from muniment.core.claim import Claim
from muniment.core.codec import read
from muniment.core.diff import Change, Diff
from muniment.core.draft_rules import BOUNDARIES, DRAFT_RULES, Boundary, Rule, mapping
from muniment.core.encode import encode
from muniment.core.errors import Finding, quoted
from muniment.core.ids import is_id
from muniment.core.vocabulary import (
    KIND_ORIGINS,
    canonical_name,
    equivalent,
    is_closed,
    names,
    unknown_name,
)

_CLAIM_KEYS = frozenset(f.name for f in fields(Claim))
_NAMED_FIELDS = (
    (("type",), "claim_type"),
    (("memory_type",), "memory_type"),
    (("content_kind",), "content_kind"),
    (("concept_type",), "concept_type"),
    (("scope", "kind"), "scope_kind"),
    (("visibility", "level"), "visibility_level"),
    (("source", "kind"), "source_kind"),
    (("source", "origin"), "origin"),
    (("source", "derivation"), "derivation"),
    (("freshness", "status"), "freshness"),
    (("review", "status"), "review_status"),
)
_COMPUTED = ("status", "relevance", "access_count", "last_access_time")
_OPEN_NAME = re.compile(r"[a-z][a-z0-9_]*([:/-][a-z0-9_]+)*")
_STATES_BY_SYSTEM = ("version", "retired", "superseded_by", "derived_stale", "reading")


def read_claim(
    given: Any,
    new_id: str,
    path: str = "",
    boundaries: tuple[Boundary, ...] = BOUNDARIES,
    rules: tuple[tuple[str, Rule], ...] = DRAFT_RULES,
) -> tuple[Claim | None, tuple[Finding, ...]]:
    """Read one claim.

    Args:
        given: JSON value.
        new_id: The identifier that it gets.
        path: JSON pointer of `given`.
        boundaries: What must be stated.
        rules: What is looked at as it was given, before it is read.

    Returns:
        The claim and every finding. With an error among them the claim is None, or holds placeholders and
        serves only to look for further findings.
    """
    if not isinstance(given, Mapping):
        return None, (
            Finding("wrong_type", "a claim is an object", path, "give `{claim, scope, source, …}`"),
        )
    findings = [finding for _, rule in rules for finding in rule(given, path)]
    raw = _prepared(dict(given), new_id, path, findings, boundaries)
    _refuse_unknown_names(raw, path, findings)
    return read(Claim, raw, path, findings), tuple(findings)


def _prepared(
    raw: dict[str, Any],
    new_id: str,
    path: str,
    findings: list[Finding],
    boundaries: tuple[Boundary, ...],
) -> dict[str, Any]:
    raw = {**raw, "id": new_id, **_identity(raw, new_id)}
    raw = {**raw, **_foreign_review(raw)}
    _require(raw, path, findings, boundaries)
    _said_by_operation(raw, path, findings)
    raw["source"] = _source(raw.get("source"), path, findings)
    if isinstance(raw.get("conflicts"), list):
        raw["conflicts"] = [{"with_id": c} if isinstance(c, str) else c for c in raw["conflicts"]]
    if isinstance(raw.get("conflict_notes"), list):
        raw["conflict_notes"] = "\n".join(map(str, raw["conflict_notes"]))
    for keys, vocabulary in _NAMED_FIELDS:
        _rename(raw, keys, vocabulary)
    return _keep_unknown(raw, path, findings)


def _identity(raw: Mapping[str, Any], new_id: str) -> dict[str, Any]:
    foreign = raw.get("id")
    if foreign is None or foreign == new_id:
        return {}
    provenance = mapping(raw.get("provenance"))
    return {
        "aliases": [
            *(one for one in _list(raw.get("aliases")) if one != str(foreign)),
            str(foreign),
        ],
        "provenance": {**provenance, "foreign_id": str(foreign)},
    }


def _foreign_review(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Whatever review somebody else states is kept as evidence; here everything begins as proposed."""
    review = raw.get("review")
    if not isinstance(review, Mapping) or review.get("status", "proposed") == "proposed":
        return {}
    provenance = mapping(raw.get("provenance"))
    said = " ".join(
        str(review[key]) for key in ("status", "reviewed_by", "reviewed_at") if review.get(key)
    )
    wanted = "needs_review" if review.get("status") == "needs_review" else "proposed"
    return {"review": {"status": wanted}, "provenance": {**provenance, "foreign_review": said}}


def _said_by_operation(raw: dict[str, Any], path: str, findings: list[Finding]) -> None:
    """What a claim replaces is said by the operation `supersede`, which is checked; a mere list is kept as relations.

    INVARIANT: no draft can name a claim as replaced that no reviewer was shown as a target.
    """
    replaced = [str(one) for one in _list(raw.get("supersedes"))]
    if not replaced:
        return
    raw["supersedes"] = []
    named = [{"type": "supersedes", "target": one} for one in replaced]
    raw["relationships"] = [*_list(raw.get("relationships")), *named]
    message = "what a claim replaces is said by the operation; the list is kept as relationships"
    fix = "propose a `supersede` with its `target_id`"
    findings.append(Finding("replaces_by_list", message, f"{path}/supersedes", fix, "notice", "B-HISTORY"))  # fmt: skip


def _require(
    raw: dict[str, Any], path: str, findings: list[Finding], boundaries: tuple[Boundary, ...]
) -> None:
    """Find missing boundaries; a placeholder lets the rest be read, and never leaves with an error found."""
    for key, code, req, severity, fix, placeholder in boundaries:
        given = raw.get(key)
        if isinstance(given, str) and key == "scope" and ":" in given:
            raw[key] = _scopemapping(given)
        elif given in (None, {}, ""):
            message = f"the claim states no {code.removeprefix('no_').replace('_', ' ')}"
            findings.append(Finding(code, message, f"{path}/{key}", fix, severity, req))
            raw[key] = placeholder


def _scopemapping(given: Any) -> Any:
    """A scope written as `kind:id` as an object; anything else as it is."""
    if isinstance(given, str) and ":" in given:
        kind, _, rest = given.partition(":")
        return {"kind": canonical_name("scope_kind", kind), "id": rest}
    return given


def _source(given: Any, path: str, findings: list[Finding]) -> Any:
    if given in (None, {}, ""):
        fix = "add `source: {kind, uri, observed_at, evidence}`: where does it come from?"
        findings.append(
            Finding("no_source", "the claim states no source", f"{path}/source", fix, req="B-V1")
        )
        return {"kind": "unknown"}
    if isinstance(given, str):
        fix = "give `source: {kind, uri, observed_at, evidence}`"
        message = f"the source {quoted(given)} cannot be looked at again"
        findings.append(Finding("source_not_checkable", message, f"{path}/source", fix, req="B-V1"))
        return {"kind": "unknown", "note": given}
    if not isinstance(given, Mapping):
        return given
    source = dict(given)
    source.setdefault("kind", "unknown")
    if not source.get("origin") and not source.get("candidate_origins"):
        source["origin"] = dict(KIND_ORIGINS).get(str(source["kind"]), "")
    if isinstance(source.get("evidence"), list):
        source["evidence"] = [
            {"pointer": e} if isinstance(e, str) else e for e in source["evidence"]
        ]
    return source


def _rename(raw: dict[str, Any], keys: tuple[str, ...], vocabulary: str) -> None:
    holder: Any = raw
    for key in keys[:-1]:
        if not isinstance(holder.get(key), Mapping):
            return
        holder[key] = dict(holder[key])
        holder = holder[key]
    if isinstance(holder.get(keys[-1]), str):
        holder[keys[-1]] = canonical_name(vocabulary, holder[keys[-1]])


def _keep_unknown(raw: dict[str, Any], path: str, findings: list[Finding]) -> dict[str, Any]:
    unknown = {k: v for k, v in raw.items() if k not in _CLAIM_KEYS and k not in _COMPUTED}
    known = {k: v for k, v in raw.items() if k in _CLAIM_KEYS and k not in _STATES_BY_SYSTEM}
    for key in unknown:
        fix = "rename it if it is a slip of the pen"
        findings.append(
            Finding(
                "unknown_key",
                f"{quoted(key)} is not a part of a claim and is kept aside",
                f"{path}/{key}",
                fix,
                "notice",
            )
        )
    if unknown and isinstance(raw.get("extensions", {}), Mapping):
        known["extensions"] = {**raw.get("extensions", {}), "unknown": unknown}
    return known


def _refuse_unknown_names(raw: Mapping[str, Any], path: str, findings: list[Finding]) -> None:
    for keys, vocabulary in _NAMED_FIELDS:
        holder: Any = raw
        for key in keys:
            holder = holder.get(key) if isinstance(holder, Mapping) else None
        place = "/".join((path, *keys))
        if not isinstance(holder, str) or holder in names(vocabulary) or holder == "":
            continue
        if is_closed(vocabulary):
            findings.append(unknown_name(vocabulary, holder, place))
        elif not _OPEN_NAME.fullmatch(holder):
            fix = "use lower-case words joined by `_`, or a declared one: " + ", ".join(
                names(vocabulary)
            )
            findings.append(
                Finding(f"bad_{vocabulary}", f"{quoted(holder)} is no name", place, fix)
            )


def read_diff(
    given: Any, new_ids: Mapping[str, str], path: str = ""
) -> tuple[Diff | None, tuple[Finding, ...]]:
    """Read a diff as it stands on the wire (DESIGN section 3).

    Args:
        given: JSON value.
        new_ids: Identifiers to give: `diff`, and `item:<n>` for the n-th change's item.
        path: JSON pointer of `given`.
    """
    if not isinstance(given, Mapping):
        return None, (
            Finding("wrong_type", "a diff is an object", path, "give `{scope, trigger, changes}`"),
        )
    findings: list[Finding] = []
    raw = {key: value for key, value in given.items() if key not in ("review", "application", "id")}
    findings.extend(_wire_state(given, path))
    changes = [
        _change(c, i, new_ids, path, findings) for i, c in enumerate(_list(given.get("changes")))
    ]
    raw["changes"] = []
    raw["id"] = new_ids["diff"]
    raw["scope"] = _scopemapping(raw.get("scope"))
    if "id" in given and not is_id(str(given["id"]), "mdiff"):
        raw["extensions"] = {"foreign_id": given["id"]}
    if isinstance(raw.get("basis"), Mapping):
        raw["basis"] = [raw["basis"]]
    raw.setdefault("trigger", {"kind": ""})
    diff = read(Diff, raw, path, findings)
    if diff is None:
        return None, tuple(findings)
    return replace(diff, changes=tuple(c for c in changes if c)), tuple(findings)


def _list(given: Any) -> list[Any]:
    return given if isinstance(given, list) else []


def _wire_state(given: Mapping[str, Any], path: str) -> list[Finding]:
    """A diff that says it was applied must carry the record of it (`B-DIFFREJECT`)."""
    found: list[Finding] = []
    application = given.get("application")
    if isinstance(application, Mapping) and application.get("status") == "applied":
        if not application.get("applied_at"):
            message = "the diff says that it was applied, without a record of it"
            fix = "give `application.applied_at` and what came of it, or take the status away"
            found.append(
                Finding(
                    "applied_without_record",
                    message,
                    f"{path}/application",
                    fix,
                    req="B-DIFFREJECT",
                )
            )
        else:
            message = "the diff was applied elsewhere; here it begins as a proposal"
            found.append(
                Finding("applied_elsewhere", message, f"{path}/application", severity="notice")
            )
    if "changes" not in given or not isinstance(given["changes"], list):
        found.append(
            Finding(
                "no_changes", "a diff has a list of changes", f"{path}/changes", "add `changes: []`"
            )
        )
    return found


def _change(
    given: Any, index: int, new_ids: Mapping[str, str], path: str, findings: list[Finding]
) -> Change | None:
    place = f"{path}/changes/{index}"
    if not isinstance(given, Mapping):
        findings.append(
            Finding("wrong_type", "a change is an object", place, "give `{id, operation, reason}`")
        )
        return None
    raw = {_part(key): value for key, value in given.items()}
    raw.setdefault("id", f"change_{index + 1:02d}")
    operation = raw.get("operation")
    if operation not in names("operation"):
        findings.append(unknown_name("operation", str(operation), f"{place}/operation"))
        return None
    if "source" in raw:
        raw["source"] = _source(raw["source"], place, findings)
    item = None
    if operation in ("add", "supersede") and raw.get("item") is not None:
        item, found = read_claim(raw["item"], new_ids[f"item:{index}"], f"{place}/item")
        findings.extend(found)
    raw.pop("item", None)
    change = read(Change, raw, place, findings)
    return replace(change, item=item) if change else None


def _part(key: Any) -> Any:
    """The part of a change that a key names; equivalent names of a claim stand for its item (`A-EQUIVALENCE`)."""
    pair = equivalent(key) if isinstance(key, str) else None
    return "item" if pair and pair.stands_for == "claim" else key


def draft_digest(claim: Claim) -> str:
    """Digest of a claim without its identifier: equal for the same proposal made twice (`E-IDEMPOTENT`)."""
    body = {
        key: value
        for key, value in encode(claim).items()
        if key not in ("id", "created_at", "provenance")
    }
    return digest(body)
