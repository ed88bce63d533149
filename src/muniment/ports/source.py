"""Where evidence is read from: what a reading gives, how a place is addressed, who can read it.

- A `file:` URI names an absolute path; a `repo:` URI names a path in a repository, either in its
  working tree (`repo:github:acme/shop!/Makefile`) or at a ref (`repo:github:acme/shop@main!/Makefile`).
- Repository ids and paths are percent-encoded, so any file name can be addressed.
- A path never climbs: `..`, `.`, empty steps and NUL are refused before anything is opened.
- A reading always answers; what cannot be read is a state, not an exception.

Opening files and running git are left to the adapters.

>>> uri = repo_uri("github:acme/shop", "docs/a b.md", ref="main")
>>> uri
'repo:github:acme/shop@main!/docs/a%20b.md'
>>> parse_uri(uri)
ParsedUri(kind='repo', path='docs/a b.md', repo_id='github:acme/shop', ref='main')
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol
from urllib.parse import quote, unquote

from muniment.core.errors import Finding, quoted

State = Literal["read", "missing", "unreadable"]

_PLAIN = "/:._~-+"


@dataclass(frozen=True, slots=True)
class Fetched:
    """What one reading gave.

    Attributes:
        data: The bytes; None unless `state` is `read`.
        state: `missing` where nothing stands at the place; `unreadable` where it could not be seen.
        detail: Why not, one lower-case sentence; empty when read.
        commit: The commit whose blob was read; empty for a working tree or a plain file.
    """

    data: bytes | None
    state: State
    detail: str = ""
    commit: str = ""


@dataclass(frozen=True, slots=True)
class ParsedUri:
    """An address in parts.

    Attributes:
        kind: `file` or `repo`.
        path: Absolute for `file`, relative to the repository's root for `repo`.
        repo_id: The repository, empty for `file`.
        ref: Branch, tag or commit; None for the working tree.
    """

    kind: Literal["file", "repo"]
    path: str
    repo_id: str = ""
    ref: str | None = None


class SourceReader(Protocol):
    """Reads any source by its URI."""

    def fetch(self, uri: str) -> Fetched:
        """Read the bytes at a URI; never raises for what the URI names."""
        ...

    def reaches(self, uri: str, commit: str) -> bool | None:
        """Whether the ref that a URI names holds a commit in its history; None where that cannot be looked at."""
        ...


class Repository(Protocol):
    """One folder of files, under git or not."""

    @property
    def id(self) -> str:
        """Stable identity: `github:acme/shop`, `git:host/path`, `local:folder`."""
        ...

    @property
    def root(self) -> Path:
        """Absolute path of the top folder."""
        ...

    def files(self) -> Iterator[str]:
        """Repository-relative POSIX paths of the regular files, sorted, ignored files left out."""
        ...

    def files_at(self, ref: str) -> Iterator[str]:
        """Paths of the regular files at a ref, sorted; none if the ref is unknown."""
        ...

    def findings(self) -> tuple[Finding, ...]:
        """What the last complete `files()` had to leave out, and why."""
        ...

    def read(self, path: str) -> Fetched:
        """Read a file of the working tree."""
        ...

    def read_at(self, ref: str, path: str) -> Fetched:
        """Read a blob at a ref."""
        ...

    def branch(self) -> str | None:
        """The branch checked out; None if none is."""
        ...

    def head(self) -> str | None:
        """The commit checked out; None without one."""
        ...

    def default_branch(self) -> str | None:
        """The branch that others build on, as far as the clone knows."""
        ...


def repo_uri(repo_id: str, path: str, ref: str | None = None) -> str:
    """The address of a file in a repository.

    >>> repo_uri("local:my shop", "a")
    'repo:local:my%20shop!/a'
    """
    at = f"@{_encoded(ref)}" if ref else ""
    return f"repo:{_encoded(repo_id)}{at}!/{_encoded(path)}"


def file_uri(path: str) -> str:
    """The address of an absolute path.

    >>> file_uri("/a b/c")
    'file:///a%20b/c'
    """
    return f"file://{_encoded(path)}"


def parse_uri(uri: str) -> ParsedUri | Finding:
    """An address in parts, or what is wrong with it.

    >>> parse_uri("repo:x!/../etc/passwd").code
    'path_escapes'
    >>> parse_uri("ftp://x").code
    'unknown_uri'
    """
    if uri.startswith("file:///"):
        path = _decoded(uri.removeprefix("file://"))
        return _checked(uri, ParsedUri("file", path), path[1:])
    if uri.startswith("repo:") and "!/" in uri:
        head, _, tail = uri.removeprefix("repo:").partition("!/")
        name, at, ref = head.partition("@")
        if name and (ref or not at):
            parsed = ParsedUri(
                "repo", _decoded(tail), _decoded(name), _decoded(ref) if at else None
            )
            return _checked(uri, parsed, parsed.path)
    return Finding(
        "unknown_uri",
        f"{quoted(uri)} is no address that can be read here",
        fix="give `file:///absolute/path` or `repo:<id>!/<path>`",
    )


def path_problem(path: str) -> str:
    """Why a relative path is refused; empty if it is fine.

    >>> path_problem("a/b"), path_problem("a//b"), path_problem("../a")
    ('', 'has an empty step', 'climbs with `..`')
    """
    steps = path.split("/")
    if "\0" in path:
        return "contains NUL"
    if ".." in steps:
        return "climbs with `..`"
    if "." in steps:
        return "has a step `.`"
    return "has an empty step" if "" in steps else ""


def _checked(uri: str, parsed: ParsedUri, relative: str) -> ParsedUri | Finding:
    problem = path_problem(relative)
    if not problem:
        return parsed
    fix = "give the plain path inside the root"
    return Finding("path_escapes", f"the path of {quoted(uri)} {problem}", fix=fix)


def _encoded(text: str) -> str:
    return quote(text, safe=_PLAIN, errors="surrogateescape")


def _decoded(text: str) -> str:
    return unquote(text, errors="surrogateescape")
