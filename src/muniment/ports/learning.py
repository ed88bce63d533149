"""Reading files into statements: what the learning use case needs from file readers."""

from __future__ import annotations

from typing import Protocol

from muniment.core.extract import ReadResult


class FileReader(Protocol):
    """Reads one file of a repository into statements with evidence."""

    def __call__(self, path: str, data: bytes) -> ReadResult:
        """The statements of one file.

        Args:
            path: Repository-relative POSIX path.
            data: Its bytes.
        """


class Progress(Protocol):
    """Told how far long work has come."""

    def __call__(self, done: int, total: int, what: str) -> None:
        """`done` of `total` steps; `what` is being worked on."""
