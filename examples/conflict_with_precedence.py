"""Two sources disagree. Nothing is dropped: both sides are handed over, with the rule by which one may win.

Run it with `python examples/conflict_with_precedence.py`.
"""

import os

from muniment import Choice, Memory
from muniment.credential import create, open_credential
from muniment.usecases.declare import credential, principal, roles

PRIVATE = {
    "level": "user-private",
    "allowed_principals": ["user:ada", "agent:codex", "agent:scout"],
}


def everything(diff):
    """A choice that accepts every change of a diff."""
    return {change.id: Choice("accepted") for change in diff.changes}


ada_signs = open_credential(
    create("user:ada", "three plain words", entropy=os.urandom), "three plain words"
)
memory = Memory.open(None)
ada, codex, scout = (
    memory.acting_as(name, scopes=["project:shop"], visibility=PRIVATE, uses=["answer_questions"])
    for name in ("user:ada", "agent:codex", "agent:scout")
)
ada.declare(
    principal("user:ada"),
    roles("user:ada", ("operator", "reviewer")),
    credential("user:ada", (ada_signs.public_key,)),
)


def fact(value):
    """The claim's joinable form: `requires_python` holds one value, so two values contradict."""
    return [{"subject": "shop", "predicate": "requires_python", "object": value}]


from_a_chat = codex.remember(
    "The shop requires Python 3.11 or newer.",
    source={"kind": "conversation", "uri": "https://chat.example.org/shop/41"},
    facts=fact(">=3.11"),
)
from_a_tool = scout.remember(
    "The shop requires Python 3.12 or newer.",
    source={"kind": "tool_output", "uri": "https://ci.example.org/jobs/18"},
    facts=fact(">=3.12"),
)
for proposed in (from_a_chat, from_a_tool):
    outcome = ada.review(proposed.diff.id, everything(proposed.diff), ada_signs)
    for conflict in outcome.conflicts:
        print("kept as a conflict:", conflict.note)

packet = codex.recall("which Python does the shop require?", use="answer_questions").packet
print("handed over:", sorted(item.claim.claim for item in packet.items))
(disagreement,) = packet.conflicts
winner = next(item for item in packet.items if item.claim.id == disagreement.ruling.winner)
print("may win:", winner.claim.claim, "by", disagreement.ruling.decided_by)
print("outcome:", packet.outcome)
