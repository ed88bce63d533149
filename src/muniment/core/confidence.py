"""How strongly to believe a claim: from its evidence, never above its grade's cap (`A-CONFIDENCE`).

- The grade follows from derivation, origin and evidence; a declared grade may only lower it.
- A derived claim takes the lower of its cap and its sources (`E-RETRACT`'s twin at writing time).
- Retrieval, relevance and importance change no stored confidence.
- An ambiguous origin keeps its candidates and is capped at 0.60 (`A-INF-AMBIGUOUS`).

>>> grade_of(Source("file", "observation", "file:///a")).name
'direct_source_memory'
>>> capped(0.99, Source("file", "observation", "file:///a"))
0.98
>>> capped(
...     0.99, Source("document", "", "https://a", candidate_origins=("conversation", "inference"))
... )
0.6
"""

from __future__ import annotations

from muniment.core.claim import Claim, Confidence
from muniment.core.source import Source
from muniment.core.vocabulary import GRADES, Grade

LEVELS = (("high", 0.85), ("medium", 0.6), ("low", 0.0))


def _grade(name: str) -> Grade:
    return next(grade for grade in GRADES if grade.name == name)


def grade_of(source: Source, declared: str = "", content_kind: str = "text") -> Grade:
    """The grade that a source earns; a declared one counts only where it is not above it."""
    earned = _earned(source, content_kind)
    wanted = next((grade for grade in GRADES if grade.name == declared), None)
    return wanted if wanted and wanted.cap <= earned.cap else earned


def _earned(source: Source, content_kind: str) -> Grade:
    if source.is_ambiguous:
        return _grade("ambiguous_memory_source")
    if source.derivation == "inferred" or source.origin == "inference":
        return _grade("inferred_memory")
    if source.derivation in ("consolidated", "summarised") or source.origin == "summarisation":
        traceable = bool(source.derived_from or source.evidence)
        return _grade("traceable_consolidated_memory" if traceable else "ambiguous_memory_source")
    if source.derivation == "imported" and not source.uri:
        return _grade("ambiguous_memory_source")
    if source.origin == "retrieval":
        return _grade("contextually_retrieved_memory")
    if content_kind == "entity_reference" and source.evidence:
        return _grade("explicit_memory_identifier")
    return _grade("direct_source_memory")


def capped(
    score: float, source: Source, declared: str = "", among: tuple[float, ...] = ()
) -> float:
    """A score at most its grade's cap and its sources' confidences.

    >>> capped(
    ...     0.97,
    ...     Source("memory", "inference", derivation="consolidated", derived_from=("mem_a",)),
    ...     "",
    ...     (0.7,),
    ... )
    0.7
    """
    return round(min((score, grade_of(source, declared).cap, *among)), 4)


def level_of(score: float | None) -> str:
    """high from 0.85, medium from 0.6, else low; empty where there is no score.

    >>> level_of(0.85), level_of(0.6), level_of(0.59), level_of(None)
    ('high', 'medium', 'low', '')
    """
    if score is None:
        return ""
    return next(name for name, least in LEVELS if score >= least)


def settled(claim: Claim, among: tuple[float, ...] = ()) -> Confidence:
    """The confidence to record: capped, with its level and grade.

    Args:
        claim: The claim.
        among: Confidences of the claims that it is derived from.
    """
    given = claim.confidence
    grade = grade_of(claim.source, given.grade, claim.content_kind)
    if given.score is None:
        stated = next((least for name, least in _STATED if name == given.level), None)
        if stated is None:
            return Confidence(None, "", given.reason, grade.name)
        score = stated
    else:
        score = given.score
    score = round(min((score, grade.cap, *among)), 4)
    return Confidence(score, level_of(score), given.reason, grade.name)


_STATED = (("high", 0.9), ("medium", 0.7), ("low", 0.4))
