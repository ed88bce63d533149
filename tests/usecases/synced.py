"""Two people with a store each and a clone each of one git repository, for the tests of sync."""

from __future__ import annotations

import itertools
import os
import subprocess
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from muniment import Choice, Memory
from muniment.core.ids import parse_id
from muniment.credential import create, open_credential
from muniment.usecases.declare import credential, group, principal, roles
from muniment.usecases.viewing import Viewing

TEAM = {"level": "team-private", "allowed_principals": ["group:shop"]}
SCOPE = "repository:github:acme/shop"
START = datetime(2026, 7, 8, 12, tzinfo=UTC)
WORDS = "three plain words"
USES = ["answer_questions"]


@dataclass
class Person:
    """Somebody with a store and a folder."""

    name: str
    store: Path
    folder: Path
    memory: Any = None
    agent: Any = None
    front: Any = None
    signer: Any = None
    ticks: Any = field(default_factory=itertools.count)

    def open(self) -> Person:
        """Make the store, with this person as its reviewer and the team as its profile."""
        self.signer = open_credential(create(self.name, WORDS, entropy=os.urandom), WORDS)
        self.reopen()
        self.memory.declare(
            principal(self.name),
            roles(self.name, ("operator", "proposer", "reviewer")),
            credential(self.name, (self.signer.public_key,)),
        )
        self.memory.declare(*self.declarations(), signer=self.signer)
        return self

    def declarations(self) -> tuple[Any, ...]:
        """The team, as this store declares it."""
        return group_of(self.name), principal("agent:codex")

    def reopen(self) -> None:
        """Open the store that is there."""
        now = lambda: START + timedelta(minutes=next(self.ticks))  # noqa: E731
        self.front = Memory.open(self.store, clock=now)
        self.memory = self.with_visibility(TEAM)
        self.agent = self.front.acting_as("agent:codex", scopes=[SCOPE], visibility=TEAM, uses=USES)

    def with_visibility(self, visibility: Any) -> Any:
        """This person with another profile."""
        return self.front.acting_as(self.name, scopes=[SCOPE], visibility=visibility, uses=USES)

    def close(self) -> None:
        """Close the store."""
        self.front.close()

    def head(self) -> str:
        """The ledger's head."""
        with self.memory.session.store.snapshot("default") as snapshot:
            return [envelope.hash for envelope in snapshot.envelopes()][-1]

    @staticmethod
    def uuid(claim_id: str) -> str:
        """A claim's identifier as a concept's."""
        return parse_id(claim_id).uuid

    def sync(self, **options: Any) -> Any:
        return self.memory.sync(self.folder, **options)

    def accept_all(self) -> list[str]:
        """Accept everything that waits."""
        done = []
        for one in self.memory.inbox():
            choices = {change.id: Choice("accepted") for change in one.diff.changes}
            self.memory.review(one.diff.id, choices, self.signer)
            done.append(one.diff.id)
        return done

    def reject_all(self) -> None:
        """Reject everything that waits."""
        for one in self.memory.inbox():
            choices = {change.id: Choice("rejected", "no") for change in one.diff.changes}
            self.memory.review(one.diff.id, choices, self.signer)

    def remember(self, claim: str, **more: Any) -> str:
        """Accept a new claim; its identifier."""
        return self._accepted({"operation": "add", "item": self._item(claim, more)})

    def supersede(self, target: str, claim: str, **more: Any) -> str:
        """Accept a successor; its identifier."""
        item = self._item(claim, more)
        return self._accepted({"operation": "supersede", "target_id": target, "item": item})

    def deprecate(self, target: str) -> None:
        """Accept that a claim is no longer useful."""
        source = {"kind": "file", "uri": "repo:shop!/README.md"}
        self._accepted({"operation": "deprecate", "target_id": target, "source": source})

    def _item(self, claim: str, more: dict[str, Any]) -> dict[str, Any]:
        source = {
            "kind": "file",
            "uri": "repo:shop!/README.md",
            "observed_at": "2026-07-01T00:00:00Z",
        }
        kind, _, id = SCOPE.partition(":")
        return {
            "claim": claim,
            "scope": {"kind": kind, "id": id},
            "source": source,
            "visibility": TEAM,
            "allowed_uses": ["answer_questions"],
            "review": {"status": "proposed"},
            "freshness": {"status": "unknown"},
            **more,
        }

    def _accepted(self, change: dict[str, Any]) -> str:
        diff = {
            "trigger": {"kind": "pull_request", "uri": "https://example.org/1", "state": "merged"},
            "changes": [{"id": "change_01", "reason": "it was merged", **change}],
        }
        proposed = self.agent.propose(diff)
        outcome = self.memory.review(
            proposed.diff.id, {"change_01": Choice("accepted")}, self.signer
        )
        return next(iter(outcome.resulting.values()), "")

    def claims(self) -> set[str]:
        """What is in use."""
        with self.memory.session.store.snapshot("default") as snapshot:
            viewing = Viewing(snapshot, self.name)
            rows = viewing.seen(snapshot.rows(list(viewing.classes)))
            live = [row for row in rows if _in_use(row)]
            return {claim.claim for claim in viewing.claims(live).values()}

    def ids(self) -> list[str]:
        """The identifiers of what is in use, in the order in which it was accepted."""
        return [row.claim_id for row in self._rows() if _in_use(row)]

    def claims_ever(self) -> set[str]:
        """Every statement that was accepted once."""
        with self.memory.session.store.snapshot("default") as snapshot:
            viewing = Viewing(snapshot, self.name)
            rows = snapshot.rows(list(viewing.classes))
            return {claim.claim for claim in viewing.claims(rows).values()}

    def _rows(self) -> list[Any]:
        with self.memory.session.store.snapshot("default") as snapshot:
            viewing = Viewing(snapshot, self.name)
            return list(viewing.seen(snapshot.rows(list(viewing.classes))))

    def files(self) -> dict[str, bytes]:
        """Every file of the folder, by path."""
        return {
            path.relative_to(self.folder).as_posix(): path.read_bytes()
            for path in sorted(self.folder.rglob("*"))
            if path.is_file() and ".git" not in path.parts
        }

    def concept(self, part: str) -> Path:
        """The one concept whose file holds some text."""
        found = [p for p in self.folder.rglob("*.md") if part in p.read_text()]
        assert len(found) == 1, (part, found)
        return found[0]

    def edit(self, before: str, after: str) -> Path:
        """Replace some text of a concept's file."""
        path = self.concept(before)
        path.write_text(path.read_text().replace(before, after))
        return path

    def git(self, *words: str) -> str:
        """Run git in the folder's repository."""
        env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        env |= {
            f"GIT_{who}_{what}": "someone@example.org"
            for who in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        }
        done = subprocess.run(
            ["git", *words],
            check=False,
            cwd=self.folder.parent,
            env=env,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


def _in_use(row: Any) -> bool:
    live = row.review in ("accepted", "needs_review") and not row.retired
    return live and not row.superseded_by


def group_of(name: str) -> Any:
    """The team, as one person's store declares it."""
    return group("group:shop", tuple(sorted({name, "agent:codex"})))
