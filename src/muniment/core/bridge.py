"""Terminology bridges: directed permissions to rewrite a phrase in a query, and the bounded search over them.

- A bridge is a claim with one fact, `phrase rewrites_to target`; it merges no entities and no values (`D-BRIDGE`).
- Only the plain sentence makes a bridge: what is quoted, hedged, conditional, inferred or reads like an order rewrites
  nothing, whoever accepted it (`D-QUOTED`).
- A phrase is found between its boundaries after Unicode and case normalisation; one step rewrites all its places.
- Breadth first, each text once, so that cycles end; 16 variants and three steps, at most 32 and four.
- A reachable phrase with two targets, or with a contradicted bridge, is a conflict; an exhausted bound is an outcome.
  Neither comes with variants (`D-BRIDGESEARCH`).

Which bridges may serve is settled before, as for any claim.

>>> bridges = [Mapping("UI kit", "design system", "mem_1"), Mapping("design system", "atlas", "mem_2")]
>>> [variant.text for variant in expand("who owns the ui-kit, the UI  Kit?", bridges).variants]
['who owns the ui-kit, the UI  Kit?', 'who owns the ui-kit, the design system?', 'who owns the ui-kit, the atlas?']
>>> expand("ui kit", [*bridges, Mapping("ui kit", "widgets", "mem_3")]).outcome
'conflict'
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypedDict

from muniment.core.claim import Claim
from muniment.core.instruction import looks_like_instruction
from muniment.core.relations import relation
from muniment.core.text import match_key

PREDICATE = "rewrites_to"
VARIANTS, MOST_VARIANTS = 16, 32
STEPS, MOST_STEPS = 3, 4
_HEDGED = ("inferred", "summarised", "consolidated")


@dataclass(frozen=True, slots=True)
class Mapping:
    """One bridge as a claim states it.

    Attributes:
        phrase: What is rewritten.
        target: To what.
        claim: The claim.
        disputed: Whether another visible claim contradicts it.
    """

    phrase: str
    target: str
    claim: str
    disputed: bool = False


@dataclass(frozen=True, slots=True)
class Rewrite:
    """One step that was taken: a phrase in normal form, its target, and every claim that permits it."""

    phrase: str
    target: str
    claims: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Variant:
    """A text that stands for the query, and the steps that led to it; the query itself took none."""

    text: str
    steps: tuple[Rewrite, ...] = ()


@dataclass(frozen=True, slots=True)
class Expansion:
    """What a search came to.

    Attributes:
        outcome: `expanded`, `conflict` or `budget_exceeded`.
        variants: The query first, then by steps and text; none but where it was expanded.
        bound: `variants`, `steps` or `bridges`, where one was exhausted.
        phrase: The phrase with two targets or a contradicted bridge.
        claims: The claims that give it a target, sorted.
    """

    outcome: Literal["expanded", "conflict", "budget_exceeded"]
    variants: tuple[Variant, ...] = ()
    bound: Literal["", "variants", "steps", "bridges"] = ""
    phrase: str = ""
    claims: tuple[str, ...] = ()


# --- which claims are bridges ---------------------------------------------------------------------


def bridge_sentence(phrase: str, target: str) -> str:
    """The only sentence that makes a bridge.

    >>> bridge_sentence("UI kit", "design system")
    'In queries, "UI kit" may be rewritten to "design system".'
    """
    return f'In queries, "{phrase}" may be rewritten to "{target}".'


def mapping_of(claim: Claim, disputed: bool = False) -> Mapping | None:
    """The bridge that a claim makes; None where it makes none."""
    if len(claim.facts) != 1 or relation(claim.facts[0].predicate).name != PREDICATE:
        return None
    fact = claim.facts[0]
    return (
        None if reasons_against(claim) else Mapping(fact.subject, fact.object, claim.id, disputed)
    )


def reasons_against(claim: Claim) -> tuple[str, ...]:
    """Why a claim that states a mapping activates nothing.

    >>> from muniment.core.access import Scope, Visibility
    >>> from muniment.core.claim import Fact
    >>> from muniment.core.source import Source
    >>> claim = Claim("mem_1", 'Bob says "UI kit" is the design system.', Scope("task", "1"), Source("file"),
    ...     Visibility("public"), facts=(Fact("UI kit", "rewrites_to", "design system"),))
    >>> reasons_against(claim)
    ('not_plain',)
    """
    fact = claim.facts[0]
    phrase, target = match_key(fact.subject), match_key(fact.object)
    parts = (fact.subject, fact.object, claim.body, claim.title, claim.summary)
    rules = (
        ("not_plain", claim.claim != bridge_sentence(fact.subject, fact.object)),
        ("hypothetical", claim.source.derivation in _HEDGED or claim.is_inferred),
        ("conditional", bool(claim.validity.conditions)),
        ("instruction_like", any(map(looks_like_instruction, parts))),
        ("empty", not phrase or not target),
        ("quoted", '"' in fact.subject + fact.object),
        ("grows", grows(phrase, target)),
    )
    return tuple(name for name, applies in rules if applies)


def grows(phrase: str, target: str) -> bool:
    """Whether rewriting leaves the phrase to be rewritten again, for ever.

    >>> grows("kit", "ui kit"), grows("kit", "kitchen"), grows("kit", "kit")
    (True, False, True)
    """
    phrase, target = match_key(phrase), match_key(target)
    return bool(phrase) and _rewritten(target, phrase, "") != target


# --- search ---------------------------------------------------------------------------------------


def expand(
    query: str, mappings: Iterable[Mapping], variants: int = VARIANTS, steps: int = STEPS
) -> Expansion:
    """Every text that a query may be rewritten to.

    Args:
        query: As it was asked.
        mappings: The bridges that may serve.
        variants: Texts at most, the query among them; over the hard limit counts as the hard limit.
        steps: Steps to any of them, at most.
    """
    most, far = min(variants, MOST_VARIANTS), min(steps, MOST_STEPS)
    rewrites, doubtful = _by_phrase(mappings)
    found = {match_key(query): Variant(query)}
    frontier = list(found.items())
    for step in range(far + 1):
        for phrase in (p for text, _ in frontier for p in _phrases_in(text, doubtful)):
            return Expansion("conflict", phrase=phrase, claims=doubtful[phrase])
        following = _following(frontier, rewrites, found)
        if following and step == far:
            return Expansion("budget_exceeded", bound="steps")
        if len(found) + len(following) > most:
            return Expansion("budget_exceeded", bound="variants")
        frontier = sorted(following.items())
        found.update(frontier)
    return Expansion("expanded", tuple(found.values()))


def _following(
    frontier: Iterable[tuple[str, Variant]], rewrites: dict[str, Rewrite], found: Collection[str]
) -> dict[str, Variant]:
    """The texts one step further that were not met before; of several ways to one the first."""
    following: dict[str, Variant] = {}
    for text, variant in frontier:
        for phrase in _phrases_in(text, rewrites):
            rewrite = rewrites[phrase]
            made = _rewritten(text, phrase, rewrite.target)
            if made not in found and made not in following:
                following[made] = Variant(made, (*variant.steps, rewrite))
    return following


def _by_phrase(
    mappings: Iterable[Mapping],
) -> tuple[dict[str, Rewrite], dict[str, tuple[str, ...]]]:
    """The phrases with one target, and those with several or a contradicted one."""
    grouped: dict[str, list[Mapping]] = {}
    for mapping in mappings:
        grouped.setdefault(match_key(mapping.phrase), []).append(mapping)
    rewrites, doubtful = dict[str, Rewrite](), dict[str, tuple[str, ...]]()
    for phrase, group in grouped.items():
        claims = tuple(sorted({mapping.claim for mapping in group}))
        targets = {match_key(mapping.target) for mapping in group}
        if len(targets) > 1 or any(mapping.disputed for mapping in group):
            doubtful[phrase] = claims
        else:
            rewrites[phrase] = Rewrite(phrase, targets.pop(), claims)
    return rewrites, doubtful


def _phrases_in(text: str, phrases: Iterable[str]) -> list[str]:
    """The phrases that stand in a text between boundaries, sorted."""
    return sorted(p for p in phrases if p in text and any(True for _ in _places(text, p)))


def _places(text: str, phrase: str) -> Iterable[int]:
    """Where a phrase stands, from left to right, none over another."""
    at = text.find(phrase)
    while at >= 0:
        end = at + len(phrase)
        fits = _is_boundary(text, at) and _is_boundary(text, end)
        if fits:
            yield at
        at = text.find(phrase, end if fits else at + 1)


def _is_boundary(text: str, at: int) -> bool:
    """Whether a word may end or begin here: not between two characters of one word, nor before an accent."""
    if at in (0, len(text)):
        return True
    before, after = text[at - 1], text[at]
    if unicodedata.category(after).startswith("M"):
        return False
    return not (_in_word(before) and _in_word(after))


def _in_word(character: str) -> bool:
    return bool(re.match(r"\w", character)) or unicodedata.category(character).startswith("M")


def _rewritten(text: str, phrase: str, target: str) -> str:
    """A text with every place of a phrase rewritten.

    >>> _rewritten("kit, kitchen and c++ kit", "kit", "set")
    'set, kitchen and c++ set'
    """
    parts, done = [], 0
    for at in _places(text, phrase):
        parts += [text[done:at], target]
        done = at + len(phrase)
    return match_key("".join((*parts, text[done:]))) if parts else text


class RewriteJson(TypedDict):
    """A step of a rewritten query, with the bridges that it was taken over."""

    phrase: str
    target: str
    bridges: list[str]


def json_of_rewrite(step: Rewrite) -> RewriteJson:
    """A step as a JSON value."""
    return {"phrase": step.phrase, "target": step.target, "bridges": list(step.claims)}


def used_by(variants: Sequence[Variant]) -> tuple[Rewrite, ...]:
    """Every rewrite that some variants took, each once."""
    return tuple(dict.fromkeys(step for variant in variants for step in variant.steps))
