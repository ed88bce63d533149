"""What the tables need of a database: statements in one form, values as parameters, errors of the store's own.

Statements are written in what SQLite and PostgreSQL both understand, with SQLite's parameters (`?`, or `?1`). What the
two say differently has a neutral form, which a connection turns into its own:

- `texts(?1) j` and `numbers(?1) j`: a list given as one parameter (`listed`), as a table with the column `value`;
- `pairs(?1) p`: a JSON array of arrays, as a table with the column `value`;
- `a CROSS JOIN b ON …`, `INDEXED BY i`: the order of a join and the index that serves, where it could be another.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, Protocol, TypeAlias, TypeVar

from muniment.core.errors import StoreDamaged

Listed: TypeAlias = Any
"""A list of texts or of numbers as one parameter; what it is, the connection that made it knows."""

T = TypeVar("T")


class Connection(Protocol):
    """A connection in a transaction; every error is a `StoreError`."""

    path: str
    """The store as it is named in messages."""

    def listed(self, values: Collection[str] | Collection[int]) -> Listed:
        """A list as one parameter."""

    def all(self, statement: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Run a statement and fetch everything it gives."""

    def decoded(
        self, statement: str, parameters: Sequence[Any], decode: Callable[[tuple[Any, ...]], T]
    ) -> list[T]:
        """Run a statement and decode each row that it gives; what cannot be decoded is damage."""

    def one(self, statement: str, parameters: Sequence[Any] = ()) -> tuple[Any, ...] | None:
        """The first row, if there is one."""

    def value(self, statement: str, parameters: Sequence[Any] = ()) -> Any:
        """The first value of the first row, if there is one."""

    def run(self, statement: str, parameters: Sequence[Any] = ()) -> None:
        """Run a statement that changes something, or send it along; what comes after it sees what it did.

        Its error may surface in a later call, at the latest in the commit.
        """

    def changed(self, statement: str, parameters: Sequence[Any] = ()) -> int:
        """Run a statement that changes something; how many rows it changed."""

    def many(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run a statement for each of several rows of parameters, as `run` does."""

    def damaged(self, what: str) -> StoreDamaged:
        """The error that says that the store contradicts itself."""
