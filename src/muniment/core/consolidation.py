"""One memory out of several compatible ones about one thing (`A-CONSOLIDATE`, seed A's MemoryConsolidation).

- Sources stay as they are; the new memory lists them, and says by what method, when and by whom it was made.
- It claims no more than they do: it holds only while all of them hold, serves only what all of them serve (a high-risk
  use only where all were verified within a day), was checked when the one that was checked first was, and is trusted no
  more than the least trusted of them.
- Memories are compatible where they may be seen by the same, and no two of them contradict one another.
- Without another text, it says what they say, one sentence each, in the order of their identifiers.

Who may propose it, and who decides, is the use case's matter; what a rule refuses in it is `check_kinds`'.

>>> one, two = (Claim(f"mem_{n}", f"Ada {does}", Scope("project", "x"), Source("file"), Visibility("public"))
...             for n, does in (("a", "sails"), ("b", "rows.")))
>>> joined((two, one))
'Ada sails. Ada rows.'
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations
from typing import Any

from muniment.core.access import Scope, Visibility, intersect
from muniment.core.claim import Claim, Confidence, Fact
from muniment.core.codec import from_micros, micros
from muniment.core.conflict import compare
from muniment.core.encode import encode
from muniment.core.fold import expiry_of
from muniment.core.row import FOREVER
from muniment.core.source import Source
from muniment.core.status import window
from muniment.core.text import match_key
from muniment.core.vocabulary import risk_of

_ = (Scope, Source)  # named by the doctest

JOINED, WRITTEN = "joined_statements", "rewritten_statements"
"""Methods: the sources' sentences as they are, or a text that somebody wrote in their place."""
FEWEST = 2
MOST = 50
"""Sources of one memory."""


@dataclass(frozen=True, slots=True)
class Group:
    """Compatible memories about one thing.

    Attributes:
        about: The thing, as the first of them names it.
        ids: The memories, sorted.
        claims: What they say.
        text: What one memory of them would say.
    """

    about: str
    ids: tuple[str, ...]
    claims: tuple[str, ...]
    text: str


def joined(claims: Iterable[Claim]) -> str:
    """What several memories say, one sentence each."""
    ordered = sorted(claims, key=lambda claim: claim.id)
    said = {match_key(one.claim).rstrip(".!"): one.claim.strip() for one in reversed(ordered)}
    return " ".join(
        text if text[-1:] in ".!?…。" else f"{text}." for text in reversed(said.values())
    )


def disagreeing(claims: Sequence[Claim]) -> tuple[str, str] | None:
    """The first two memories that contradict one another, or may."""
    return next(_at_odds(claims), None)


def _at_odds(claims: Sequence[Claim]) -> Iterator[tuple[str, str]]:
    for one, other in combinations(claims, 2):
        found = compare(one, other)
        if found is not None and found.kind != "duplicate":
            yield one.id, other.id


def things(claim: Claim) -> tuple[str, ...]:
    """What a memory is about: the subjects of its facts and the entities that it names."""
    names = [fact.subject for fact in claim.facts] + [one.name for one in claim.entities]
    return tuple(dict.fromkeys(names))


def groups(claims: Sequence[Claim]) -> tuple[Group, ...]:
    """The memories that could be one, by what they are about; every one that contradicts another is left out.

    Args:
        claims: Memories of one scope and audience, all of them in force.
    """
    about: dict[str, list[Claim]] = {}
    names: dict[str, str] = {}
    for claim in sorted(claims, key=lambda one: one.id):
        for name in things(claim):
            names.setdefault(match_key(name), name)
            about.setdefault(match_key(name), []).append(claim)
    found: dict[tuple[str, ...], Group] = {}
    for key, several in about.items():
        fit = _compatible(several[:MOST])
        ids = tuple(one.id for one in fit)
        if len(fit) >= FEWEST and ids not in found:
            found[ids] = Group(names[key], ids, tuple(one.claim for one in fit), joined(fit))
    return tuple(sorted(found.values(), key=lambda group: (-len(group.ids), group.about)))


def _compatible(claims: Sequence[Claim]) -> list[Claim]:
    apart = {claim_id for pair in _at_odds(claims) for claim_id in pair}
    return [one for one in claims if one.id not in apart]


