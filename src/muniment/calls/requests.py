"""What is given to a verb, field by field; what is not declared is refused, not ignored.

- Shapes and ranges stand here, for schemas and early refusals; rules of meaning are the use cases' own.
- A scope is written `kind:id`, and narrows those in force.

>>> Recall.model_validate({"query": "how?"}).budget
1200
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from muniment.core.request import LONGEST_QUERY

_INSTANT = re.compile(
    r"\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,6})?([Zz]|[+-]\d{2}:\d{2})?", re.ASCII
)


def _instant(value: object) -> object:
    if isinstance(value, datetime):
        return value
    found = _INSTANT.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        raise PydanticCustomError("not_an_instant", "this is no date with a time")
    if found[2] is None:
        raise PydanticCustomError("timezone_aware", "the time has no offset")
    try:
        return datetime.fromisoformat(found[0])
    except ValueError:
        raise PydanticCustomError("not_an_instant", "there is no such date or time") from None


Instant = Annotated[
    datetime,
    BeforeValidator(_instant),
    WithJsonSchema({"type": "string", "format": "date-time", "examples": ["2026-07-08T12:00:00Z"]}),
]
Revision = Annotated[int, Field(ge=0, le=2**53 - 1)]
Name = Annotated[str, Field(min_length=1, max_length=200)]
Text = Annotated[str, Field(max_length=LONGEST_QUERY)]
ScopeText = Annotated[
    str, Field(min_length=3, max_length=400, pattern="^[a-z_]+:.+", examples=["project:shop"])
]
ClaimId = Annotated[
    str, Field(min_length=1, max_length=200, examples=["mem_01kx0sjsg0e008000000000000"])
]
DiffId = Annotated[
    str, Field(min_length=1, max_length=200, examples=["mdiff_01kx0sjsg0e008000000000000"])
]


class Given(BaseModel):
    """A request: nothing undeclared, nothing coerced."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Scoped(Given):
    """A request that can ask less than all scopes in force."""

    scopes: list[ScopeText] | None = Field(
        None, max_length=100, description="Of the scopes in force, those asked; all by default."
    )


class Recall(Scoped):
    """A question to memory, in words."""

    query: Text = Field(
        "", description="What is asked, in words.", examples=["how do I run the tests?"]
    )
    use: str = Field(
        "",
        max_length=200,
        description="What the answer is wanted for; none serves no action.",
        examples=["answer_questions"],
    )
    budget: int = Field(1_200, ge=1, le=1_000_000, description="Tokens of the text at most.")
    k: int = Field(12, ge=1, le=100, description="Claims at most.")
    at: Instant | None = Field(None, description="The instant in valid time; now by default.")
    as_of: Revision | Instant | None = Field(
        None, description="A revision, or an instant in system time."
    )
    history: bool = Field(False, description="Also what is expired, superseded or deprecated.")
    method: str = Field("hybrid_retrieval", max_length=200, description="How to find.")
    ids: list[ClaimId] = Field([], max_length=100, description="Only these claims.")
    memory_types: list[Name] = Field([], max_length=20)
    types: list[Name] = Field([], max_length=50)
    origins: list[Name] = Field([], max_length=20)
    uri_prefix: str = Field("", max_length=2_000, description="Only sources that begin so.")
    statuses: list[Name] = Field([], max_length=20)
    version: int = Field(0, ge=0, le=2**31)
    relevance_threshold: float = Field(0.0, ge=0.0, le=1.0)
    include_passages: bool = Field(
        False, description="Also unreviewed passages of sources, labelled."
    )
    reread: bool = Field(False, description="Read the sources of what is found again.")
    own_proposals: bool = Field(False, description="Also your own open proposals, labelled.")
    grounded: bool = Field(False, description="Let reviewed bridges rewrite the query.")
    log: Literal["text", "digest", "off"] = Field("text", description="What is kept of the query.")
    ranking: str = Field("", max_length=200, description="A ranking policy by name.")
    certify: bool = Field(
        False, description="Also a certificate by which it can be asked again; not logged."
    )


class Query(Scoped):
    """A conjunctive query over facts."""

    query: Text | dict[str, Any] = Field(
        description="Text such as `?who maintains ?repo, ?repo uses pnpm`, or `{where, select}`.",
        examples=["?who maintains ?repo, ?repo uses pnpm"],
    )
    use: str = Field("", max_length=200, examples=["answer_questions"])
    at: Instant | None = None
    as_of: Revision | Instant | None = None
    history: bool = False
    explain: bool = Field(False, description="Also the claims of the proofs, with their sources.")
    examinations: int = Field(50_000, ge=1, le=50_000)
    states: int = Field(512, ge=1, le=512)
    proofs: int = Field(128, ge=1, le=128)
    budget: int = Field(
        0, ge=0, le=1_000_000, description="Tokens of a packet of the rows; 0 for none."
    )
    as_many: bool = Field(False, description="As many rows as fit, where not all do.")
    certify: bool = False


