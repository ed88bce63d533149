"""Read one file of a repository into statements with evidence.

- A file is read by the first reader that matches its path; a file that none matches gives nothing.
- Vendored and generated folders and test fixtures speak of other projects, and are passed over.
- Whatever the bytes are, the answer is a value: bad text, bad syntax, too much nesting, too many
  aliases, too large a file are findings with the line, never an exception and never a hang.
- The same path and bytes always give the same answer.

Which files to read, and what becomes of the statements, is left to the caller.

>>> result = read_file("go.mod", b"module example.org/shop\\n\\ngo 1.22\\n")
>>> [e.claim for e in result.extracts]
['This repository is the Go module `example.org/shop`.', 'This repository requires Go 1.22.']
>>> print(read_file("pyproject.toml", b"\\xff").findings[0])
pyproject.toml: byte 0 is not UTF-8 (not_utf8); save the file as UTF-8
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from muniment.core.errors import Finding
from muniment.core.extract import Extract, ReadResult
from muniment.learn.page import Page, Unreadable
from muniment.learn.readers import (
    cargo,
    codeowners,
    decisions,
    dockerfile,
    github_ci,
    gitlab_ci,
    gomod,
    instructions,
    justfile,
    lockfile,
    makefile,
    package_json,
    pnpm_workspace,
    precommit,
    pyproject,
    readme,
    toolversions,
)

__all__ = ["MAX_BYTES", "READERS", "Extract", "ReadResult", "Reader", "read_file", "reader_for"]

MAX_BYTES = 2_000_000
MAX_TEXT_BYTES = 500_000
MAX_YAML_BYTES = 400_000
MAX_LOCK_BYTES = 50_000_000

_FOREIGN = frozenset(
    {
        ".git",
        ".tox",
        ".venv",
        "__fixtures__",
        "__pycache__",
        "bower_components",
        "build",
        "dist",
        "fixtures",
        "node_modules",
        "site-packages",
        "testdata",
        "third_party",
        "vendor",
        "venv",
    }
)
_FIXTURE_PAIRS = frozenset({("test", "data"), ("tests", "data"), ("test", "repos")})
_FIXES: dict[str, str] = {
    "not_utf8": "save the file as UTF-8",
    "not_text": "remove the NUL characters",
    "too_deep": "reduce the nesting",
    "too_large": "split the file, or leave it out",
    "too_many_aliases": "write the repeated parts out",
}


@dataclass(frozen=True, slots=True)
class Reader:
    """How one kind of file is read.

    Attributes:
        name: The reader's name, as shown to people.
        matches: Whether a repository-relative POSIX path is of this kind.
        read: Adds what it finds to the page; may raise `Unreadable`.
        max_bytes: Larger files are refused (`too_large`).
    """

    name: str
    matches: Callable[[str], bool]
    read: Callable[[Page], None]
    max_bytes: int = MAX_BYTES


READERS: tuple[Reader, ...] = (
    Reader("pyproject", pyproject.matches, pyproject.read),
    Reader("package_json", package_json.matches, package_json.read),
    Reader("pnpm_workspace", pnpm_workspace.matches, pnpm_workspace.read, MAX_YAML_BYTES),
    Reader("lock_file", lockfile.matches, lockfile.read, MAX_LOCK_BYTES),
    Reader("makefile", makefile.matches, makefile.read, MAX_TEXT_BYTES),
    Reader("justfile", justfile.matches, justfile.read, MAX_TEXT_BYTES),
    Reader("go_mod", gomod.matches, gomod.read),
    Reader("cargo", cargo.matches, cargo.read),
    Reader("github_ci", github_ci.matches, github_ci.read, MAX_YAML_BYTES),
    Reader("gitlab_ci", gitlab_ci.matches, gitlab_ci.read, MAX_YAML_BYTES),
    Reader("pre_commit", precommit.matches, precommit.read, MAX_YAML_BYTES),
    Reader("codeowners", codeowners.matches, codeowners.read),
    Reader("tool_versions", toolversions.matches, toolversions.read),
    Reader("dockerfile", dockerfile.matches, dockerfile.read),
    Reader("decisions", decisions.matches, decisions.read, MAX_TEXT_BYTES),
    Reader("instructions", instructions.matches, instructions.read, MAX_TEXT_BYTES),
    Reader("readme", readme.matches, readme.read, MAX_TEXT_BYTES),
)


def reader_for(path: str) -> Reader | None:
    """The reader of a repository-relative POSIX path, or None.

    >>> reader_for("web/package.json").name, reader_for("node_modules/x/package.json")
    ('package_json', None)
    """
    folders = path.split("/")[:-1]
    pairs = pairwise(folders)
    if not _FOREIGN.isdisjoint(folders) or any(pair in _FIXTURE_PAIRS for pair in pairs):
        return None
    return next((reader for reader in READERS if reader.matches(path)), None)


def read_file(path: str, data: bytes) -> ReadResult:
    """Read one file (`E-RECEIPT`).

    Args:
        path: POSIX path relative to the repository's root.
        data: The file's bytes as they are.

    Returns:
        The statements in the file's order, and findings about the file.
    """
    reader = reader_for(path)
    if reader is None:
        return ReadResult()
    if len(data) > reader.max_bytes:
        message = f"{len(data)} bytes are more than the {reader.max_bytes} that are read"
        return _refused(path, "too_large", message)
    page: Page | None = None
    try:
        page = Page(path, data)
        reader.read(page)
    except Unreadable as problem:
        line = page.line_number(problem.position) if page and problem.position >= 0 else 0
        return _refused(f"{path}:{line}" if line else path, problem.code, str(problem))
    return page.result()


def _refused(place: str, code: str, message: str) -> ReadResult:
    fix = _FIXES.get(code, "correct the syntax")
    return ReadResult(findings=(Finding(code, message, place, fix, "warning"),))