def draft_of(claims: Sequence[Claim], text: str, agent: str, at: datetime) -> Mapping[str, Any]:
    """The memory that would be made of several, in wire form.

    Args:
        claims: Its sources, of one scope, all of them in force.
        text: What it says; what they say where it is empty.
        agent: Who makes it.
        at: When.
    """
    ordered = sorted(claims, key=lambda one: one.id)
    own = text.strip()
    return {
        "claim": own or joined(ordered),
        "scope": encode(ordered[0].scope),
        "type": _common(one.type for one in ordered) or "project_fact",
        "visibility": encode(_narrowest(ordered)),
        "source": {
            "kind": "memory",
            "origin": "inference",
            "derivation": "consolidated",
            "derived_from": [one.id for one in ordered],
            "observed_at": encode(at),
        },
        "facts": [encode(fact) for fact in _facts(ordered)],
        "tags": sorted({tag for one in ordered for tag in one.tags}),
        "validity": _validity(ordered),
        "freshness": _freshness(ordered),
        "confidence": encode(_confidence(ordered)),
        "allowed_uses": _shared_uses(ordered, at),
        "prohibited_uses": sorted({use for one in ordered for use in one.prohibited_uses}),
        "review": {"status": "proposed"},
        "provenance": {
            "activity": "consolidate",
            "agent": agent,
            "transformations": [
                {
                    "activity": "consolidate",
                    "agent": agent,
                    "at": encode(at),
                    "note": f"method {WRITTEN if own else JOINED}, of {len(ordered)} memories",
                }
            ],
        },
    }


def _common(values: Iterable[str]) -> str:
    found = set(values)
    return found.pop() if len(found) == 1 else ""


def _narrowest(claims: Sequence[Claim]) -> Visibility:
    """Seen by whoever sees all of them, under the level of the first that names somebody."""
    audience = intersect(*(one.visibility.audience for one in claims))
    if not audience:
        return Visibility("public")
    level = next(one.visibility.level for one in claims if one.visibility.audience)
    return Visibility(level, audience[0], audience[1:])


def _facts(claims: Sequence[Claim]) -> list[Fact]:
    said = {
        (match_key(f.subject), f.predicate, match_key(f.object)): f
        for one in reversed(claims)
        for f in reversed(one.facts)
    }
    return list(reversed(said.values()))


def _validity(claims: Sequence[Claim]) -> dict[str, Any]:
    """Only while all of them hold."""
    starts = [one.validity.valid_from for one in claims if one.validity.valid_from]
    ends = [one.validity.valid_until for one in claims if one.validity.valid_until]
    conditions = dict.fromkeys(c for one in claims for c in one.validity.conditions)
    found: dict[str, Any] = {"conditions": list(conditions)} if conditions else {}
    if starts:
        found["valid_from"] = encode(max(starts))
    if ends:
        found["valid_until"] = encode(min(ends))
    return found


def _freshness(claims: Sequence[Claim]) -> dict[str, Any]:
    """As old as the one that was checked first; unknown where one never was."""
    checked = [one.freshness.last_verified_at for one in claims]
    end = min(map(expiry_of, claims))
    if not all(checked):
        found: dict[str, Any] = {"status": "unknown"}
    else:
        oldest = min(at for at in checked if at is not None)
        found = {
            "status": "current",
            "last_verified_at": encode(oldest),
            "verification_method": "its sources were",
        }
    if end != FOREVER:
        found["expires_at"] = encode(from_micros(end))
    return found


def _confidence(claims: Sequence[Claim]) -> Confidence:
    scores = [one.confidence.score for one in claims]
    if any(score is None for score in scores):
        return Confidence(reason="one of its sources states none")
    least = min(score for score in scores if score is not None)
    return Confidence(least, reason="that of its least certain source")


def _shared_uses(claims: Sequence[Claim], at: datetime) -> list[str]:
    """What all of them may serve; a high-risk use only where all of them were verified lately enough for it."""
    shared = set[str].intersection(*(set(one.allowed_uses) for one in claims))
    barred = {use for one in claims for use in one.prohibited_uses}
    lately = all(
        one.freshness.last_verified_at is not None
        and micros(at) - micros(one.freshness.last_verified_at) <= window(one.type, "high")
        for one in claims
    )
    return sorted(use for use in shared - barred if lately or risk_of(use) != "high")