class Revalidate(Given):
    """A certificate to ask again."""

    certificate: dict[str, Any] = Field(description="What `certify` gave.")


class Named(Given):
    """Something by its identifier."""

    id: ClaimId


class Claims(Given):
    """Claims by their identifiers."""

    ids: list[ClaimId] = Field(min_length=1, max_length=100)


class Nothing(Given):
    """No argument."""


class Survey(Scoped):
    """A look over the scopes in force."""

    sources: int = Field(
        10_000, ge=0, le=100_000, description="Of how many claims the sources are looked up."
    )


class Inbox(Given):
    """A page of what waits."""

    limit: int = Field(50, ge=1, le=200)
    after: str = Field("", max_length=200, description="The last diff of the page before.")


class OfDiff(Given):
    """One diff."""

    id: DiffId


class Graph(Given):
    """Claims as a graph; all that are accepted in scope where none is named."""

    ids: list[ClaimId] = Field([], max_length=1_000)


class Remember(Given):
    """One statement, proposed as a claim."""

    claim: str = Field(
        min_length=1,
        max_length=10_000,
        description="One statement, whole by itself.",
        examples=["Orders ship on Fridays."],
    )
    source: str | dict[str, Any] | None = Field(
        None,
        description="Where it comes from: an address, or `{kind, uri}`.",
        examples=["https://ci.example.org/jobs/17"],
    )
    quote: str = Field("", max_length=10_000, description="The words that stand there, exactly.")
    type: str = Field("", max_length=200)
    title: str = Field("", max_length=1_000)
    body: str = Field("", max_length=1_000_000)
    tags: list[Name] = Field([], max_length=100)
    facts: list[Fact] = Field([], max_length=100)
    allowed_uses: list[Name] = Field([], max_length=100)
    prohibited_uses: list[Name] = Field([], max_length=100)
    validity: Validity | None = None
    scope: ScopeText | None = Field(
        None, description="Of the scopes in force; needed where there are several."
    )
    reason: str = Field("", max_length=10_000, description="Why it is proposed.")


class Fact(Given):
    """Subject, predicate, object."""

    subject: Name
    predicate: Name
    object: Name


class Validity(Given):
    """When it is true; half-open."""

    valid_from: Instant | None = None
    valid_until: Instant | None = None
    conditions: list[Name] = Field([], max_length=20)


class Propose(Given):
    """A diff: several changes that are reviewed one by one."""

    changes: list[dict[str, Any]] = Field(
        max_length=10_000,
        description="Each `{id, operation: add|supersede|deprecate|revalidate|flag_conflict, reason, …}`.",
    )
    scope: ScopeText | dict[str, Any] | None = None
    trigger: dict[str, Any] | None = None
    basis: list[dict[str, Any]] | None = None
    summary: str | None = Field(None, max_length=10_000)
    ignored_candidates: list[dict[str, Any]] | None = None
    extensions: dict[str, Any] | None = None
    version: str | None = Field(None, max_length=20)


class Report(Given):
    """What became of a memory in use."""

    id: ClaimId
    verdict: Literal["wrong", "outdated", "useful"]
    reason: str = Field(
        min_length=1,
        max_length=10_000,
        description="What was seen, in a sentence.",
        examples=["The target was renamed to `check`."],
    )
    source: str | dict[str, Any] | None = Field(None, description="Where it was seen.")


class Bridge(Given):
    """A phrase of queries that may be rewritten to another."""

    phrase: Name
    target: Name
    source: str | dict[str, Any] | None = None
    quote: str = Field("", max_length=10_000)
    reason: str = Field("", max_length=10_000)
    scope: ScopeText | None = None


class Conversation(Given):
    """Messages to keep word for word, unreviewed."""

    name: str = Field(
        min_length=1, max_length=200, pattern=r"^[^/\\\x00]+$", examples=["standup.jsonl"]
    )
    messages: list[dict[str, Any]] = Field(
        min_length=1, max_length=100_000, description="Each `{speaker, text, at?}`."
    )


class SignedDecision(Given):
    """A decision on one change, signed where the credential is (`core.diff.signed_statement`)."""

    decision: Literal["accepted", "rejected", "needs_review"]
    reason: str = Field("", max_length=10_000)
    at: Instant
    change_digest: str = Field(max_length=200)
    public_key: str = Field(max_length=200)
    signature: str = Field(max_length=200)
    keep_value_open: bool = Field(False, description="Reject without a tombstone.")


class Decisions(Given):
    """Signed decisions on the changes of a diff."""

    id: DiffId
    decisions: dict[str, SignedDecision] = Field(min_length=1, max_length=10_000)


class Verification(Given):
    """A look over the ledger."""

    head: str = Field("", max_length=64, description="A hash that was noted earlier.")
