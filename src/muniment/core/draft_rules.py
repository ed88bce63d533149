"""What must be right about a claim as it was given, before it is read: boundaries, ranges, conditions of names.

- A boundary that is missing is found by its key; something stands in for it, so that the rest can be read too.
- A relevance belongs to a query: it is looked at here and not kept.
- An equivalent name is understood where its condition holds.

Reading itself is `core.draft`'s, rules of meaning are `core.check`'s.

>>> [finding.path for finding in relevance_is_in_range({"relevance": 1.5}, "/item")]
['/item/relevance']
>>> list(relevance_is_in_range({"relevance": 1}, "/item"))
[]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from muniment.core.errors import Finding, Severity, quoted
from muniment.core.vocabulary import equivalent

Boundary = tuple[str, str, str, Severity, str, Any]
"""Key, code of the finding, requirement, severity, what to do, and what stands in while the rest is read."""

BOUNDARIES: tuple[Boundary, ...] = (
    ("scope", "no_scope", "B-V2", "error", "where does it hold? add `scope: {kind, id}`",
     {"kind": "current_turn", "id": "-"}),
    ("visibility", "no_visibility", "B-V3", "error",
     "who may see it? add `visibility: {level, allowed_principals}`", {"level": "security-sensitive"}),
    ("review", "no_review_status", "B-V4", "error", "add `review: {status: proposed}`", {}),
    ("freshness", "no_freshness", "B-FRESHNESS", "warning",
     "when was it last checked? add `freshness: {last_verified_at}`; until then it is unknown", {}),
)  # fmt: skip


Rule = Callable[[Mapping[str, Any], str], Iterator[Finding]]


def relevance_is_in_range(raw: Mapping[str, Any], path: str) -> Iterator[Finding]:
    """A relevance lies in [0, 1]; it belongs to a query, and is not kept with the claim."""
    given = raw.get("relevance")
    number = isinstance(given, int | float) and not isinstance(given, bool)
    if given is not None and not (number and 0 <= given <= 1):
        message, fix = f"relevance is {quoted(given)}, outside 0 to 1", "give a number from 0 to 1"
        yield Finding("out_of_range", message, f"{path}/relevance", fix, req="A-REJECT-RELEVANCE")


def names_meet_conditions(raw: Mapping[str, Any], path: str) -> Iterator[Finding]:
    """An equivalent name is understood where its condition holds (`A-EQUIVALENCE`)."""
    given = raw.get("memory_type")
    pair = equivalent(given) if isinstance(given, str) else None
    if pair and pair.condition and not _CONDITIONS[pair.stands_for](raw):
        message = f"{quoted(given)} is understood when {pair.condition}, which it is not here"
        fix = f"say `{pair.stands_for}`, or give what it speaks of"
        yield Finding("condition_not_met", message, f"{path}/memory_type", fix, req="A-EQUIVALENCE")


def _is_conversation(raw: Mapping[str, Any]) -> bool:
    kinds = (mapping(raw.get("source")).get("kind"), mapping(raw.get("source")).get("origin"))
    in_one = mapping(raw.get("scope")).get("kind") == "conversation"
    return in_one or bool({"conversation", "permalink"} & set(kinds))


def _is_general(raw: Mapping[str, Any]) -> bool:
    kind = raw.get("content_kind", "text")
    return kind not in ("event", "task_state") and not raw.get("event")


_CONDITIONS: Mapping[str, Callable[[Mapping[str, Any]], bool]] = MappingProxyType(
    {"conversational": _is_conversation, "semantic": _is_general, "recall": lambda raw: True}
)
DRAFT_RULES: tuple[tuple[str, Rule], ...] = (
    ("A-REJECT-RELEVANCE", relevance_is_in_range),
    ("A-EQUIVALENCE", names_meet_conditions),
)


def mapping(given: Any) -> dict[str, Any]:
    """What was given, if it is an object; else an empty one."""
    return dict(given) if isinstance(given, Mapping) else {}
