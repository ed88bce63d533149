"""Every rule of the core in one list: what it is called, which promise it keeps, what it says.

- The list is made from the tables that really run; a rule that is in no table is not here, and does nothing.
- An id is the table's kind and the rule's own name, and never changes its meaning.
- The reference is written from this list, and a test switches each row off and sees that a case of its
  requirement comes out differently.

>>> named("claim/has_source").req
'B-V1'
>>> named("use/prohibited_use").summary
'A prohibited use needs a re-reading that matched, unless the prohibition is absolute.'
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from muniment.core.check import CLAIM_RULES
from muniment.core.check_diff import DIFF_RULES
from muniment.core.decide import USE_RULES
from muniment.core.draft_rules import BOUNDARIES, DRAFT_RULES
from muniment.core.policy import POLICY_RULES
from muniment.core.review import REVIEW_RULES
from muniment.core.status import STATUS_RULES

KINDS = (
    ("draft", "what a claim must state before anything else is looked at"),
    ("claim", "what is wrong with a claim that somebody proposes"),
    ("diff", "what is wrong with a diff"),
    ("review", "what is wrong with a reviewer's decision"),
    ("policy", "why a declared policy may not accept a change"),
    ("status", "what a claim's status is at an instant; the first that applies decides"),
    ("use", "why a claim may not serve a use; every one that applies is named"),
)


@dataclass(frozen=True, slots=True)
class RegisteredRule:
    """One rule.

    Attributes:
        id: Kind and name, such as `claim/has_source`.
        req: The requirement that it keeps.
        kind: One of `KINDS`.
        summary: One sentence.
    """

    id: str
    req: str
    kind: str
    summary: str


def name_of(rule: Callable[..., Any]) -> str:
    """A rule function's name without its leading underscore."""
    return rule.__name__.lstrip("_")


def _said(req: str, rule: Callable[..., Any]) -> str:
    """The first sentence of a rule's docstring, without the requirement that stands beside it."""
    first = (rule.__doc__ or "").strip().partition("\n")[0]
    return first.replace(f" (`{req}`)", "").replace(f"`{req}`, ", "")


def _functions(
    kind: str, rows: Iterable[tuple[str, Callable[..., Any]]]
) -> Iterator[RegisteredRule]:
    return (
        RegisteredRule(f"{kind}/{name_of(rule)}", req, kind, _said(req, rule)) for req, rule in rows
    )


def _named(
    kind: str, rows: Iterable[tuple[str, str, Callable[..., Any]]]
) -> Iterator[RegisteredRule]:
    return (
        RegisteredRule(f"{kind}/{name}", req, kind, _said(req, rule)) for name, req, rule in rows
    )


def _drafts() -> Iterator[RegisteredRule]:
    for key, code, req, severity, _, _ in BOUNDARIES:
        verb = "must state" if severity == "error" else "should state"
        yield RegisteredRule(f"draft/{code}", req, "draft", f"A claim {verb} its {key}.")


RULES: tuple[RegisteredRule, ...] = (
    *_drafts(),
    *_functions("draft", DRAFT_RULES),
    *_functions("claim", CLAIM_RULES),
    *_functions("diff", DIFF_RULES),
    *_functions("review", REVIEW_RULES),
    *_named("policy", POLICY_RULES),
    *_named("status", ((status, "A-STATUS", rule) for status, rule in STATUS_RULES)),
    *_named("use", USE_RULES),
)


def named(id: str) -> RegisteredRule:
    """The rule with an id.

    Raises:
        KeyError: There is none.
    """
    found = next((rule for rule in RULES if rule.id == id), None)
    if found is None:
        raise KeyError(id)
    return found
