"""How long learning takes on a repository of a thousand files, and reviewing what it proposes.

    python -m bench.learn_speed --files 1000 --json

- The repository is made here, under git: packages with manifests, Makefiles, workflows, instruction files, decision
  records, and code that no reader matches.
- `learn_s` and `learn_again_…` are whole processes of the command; the rest is measured in this process.
- Seconds are beside a bare `python -c pass` of the same run.
- `…_phases_s` say where the time goes, on a second store: `examine` checks and compares (a review does it twice, the
  second time under the writer's lock), `append` writes.
- `proposed_again` is what the second and the third run proposed: nothing, since nothing had changed.
"""

from __future__ import annotations

import importlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

from bench import recall_cold, report, world
from muniment import Choice, Memory
from muniment.ports.credential import Signer
from muniment.usecases import declare

REPOSITORY = "local:shop"
SCOPE = f"repository:{REPOSITORY}"
VISIBILITY = {"level": "team-private", "allowed_principals": ["group:shop"]}

PYPROJECT = """[project]
name = "part-{n}"
requires-python = ">=3.11"
dependencies = ["httpx>=0.{n}", "attrs", "alembic>=1.{n}", "structlog", "orjson", "redis>={n}"]

[project.optional-dependencies]
test = ["pytest>=8", "hypothesis>=6.{n}", "freezegun", "respx"]

[tool.ruff]
line-length = {width}
"""
MAKEFILE = (
    "test: ## Run the tests of part {n}\n\tpytest -q part{n}\n\nlint:\n\truff check part{n}\n\n"
    "docs: ## Build the pages of part {n}\n\tmkdocs build -f part{n}/mkdocs.yml\n\n"
    "release: test\n\tpython -m build part{n}\n"
)
PACKAGE = """{{"name": "web-{n}",
 "scripts": {{"build": "vite build --port {n}", "test": "vitest run", "lint": "eslint web{n}",
             "dev": "vite --port 3{n}", "format": "prettier --check web{n}"}},
 "dependencies": {{"vite": "^{n}.0.0", "react": "^18.{n}.0", "zod": "^3.{n}.0", "swr": "^2.0.{n}"}},
 "devDependencies": {{"vitest": "^1.{n}.0", "eslint": "^9.{n}.0", "prettier": "^3.{n}.0"}}}}
"""
AGENTS = """# Part {n}

- Run `make test` in part{n} before you push.
- Never edit `generated/{n}`.
- Ask the owners of part {n} before you change its tables.
- Keep the public functions of part {n} typed.
- The port of part {n} in development is 30{n}.
- Write a decision record when part {n} gets a new dependency.
"""
RECORD = """# {n}. Use queue {n}

Date: 2026-01-01

## Status

Accepted

## Decision

Part {n} talks over queue {n}.
"""
WORKFLOW = """name: part {n}
on: [push]
jobs:
  test-{n}:
    runs-on: ubuntu-latest
    steps:
      - run: pytest part{n}
"""
CODE = "def work_{n}():\n    return {n}\n"


def make_repository(root: Path, files: int) -> None:
    """A git repository of about so many files."""
    made = 0
    for n in range(files):
        kinds = {
            f"part{n}/pyproject.toml": PYPROJECT.format(n=n, width=80 + n % 40),
            f"part{n}/Makefile": MAKEFILE.format(n=n),
            f"part{n}/web/package.json": PACKAGE.format(n=n),
            f"part{n}/AGENTS.md": AGENTS.format(n=n),
            f"docs/adr/{n:04d}-queue.md": RECORD.format(n=n),
            f".github/workflows/part{n}.yml": WORKFLOW.format(n=n),
            **{f"part{n}/src/module_{i}.py": CODE.format(n=i) for i in range(10)},
        }
        for name, text in kinds.items():
            if made < files:
                path = root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
                made += 1
        if made >= files:
            break
    for command in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "all"]):
        identity = ["-c", "user.name=bench", "-c", "user.email=bench@example.org"]
        subprocess.run(["git", "-C", str(root), *identity, *command], check=True)


PHASES: dict[str, tuple[tuple[str, str], ...]] = {
    "read": (("muniment.usecases.learn", "read_all"),),
    "examine": tuple(
        (f"muniment.usecases.{verb}", "examine") for verb in ("propose", "review", "apply")
    ),
    "encode": (("muniment.usecases.propose", "events_of"),),
    "sign": (("muniment.usecases.review", "sign"),),
    "reread": (("muniment.usecases.review", "read_evidence"),),
    "append": (("muniment.store.tables.transaction:TableTransaction", "append"),),
}


