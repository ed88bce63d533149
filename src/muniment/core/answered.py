"""What a query came to: rows with their proofs, or why there are none, and never a part of them (`D-CONJ`, `D-BOUNDS`).

- `no_matches` speaks of the claims that may serve this request now, not of the world.
- A contradiction that an answer would rest on is shown with its sides, instead of an answer.
- A bound that was met is named with the stage in which it was.
- Every row has all its minimal proofs, the first of them by name, and the rest counted.

>>> answered = Answered("budget_exceeded", Query((), ()), stage="join", bound="states")
>>> answered.as_json()["rows"], answered.advice.partition(":")[0]
([], 'the join met the bound `states`')
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict

from muniment.core.claim import Claim
from muniment.core.encode import encode
from muniment.core.evidence import Citation, CitationJson, json_of_citation
from muniment.core.packet import Disagreement, DisagreementJson, json_of_conflict
from muniment.core.query import Query, QueryJson

QueryOutcome = Literal[
    "rows", "no_matches", "conflict", "budget_exceeded", "search_exhausted", "no_scope"
]
QUERY_OUTCOMES: tuple[tuple[QueryOutcome, str], ...] = (
    ("rows", "every answer that the claims give, each with its proofs"),
    ("no_matches", "the claims that may serve this request give no answer; that says nothing of the world"),
    ("conflict", "an answer would rest on claims that others contradict"),
    ("budget_exceeded", "a bound was met before every answer was known, so none is shown"),
    ("search_exhausted", "the search for a packet ended at its bound, and nothing fits yet"),
    ("no_scope", "no scope is in force, so nothing was looked at"),
)  # fmt: skip
Stage = Literal["", "expansion", "join", "packing"]

_ADVICE = (
    ("no_matches", "no claims that you may use here join to an answer; that says nothing of the world"),
    ("conflict", "review the contradiction: `muniment conflicts` shows both sides"),
    ("no_scope", "no scope is in force: run `muniment init` in the project, or name one with `--scope kind:id`"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """One answer.

    Attributes:
        values: Texts of the selected variables, in their order.
        proofs: Claims by id, each proof sorted; fewest claims first.
        count: How many minimal proofs there are.
    """

    values: tuple[str, ...]
    proofs: tuple[tuple[str, ...], ...]
    count: int


class SupportSourceJson(TypedDict):
    """Where a claim comes from."""

    kind: str
    derivation: str
    citations: list[CitationJson]


class SupportJson(TypedDict):
    """A claim that a proof or a contradiction needs."""

    id: str
    claim: str
    facts: list[list[str]]
    status: str
    labels: list[str]
    freshness: str
    scope: str
    source: SupportSourceJson


class AnswerRowJson(TypedDict):
    """An answer with its smallest proofs."""

    values: dict[str, str]
    proofs: list[list[str]]
    proof_count: int


class AnsweredJson(TypedDict):
    """Rows with their proofs, or why there is none."""

    outcome: QueryOutcome
    query: QueryJson
    rows: list[AnswerRowJson]
    conflicts: list[DisagreementJson]
    claims: dict[str, SupportJson]
    stage: str | None
    bound: str | None
    advice: str | None
    revision: int
    request: dict[str, Any]
    work: dict[str, Any]
    packing: Packing | None


@dataclass(frozen=True, slots=True)
class Support:
    """A claim that a proof or a contradiction needs, as the asker sees it.

    Attributes:
        claim: The claim, whole.
        facts: Its facts as (subject, predicate, object), as they were joined.
        status: Computed for the instant and the asker.
        labels: What must be said beside it.
        freshness: For the use that was asked for.
        citations: Where it comes from.
    """

    claim: Claim
    facts: tuple[tuple[str, str, str], ...]
    status: str
    labels: tuple[str, ...]
    freshness: str
    citations: tuple[Citation, ...]

    def as_json(self) -> SupportJson:
        """A JSON value."""
        source = self.claim.source
        return {
            "id": self.claim.id,
            "claim": self.claim.claim,
            "facts": [list(fact) for fact in self.facts],
            "status": self.status,
            "labels": list(self.labels),
            "freshness": self.freshness,
            "scope": str(self.claim.scope),
            "source": {
                "kind": source.kind,
                "derivation": source.derivation,
                "citations": [json_of_citation(one) for one in self.citations],
            },
        }


@dataclass(frozen=True, slots=True)
class Packing:
    """The packet that was made of the rows, and how it was found (`D-PACK`).

    Attributes:
        text: The whole packet; empty where none fits.
        used: Its tokens.
        budget: Tokens at most.
        counter: What counted them.
        optimal: Whether no other choice of proofs is smaller.
        examined: Combinations of proofs that were serialised and counted.
        combinations: How many there are of the listed proofs.
        left: Rows that do not fit, where as many as fit were asked for.
    """

    text: str
    used: int
    budget: int
    counter: str
    optimal: bool
    examined: int
    combinations: int
    left: int = 0


@dataclass(frozen=True, slots=True)
class Answered:
    """What a query came to.

    Attributes:
        outcome: One of `QUERY_OUTCOMES`.
        query: What was asked.
        rows: The answers, sorted by their values.
        conflicts: The contradictions that stopped it.
        supports: The claims of the proofs (where they were asked for) or of the contradictions, by id.
        stage: Where a bound was met.
        bound: Which one.
        revision: The last revision that touched anything the asker may see.
        request: What was asked, as it was understood.
        work: Examinations, states and the order of the patterns.
        packing: The packet, where a budget was given; its proof is the first of each row.
    """

    outcome: QueryOutcome
    query: Query
    rows: tuple[AnswerRow, ...] = ()
    conflicts: tuple[Disagreement, ...] = ()
    supports: Mapping[str, Support] = field(default_factory=dict)
    stage: Stage = ""
    bound: str = ""
    revision: int = 0
    request: Mapping[str, Any] = field(default_factory=dict)
    work: Mapping[str, Any] = field(default_factory=dict)
    packing: Packing | None = None

    @property
    def advice(self) -> str:
        """What to do where there are no rows; empty where there are."""
        if self.stage == "packing":
            if self.outcome == "search_exhausted":
                return "allow more combinations: of those examined none fits, which proves nothing of the rest"
            return "raise the budget, or ask for as many rows as fit; no proof is ever cut to fit"
        if self.outcome == "budget_exceeded":
            return (
                f"the {self.stage} met the bound `{self.bound}`: ask more narrowly;"
                " nothing of it is shown, since a part could pass for the whole"
            )
        return dict(_ADVICE).get(self.outcome, "")

    def as_json(self) -> AnsweredJson:
        """A JSON value, every key always there."""
        names = [str(variable) for variable in self.query.select]
        return {
            "outcome": self.outcome,
            "query": self.query.as_json(),
            "rows": [
                {
                    "values": dict(zip(names, row.values, strict=True)),
                    "proofs": [list(proof) for proof in row.proofs],
                    "proof_count": row.count,
                }
                for row in self.rows
            ],
            "conflicts": [json_of_conflict(one) for one in self.conflicts],
            "claims": {name: one.as_json() for name, one in sorted(self.supports.items())},
            "stage": self.stage or None,
            "bound": self.bound or None,
            "advice": self.advice or None,
            "revision": self.revision,
            "request": dict(self.request),
            "work": dict(self.work),
            "packing": encode(self.packing) if self.packing else None,
        }
