r"""One change on the screen: before and after, evidence in its surroundings, findings, conflicts, what goes stale.

- Old and new text are compared word by word; what is unchanged stays plain.
- The place in the source is shown with its lines around it, numbered and marked, as the source is now.

>>> before, after = word_difference("use npm", "use pnpm")
>>> before, after
(['use ', Styled(text='npm', style='gone')], ['use ', Styled(text='pnpm', style='new')])
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from typing import Any

from muniment.cli.standing import Seen, Standing
from muniment.cli.terminal import Piece, Styled, Terminal, brief, one_line
from muniment.core.claim import Claim, Validity
from muniment.core.conflict import Conflict
from muniment.core.encode import encode
from muniment.ports.source import ParsedUri, parse_uri

_WORDS = re.compile(r"\s+|\w+|[^\w\s]")
_SHOWN = (
    "claim", "title", "summary", "body", "type", "memory_type", "facts", "steps", "tags", "aliases",
    "allowed_uses", "prohibited_uses", "validity", "visibility", "scope", "confidence",
)  # fmt: skip
AROUND = 2
MOST_LINES = 12
READINGS = {
    "match": ("green", "the source says so now"),
    "moved": ("green", "the source says so now, at another place"),
    "changed": ("red", "the source does not say so any more"),
    "missing": ("red", "the source is gone"),
    "could_not_observe": ("yellow", "the source could not be read now"),
}
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
                    Styled(was, "gone"),
                    " → ",
                    Styled(now, "new"),
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
    screen.out(Styled("seen by  ", "cyan"), _audience(claim))
    if claim.validity != Validity():
        screen.out(Styled("valid    ", "cyan"), brief(_plain(encode(claim.validity)), 200))


def _audience(claim: Claim) -> str:
    audience = claim.visibility.audience
    who = " and ".join(" or ".join(one) for one in audience) or "everybody of the tenant"
    return f"{who} ({claim.visibility.level})"


def word_difference(old: str, new: str) -> tuple[list[Piece], list[Piece]]:
    """Old and new text, each with what differs styled."""
    left, right = _WORDS.findall(one_line(old)), _WORDS.findall(one_line(new))
    before: list[Piece] = []
    after: list[Piece] = []
    for tag, a, b, c, d in difflib.SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        gone, come = "".join(left[a:b]), "".join(right[c:d])
        if gone:
            before.append(gone if tag == "equal" else Styled(gone, "gone"))
        if come:
            after.append(come if tag == "equal" else Styled(come, "new"))
    return before, after


def differing(old: Claim, new: Claim) -> Iterator[tuple[str, str, str]]:
    """The parts in which two claims differ, as text."""
    left, right = _as_proposed(old), _as_proposed(new)
    for name in _SHOWN:
        if left.get(name) != right.get(name):
            yield name, brief(_plain(left.get(name)), 200), brief(_plain(right.get(name)), 200)


def _as_proposed(claim: Claim) -> dict[str, Any]:
    """A claim's parts without what is computed when it is accepted."""
    parts = dict(encode(claim))
    parts["confidence"] = {k: v for k, v in parts.get("confidence", {}).items() if k != "grade"}
    return parts


def _plain(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, dict):
        return ", ".join(f"{key} {_plain(item)}" for key, item in value.items())
    if isinstance(value, list):
        return ", ".join(_plain(item) for item in value)
    return str(value)


# --- evidence -------------------------------------------------------------------------------------


def _evidence(screen: Terminal, seen: Seen) -> None:
    style, said = READINGS[seen.reading.state]
    detail = f": {brief(seen.reading.detail, 120)}" if seen.reading.detail else ""
    line = seen.reading.line or seen.evidence.line
    screen.out(
        Styled("from     ", "cyan"), place(seen.uri, line), "  ", Styled(said, style), detail
    )
    if seen.data is not None and seen.reading.state in ("match", "moved"):
        for pieces in excerpt(seen.data, seen.reading.start, seen.reading.end):
            screen.out("  ", *pieces)
    elif seen.evidence.quote:
        screen.out("  ", Styled("it said: ", "dim"), brief(seen.evidence.quote, 300))


def place(uri: str, line: int) -> str:
    """An address as a person reads it, with the line.

    >>> place("repo:local:shop!/Makefile", 3), place("repo:local:shop@main!/a", 0)
    ('Makefile:3', 'a at main')
    """
    parsed = parse_uri(uri)
    if not isinstance(parsed, ParsedUri):
        return brief(uri, 120)
    where = f"{parsed.path}:{line}" if line else parsed.path
    return one_line(f"{where} at {parsed.ref}" if parsed.ref else where)


def excerpt(data: bytes, start: int, end: int) -> Iterator[Sequence[Piece]]:
    r"""The lines around a span of bytes, numbered, with the span marked.

    >>> for pieces in excerpt(b"a\nbcd\ne\n", 3, 4):
    ...     print("".join(p if isinstance(p, str) else f"<{p.text}>" for p in pieces))
      <1 │ >a
    ▸ <2 │ >b<c>d
      <3 │ >e
    """
    lines = data.split(b"\n")
    if lines and not lines[-1]:
        lines.pop()
    starts = [0]
    for one in lines:
        starts.append(starts[-1] + len(one) + 1)
    first = data.count(b"\n", 0, start)
    last = data.count(b"\n", 0, max(start, end - 1))
    shown = range(max(0, first - AROUND), min(len(lines), last + AROUND + 1))
    digits = len(str(shown.stop))
    for number in shown[:MOST_LINES]:
        inside = first <= number <= last
        left = max(0, start - starts[number]) if inside else 0
        right = max(0, end - starts[number]) if inside else 0
        raw = lines[number].removesuffix(b"\r")
        parts = (raw[:left], raw[left:right], raw[right:])
        before, marked, after = (_decoded(part) for part in parts)
        gutter = Styled(f"{number + 1:>{digits}} │ ", "dim")
        yield (
            "▸ " if inside else "  ",
            gutter,
            before,
            *([Styled(marked, "marked")] if marked else ()),
            after,
        )
    if len(shown) > MOST_LINES:
        yield ("  ", Styled(f"… {len(shown) - MOST_LINES} more lines", "dim"))


def _decoded(raw: bytes) -> str:
    return brief(raw.decode("utf-8", "replace"), 160)


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
