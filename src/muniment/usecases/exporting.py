"""Export: hand claims out in another format, with their boundaries kept or kept in force.

- What may not be seen is not there: not in a line, a count or a refusal (`B-TRAVEL`).
- A format that carries boundaries gets every reviewed claim in scope; one that does not gets only what is accepted,
  current, undisputed and allowed for the use that is named.
- Into a file that others read goes only what all of its readers may see.
- `_local` never leaves (`C-NAMESPACE`); text that addresses an agent goes into no instruction file.
- The order is fixed, so the same state gives the same bytes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from datetime import datetime

from muniment.core.access import Audience, Visibility, within
from muniment.core.claim import Claim
from muniment.core.codec import micros
from muniment.core.decide import Ask, decide, labels_of, superseded_for
from muniment.core.errors import Finding, InvalidInput
from muniment.core.instruction import looks_like_instruction
from muniment.core.namespace import may_leave
from muniment.core.row import Row
from muniment.core.status import status_at
from muniment.ports.exporting import ExportFormat, Place, Portable
from muniment.usecases.session import Session
from muniment.usecases.viewing import Viewing

USE = "prepare_context"


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export came to.

    Attributes:
        format: Its name.
        claims: How many claims went along.
        left_out: Claims that the asker may see and that did not, by reason.
        lost: What the format does not carry.
        changed: Files that changed.
        data: The bytes, where no place was given and they are one file.
    """

    format: str
    claims: int
    left_out: Counter[str]
    lost: tuple[str, ...]
    changed: tuple[str, ...] = ()
    data: bytes | None = None


@dataclass(frozen=True, slots=True)
class Collected:
    """What an export takes along.

    Attributes:
        items: The claims, in order.
        left_out: Claims that the asker may see and that do not go along, by reason.
    """

    items: tuple[Portable, ...]
    left_out: Counter[str]


def collect(
    session: Session,
    known: ExportFormat,
    use: str = "",
    readers: Audience | None = None,
    history: bool = False,
    at: datetime | None = None,
) -> Collected:
    """The claims to export.

    Args:
        session: Who exports, and from which scopes.
        known: The format.
        use: What a format without boundaries is wanted for; `prepare_context` by default.
        readers: Who will read what is written; None for the one who exports.
        history: Whether deprecated, superseded and expired claims go along, where the format can say so.
        at: The instant; now by default.

    Raises:
        InvalidInput: No scope is in force, or history is wanted of a format that cannot tell it.
    """
    if not session.scopes:
        fix = "run `muniment init`, or name one with `--scope kind:id`"
        raise InvalidInput.of(
            (Finding("no_scope", "no scope is in force", "--scope", fix, req="E-NOSCOPE"),)
        )
    if history and not known.keeps_boundaries:
        message = f"`{known.name}` cannot tell what holds from what held once"
        raise InvalidInput.of((Finding("no_history", message, "--history", "export to `jsonl`"),))
    ask = Ask(
        "" if known.keeps_boundaries else use or USE, micros(at or session.now()), history=history
    )
    with session.store.snapshot(session.tenant) as snapshot:
        viewing = session.viewing(snapshot)
        rows = viewing.seen(snapshot.rows(viewing.classes_of(session.scopes)))
        claims = viewing.claims(rows)
        left: Counter[str] = Counter()
        items = []
        for row in rows:
            if row.seq not in claims:
                continue
            claim = _cut(viewing, claims[row.seq])
            reason = _reason(viewing, row, claim, ask, known, readers)
            if reason:
                left[reason] += 1
            else:
                status = status_at(row, ask.at, viewing.sees)
                items.append(Portable(claim, status, labels_of(row, ask, viewing.sees)))
    items.sort(key=lambda one: one.claim.id)
    return Collected(tuple(items), left)


def export(
    session: Session,
    known: ExportFormat,
    place: Place | None = None,
    use: str = "",
    visibility: Visibility | None = None,
    history: bool = False,
) -> Exported:
    """Write claims in a format.

    Args:
        session: Who exports, and from which scopes.
        known: The format.
        place: Where it goes; None to be handed the bytes.
        use: What a format without boundaries is wanted for.
        visibility: Who will read it; for a block in a file, the session's by default.
        history: Whether what held once goes along.

    Raises:
        InvalidInput: No scope, a place that cannot be written, or a file whose block is broken; nothing was written.
    """
    shared = visibility or (session.visibility if known.update else None)
    if known.update is not None and shared is None:
        fix = "run `muniment init`, or give `--visibility`"
        message = "who reads the file is not known"
        raise InvalidInput.of(
            (Finding("no_visibility", message, "--visibility", fix, req="B-TRAVEL"),)
        )
    collected = collect(session, known, use, shared.audience if shared else None, history)
    items = collected.items
    changed: tuple[str, ...] = ()
    data: bytes | None = None
    if known.update is not None and place is not None:
        changed = place.write(iter([("", known.update(place.read(), items))]))
    elif place is not None:
        changed = place.write(known.write(items))
    else:
        data = b"".join(part for name, part in known.write(items) if not name)
    return Exported(known.name, len(items), collected.left_out, known.lost, changed, data)


def _reason(
    viewing: Viewing,
    row: Row,
    claim: Claim,
    ask: Ask,
    known: ExportFormat,
    readers: Audience | None,
) -> str:
    """Why a claim does not go along; empty where it does."""
    refused = decide(row, ask).reasons
    if refused:
        return refused[0]
    if superseded_for(row, viewing.sees) and not ask.history:
        return "superseded"
    if not may_leave(claim.namespace):
        return "local"
    if readers is not None and not within(readers, claim.visibility.audience):
        return "not_for_all_readers"
    if known.keeps_boundaries:
        return ""
    status = status_at(row, ask.at, viewing.sees)
    if status not in ("active", "stale"):
        return status
    if known.update is not None and looks_like_instruction(claim.claim):
        return "instruction_like"
    return ""


def _cut(viewing: Viewing, claim: Claim) -> Claim:
    """The claim without names of claims that the asker may not see."""
    return replace(
        claim,
        source=replace(
            claim.source,
            derived_from=tuple(c for c in claim.source.derived_from if viewing.sees(c)),
        ),
        supersedes=tuple(c for c in claim.supersedes if viewing.sees(c)),
        superseded_by=claim.superseded_by
        if claim.superseded_by and viewing.sees(claim.superseded_by)
        else None,
        conflicts=tuple(c for c in claim.conflicts if viewing.sees(c.with_id)),
    )
