"""How long learning takes on a repository of a thousand files, and reviewing what it proposes.

    python -m bench.learn_speed --files 1000 --json

- The repository is made here, under git: packages with manifests, Makefiles, workflows, instruction files, decision
  records, and code that no reader matches.
- `learn` and `learn_again` are whole processes of the command; the rest is measured in this process.
- Seconds are beside a bare `python -c pass` of the same run.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from bench import recall_cold, report, world
from muniment import Choice, Memory
from muniment.usecases import declare

PYPROJECT = """[project]
name = "part-{n}"
requires-python = ">=3.11"
dependencies = ["httpx>=0.{n}", "attrs"]

[tool.ruff]
line-length = {width}
"""
MAKEFILE = (
    "test: ## Run the tests of part {n}\n\tpytest -q part{n}\n\nlint:\n\truff check part{n}\n"
)
PACKAGE = """{{"name": "web-{n}",
 "scripts": {{"build": "vite build --port {n}", "test": "vitest run"}},
 "dependencies": {{"vite": "^{n}.0.0"}}}}
"""
AGENTS = (
    "# Part {n}\n\n- Run `make test` in part{n} before you push.\n- Never edit `generated/{n}`.\n"
)
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


def measure(folder: Path, files: int) -> dict[str, Any]:
    """Everything, on one new store."""
    root, store = folder / "shop", folder / "memory.db"
    root.mkdir()
    make_repository(root, files)
    scope = "repository:local:shop"
    roots = {"local:shop": root}
    signer = world.credential("user:ada", os.urandom)
    memory = Memory.open(store, roots=roots)
    visibility = {"level": "team-private", "allowed_principals": ["group:shop"]}
    ada = memory.acting_as(
        "user:ada", scopes=[scope], visibility=visibility, uses=["answer_questions"]
    )
    ada.declare(
        declare.group("group:shop", ("user:ada", "process:learn")),
        declare.roles("user:ada", ("reader", "proposer", "reviewer", "operator")),
        declare.credential("user:ada", (signer.public_key,)),
    )
    profile = folder / "profile.toml"
    lines = (
        f'store = "{store}"\nprincipal = "user:ada"\nscopes = ["{scope}"]\n'
        '[visibility]\nlevel = "team-private"\nallowed_principals = ["group:shop"]\n'
        f'[repositories]\n"local:shop" = "{root}"\n'
    )
    profile.write_text(lines, encoding="utf-8")
    environment = {
        **os.environ,
        "PYTHONPATH": str(recall_cold.ROOT / "src"),
        "MUNIMENT_CONFIG": str(folder),
    }
    environment["MUNIMENT_PROFILE"] = str(profile)
    learn = [sys.executable, "-m", "muniment", "learn", str(root), "--json"]
    bare = recall_cold.run([sys.executable, "-c", "pass"], environment)[0]
    first, peak, _ = recall_cold.run(learn, environment)
    waiting = ada.inbox()
    changes = [change for pending in waiting for change in pending.diff.changes]
    again = recall_cold.run(learn, environment)[0]
    inbox, _ = timed(ada.inbox)
    chosen = {change.id: Choice("accepted") for change in changes}
    review, _ = timed(lambda: ada.review(waiting[0].diff.id, chosen, signer))
    third = recall_cold.run(learn, environment)[0]
    doctor, diagnosis = timed(ada.doctor)
    memory.close()
    return {
        "statements": len(changes),
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
    }


if __name__ == "__main__":
    sys.exit(main())
