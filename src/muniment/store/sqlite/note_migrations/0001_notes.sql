-- Notes: working and short-term memory. They lie beside the ledger, are never part of it, and end by themselves.
-- `writer` and `place` are digests (of the principal; of scope and key); `unsettled` has a row while bytes of what was
-- removed may still lie in the file or its write-ahead log.

CREATE TABLE tenant (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE note (
    tenant INTEGER NOT NULL,
    writer BLOB NOT NULL,
    place BLOB NOT NULL,
    id TEXT NOT NULL,
    scope_kind TEXT NOT NULL,
    scope_id TEXT NOT NULL,
    key TEXT NOT NULL,
    text TEXT NOT NULL,
    characters INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, writer, place)
) STRICT;

CREATE INDEX note_by_end ON note (tenant, expires_at);

CREATE TABLE unsettled (
    one INTEGER PRIMARY KEY CHECK (one = 1)
) STRICT;
