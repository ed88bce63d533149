"""Read any source by its URI, inside the folders that were allowed and nowhere else.

- A `repo:` URI is read from the local folder known for that repository, and from no other.
- A `file:` URI is read only beneath an allowed root.
- What is not allowed is `unreadable` with a reason; nothing is opened to find out more.

>>> Router({}, ()).fetch("repo:github:acme/shop!/Makefile").detail
'unknown_repository: no local folder is known for `github:acme/shop`'
>>> Router({}, ()).fetch("file:///etc/passwd").detail
'outside_roots: `/etc/passwd` is outside the allowed folders'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from muniment.core.errors import Finding, quoted
from muniment.ports.source import Fetched, ParsedUri, parse_uri
from muniment.sources.file import read_beneath
from muniment.sources.repository import FolderRepository, GitRepository, open_repository

_NOT_READ = (
    ("import:", "kept_record: an export is a copy of a moment; its record was kept with the claim"),
    (
        "note:",
        "passing_note: a note is its writer's alone and ends; what it said was kept with the claim",
    ),
)


class Router:
    """Maps a URI to what can read it."""

    def __init__(self, roots: Mapping[str, Path], file_roots: Sequence[Path] = ()) -> None:
        """Take the allowed folders.

        Args:
            roots: Local folder of each known repository id.
            file_roots: Folders beneath which `file:` URIs may be read.
        """
        self._roots = dict(roots)
        self._file_roots = tuple(file_roots)
        self._open: dict[str, GitRepository | FolderRepository] = {}

    def fetch(self, uri: str) -> Fetched:
        """Read the bytes at a URI."""
        parsed = parse_uri(uri)
        for scheme, detail in _NOT_READ:
            if uri.startswith(scheme):
                return Fetched(None, "unreadable", detail)
        if isinstance(parsed, Finding):
            return Fetched(None, "unreadable", f"{parsed.code}: {parsed.message}")
        return self._file(parsed.path) if parsed.kind == "file" else self._blob(parsed)

    def reaches(self, uri: str, commit: str) -> bool | None:
        """Whether the ref that a URI names holds a commit in its history."""
        parsed = parse_uri(uri)
        folder = None if isinstance(parsed, Finding) else self._roots.get(parsed.repo_id)
        if isinstance(parsed, Finding) or folder is None or parsed.ref is None:
            return None
        try:
            return self._repository(parsed.repo_id, folder).reaches(parsed.ref, commit)
        except OSError:
            return None

    def close(self) -> None:
        """End the processes that read git objects."""
        for repository in self._open.values():
            repository.close()
        self._open.clear()

    def _file(self, path: str) -> Fetched:
        wanted = Path(path)
        for root in self._file_roots:
            for base in (root.absolute(), root.resolve()):
                if wanted.is_relative_to(base) and wanted != base:
                    return read_beneath(base, wanted.relative_to(base).as_posix())
        detail = f"outside_roots: {quoted(path)} is outside the allowed folders"
        return Fetched(None, "unreadable", detail)

    def _blob(self, uri: ParsedUri) -> Fetched:
        folder = self._roots.get(uri.repo_id)
        if folder is None:
            detail = f"unknown_repository: no local folder is known for {quoted(uri.repo_id)}"
            return Fetched(None, "unreadable", detail)
        if uri.ref is None and uri.repo_id not in self._open and (folder / ".git").exists():
            return read_beneath(folder, uri.path)
        try:
            repository = self._repository(uri.repo_id, folder)
        except OSError:
            detail = f"folder_gone: {quoted(folder)}, known for {quoted(uri.repo_id)}, is no folder"
            return Fetched(None, "unreadable", detail)
        if uri.ref is None:
            return repository.read(uri.path)
        return repository.read_at(uri.ref, uri.path)

    def _repository(self, repo_id: str, folder: Path) -> GitRepository | FolderRepository:
        if repo_id not in self._open:
            self._open[repo_id] = open_repository(folder)
        return self._open[repo_id]
