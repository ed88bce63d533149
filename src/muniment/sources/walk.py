"""List the files of a folder that is not under git, as git would.

- `.gitignore` files count from the folder in which they stand; `.git` and folders of installed or
  built things are passed over whether ignored or not.
- Links are not followed; one that leads outside, a folder without rights and a name that is not
  UTF-8 are findings.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from muniment.core.errors import Finding
from muniment.sources.file import link_problem, read_beneath

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

PASSED_OVER = frozenset(
    {
        ".git",
        ".hg",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        ".svn",
        ".tox",
        ".venv",
        "__pycache__",
        "build",
        "dist",
        "node_modules",
        "venv",
    }
)
_MAX_DEPTH = 100

_Rules = tuple[tuple[str, "GitIgnoreSpec"], ...]


def walk(root: Path) -> tuple[tuple[str, ...], tuple[Finding, ...]]:
    """Paths of the regular files beneath a root, sorted, and what was left out."""
    names: list[str] = []
    findings: list[Finding] = []
    waiting: list[tuple[str, _Rules]] = [("", ())]
    while waiting:
        folder, rules = waiting.pop()
        try:
            with os.scandir(root / folder) as entries:
                listed = sorted(entries, key=lambda e: e.name)
        except OSError as error:
            reason = (error.strerror or "unknown error").lower()
            message = f"the folder cannot be listed: {reason}"
            fix = "check its rights"
            findings.append(Finding("no_permission", message, folder or ".", fix, "warning"))
            continue
        rules = _with_own_rules(root, folder, rules, listed)
        for entry in listed:
            path = f"{folder}/{entry.name}" if folder else entry.name
            found = _kind(root, entry, path, rules)
            if isinstance(found, Finding):
                findings.append(found)
            elif found == "file":
                names.append(path)
            elif found == "folder" and path.count("/") < _MAX_DEPTH:
                waiting.append((path, rules))
    return tuple(sorted(names)), tuple(findings)


def _kind(root: Path, entry: os.DirEntry[str], path: str, rules: _Rules) -> str | Finding:
    try:
        path.encode()
    except UnicodeEncodeError:
        shown = path.encode("utf-8", "replace").decode()
        fix = "rename the file"
        return Finding("name_not_utf8", "the name is not UTF-8", shown, fix, "warning")
    folder = entry.is_dir(follow_symlinks=False)
    if (folder and entry.name in PASSED_OVER) or _ignored(path, folder, rules):
        return ""
    if entry.is_symlink():
        code, _, message = link_problem(root, path).partition(": ")
        fix = "replace the link by what it should hold"
        return Finding(code, message, path, fix, "warning") if code != "symlink" else ""
    if folder:
        return "folder"
    return "file" if entry.is_file(follow_symlinks=False) else ""


def _with_own_rules(
    root: Path, folder: str, rules: _Rules, entries: list[os.DirEntry[str]]
) -> _Rules:
    if not any(entry.name == ".gitignore" for entry in entries):
        return rules
    from pathspec import GitIgnoreSpec  # late: only folders without git need it

    fetched = read_beneath(root, f"{folder}/.gitignore" if folder else ".gitignore")
    text = (fetched.data or b"").decode("utf-8", "replace")
    return (*rules, (f"{folder}/" if folder else "", GitIgnoreSpec.from_lines(text.splitlines())))


def _ignored(path: str, folder: bool, rules: _Rules) -> bool:
    """What the innermost `.gitignore` that speaks of the path says."""
    for base, spec in reversed(rules):
        said = spec.check_file(path.removeprefix(base) + ("/" if folder else "")).include
        if said is not None:
            return said
    return False
