"""What others keep to themselves changes nothing for who may not see it: twin stores, answers byte for byte.

    python -m bench.noninterference --pairs 100000 --json

- Two stores are driven by the same visible acts; in one of them hidden acts happen between these (`twins`). After each
  act, visible or hidden, both are asked the same questions by those who see less. One question is a *pair*: its two
  answers (packet, record, listing, refusal, whatever it is) have to be the same text.
- What was compared is counted in `by_observable`. Where nothing embeds (`embedder` is `none`), questions by embedding
  are refused, and then the refusals are compared.
- `distinct` counts the different answers among them, so that a comparison of nothing with nothing shows.
- `timing` asks the same of two stores in turns, in random order, and says how well one latency tells the stores
  apart: the area under the curve of a threshold classifier (0.5: not at all). `auc_of_10` is that of means of ten
  calls. In `content` both hold equally many hidden claims that say different things; in `one_percent` one store has
  one hidden claim for each hundred visible ones; in `many` as many as `--hidden` says, and that is reported only.
"""

from __future__ import annotations

import gc
import hashlib
import json
import random
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

from bench import recall_cold, report, twins, world
from bench.twins import ASKERS, HIDDEN_ACTS, NOON, SEEN_ACTS, THINGS, TOOLS, VERBS, WEB, Twin, told
from muniment import Choice, Memory, wiring
from muniment.core.access import Scope
from muniment.core.encode import encode
from muniment.core.event import Event
from muniment.store import indexing
from muniment.store.memory import MemoryStore
from muniment.store.sqlite import SqliteStore

STEPS = 24
"""Visible acts of a world."""
ASKED = 14
"""Questions after each act, visible or hidden."""
PAIRS_A_WORLD = STEPS * (2 * ASKED + 1)
SHOWN = 20
"""Differences that are told in full."""
AUC_LIMIT = 0.55
METHODS = {
    "keyword": "keyword",
    "embedding_similarity": "embedding",
    "hybrid_retrieval": "hybrid",
    "graph_traversal": "graph",
    "temporal_retrieval": "temporal",
    "semantic_similarity": "semantic",
    "exact_identifier": "identifier",
}
OFTEN = ("keyword", "embedding_similarity", "hybrid_retrieval", "hybrid_retrieval")

Ask = Callable[[Twin, Memory], Any]
Build = Callable[[random.Random, Twin], tuple[str, Ask]]


# --- what is asked --------------------------------------------------------------------------------


def _words(rng: random.Random, among: Twin) -> str:
    first, second = rng.sample(THINGS, 2)
    return rng.choice(
        (
            f"which tool {rng.choice(VERBS)} the {first}?",
            f"{first} with {rng.choice(TOOLS)}",
            f"{first} {rng.choice(VERBS)} {second} {rng.choice(TOOLS)}",
            "which package manager installs the packages?",
            twins.pick(among.claims, rng.randrange(1_000)),
            twins.pick(among.board, rng.randrange(1_000)),
            "is the shop for sale?",
        )
    )


def _options(rng: random.Random, among: Twin) -> dict[str, Any]:
    """Options of a recall, most of the time none."""
    some: tuple[dict[str, Any], ...] = (
        {"history": True},
        {"k": rng.randint(1, 4)},
        {"budget": rng.choice((900, 2_500, 20_000))},
        {"own_proposals": True},
        {"statuses": ("active",)},
        {"types": ("decision", "runbook_step")},
        {"version": rng.randint(1, 2)},
        {"ids": tuple(_named(rng, among, kind) for kind in ("seen", "seen", "hidden"))},
        {"relevance_threshold": rng.choice((0.5, 0.7))},
        {"at": NOON + timedelta(hours=rng.randrange(80))},
        {"scopes": (WEB,)},
    )
    return rng.choice(some) if rng.random() < 0.4 else {}


def _recall(method: str, words: str, use: str, options: dict[str, Any]) -> Ask:
    def ask(twin: Twin, memory: Memory) -> Any:
        given = {"budget": 8_000, **options}
        found = memory.recall(words, use=use, method=method, **given)
        twin.retrievals.append(found.retrieval_id)
        return json.dumps(found.as_json(), ensure_ascii=False)

    return ask


def _recalls(rng: random.Random, among: Twin) -> tuple[str, Ask]:
    method = rng.choice((*OFTEN, *METHODS))
    use = rng.choice(("answer_questions",) * 4 + ("", "deploy"))
    return METHODS[method], _recall(method, _words(rng, among), use, _options(rng, among))


