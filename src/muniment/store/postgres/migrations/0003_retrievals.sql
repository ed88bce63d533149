-- Retrievals and access counts. They lie beside the ledger, are never part of it, and may be lost without loss of memory.

CREATE TABLE retrieval (
    tenant bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    principal text COLLATE "C" NOT NULL,
    at text COLLATE "C" NOT NULL,
    claims text COLLATE "C" NOT NULL,
    selected text COLLATE "C" NOT NULL,
    record bytea NOT NULL,
    PRIMARY KEY (tenant, id)
);

CREATE TABLE found (
    tenant bigint NOT NULL,
    claim_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, claim_id, id)
);

CREATE TABLE handed (
    tenant bigint NOT NULL,
    claim_id text COLLATE "C" NOT NULL,
    principal text COLLATE "C" NOT NULL,
    count bigint NOT NULL,
    last text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, claim_id, principal)
);
