"""A folder of files as a repository, with git or without.

- Paths are relative to the top of the clone; opened at an inner folder, only what is beneath it is
  listed, under the same paths.
- Listed are regular files that are tracked, or neither tracked nor ignored. Links are not listed:
  inside the tree their target is, and one that leads outside is a finding.
- Without git (or where git refuses the folder) the folder is walked, `.gitignore` files count, and
  there are no refs.

>>> from tempfile import TemporaryDirectory
>>> with TemporaryDirectory() as place:
...     _ = Path(place, "a.txt").write_bytes(b"x")
...     repo = open_repository(Path(place))
...     list(repo.files()), repo.read("a.txt").data, repo.read_at("main", "a.txt").state
(['a.txt'], b'x', 'unreadable')
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from muniment.core.errors import Finding, quoted
from muniment.ports.source import Fetched, path_problem
from muniment.sources.file import MAX_BYTES, link_problem, read_beneath
from muniment.sources.git import Git
from muniment.sources.identity import identity
from muniment.sources.walk import walk


class FolderRepository:
    """A folder without git.

    Attributes:
        root: Absolute path of the folder.
    """

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self._findings: tuple[Finding, ...] = ()

    @property
    def id(self) -> str:
        """`local:` and the folder's name."""
        return identity(None, self.root.name)

    def files(self) -> Iterator[str]:
        """Paths of the regular files that are not ignored, sorted."""
        names, self._findings = walk(self.root)
        yield from names

    def files_at(self, ref: str) -> Iterator[str]:
        """Nothing: there are no refs."""
        del ref
        return iter(())

    def findings(self) -> tuple[Finding, ...]:
        """What the last listing left out."""
        return self._findings

    def read(self, path: str) -> Fetched:
        """Read a file of the folder."""
        return read_beneath(self.root, path)

    def read_at(self, ref: str, path: str) -> Fetched:
        """Unreadable: there are no refs."""
        detail = f"no_git: {quoted(path)} has no version {quoted(ref)}, for there is no git here"
        return Fetched(None, "unreadable", detail)

    def reaches(self, ref: str, commit: str) -> bool | None:
        """None: there are no refs."""
        del ref, commit
        return None

    def branch(self) -> str | None:
        """None."""
        return None

    def head(self) -> str | None:
        """None."""
        return None

    def default_branch(self) -> str | None:
        """None."""
        return None

    def close(self) -> None:
        """Nothing to end."""


