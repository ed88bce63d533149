"""Try to have a certificate accepted that should not be; and what certifying costs.

    python -m bench.certificates --mutations 1000000 --json

- Mutations of a certificate's JSON: a changed byte, a changed field with a fresh digest, another principal, another
  scope, another store, and the same certificate after claims were edited or written. None may come out `valid`.
- Most never reach the store: their digest is wrong. Those with a fresh digest are refused by the seal. The plan is run
  again for the rest.
- A new answer has to be noticed though the old one's support did not change.
- Ratios are of processor time: `certify_ratio` compares a certified query with a plain one, `head_ratio` an append with
  the class heads' share of it.
"""

from __future__ import annotations

import json
import multiprocessing
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import count
from typing import Any

from bench import report
from muniment.core.certificate import KEYS, sealed
from muniment.core.claim import Fact, Review
from muniment.core.errors import InvalidInput
from muniment.core.event import class_head
from muniment.usecases.query import Question, query
from muniment.usecases.revalidate import certify, revalidate
from tests.usecases.remembered import OTHER, World, a_claim, a_world

ASKED = Question("select ?who where ?who maintains ?repo, ?repo uses pnpm", "answer_questions")


def says(name: str, subject: str, predicate: str, value: str, **more: Any) -> Any:
    """An accepted claim with one fact."""
    return a_claim(
        name, f"{subject} {predicate} {value}.", facts=(Fact(subject, predicate, value),), **more
    )


def team() -> World:
    """A small world with one answer and two proofs."""
    return a_world(
        says("m", "ana", "maintains", "shop"),
        says("u1", "shop", "uses", "pnpm"),
        says("u2", "shop", "uses", "pnpm"),
    )


def verdict(world: World, certificate: Any, **who: Any) -> str:
    """What comes of a certificate."""
    try:
        return revalidate(world.session(**who), certificate).verdict
    except InvalidInput:
        return "refused"


def changed_byte(draw: random.Random, text: str) -> Any:
    """A certificate with one character changed; None where it is no JSON, or the same."""
    at = draw.randrange(len(text))
    try:
        value = json.loads(text[:at] + chr(draw.randint(32, 126)) + text[at + 1 :])
    except ValueError:
        return None
    return None if value == json.loads(text) else value


def forged(draw: random.Random, certificate: dict[str, Any]) -> Any:
    """A certificate with something in it changed and a fresh digest."""
    content = json.loads(json.dumps({k: v for k, v in certificate.items() if k != "digest"}))
    name = draw.choice([key for key in KEYS if key not in ("format", "principal", "store")])
    value = content[name]
    if isinstance(value, str):
        at = draw.randrange(len(value) + 1)
        content[name] = value[:at] + draw.choice("0aZ_") + value[at:]
    elif isinstance(value, int):
        content[name] = value + draw.choice((-1, 1, 7))
    elif isinstance(value, list):
        content[name] = value[1:] or ["x"]
    else:
        inner = draw.choice(sorted(value))
        content[name] = {**value, inner: draw.choice((None, "x", 3, True, []))}
    return (
        None
        if content == {k: v for k, v in certificate.items() if k != "digest"}
        else sealed(content)
    )


def stale() -> dict[str, tuple[World, Any]]:
    """Certificates whose world moved on, each in a way of its own."""
    moves: dict[str, Callable[[World], Any]] = {
        "new_answer": lambda w: w.add(says("m2", "bob", "maintains", "shop")),
        "edited": lambda w: w.add(says("m", "eve", "maintains", "shop", version=2)),
        "deprecated": lambda w: w.add(
            says("m", "ana", "maintains", "shop", review=Review("deprecated"), version=2)
        ),
        "disputed": lambda w: w.dispute("mem_m", "mem_u1"),
        "unrelated": lambda w: w.add(a_claim("x", "Lunch is at noon.")),
    }
    found = {}
    for name, move in moves.items():
        world = team()
        certificate = certify(world.session(), ASKED).certificate
        move(world)
        found[name] = (world, certificate)
    return found


PIECE = 25_000
"""Mutations drawn from one seed; the pieces are the same however many processes share them."""


def attacks(mutations: int, workers: int) -> dict[str, Any]:
    """All mutations, piece by piece."""
    sizes = [min(PIECE, mutations - begin) for begin in range(0, mutations, PIECE)]
    seen, done, noticed = Counter[str](), 0, True
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        work = map(attack, sizes, count()) if workers == 1 else pool.map(attack, sizes, count())
        for size, (verdicts, notices) in zip(sizes, work, strict=True):
            seen, noticed, done = seen + verdicts, noticed and notices, done + size
            report.progress("mutations", done, mutations)
    return {
        "mutations": mutations,
        "accepted": seen["valid"],
        "verdicts": dict(sorted(seen.items())),
        "new_answer_noticed": noticed,
    }


def attack(mutations: int, seed: int) -> tuple[Counter[str], bool]:
    """What came of some mutations, and whether a new answer was noticed."""
    draw, world = random.Random(f"certificates {seed}"), team()
    certificate = dict(certify(world.session(), ASKED).certificate)
    assert verdict(world, certificate) == "valid"
    text, moved, seen = json.dumps(certificate), stale(), Counter[str]()
    foreign = team()
    with foreign.store.transaction("globex"):
        pass
    for number in range(mutations):
        kind = number % 100
        if kind < 2:  # these run the plan or meet the store
            world_, given = draw.choice(list(moved.values()))
            seen[verdict(world_, given)] += 1
        elif kind == 2:
            seen[verdict(world, certificate, principal=f"user:{draw.randrange(10**6)}")] += 1
        elif kind == 3:
            seen[verdict(world, certificate, scopes=(OTHER,))] += 1
        elif kind == 4:
            seen[verdict(world, certificate, tenant="globex")] += 1
        else:
            made = changed_byte(draw, text) if kind < 50 else forged(draw, certificate)
            seen["no_json" if made is None else verdict(world, made)] += 1
    world_, given = moved["new_answer"]
    noticed = revalidate(world_.session(), given)
    return seen, noticed.verdict == "changed" and not noticed.evidence_equal


def costs() -> dict[str, float]:
    """Ratios of what certifying and keeping heads costs."""
    world = team()
    session = world.session()

    def median(act: Callable[[], Any], times: int = 300) -> float:
        spent = []
        for _ in range(times):
            begin = time.process_time()
            act()
            spent.append(time.process_time() - begin)
        return statistics.median(spent)

    plain, proven = median(lambda: query(session, ASKED)), median(lambda: certify(session, ASKED))
    names = iter(range(10**6))
    append = median(lambda: world.add(a_claim(f"w{next(names)}", "A claim.")), 100)
    head = median(lambda: class_head("0" * 64, "1" * 64))
    return {"certify_ratio": round(proven / plain, 2), "head_ratio": round(1 + head / append, 4)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and print."""
    parser = report.parser(__doc__)
    parser.add_argument("--mutations", type=int, default=5_000)
    parser.add_argument("--workers", type=int, default=2, help="processes that share the work")
    given = parser.parse_args(arguments)
    found = attacks(given.mutations, given.workers)
    report.emit({"measurement": "certificates", **found, **costs()}, given.json)
    return int(found["accepted"] > 0 or not found["new_answer_noticed"])


if __name__ == "__main__":
    sys.exit(main())
