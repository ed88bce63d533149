r"""One change on the screen: before and after, evidence in its surroundings, findings, conflicts, what goes stale.

- Old and new text are compared word by word; what is unchanged stays plain.
- The place in the source is shown with its lines around it, numbered and marked, as the source is now.

>>> before, after = word_difference("use npm", "use pnpm")
>>> before, after
(['use ', Styled(text='npm', style='gone')], ['use ', Styled(text='pnpm', style='new')])
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from muniment.cli.terminal import Piece, Styled, Terminal, brief, one_line
from muniment.core.claim import Claim, Validity
from muniment.core.conflict import Conflict
from muniment.core.encode import encode
from muniment.reviewable import beside
from muniment.reviewable.beside import (
    WordPiece,
    audience_text,
    differing,
    place,
    plain_text,
    reading_said,
    word_pieces,
)
from muniment.reviewable.standing import Seen, Standing

READING_STYLE = {"good": "green", "bad": "red", "unsure": "yellow"}
RISK_STYLE = {"low": "green", "medium": "yellow", "high": "red"}


def show_change(screen: Terminal, standing: Standing, number: int, total: int) -> None:
    """Write a change to the screen."""
    change, diff = standing.change, standing.pending.diff
    screen.out()
    screen.out(
        Styled(f"{number}/{total}  {change.operation.replace('_', ' ')}", "bold"),
        f"  {change.id} of {diff.id}, by {one_line(diff.proposed_by)}  ",
        Styled(f"{standing.risk} risk", RISK_STYLE[standing.risk]),
    )
    _statement(screen, standing)
    if change.reason:
        screen.out(Styled("why      ", "cyan"), brief(change.reason, 200))
    if change.declares:
        screen.out(Styled(f"declares a {change.declares}", "yellow"))
    if change.visibility:
        audience = [" or ".join(who) or "nobody" for who in change.visibility.audience]
        screen.out(
            Styled("seen by  ", "cyan"),
            one_line(" and ".join(audience)),
            " of those who see it now",
        )
    for seen in standing.seen:
        _evidence(screen, seen)
    if not standing.seen:
        source = change.item.source if change.item else change.source
        where = f"{source.kind} {source.uri}" if source else "nothing"
        screen.out(
            Styled("from     ", "cyan"), f"{brief(where, 120)}; no place that can be checked"
        )
    screen.findings_here(standing.findings)
    for conflict in standing.conflicts:
        _conflict(screen, conflict)
    if dependents := standing.dependents():
        screen.out(Styled("stale    ", "yellow"), f"would become stale: {', '.join(dependents)}")


def _statement(screen: Terminal, standing: Standing) -> None:
    change = standing.change
    old = standing.targets[0] if standing.targets else None
    if change.item is not None and change.operation == "supersede" and old is not None:
        before, after = word_difference(old.claim, change.item.claim)
        screen.out(Styled("before   ", "cyan"), *before)
        screen.out(Styled("after    ", "cyan"), *after)
        for name, was, now in differing(old, change.item):
            if name != "claim":
                screen.out(
                    Styled(f"{name.replace('_', ' ')}  ", "cyan"),
                    Styled(brief(was, 200), "gone"),
                    " → ",
                    Styled(brief(now, 200), "new"),
                )
        return
    if change.item is not None:
        _whole(screen, change.item)
        return
    for claim in standing.targets:
        screen.out(
            Styled("claim    ", "cyan"), one_line(claim.claim), "  ", Styled(claim.id, "dim")
        )
    if change.conflict_notes:
        screen.out(Styled("note     ", "cyan"), brief(change.conflict_notes, 300))
    if change.reading is not None:
        screen.out(
            Styled("now at   ", "cyan"),
            f"line {change.reading.line}" if change.reading.line else change.reading.state,
        )


def _whole(screen: Terminal, claim: Claim) -> None:
    screen.out(Styled("claim    ", "cyan"), Styled(one_line(claim.claim), "bold"))
    for name in ("title", "summary", "body"):
        text = getattr(claim, name)
        if text and text != claim.claim:
            screen.out(Styled(name.ljust(9), "cyan"), brief(text, 500))
    for number, step in enumerate(claim.steps, 1):
        screen.out(" " * 9, f"{number}. {brief(step, 200)}")
    for fact in claim.facts:
        screen.out(
            Styled("fact     ", "cyan"),
            brief(f"{fact.subject} | {fact.predicate} | {fact.object}", 200),
        )
    uses = ", ".join(claim.allowed_uses) or "no use"
    forbidden = f"; never for {', '.join(claim.prohibited_uses)}" if claim.prohibited_uses else ""
    screen.out(Styled("kind     ", "cyan"), f"{claim.type}, {claim.memory_type}, in {claim.scope}")
    screen.out(Styled("for      ", "cyan"), uses + forbidden)
    screen.out(Styled("seen by  ", "cyan"), one_line(audience_text(claim)))
    if claim.validity != Validity():
        screen.out(Styled("valid    ", "cyan"), brief(plain_text(encode(claim.validity)), 200))


def word_difference(old: str, new: str) -> tuple[list[Piece], list[Piece]]:
    """Old and new text, each with what differs styled."""
    before, after = word_pieces(one_line(old), one_line(new))
    return [_styled(one) for one in before], [_styled(one) for one in after]


def _styled(piece: WordPiece) -> Piece:
    kind, text = piece
    return text if kind == "same" else Styled(text, kind)


# --- evidence -------------------------------------------------------------------------------------


def _evidence(screen: Terminal, seen: Seen) -> None:
    how, said = reading_said(seen.reading.state)
    style = READING_STYLE[how]
    detail = f": {brief(seen.reading.detail, 120)}" if seen.reading.detail else ""
    line = seen.reading.line or seen.evidence.line
    screen.out(
        Styled("from     ", "cyan"),
        brief(place(seen.uri, line), 120),
        "  ",
        Styled(said, style),
        detail,
    )
    if seen.data is not None and seen.reading.state in ("match", "moved"):
        for pieces in excerpt(seen.data, seen.reading.start, seen.reading.end):
            screen.out("  ", *pieces)
    elif seen.evidence.quote:
        screen.out("  ", Styled("it said: ", "dim"), brief(seen.evidence.quote, 300))


def excerpt(data: bytes, start: int, end: int) -> Iterator[Sequence[Piece]]:
    r"""The lines around a span of bytes, numbered, with the span marked.

    >>> for pieces in excerpt(b"a\nbcd\ne\n", 3, 4):
    ...     print("".join(p if isinstance(p, str) else f"<{p.text}>" for p in pieces))
      <1 │ >a
    ▸ <2 │ >b<c>d
      <3 │ >e
    """
    lines, more = beside.excerpt(data, start, end)
    digits = len(str(lines[-1].number + more + 1)) if lines else 1
    for line in lines:
        before, marked, after = (brief(t, 160) for t in (line.before, line.marked, line.after))
        yield (
            "▸ " if line.inside else "  ",
            Styled(f"{line.number:>{digits}} │ ", "dim"),
            before,
            *([Styled(marked, "marked")] if marked else ()),
            after,
        )
    if more:
        yield ("  ", Styled(f"… {more} more lines", "dim"))


# --- conflicts ------------------------------------------------------------------------------------


def _conflict(screen: Terminal, conflict: Conflict) -> None:
    words = {"duplicate": "repeats", "contradiction": "contradicts", "possible": "may contradict"}
    screen.out(
        Styled(words[conflict.kind], "yellow"), f" {conflict.right}: {brief(conflict.note, 200)}"
    )
    for view in conflict.views:
        note = f"  ({brief(view.note, 120)})" if view.note else ""
        screen.out(Styled(f"  {view.name.replace('_', ' ')}", "cyan"), note)
        screen.out(Styled("    this   ", "dim"), brief(view.left, 200))
        screen.out(Styled("    other  ", "dim"), brief(view.right, 200))
