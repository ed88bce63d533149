-- Retrievals and access counts. They lie beside the ledger, are never part of it, and may be lost without loss of memory.

CREATE TABLE tenant (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE retrieval (
    tenant INTEGER NOT NULL,
    id TEXT NOT NULL,
    principal TEXT NOT NULL,
    at TEXT NOT NULL,
    claims TEXT NOT NULL,
    selected TEXT NOT NULL,
    record BLOB NOT NULL,
    PRIMARY KEY (tenant, id)
) STRICT;

CREATE TABLE found (
    tenant INTEGER NOT NULL,
    claim_id TEXT NOT NULL,
    id TEXT NOT NULL,
    PRIMARY KEY (tenant, claim_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE handed (
    tenant INTEGER NOT NULL,
    claim_id TEXT NOT NULL,
    principal TEXT NOT NULL,
    count INTEGER NOT NULL,
    last TEXT NOT NULL,
    PRIMARY KEY (tenant, claim_id, principal)
) STRICT, WITHOUT ROWID;
