"""Disagreement between claims: found, compared, kept; never settled in silence.

- A *duplicate* says the same in the same scope; a *contradiction* gives a single-valued predicate another value in
  overlapping valid time and scope; a *possible* conflict is otherwise equal text with another number, date or negation.
- Claims that carry facts are compared by their facts, others by their text.
- A contradiction is shown in four views: what was detected, provenance, validity and confidence (`A-CONTRADICTION`).
- Which side may win is `core.precedence`'s; a reviewer decides.

>>> pnpm, npm = (Fact("", "uses_package_manager", tool) for tool in ("pnpm", "npm"))
>>> contradicts(pnpm, npm), contradicts(pnpm, pnpm)
(True, False)
>>> contradicts(Fact("", "depends_on", "a"), Fact("", "depends_on", "b"))
False
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any, Literal

from muniment.core.claim import Claim, Fact
from muniment.core.differences import differences, frame
from muniment.core.encode import encode
from muniment.core.relations import RELATIONS, Relation, relation
from muniment.core.text import match_key

_key = lru_cache(maxsize=8_192)(match_key)  # claims of one shape are compared with one another
Kind = Literal["duplicate", "contradiction", "possible"]


@dataclass(frozen=True, slots=True)
class View:
    """One side-by-side comparison of two claims."""

    name: str
    left: str
    right: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two claims that disagree, or say the same twice.

    Attributes:
        kind: duplicate, contradiction or possible.
        left: The new claim's id.
        right: The other's.
        note: What disagrees, in words.
        sides: The two claims, where they are to be shown side by side.
    """

    kind: Kind
    left: str
    right: str
    note: str
    sides: tuple[Claim, Claim] | None = field(default=None, repr=False, compare=False)

    @property
    def views(self) -> tuple[View, ...]:
        """Detection, provenance, validity and confidence, side by side; made when somebody looks."""
        return views(*self.sides, self.note) if self.sides else ()


def contradicts(left: Fact, right: Fact, declared: tuple[Relation, ...] = RELATIONS) -> bool:
    """Whether two facts give one single-valued predicate of one subject two values."""
    kind = relation(left.predicate, declared)
    same_place = _key(left.subject) == _key(right.subject)
    same_predicate = kind == relation(right.predicate, declared)
    return kind.single and same_place and same_predicate and _key(left.object) != _key(right.object)


def overlap(left: Claim, right: Claim) -> bool:
    """Whether two claims are valid at some common instant; half-open, so meeting ends do not overlap."""
    return _before(left.validity.valid_from, right.validity.valid_until) and _before(
        right.validity.valid_from, left.validity.valid_until
    )


def _before(start: datetime | None, end: datetime | None) -> bool:
    return start is None or end is None or start < end


def compare(
    new: Claim, other: Claim, declared: tuple[Relation, ...] = RELATIONS
) -> Conflict | None:
    """How a new claim stands to another one of the same scope; None where they get along."""
    if new.scope != other.scope or new.id == other.id:
        return None
    conditions = set(new.validity.conditions) == set(other.validity.conditions)
    same_facts = new.facts and set(map(_fact_key, new.facts)) == set(map(_fact_key, other.facts))
    if _said(new) == _said(other) or same_facts:
        return Conflict("duplicate", new.id, other.id, "it says the same") if conditions else None
    if not overlap(new, other) or not conditions:
        return None
    for one in new.facts:
        for two in other.facts:
            if contradicts(one, two, declared):
                what = f"{one.predicate.replace('_', ' ')}: `{one.object}` or `{two.object}`"
                return Conflict("contradiction", new.id, other.id, what, (new, other))
    if new.facts and other.facts:
        return None
    apart = differences(new.claim, other.claim)
    if not apart:
        return None
    what = "; ".join(f"{d.kind}: `{d.left}` or `{d.right}`" for d in apart)
    return Conflict("possible", new.id, other.id, what, (new, other))


class Earlier:
    """Claims that later ones are compared with: each only with those that it may disagree with or repeat.

    What is left out gets along with the claim, so that comparing with all of them would find the same.
    """

    def __init__(self) -> None:
        """None yet."""
        self._claims: list[Claim] = []
        self._places: dict[Any, list[int]] = {}

    def add(self, claim: Claim) -> None:
        """One more."""
        for mark in (*_marks(claim), ("frame", frame(claim.claim), bool(claim.facts))):
            self._places.setdefault((claim.scope, mark), []).append(len(self._claims))
        self._claims.append(claim)

    def near(self, claim: Claim) -> Iterator[Claim]:
        """Those that may disagree with a claim or say the same, in the order in which they came."""
        like = frame(claim.claim)
        texts = [("frame", like, False)] + ([] if claim.facts else [("frame", like, True)])
        sought = [(claim.scope, mark) for mark in (*_marks(claim), *texts)]
        places = {place for mark in sought for place in self._places.get(mark, ())}
        return (self._claims[place] for place in sorted(places))


def _marks(claim: Claim) -> Iterator[tuple[Any, ...]]:
    """Two claims that share none of these neither repeat nor contradict one another."""
    yield "said", _said(claim)
    if claim.facts:
        yield "facts", frozenset(map(_fact_key, claim.facts))
    for fact in claim.facts:
        if relation(fact.predicate).single:
            yield "single", _key(fact.subject), relation(fact.predicate).name


def _said(claim: Claim) -> str:
    """A claim's text as it is compared; its final full stop or exclamation mark says nothing."""
    return _key(claim.claim).rstrip(".!")


def _fact_key(fact: Fact) -> tuple[str, str, str]:
    return _key(fact.subject), relation(fact.predicate).name, _key(fact.object)


def views(left: Claim, right: Claim, detected: str) -> tuple[View, ...]:
    """The four views of a contradiction."""
    return (
        View("conflict_detection", left.claim, right.claim, detected),
        View("provenance_comparison", _provenance(left), _provenance(right)),
        View("validity_review", _validity(left), _validity(right)),
        View(
            "confidence_reassessment",
            _confidence(left),
            _confidence(right),
            "neither side is raised by the other",
        ),
    )


def _provenance(claim: Claim) -> str:
    source = claim.source
    when = f", observed {encode(source.observed_at)}" if source.observed_at else ""
    origin, place = source.origin or "origin not certain", source.uri or "no address"
    return f"{source.kind} ({origin}), {source.derivation}{when}, {place}"


def _validity(claim: Claim) -> str:
    validity = claim.validity
    start = encode(validity.valid_from) or "always"
    end = encode(validity.valid_until) or "further notice"
    verified = encode(claim.freshness.last_verified_at) or "never"
    return f"from {start} until {end}; verified {verified}"


def _confidence(claim: Claim) -> str:
    confidence = claim.confidence
    score = "unknown" if confidence.score is None else f"{confidence.score:g}"
    return f"{score} ({confidence.grade or 'no grade'}){': ' + confidence.reason if confidence.reason else ''}"
