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
['weak_source', 'no_uses', 'summary_without_source']
"""

from __future__ import annotations

from dataclasses import replace

from muniment.core.access import Scope, Visibility
from muniment.core.check_boundaries import (
    Known,
    Rule,
    audience_is_no_wider,
    evidence_is_a_span,
    has_conflict_notes,
    has_no_secret,
    has_source,
    has_statement,
    is_no_instruction,
    is_not_expired_for_action,
    is_not_too_broad,
    is_readable,
    names_its_audience,
    risky_uses_are_verified,
    secrets_in,
    serves_something,
    texts_of,
    uses_do_not_clash,
)
from muniment.core.check_kinds import (
    confidence_is_earned,
    embedding_is_named,
    episode_has_time,
    is_no_model_data,
    is_not_presented_as_current,
    is_not_presented_as_verbatim,
    keeps_its_sources,
    merges_no_contradiction,
    numbers_are_in_range,
    origin_is_certain,
    procedure_has_steps,
    short_term_ends,
    times_are_in_order,
    working_stays_working,
)
from muniment.core.claim import Claim
from muniment.core.errors import Finding
from muniment.core.source import Source

__all__ = ("CLAIM_RULES", "Known", "Rule", "check_claim", "secrets_in")
_ = (Scope, Visibility, Source)  # named by the doctest

CLAIM_RULES: tuple[tuple[str, Rule], ...] = (
    ("B-CLAIM", has_statement),
    ("B-CLAIM", is_readable),
    ("E-SECRET", has_no_secret),
    ("D-QUOTED", is_no_instruction),
    ("B-V1", has_source),
    ("E-RECEIPT", evidence_is_a_span),
    ("B-V3", names_its_audience),
    ("B-V5", is_not_too_broad),
    ("B-V6", is_not_expired_for_action),
    ("B-V7", has_conflict_notes),
    ("B-V8", risky_uses_are_verified),
    ("B-USES", uses_do_not_clash),
    ("B-USES", serves_something),
    ("A-REJECT-EXPIRED", is_not_presented_as_current),
    ("A-REJECT-VERBATIM", is_not_presented_as_verbatim),
    ("A-INF-SUMMARY", keeps_its_sources),
    ("A-REJECT-MERGE", merges_no_contradiction),
    ("A-NOTMODEL", is_no_model_data),
    ("A-SHORT", short_term_ends),
    ("A-WORKING", working_stays_working),
    ("A-EPISODIC", episode_has_time),
    ("A-PROCEDURAL", procedure_has_steps),
    ("A-CONFIDENCE", numbers_are_in_range),
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
    known = known if known.texts or known.are_fine else replace(known, texts=texts_of(claim))
    return tuple(finding for _, rule in rules for finding in rule(claim, known))
