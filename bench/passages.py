"""Recall among a hundred thousand passages of conversations, on SQLite and on PostgreSQL.

- Each conversation is one kept source in a scope of its own; its messages are words drawn by Zipf's law, so that some
  of a question's words stand in many passages and some in few.
- `one` asks in the scope of one conversation, `everything` in all scopes at once; the questions differ, nothing embeds.
- A time is the whole recall: what may be seen, ranking, reading, packing in 1,000 tokens. `first` is the first question
  of a process that has read nothing yet.
- `keep_per_s` is how many passages a second are kept, whole: read, checked, chained, indexed, durable.

    python -m bench.passages --n 100000 --json
    python -m bench.passages --n 100000 --postgres postgresql://user@host/database --json
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from bench.report import emit, parser, progress
from bench.scale_world import vocabulary
from muniment import wiring
from muniment.core.access import Scope, Visibility
from muniment.core.request import Request
from muniment.usecases.keep_conversation import keep_conversation
from muniment.usecases.recall import recall
from muniment.usecases.session import Session

TENANT, ASKER = "bench", "user:ada"
AT = datetime(2026, 7, 8, 12, tzinfo=UTC)
SPEAKERS = ("Ada", "Bob", "Cleo")
BUDGET = 1_000


def scope(number: int) -> Scope:
    """The scope of a conversation."""
    return Scope("conversation", f"c{number:04d}")


def talk(number: int, messages: int) -> bytes:
    """A conversation's file, the same for a number."""
    rng = np.random.default_rng(number)
    names = np.array(vocabulary(6_000))
    shares = np.cumsum(1 / (np.arange(len(names)) + 2.7))
    lengths = rng.integers(8, 40, messages)
    drawn = names[np.searchsorted(shares / shares[-1], rng.random(int(lengths.sum())))]
    lines, place = [], 0
    for n, length in enumerate(lengths.tolist()):
        text = " ".join(drawn[place : place + length].tolist())
        place += length
        said = {"id": f"m{n}", "session": f"s{n // 40}", "speaker": SPEAKERS[n % 3], "text": text}
        lines.append(json.dumps(said | {"at": f"2026-0{n % 6 + 1}-01T10:00:00Z"}))
    return "\n".join(lines).encode()


def questions(count: int, seed: int = 3) -> list[str]:
    """Five words each, of middle and of high frequency."""
    names = vocabulary(6_000)
    rng = np.random.default_rng(seed)
    return [
        "what about "
        + " ".join(names[i] for i in (*rng.choice(30, 2), *rng.choice(np.arange(30, 1_500), 3)))
        for _ in range(count)
    ]


def session_on(store: Any, scopes: Sequence[Scope]) -> Session:
    """The asker's session in some scopes."""
    return wiring.make_session(
        store, tenant=TENANT, principal=ASKER, scopes=tuple(scopes), clock=lambda: AT,
        visibility=Visibility("public"),
    )  # fmt: skip


def filled(store: Any, count: int, messages: int) -> float:
    """Keep the conversations; passages a second."""
    kept, spent = 0, 0.0
    for number in range(count):
        data = talk(number, messages)
        begin = time.perf_counter()
        session = session_on(store, [scope(number)])
        found = keep_conversation(session, f"c{number}.jsonl", data, wiring.read_conversation)
        spent += time.perf_counter() - begin
        kept += found.passages
        progress("conversations", number + 1, count)
    return kept / spent


def asked(store: Any, scopes: Sequence[Scope], size: int) -> dict[str, float]:
    """How long questions take, milliseconds."""
    session, times = session_on(store, scopes), []
    for question in questions(size):
        request = Request(
            question, "answer_questions", budget=BUDGET, log="off", include_passages=True
        )
        begin = time.perf_counter()
        found = recall(session, request).packet
        times.append((time.perf_counter() - begin) * 1_000)
        if not found.quotes:
            raise AssertionError(f"nothing was found for {question!r}")
    ordered = sorted(times[1:])
    return {
        "first_ms": round(times[0], 1),
        "p50_ms": round(statistics.median(ordered), 1),
        "p95_ms": round(ordered[int(len(ordered) * 0.95)], 1),
    }


def measured(place: Path | str, count: int, messages: int, size: int) -> dict[str, Any]:
    """Fill a store and ask it; each kind of question in a store that was opened anew."""
    store = wiring.open_store(place, create=True)
    try:
        found: dict[str, Any] = {"keep_per_s": round(filled(store, count, messages))}
    finally:
        store.close()
    every = [scope(n) for n in range(count)]
    for name, scopes in (("one", every[count // 2 : count // 2 + 1]), ("everything", every)):
        store = wiring.open_store(place, create=False)
        try:
            found[name] = asked(store, scopes, size)
        finally:
            store.close()
        progress(name, 1, 1)
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print."""
    made = parser(__doc__)
    made.add_argument("--n", type=int, default=100_000, help="passages")
    made.add_argument("--messages", type=int, default=1_000, help="messages of a conversation")
    made.add_argument("--questions", type=int, default=30)
    made.add_argument("--postgres", default="", metavar="ADDRESS", help="an empty database")
    given = made.parse_args(argv)
    count = max(given.n // given.messages, 1)
    result: dict[str, Any] = {
        "measurement": "passages", "passages": count * given.messages, "conversations": count,
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "m.db"
        result["sqlite"] = measured(place, count, given.messages, given.questions)
        result["bytes_per_passage"] = round(place.stat().st_size / result["passages"])
    if given.postgres:
        result["postgresql"] = measured(given.postgres, count, given.messages, given.questions)
    emit(result, given.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
