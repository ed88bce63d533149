"""A person's machine: a profile, a store, a credential and a repository, and ways to run the command line there."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from muniment.cli import main

WORDS = "correct horse battery"
FILES = {
    "Makefile": "test: ## Run the unit tests.\n\tpytest -q\n\nlint:\n\truff check .\n",
    "pyproject.toml": '[project]\nname = "shop"\nrequires-python = ">=3.11"\n',
    "AGENTS.md": "# Rules\n\n- Use `pnpm` for the web part.\n",
}


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)

    @property
    def error_codes(self):
        return [one["code"] for one in self.json["error"]["findings"]]


class Machine:
    """Where a test runs the command line."""

    def __init__(self, place: Path, monkeypatch, capsys):
        self.place, self.repository = place, place / "shop"
        self.words, self.store = place / "words", place / "memory.db"
        self.monkeypatch, self.capsys = monkeypatch, capsys
        self.environment = {
            "MUNIMENT_CONFIG": str(place / "config"),
            "MUNIMENT_STORE": str(self.store),
        }
        for name, value in self.environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(self.repository)

    def run(self, *arguments: str, stdin: str = "") -> Ran:
        """In this process; stdin is no terminal."""
        self.monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        self.capsys.readouterr()
        code = main(list(arguments))
        captured = self.capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    def signed(self, *arguments: str) -> Ran:
        """In this process, with the passphrase's file."""
        return self.run(*arguments, "--passphrase-file", str(self.words))

    def process(self, *arguments: str, **options) -> Ran:
        """In a process of its own."""
        done = subprocess.run(
            [sys.executable, "-m", "muniment", *arguments],
            capture_output=True,
            text=True,
            env={**os.environ, **self.environment},
            cwd=self.repository,
            check=False,
            **{"stdin": subprocess.DEVNULL, **options},
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    def head(self) -> str:
        return self.run("verify", "--json").json["verification"]["head"]

    def propose(self, *changes, **frame) -> Ran:
        """A diff from a file; items are completed."""
        diff = {
            "trigger": {"kind": "statement", "state": "observed"},
            "changes": list(changes),
            **frame,
        }
        file = self.place / "diff.json"
        file.write_text(json.dumps(diff), "utf-8")
        return self.run("propose", str(file), "--json")


def item(claim="The shop ships on Fridays.", **parts):
    whole = {
        "claim": claim,
        "scope": {"kind": "repository", "id": "local:shop"},
        "source": {"kind": "user_statement", "uri": "principal:user:ada"},
        "visibility": {"level": "team-private", "allowed_principals": ["group:ada"]},
        "review": {"status": "proposed"},
        "freshness": {"status": "current", "last_verified_at": "2026-07-08T12:00:00Z"},
        "allowed_uses": ["answer_questions"],
    }
    return {key: value for key, value in {**whole, **parts}.items() if value is not None}


def add(claim="The shop ships on Fridays.", **parts):
    return {"operation": "add", "reason": "somebody said so", "item": item(claim, **parts)}


def _files(place: Path) -> None:
    (place / "shop").mkdir(parents=True)
    for name, text in FILES.items():
        (place / "shop" / name).write_text(text, "utf-8")
    (place / "words").touch(0o600)
    (place / "words").write_text(WORDS + "\n", "utf-8")


@pytest.fixture
def fresh(tmp_path, monkeypatch, capsys):
    """A machine on which nothing was set up."""
    _files(tmp_path)
    return Machine(tmp_path, monkeypatch, capsys)


@pytest.fixture(scope="session")
def template(tmp_path_factory):
    """A machine after `muniment init`, to be copied."""
    place = tmp_path_factory.mktemp("template")
    _files(place)
    environment = {
        **os.environ,
        "MUNIMENT_CONFIG": str(place / "config"),
        "MUNIMENT_STORE": str(place / "memory.db"),
    }
    arguments = ["init", "--user", "ada", "--agent", "codex", "--yes"]
    subprocess.run(
        [sys.executable, "-m", "muniment", *arguments, "--passphrase-file", str(place / "words")],
        env=environment,
        cwd=place / "shop",
        check=True,
        capture_output=True,
    )
    return place


@pytest.fixture
def machine(template, tmp_path, monkeypatch, capsys):
    """A machine after `muniment init`."""
    place = tmp_path / "ada"
    shutil.copytree(template, place)
    profile = place / "config" / "profile.toml"
    profile.write_text(profile.read_text("utf-8").replace(str(template), str(place)), "utf-8")
    return Machine(place, monkeypatch, capsys)


@pytest.fixture
def learned(machine):
    """A machine whose repository was learned, and everything safe accepted."""
    machine.run("learn")
    machine.signed("review", "--accept", "all")
    return machine
