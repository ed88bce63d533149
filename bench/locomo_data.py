"""Read the LoCoMo set: conversations, turns and questions with the turns that answer them.

- Evidence names turns as `D8:6`; a few strings hold several (`D8:6; D9:17`) or a slip (`D:11:26`, `D30:05`). They are
  repaired, a turn that does not exist is dropped, and a question without any is not used.
- A session has a date and a time without a zone; they are read as they stand and taken as UTC.
- Nothing of the set is part of the project: it is read from where it lies (CC BY-NC 4.0, by its authors).

What is measured on it is `locomo`'s matter.

>>> repaired("D8:6; D9:17"), repaired("D:11:26"), repaired("D30:05"), repaired("D")
(('D8:6', 'D9:17'), ('D11:26',), ('D30:5',), ())
>>> session_time("1:56 pm on 8 May, 2023").isoformat()
'2023-05-08T13:56:00+00:00'
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

CATEGORIES = {1: "multi_hop", 2: "temporal", 3: "open_domain", 4: "single_hop", 5: "adversarial"}
_ID = re.compile(r"D:?(\d+):(\d+)")


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation, in its order."""

    id: str
    session: int
    at: datetime
    speaker: str
    text: str
    caption: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the turns that hold its answer."""

    text: str
    category: str
    evidence: frozenset[str]


@dataclass(frozen=True, slots=True)
class Conversation:
    """Turns in order, and the questions on them."""

    name: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]


def repaired(evidence: str) -> tuple[str, ...]:
    """The ids that an evidence string names."""
    return tuple(f"D{int(session)}:{int(turn)}" for session, turn in _ID.findall(evidence))


def session_time(said: str) -> datetime:
    """The time of a session."""
    return datetime.strptime(said.replace(",", ""), "%I:%M %p on %d %B %Y").replace(tzinfo=UTC)


def load(folder: Path) -> tuple[Conversation, ...]:
    """Every conversation of `locomo10.json`, with the questions that are usable."""
    raw = json.loads((folder / "locomo10.json").read_text(encoding="utf-8"))
    return tuple(_conversation(one) for one in raw)


def padded(
    conversations: Sequence[Conversation], words: int, seed: int = 5
) -> tuple[Conversation, ...]:
    """The same conversations with long messages: each turn stands somewhere in text of other conversations.

    Args:
        conversations: All of them.
        words: About how many words a message gets on average; from a quarter of it to twice as many.
        seed: Of what is drawn.
    """
    draw = random.Random(seed)
    said = [(one.name, turn.text) for one in conversations for turn in one.turns]

    def longer(name: str, turn: Turn) -> Turn:
        wanted, size = draw.choice((0.25, 0.6, 0.9, 1.25, 2.0)) * words, 0
        around: list[str] = []
        while size < wanted:
            other, text = draw.choice(said)
            if other != name:
                around.append(text)
                size += len(text.split())
        around.insert(draw.randrange(len(around) + 1), turn.text)
        lines = (" ".join(around[at : at + 3]) for at in range(0, len(around), 3))
        return replace(turn, text="\n".join(lines))

    return tuple(
        replace(one, turns=tuple(longer(one.name, turn) for turn in one.turns))
        for one in conversations
    )


def _conversation(raw: Mapping[str, Any]) -> Conversation:
    turns = tuple(_turns(raw["conversation"]))
    known = {turn.id for turn in turns}
    questions = []
    for one in raw["qa"]:
        named = {name for text in one["evidence"] for name in repaired(text)}
        if named & known:
            category = CATEGORIES[one["category"]]
            questions.append(Question(one["question"], category, frozenset(named & known)))
    return Conversation(raw["sample_id"], turns, tuple(questions))


def _turns(raw: Mapping[str, Any]) -> Iterator[Turn]:
    sessions = sorted(int(m[1]) for key in raw if (m := re.fullmatch(r"session_(\d+)", key)))
    for number in sessions:
        at = session_time(raw[f"session_{number}_date_time"])
        for turn in raw[f"session_{number}"]:
            yield Turn(
                turn["dia_id"],
                number,
                at,
                turn["speaker"],
                turn["text"],
                turn.get("blip_caption", ""),
            )
