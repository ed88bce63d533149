"""What the guide shows of conversations: printed by the commands themselves."""

from __future__ import annotations

import json
from pathlib import Path

from tools.generators.guide import _INIT
from tools.walkthrough import a_walk, console

_SAID = (
    ("Ada", "2026-05-04T09:12:00+02:00", "Which bank do the refunds go through now?"),
    (
        "Bob",
        "2026-05-04T09:13:00+02:00",
        "Through Sparkasse, since Monday. The old account is closed.",
    ),
    ("Ada", "2026-06-17T16:40:00+02:00", "The refund job failed twice last night."),
    ("Bob", "2026-06-17T16:44:00+02:00", "It still had the old account. I changed it by hand."),
)
_CHAT = "".join(
    json.dumps({"id": f"m{n}", "speaker": who, "at": at, "text": text}) + "\n"
    for n, (who, at, text) in enumerate(_SAID, 1)
)
_ASKED = (
    "recall",
    "Why did the refund job fail in June?",
    "--use",
    "answer_questions",
    "--passages",
)


def kept(root: Path) -> str:
    """A conversation is kept, kept again, and asked."""
    del root
    with a_walk() as walk:
        walk.run(*_INIT)
        (walk.shop / "chat.jsonl").write_text(_CHAT + '{"id": "m5", "text": 7}\n', "utf-8")
        return console(
            walk.run("learn", "chat.jsonl"),
            walk.run("learn", "chat.jsonl", quiet=True),
            walk.run(*_ASKED, quiet=True),
            walk.run(
                "recall", "why did the refund job fail?", "--use", "deploy", "--passages", code=2
            ),
        )


GENERATORS = {"conversation": kept}
