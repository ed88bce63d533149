"""A real git repository to learn from, with a protected branch."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

from muniment.core.access import Scope, Visibility
from muniment.core.policy import Policy
from muniment.learn.extract import read_file
from muniment.sources.repository import open_repository
from muniment.sources.router import Router
from muniment.usecases.declare import declare, policy
from muniment.usecases.learn import Learned, learn
from muniment.usecases.policy import ByPolicy, decide_by_policy
from muniment.usecases.session import Session
from tests.usecases.world import World, signer_of

TEAM = Visibility("team-private", ("group:shop",))
FILES = {
    "pyproject.toml": '[project]\nname = "shop"\nrequires-python = ">=3.11"\n',
    "Makefile": "test: ## Run the tests\n\tpytest -q\n\nlint:\n\truff check .\n",
    "AGENTS.md": "# Rules\n\n- Always run the tests before you push.\n",
}


@dataclass
class Checkout:
    """A working tree under git, and the world that learns from it."""

    world: World
    folder: Path

    def git(self, *arguments: str) -> str:
        run = subprocess.run(
            ["git", "-C", str(self.folder), *arguments], check=True, capture_output=True, text=True
        )
        return run.stdout.strip()

    def write(self, files: dict[str, str | None]) -> None:
        for name, text in files.items():
            if text is None:
                (self.folder / name).unlink()
            else:
                (self.folder / name).write_text(text, encoding="utf-8")

    def commit(self, files: dict[str, str | None]) -> None:
        self.write(files)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "edit")

    @property
    def id(self) -> str:
        return open_repository(self.folder).id

    @property
    def scope(self) -> Scope:
        return Scope("repository", self.id)

    def session(self, name: str = "agent:codex") -> Session:
        plain = self.world.session(name, scopes=(self.scope,), visibility=TEAM)
        return replace(plain, sources=Router({self.id: self.folder}, (self.folder,)))

    def learn(self, protected: str | None = None, name: str = "agent:codex") -> Learned:
        return learn(self.session(name), open_repository(self.folder), read_file, protected)

    def declare_policy(self, ref: str = "main", **more) -> None:
        session, signer = self.session("user:ana"), signer_of("user:ana")
        declare(
            session,
            (policy(session, Policy("manifests", self.scope, ref, **more), signer),),
            signer,
        )

    def decide(self, diff_id: str, name: str = "agent:codex") -> ByPolicy:
        return decide_by_policy(self.session(name), diff_id, read_file)

    def accept_all(self, learned: Learned, by: str = "user:ana") -> None:
        assert learned.proposed is not None
        names = [change.id for change in learned.proposed.diff.changes]
        from muniment.usecases.review import Choice, review

        choices = {name: Choice("accepted") for name in names}
        review(self.session(by), learned.proposed.diff.id, choices, signer_of(by))


def operations(learned: Learned) -> list[tuple[str, str]]:
    """What a run proposed: operation and slot or old slot's target."""
    if learned.proposed is None:
        return []
    return [
        (c.operation, c.item.slot if c.item else c.target_id) for c in learned.proposed.diff.changes
    ]