class GitRepository:
    """The working tree and the objects of a clone.

    Attributes:
        root: Absolute path of the top of the working tree.
        focus: Folder beneath which files are listed, `""` for all.
    """

    def __init__(self, root: Path, focus: str = "") -> None:
        self.root = root.resolve()
        self.focus = focus
        self._git = Git(self.root)
        self._id = identity(self._git.line("config", "--get", "remote.origin.url"), self.root.name)
        self._findings: tuple[Finding, ...] = ()

    @property
    def id(self) -> str:
        """From origin's address; `local:` and the folder's name without one."""
        return self._id

    def files(self) -> Iterator[str]:
        """Tracked files, and untracked ones that are not ignored, sorted."""
        within = ("--", self.focus) if self.focus else ()
        out = self._git.ask("ls-files", "-z", "--cached", "--others", "--exclude-standard", *within)
        self._findings = ()
        if out is None:
            fix = "run `git status` there to see why"
            problem = Finding("git_failed", f"git lists no files in {quoted(self.root)}", fix=fix)
            self._findings = (problem,)
            return
        for name in sorted({os.fsdecode(name) for name in out.split(b"\0") if name}):
            if self._listed(name):
                yield name

    def _listed(self, name: str) -> bool:
        if not _is_utf8(name):
            self._leave_out(name, "name_not_utf8: the name is not UTF-8", "rename the file")
            return False
        try:
            mode = (self.root / name).lstat().st_mode
        except OSError as error:
            if not isinstance(error, FileNotFoundError | NotADirectoryError):
                self._leave_out(name, "no_permission: it may not be looked at", "check its rights")
            return False
        if stat.S_ISLNK(mode):
            problem = link_problem(self.root, name)
            if not problem.startswith("symlink:"):
                self._leave_out(name, problem, "replace the link by what it should hold")
        return stat.S_ISREG(mode)

    def _leave_out(self, name: str, problem: str, fix: str) -> None:
        code, _, message = problem.partition(": ")
        shown = name.encode("utf-8", "replace").decode()
        self._findings += (Finding(code, message, shown, fix, "warning"),)

    def files_at(self, ref: str) -> Iterator[str]:
        """Regular files at a ref, sorted."""
        commit = self._git.commit(ref)
        tree = self._git.tree(commit) if commit else {}
        prefix = f"{self.focus}/" if self.focus else ""
        for name in sorted(tree):
            if tree[name].is_file and name.startswith(prefix) and _is_utf8(name):
                yield name

    def findings(self) -> tuple[Finding, ...]:
        """What the last listing left out."""
        return self._findings

    def read(self, path: str) -> Fetched:
        """Read a file of the working tree."""
        return read_beneath(self.root, path)

    def read_at(self, ref: str, path: str) -> Fetched:
        """Read the blob at a ref; `commit` tells which commit the ref was."""
        problem = path_problem(path)
        if problem:
            return Fetched(None, "unreadable", f"path_escapes: the path {quoted(path)} {problem}")
        commit = self._git.commit(ref)
        if commit is None:
            detail = f"unknown_ref: {self.id} has no commit {quoted(ref)} here"
            return Fetched(None, "unreadable", detail)
        entry = self._git.tree(commit).get(path)
        if entry is None:
            return Fetched(None, "missing", f"there is no file {quoted(path)} at {ref}", commit)
        if not entry.is_file:
            detail = f"not_a_file: {quoted(path)} is no regular file at {ref}"
            return Fetched(None, "unreadable", detail, commit)
        data = self._git.blob(entry.oid, MAX_BYTES)
        if isinstance(data, bytes):
            return Fetched(data, "read", "", commit)
        reason = "is not in this clone" if data is None else f"has more than {MAX_BYTES} bytes"
        code = "no_object" if data is None else "too_large"
        return Fetched(None, "unreadable", f"{code}: {quoted(path)} {reason}", commit)

    def reaches(self, ref: str, commit: str) -> bool | None:
        """Whether a ref holds a commit in its history; None where one of them is not in this clone."""
        tip, wanted = self._git.commit(ref), self._git.commit(commit)
        if tip is None or wanted is None:
            return None
        return self._git.ask("merge-base", "--is-ancestor", wanted, tip) is not None

    def branch(self) -> str | None:
        """The branch checked out; None on a detached head."""
        return self._git.line("symbolic-ref", "--short", "-q", "HEAD")

    def head(self) -> str | None:
        """The commit checked out; None before the first one."""
        return self._git.commit("HEAD")

    def default_branch(self) -> str | None:
        """Origin's default branch; else `main`, `master`, or the only one there is."""
        remote = self._git.line("symbolic-ref", "--short", "-q", "refs/remotes/origin/HEAD")
        if remote:
            return remote.removeprefix("origin/")
        out = self._git.line("for-each-ref", "--format=%(refname:short)", "refs/heads")
        names = out.split("\n") if out else []
        usual = next((name for name in ("main", "master") if name in names), None)
        return usual or (names[0] if len(names) == 1 else None)

    def close(self) -> None:
        """End the git process that reads objects."""
        self._git.close()


def _is_utf8(name: str) -> bool:
    return not any("\ud800" <= c <= "\udfff" for c in name)


def open_repository(folder: Path) -> GitRepository | FolderRepository:
    """The repository at or around a folder.

    Raises:
        NotADirectoryError: The folder does not exist or is no folder.
    """
    folder = folder.resolve()
    if not folder.is_dir():
        raise NotADirectoryError(f"{quoted(folder)} is no folder")
    top = Git(folder).line("rev-parse", "--show-toplevel")
    if top is None:
        return FolderRepository(folder)
    root = Path(top).resolve()
    if not folder.is_relative_to(root):
        return FolderRepository(folder)
    focus = folder.relative_to(root).as_posix()
    return GitRepository(root, "" if focus == "." else focus)
