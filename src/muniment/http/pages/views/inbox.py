"""The inbox: what waits in the order of risk and age, each change with all that a reviewer needs to decide on it.

- Deciding needs the reviewer's opened credential; every decision is signed like one of `muniment review`.
- Accepting all that are safe sets aside what turns out otherwise, and says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

from muniment.core.diff import Decision, Pending
from muniment.core.errors import Conflicted, Finding, InvalidInput, MunimentError, NotPermitted
from muniment.http.pages.asked import Page
from muniment.http.pages.views.seat import came_from
from muniment.reviewable.beside import (
    Line,
    WordPiece,
    audience_text,
    differing,
    excerpt,
    place,
    plain_text,
    reading_said,
    word_pieces,
)
from muniment.reviewable.edited import changed_parts, editable_text
from muniment.reviewable.standing import ORDER, Seen, Standing, change_of, standing_of, waiting
from muniment.usecases.review import Choice

PAGE = 20
CONFLICT_WORDS = {
    "duplicate": "repeats",
    "contradiction": "contradicts",
    "possible": "may contradict",
}


@dataclass(frozen=True, slots=True)
class Evidence:
    """A place in a source, as the page shows it.

    Attributes:
        where: Its address, as a person reads it.
        uri: The address itself.
        how: good, bad or unsure.
        said: What the source says now.
        detail: More about that.
        lines: The lines around the place.
        more: How many more lines it has.
        quote: What it said when it was read, where it cannot be shown now.
    """

    where: str
    uri: str
    how: str
    said: str
    detail: str
    lines: tuple[Line, ...]
    more: int
    quote: str


@dataclass(frozen=True, slots=True)
class Card:
    """One change, as the page shows it.

    Attributes:
        standing: How it stands.
        before: The old statement, in pieces; empty where there is none.
        after: The new one.
        parts: Other parts that differ: name, before, after.
        evidence: Places in sources.
        stale: Claims that would become stale.
        state: pending or needs_review.
    """

    standing: Standing
    before: list[WordPiece]
    after: list[WordPiece]
    parts: tuple[tuple[str, str, str], ...]
    evidence: tuple[Evidence, ...]
    stale: tuple[str, ...]
    state: str

    @property
    def key(self) -> str:
        """Names the card on its page."""
        return f"{self.standing.pending.diff.id}-{self.standing.change.id}"


def card(standing: Standing) -> Card:
    """A change as the page shows it."""
    change = standing.change
    old = standing.targets[0] if standing.targets else None
    before: list[WordPiece] = []
    after: list[WordPiece] = []
    parts: tuple[tuple[str, str, str], ...] = ()
    if change.item is not None and old is not None and change.operation == "supersede":
        before, after = word_pieces(old.claim, change.item.claim)
        parts = tuple(one for one in differing(old, change.item) if one[0] != "claim")
    return Card(
        standing,
        before,
        after,
        parts,
        tuple(map(evidence, standing.seen)),
        standing.dependents(),
        standing.pending.state_of(change.id),
    )


def evidence(seen: Seen) -> Evidence:
    """A place in a source, as the page shows it."""
    reading = seen.reading
    how, said = reading_said(reading.state)
    lines: tuple[Line, ...] = ()
    more = 0
    if seen.data is not None and reading.state in ("match", "moved"):
        lines, more = excerpt(seen.data, reading.start, reading.end)
    line = reading.line or seen.evidence.line
    quote = "" if lines else seen.evidence.quote
    return Evidence(place(seen.uri, line), seen.uri, how, said, reading.detail, lines, more, quote)


# --- showing --------------------------------------------------------------------------------------


def inbox(page: Page) -> Response:
    """What waits."""
    diffs = waiting(page.memory)
    ordered = [one for _, many in diffs for one in sorted(many, key=_by_risk)]
    number = _page_number(page.query.get("page", "1"), len(ordered))
    shown = ordered[(number - 1) * PAGE : number * PAGE]
    return page.answer(
        "inbox.html",
        cards=[card(one) for one in shown],
        total=len(ordered),
        safe=sum(one.is_safe for one in ordered),
        number=number,
        pages=max(1, -(-len(ordered) // PAGE)),
        now=page.seats.now(),
        **_drawing(page),
    )


def _drawing(page: Page) -> dict[str, Any]:
    return {
        "may_unlock": page.seats.may_unlock(page.seat),
        "is_open": page.seat.signer is not None,
        "audience": audience_text,
        "plain": plain_text,
        "conflict_words": CONFLICT_WORDS,
    }


def _by_risk(standing: Standing) -> int:
    return ORDER.index(standing.risk)


def _page_number(text: str, total: int) -> int:
    last = max(1, -(-total // PAGE))
    return min(int(text), last) if text.isascii() and text.isdigit() and int(text[:9]) > 0 else 1


# --- deciding -------------------------------------------------------------------------------------


def decide(page: Page) -> Response:
    """One decision."""
    form = page.form
    diff, change = form.get("diff", ""), form.get("change", "")
    known: tuple[Decision, ...] = ("accepted", "rejected", "needs_review")
    decision = next((one for one in known if one == form.get("decision")), None)
    if decision is None:
        fix = "use the buttons of the page"
        raise InvalidInput.of(
            (Finding("unknown_value", "no decision was given", "/decision", fix),)
        )
    keep_open = form.get("keep_open") == "yes"
    choice = Choice(decision, form.get("reason", ""), keep_value_open=keep_open)
    try:
        outcome = page.memory.review(diff, {change: choice}, _signer(page))
    except (InvalidInput, Conflicted, NotPermitted) as error:
        return _refused(page, diff, change, error)
    page.seats.used(page.seat)
    held = change in outcome.held
    said = "still pending: another reviewer is needed" if held else decision.replace("_", " ")
    if page.wants_part:
        return page.answer("decided.html", said=said, change=change, diff=diff, outcome=outcome)
    return page.back(came_from(page, "/inbox"), "good", f"{change}: {said}")


def _signer(page: Page) -> Any:
    if page.seat.signer is None:
        fix = "open your credential at the top of the inbox, and decide again"
        raise NotPermitted("your credential is not open", fix=fix)
    return page.seat.signer


def _refused(page: Page, diff: str, change: str, error: MunimentError) -> Response:
    """The card again, with what was wrong."""
    words = "; ".join(f"{f.message} ({f.fix})" if f.fix else f.message for f in error.findings)
    found = standing_of(page.memory, diff, change)
    if page.wants_part and found is not None:
        return page.answer(
            "card.html", card=card(found), refused=words, now=page.seats.now(), **_drawing(page)
        )
    return page.back(came_from(page, "/inbox"), "bad", words)


def accept_safe(page: Page) -> Response:
    """Accept every change that is safe, diff by diff; what turns out otherwise is set aside."""
    signer = _signer(page)
    accepted, aside = 0, list[str]()
    for pending, many in waiting(page.memory):
        choices = {one.change.id: Choice("accepted") for one in many if one.is_safe}
        done, left = _accept(page, pending, choices, signer)
        accepted += done
        aside.extend(left)
    page.seats.used(page.seat)
    if aside:
        page.seat.say("unsure", f"set aside: {'; '.join(aside[:5])}")
    return page.back("/inbox", "good", f"{accepted} accepted")


def _accept(
    page: Page, pending: Pending, choices: Mapping[str, Choice], signer: Any
) -> tuple[int, list[str]]:
    if not choices:
        return 0, []
    try:
        page.memory.review(pending.diff.id, choices, signer)
    except (InvalidInput, Conflicted) as error:
        out = {change_of(pending.diff, found) for found in error.findings}
        rest = {name: choice for name, choice in choices.items() if name not in out}
        words = [f.message for f in error.findings]
        if len(rest) == len(choices):
            return 0, words
        done, more = _accept(page, pending, rest, signer)
        return done, words + more
    return len(choices), []


# --- editing --------------------------------------------------------------------------------------


def edit(page: Page) -> Response:
    """The form of an edit as successor."""
    diff, change = (str(page.request.path_params[name]) for name in ("diff", "change"))
    found = standing_of(page.memory, diff, change)
    if found is None or found.change.item is None:
        fix = "reject it and say why, or accept it"
        raise InvalidInput.of(
            (Finding("nothing_to_edit", "this change holds no claim to edit", "", fix),)
        )
    text = editable_text(found.change.item)
    return page.answer(
        "edit.html", card=card(found), text=text, reason="", findings=(), **_drawing(page)
    )


def save(page: Page) -> Response:
    """Propose the edited claim, and reject the original without a tombstone."""
    diff, change = (str(page.request.path_params[name]) for name in ("diff", "change"))
    found = standing_of(page.memory, diff, change)
    text, reason = (
        page.form.get("text", "").replace("\r\n", "\n"),
        page.form.get("reason", "").strip(),
    )
    if found is None or found.change.item is None:
        return page.back("/inbox", "bad", "this change waits no more")
    try:
        parts = changed_parts(found.change.item, text.encode("utf-8", "surrogatepass"))
        _refuse_idle(parts, reason)
        proposed, _ = page.memory.edit(diff, change, parts, _signer(page), reason)
    except MunimentError as error:
        return page.answer(
            "edit.html", 422, card=card(found), text=text, reason=reason,
            findings=error.findings, **_drawing(page),
        )  # fmt: skip
    page.seats.used(page.seat)
    words = f"{proposed.diff.id} holds the edited claim, and waits for another reviewer"
    return page.back("/inbox", "good", words)


def _refuse_idle(parts: Mapping[str, Any], reason: str) -> None:
    found = []
    if not parts:
        fix = "change what is wrong, or go back"
        found.append(Finding("nothing_to_edit", "nothing was changed", "/text", fix))
    if not reason:
        found.append(Finding("no_reason", "an edit says why", "/reason", "give a reason"))
    if found:
        raise InvalidInput.of(tuple(found))


VIEWS = (
    ("GET", "/inbox", inbox),
    ("POST", "/inbox/decide", decide),
    ("POST", "/inbox/accept-safe", accept_safe),
    ("GET", "/inbox/{diff}/{change}/edit", edit),
    ("POST", "/inbox/{diff}/{change}/edit", save),
)
