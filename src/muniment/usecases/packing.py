"""Pack the answer of a query: one complete proof a row, the whole text inside a budget, and said whether it is best.

- All rows, or none: a part could pass for the whole. `as_many` asks for as many as fit, which is then stated.
- The text that is counted is the text that is handed over (`D-PACK`).
- Where a row has more proofs than are listed, the choice is among those listed, and never called optimal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from muniment.core.answered import Answered, AnswerRow, Packing
from muniment.core.packing import Choice, PackedProofs, Proof, pack_proofs, plan_answers
from muniment.core.proof_text import block_of, bound_values, heading_of, render_proofs
from muniment.ports.tokens import TokenCounter, remembering


def packed(answered: Answered, budget: int, counter: TokenCounter, most: int) -> Answered:
    """The answer with the smallest packet that fits; without one where none does.

    Args:
        answered: Rows with all their proofs explained.
        budget: Tokens at most.
        counter: Counts the tokens of a text.
        most: Combinations of proofs examined, at most.
    """
    if answered.outcome != "rows":
        return answered
    said = [bound_values(answered, row) for row in answered.rows]
    blocks = {name: block_of(support) for name, support in answered.supports.items()}
    heading = heading_of(answered)

    def text_of(choice: Choice) -> str:
        return render_proofs(heading, list(zip(said, choice, strict=True)), blocks)

    proofs, count = [row.proofs for row in answered.rows], remembering(counter)
    found = pack_proofs(proofs, text_of, count, budget, most)
    listed = all(row.count == len(row.proofs) for row in answered.rows)
    how = Packing(
        found.text,
        found.used,
        budget,
        counter.name,
        found.optimal and listed,
        found.examined,
        found.combinations,
    )
    if found.outcome != "packed":
        return _without(answered, found, how)
    return replace(answered, rows=_chosen(answered.rows, found.choice), packing=how)


def _without(answered: Answered, found: PackedProofs, how: Packing) -> Answered:
    return replace(
        answered,
        outcome="budget_exceeded" if found.outcome == "budget_exceeded" else "search_exhausted",
        stage="packing",
        bound="budget" if found.outcome == "budget_exceeded" else "combinations",
        rows=(),
        supports={},
        packing=how,
    )


def _chosen(rows: Sequence[AnswerRow], choice: Choice) -> tuple[AnswerRow, ...]:
    """The rows with the proof that was chosen first."""
    return tuple(
        replace(row, proofs=(proof, *(other for other in row.proofs if other != proof)))
        for row, proof in zip(rows, choice, strict=True)
    )


def planned(answered: Answered, budget: int, counter: TokenCounter) -> Answered:
    """As many rows as fit, each with its smallest proof, and how many do not; never called optimal."""
    if answered.outcome != "rows":
        return answered
    said = [bound_values(answered, row) for row in answered.rows]
    blocks = {name: block_of(support) for name, support in answered.supports.items()}
    total = len(said)

    def text_of(taken: Sequence[tuple[int, Proof]]) -> str:
        rows = [(said[place], proof) for place, proof in taken]
        return render_proofs(heading_of(answered, total - len(rows)), rows, blocks)

    answers, count = [(1, row.proofs[0]) for row in answered.rows], remembering(counter)
    found = plan_answers(answers, text_of, count, budget)
    how = Packing(
        found.text, found.used, budget, counter.name, False, total, total, len(found.left)
    )
    if not found.chosen:
        none = PackedProofs("budget_exceeded")
        return _without(answered, none, how)
    rows = tuple(answered.rows[place] for place in found.chosen)
    return replace(answered, rows=rows, packing=how)