def _cursors(rng: random.Random, among: Twin) -> tuple[str, Ask]:
    as_of = rng.choice((rng.randrange(40), NOON + timedelta(hours=rng.randrange(40))))
    method = rng.choice(("keyword", "hybrid_retrieval"))
    return "cursors", _recall(method, _words(rng, among), "answer_questions", {"as_of": as_of})


def _counts(rng: random.Random, among: Twin) -> tuple[str, Ask]:
    words = f"the {rng.choice(THINGS)} the shop {rng.choice(VERBS)}"
    options = {"relevance_threshold": 0.99, "log": "off", "k": 1}
    recalled = _recall("keyword", words, "", options)

    def ask(twin: Twin, memory: Memory) -> Any:
        answer = json.loads(recalled(twin, memory))
        twin.retrievals.pop()
        return answer["trace"], answer["omissions"], len(memory.inbox()), len(memory.conflicts())

    return "counts", ask


def _named(rng: random.Random, among: Twin, kind: str) -> str:
    """A claim that is visible, hidden (in whichever twin), or nowhere."""
    number = rng.randrange(1_000)
    names = {"seen": among.claims, "hidden": among.board}
    return twins.pick(names[kind], number) if kind in names else f"mem_none{number}"


OBSERVED = {
    "show": "statuses",
    "history": "revisions",
    "why": "traces",
    "claims": "revisions",
    "to_erase": "errors",
}


def _of_claim(rng: random.Random, among: Twin) -> tuple[str, Ask]:
    verb, kind = rng.choice(tuple(OBSERVED)), rng.choice(("seen", "seen", "hidden", "absent"))
    name, other = _named(rng, among, kind), _named(rng, among, "seen")

    def ask(twin: Twin, memory: Memory) -> Any:
        return memory.claims([name, other]) if verb == "claims" else getattr(memory, verb)(name)

    return OBSERVED[verb] if kind == "seen" else "errors", ask


def _of_retrieval(rng: random.Random, among: Twin) -> tuple[str, Ask]:
    back = rng.randint(1, 6)
    return "traces", lambda twin, memory: memory.why(twins.pick(twin.retrievals, -back))


def _of_diff(rng: random.Random, among: Twin) -> tuple[str, Ask]:
    kept = among.waiting if rng.random() < 0.3 else among.diffs
    name = twins.pick(kept, rng.randrange(1_000))
    observable = "errors" if kept is among.waiting else "proposal findings"
    return observable, lambda twin, memory: memory.diff(name)


def _listings(rng: random.Random, among: Twin) -> tuple[str, Ask]:
    kind = rng.choice(("principal", "group", "role", "credential", "policy"))
    asks: tuple[tuple[str, Ask], ...] = (
        ("conflicts", lambda twin, memory: memory.conflicts()),
        ("inbox", lambda twin, memory: memory.inbox()),
        ("declarations", lambda twin, memory: memory.declared(kind)),
    )
    return rng.choice(asks)


def _queries(rng: random.Random, among: Twin) -> tuple[str, Ask]:
    text = rng.choice(
        (f"?what uses {rng.choice(TOOLS)}", f"{rng.choice(THINGS)} uses ?tool", "shop uses_package_manager ?one",
         f"{rng.choice(THINGS)} uses ?tool, {rng.choice(THINGS)} uses ?tool")
    )  # fmt: skip
    options: dict[str, Any] = rng.choice(({}, {"explain": True}, {"history": True}, {"proofs": 1}))
    return "proofs", lambda twin, memory: memory.query(text, use="answer_questions", **options)


def _certificates(rng: random.Random, among: Twin) -> tuple[str, Ask]:
    """Certificates, and what asking them again comes to after others wrote."""
    words, back = _words(rng, among), rng.randint(1, 8)
    text, recalls = f"?what uses {rng.choice(TOOLS)}", rng.random() < 0.5
    if rng.random() < 0.5:
        return "certificates", lambda twin, memory: memory.revalidate(
            twin.certificates[-min(back, len(twin.certificates))] if twin.certificates else {}
        )

    def ask(twin: Twin, memory: Memory) -> Any:
        if recalls:
            made = memory.certified_recall(words, use="answer_questions", budget=8_000)
        else:
            made = memory.certified_query(text, use="answer_questions")
        twin.certificates.append(made.certificate)
        return json.dumps(made.certificate, ensure_ascii=False)

    return "certificates", ask


