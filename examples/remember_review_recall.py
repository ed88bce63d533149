"""An agent proposes, a person accepts, and the agent recalls; all in this process's memory.

Run it with `python examples/remember_review_recall.py`.
"""

import os

from muniment import Choice, Memory, NotPermitted
from muniment.credential import create, open_credential
from muniment.usecases.declare import credential, group, principal, roles

TEAM = {"level": "team-private", "allowed_principals": ["group:shop"]}

# A reviewer's key. `muniment init` makes one in a file; the passphrase is the reviewer's alone.
ada_signs = open_credential(
    create("user:ada", "three plain words", entropy=os.urandom), "three plain words"
)

memory = Memory.open(None)  # a path keeps it on disk
ada = memory.acting_as("user:ada", scopes=["project:shop"], visibility=TEAM)
codex = memory.acting_as("agent:codex", scopes=["project:shop"], visibility=TEAM)
ada.declare(
    principal("user:ada"),
    principal("agent:codex"),
    group("group:shop", ("user:ada", "agent:codex")),
    roles("user:ada", ("operator", "reviewer")),
    credential("user:ada", (ada_signs.public_key,)),
)

proposed = codex.remember(
    "Orders ship on Fridays.",
    source={"kind": "tool_output", "uri": "https://ci.example.org/jobs/17"},
    allowed_uses=["answer_questions"],
)
print("before review:", codex.recall("when do orders ship?", use="answer_questions").packet.outcome)

accept = {"change_01": Choice("accepted")}
try:
    codex.review(proposed.diff.id, accept, ada_signs)
except NotPermitted as refusal:
    print("the agent:", refusal.findings[0].message)

ada.review(proposed.diff.id, accept, ada_signs)
packet = codex.recall("when do orders ship?", use="answer_questions", budget=300).packet
print("after review:", packet.outcome, [item.claim.claim for item in packet.items])
print("to deploy:", codex.recall("when do orders ship?", use="deploy").packet.outcome)
print(
    "somebody else:",
    memory.acting_as("agent:other", scopes=["project:shop"])
    .recall("when do orders ship?", use="answer_questions")
    .packet.outcome,
)
print(packet.text)
