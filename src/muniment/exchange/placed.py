"""Put exported files in place: whole or not at all, and only where something changes.

- A file is written beside its place and then moved there, so that nobody meets half of it; its mode is kept.
- A file that would not change is not touched.
- A path that leaves the target is refused before anything is written.

>>> import tempfile
>>> with tempfile.TemporaryDirectory() as folder:
...     target = Path(folder, "a.txt")
...     [place_file(target, b"x"), place_file(target, b"x")]
[True, False]
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from muniment.core.errors import Finding, InvalidInput, quoted
from muniment.ports.exporting import Files
from muniment.ports.source import path_problem


def bytes_at(target: Path) -> bytes | None:
    """What stands at a path; None where nothing does.

    Raises:
        InvalidInput: It is no regular file, or may not be read.
    """
    try:
        if target.exists() and not target.is_file():
            raise InvalidInput.of((_unwritable(target, "it is no regular file"),))
        return target.read_bytes()
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise InvalidInput.of((_unwritable(target, _why(error)),)) from error


def place_files(target: Path, files: Files) -> tuple[str, ...]:
    """Write what an export yields; the names of the files that changed.

    Raises:
        InvalidInput: A file cannot be written, or its path leaves the target.
    """
    whole = list(files)
    for inner, _ in whole:
        if inner and path_problem(inner):
            message = f"the path {quoted(inner)} {path_problem(inner)}"
            raise InvalidInput.of(
                (Finding("path_escapes", message, "--out", "export to another folder"),)
            )
    changed = []
    for inner, data in whole:
        place = target / inner if inner else target
        if place_file(place, data):
            changed.append(place.as_posix())
    return tuple(changed)


def place_file(target: Path, data: bytes) -> bool:
    """Write one file; whether it changed.

    Raises:
        InvalidInput: It cannot be written.
    """
    if bytes_at(target) == data:
        return False
    try:
        real = target.resolve()
        real.parent.mkdir(parents=True, exist_ok=True)
        mode = real.stat().st_mode & 0o7777 if real.exists() else None
        handle, name = tempfile.mkstemp(dir=real.parent, prefix=f".{real.name}-")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            Path(name).chmod(mode if mode is not None else 0o644 & ~_umask())
            Path(name).replace(real)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(name).unlink()
            raise
    except (OSError, ValueError, RuntimeError) as error:
        raise InvalidInput.of((_unwritable(target, _why(error)),)) from error
    return True


def _umask() -> int:
    now = os.umask(0o077)
    os.umask(now)
    return now


def _why(error: Exception) -> str:
    return (getattr(error, "strerror", "") or "it is no file's name").lower()


def _unwritable(target: Path, why: str) -> Finding:
    message = f"{quoted(target)} cannot be written: {why}"
    return Finding("unwritable_file", message, "--out", "name a file that you may write")
