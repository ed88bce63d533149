"""What is wrong with a claim that somebody proposes: one rule, one function, one row.

- Every rule sees the claim, the instant and what the proposer may see of its sources; it yields findings.
- All findings are given at once; an error refuses the diff whole, a warning waits for the reviewer.
- What the proposer may not see is not looked at here (`E-BLINDWRITE`).

That boundaries are missing is found while reading (`core.draft`); what is wrong with a diff in `core.check_diff`.

>>> claim = Claim(
...     "mem_x",
...     "The shop uses pnpm.",
...     Scope("repository", "local:shop"),
...     Source("model_summary", "summarisation"),
...     Visibility("public"),
... )
>>> [finding.code for finding in check_claim(claim, Known(now=0))]
['weak_source', 'summary_without_source']
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from muniment.core.access import Audience, Scope, Visibility, within
from muniment.core.claim import Claim
from muniment.core.codec import encode, micros
from muniment.core.confidence import grade_of
from muniment.core.embedding import reference_problem
from muniment.core.errors import Finding, quoted
from muniment.core.fold import expiry_of
from muniment.core.row import Row
from muniment.core.secret_scan import scan, secret_findings
from muniment.core.source import Source
from muniment.core.status import window
from muniment.core.text import identifier_findings, looks_like_instruction, text_findings
from muniment.core.vocabulary import BROAD_SCOPES, NOT_MEMORY, risk_of

_ = (Scope, Visibility, Source)  # named by the doctest
LONGEST_CLAIM = 4_000
LONGEST_BODY = 1_000_000
NARROW_KINDS = (
    "file",
    "conversation",
    "permalink",
    "user_statement",
    "user_correction",
    "tool_output",
)
NARROW_SCOPES = ("current_turn", "conversation", "task")
_BROAD_WORDS = frozenset("everyone everybody always never everywhere all every".split())


@dataclass(frozen=True, slots=True)
class Known:
    """What a rule may look at besides the claim.

    Attributes:
        now: Instant, microseconds.
        sources: Rows of the claims that it is derived from, as far as the proposer may see them.
        audiences: Their audiences.
        given_relevance: A relevance that stood in the draft.
        is_import: Whether it comes from another memory; some things may then be missing, and wait for review.
    """

    now: int
    sources: Mapping[str, Row] = field(default_factory=dict)
    audiences: Mapping[str, Audience] = field(default_factory=dict)
    given_relevance: object = None
    is_import: bool = False


Rule = Callable[[Claim, Known], Iterator[Finding]]


def _texts(claim: Claim) -> Iterator[tuple[str, str]]:
    """Every text of a claim with its path."""

    def walk(value: object, path: str) -> Iterator[tuple[str, str]]:
        if isinstance(value, str):
            yield path, value
        elif isinstance(value, Mapping):
            for key, item in value.items():
                yield f"{path}/{key}", str(key)
                yield from walk(item, f"{path}/{key}")
        elif isinstance(value, list):
            for index, item in enumerate(value):
                yield from walk(item, f"{path}/{index}")

    yield from walk(encode(claim), "")


def has_statement(claim: Claim, known: Known) -> Iterator[Finding]:
    if not claim.claim.strip():
        yield Finding(
            "empty_claim", "the claim says nothing", "/claim", "state one fact", req="B-CLAIM"
        )
    if len(claim.facts) > 1 and len({(f.subject, f.predicate) for f in claim.facts}) > 1:
        message = f"the claim carries {len(claim.facts)} different facts"
        yield Finding(
            "several_facts",
            message,
            "/facts",
            "split it into one claim a fact",
            "warning",
            "B-CLAIM",
        )


def is_readable(claim: Claim, known: Known) -> Iterator[Finding]:
    for path, text in _texts(claim):
        limit = LONGEST_CLAIM if path == "/claim" else LONGEST_BODY
        yield from text_findings(text, path, limit=limit)
    for path, text in (("/scope/id", claim.scope.id), *_principals(claim)):
        yield from identifier_findings(text, path)


def _principals(claim: Claim) -> Iterator[tuple[str, str]]:
    for index, principal in enumerate(claim.visibility.allowed_principals):
        yield f"/visibility/allowed_principals/{index}", principal


def has_no_secret(claim: Claim, known: Known) -> Iterator[Finding]:
    """No secret stands in any text of the claim."""
    yield from secrets_in(tuple(_texts(claim)))


def secrets_in(texts: tuple[tuple[str, str], ...]) -> Iterator[Finding]:
    """Secrets in texts with their paths; a key's name counts with its value (`password: …`).

    >>> [f.path for f in secrets_in((("/properties/note", "no secret"), ("/properties/api_key", "x")))]
    []
    """
    if not scan("\n".join(f"{path.rpartition('/')[2]}: {text}" for path, text in texts)):
        return
    for path, text in texts:
        found = secret_findings(text, path)
        yield from found or secret_findings(f"{path.rpartition('/')[2]}: {text}", path)


def is_no_instruction(claim: Claim, known: Known) -> Iterator[Finding]:
    if any(looks_like_instruction(text) for text in (claim.claim, claim.body, claim.summary)):
        message = "the text addresses an agent like an instruction"
        yield Finding(
            "instruction_like",
            message,
            "/claim",
            "state what is so, and review with care",
            "warning",
            "D-QUOTED",
        )


def has_source(claim: Claim, known: Known) -> Iterator[Finding]:
    if claim.source.kind == "unknown" and not claim.source.uri and not claim.source.derived_from:
        fix = "give `source: {kind, uri, observed_at, evidence}`"
        yield Finding(
            "no_source",
            "the claim has no source that can be looked at again",
            "/source",
            fix,
            req="B-V1",
        )
    elif claim.source.is_weak:
        message = f"a source of kind {quoted(claim.source.kind)} without an address is weak"
        yield Finding(
            "weak_source", message, "/source", "link what it rests on", "warning", "B-SOURCE"
        )


def names_its_audience(claim: Claim, known: Known) -> Iterator[Finding]:
    if claim.visibility.level != "public" and not claim.visibility.allowed_principals:
        message = f"the level {quoted(claim.visibility.level)} names nobody, so nobody could see the claim"
        fix = "add `allowed_principals`, for instance `[user:alice]` or `[group:shop]`"
        yield Finding("no_principals", message, "/visibility/allowed_principals", fix, req="B-V3")


def is_not_too_broad(claim: Claim, known: Known) -> Iterator[Finding]:
    """Broad truth from narrow evidence (`B-V5`)."""
    independent = len(
        {e.uri or claim.source.uri for e in claim.source.evidence} | set(claim.source.derived_from)
    )
    narrow = claim.source.kind in NARROW_KINDS and independent < 2
    if claim.scope.kind in BROAD_SCOPES and narrow:
        message = f"a claim for a whole {claim.scope.kind.replace('_', ' ')} rests on one {claim.source.kind.replace('_', ' ')}"
        fix = (
            "narrow the scope to where the source speaks from, or give evidence from elsewhere too"
        )
        yield Finding("broad_from_narrow", message, "/scope", fix, req="B-V5")
    elif claim.scope.kind == "global_system" and _BROAD_WORDS & set(claim.claim.casefold().split()):
        message = "the claim speaks of everything and everybody"
        yield Finding("sweeping_words", message, "/claim", "say where it holds", "warning", "B-V5")


def is_not_expired_for_action(claim: Claim, known: Known) -> Iterator[Finding]:
    over = claim.freshness.status == "expired" or known.now >= expiry_of(claim)
    if over and claim.allowed_uses:
        fix = "verify it again, or take its allowed uses away"
        yield Finding(
            "expired_but_allowed",
            "the claim is expired and still allows uses",
            "/freshness",
            fix,
            req="B-V6",
        )


def has_conflict_notes(claim: Claim, known: Known) -> Iterator[Finding]:
    if (
        claim.conflicts
        and not claim.conflict_notes
        and not all(note.note for note in claim.conflicts)
    ):
        fix = "say what contradicts what, in `conflict_notes`"
        yield Finding(
            "conflict_without_note", "a known conflict has no note", "/conflicts", fix, req="B-V7"
        )


def risky_uses_are_verified(claim: Claim, known: Known) -> Iterator[Finding]:
    risky = [use for use in claim.allowed_uses if risk_of(use) == "high"]
    verified = claim.freshness.last_verified_at
    if risky and (verified is None or known.now - micros(verified) > window(claim.type, "high")):
        message = f"the high-risk use {quoted(risky[0])} is allowed without a verification of the last day"
        fix = "verify it now, or take the use away (a use that is not declared counts as high-risk)"
        yield Finding("risk_without_verification", message, "/allowed_uses", fix, req="B-V8")


def uses_do_not_clash(claim: Claim, known: Known) -> Iterator[Finding]:
    for use in sorted(set(claim.allowed_uses) & set(claim.prohibited_uses)):
        message = f"the use {quoted(use)} is both allowed and prohibited"
        yield Finding("use_clash", message, "/prohibited_uses", "keep one of the two", req="B-USES")


def is_not_presented_as_current(claim: Claim, known: Known) -> Iterator[Finding]:
    until = claim.validity.valid_until
    ended = known.now >= expiry_of(claim) or (until is not None and known.now >= micros(until))
    if ended and claim.freshness.status == "current":
        message = "the claim says that it is current, and its time is over"
        yield Finding(
            "expired_as_current",
            message,
            "/freshness/status",
            "say `expired`, or renew it",
            req="A-REJECT-EXPIRED",
        )


def is_not_presented_as_verbatim(claim: Claim, known: Known) -> Iterator[Finding]:
    made = claim.content_kind == "summary" or claim.source.origin in ("summarisation", "inference")
    if made and claim.source.derivation == "direct" and claim.source.evidence:
        message = "a transformed memory is presented as what its source says"
        fix = "give `source.derivation`: inferred, summarised or consolidated"
        yield Finding(
            "transformed_as_verbatim", message, "/source/derivation", fix, req="A-REJECT-VERBATIM"
        )


def keeps_its_sources(claim: Claim, known: Known) -> Iterator[Finding]:
    source = claim.source
    traced = bool(
        source.derived_from or source.evidence or (source.uri and source.kind != "memory")
    )
    if source.kind == "model_summary" and not traced:
        message = "a generated summary is cited without its source"
        yield Finding(
            "summary_without_source",
            message,
            "/source",
            "link what it summarises",
            req="B-DIFFREJECT",
        )
    elif source.derivation in ("summarised", "consolidated") and not traced:
        message = f"a {source.derivation} memory keeps no link to its sources"
        yield Finding(
            "no_source_links",
            message,
            "/source/derived_from",
            "list the claims or evidence",
            req="A-INF-SUMMARY",
        )


def merges_no_contradiction(claim: Claim, known: Known) -> Iterator[Finding]:
    if claim.source.derivation != "consolidated":
        return
    inside = set(claim.source.derived_from)
    torn = [row.claim_id for row in known.sources.values() if inside & set(row.conflicts)]
    if torn:
        message = "the consolidation would merge claims that contradict one another"
        fix = "resolve the conflict first, or leave one of them out"
        yield Finding(
            "merges_contradiction", message, "/source/derived_from", fix, req="A-REJECT-MERGE"
        )


def is_no_model_data(claim: Claim, known: Known) -> Iterator[Finding]:
    for path, value in (
        ("/type", claim.type),
        ("/source/kind", claim.source.kind),
        *((f"/tags/{i}", tag) for i, tag in enumerate(claim.tags)),
        *((f"/relationships/{i}/target", r.target) for i, r in enumerate(claim.relationships)),
    ):
        if value in NOT_MEMORY:
            message = f"a memory is not {value.replace('_', ' ')}"
            yield Finding(
                "not_memory", message, path, "keep memory and model apart", req="A-NOTMODEL"
            )


def short_term_ends(claim: Claim, known: Known) -> Iterator[Finding]:
    ends = claim.validity.ttl_seconds or claim.validity.valid_until or claim.freshness.expires_at
    if claim.memory_type == "short_term" and not ends:
        fix = "give `validity.ttl_seconds`, `validity.valid_until` or `freshness.expires_at`"
        yield Finding(
            "short_term_without_end",
            "short-term memory has no end",
            "/validity",
            fix,
            req="A-SHORT",
        )


def working_stays_working(claim: Claim, known: Known) -> Iterator[Finding]:
    if claim.memory_type == "working":
        fix = "propose what should last as another type; working memory is not reviewed and never becomes long-term"
        yield Finding(
            "working_is_not_durable",
            "working memory cannot be proposed",
            "/memory_type",
            fix,
            req="A-WORKING",
        )
    elif claim.memory_type == "long_term" and claim.scope.kind in NARROW_SCOPES:
        message = (
            f"long-term memory is scoped to a {claim.scope.kind.replace('_', ' ')}, which ends"
        )
        yield Finding(
            "long_term_in_passing_scope",
            message,
            "/scope",
            "choose a lasting scope",
            "warning",
            "A-LONG",
        )


def episode_has_time(claim: Claim, known: Known) -> Iterator[Finding]:
    if claim.memory_type == "episodic" and (claim.event is None or claim.event.time is None):
        fix = "give `event: {what, time}`"
        severity = "warning" if known.is_import else "error"
        message = "an episodic memory does not say when it happened"
        yield Finding("episode_without_time", message, "/event/time", fix, severity, "A-EPISODIC")  # type: ignore[arg-type]


def procedure_has_steps(claim: Claim, known: Known) -> Iterator[Finding]:
    if claim.memory_type == "procedural" and not claim.steps:
        yield Finding(
            "procedure_without_steps",
            "a procedure lists no steps",
            "/steps",
            "list them in order",
            "notice",
            "A-PROCEDURAL",
        )


def numbers_are_in_range(claim: Claim, known: Known) -> Iterator[Finding]:
    relevance = known.given_relevance
    importance = claim.importance.score if claim.importance else None
    for path, value, req in (
        ("/confidence/score", claim.confidence.score, "A-CONFIDENCE"),
        ("/importance/score", importance, "A-IMPORTANCE"),
        ("/relevance", relevance, "A-REJECT-RELEVANCE"),
    ):
        if value is not None and not (isinstance(value, int | float) and 0 <= value <= 1):
            message = f"{path[1:].split('/')[0]} is {quoted(value)}, outside 0 to 1"
            yield Finding("out_of_range", message, path, "give a number from 0 to 1", req=req)


def confidence_is_earned(claim: Claim, known: Known) -> Iterator[Finding]:
    cap = grade_of(claim.source, claim.confidence.grade, claim.content_kind).cap
    score = claim.confidence.score
    if score is not None and cap < score <= 1:
        message = f"confidence {score} is above what its source earns; {cap} will be recorded"
        yield Finding(
            "confidence_capped", message, "/confidence/score", "", "notice", "A-CONFIDENCE"
        )
    if claim.importance and not (claim.importance.reason and claim.importance.source):
        yield Finding(
            "importance_unexplained",
            "importance needs a reason and a source",
            "/importance",
            "say why, and who says so",
            req="A-IMPORTANCE",
        )


def origin_is_certain(claim: Claim, known: Known) -> Iterator[Finding]:
    if claim.source.is_ambiguous:
        message = (
            "the origin is not certain; its candidates are kept and confidence is capped at 0.6"
        )
        yield Finding(
            "ambiguous_origin",
            message,
            "/source/origin",
            "name the origin if you know it",
            "warning",
            "A-INF-AMBIGUOUS",
        )


def times_are_in_order(claim: Claim, known: Known) -> Iterator[Finding]:
    start, end = claim.validity.valid_from, claim.validity.valid_until
    if start and end and start >= end:
        yield Finding(
            "empty_validity",
            "the validity ends before it begins",
            "/validity",
            "put `valid_from` before `valid_until`",
            req="A-UPDATE",
        )
    for path, instant in (
        ("/freshness/last_verified_at", claim.freshness.last_verified_at),
        ("/source/observed_at", claim.source.observed_at),
    ):
        if instant and micros(instant) > known.now + 300_000_000:
            message = f"{quoted(encode(instant))} lies in the future"
            yield Finding(
                "future_time",
                message,
                path,
                "give the time at which it really happened",
                req="B-FRESHNESS",
            )
    if claim.validity.ttl_seconds < 0:
        yield Finding(
            "negative_ttl",
            "the time to live is negative",
            "/validity/ttl_seconds",
            "give seconds from 1",
            req="A-RETENTION",
        )


def embedding_is_named(claim: Claim, known: Known) -> Iterator[Finding]:
    problem = reference_problem(claim.embedding)
    if problem:
        yield Finding(
            "embedding_unnamed",
            problem,
            "/embedding",
            "give model, version and dimension",
            req="A-EMBEDDING",
        )


def audience_is_no_wider(claim: Claim, known: Known) -> Iterator[Finding]:
    """Derived memory is visible to no more than its sources (`B-TRAVEL`)."""
    for source_id in claim.source.derived_from:
        audience = known.audiences.get(source_id)
        if audience is None:
            message = f"the source {quoted(source_id)} is not known"
            yield Finding(
                "unknown_source_claim",
                message,
                "/source/derived_from",
                "name claims that you can see",
                req="B-TRAVEL",
            )
        elif not within(claim.visibility.audience, audience):
            message = f"the claim would be visible to more than its source {quoted(source_id)}"
            fix = "narrow the visibility, or declare a declassification for a reviewer"
            yield Finding("wider_than_source", message, "/visibility", fix, "warning", "B-TRAVEL")


CLAIM_RULES: tuple[tuple[str, Rule], ...] = (
    ("B-CLAIM", has_statement),
    ("B-CLAIM", is_readable),
    ("E-SECRET", has_no_secret),
    ("D-QUOTED", is_no_instruction),
    ("B-V1", has_source),
    ("B-V3", names_its_audience),
    ("B-V5", is_not_too_broad),
    ("B-V6", is_not_expired_for_action),
    ("B-V7", has_conflict_notes),
    ("B-V8", risky_uses_are_verified),
    ("B-USES", uses_do_not_clash),
    ("A-REJECT-EXPIRED", is_not_presented_as_current),
    ("A-REJECT-VERBATIM", is_not_presented_as_verbatim),
    ("A-INF-SUMMARY", keeps_its_sources),
    ("A-REJECT-MERGE", merges_no_contradiction),
    ("A-NOTMODEL", is_no_model_data),
    ("A-SHORT", short_term_ends),
    ("A-WORKING", working_stays_working),
    ("A-EPISODIC", episode_has_time),
    ("A-PROCEDURAL", procedure_has_steps),
    ("A-REJECT-RELEVANCE", numbers_are_in_range),
    ("A-CONFIDENCE", confidence_is_earned),
    ("A-INF-AMBIGUOUS", origin_is_certain),
    ("A-UPDATE", times_are_in_order),
    ("A-EMBEDDING", embedding_is_named),
    ("B-TRAVEL", audience_is_no_wider),
)


def check_claim(
    claim: Claim, known: Known, rules: tuple[tuple[str, Rule], ...] = CLAIM_RULES
) -> tuple[Finding, ...]:
    """Every finding of every rule, in the rules' order."""
    return tuple(finding for _, rule in rules for finding in rule(claim, known))
