"""A policy accepts what a protected branch's manifests say, byte for byte; prose waits for a person.

Run it with `python examples/policy_on_a_repository.py`; it needs git.
"""

import os
import subprocess
import tempfile
from pathlib import Path

from muniment import Memory, Scope
from muniment.core.policy import Policy
from muniment.credential import create, open_credential
from muniment.usecases.declare import credential, group, principal, roles

SHOP = "repository:local:shop"
TEAM = {"level": "team-private", "allowed_principals": ["group:shop"]}


def git(folder, *arguments):
    """Run git as somebody."""
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


def accepted(learned, by_policy):
    """What the policy accepted and what it left, as text."""
    outcome, diff = by_policy.outcome, learned.proposed.diff
    decisions = outcome.decisions.values() if outcome else ()
    decided = {one.change_id for one in decisions if one.diff_id == diff.id}
    for change in diff.changes:
        words = change.item.claim if change.item else change.reason
        yield f"  {'accepted' if change.id in decided else 'waits   '}  {change.operation}  {words}"


with tempfile.TemporaryDirectory() as place:
    shop = Path(place) / "shop"
    shop.mkdir()
    (shop / "pyproject.toml").write_text('[project]\nname = "shop"\nrequires-python = ">=3.11"\n')
    (shop / "AGENTS.md").write_text("- Never commit on Fridays.\n")
    git(shop, "init", "--quiet", "--initial-branch=main")
    git(shop, "add", "--all")
    git(shop, "commit", "--quiet", "--message=Begin")

    words = "three plain words"
    ada_signs = open_credential(create("user:ada", words, entropy=os.urandom), words)
    memory = Memory.open(None, roots={"local:shop": shop})
    ada = memory.acting_as("user:ada", scopes=[SHOP], visibility=TEAM)
    ada.declare(
        principal("user:ada"),
        group("group:shop", ("user:ada", "process:learn")),
        roles("user:ada", ("operator", "reviewer")),
        credential("user:ada", (ada_signs.public_key,)),
    )
    ada.declare_policy(
        Policy("manifests", Scope.parse(SHOP), protected_ref="main"),
        ada_signs,
    )

    print("committed on main:")
    print("\n".join(accepted(*ada.learn(shop))))

    (shop / "pyproject.toml").write_text('[project]\nname = "shop"\nrequires-python = ">=3.12"\n')
    print("edited, not committed:")
    print("\n".join(accepted(*ada.learn(shop))))

    git(shop, "commit", "--quiet", "--all", "--message=Require Python 3.12")
    print("committed:")
    print("\n".join(accepted(*ada.learn(shop))))

    packet = ada.recall("which Python is required?", use="answer_questions").packet
    print("recalled:", packet.items[0].claim.claim, packet.items[0].claim.source.uri)
    print("reviewed by:", packet.items[0].claim.review.reviewed_by)
    print("accounts:", sorted({one.state for one in ada.doctor().accounts}))
