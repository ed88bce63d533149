"""What others keep to themselves changes nothing for who may not see it, and what it costs in time.

    python -m bench.noninterference --claims 9000 --json

- Two stores hold the same claims that the asker may see; one holds others, too, half as many, written between them.
- The same questions are asked of both: every value of the packets has to be the same. So has what is told of a
  proposal, among others of one that repeats a hidden claim word for word.
- `ratio` is the median time of a recall with the hidden claims to that without; questions alternate between the
  stores, so that a busy machine troubles both.

Whether many measurements could tell the two apart by their time is not claimed; the ratio shows how far they are.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench import recall_cold, report, world
from muniment import Memory
from muniment.core.claim import Claim

SCOPE = str(recall_cold.SCOPE)
VISIBILITY = {"level": "team-private", "allowed_principals": [recall_cold.ASKER]}
HIDDEN = recall_cold.AUDIENCES[2]
WITHOUT, WITH = "without", "with"


def is_seen(claim: Claim) -> bool:
    """Whether the asker may see a claim."""
    return claim.visibility != HIDDEN


def questions(count: int, seed: int) -> list[str]:
    """Questions about what claims of both kinds speak of."""
    rng = random.Random(seed)
    return [f"which command {rng.choice(recall_cold.VERBS)} the {rng.choice(recall_cold.THINGS)} "
            f"with {rng.choice(recall_cold.TOOLS)}?" for _ in range(count)]  # fmt: skip


def hidden_texts(claims: int, seed: int) -> list[str]:
    """Some of the hidden claims, word for word."""
    rng = random.Random(seed)
    made = (recall_cold.claim(number, rng) for number in range(claims))
    return [claim.claim for claim in made if not is_seen(claim)][:5]


def opened(path: Path) -> Memory:
    """The store as the asker uses it, at a time and with identifiers that are the same in both stores."""
    memory = Memory.open(
        path,
        tenant=recall_cold.TENANT,
        create=False,
        clock=lambda: recall_cold.AT,
        entropy=world.drawn("asker"),
    )
    return memory.acting_as(
        recall_cold.ASKER, scopes=[SCOPE], visibility=VISIBILITY, uses=world.USES
    )


def told(memory: Memory, text: str) -> list[Any]:
    """What somebody is told who proposes a text: findings, without the identifiers of this one proposal."""
    change = world.add(1, text)
    change["item"] |= {"scope": SCOPE, "visibility": VISIBILITY}
    proposed = memory.propose({**world.diff(change), "scope": SCOPE})
    return [(f.code, f.path, f.message, f.fix, f.severity) for f in proposed.findings]


def compare(
    stores: dict[str, Memory], asked: Sequence[str], texts: Sequence[str]
) -> dict[str, Any]:
    """Ask and propose the same in both stores."""
    spent: dict[str, list[float]] = {name: [] for name in stores}
    different: set[str] = set()
    outcomes: dict[str, int] = {}
    for number, question in enumerate(asked):
        packets = {}
        for name in sorted(stores, reverse=bool(number % 2)):
            begin = time.perf_counter()
            found = stores[name].recall(question, use="answer_questions")
            spent[name].append(time.perf_counter() - begin)
            packets[name] = found.packet.as_json()
        without, beside = packets[WITHOUT], packets[WITH]
        different |= {key for key in without.keys() | beside if without.get(key) != beside.get(key)}
        outcomes[without["outcome"]] = outcomes.get(without["outcome"], 0) + 1
    proposals = sum(told(stores[WITHOUT], text) != told(stores[WITH], text) for text in texts)
    medians = {name: statistics.median(seconds) for name, seconds in spent.items()}
    return {
        "questions": len(asked),
        "outcomes": outcomes,
        "proposals": len(texts),
        "different": sorted(different),
        "different_proposals": proposals,
        "without_ms": round(medians[WITHOUT] * 1000, 2),
        "with_ms": round(medians[WITH] * 1000, 2),
        "ratio": round(medians[WITH] / medians[WITHOUT], 2),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and print; 1 where anything was different."""
    parser = report.parser(__doc__)
    parser.add_argument("--claims", type=int, default=9_000, help="in all; a third is hidden")
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: Path(folder) / f"{name}.db" for name in (WITHOUT, WITH)}
        recall_cold.fill(
            paths[WITHOUT], given.claims, given.seed, wanted=is_seen, entropy=world.drawn("store")
        )
        recall_cold.fill(paths[WITH], given.claims, given.seed, entropy=world.drawn("store"))
        stores = {name: opened(path) for name, path in paths.items()}
        new = [f"Sensor {world.lettered(str(n))} reads kelvin." for n in range(5)]
        texts = (*hidden_texts(given.claims, given.seed), *new)
        found = compare(stores, questions(given.questions, given.seed), texts)
        for memory in stores.values():
            memory.close()
    report.emit({"measurement": "noninterference", "claims": given.claims, **found}, given.json)
    return int(bool(found["different"]) or found["different_proposals"] > 0)


if __name__ == "__main__":
    sys.exit(main())
