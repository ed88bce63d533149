"""One file, durable before it is acknowledged: the store on SQLite, through apsw (decision 0002).

- `store.SqliteStore` opens a file and hands out snapshots and transactions.
- `schema` brings a file to the newest schema; `connection` holds the settings and translates errors; `log` keeps
  retrievals in a file beside it; `presence` notices unclean exits; `surroundings` looks at the file system and at who
  holds the file open. What is read from and written to the tables, `store.tables` does.
"""

from muniment.store.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
