-- Notes: working and short-term memory. They lie beside the ledger, are never part of it, and end by themselves.
-- `writer` and `place` are digests (of the principal; of scope and key).

CREATE TABLE note (
    tenant bigint NOT NULL,
    writer bytea NOT NULL,
    place bytea NOT NULL,
    id text COLLATE "C" NOT NULL,
    scope_kind text COLLATE "C" NOT NULL,
    scope_id text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    text text COLLATE "C" NOT NULL,
    characters bigint NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    PRIMARY KEY (tenant, writer, place)
);

CREATE INDEX note_by_end ON note (tenant, expires_at);
