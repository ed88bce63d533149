"""The three repositories that the readers are tried on, and what is read from them."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest

from muniment.learn.extract import Extract, ReadResult, read_file

REPOS = Path(__file__).parent.parent / "data" / "repos"
NAMES = ("python-shop", "node-monorepo", "go-service")


class Learned:
    """A repository's files and everything read from them."""

    def __init__(self, name: str) -> None:
        root = REPOS / name
        paths = sorted(p for p in root.rglob("*") if p.is_file())
        self.files = {p.relative_to(root).as_posix(): p.read_bytes() for p in paths}
        self.results: dict[str, ReadResult] = {p: read_file(p, d) for p, d in self.files.items()}

    @property
    def extracts(self) -> list[tuple[bytes, Extract]]:
        return [(self.files[p], e) for p, r in self.results.items() for e in r.extracts]

    @property
    def claims(self) -> dict[str, str]:
        return {e.slot: e.claim for _, e in self.extracts}

    def slot(self, slot: str) -> Extract:
        return next(e for _, e in self.extracts if e.slot == slot)


@functools.cache
def _learned(name: str) -> Learned:
    return Learned(name)


@pytest.fixture(params=NAMES)
def learned(request: pytest.FixtureRequest) -> Learned:
    """Each repository in turn."""
    return _learned(request.param)


@pytest.fixture
def shop() -> Learned:
    """The Python repository."""
    return _learned("python-shop")


@pytest.fixture
def storefront() -> Learned:
    """The Node monorepo."""
    return _learned("node-monorepo")


@pytest.fixture
def payments() -> Learned:
    """The Go service."""
    return _learned("go-service")
