"""What leaves a store in an export and comes back in a restore, whatever the format.

- Going out: claims as their asker may see them. What the asker may not see is not in them: neither claims, nor names of
  claims in relations.
- Coming back: claims exactly as they went out, each proved by the digest that it left with.

Formats are `muniment.exchange`'s, the store the use cases'.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from muniment.core.access import Scope
from muniment.core.claim import Claim
from muniment.core.errors import Finding
from muniment.core.ids import is_id


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One claim on its way out.

    Attributes:
        claim: Its latest version, without names of claims that the asker may not see.
        superseded_by: A visible successor.
        conflicts: Visible claims in open conflict.
    """

    claim: Claim
    superseded_by: str = ""
    conflicts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Export:
    """What an export holds.

    Attributes:
        scopes: The scopes in force.
        claims: In the order of their identifiers.
        conflicts: Recorded conflicts of which every side is among the claims.
        left_out: Claims in scope that do not leave, by identifier, and why.
    """

    scopes: tuple[Scope, ...]
    claims: tuple[Outgoing, ...]
    conflicts: tuple[Mapping[str, Any], ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()

    def without(self, ids: Collection[str]) -> Export:
        """The export without these claims, and without their names in the others."""
        if not ids:
            return self
        kept = tuple(
            Outgoing(
                without_names(one.claim, lambda name: name not in ids),
                "" if one.superseded_by in ids else one.superseded_by,
                tuple(name for name in one.conflicts if name not in ids),
            )
            for one in self.claims
            if one.claim.id not in ids
        )
        conflicts = tuple(c for c in self.conflicts if not set(c["between"]) & set(ids))
        return Export(self.scopes, kept, conflicts, self.left_out)


def without_names(claim: Claim, sees: Callable[[str], bool]) -> Claim:
    """A claim without names of claims that are not seen.

    Args:
        claim: The claim.
        sees: Whether a claim may be named.
    """

    def seen(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(one for one in names if sees(one))

    source = claim.source
    if source.derived_from:
        source = replace(source, derived_from=seen(source.derived_from))
    return replace(
        claim,
        source=source,
        supersedes=seen(claim.supersedes),
        superseded_by=claim.superseded_by if sees(claim.superseded_by or "") else None,
        conflicts=tuple(note for note in claim.conflicts if sees(note.with_id)),
        relationships=tuple(
            one for one in claim.relationships if not is_id(one.target, "mem") or sees(one.target)
        ),
        derived_stale=claim.derived_stale if sees(claim.derived_stale) else "",
    )


@dataclass(frozen=True, slots=True)
class Coming:
    """What a restore found in an export of our own.

    Attributes:
        claims: Proved claims, in the order of their identifiers.
        conflicts: Recorded conflicts between them.
        findings: What is not restored, and why.
        source: Where it was read.
        digest: The digest of the whole export.
    """

    claims: tuple[Claim, ...]
    conflicts: tuple[Mapping[str, Any], ...] = ()
    findings: tuple[Finding, ...] = ()
    source: str = ""
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Wrote:
    """What writing an export came to.

    Attributes:
        claims: How many claims it holds.
        changed: Files that are new or different now.
        unchanged: Files that already held the same bytes.
        removed: Files of the export before, of claims that are no longer in it.
        left_out: Claims that do not leave, by identifier, and why.
    """

    claims: int
    changed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Files:
    """Files of an export, by their path in it.

    Attributes:
        files: POSIX path to bytes.
        left_out: What the format does not let out, by identifier, and why.
    """

    files: Mapping[str, bytes] = field(default_factory=dict)
    left_out: tuple[tuple[str, str], ...] = ()
