"""What a recall hands over: evidence, conflicts, omissions, outcome, and how it came about (`A-OUTPUT`).

- The outcome is one of a closed list; an empty packet says why it is empty.
- A contradiction keeps all its sides, and says which may win by which rule, or that none does.
- What was left out is counted by reason, and the first of it is listed; what may not be seen is neither.
- Every step of the query model leaves its counts (`A-QUERY`).
- Times are UTC; numbers are rounded to four decimals; the same packet is the same bytes (`E-DETERMINISM`).

One claim's form is `evidence`'s, the text `render`'s; the identifier of the retrieval stands beside the packet.

>>> json_of_conflict(Disagreement(("mem_a", "mem_b"), (), Ruling("", "", ("mem_a", "mem_b"), ())))["decided"]
False
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypedDict

from muniment.core.bridge import RewriteJson, Variant, json_of_rewrite
from muniment.core.evidence import Item, ItemJson, json_of_item
from muniment.core.precedence import Ruling
from muniment.core.quote import Quote, QuoteJson, json_of_quote

Outcome = Literal[
    "complete", "partial", "conflict", "no_support", "unreviewed", "no_scope", "budget_exceeded"
]  # fmt: skip
OUTCOMES: tuple[tuple[Outcome, str], ...] = (
    ("complete", "everything that supports an answer is here"),
    ("partial", "more supports an answer than the limits let through"),
    ("conflict", "claims here contradict one another, and no rule says which may win"),
    ("no_support", "nothing that you may use supports an answer"),
    (
        "unreviewed",
        "no reviewed claim supports an answer; passages that nobody has checked bear on it",
    ),
    ("no_scope", "no scope is in force, so nothing was looked at"),
    ("budget_exceeded", "something supports an answer, and nothing of it fits the limits whole"),
)
LISTED = 20
"""How many omissions are listed; all are counted."""

ENTITY = "AIMemoryMetadata"


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Claims that contradict one another.

    Attributes:
        ids: The sides that are handed over, sorted.
        notes: What is said of the contradiction.
        ruling: Which may win, and by which rule.
        not_served: Sides that the asker may see but that do not serve here, with the reasons.
    """

    ids: tuple[str, ...]
    notes: tuple[str, ...]
    ruling: Ruling
    not_served: tuple[tuple[str, tuple[str, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class Omission:
    """A claim that matched and was left out.

    Attributes:
        id: The claim.
        reasons: Names of the rules or limits.
        detail: By which claim, or what was found.
    """

    id: str
    reasons: tuple[str, ...]
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One of the ten steps of the query model, with its counts (`A-QUERY`)."""

    number: int
    name: str
    counts: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits and what was used of them, counted on the text as handed over (`E-LIMITS`)."""

    limit: int
    used: int
    counter: str
    k: int


class LoserJson(TypedDict):
    """A side that may not win, and by which rule."""

    id: str
    rule: str


class NotServedJson(TypedDict):
    """A side that does not serve here, and why."""

    id: str
    reasons: list[str]


class DisagreementJson(TypedDict):
    """Claims that contradict one another, and which may win by which rule."""

    ids: list[str]
    notes: list[str]
    decided: bool
    winner: str | None
    decided_by: str | None
    may_win: list[str]
    losers: list[LoserJson]
    not_served: list[NotServedJson]


class OmissionJson(TypedDict):
    """A claim that matched and was left out, and why."""

    id: str
    reasons: list[str]
    detail: str | None


class OmissionsJson(TypedDict):
    """What was left out: all of it counted, the first of it listed."""

    total: int
    by_reason: dict[str, int]
    items: list[OmissionJson]


class BudgetJson(TypedDict):
    """The limits and what was used of them."""

    limit: int
    used: int
    counter: str
    counted: str
    k: int


class VariantJson(TypedDict):
    """What was asked for instead of the query, and by which rewrites."""

    text: str
    rewrites: list[RewriteJson]


class StepJson(TypedDict):
    """One of the ten steps of the query model, with its counts."""

    step: int
    name: str
    counts: dict[str, int]


class PacketJson(TypedDict):
    """A packet: evidence whole and cited, what was left out and why."""

    ontology_entity: str
    outcome: Outcome
    stage: str | None
    advice: str | None
    variants: list[VariantJson]
    evidence: list[ItemJson]
    conflicts: list[DisagreementJson]
    passages: list[QuoteJson]
    omissions: OmissionsJson
    revision: int
    budget: BudgetJson
    request: dict[str, Any]
    ranking: dict[str, str]
    trace: list[StepJson]
    ontology: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Packet:
    """Everything that a recall hands over.

    Attributes:
        outcome: One of `OUTCOMES`.
        items: The evidence, best first; conflicting claims stand together.
        conflicts: The contradictions among them.
        omissions: What would have served and was left out, most relevant first.
        unlisted: What matched too little to be named, or was too much to be read: reason and how many claims.
        revision: The last revision that touched anything the asker may see.
        budget: The limits.
        request: What was asked, as it was understood.
        trace: The ten steps.
        policy: Name, version and digest of the ranking policy.
        text: The rendering.
        advice: What to do, where nothing is handed over.
        ontology: Hash of the vocabulary.
        stage: Where a bound or conflict stopped the work before anything was scored; empty elsewhere.
        variants: What a grounded recall asked for instead of the query, the query first; none in a plain one.
        quotes: Unreviewed passages, best first, where they were asked for.
    """

    outcome: Outcome
    items: tuple[Item, ...]
    conflicts: tuple[Disagreement, ...]
    omissions: tuple[Omission, ...]
    revision: int
    budget: Budget
    request: Mapping[str, Any]
    trace: tuple[Step, ...]
    policy: tuple[tuple[str, str], ...]
    unlisted: tuple[tuple[str, int], ...] = ()
    text: str = ""
    advice: str = ""
    ontology: str = ""
    stage: str = ""
    variants: tuple[Variant, ...] = ()
    quotes: tuple[Quote, ...] = ()

    def as_json(self) -> PacketJson:
        """The packet as a JSON value."""
        return {
            "ontology_entity": ENTITY,
            "outcome": self.outcome,
            "stage": self.stage or None,
            "advice": self.advice or None,
            "variants": [
                {"text": one.text, "rewrites": [json_of_rewrite(step) for step in one.steps]}
                for one in self.variants
            ],
            "evidence": [json_of_item(item) for item in self.items],
            "conflicts": [json_of_conflict(conflict) for conflict in self.conflicts],
            "passages": [json_of_quote(quote) for quote in self.quotes],
            "omissions": json_of_omissions(self.omissions, self.unlisted),
            "revision": self.revision,
            "budget": {
                "limit": self.budget.limit,
                "used": self.budget.used,
                "counter": self.budget.counter,
                "counted": "text",
                "k": self.budget.k,
            },
            "request": dict(self.request),
            "ranking": dict(self.policy),
            "trace": [
                {"step": step.number, "name": step.name, "counts": dict(step.counts)}
                for step in self.trace
            ],
            "ontology": self.ontology or None,
            "text": self.text,
        }


def json_of_conflict(conflict: Disagreement) -> DisagreementJson:
    """A contradiction as a JSON value."""
    ruling = conflict.ruling
    return {
        "ids": list(conflict.ids),
        "notes": list(conflict.notes),
        "decided": ruling.decided,
        "winner": ruling.winner or None,
        "decided_by": ruling.decided_by or None,
        "may_win": list(ruling.may_win),
        "losers": [{"id": name, "rule": rule} for name, rule in ruling.losers],
        "not_served": [
            {"id": name, "reasons": list(reasons)} for name, reasons in conflict.not_served
        ],
    }


def json_of_omissions(
    omissions: tuple[Omission, ...], unlisted: tuple[tuple[str, int], ...] = ()
) -> OmissionsJson:
    """All omissions counted, the first of them listed.

    >>> found = json_of_omissions((Omission("mem_a", ("expired",)),), (("below_support", 3),))
    >>> found["total"], found["by_reason"], len(found["items"])
    (4, {'below_support': 3, 'expired': 1}, 1)
    """
    return {
        "total": len(omissions) + sum(count for _, count in unlisted),
        "by_reason": dict(sorted((*reasons_of(omissions), *unlisted))),
        "items": [
            {"id": o.id, "reasons": list(o.reasons), "detail": o.detail or None}
            for o in omissions[:LISTED]
        ],
    }


def reasons_of(omissions: tuple[Omission, ...]) -> tuple[tuple[str, int], ...]:
    """How many claims each reason left out; a claim with two reasons counts under both."""
    counts: dict[str, int] = {}
    for omission in omissions:
        for reason in omission.reasons:
            counts[reason] = counts.get(reason, 0) + 1
    return tuple(sorted(counts.items()))
