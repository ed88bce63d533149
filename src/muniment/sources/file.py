"""Read one file beneath a root without ever leaving it.

- Each folder on the way is opened by descriptor and without following links, so a link swapped in
  while reading cannot lead outside.
- Only regular files are read: a pipe, socket or device is never waited for.
- A link is never followed. One that leads outside the root says so; one that stays inside says
  where it leads, for its target is read on its own.
- More than `MAX_BYTES` is not read.

Deciding which roots are allowed is left to the router.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from muniment.core.errors import quoted
from muniment.ports.source import Fetched, path_problem

MAX_BYTES = 10_000_000
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_ABSENT = frozenset({errno.ENOENT, errno.ENOTDIR})


def read_beneath(root: Path, path: str, limit: int = MAX_BYTES) -> Fetched:
    """Read a file beneath a root.

    Args:
        root: An existing folder; links in it are resolved.
        path: POSIX path relative to the root.
        limit: Greatest number of bytes (inclusive).
    """
    problem = path_problem(path)
    if problem:
        return Fetched(None, "unreadable", f"path_escapes: the path {quoted(path)} {problem}")
    try:
        with _opened(root, path) as handle:
            return _read(handle, path, limit)
    except (OSError, ValueError) as error:  # ValueError: a name that the system cannot encode
        return _explained(root, path, error)


def link_problem(root: Path, path: str) -> str:
    """Why a symbolic link beneath the root is not read; empty if no step of the path is a link."""
    here = root
    for step in path.split("/"):
        here = here / step
        if here.is_symlink():
            shown = quoted(here.relative_to(root).as_posix())
            try:
                inside = here.resolve().relative_to(root.resolve())
            except ValueError:
                return f"symlink_outside: {shown} is a symbolic link that leaves {quoted(root)}"
            except (OSError, RuntimeError):
                return f"symlink_loop: {shown} is a symbolic link that leads nowhere"
            target = quoted(inside.as_posix())
            return f"symlink: {shown} is a symbolic link to {target}, which is read on its own"
    return ""


@contextmanager
def _opened(root: Path, path: str) -> Iterator[int]:
    folder = os.open(root.resolve(), _FOLDER)
    try:
        *folders, name = path.split("/")
        for step in folders:
            inner = os.open(step, _FOLDER, dir_fd=folder)
            os.close(folder)
            folder = inner
        handle = os.open(name, _FILE, dir_fd=folder)
    finally:
        os.close(folder)
    try:
        yield handle
    finally:
        os.close(handle)


def _read(handle: int, path: str, limit: int) -> Fetched:
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode):
        return Fetched(None, "unreadable", f"not_a_file: {quoted(path)} is no regular file")
    if status.st_size <= limit:
        with os.fdopen(os.dup(handle), "rb") as stream:
            data = stream.read(limit + 1)
        if len(data) <= limit:
            return Fetched(data, "read")
    detail = f"too_large: {quoted(path)} has more than the {limit} bytes that are read"
    return Fetched(None, "unreadable", detail)


def _explained(root: Path, path: str, error: OSError | ValueError) -> Fetched:
    try:
        link = link_problem(root, path)
    except (OSError, ValueError):
        link = ""
    if link:
        return Fetched(None, "unreadable", link)
    if isinstance(error, OSError) and error.errno in _ABSENT:
        return Fetched(None, "missing", f"there is no file {quoted(path)} in {quoted(root)}")
    if isinstance(error, PermissionError):
        return Fetched(None, "unreadable", f"no_permission: {quoted(path)} may not be read")
    reason = getattr(error, "strerror", None) or str(error)
    return Fetched(None, "unreadable", f"read_error: {quoted(path)}: {reason.lower()}")
