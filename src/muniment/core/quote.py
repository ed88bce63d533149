"""A passage as it is handed over: word for word, cited, and labelled as what nobody has checked (`A-CONVERSATION`).

- It stands apart from claims, under `passages`; its standing is always `unreviewed`, and it serves no action.
- Every key is always there: what is not known is null, never left out and never made up.

>>> kept = Kept("src_1", "conversation", "chat.jsonl", "sha256:00", 9, 1, 1, "user:a", datetime(2026, 1, 1, tzinfo=UTC))
>>> quote = Quote("psg_1", Said("src_1", "m1", 0, "Hi.", 1, 0, 3, ""), kept, Heard(7, ONE // 2))
>>> told = json_of_quote(quote)
>>> told["standing"], told["speaker"], told["relevance"]["value"]
('unreviewed', None, 0.5)
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypedDict

from muniment.core.dialogue import SIGNALS, Heard
from muniment.core.encode import time_text
from muniment.core.passage import Kept, Said
from muniment.core.rank import share
from muniment.core.ranking import ONE

_ = (ONE, UTC, datetime)  # named by the doctest

STANDING = "unreviewed"
SERVES = ("", "answer_questions")
"""The uses for which passages are handed over: looking, and answering a person's question."""


@dataclass(frozen=True, slots=True)
class Quote:
    """A passage that was found, with its source and how well it answers."""

    id: str
    said: Said
    kept: Kept
    heard: Heard


class KeptJson(TypedDict):
    """The source that a passage stands in."""

    id: str
    kind: str
    name: str
    digest: str


class QuoteRelevanceJson(TypedDict):
    """How well a passage answers, with what the number means."""

    value: float
    method: str
    meaning: str
    components: dict[str, float]


class SaidJson(TypedDict):
    """A passage, word for word, with its place in its source."""

    id: str
    text: str
    speaker: str | None
    at: str | None
    session: str | None
    message: str | None
    part: int
    parts: int
    line: int
    start: int
    end: int
    digest: str


class QuoteJson(SaidJson):
    """A passage that nobody reviewed, and how well it answers."""

    standing: str
    source: KeptJson
    relevance: QuoteRelevanceJson


def json_of_said(id: str, said: Said) -> SaidJson:
    """A passage as a JSON value, without its source."""
    return {
        "id": id,
        "text": said.text,
        "speaker": said.speaker or None,
        "at": time_text(said.at) if said.at else None,
        "session": said.session or None,
        "message": said.message or None,
        "part": said.part + 1,
        "parts": said.parts,
        "line": said.line,
        "start": said.start,
        "end": said.end,
        "digest": said.digest,
    }


def json_of_kept(kept: Kept) -> KeptJson:
    """A source as a passage names it."""
    return {"id": kept.id, "kind": kept.kind, "name": kept.name, "digest": kept.digest}


def json_of_quote(quote: Quote) -> QuoteJson:
    """A passage as a JSON value."""
    return {
        **json_of_said(quote.id, quote.said),
        "standing": STANDING,
        "source": json_of_kept(quote.kept),
        "relevance": {
            "value": share(quote.heard.relevance),
            "method": "dialogue",
            "meaning": meaning(quote.heard),
            "components": {name: share(value) for name, value in quote.heard.signals},
        },
    }


def meaning(heard: Heard) -> str:
    """What a passage's relevance means, in words (`A-RANKING`)."""
    held = {name for name, _ in heard.signals}
    names = ", ".join(signal.name for signal in SIGNALS if signal.name in held)
    return f"share in [0, 1] of what a perfect match of this question earns: the weighted mean of {names}"
