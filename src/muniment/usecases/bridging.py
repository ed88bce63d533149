"""Bridges in use: propose one, and rewrite a query by those that may serve (`D-BRIDGE`, `D-GROUNDED`).

- A bridge is proposed as a claim, and reviewed, superseded, deprecated, erased and let expire as one.
- For a query those serve that any claim would serve by: scope, visibility, review, both times and use.
- All of it is read in the snapshot that the records are read in (`D-SNAPSHOT`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from muniment.core.bridge import (
    PREDICATE,
    Expansion,
    Rewrite,
    Variant,
    bridge_sentence,
    expand,
    mapping_of,
    reasons_against,
    used_by,
)
from muniment.core.bridge import Mapping as Bridge
from muniment.core.claim import Claim, Fact
from muniment.core.errors import Finding, InvalidInput, quoted
from muniment.core.pack import shortest_that_fits
from muniment.core.packet import Disagreement, Outcome, Packet
from muniment.core.patterns import Pattern
from muniment.core.precedence import Ruling
from muniment.core.render import render_empty
from muniment.core.text import text_findings
from muniment.usecases.answer import Asked
from muniment.usecases.eligible import Gathered
from muniment.usecases.hits import Hit, Scored
from muniment.usecases.propose import Proposed
from muniment.usecases.remember import remember
from muniment.usecases.scoring import Scoring, score
from muniment.usecases.serving import ServingFacts, State
from muniment.usecases.session import Session

MOST_BRIDGES = 10_000
LONGEST_PHRASE = 200
_EMPTY = "a bridge leads from one phrase to another, and neither is empty"
_QUOTED = "a phrase of a bridge has no quotation marks"
_GROWS = "the target contains the phrase, so that rewriting would never end"
_ORDER = "it reads like an order to the agent that will read it"
_WHY = (
    ("empty", Finding("bridge_empty", _EMPTY, "/target", "give both", req="D-BRIDGE")),
    ("quoted", Finding("bridge_quoted", _QUOTED, "/target", "leave them out", req="D-QUOTED")),
    (
        "grows",
        Finding("bridge_grows", _GROWS, "/target", "bridge to another phrase", req="D-BRIDGE"),
    ),
    (
        "instruction_like",
        Finding("bridge_instruction", _ORDER, "/target", "use terms alone", req="D-QUOTED"),
    ),
)


# --- proposing ------------------------------------------------------------------------------------


def bridge(session: Session, phrase: str, target: str, parts: Mapping[str, Any]) -> Proposed:
    """Propose a bridge.

    Args:
        session: Who proposes, and where.
        phrase: What is rewritten in queries.
        target: To what.
        parts: Further parts of the claim, as `remember` takes them.

    Raises:
        InvalidInput: The mapping would activate nothing, or a rule refuses the claim; nothing was written.
    """
    findings = bridge_findings(phrase, target)
    if findings:
        raise InvalidInput.of(findings)
    fact = {"subject": phrase, "predicate": PREDICATE, "object": target}
    given = {"type": "domain_rule", "reason": "a term of this scope", **parts, "facts": [fact]}
    return remember(session, bridge_sentence(phrase, target), given)


def bridge_findings(phrase: str, target: str) -> tuple[Finding, ...]:
    """What is wrong with a mapping that somebody wants to propose.

    >>> [finding.code for finding in bridge_findings("kit", "ui kit")]
    ['bridge_grows']
    """
    from muniment.core.access import Scope, Visibility
    from muniment.core.source import Source

    texts = (("phrase", phrase), ("target", target))
    wrong = tuple(
        finding
        for name, text in texts
        for finding in text_findings(text, f"/{name}", limit=LONGEST_PHRASE)
    )
    stated = Claim(
        "mem_",
        bridge_sentence(phrase, target),
        Scope("task", "-"),
        Source("user_statement"),
        Visibility("public"),
        facts=(Fact(phrase, PREDICATE, target),),
    )
    reasons = reasons_against(stated)
    return wrong + tuple(finding for name, finding in _WHY if name in reasons)


# --- rewriting ------------------------------------------------------------------------------------


def bridges(facts: ServingFacts) -> tuple[Bridge, ...] | None:
    """The bridges that may serve; None where there are more than are looked through."""
    found = facts.matching(Pattern(PREDICATE), MOST_BRIDGES + 1)
    if len(found) > MOST_BRIDGES:
        return None
    viewing = facts.viewing
    rows = viewing.seen(viewing.snapshot.rows_at({event for *_, event in found}).values())
    claims = viewing.claims(rows)
    made = (
        mapping_of(claims[row.seq], any(viewing.sees(other) for other in row.conflicts))
        for row in rows
        if row.seq in claims
    )
    return tuple(one for one in made if one is not None)


def rewritten(gathered: Gathered, query: str, variants: int, steps: int) -> Expansion:
    """Everything that the bridges in scope let a query be rewritten to.

    Args:
        gathered: What may serve the request.
        query: As it was asked.
        variants: Texts at most, the query among them.
        steps: Steps to any of them, at most.
    """
    viewing = gathered.viewing
    facts = ServingFacts(viewing, State(gathered.classes, gathered.ask, viewing.upto))
    known = bridges(facts)
    if known is None:
        return Expansion("budget_exceeded", bound="bridges")
    return expand(query, known, variants, steps)


def score_variants(
    gathered: Gathered, asked: Asked, variants: tuple[Variant, ...]
) -> tuple[Scoring, Scored, dict[str, tuple[Rewrite, ...]]]:
    """Score what may serve by every variant, and keep for each claim the one that finds it best.

    Returns:
        The scoring of the query as it was asked; what was found by any variant; and the rewrites by which claims were
        found that a variant found better than the query itself.
    """
    scored = [
        (variant, *score(gathered, replace(asked.request, query=variant.text)))
        for variant in variants
    ]
    bridging = {claim for step in used_by(variants) for claim in step.claims}
    best: dict[str, tuple[Hit, Variant]] = {}
    for variant, _, one in scored:
        for hit in one.supported:
            name = hit.row.claim_id
            if name in bridging:  # told as a rewrite; of what was asked it says nothing
                continue
            if name not in best or hit.relevance.fixed > best[name][0].relevance.fixed:
                best[name] = (hit, variant)
    below = _others(best, (hit for _, _, one in scored for hit in one.below_threshold))
    refused = {
        hit.row.claim_id: (hit, why) for _, _, one in reversed(scored) for hit, why in one.refused
    }
    first = scored[0][2]
    merged = replace(
        first,
        supported=tuple(sorted((hit for hit, _ in best.values()), key=_order)),
        below_threshold=below,
        refused=tuple(sorted(refused.values(), key=lambda pair: _order(pair[0]))),
        near=max(one.near for _, _, one in scored),
        over_pool=max(one.over_pool for _, _, one in scored),
        matched=max(one.matched for _, _, one in scored),
        filtered=max(one.filtered for _, _, one in scored),
    )
    rewrites = {name: variant.steps for name, (_, variant) in best.items() if variant.steps}
    return scored[0][1], merged, rewrites


def _others(best: Mapping[str, Any], hits: Any) -> tuple[Hit, ...]:
    found: dict[str, Hit] = {}
    for hit in hits:
        found.setdefault(hit.row.claim_id, hit)
    return tuple(sorted((h for n, h in found.items() if n not in best), key=_order))


def _order(hit: Hit) -> tuple[int, str]:
    return -hit.relevance.fixed, hit.row.claim_id


def stopped(asked: Asked, revision: int, expansion: Expansion) -> Packet:
    """The packet where rewriting came to a conflict or to a bound: no evidence, since any of it could be a part."""
    outcome: Outcome = "budget_exceeded"
    if expansion.outcome == "conflict":
        outcome = "conflict"
        named = ", ".join(expansion.claims)
        said = f"what {quoted(expansion.phrase)} is rewritten to is not settled here: {named}"
        advice = f"{said}; ask without `grounded`, or review these bridges"
    else:
        advice = f"rewriting met the bound `{expansion.bound}`: ask more narrowly, or raise it; nothing of it is used"
    texts = render_empty(asked.heading(revision), outcome, advice, ())
    text, used = shortest_that_fits(texts, asked.request.budget, asked.counter)
    sides = tuple(expansion.claims)
    disagreement = Disagreement(sides, (), Ruling("", "", sides, ()))
    return replace(
        asked.packet(outcome, revision, text, used),
        advice=advice,
        stage="expansion",
        conflicts=(disagreement,) if outcome == "conflict" else (),
    )
