"""Choose one complete proof for each answer so that the whole packet is smallest: exact, bounded, and said to be so.

- A claim that several proofs share is in the packet once.
- Every combination that is examined is serialised whole and counted whole: tokens merge across boundaries, so no
  bound that adds them up would be one (`D-PACK`).
- The best so far is kept. `optimal` is said only where every combination was examined.
- Where the search ends at its bound and nothing fits yet, that is `search_exhausted`; where all were examined and
  nothing fits, `budget_exceeded`. An incomplete proof is in none of them.
- The search begins with the greedy choice, so that what it ends with is never worse.

How a choice reads is the caller's.

>>> answers = [(("a", "b"), ("c",)), (("a",), ("c", "d"))]
>>> text = lambda choice: "+".join(sorted({claim for proof in choice for claim in proof}))
>>> pack_proofs(answers, text, len, budget=9).choice
(('a', 'b'), ('a',))
>>> pack_proofs(answers, text, len, budget=2).outcome, pack_proofs(answers, text, len, budget=2, most=2).outcome
('budget_exceeded', 'search_exhausted')
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, product
from math import prod
from typing import Literal

COMBINATIONS, MOST_COMBINATIONS = 4_096, 65_536

Proof = tuple[str, ...]
Choice = tuple[Proof, ...]
Outcome = Literal["packed", "search_exhausted", "budget_exceeded"]


@dataclass(frozen=True, slots=True)
class PackedProofs:
    """What a search came to.

    Attributes:
        outcome: `packed`, or why nothing is.
        choice: One proof for each answer, in their order; empty where nothing fits.
        text: The whole packet.
        used: Its tokens.
        optimal: Whether no other choice is smaller.
        examined: How many combinations were serialised and counted.
        combinations: How many there are.
    """

    outcome: Outcome
    choice: Choice = ()
    text: str = ""
    used: int = 0
    optimal: bool = False
    examined: int = 0
    combinations: int = 0


def pack_proofs(
    answers: Sequence[Sequence[Proof]],
    text_of: Callable[[Choice], str],
    count: Callable[[str], int],
    budget: int,
    most: int = COMBINATIONS,
) -> PackedProofs:
    """Search for the smallest packet.

    Args:
        answers: The complete proofs of each answer, at least one each.
        text_of: The whole packet with exactly these proofs.
        count: Tokens of a text.
        budget: Tokens at most, inclusive.
        most: Combinations examined at most; over 65,536 counts as 65,536.
    """
    combinations = prod(len(proofs) for proofs in answers)
    limit = min(most, MOST_COMBINATIONS)
    best: tuple[int, str, Choice] | None = None
    examined = 0
    for choice in _in_order(answers, text_of, count, combinations, limit):
        examined += 1
        text = text_of(choice)
        found = (count(text), text, choice)
        if found[0] <= budget and (best is None or found < best):
            best = found
        if examined == limit:
            break
    whole = examined == combinations
    if best is None:
        outcome: Outcome = "budget_exceeded" if whole else "search_exhausted"
        return PackedProofs(outcome, examined=examined, combinations=combinations)
    used, text, choice = best
    return PackedProofs("packed", choice, text, used, whole, examined, combinations)


def _in_order(
    answers: Sequence[Sequence[Proof]],
    text_of: Callable[[Choice], str],
    count: Callable[[str], int],
    combinations: int,
    limit: int,
) -> Iterator[Choice]:
    """Every combination once; where not all are examined, those first that promise most."""
    everything = product(*answers)
    if combinations <= limit:
        return everything
    promising = list(dict.fromkeys((greedy(answers), independent(answers))))
    ordered = (sorted(proofs, key=lambda proof: (len(proof), proof)) for proofs in answers)
    rest = (choice for choice in product(*ordered) if choice not in promising)
    return chain(promising, rest)


def greedy(answers: Sequence[Sequence[Proof]]) -> Choice:
    """For each answer in turn the proof that adds the fewest claims to those taken.

    >>> greedy([(("a", "b"), ("c", "d", "e")), (("c",), ("a",))])
    (('a', 'b'), ('a',))
    """
    taken: set[str] = set()
    chosen = []
    for proofs in answers:
        best = min(proofs, key=lambda proof: (len(set(proof) - taken), len(proof), proof))
        taken.update(best)
        chosen.append(best)
    return tuple(chosen)


def independent(answers: Sequence[Sequence[Proof]]) -> Choice:
    """For each answer its own smallest proof, whatever the others take."""
    return tuple(min(proofs, key=lambda proof: (len(proof), proof)) for proofs in answers)


# --- as many as fit -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Planned:
    """As many answers as fit, which is stated as such: not the whole, and not proven to be the most.

    Attributes:
        chosen: The answers' places, in the order in which they were taken.
        choice: Their proofs.
        text: The whole packet.
        used: Its tokens.
        left: The places of the answers that did not fit.
    """

    chosen: tuple[int, ...]
    choice: Choice
    text: str
    used: int
    left: tuple[int, ...]


MISSES = 16
"""Answers in a row that do not fit before planning stops."""


def plan_answers(
    answers: Sequence[tuple[int, Proof]],
    text_of: Callable[[Sequence[tuple[int, Proof]]], str],
    count: Callable[[str], int],
    budget: int,
) -> Planned:
    """Take answers by relevance for each token that they would add, as long as the whole packet fits.

    Args:
        answers: Relevance and one complete proof of each answer; of its proofs the smallest.
        text_of: The whole packet with exactly these answers (place and proof).
        count: Tokens of a text.
        budget: Tokens at most, inclusive.

    >>> answers = [(9, ("a", "b", "c")), (5, ("d",)), (4, ("d",))]
    >>> text = lambda taken: "+".join(sorted({claim for _, proof in taken for claim in proof}))
    >>> plan_answers(answers, text, len, 3).chosen
    (1, 2)
    """
    alone = [count(text_of([(place, proof)])) for place, (_, proof) in enumerate(answers)]
    order = sorted(range(len(answers)), key=lambda p: (-answers[p][0] / max(alone[p], 1), p))
    taken: list[tuple[int, Proof]] = []
    text, used, misses = "", 0, 0
    left: list[int] = []
    for place in order:
        trial = [*taken, (place, answers[place][1])]
        tried = text_of(trial) if misses < MISSES else ""
        tokens = count(tried) if misses < MISSES else budget + 1
        if tokens <= budget:
            taken, text, used, misses = trial, tried, tokens, 0
        else:
            left.append(place)
            misses += 1
    chosen = tuple(place for place, _ in taken)
    return Planned(chosen, tuple(proof for _, proof in taken), text, used, tuple(sorted(left)))
