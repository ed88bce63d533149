"""What leaves a store in an export and comes back in a restore, whatever the format.

- Going out: claims as their asker may see them. What the asker may not see is not in them: neither claims, nor names of
  claims in relations.
- Coming back: claims exactly as they went out, each proved by the digest that it left with.

Formats are `muniment.exchange`'s, the store the use cases'.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from muniment.core.access import Scope
from muniment.core.claim import Claim
from muniment.core.errors import Finding
from muniment.core.ids import is_id

TOLD = "told"
"""Under which, beside a change of the past, stands what was decided of it."""
EXPORT = "export"
"""Under which the digest of the export stands that told something first."""


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
class Past:
    """One thing that was recorded before, as an export tells it.

    Attributes:
        step: Which of the states that are told recorded it, from 1: it counts only those.
        at: When, UTC text.
        kind: `version` of a claim, `frame`, `change` or `note` of a proposal, `conflict`, `erased`.
        id: Identifier within the kind; of a version, the claim's.
        about: Claims that it names: it leaves with all of them, or not at all.
        claim: The version, or the item of a change; None for the latest version, which the export holds itself.
        content: The rest, as JSON.
        where: Scope and audience of its class, as JSON; empty where `claim` says it, or none has to.
    """

    step: int
    at: str
    kind: str
    id: str
    about: tuple[str, ...] = ()
    claim: Claim | None = None
    content: Mapping[str, Any] = field(default_factory=dict)
    where: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Export:
    """What an export holds.

    Attributes:
        scopes: The scopes in force.
        claims: In the order of their identifiers.
        conflicts: Recorded conflicts of which every side is among the claims.
        left_out: Claims in scope that do not leave, by identifier, and why.
        past: What was recorded before, in order; None where only the latest is wanted.
    """

    scopes: tuple[Scope, ...]
    claims: tuple[Outgoing, ...]
    conflicts: tuple[Mapping[str, Any], ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    past: tuple[Past, ...] | None = None

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
        past = None if self.past is None else past_without(self.past, ids)
        return Export(self.scopes, kept, conflicts, self.left_out, past)


def past_without(past: Iterable[Past], ids: Collection[str]) -> tuple[Past, ...]:
    """The past without what names these claims, its steps numbered anew.

    >>> one, two = Past(1, "2026-07-08T12:00:00Z", "version", "a", ("a",)), Past(3, "", "version", "b")
    >>> [(found.step, found.id) for found in past_without((one, two), {"a"})]
    [(1, 'b')]
    """
    kept = [one for one in past if not set(one.about) & set(ids)]
    changes = {one.id.partition("/")[0] for one in kept if one.kind == "change"}
    kept = [one for one in kept if one.kind != "frame" or one.id in changes]
    number = {step: n for n, step in enumerate(sorted({one.step for one in kept}), 1)}
    return tuple(
        replace(
            one,
            step=number[one.step],
            claim=without_names(one.claim, lambda name: name not in ids) if one.claim else None,
        )
        for one in kept
    )


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
        past: What was recorded before, in order, where the export tells it.
    """

    claims: tuple[Claim, ...]
    conflicts: tuple[Mapping[str, Any], ...] = ()
    findings: tuple[Finding, ...] = ()
    source: str = ""
    digest: str = ""
    past: tuple[Past, ...] = ()


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