def _refusals(rng: random.Random, among: Twin) -> tuple[str, Ask]:
    """Requests that are refused, and reviews and erasures of what the asker may not see."""
    words, claim_id = _words(rng, among), _named(rng, among, "hidden")
    diff_id, signer = twins.pick(among.waiting, rng.randrange(1_000)), twins.signer("user:bob")
    change = twins.change("deprecate", target_id=claim_id)
    asks: tuple[Ask, ...] = (
        lambda twin, memory: memory.recall("", use=""),
        lambda twin, memory: memory.recall(words, use="", scopes=(Scope("user", "ana"),)),
        lambda twin, memory: memory.erase(claim_id, signer),
        lambda twin, memory: memory.review(diff_id, {"change_01": Choice("accepted")}, signer),
        lambda twin, memory: memory.propose(twins.diff(change)),
        lambda twin, memory: memory.verify(),
    )
    return "errors", rng.choice(asks)


def _proposes(rng: random.Random, among: Twin) -> tuple[str, Ask]:
    """A write: what it is told of duplicates, conflicts and tombstones."""
    drafts = (
        twins.tool(rng.randrange(12), twins.SEEN[1]),
        twins.item(twins.sentence(rng), twins.SEEN[1]),
    )
    one = rng.choice(drafts)

    def ask(twin: Twin, memory: Memory) -> Any:
        return memory.propose(twins.diff(twins.change("add", item=one)))

    return "proposal findings", ask


QUESTIONS: tuple[tuple[int, Build], ...] = (
    (28, _recalls),
    (8, _cursors),
    (3, _counts),
    (20, _of_claim),
    (12, _of_retrieval),
    (5, _of_diff),
    (6, _listings),
    (6, _queries),
    (6, _certificates),
    (5, _refusals),
    (1, _proposes),
)


# --- comparing ------------------------------------------------------------------------------------


@dataclass(slots=True)
class Found:
    """What comparing found.

    Attributes:
        compared: Observable to how often it was compared.
        different: Observable to how often the answers were not the same.
        first: The first differences in full.
        distinct: Digests of the answers.
    """

    compared: Counter[str] = field(default_factory=Counter)
    different: Counter[str] = field(default_factory=Counter)
    first: list[dict[str, Any]] = field(default_factory=list)
    distinct: set[bytes] = field(default_factory=set)

    def add(self, observable: str, where: str, alone: str, among: str) -> None:
        """Count one pair."""
        self.compared[observable] += 1
        self.distinct.add(hashlib.blake2b(alone.encode("utf-8", "replace"), digest_size=8).digest())
        if alone != among:
            self.different[observable] += 1
            place = next((n for n, (a, b) in enumerate(zip(alone, among, strict=False)) if a != b), 0)  # fmt: skip
            excerpt = slice(max(0, place - 120), place + 240)
            self.first.append(
                {"observable": observable, "where": where, "alone": alone[excerpt], "among": among[excerpt]}
            )  # fmt: skip
            del self.first[SHOWN:]

    def join(self, other: Found) -> None:
        """Take in what another part found."""
        self.compared += other.compared
        self.distinct |= other.distinct
        self.different += other.different
        self.first = (self.first + other.first)[:SHOWN]


@contextmanager
def layout(tail_rows: int, alike: int) -> Iterator[None]:
    """Let tails and segments be so long: twins that hold different rows then merge at different times."""
    kept = indexing.TAIL_ROWS, indexing.ALIKE
    indexing.TAIL_ROWS, indexing.ALIKE = tail_rows, alike
    try:
        yield
    finally:
        indexing.TAIL_ROWS, indexing.ALIKE = kept


def _stores(number: int, folder: str) -> tuple[Twin, Twin]:
    """Twins in memory; every eighth pair in files."""
    if number % 8 != 3:
        return Twin(MemoryStore), Twin(MemoryStore)
    paths = [Path(folder) / name / "m.db" for name in ("alone", "among")]
    one, other = (
        Twin(lambda entropy, path=path: SqliteStore.open(path, entropy=entropy, create=True))  # type: ignore[misc]
        for path in paths
    )
    return one, other


def compare_world(number: int, most: int, seed: int = 1) -> Found:
    """Drive one pair of twins and compare what they tell, at most so often."""
    rng = random.Random(f"{seed}/{number}")
    found = Found()
    with tempfile.TemporaryDirectory() as folder, layout(rng.choice((4, 16, 1_024)), 3):
        alone, among = _stores(number, folder)
        try:
            _drive(alone, among, rng, found, most, f"world {number}")
        finally:
            alone.store.close()
            among.store.close()
    return found


