"""Where claims contradict one another: which may win, and by which declared rule (`B-PRECEDENCE`).

- Rules are asked in order; the first on which two claims differ decides between the two.
- A rule says nothing of a claim of which it knows nothing: a missing date or score neither wins nor loses.
- A winner beats every other claim. Where none does, the conflict is undecided, and nothing is picked in silence.
- Losers are kept and shown, each with the rule by which it lost (`A-INF-CONFLICT`).

What a conflict is, and who may see its sides, is settled before.

>>> here = {"scope": Scope("repository", "x"), "visibility": Visibility("public")}
>>> said = Claim("mem_a", "It uses npm.", source=Source("user_statement", "user_input"), **here)
>>> file = Claim("mem_b", "It uses pnpm.", source=Source("file", "observation", "file:///x/package.json"), **here)
>>> ruling = judge((said, file), datetime(2026, 7, 8, tzinfo=UTC))
>>> ruling.winner, ruling.decided_by, ruling.losers
('mem_b', 'source_strength', (('mem_a', 'source_strength'),))
>>> judge((said, replace(said, id="mem_c")), datetime(2026, 7, 8, tzinfo=UTC)).may_win
('mem_a', 'mem_c')
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from muniment.core.access import Scope, Visibility
from muniment.core.claim import Claim
from muniment.core.codec import micros
from muniment.core.source import Source

_ = (Scope, UTC, Visibility, replace)  # named by the doctest

Rank = Callable[[Claim, datetime], int | None]
PROTECTED_REFS = ("main", "master", "trunk")

_STRENGTHS = (
    ("model", 1),
    ("import", 2),
    ("conversation", 3),
    ("human_statement", 4),
    ("file", 5),
    ("structured_file_on_protected_ref", 6),
)
_BY_KIND = (
    ("model_summary", "model"),
    ("user_statement", "human_statement"),
    ("user_correction", "human_statement"),
    ("runbook", "human_statement"),
    ("pull_request", "conversation"),
    ("issue", "conversation"),
    ("permalink", "conversation"),
    ("conversation", "conversation"),
    ("import", "import"),
    ("document", "import"),
    ("incident", "file"),
    ("deployment", "file"),
    ("tool_output", "file"),
    ("file", "file"),
)
_BY_ORIGIN = (
    ("user_input", "human_statement"),
    ("human_annotation", "human_statement"),
    ("conversation", "conversation"),
    ("observation", "file"),
    ("tool_result", "file"),
    ("system_process", "file"),
    ("external_data", "import"),
    ("retrieval", "import"),
)


def strength_of(source: Source) -> str:
    """How strong a source is, by name; empty where its kind and origin say nothing.

    A derived claim is no stronger than what made it, whatever its source is called.

    >>> strength_of(Source("file", "observation", "file:///x"))
    'file'
    >>> strength_of(Source("file", "inference", "file:///x", derivation="inferred"))
    'model'
    """
    if source.derivation in ("inferred", "summarised", "consolidated"):
        return "model"
    if source.origin in ("inference", "summarisation"):
        return "model"
    if source.derivation == "imported":
        return "import"
    named = dict(_BY_KIND).get(source.kind) or dict(_BY_ORIGIN).get(source.origin, "")
    if named == "file" and source.kind == "file" and _structured(source) and _protected(source.uri):
        return "structured_file_on_protected_ref"
    return named


def _structured(source: Source) -> bool:
    return any(evidence.pointer.startswith("/") for evidence in source.evidence)


def _protected(uri: str) -> bool:
    """Whether an address names a blob at a protected ref, not a working tree.

    >>> [_protected(f"repo:github:acme/shop{at}!/package.json") for at in ("@main", "@feature", "")]
    [True, False, False]
    """
    head, _, _ = uri.partition("!/")
    return uri.startswith("repo:") and head.rpartition("@")[2] in PROTECTED_REFS and "@" in head


def _review(claim: Claim, at: datetime) -> int | None:
    """Accepted comes before needs_review, and both before what nobody accepted."""
    return {"accepted": 2, "needs_review": 1}.get(claim.review.status, 0)


def _reading(claim: Claim, at: datetime) -> int | None:
    """A source that was re-read and still says it comes before one that does not."""
    states = {"match": 2, "moved": 2, "could_not_observe": 1, "changed": 0, "missing": 0}
    return states.get(claim.reading.state) if claim.reading else None


def _source_strength(claim: Claim, at: datetime) -> int | None:
    """Structured file on a protected ref, file, human statement, conversation, import, model."""
    return dict(_STRENGTHS).get(strength_of(claim.source))


def _holds_now(claim: Claim, at: datetime) -> int | None:
    """What holds at the instant comes before what does not."""
    begun = claim.validity.valid_from is None or claim.validity.valid_from <= at
    over = claim.validity.valid_until is not None and at >= claim.validity.valid_until
    return int(begun and not over)


def _verified_later(claim: Claim, at: datetime) -> int | None:
    """The later verification comes first."""
    instant = claim.freshness.last_verified_at
    return micros(instant) if instant else None


def _began_closer(claim: Claim, at: datetime) -> int | None:
    """What is valid from an instant closer to the one asked for comes first."""
    instant = claim.validity.valid_from
    return -abs(micros(at) - micros(instant)) if instant else None


def _confidence(claim: Claim, at: datetime) -> int | None:
    """The higher confidence comes first."""
    score = claim.confidence.score
    return None if score is None else round(score * 10_000)


PRECEDENCE: tuple[tuple[str, str, Rank], ...] = (
    ("review", "B-PRECEDENCE", _review),
    ("reading", "B-PRECEDENCE", _reading),
    ("source_strength", "B-PRECEDENCE", _source_strength),
    ("holds_now", "A-INF-CONFLICT", _holds_now),
    ("verified_later", "A-INF-CONFLICT", _verified_later),
    ("began_closer", "A-INF-CONFLICT", _began_closer),
    ("confidence", "A-INF-CONFLICT", _confidence),
)


@dataclass(frozen=True, slots=True)
class Ruling:
    """What precedence says of claims in conflict.

    Attributes:
        winner: The claim that beats all others; empty where the conflict is undecided.
        decided_by: The rules by which it beat them, joined by `+` in their declared order; empty where undecided.
        may_win: The claims that no other beats: the winner alone, or several.
        losers: The other claims with the rule by which each lost.
    """

    winner: str
    decided_by: str
    may_win: tuple[str, ...]
    losers: tuple[tuple[str, str], ...]

    @property
    def decided(self) -> bool:
        """Whether one claim may win."""
        return self.winner != ""


def deciding_rule(
    left: Claim,
    right: Claim,
    at: datetime,
    rules: tuple[tuple[str, str, Rank], ...] = PRECEDENCE,
) -> tuple[str, int]:
    """The first rule on which two claims differ, and which side it favours (1 left, -1 right, 0 none)."""
    for name, _, rank in rules:
        one, other = rank(left, at), rank(right, at)
        if one is not None and other is not None and one != other:
            return name, 1 if one > other else -1
    return "", 0


def judge(
    claims: Sequence[Claim],
    at: datetime,
    rules: tuple[tuple[str, str, Rank], ...] = PRECEDENCE,
) -> Ruling:
    """Which of some contradicting claims may win at an instant, in whatever order they are given.

    Args:
        claims: The sides of the conflict, with distinct ids.
        at: The instant asked for.
        rules: The declared precedence.
    """
    ordered = sorted(claims, key=lambda claim: claim.id)
    beaten: dict[str, dict[str, str]] = {claim.id: {} for claim in ordered}
    for i, left in enumerate(ordered):
        for right in ordered[i + 1 :]:
            rule, side = deciding_rule(left, right, at, rules)
            if side:
                winner, loser = (left, right) if side > 0 else (right, left)
                beaten[loser.id][winner.id] = rule
    may_win = tuple(name for name, by in beaten.items() if not by)
    others = len(ordered) - 1
    winner_id = next(
        (name for name in may_win if sum(name in by for by in beaten.values()) == others), ""
    )
    return _ruling(winner_id, may_win, beaten, rules)


def _ruling(
    winner: str,
    may_win: tuple[str, ...],
    beaten: dict[str, dict[str, str]],
    rules: tuple[tuple[str, str, Rank], ...],
) -> Ruling:
    order = [name for name, _, _ in rules]
    losers = tuple(
        (name, by[winner] if winner else min(by.values(), key=order.index))
        for name, by in beaten.items()
        if by
    )
    used = {rule for _, rule in losers} if winner else set()
    return Ruling(winner, "+".join(r for r in order if r in used), may_win, losers)
