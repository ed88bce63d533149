"""Fewer may see a claim, and what was made of it moves along (`B-TRAVEL`).

- A narrowing only takes sight away: who may see the claim afterwards could before, and passes what is asked for too.
- What rests on a claim, directly or through others, is narrowed by what the claim is, in the same transaction.
- Each is a new version that says what the one before said.

Which claims move, and how they are told apart from what a reviewer declassified, is the use case's matter.

>>> shop = Claim("mem_x", "", Scope("project", "x"), Source("file"), Visibility("team-private", ("group:shop",)))
>>> narrowed(shop, audience_of(("group:board",))).visibility.audience
(('group:board',), ('group:shop',))
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from muniment.core.access import Audience, Scope, Visibility, audience_of, intersect
from muniment.core.claim import Claim, Transformation
from muniment.core.record import visibility_of
from muniment.core.source import Source

_ = (Scope, Source, Visibility, audience_of)  # named by the doctest


@dataclass(frozen=True, slots=True)
class Narrowed:
    """The record that a claim was narrowed; it outlives the claim's erasure and names nobody but who did it.

    Attributes:
        by: The reviewer, or a policy.
        at: When.
        diff_id: By which diff.
        change_id: By which change.
        because: The claim that was narrowed and on which this one rests; empty for that claim itself.
    """

    by: str
    at: datetime
    diff_id: str
    change_id: str
    because: str = ""


def narrowed(claim: Claim, audience: Audience, level: str = "") -> Claim:
    """The version that only those see who see the claim and pass an audience."""
    known = claim.visibility
    both = intersect(known.audience, audience)
    wanted = visibility_of(level or known.level, both)
    return replace(claim, version=claim.version + 1, visibility=wanted)


def moved(claim: Claim, audience: Audience, record: Narrowed) -> Claim:
    """The version of a claim that rests on one that was narrowed."""
    note = f"{record.because} was narrowed"
    step = Transformation("narrow", record.by, record.at, note)
    before: Mapping[str, Any] = {"transformations": (*claim.provenance.transformations, step)}
    return replace(narrowed(claim, audience), provenance=replace(claim.provenance, **before))