def _drive(
    alone: Twin, among: Twin, rng: random.Random, found: Found, most: int, place: str
) -> None:
    for step in range(1, STEPS + 1):
        chosen, seed = rng.choice(SEEN_ACTS), f"{rng.random()}"
        for twin in (alone, among):
            twin.begin(f"seen/{step}", step)
        where = f"{place} step {step} {chosen.__name__}"
        found.add("writes", where, *(twins.act(chosen, twin, seed) for twin in (alone, among)))
        _ask(alone, among, rng, found, most, where)
        for order in range(rng.randint(1, 3)):
            hidden = rng.choice(HIDDEN_ACTS)
            among.begin(f"hidden/{step}/{order}", step + 0.25)
            twins.act(hidden, among, f"{rng.random()}")
            where += f", {hidden.__name__}"
        _ask(alone, among, rng, found, most, where)
        if found.compared.total() >= most:
            return


def _ask(alone: Twin, among: Twin, rng: random.Random, found: Found, most: int, where: str) -> None:
    """Ask both the same, as they stand after an act."""
    weights, kinds = zip(*QUESTIONS, strict=True)
    for n in range(min(ASKED, most - found.compared.total())):
        observable, ask = rng.choices(kinds, weights)[0](rng, among)
        asker = rng.choice(ASKERS)
        answers = []
        for twin in (alone, among):
            twin.begin(f"ask/{where.partition(' ')[0]}/{len(twin.retrievals)}/{n}", 100)
            answers.append(told(partial(ask, twin, twin.memory(asker))))
        found.add(observable, f"{where}: {asker}", *answers)


