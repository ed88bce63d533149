"""One database, durable before it is acknowledged: the store on PostgreSQL, through psycopg 3 (decision 0010).

- `store.PostgresStore` opens a database and hands out snapshots and transactions; everything lies in the schema
  `muniment` of that database.
- `schema` brings it to the newest schema; `connection` holds the settings, speaks the statements of `store.tables` in
  PostgreSQL's words and translates errors; `transaction` refuses what PostgreSQL cannot hold. What is read from and
  written to the tables, `store.tables` does.

Importing this package imports no driver; its functions do, and say what to install.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from muniment.core.errors import StoreUnavailable

if TYPE_CHECKING:
    from muniment.store.postgres.store import PostgresStore

__all__ = ["open_postgres", "postgres_exists"]


def open_postgres(
    address: str,
    *,
    entropy: Callable[[int], bytes],
    create: bool,
    busy_timeout_ms: int = 5000,
) -> PostgresStore:
    """Open a store in a database.

    Args:
        address: A connection URI of libpq, `postgresql://user@host:port/database?…`; what it leaves out comes from
            libpq's environment variables and password file.
        entropy: Gives n random bytes, for keys and salts.
        create: Make the tables where there are none; the database itself must be there.
        busy_timeout_ms: How long another writer is waited for, milliseconds.

    Raises:
        StoreUnavailable: The driver is not installed, the server cannot be reached, or there is no store in it.
        StoreDamaged: The schema `muniment` is not a store's, or contradicts itself.
        StoreNewer: A newer version wrote it; it was left as it is.
    """
    with _driver():
        from muniment.store.postgres.store import PostgresStore
    return PostgresStore.open(
        address, entropy=entropy, create=create, busy_timeout_ms=busy_timeout_ms
    )


def postgres_exists(address: str) -> bool:
    """Whether there is a store in a database.

    Raises:
        StoreError: The driver is not installed, the server cannot be reached, or the schema is not a store's.
    """
    with _driver():
        from muniment.store.postgres.schema import is_prepared
    return is_prepared(address)


@contextmanager
def _driver() -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        raise StoreUnavailable(
            f"the driver for PostgreSQL cannot be loaded: {error}",
            fix="install it: pip install 'muniment[postgres]'",
        ) from error
