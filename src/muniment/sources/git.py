"""Ask git about a clone without letting the clone run anything.

- No shell, no pager, no prompt, no hook, no file system monitor, no transport; variables named
  `GIT_*` are not passed on, and no lock is taken.
- Blobs come from one long-lived `git cat-file --batch`; they are asked for by object id, so no file
  name can be taken for an option or for a second request.
- What git cannot answer is None, never an exception.

The working tree is read by `file`, not through git.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import threading
import weakref
from dataclasses import dataclass
from pathlib import Path

_SECONDS = 30.0
_SAFE = (
    "-c", "core.fsmonitor=false",
    "-c", "core.hooksPath=/dev/null",
    "-c", "core.pager=cat",
    "-c", "protocol.allow=never",
    "-c", "core.quotePath=false",
    "--no-pager",
    "--literal-pathspecs",
)  # fmt: skip
_REF = re.compile(r"(?!-)[^\s:\x00-\x1f\x7f?*\[\\]{1,250}")
_TREE_ENTRY = re.compile(
    rb"(?P<mode>\d{6}) (?P<kind>\w+) (?P<oid>[0-9a-f]{40,64})\t(?P<path>.*)", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One path of a commit: `100644` and `100755` are files, `120000` links, `160000` submodules."""

    mode: str
    oid: str

    @property
    def is_file(self) -> bool:
        """Whether it is a regular file."""
        return self.mode.startswith("100")


class Git:
    """Git in one folder.

    Attributes:
        folder: Where git runs.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._program = shutil.which("git")
        self._batch: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._trees: dict[str, dict[str, TreeEntry]] = {}
        self._closing: weakref.finalize[..., Git] | None = None

    def ask(self, *arguments: str) -> bytes | None:
        """Standard output of a git command; None if git is absent, fails or takes too long."""
        if self._program is None:
            return None
        try:
            done = subprocess.run(  # noqa: S603 - a fixed program, no shell
                [self._program, *_SAFE, *arguments],
                cwd=self.folder,
                env=_environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                timeout=_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        return done.stdout if done.returncode == 0 else None

    def line(self, *arguments: str) -> str | None:
        """The one line that a command prints; None if it fails or prints nothing."""
        out = self.ask(*arguments)
        return os.fsdecode(out).strip("\r\n") or None if out else None

    def commit(self, ref: str) -> str | None:
        """The commit of a branch, tag or commit id."""
        if not _REF.fullmatch(ref):
            return None
        found = self._request(f"{ref}^{{commit}}", limit=0)
        return found[0] if found and found[1] == "commit" else None

    def tree(self, commit: str) -> dict[str, TreeEntry]:
        """Every path of a commit. Kept, for a commit never changes."""
        if commit not in self._trees:
            out = self.ask("ls-tree", "-r", "-z", "--full-tree", commit) or b""
            entries = filter(None, (_TREE_ENTRY.fullmatch(row) for row in out.split(b"\0")))
            self._trees = {  # the last commit only, so that a long life stays small
                commit: {
                    os.fsdecode(e.group("path")): TreeEntry(
                        e.group("mode").decode(), e.group("oid").decode()
                    )
                    for e in entries
                }
            }
        return self._trees[commit]

    def blob(self, oid: str, limit: int) -> bytes | int | None:
        """The bytes of a blob; its size if that is above the limit; None if there is none."""
        found = self._request(oid, limit)
        if not found or found[1] != "blob":
            return None
        return found[2] if found[3] is None else found[3]

    def close(self) -> None:
        """End the long-lived process."""
        with self._lock:
            self._stop()

    def _request(self, name: str, limit: int) -> tuple[str, str, int, bytes | None] | None:
        with self._lock:
            for _ in range(2):  # once more with a new process, should the old one have ended
                try:
                    return self._exchange(name, limit)
                except (OSError, ValueError):
                    self._stop()
        return None

    def _exchange(self, name: str, limit: int) -> tuple[str, str, int, bytes | None] | None:
        batch = self._started()
        if batch is None or batch.stdin is None or batch.stdout is None:
            return None
        batch.stdin.write(os.fsencode(name) + b"\n")
        batch.stdin.flush()
        head = batch.stdout.readline()
        if not head.endswith(b"\n"):
            raise OSError("the process ended")
        words = head.split()
        if len(words) != 3 or not words[2].isdigit():
            return None  # missing or ambiguous
        oid, kind, size = words[0].decode(), words[1].decode(), int(words[2])
        if size <= limit:
            data = batch.stdout.read(size + 1)
            if len(data) != size + 1:
                raise OSError("the process ended")
            return oid, kind, size, data[:-1]
        rest = size + 1
        while rest:
            rest -= len(batch.stdout.read(min(rest, 1 << 20))) or _ended()
        return oid, kind, size, None

    def _started(self) -> subprocess.Popen[bytes] | None:
        if self._batch is None and self._program is not None:
            self._batch = subprocess.Popen(  # noqa: S603 - as above
                [self._program, *_SAFE, "cat-file", "--batch"],
                cwd=self.folder,
                env=_environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            self._closing = weakref.finalize(self, _end, self._batch)
        return self._batch

    def _stop(self) -> None:
        if self._closing is not None:
            self._closing()
        self._batch = self._closing = None


def _ended() -> int:
    raise OSError("the process ended")


def _end(batch: subprocess.Popen[bytes]) -> None:
    for pipe in (batch.stdin, batch.stdout):
        if pipe is not None:
            try:
                pipe.close()
            except OSError:  # what was still unsent has no reader any more
                continue
    try:
        batch.wait(timeout=2)
    except subprocess.TimeoutExpired:
        batch.kill()
        batch.wait()


def _environment() -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    return kept | {
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "LC_ALL": "C",
    }