def compare(pairs: int, seed: int = 1, workers: int = 1) -> Found:
    """Compare so many pairs, over as many worlds as that takes."""
    found, number = Found(), 0
    if workers < 2:
        while found.compared.total() < pairs:
            found.join(compare_world(number, pairs - found.compared.total(), seed))
            number += 1
            _progress(found, pairs)
        return found
    sizes = [PAIRS_A_WORLD] * (pairs // PAIRS_A_WORLD) + [pairs % PAIRS_A_WORLD]
    with ProcessPoolExecutor(workers) as pool:
        for part in pool.map(compare_world, range(len(sizes)), sizes, [seed] * len(sizes)):
            found.join(part)
            _progress(found, pairs)
    return found


def _progress(found: Found, pairs: int) -> None:
    """Tell of each thousand, since a world adds several hundreds at a time."""
    done = found.compared.total()
    report.progress("pairs", done if done >= pairs else done // 1_000 * 1_000 or 1, pairs)


# --- timing ---------------------------------------------------------------------------------------


def area(ones: Sequence[float], others: Sequence[float]) -> float:
    """How well one number tells two samples apart, by ranks: 0.5 not at all, 1 perfectly.

    >>> area([1.0, 2.0], [3.0, 4.0]), area([1.0, 4.0], [2.0, 3.0]), area([1.0, 1.0], [1.0, 1.0])
    (1.0, 0.5, 0.5)
    """
    import numpy as np

    values = np.concatenate([np.asarray(ones), np.asarray(others)])
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks = (last - (counts - 1) / 2)[which]  # ties share their mean rank
    n, m = len(ones), len(others)
    below = float((ranks[:n].sum() - n * (n + 1) / 2) / (n * m))
    return max(below, 1 - below)


def _filled(path: Path, seen: int, hidden: int, kind: str) -> None:
    """Claims that the asker may see, the same in each file, then hidden ones; words of these follow from `kind`."""
    store = SqliteStore.open(path, entropy=world.drawn("store"), create=True)
    rng, other = random.Random("seen"), random.Random(kind)
    made = [recall_cold.claim(3 * n, rng) for n in range(seen)]
    extra = [recall_cold.claim(3 * (seen + n) + 2, other) for n in range(hidden)]
    every = [*made, *extra]
    random.Random("order").shuffle(every)
    for first in range(0, len(every), 5_000):
        with store.transaction(recall_cold.TENANT) as transaction:
            events = [
                Event("claim", c.id, encode(c), c.id, (c.id,),
                            transaction.declare_class(c.scope, c.visibility.audience))
                for c in every[first : first + 5_000]
            ]  # fmt: skip
            transaction.append(events, recall_cold.AT)
    store.close()


def _opened(path: Path) -> Memory:
    memory = Memory.open(
        path,
        tenant=recall_cold.TENANT,
        create=False,
        clock=lambda: recall_cold.AT,
        entropy=world.drawn("asker"),
    )
    return memory.acting_as(recall_cold.ASKER, scopes=[str(recall_cold.SCOPE)], uses=world.USES)


def timed(paths: Sequence[Path], calls: int, label: str) -> dict[str, Any]:
    """Latencies of the same recalls in two stores, in turns of random order."""
    rng, spent = random.Random("turns"), ([], [])  # type: tuple[random.Random, tuple[list[float], list[float]]]
    memories = [_opened(path) for path in paths]
    different = 0
    gc.collect()
    gc.disable()
    for n in range(-20, calls):
        thing, verb = rng.choice(recall_cold.THINGS), rng.choice(recall_cold.VERBS)
        method, query = rng.choice(("keyword", "hybrid_retrieval")), f"what {verb} the {thing}?"
        answers = {}
        for which in rng.sample((0, 1), 2):
            begin = time.perf_counter()
            found = memories[which].recall(
                query, use="answer_questions", method=method, k=1, log="off"
            )
            taken = time.perf_counter() - begin
            answers[which] = json.dumps(found.packet.as_json())
            if n >= 0:
                spent[which].append(taken)
        different += answers[0] != answers[1]
        report.progress(label, n + 1, calls) if n >= 0 else None
        if n % 200 == 0:
            gc.collect()
    gc.enable()
    for memory in memories:
        memory.close()
    tens = [[statistics.fmean(one[i : i + 10]) for i in range(0, len(one), 10)] for one in spent]
    return {
        "calls": calls,
        "auc": round(area(*spent), 4),
        "auc_of_10": round(area(*tens), 4),
        "median_ms": [round(statistics.median(one) * 1000, 3) for one in spent],
        "differences": different,
    }


def timing(calls: int, seen: int, hidden: int) -> dict[str, Any]:
    """How well latency tells twins apart."""
    cases = {
        "content": ((seen // 100, "one"), (seen // 100, "other")),
        "one_percent": ((0, ""), (seen // 100, "one")),
        "many": ((0, ""), (hidden, "one")),
    }
    result: dict[str, Any] = {"visible": seen}
    for name, sides in cases.items():
        with tempfile.TemporaryDirectory(prefix="muniment-bench-") as folder:
            paths = [Path(folder) / f"{n}.db" for n in range(2)]
            for path, (count, kind) in zip(paths, sides, strict=True):
                _filled(path, seen, count, kind)
            measured = timed(paths, calls, name)
        result[name] = {"hidden": [count for count, _ in sides], **measured}
    kept = [result[name]["auc"] for name in ("content", "one_percent")]
    return {**result, "limit": AUC_LIMIT, "within_limit": max(kept) <= AUC_LIMIT}


def compared(pairs: int, seed: int, workers: int) -> dict[str, Any]:
    """What comparing so many pairs came to."""
    begin = time.perf_counter()
    found = compare(pairs, seed, workers)
    embedder = wiring.default_embedder()
    result: dict[str, Any] = {
        "pairs": found.compared.total(),
        "differences": found.different.total(),
        "by_observable": {
            name: {"pairs": count, "differences": found.different[name]}
            for name, count in sorted(found.compared.items())
        },
        "distinct": len(found.distinct),
        "embedder": embedder,
        "seconds": round(time.perf_counter() - begin, 1),
    }
    return result | ({"first": found.first} if found.first else {})


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and print; 1 where anything was different."""
    parser = report.parser(__doc__)
    parser.add_argument("--pairs", type=int, default=100_000, help="0 for timing alone")
    parser.add_argument("--calls", type=int, default=10_000, help="timed pairs; 0 for no timing")
    parser.add_argument("--seen", type=int, default=400, help="visible claims while timing")
    parser.add_argument("--hidden", type=int, default=100_000, help="hidden claims of `many`")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    result: dict[str, Any] = {"measurement": "noninterference"}
    if given.pairs:
        result |= compared(given.pairs, given.seed, given.workers)
    if given.calls:
        result["timing"] = timing(given.calls, given.seen, given.hidden)
    timed_cases = result.get("timing", {}).values()
    told_apart = [one["differences"] for one in timed_cases if isinstance(one, dict)]
    report.emit(result, given.json)
    return int(result.get("differences", 0) + sum(told_apart) > 0)


if __name__ == "__main__":
    sys.exit(main())
