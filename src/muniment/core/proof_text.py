"""The packet of a query as text: its rows, and the claims that prove them, fenced as data (`E-FENCED`, `D-PACK`).

- Every row names the claims of its one complete proof by their numbers; a claim that several rows need stands once.
- Claims are quoted, cited and labelled as in the packet of a recall, and nothing of a claim is left out.

>>> heading = ("outcome: rows | use: answer_questions", "query: ?who maintains shop")
>>> text = render_proofs(heading, [("?who = ana", ("mem_1",))], {"mem_1": "id: mem_1\\n| Ana maintains the shop."})
>>> [line.partition(" [")[0] for line in text.splitlines()[3:]]
['?who = ana: claim 1', '--- claim 1', 'id: mem_1', '| Ana maintains the shop.', '--- end of claims']
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from muniment.core.answered import Answered, AnswerRow, Support
from muniment.core.quoting import quoted_lines, shown
from muniment.core.render import HEADER, marker_of, statement_of


def render_proofs(
    heading: Sequence[str],
    rows: Sequence[tuple[str, tuple[str, ...]]],
    blocks: Mapping[str, str],
) -> str:
    """The whole text.

    Args:
        heading: What is said of the question.
        rows: What each row binds, and the claims of its proof.
        blocks: What is said of each claim.
    """
    numbers: dict[str, int] = {}
    for _, proof in rows:
        for name in proof:
            numbers.setdefault(name, len(numbers) + 1)
    said = [
        f"{values}: claim{'s' if len(proof) > 1 else ''} {', '.join(str(numbers[name]) for name in proof)}"
        for values, proof in rows
    ]
    used = [blocks[name] for name in numbers]
    marker = marker_of([*heading, *said, *used])
    lines = [HEADER, *heading, *said]
    for name, number in numbers.items():
        lines += [f"--- claim {number} [{marker}]", blocks[name]]
    return "\n".join((*lines, f"--- end of claims [{marker}]")) + "\n"


def heading_of(answered: Answered, left: int = 0) -> tuple[str, ...]:
    """What is said of a question.

    Args:
        answered: What it came to.
        left: How many rows do not fit.
    """
    request = answered.request
    use = shown(str(request["use"] or "")) or "looking only, not for acting on"
    scopes = ", ".join(f"{scope['kind']}:{shown(scope['id'])}" for scope in request["scopes"])
    lines = (
        f"outcome: {answered.outcome} | use: {use} | at: {request['at']} | revision: {answered.revision}",
        f"for: {shown(request['principal'])} | scopes: {scopes}",
        f"query: {shown(answered.query.text)}",
    )
    return (*lines, f"left out: limits {left}") if left else lines


def bound_values(answered: Answered, row: AnswerRow) -> str:
    """What a row binds, on one line."""
    names = [str(variable) for variable in answered.query.select]
    pairs = zip(names, row.values, strict=True)
    return "; ".join(f"{name} = {shown(value)}" for name, value in pairs) or "it holds"


def block_of(support: Support) -> str:
    """What is said of a claim."""
    claim, states = support.claim, (support.status, *support.labels)
    how = (
        "source"
        if claim.source.derivation == "direct"
        else f"{shown(claim.source.derivation)} from"
    )
    parts = [", ".join(dict.fromkeys(states)), f"freshness {support.freshness}"]
    if claim.validity.conditions:
        parts.append("only if " + "; ".join(map(shown, claim.validity.conditions)))
    if claim.prohibited_uses:
        parts.append("not for " + ", ".join(map(shown, claim.prohibited_uses)))
    cited = [
        f"{how}: {shown(one.uri) or 'no address'}{f', line {one.line}' if one.line else ''}"
        for one in support.citations
    ]
    derived = [f"{how}: {', '.join(map(shown, claim.source.derived_from))}"]
    lines = [
        f"id: {shown(claim.id)}",
        f"{shown(claim.type)} | {' | '.join(parts)}",
        quoted_lines(statement_of(claim)),
        *(cited or [f"{how}: {shown(claim.source.kind)}, no address"]),
        *(derived if claim.source.derived_from else ()),
    ]
    return "\n".join(lines)
