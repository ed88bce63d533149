"""Rules about what a claim is: its memory type, its standing, its numbers and its times.

- Every rule has one signature: a claim and what may be looked at besides; it yields findings.
- A transformed memory says so, a passing one ends, a consolidation tears nothing together.

Which rules are in force, and in which order, is `core.check`'s.

>>> claim = Claim(
...     "mem_x", "a", Scope("task", "t"), Source("file"), Visibility("public"), memory_type="short_term"
... )
>>> [finding.code for finding in short_term_ends(claim, Known(now=0))]
['short_term_without_end']
"""

from __future__ import annotations

from collections.abc import Iterator

from muniment.core.access import Scope, Visibility
from muniment.core.check_boundaries import Known
from muniment.core.claim import Claim
from muniment.core.codec import micros
from muniment.core.confidence import grade_of
from muniment.core.embedding import reference_problem
from muniment.core.encode import encode
from muniment.core.errors import Finding, quoted
from muniment.core.fold import expiry_of
from muniment.core.source import Source
from muniment.core.vocabulary import NOT_MEMORY

_ = (Scope, Visibility, Source)  # named by the doctest
NARROW_SCOPES = ("current_turn", "conversation", "task")


def is_not_presented_as_current(claim: Claim, known: Known) -> Iterator[Finding]:
    """What is over does not say that it is current (`A-REJECT-EXPIRED`)."""
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
    """What was inferred or summarised does not pass as its source's words (`A-REJECT-VERBATIM`)."""
    made = claim.content_kind == "summary" or claim.source.origin in ("summarisation", "inference")
    if made and claim.source.derivation == "direct" and claim.source.evidence:
        message = "a transformed memory is presented as what its source says"
        fix = "give `source.derivation`: inferred, summarised or consolidated"
        yield Finding(
            "transformed_as_verbatim", message, "/source/derivation", fix, req="A-REJECT-VERBATIM"
        )


def keeps_its_sources(claim: Claim, known: Known) -> Iterator[Finding]:
    """Summaries and consolidations link what they were made from (`A-INF-SUMMARY`)."""
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
    """A consolidation does not merge claims that contradict one another (`A-REJECT-MERGE`)."""
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
    """A memory is not model parameters or training data (`A-NOTMODEL`)."""
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
    """Short-term memory has an end (`A-SHORT`)."""
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
    """Working memory cannot be proposed; long-term memory has a lasting scope (`A-WORKING`, `A-LONG`)."""
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
    """An episode says when it happened; an import without its time waits for review (`A-EPISODIC`)."""
    if claim.memory_type == "episodic" and (claim.event is None or claim.event.time is None):
        fix = "give `event: {what, time}`"
        severity = "warning" if known.is_import else "error"
        message = "an episodic memory does not say when it happened"
        yield Finding("episode_without_time", message, "/event/time", fix, severity, "A-EPISODIC")  # type: ignore[arg-type]


def procedure_has_steps(claim: Claim, known: Known) -> Iterator[Finding]:
    """A procedure lists its steps in order (`A-PROCEDURAL`)."""
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
    """Importance and confidence lie in [0, 1] (`A-CONFIDENCE`)."""
    importance = claim.importance.score if claim.importance else None
    for path, value, req in (
        ("/confidence/score", claim.confidence.score, "A-CONFIDENCE"),
        ("/importance/score", importance, "A-IMPORTANCE"),
    ):
        if value is not None and not 0 <= value <= 1:
            message = f"{path[1:].split('/')[0]} is {quoted(value)}, outside 0 to 1"
            yield Finding("out_of_range", message, path, "give a number from 0 to 1", req=req)


def confidence_is_earned(claim: Claim, known: Known) -> Iterator[Finding]:
    """Confidence above its source's cap is lowered; importance says why and by whom (`A-CONFIDENCE`)."""
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
    """An origin that is not certain keeps its candidates and lowers confidence (`A-INF-AMBIGUOUS`)."""
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
    """Validity does not end before it begins, and nothing was seen in the future (`A-UPDATE`)."""
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
    """An embedding names its model, version and dimension (`A-EMBEDDING`)."""
    problem = reference_problem(claim.embedding)
    if problem:
        yield Finding(
            "embedding_unnamed",
            problem,
            "/embedding",
            "give model, version and dimension",
            req="A-EMBEDDING",
        )
