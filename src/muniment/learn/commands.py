"""What a named command is for: the words under which someone looks for it, and its uses.

- The purpose comes from the name first, and from the command where the name says nothing.
- A command that releases, deploys or destroys may be described, but is never offered as a local
  command to choose.

>>> topics_of("test", "pytest -q")
('run', 'tests', 'test command')
>>> uses_of("release", "twine upload dist/*")
('answer_questions', 'prepare_context')
"""

from __future__ import annotations

import re

from muniment.learn.uses import COMMAND_USES, INFORM_USES, TEST_USES

_TESTING = r"(?<!la)(?<!con)(?<!at)test|spec\b|coverage|e2e|jest"
_PURPOSES: tuple[tuple[str, re.Pattern[str], tuple[str, ...]], ...] = tuple(
    (name, re.compile(pattern, re.IGNORECASE), topics)
    for name, pattern, topics in (
        ("release", r"release|publish|twine|goreleaser", ("release", "publish", "new version")),
        ("deploy", r"deploy|rollback|helm|terraform", ("deploy", "roll out", "production")),
        (
            "destroy",
            r"destroy|\bdrop\b|drop.?db|db.?drop|purge|nuke|\breset|wipe",
            ("delete", "reset"),
        ),
        ("migrate", r"migrat|alembic", ("migrate", "database migration")),
        ("test", _TESTING, ("run", "tests", "test command")),
        ("lint", r"lint|ruff|eslint|vet\b|clippy", ("lint", "check style", "linter")),
        ("types", r"type|mypy|pyright|\btsc\b", ("type check", "types")),
        ("format", r"fmt|format|prettier|black", ("format", "formatter", "code style")),
        ("build", r"build|compile|bundle|dist\b", ("build", "compile")),
        ("install", r"install|setup|bootstrap|sync|deps|venv", ("install", "set up")),
        ("docs", r"docs?\b|sphinx|mkdocs", ("documentation", "build the docs")),
        ("serve", r"serve|start|dev\b|run\b|up\b|watch", ("run", "start", "locally")),
        ("clean", r"clean", ("clean", "remove build files")),
        ("check", r"check|verify|\bci\b|\ball\b", ("check", "before a commit")),
    )
)
_COMMAND = re.compile(
    r"\.?/[\w./-]+|\.venv/\S+|(?:make|just|task|tox|nox|pytest|ruff|mypy|npx|tsc|eslint)(?= |$)"
    r"|(?:npm|pnpm|yarn|bun|deno|node|turbo|nx|cargo|go|gofmt|uv|uvx|pip|pip3|pipx|poetry|hatch|pdm"
    r"|conda|python3?|ruby|bundle|rake|rails|php|composer|mvn|gradle|dotnet|mix|docker|podman|git"
    r"|gh|rg|kubectl|helm|terraform|bazel|cmake|ninja|cd|source|export|curl|vite|vitest|jest) \S"
)
_RISKY = frozenset({"release", "deploy", "destroy", "migrate"})
_RISKY_COMMAND = re.compile(
    r"rm\s+-[rf]{2}\s+/|git\s+push|npm\s+publish|twine|docker\s+push|kubectl|helm|terraform"
    r"|alembic\s+(?:up|down)grade|dropdb|DROP\s+TABLE|goreleaser(?!\s+check)"
)


def purpose_of(name: str, command: str = "") -> str:
    """The first purpose whose words are in the name, else in the command; `""` if none.

    >>> purpose_of("unit-tests"), purpose_of("x", "ruff check ."), purpose_of("x")
    ('test', 'lint', '')
    """
    for text in (name, command):
        for purpose, pattern, _ in _PURPOSES:
            if pattern.search(text):
                return purpose
    return ""


def topics_of(name: str, command: str = "") -> tuple[str, ...]:
    """Search words for a named command."""
    purpose = purpose_of(name, command)
    return next((topics for known, _, topics in _PURPOSES if known == purpose), ())


def uses_of(name: str, command: str = "") -> tuple[str, ...]:
    """The low-risk uses that a named command may serve."""
    purpose = purpose_of(name)
    if purpose in _RISKY or _RISKY_COMMAND.search(command):
        return INFORM_USES
    return TEST_USES if purpose_of(name, command) == "test" else COMMAND_USES


def is_command(text: str) -> bool:
    """Whether inline code is a command to run, rather than a name.

    >>> is_command("make test"), is_command("./run.sh"), is_command("fmt.Errorf(x)")
    (True, True, False)
    """
    return bool(_COMMAND.match(text))


def shell_steps(text: str) -> tuple[str, ...]:
    """The commands of a shell fragment: continuations joined, prompts and comments dropped.

    Where lines bear a `$` prompt, the others are output and are left out.

    >>> shell_steps("# first\\n$ make \\\\\\n   all\\nok\\n$ ls")
    ('make all', 'ls')
    """
    joined = re.sub(r"\\\r?\n[ \t]*", "", text)
    lines = [line.strip() for line in joined.splitlines()]
    prompted = [line[2:].strip() for line in lines if line.startswith("$ ")]
    kept = prompted or lines
    return tuple(line for line in kept if line and not line.startswith("#"))


def spoken(steps: tuple[str, ...]) -> str:
    """Commands as words of a claim.

    >>> spoken(("a", "b"))
    '`a`, then `b`'
    """
    return ", then ".join(f"`{step}`" for step in steps)