@contextmanager
def phases() -> Iterator[dict[str, float]]:
    """Seconds spent in the steps of the verbs that run inside; `whole` is everything, filled at the end."""
    spent: dict[str, float] = {}
    with ExitStack() as stack:
        for name, places in PHASES.items():
            for place, function in places:
                module, _, inner = place.partition(":")
                holder = importlib.import_module(module)
                holder = getattr(holder, inner) if inner else holder
                stack.enter_context(_measured(holder, function, name, spent))
        begin = time.perf_counter()
        yield spent
        whole = time.perf_counter() - begin
    spent["other"] = whole - sum(spent.values())
    spent["whole"] = whole
    spent.update({name: round(seconds, 2) for name, seconds in spent.items()})


def _measured(holder: Any, function: str, name: str, spent: dict[str, float]) -> Any:
    original = getattr(holder, function)

    def measured(*given: Any, **named: Any) -> Any:
        begin = time.perf_counter()
        try:
            return original(*given, **named)
        finally:
            spent[name] = spent.get(name, 0.0) + time.perf_counter() - begin

    return mock.patch.object(holder, function, measured)


def timed(act: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds and result."""
    begin = time.perf_counter()
    result = act()
    return round(time.perf_counter() - begin, 2), result


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and print."""
    parser = report.parser(__doc__)
    parser.add_argument("--files", type=int, default=1_000)
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder), given.files)
    report.emit({"measurement": "learn_speed", "files": given.files, **found}, given.json)
    return 0


def opened(path: Path, root: Path, signer: Signer) -> Memory:
    """A new store with one reviewer, who learns from the repository."""
    memory = Memory.open(path, roots={REPOSITORY: root})
    ada = memory.acting_as("user:ada", scopes=[SCOPE], visibility=VISIBILITY, uses=world.USES)
    ada.declare(
        declare.group("group:shop", ("user:ada", "process:learn")),
        declare.roles("user:ada", ("reader", "proposer", "reviewer", "operator")),
        declare.credential("user:ada", (signer.public_key,)),
    )
    return ada


def profiled(folder: Path, store: Path, root: Path) -> dict[str, str]:
    """Environment of commands with a profile for the store."""
    profile = folder / "profile.toml"
    lines = (
        f'store = "{store}"\nprincipal = "user:ada"\nscopes = ["{SCOPE}"]\n'
        '[visibility]\nlevel = "team-private"\nallowed_principals = ["group:shop"]\n'
        f'[repositories]\n"{REPOSITORY}" = "{root}"\n'
    )
    profile.write_text(lines, encoding="utf-8")
    return {**recall_cold.environment(folder), "MUNIMENT_PROFILE": str(profile)}


def measure(folder: Path, files: int) -> dict[str, Any]:
    """Everything: commands on one new store, then phases in this process on another."""
    root, store = folder / "shop", folder / "memory.db"
    root.mkdir()
    make_repository(root, files)
    signer = world.credential("user:ada", os.urandom)
    ada = opened(store, root, signer)
    environment = profiled(folder, store, root)
    learn = [sys.executable, "-m", "muniment", "learn", str(root), "--json"]
    bare = statistics.median(
        recall_cold.run([sys.executable, "-c", "pass"], environment)[0] for _ in range(5)
    )
    first, peak, _ = recall_cold.run(learn, environment)
    waiting = ada.inbox()
    changes = [change for pending in waiting for change in pending.diff.changes]
    again, _, second_told = recall_cold.run(learn, environment)
    inbox, _ = timed(ada.inbox)
    chosen = {change.id: Choice("accepted") for change in changes}
    review, outcome = timed(lambda: ada.review(waiting[0].diff.id, chosen, signer))
    third, _, third_told = recall_cold.run(learn, environment)
    doctor, diagnosis = timed(ada.doctor)
    ada.close()
    return {
        "statements": len(changes),
        "proposed_again": [json.loads(told)["proposed"] for told in (second_told, third_told)],
        "accepted": len(outcome.resulting),
        "bare_s": round(bare, 3),
        "learn_s": round(first, 2),
        "learn_ratio_to_bare": round(first / bare, 1),
        "learn_peak_mib": round(peak, 1),
        "learn_again_waiting_s": round(again, 2),
        "inbox_s": inbox,
        "review_all_s": review,
        "learn_again_accepted_s": round(third, 2),
        "doctor_s": doctor,
        "doctor_ok": diagnosis.ok,
        **inside(folder, root, signer),
    }


def inside(folder: Path, root: Path, signer: Signer) -> dict[str, dict[str, float]]:
    """Where the time of learning and of accepting everything goes."""
    ada = opened(folder / "inside.db", root, signer)
    with phases() as learning:
        ada.learn(root)
    waiting = ada.inbox()[0].diff
    with phases() as reviewing:
        ada.review(
            waiting.id, {change.id: Choice("accepted") for change in waiting.changes}, signer
        )
    ada.close()
    return {"learn_phases_s": learning, "review_phases_s": reviewing}


if __name__ == "__main__":
    sys.exit(main())
