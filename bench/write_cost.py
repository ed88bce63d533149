"""What a write, and a look at what was written, cost beside a thousand and a hundred thousand claims.

    python -m bench.write_cost --sizes 1000 100000 --json

- The stores are those of `bench.recall_cold`; each verb runs whole, on a disk as it is.
- `show`, `why` and `history` look at the claim that was accepted just before: nothing of it was asked yet.
- `growth` is a verb's median beside the most claims, divided by that beside the fewest.

Other claims of the same repository are there; that many of them resemble the new one is `bench.learn_speed`'s case.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from bench import recall_cold, report, world
from muniment import Choice, Memory
from muniment.usecases import declare

SCOPE = str(recall_cold.SCOPE)
VERBS = ("propose", "accept", "remember", "show", "why", "history")
VISIBILITY = {"level": "team-private", "allowed_principals": [recall_cold.ASKER]}


def measure(path: Path, times: int) -> dict[str, float]:
    """Median milliseconds of each verb on a store that is there."""
    spent: dict[str, list[float]] = {name: [] for name in VERBS}
    signer = world.credential(recall_cold.ASKER, world.drawn("write_cost"))
    with Memory.open(path, tenant=recall_cold.TENANT, create=False) as memory:
        ada = acting(memory, recall_cold.ASKER)
        agent = acting(memory, "agent:codex")
        ada.declare(
            declare.roles(recall_cold.ASKER, ("reader", "proposer", "reviewer", "operator")),
            declare.credential(recall_cold.ASKER, (signer.public_key,)),
        )
        for number in range(times + 1):
            name = world.lettered(f"w{number}")
            change = world.add(1, f"Sensor {name} reads kelvin.")
            change["item"] |= {"scope": SCOPE, "visibility": VISIBILITY}
            given = {**world.diff(change), "scope": SCOPE}
            proposed = timed(spent["propose"], lambda given=given: agent.propose(given))
            chosen = {"change_01": Choice("accepted")}
            timed(
                spent["accept"],
                lambda id=proposed.diff.id, chosen=chosen: ada.review(id, chosen, signer),
            )
            made = proposed.diff.changes[0].item
            for verb in (ada.show, ada.why, ada.history):
                timed(spent[verb.__name__], lambda verb=verb, made=made: verb(made.id))
            text = f"Valve {name} closes at full pressure."
            timed(spent["remember"], lambda text=text: ada.remember(text))
    # the first round fills caches
    return {name: round(statistics.median(s[1:]) * 1000, 2) for name, s in spent.items()}


def acting(memory: Memory, principal: str) -> Memory:
    """The store as one principal uses it."""
    return memory.acting_as(principal, scopes=[SCOPE], visibility=VISIBILITY, uses=world.USES)


def timed(spent: list[float], act: Callable[[], Any]) -> Any:
    """What `act` returns; its seconds are noted."""
    begin = time.perf_counter()
    result = act()
    spent.append(time.perf_counter() - begin)
    return result


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and print."""
    parser = report.parser(__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--times", type=int, default=40)
    given = parser.parse_args(arguments)
    found: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for size in sorted(given.sizes):
            path = Path(folder) / f"{size}.db"
            recall_cold.fill_apart(path, size)
            found[str(size)] = measure(path, given.times)
    fewest, most = (found[str(pick(given.sizes))] for pick in (min, max))
    growth = {name: round(most[name] / fewest[name], 2) for name in most}
    result = {"measurement": "write_cost", "times": given.times, "median_ms": found}
    report.emit({**result, "growth": growth}, given.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
